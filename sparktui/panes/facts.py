"""What the panes show of a node, worked out of its view: one figure per node, cable or NIC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sparktui.contract import Finding, Irq, Nic, Node, Plane, Rack, Severity, Switch, summed
from sparktui.store import Series, Store

LOADED_PERCENT = 50
"""A GPU this busy is under load: only loaded nodes are peers of loaded nodes."""

QUIET_IRQS_PER_S = 200.0
"""Below this an interrupt's place does not matter: one CPU takes it with ease."""

EVEN_SHARE = 0.6
"""A CPU that takes more of a NIC's interrupts than this carries them alone."""

PLANES: tuple[Plane, ...] = ("management", "fabric", "other")
SEVERITIES: tuple[Severity, ...] = ("fail", "warn", "info")


@dataclass(frozen=True, slots=True)
class GpuFigures:
    """All GPUs of a node as one: mean load, lowest clock, highest temperature, summed power, first one's P-state."""

    count: int
    utilization_percent: float | None
    sm_clock_mhz: int | None
    max_sm_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    pstate: str | None


@dataclass(frozen=True, slots=True)
class Cable:
    """One cable of a node: a NIC, or the two halves of a ConnectX cage. `name` is the cage, else the netdev."""

    node: str
    name: str
    plane: Plane
    halves: tuple[tuple[str, Nic], ...]

    @property
    def parts(self) -> set[str]:
        """What a finding may call it: the cage, or either netdev."""
        return {self.name, *(name for name, _ in self.halves)}

    @property
    def lit(self) -> bool:
        return any(nic.operstate == "up" for _, nic in self.halves)

    @property
    def speed_mbps(self) -> int | None:
        """The cable's speed: that of either half, never their sum."""
        return max((nic.speed_mbps for _, nic in self.halves if nic.speed_mbps), default=None)

    @property
    def rx_bps(self) -> float | None:
        """What the halves carry together, RDMA included: each function counts only its own bytes."""
        plain = [nic.rx_bps for _, nic in self.halves]
        return summed([*plain, *(nic.rdma.rx_bps for _, nic in self.halves if nic.rdma)])

    @property
    def tx_bps(self) -> float | None:
        plain = [nic.tx_bps for _, nic in self.halves]
        return summed([*plain, *(nic.rdma.tx_bps for _, nic in self.halves if nic.rdma)])

    @property
    def missed_per_s(self) -> float | None:
        """The larger of the halves': counters of the physical port are the same on both."""
        return largest(nic.rx_missed_per_s for _, nic in self.halves)

    @property
    def errors_per_s(self) -> float | None:
        return largest(nic.rx_errors_per_s for _, nic in self.halves)

    @property
    def far_end(self) -> tuple[str, str] | None:
        """(switch, port) at the other end, where one is known."""
        return next(((nic.switch, nic.switch_port) for _, nic in self.halves if nic.switch and nic.switch_port), None)


def series_of(store: Store, name: str, key: str) -> Series:
    """What is kept of a node's last minutes under this name; empty where that is nothing."""
    target = store.nodes.get(name)
    return (target.series.get(key) if target else None) or Series()


def largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def gpu_figures(node: Node) -> GpuFigures | None:
    """None where the node has no GPU, or none was read yet."""
    gpus = node.gpus
    if not gpus:
        return None
    loads = [gpu.utilization_percent for gpu in gpus if gpu.utilization_percent is not None]
    return GpuFigures(
        count=len(gpus),
        utilization_percent=sum(loads) / len(loads) if loads else None,
        sm_clock_mhz=min((gpu.sm_clock_mhz for gpu in gpus if gpu.sm_clock_mhz is not None), default=None),
        max_sm_clock_mhz=max((gpu.max_sm_clock_mhz for gpu in gpus if gpu.max_sm_clock_mhz is not None), default=None),
        temperature_c=max((gpu.temperature_c for gpu in gpus if gpu.temperature_c is not None), default=None),
        power_w=summed(gpu.power_w for gpu in gpus),
        pstate=gpus[0].pstate,
    )


def memory_use(node: Node) -> tuple[float | None, float | None]:
    """Bytes used and there: the GPUs' own memory where they have any, else the host's, which a GB10 shares."""
    total = summed(gpu.memory_total_bytes for gpu in node.gpus)
    if total is not None:
        return summed(gpu.memory_used_bytes for gpu in node.gpus), total
    return host_memory(node)


def host_memory(node: Node) -> tuple[float | None, float | None]:
    if node.memory is None:
        return None, None
    return node.memory.total_bytes - node.memory.available_bytes, node.memory.total_bytes


def cpu_busy(node: Node) -> float | None:
    """Mean over all CPUs in percent."""
    known = [busy for busy in node.cpus.busy_percent if busy is not None] if node.cpus else []
    return sum(known) / len(known) if known else None


def cables(name: str, node: Node) -> list[Cable]:
    """The node's cables, management first; the two halves of a cage are one."""
    found: list[Cable] = []
    taken: set[str] = set()
    for nic_name, nic in node.nics.items():
        if nic_name in taken:
            continue
        twin = node.nics.get(nic.twin) if nic.twin else None
        halves = [(nic_name, nic)]
        if nic.twin and twin is not None and nic.twin not in taken:
            halves.append((nic.twin, twin))
        taken.update(half for half, _ in halves)
        found.append(Cable(name, nic.cage if nic.cage and twin else nic_name, nic.plane, tuple(halves)))
    return sorted(found, key=lambda cable: PLANES.index(cable.plane))


def plane_rates(found: Iterable[Cable], plane: Plane) -> tuple[float | None, float | None]:
    """Bits per second received and sent over the lit cables of a plane."""
    lit = [cable for cable in found if cable.plane == plane and cable.lit]
    return summed(cable.rx_bps for cable in lit), summed(cable.tx_bps for cable in lit)


def management_nic(node: Node) -> str | None:
    """The management NIC whose interrupts are known, a lit one first."""
    names = [name for name, nic in node.nics.items() if nic.plane == "management" and name in node.irqs]
    return min(names, key=lambda name: node.nics[name].operstate != "up", default=None)


def busiest_cpu(irq: Irq) -> tuple[int, float, float] | None:
    """(CPU, its share 0..1, interrupts per second in all), None while nothing fires or no rate is known."""
    rates = {int(cpu): rate for cpu, rate in irq.per_s_by_cpu.items() if rate and cpu.isdigit()}
    if not rates:
        return None
    total = sum(rates.values())
    cpu = max(rates, key=lambda number: rates[number])
    return cpu, rates[cpu] / total, total


def core_class(node: Node, cpu: int) -> str | None:
    if node.cpus is None:
        return None
    return next((name for name, members in node.cpus.classes.items() if cpu in members), None)


@dataclass(frozen=True, slots=True)
class Peers:
    """The nodes that can be compared now: the loaded ones, or all if none is loaded. No median below three."""

    figures: Mapping[str, GpuFigures]
    loaded: bool

    def median(self, values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return median(known) if len(known) >= 3 else None


def peers(rack: Rack) -> Peers:
    """Live nodes with a GPU."""
    live = {name: gpu_figures(node) for name, node in rack.nodes.items() if node.state == "live"}
    known = {name: figures for name, figures in live.items() if figures is not None}
    loaded = {name: one for name, one in known.items() if (one.utilization_percent or 0) >= LOADED_PERCENT}
    return Peers(loaded or known, bool(loaded))


def open_findings(rack: Rack) -> list[Finding]:
    """Findings that have not ended, the worst first, then the oldest."""
    found = [finding for finding in rack.findings if finding.until is None]
    return sorted(found, key=lambda finding: (SEVERITIES.index(finding.severity), finding.since, finding.target))


def has_rates(target: Node | Switch) -> bool:
    """Whether two samples were compared: before that a missing figure is one that is not known yet."""
    if isinstance(target, Switch):
        return any(port.rx_bps is not None for port in target.ports.values())
    return cpu_busy(target) is not None or any(nic.rx_bps is not None for nic in target.nics.values())


def awaited(rack: Rack) -> bool:
    """Whether some target has not shown yet how it is: nothing can be called good before."""
    targets: list[Node | Switch] = [*rack.nodes.values(), *rack.switches.values()]
    if any(one.state == "connecting" and one.age_s is None for one in targets):
        return True
    return any(node.state == "live" and not has_rates(node) for node in rack.nodes.values())


def worst_of(rack: Rack) -> dict[str, Severity]:
    """The worst open finding's severity, per target."""
    found: dict[str, Severity] = {}
    for finding in reversed(open_findings(rack)):
        found[finding.target] = finding.severity
    return found


def part_of(finding: Finding) -> str:
    """What of the target a finding is about ("gpu0", a NIC, a port), "" where its evidence does not say."""
    for key in ("part", "gpu", "nic", "netdev", "port", "device"):
        value = finding.evidence.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def findings_on(rack: Rack, target: str, *parts: str) -> list[Finding]:
    """A target's open findings; with `parts` only those about one of them."""
    return [one for one in open_findings(rack) if one.target == target and (not parts or part_of(one) in parts)]


def has_finding(rack: Rack, rule: str, target: str) -> bool:
    """Whether this rule has an open finding on this target."""
    return any(one.rule == rule for one in findings_on(rack, target))


def seconds_between(earlier: str, later: str) -> float | None:
    """Between two ISO 8601 times; None where one cannot be read."""
    try:
        return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
    except (ValueError, TypeError):
        return None


def clock_time(iso: str, seconds_ago: float) -> str:
    """The local time of day, as in the top line, `seconds_ago` before an ISO 8601 time; "n/a" where that is none."""
    try:
        return datetime.fromtimestamp(datetime.fromisoformat(iso).timestamp() - seconds_ago).strftime("%H:%M:%S")
    except (ValueError, TypeError, OverflowError):
        return "n/a"


def matches(text: str, *words: str | None) -> bool:
    """Whether a row with these words passes the filter."""
    return not text or any(text in word.lower() for word in words if word)
