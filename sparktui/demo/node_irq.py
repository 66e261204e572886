"""A node's interrupt table: /proc/interrupts, /proc/softirqs and the affinities. Only lines that fired are rendered.

Vectors as the drivers ask for them: r8127 32 of which receive ring i is vector i, transmit ring i vector 8 + i, link
changes vector 29; mlx5_core one asynchronous and one completion vector per CPU and function, pinned to CPUs 0-4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sparktui.demo.hardware import BUSES, CPUS, CX7_BUSES, GPU_BUS, HALVES, NVME_BUS, RJ45_BUS, ROOT_PORTS, WIFI_BUS
from sparktui.demo.node import DemoNode

COUNTER = 1 << 32
"""The kernel counts interrupts and softirqs in 32 bits."""

NEAR_WRAP = COUNTER - 2_000
R8127_VECTORS, FIRST_TX, LINK_CHANGE = 32, 8, 29
CABLED = {BUSES[netdev]: half for half, netdev in enumerate(HALVES)}
"""The ConnectX functions with a cable, and which half of it each is."""

COMPLETION_QUEUES = 8
"""How many of a function's completion vectors the job's queues use."""

SMMUS = 22
QUIET_IPIS = (
    "CPU stop interrupts",
    "CPU stop NMIs",
    "Timer broadcast interrupts",
    "IRQ work interrupts",
    "CPU backtrace interrupts",
)

_CPU_NAMES = "".join(f"CPU{cpu:<8}" for cpu in range(CPUS)) + "\n"
_HEADER = " " * 12 + _CPU_NAMES
_COLUMN = " %10d"
_ROW = _COLUMN * CPUS

PerCpu = Callable[[], Sequence[float]]
Single = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Vector:
    """One line of the table. Either one CPU counts it (`cpu`, `single`), or all (`per_cpu`), or it never fires."""

    number: str
    tail: str
    cpu: int = 0
    single: Single | None = None
    per_cpu: PerCpu | None = None
    affinity: str = ""


class InterruptTable:
    """The table of one node. `near_wrap` starts the first receive vector just below the counter's limit."""

    def __init__(self, node: DemoNode, near_wrap: bool = False) -> None:
        self._node = node
        self._near_wrap = near_wrap
        self._vectors = list(number(self._lines()))
        self._shown: list[object] = [None] * len(self._vectors)
        self._text = [f"{v.number:>4}:" + _ROW % ((0,) * CPUS) + v.tail + "\n" for v in self._vectors]
        self._around = [
            (text[: 5 + 11 * v.cpu], text[16 + 11 * v.cpu :]) for v, text in zip(self._vectors, self._text, strict=True)
        ]

    def interrupts(self) -> str:
        """/proc/interrupts now."""
        for at, vector in enumerate(self._vectors):
            if vector.single is not None:
                count = int(vector.single()) % COUNTER
                if count != self._shown[at]:
                    before, after = self._around[at]
                    self._shown[at], self._text[at] = count, before + _COLUMN % count + after
            elif vector.per_cpu is not None:
                counts = tuple(int(count) % COUNTER for count in vector.per_cpu())
                if counts != self._shown[at]:
                    self._shown[at] = counts
                    self._text[at] = f"{vector.number:>4}:" + _ROW % counts + vector.tail + "\n"
        return _HEADER + "".join(self._text)

    def affinities(self) -> dict[str, str]:
        """Path to text of each vector's affinity files."""
        files: dict[str, str] = {}
        for vector in self._vectors:
            if vector.affinity:
                files[f"/proc/irq/{vector.number}/smp_affinity_list"] = vector.affinity + "\n"
                files[f"/proc/irq/{vector.number}/effective_affinity_list"] = f"{vector.cpu}\n"
        return files

    def _lines(self) -> Iterator[Vector]:
        node = self._node
        yield Vector("", gic(26, "arch_timer"), per_cpu=lambda: [250 * busy for busy in node.busy_s])
        yield Vector("", gic(23, "arm-pmu"))
        for smmu in range(SMMUS):
            for place, queue in enumerate(("evtq", "priq", "gerror")):
                yield Vector("", gic(74 + 4 * smmu + place, f"arm-smmu-v3-{queue}"))
        for usb in range(4):
            yield Vector("", gic(352 + usb, f"xhci-hcd:usb{usb + 1}"), single=fixed(33))
        for port in ROOT_PORTS:
            for place, service in enumerate(("PCIe PME", "aerdrv", "pciehp")):
                yield Vector("", msi("MSI", port, place, service))
        yield from self._nvme()
        yield from self._r8127()
        for bus in CX7_BUSES:
            yield from self._mlx5(bus)
        yield Vector("", msi("MSI", WIFI_BUS, 0, "mt7925e"), single=fixed(118), affinity="0-19")
        yield Vector("", msi("MSI", GPU_BUS, 0, "nvidia"), 10, element(node, "busy_s", 5, 31.0), affinity="0-19")
        yield Vector("IPI0", "       Rescheduling interrupts", per_cpu=lambda: [61 * busy for busy in node.busy_s])
        yield Vector("IPI1", "       Function call interrupts", per_cpu=lambda: [23 * busy for busy in node.busy_s])
        for at, kind in enumerate(QUIET_IPIS, 2):
            yield Vector(f"IPI{at}", f"       {kind}")

    def _nvme(self) -> Iterator[Vector]:
        for queue in range(16):
            tail = msi("MSIX", NVME_BUS, queue, f"nvme0q{queue}")
            yield Vector("", tail, queue, element(self._node, "busy_s", queue, 1.7), affinity=str(queue))

    def _r8127(self) -> Iterator[Vector]:
        node = self._node
        pinned = len(node.rx_irqs) > 1
        for vector in range(R8127_VECTORS):
            tail = msi("MSIX", RJ45_BUS, vector, f"enP7s7-{vector}")
            cpu, single = 0, fixed(2) if vector == LINK_CHANGE else None
            if vector < len(node.rx_irqs):
                cpu, single = node.rx_cpus[vector], self._received(vector)
            elif FIRST_TX <= vector < FIRST_TX + len(node.tx_irqs):
                ring = vector - FIRST_TX
                cpu, single = node.tx_cpus[ring], element(node, "tx_irqs", ring)
            yield Vector("", tail, cpu, single, affinity=str(cpu) if pinned and single else "0-19")

    def _received(self, ring: int) -> Single:
        """Before a reboot the first ring's count may stand near its limit."""
        node = self._node
        offset = NEAR_WRAP - node.rx_irqs[ring] if self._near_wrap and ring == 0 else 0.0
        return lambda: node.rx_irqs[ring] + (0.0 if node.boots else offset)

    def _mlx5(self, bus: str) -> Iterator[Vector]:
        half = CABLED.get(bus)
        fired = fixed(14 if half is None else 312)
        yield Vector("", msi("MSIX", bus, 0, f"mlx5_async0@pci:{bus}"), single=fired, affinity="0-19")
        for queue in range(CPUS):
            single = None
            if half is not None and queue < COMPLETION_QUEUES:
                single = element(self._node, "completions", half, (1 + 0.08 * queue) / COMPLETION_QUEUES)
            tail = msi("MSIX", bus, queue + 1, f"mlx5_comp{queue}@pci:{bus}")
            yield Vector("", tail, queue % 5, single, affinity=str(queue % 5))


def gic(line: int, name: str) -> str:
    return f"     GICv3 {line:>3} Level     {name}"


def msi(kind: str, bus: str, vector: int, name: str) -> str:
    """The part of a line after the counts, as the kernel prints it since 6.11."""
    return f" ITS-PCI-{kind}-{bus} {vector:>3} Edge      {name}"


def number(vectors: Iterator[Vector]) -> Iterator[Vector]:
    """Give every hardware line its number, in order."""
    following = 11
    for vector in vectors:
        if vector.number:
            yield vector
        else:
            yield replace(vector, number=str(following))
            following += 1


def fixed(count: int) -> Single:
    return lambda: count


def element(node: DemoNode, name: str, at: int, factor: float = 1.0) -> Single:
    """One of the node's running counts. By name, since a boot gives the node new lists."""
    return lambda: float(getattr(node, name)[at]) * factor


def softirqs(node: DemoNode) -> str:
    """/proc/softirqs."""
    sent = [0.0] * CPUS
    for cpu, count in zip(node.tx_cpus, node.tx_irqs, strict=False):
        sent[cpu] += 0.02 * count
    rows: tuple[tuple[str, Sequence[float]], ...] = (
        ("HI", [0] * CPUS),
        ("TIMER", [120 * busy for busy in node.busy_s]),
        ("NET_TX", sent),
        ("NET_RX", node.net_rx),
        ("BLOCK", [2 * busy for busy in node.busy_s]),
        ("IRQ_POLL", [0] * CPUS),
        ("TASKLET", [1] * CPUS),
        ("SCHED", [140 * busy for busy in node.busy_s]),
        ("HRTIMER", [0] * CPUS),
        ("RCU", [95 * busy for busy in node.busy_s]),
    )
    return (
        " " * 20
        + _CPU_NAMES
        + "".join(
            f"{name:>12}:" + _ROW % tuple(int(count) % COUNTER for count in counts) + "\n" for name, counts in rows
        )
    )
