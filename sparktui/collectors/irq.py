"""Interrupt vectors of the NICs and the GPU, per CPU."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IrqVector:
    """One line of /proc/interrupts that fired since boot: only CPUs with a count, `cpus[i]` had `counts[i]`.

    `owner` is the netdev's name or "gpu"; `label` the line's last field ("enP7s7-0", "mlx5_comp7@pci:0000:01:00.0").
    """

    irq: int
    owner: str
    label: str
    cpus: list[int]
    counts: list[int]


@dataclass(frozen=True, slots=True)
class IrqSample:
    """`vectors_by_owner` counts all vectors registered, also those that never fired."""

    vectors_by_owner: dict[str, int]
    vectors: list[IrqVector]


@dataclass(frozen=True, slots=True)
class IrqAffinity:
    """`affinity` = smp_affinity_list, `effective` = effective_affinity_list (empty where the kernel has none)."""

    irq: int
    owner: str
    affinity: str
    effective: str


@dataclass(frozen=True, slots=True)
class IrqInfoSample:
    affinities: list[IrqAffinity]
