"""Which machine this is: OS, kernel, driver, board, settings. Never a serial number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain

SYSCTLS = (
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.conf.all.arp_announce",
    "net.ipv4.conf.all.arp_ignore",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_wmem",
    "vm.overcommit_memory",
    "vm.swappiness",
)
"""Settings that change what a network or a memory-heavy run does; none that the kernel sizes to the machine."""

DRIVER = re.compile(r"Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)")


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


def parse_assignments(text: str) -> dict[str, str]:
    """KEY=VALUE lines, quoted or not (HP writes /etc/dgx-release unquoted); of a key that comes again the last wins."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().partition("=")
        if equals and key.isidentifier():
            values[key] = plain(value.strip().strip("\"'"))
    return values


def dgx_os(release: str) -> str | None:
    """ "DGX OS 7.6.0" from /etc/dgx-release: the last over-the-air update, else the version it was built with."""
    values = parse_assignments(release)
    version = values.get("DGX_OTA_VERSION") or values.get("DGX_SWBUILD_VERSION")
    return f"DGX OS {version}" if version else None


def driver_version(text: str) -> str | None:
    """The loaded driver's version in /proc/driver/nvidia/version, of the open and of the proprietary module."""
    found = DRIVER.search(text)
    return found[1] if found else None


def _text(reader: Reader, path: str) -> str:
    try:
        return reader.text(path)
    except OSError:
        return ""


def _line(reader: Reader, path: str) -> str | None:
    return plain(_text(reader, path), 256) or None


def _os(reader: Reader) -> str | None:
    return (
        dgx_os(_text(reader, "/etc/dgx-release"))
        or parse_assignments(_text(reader, "/etc/os-release")).get("PRETTY_NAME")
        or None
    )


def _architecture(reader: Reader) -> str:
    """The kernel's own word (since Linux 6.1), else by what /proc/cpuinfo looks like, else ""."""
    if arch := _line(reader, "/proc/sys/kernel/arch"):
        return arch
    cpuinfo = _text(reader, "/proc/cpuinfo")
    return "aarch64" if "CPU implementer" in cpuinfo else "x86_64" if "vendor_id" in cpuinfo else ""


def _sysctls(reader: Reader) -> dict[str, str]:
    read = {name: _line(reader, "/proc/sys/" + name.replace(".", "/")) for name in SYSCTLS}
    return {name: value for name, value in read.items() if value is not None}


def start(reader: Reader) -> Callable[[], PlatformSample]:
    def sample() -> PlatformSample:
        return PlatformSample(
            hostname=_line(reader, "/proc/sys/kernel/hostname") or "",
            os=_os(reader),
            kernel=plain(reader.text("/proc/sys/kernel/osrelease")),
            architecture=_architecture(reader),
            nvidia_driver=driver_version(_text(reader, "/proc/driver/nvidia/version")),
            vendor=_line(reader, "/sys/class/dmi/id/sys_vendor"),
            product=_line(reader, "/sys/class/dmi/id/product_name"),
            bios_version=_line(reader, "/sys/class/dmi/id/bios_version"),
            sysctl=_sysctls(reader),
            boot_id=plain(reader.text("/proc/sys/kernel/random/boot_id")),
            uptime_s=float(reader.text("/proc/uptime").partition(" ")[0]),
        )

    return sample


COLLECTORS = (Collector("platform", "slow", PlatformSample, start),)
