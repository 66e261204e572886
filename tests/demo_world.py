"""A simulated rack looked at as the monitor looks at a real one, in simulated time and without a connection."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

import sparktui.collectors
from sparktui.collectors.base import Collector
from sparktui.config import NodeConfig, SwitchConfig
from sparktui.contract import Finding, Node, Switch
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import NODES, SWITCH
from sparktui.derive import NodeDeriver
from sparktui.switch.attached import ports_of
from sparktui.switch.derive import SwitchDeriver
from sparktui.switch.getter import TableGetter
from sparktui.switch.learnt import owners_of
from sparktui.switch.plan import SwitchReader
from sparktui.switch.values import Oid, Plain
from sparktui.verdicts import registry
from sparktui.verdicts.base import Moment
from sparktui.verdicts.engine import Engine

SLOW_S, POLL_S = 30.0, 5.0
STALE_S, UNREACHABLE_S = 3.0, 6.0


def collectors() -> list[Collector]:
    """Every collector there is, as the probe finds them."""
    package = sparktui.collectors
    names = [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__)]
    return [one for name in names for one in getattr(importlib.import_module(name), "COLLECTORS", ())]


class Probe:
    """What the probe does on one node: all collectors, each in its tier."""

    def __init__(self, rack: DemoRack, node: str) -> None:
        self.reader = rack.reader(node)
        self._samplers = [(one, one.start(self.reader)) for one in collectors()]
        self._slow_due: float | None = None

    def tick(self, now: float) -> tuple[dict[str, Any], dict[str, str]]:
        """One tick: samples and errors by collector. As in the real probe the first has only what is fast."""
        samples: dict[str, Any] = {}
        errors: dict[str, str] = {}
        first, slow = self._slow_due is None, self._slow_due is not None and now >= self._slow_due
        if first or slow:
            self._slow_due = now if first else now + SLOW_S
        for collector, sample in self._samplers:
            if slow or (collector.tier == "fast" and not (first and collector.own_thread)):
                try:
                    samples[collector.name] = sample()
                except Exception as error:
                    errors[collector.name] = repr(error)
        return samples, errors


@dataclass
class Watched:
    """One node as the client follows it."""

    deriver: NodeDeriver
    probe: Probe
    view: Node
    heard_at: float = 0.0


class World:
    """The whole way: text, collectors, views, switch, rules. `errors` gathers every collector's error."""

    def __init__(self, rack: DemoRack) -> None:
        self.rack = rack
        expected_absent = [] if rack.scenario.psu2_fails_s is not None else ["psu2"]
        config = SwitchConfig(host="switch", expected_absent=expected_absent)
        self.nodes = {name: self._watch(name) for name in NODES}
        self.switch = Switch(state="connecting")
        self.errors: list[str] = []
        self.engine = Engine(registry.rules())
        self.raised: dict[tuple[str, str], float] = {}
        self._plain: tuple[Mapping[Oid, Any], dict[Oid, Plain]] = ({}, {})
        self._reader = SwitchReader(TableGetter(self._table), config, lambda: rack.now)
        self._switch = SwitchDeriver(config, NODES)
        self._poll_due = 0.5

    def _watch(self, name: str) -> Watched:
        deriver = NodeDeriver(NodeConfig(name=name, gpu_clock_cap_mhz=2400), self._port_of)
        return Watched(deriver, Probe(self.rack, name), Node(state="connecting"))

    def _port_of(self, node: str, nic: str) -> tuple[str, str] | None:
        return ports_of({SWITCH: self.switch}).get((node, nic))

    def _table(self) -> dict[Oid, Plain]:
        table = self.rack.switch_table()
        if table is not self._plain[0]:
            self._plain = table, {oid: value.plain for oid, value in table.items()}
        return self._plain[1]

    def run(self, seconds: float, look: Callable[[World], None] | None = None) -> None:
        """Pass time, with a tick every second."""
        for _ in range(round(seconds)):
            self.rack.step(1.0)
            for name in NODES:
                self._tick(name)
            if self.rack.now >= self._poll_due:
                self._poll_due += POLL_S
                self.switch = self._switch.view(asyncio.run(self._reader.read()), owners_of(self.views))
            self._judge()
            if look is not None:
                look(self)

    @property
    def views(self) -> dict[str, Node]:
        return {name: watched.view for name, watched in self.nodes.items()}

    def _tick(self, name: str) -> None:
        watched, now = self.nodes[name], self.rack.now
        if self.rack.nodes[name].silent:
            silent_s = now - watched.heard_at
            state = "unreachable" if silent_s > UNREACHABLE_S else "stale" if silent_s > STALE_S else "live"
            watched.view = replace(watched.view, state=state)
            return
        reader = watched.probe.reader
        boot_id = reader.text("/proc/sys/kernel/random/boot_id").strip()
        if watched.view.boot_id not in (None, boot_id):
            watched.probe = Probe(self.rack, name)
        watched.deriver.start(boot_id)
        samples, errors = watched.probe.tick(now)
        self.errors += [f"{name} {collector}: {error}" for collector, error in errors.items()]
        watched.view = watched.deriver.update(Line(samples), errors, reader.monotonic())
        watched.heard_at = now

    def _judge(self) -> None:
        moment = Moment(self.rack.now, self.views, {SWITCH: self.switch}, tuple(reversed(NODES)))
        for finding in self.engine.update(moment, 1.79e9 + self.rack.now):
            if finding.severity != "info" or finding.rule == "node.rebooted":
                self.raised.setdefault((finding.rule, finding.target), self.rack.now)

    def findings(self) -> list[Finding]:
        return self.engine.open


class Line(SimpleNamespace):
    """One line of the probe: an attribute per collector, None where it had nothing."""

    def __init__(self, samples: Mapping[str, Any]) -> None:
        super().__init__(**{one: samples.get(one) for one in NAMES})


NAMES = tuple(one.name for one in collectors())
