"""What a process costs, from outside: CPU time to the nanosecond, and memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

CPU_CLOCK_OF_PROCESS = 2
"""CPUCLOCK_SCHED of the kernel's posix clocks; with the complement of a pid above it, that process's CPU time."""


def cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has used, user and system, with the threads it had and has."""
    return time.clock_gettime((~pid << 3) | CPU_CLOCK_OF_PROCESS)


def memory_mib(pid: int) -> tuple[float, float]:
    """Resident and proportional set size."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return int(fields["Rss"].split()[0]) / 1024, int(fields["Pss"].split()[0]) / 1024


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children(pid: int) -> list[int]:
    """Those started by any of its threads."""
    found: list[int] = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found


def waited_s(pid: int, threads: Iterable[int]) -> float:
    """Seconds that these threads of a process were ready to run and no CPU was free for them."""
    return sum(int(Path(f"/proc/{pid}/task/{one}/schedstat").read_text().split()[1]) for one in threads) / 1e9


def others_percent(seconds: float = 1.0) -> float:
    """How busy the machine is while we do nothing, in percent of all its CPUs."""
    before = _ticks()
    time.sleep(seconds)
    busy, total = (now - then for now, then in zip(_ticks(), before, strict=True))
    return 100.0 * busy / total if total else 0.0


def _ticks() -> tuple[int, int]:
    """Busy and all ticks since boot."""
    ticks = list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)
