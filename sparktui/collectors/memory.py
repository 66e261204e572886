"""Host memory from /proc/meminfo: on a GB10 this is the GPU's memory too."""

from __future__ import annotations

from dataclasses import dataclass


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
