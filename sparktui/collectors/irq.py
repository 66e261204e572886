"""Interrupt vectors of the NICs and the GPU, per CPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.nic import NET, physical
from sparktui.collectors.plain import plain

INTERRUPTS = "/proc/interrupts"
GPU = "gpu"

LEARN_S = 30.0
"""How long it is believed which netdev a line belongs to; renaming a netdev changes no line."""

END = 24
"""So many characters at the end of a line tell it from others: "comp19@pci:0000:01:00.1", "Edge      enP7s7-12"."""


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
    """The vectors that fired since boot."""

    affinities: list[IrqAffinity]


_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class Owners:
    """Whose a vector is, by what tells it first: its number, a PCI address in its text, a name in its label."""

    __slots__ = ("_by_address", "_by_irq", "_by_name", "_name")

    def __init__(self, by_irq: Mapping[int, str], by_address: Mapping[str, str], by_name: Mapping[str, str]) -> None:
        self._by_irq = by_irq
        self._by_address = by_address
        self._by_name = by_name
        names = "|".join(map(re.escape, sorted(by_name, key=len, reverse=True)))
        self._name = re.compile(rf"(?<![\w.])(?:{names})(?![\w.])" if names else r"(?!)")

    def of(self, irq: int, text: str, label: str) -> str | None:
        """The netdev's name or "gpu"; None for a vector of something else.

        `text` is what stands behind the counts: "ITS-PCI-MSIX-0007:01:00.0   1 Edge      enP7s7-1" or "PCI-MSI
        49152-edge      virtio2-input.0"; `label` its last field: also "mlx5_comp7@pci:0000:01:00.0" or "nvidia".
        """
        if owner := self._by_irq.get(irq):
            return owner
        for address in _ADDRESS.findall(text):
            if owner := self._by_address.get(address):
                return owner
        if named := self._name.search(label):
            return self._by_name[named[0]]
        return GPU if "nvidia" in label.split(", ") else None


def owners(reader: Reader) -> Owners:
    """Asks the machine. A virtio NIC's vectors are those of the PCI function one level above its device."""
    by_irq: dict[int, str] = {}
    by_address: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for netdev in physical(reader, reader.names(NET)):
        by_name[netdev] = netdev
        try:
            device = reader.link(f"{NET}/{netdev}/device").rstrip("/").rpartition("/")[2]
        except OSError:
            continue
        virtio = device.startswith("virtio")
        (by_name if virtio else by_address).setdefault(device, netdev)
        try:
            numbers = reader.names(f"{NET}/{netdev}/device/{'../' if virtio else ''}msi_irqs")
        except OSError:
            continue
        for number in numbers:
            if number.isdecimal():
                by_irq.setdefault(int(number), netdev)
    return Owners(by_irq, by_address, by_name)


def parse_cpus(header: str) -> list[int]:
    """CPU numbers of the columns, from the first line of /proc/interrupts: offline CPUs have none."""
    return [int(name[3:]) for name in header.split() if name.startswith("CPU") and name[3:].isdecimal()]


class _Line:
    """One line that belongs to somebody, between two readings."""

    __slots__ = ("at", "irq", "label", "owner", "prefix", "text", "vector")

    def __init__(self, at: int, irq: int, owner: str, prefix: str, label: str) -> None:
        self.at = at
        self.irq = irq
        self.owner = owner
        self.prefix = prefix
        self.label = label
        self.text = ""
        self.vector: IrqVector | None = None


class Interrupts:
    """/proc/interrupts from one reading to the next: 300 lines of 20 columns, of which a third matter and few change.

    Which lines matter is learnt once and holds while the header and the ends of all lines stay as they were; of the
    lines that matter only those whose text changed are taken apart.
    """

    __slots__ = ("_cpus", "_ends", "_header", "_lines", "_owners", "_vectors_by_owner")

    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._header = ""
        self._ends: list[str] = []
        self._cpus: list[int] = []
        self._lines: list[_Line] = []
        self._vectors_by_owner: dict[str, int] = {}

    def sample(self, text: str) -> IrqSample:
        lines = text.split("\n")
        ends = [line[-END:] for line in lines]
        if ends != self._ends or lines[0] != self._header or not self._update(lines):
            self._ends = ends
            self._learn(lines)
            self._update(lines)
        return IrqSample(dict(self._vectors_by_owner), [line.vector for line in self._lines if line.vector])

    def _update(self, lines: list[str]) -> bool:
        """Take apart what changed; False, with nothing promised, where a line is another vector's now."""
        for line in self._lines:
            text = lines[line.at]
            if text == line.text:
                continue
            if not text.startswith(line.prefix) or not text.rstrip().endswith(line.label):
                return False
            line.text, line.vector = text, self._parse(line, text)
        return True

    def _parse(self, line: _Line, text: str) -> IrqVector | None:
        fields = text[len(line.prefix) :].split(None, len(self._cpus))
        counted = [(cpu, int(n)) for cpu, n in zip(self._cpus, fields, strict=False) if n != "0" and n.isdecimal()]
        if not counted:
            return None
        cpus, counts = zip(*counted, strict=True)
        return IrqVector(line.irq, line.owner, line.label, list(cpus), list(counts))

    def _learn(self, lines: list[str]) -> None:
        self._header = lines[0]
        self._cpus = parse_cpus(lines[0])
        self._lines = []
        self._vectors_by_owner = {}
        for at, text in enumerate(lines):
            number, colon, rest = text.partition(":")
            fields = rest.split(None, len(self._cpus))
            if not colon or not number.strip().isdecimal() or len(fields) <= len(self._cpus):
                continue
            irq, tail = int(number), fields[-1].strip()
            label = tail.rpartition("  ")[2].strip()
            if owner := self._owners.of(irq, tail, label):
                self._lines.append(_Line(at, irq, owner, number + colon, label))
                self._vectors_by_owner[owner] = self._vectors_by_owner.get(owner, 0) + 1


def start(reader: Reader) -> Callable[[], IrqSample]:
    interrupts: Interrupts | None = None
    learnt_at = 0.0

    def sample() -> IrqSample:
        nonlocal interrupts, learnt_at
        if interrupts is None or reader.monotonic() - learnt_at > LEARN_S:
            interrupts, learnt_at = Interrupts(owners(reader)), reader.monotonic()
        return interrupts.sample(reader.text(INTERRUPTS))

    return sample


def start_info(reader: Reader) -> Callable[[], IrqInfoSample]:
    def sample() -> IrqInfoSample:
        vectors = Interrupts(owners(reader)).sample(reader.text(INTERRUPTS)).vectors
        return IrqInfoSample([found for vector in vectors if (found := _affinity(reader, vector))])

    return sample


def _affinity(reader: Reader, vector: IrqVector) -> IrqAffinity | None:
    at = f"/proc/irq/{vector.irq}/"
    try:
        allowed = reader.text(at + "smp_affinity_list")
    except OSError:
        return None
    try:
        effective = reader.text(at + "effective_affinity_list")
    except OSError:
        effective = ""
    return IrqAffinity(vector.irq, vector.owner, plain(allowed), plain(effective))


COLLECTORS = (
    Collector("irq", "fast", IrqSample, start),
    Collector("irq_info", "slow", IrqInfoSample, start_info),
)
