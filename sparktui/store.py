"""What is known now and was known lately: the latest view per target, short series, marks, and one version counter.

No IO, no Textual, no clock of its own: whoever puts something in says when it was.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from sparktui.contract import Finding, Node, NodeState, Rack, Switch, SwitchState, iso

SERIES_LENGTH = 600
"""Points kept per series: ten minutes at one per second."""

POLLS = "polls"
"""The series of a switch that tells when it was polled."""

Point = tuple[float, float | None]
View = TypeVar("View", Node, Switch)


class Series:
    """A value over the last minutes: (monotonic seconds here, value or None for a gap)."""

    __slots__ = ("points",)

    def __init__(self) -> None:
        self.points: deque[Point] = deque(maxlen=SERIES_LENGTH)

    def add(self, at: float, value: float | None) -> None:
        self.points.append((at, value))

    def values(self, last: int | None = None) -> list[float | None]:
        """The newest `last` values, oldest first (all without `last`)."""
        points = self.points if last is None or last >= len(self.points) else list(self.points)[-last:]
        return [value for _, value in points]

    def since(self, at: float) -> list[float]:
        """Known values taken at `at` or later."""
        found: list[float] = []
        for when, value in reversed(self.points):
            if when < at:
                break
            if value is not None:
                found.append(value)
        found.reverse()
        return found


@dataclass(slots=True)
class Target(Generic[View]):
    """One node or switch: its last view as it was when taken, its state now, and its recent past.

    `moved[(part, counter)]` = when that counter last grew (monotonic seconds here), e.g. ("enP7s7", "rx_mac_missed").
    """

    view: View
    taken_at: float | None = None
    series: dict[str, Series] = field(default_factory=dict)
    moved: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, name: str, at: float, value: float | None) -> None:
        series = self.series.get(name)
        if series is None:
            series = self.series[name] = Series()
        series.add(at, value)


class Store:
    """The one place that everybody reads: pollers put in, rules, panes and commands look."""

    def __init__(self, nodes: list[str], switches: list[str], interval_s: float = 1.0) -> None:
        self.version = 0
        self.changes = 0
        """Grows when a target goes into another state: that is shown at once, values at the pace of the samples."""
        self.interval_s = interval_s
        self.nodes = {name: Target(Node(state="connecting")) for name in nodes}
        self.switches = {name: Target(Switch(state="connecting")) for name in switches}
        self.findings: list[Finding] = []

    def put_node(self, name: str, view: Node, at: float) -> None:
        """A fresh sample of a node, taken (received) at `at`; its series and moved counters grow with it."""
        target = self.nodes[name]
        self.changes += view.state != target.view.state
        target.view, target.taken_at = view, at
        for gpu in view.gpus:
            key = f"gpu{gpu.index}."
            target.add(key + "sm_clock_mhz", at, gpu.sm_clock_mhz)
            target.add(key + "temperature_c", at, gpu.temperature_c)
            target.add(key + "power_w", at, gpu.power_w)
            target.add(key + "utilization_percent", at, gpu.utilization_percent)
            target.add(key + "sw_power_cap_percent", at, gpu.sw_power_cap_percent)
            for reason in gpu.event_reasons or ():
                target.add(f"{key}reason.{reason}", at, 1.0)
            target.add(f"{key}pstate.{gpu.pstate}", at, 1.0)
            target.add(key + "samples", at, 1.0)
        for nic_name, nic in view.nics.items():
            note_moved(target.moved, nic_name, nic.counters_per_s, at)
            if nic.rdma is not None:
                note_moved(target.moved, nic_name, nic.rdma.counters_per_s, at)
        fired = (line for irq in view.irqs.values() for line in irq.lines if any(line.per_s))
        target.moved.update((("irq", str(line.irq)), at) for line in fired)
        self.version += 1

    def put_switch(self, name: str, view: Switch, at: float) -> None:
        """A fresh view of a switch."""
        target = self.switches[name]
        self.changes += view.state != target.view.state
        target.view, target.taken_at = view, at
        target.add(POLLS, at, 1.0)
        for port_name, port in view.ports.items():
            note_moved(
                target.moved,
                port_name,
                {
                    "RxFCSError": port.rx_fcs_errors_per_s,
                    "RxDrop": port.rx_drops_per_s,
                    "TxDrop": port.tx_drops_per_s,
                    "RxPause": port.rx_pause_per_s,
                    "TxPause": port.tx_pause_per_s,
                    **port.counters_per_s,
                },
                at,
            )
        self.version += 1

    def set_node_state(self, name: str, state: NodeState, error: str | None = None) -> None:
        """Change only the state; the last picture stays, to be drawn dimmed with its age."""
        target = self.nodes[name]
        if (target.view.state, target.view.error) != (state, error):
            self.changes += state != target.view.state
            target.view = msgspec.structs.replace(target.view, state=state, error=error)
            self.version += 1

    def set_switch_state(self, name: str, state: SwitchState, error: str | None = None) -> None:
        target = self.switches[name]
        if (target.view.state, target.view.error) != (state, error):
            self.changes += state != target.view.state
            target.view = msgspec.structs.replace(target.view, state=state, error=error)
            self.version += 1

    def set_findings(self, findings: list[Finding]) -> None:
        if findings != self.findings:
            self.findings = findings
            self.version += 1

    def rack(self, now: float, wall: float) -> Rack:
        """Everything at this moment: `now` is the monotonic clock of `put_*`, `wall` seconds since the epoch."""
        return Rack(
            at=iso(wall),
            interval_s=self.interval_s,
            nodes={name: aged(target, now) for name, target in self.nodes.items()},
            switches={name: aged(target, now) for name, target in self.switches.items()},
            findings=self.findings,
        )


def aged(target: Target[View], now: float) -> View:
    """The target's view with its age at `now`."""
    if target.taken_at is None:
        return target.view
    return msgspec.structs.replace(target.view, age_s=round(max(0.0, now - target.taken_at), 3))


def note_moved(moved: dict[tuple[str, str], float], part: str, per_s: dict[str, float | None], at: float) -> None:
    """Remember which counters grew."""
    for counter, rate in per_s.items():
        if rate:
            moved[part, counter] = at
