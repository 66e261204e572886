"""Host memory from /proc/meminfo: on a GB10 this is the GPU's memory too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader

NEEDED = ("MemTotal", "MemFree", "MemAvailable", "SwapTotal", "SwapFree")
OPTIONAL = ("HugePages_Total", "HugePages_Free", "Hugepagesize", "CmaTotal", "CmaFree")


@dataclass(frozen=True, slots=True)
class MemorySample:
    """Bytes, except hugepages_total / hugepages_free (pages). None where the kernel has no such line."""

    total_bytes: int
    available_bytes: int
    free_bytes: int
    swap_total_bytes: int
    swap_used_bytes: int
    hugepages_total: int
    hugepages_free: int
    hugepage_bytes: int
    cma_total_bytes: int | None
    cma_free_bytes: int | None


def parse_meminfo(text: str) -> MemorySample:
    """The text of /proc/meminfo. Raises ValueError where a line that every kernel has is missing or holds no number."""
    fields: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in NEEDED or name in OPTIONAL:
            number, _, unit = value.strip().partition(" ")
            fields[name] = int(number) * (1024 if unit == "kB" else 1)
    if missing := [name for name in NEEDED if name not in fields]:
        raise ValueError(f"/proc/meminfo has no {', '.join(missing)}")
    return MemorySample(
        total_bytes=fields["MemTotal"],
        available_bytes=fields["MemAvailable"],
        free_bytes=fields["MemFree"],
        swap_total_bytes=fields["SwapTotal"],
        swap_used_bytes=fields["SwapTotal"] - fields["SwapFree"],
        hugepages_total=fields.get("HugePages_Total", 0),
        hugepages_free=fields.get("HugePages_Free", 0),
        hugepage_bytes=fields.get("Hugepagesize", 0),
        cma_total_bytes=fields.get("CmaTotal"),
        cma_free_bytes=fields.get("CmaFree"),
    )


def start(reader: Reader) -> Callable[[], MemorySample]:
    return lambda: parse_meminfo(reader.text("/proc/meminfo"))


COLLECTORS = (Collector("memory", "fast", MemorySample, start),)
