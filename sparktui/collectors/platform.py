"""Which machine this is: OS, kernel, driver, board, settings. Never a serial number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlatformSample:
    """`os` e.g. "DGX OS 7.6.0", else os-release's PRETTY_NAME. None = not known on this machine."""

    hostname: str
    os: str | None
    kernel: str
    architecture: str
    nvidia_driver: str | None
    vendor: str | None
    product: str | None
    bios_version: str | None
    sysctl: dict[str, str]
    boot_id: str
    uptime_s: float
