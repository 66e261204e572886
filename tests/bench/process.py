"""What a process costs, from outside: CPU time to the nanosecond, and memory."""

from __future__ import annotations

import os
import time
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
