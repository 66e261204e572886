"""CPU time per CPU from /proc/stat, and which CPUs are of which core class."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CpuSample:
    """Cumulative clock ticks (USER_HZ) per online CPU: `cpu[i]` is the CPU's number, `busy[i]` and `idle[i]` its ticks.

    idle = idle + iowait; busy = the rest without guest time (which the kernel counts in user already).
    """

    cpu: list[int]
    busy: list[int]
    idle: list[int]
    load1: float


@dataclass(frozen=True, slots=True)
class CpuInfoSample:
    """CPUs by core class, e.g. {"X925": [5, 6, ...], "A725": [0, 1, ...]}; one class of the model's name elsewhere."""

    classes: dict[str, list[int]]
    governors: list[str]
