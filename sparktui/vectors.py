"""Counts of interrupt vectors to rates, per vector and per CPU."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui import contract
from sparktui.collectors.irq import IrqInfoSample, IrqSample, IrqVector
from sparktui.rates import CounterRow

COUNT_BITS = 32
"""The kernel prints the counts of /proc/interrupts from unsigned ints."""


class VectorRates:
    """All vectors of one node, sample by sample. A vector is known by its number and its label."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], CounterRow] = {}
        self._affinity: dict[int, tuple[str, str | None]] = {}

    def take_affinities(self, sample: IrqInfoSample) -> None:
        """Which CPUs each vector may be served by, and is; they stand until the next sample."""
        self._affinity = {one.irq: (one.affinity, one.effective or None) for one in sample.affinities}

    def update(self, sample: IrqSample, mono: float) -> dict[str, contract.Irq]:
        """The vectors by owner, after a sample read at `mono` seconds of the node's monotonic clock."""
        before, self._rows = self._rows, {}
        lines: dict[str, list[contract.IrqVector]] = {owner: [] for owner in sample.vectors_by_owner}
        for vector in sample.vectors:
            key = vector.irq, vector.label
            row = self._rows[key] = before.get(key) or CounterRow(COUNT_BITS)
            rates = row.update(vector.cpus, vector.counts, mono)
            lines.setdefault(vector.owner, []).append(self._line(vector, rates))
        return {owner: _owner(sample.vectors_by_owner.get(owner, len(mine)), mine) for owner, mine in lines.items()}

    def _line(self, vector: IrqVector, rates: list[float | None]) -> contract.IrqVector:
        affinity, effective = self._affinity.get(vector.irq, (None, None))
        return contract.IrqVector(
            irq=vector.irq,
            label=vector.label,
            cpus=vector.cpus,
            per_s=rates,
            total=sum(vector.counts),
            affinity=affinity,
            effective=effective,
        )


def _owner(registered: int, lines: Sequence[contract.IrqVector]) -> contract.Irq:
    by_cpu: dict[int, float | None] = {}
    for line in lines:
        for cpu, rate in zip(line.cpus, line.per_s, strict=True):
            before = by_cpu.get(cpu)
            by_cpu[cpu] = rate if before is None else before + (rate or 0.0)
    known = [rate for rate in by_cpu.values() if rate]
    return contract.Irq(
        per_s_by_cpu={str(cpu): by_cpu[cpu] for cpu in sorted(by_cpu)},
        vectors=registered,
        affinity={str(line.irq): line.affinity for line in lines if line.affinity is not None},
        imbalance=max(known) / sum(known) if known else None,
        lines=list(lines),
    )
