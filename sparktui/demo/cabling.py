"""Which cable goes where in the simulated rack, and which frames pass on it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sparktui.demo.hardware import HALVES
from sparktui.demo.physics import chance, key, noise
from sparktui.demo.scenarios import NODES, Scenario
from sparktui.demo.traffic import FCS_OCTETS, Flow, Link

OPERATOR_PORT, STORAGE_PORT = "ether1", "sfp56-5"
RJ45_PORTS: Mapping[str, str] = {node: f"sfp56-{at}" for at, node in enumerate(NODES, 1)}
FABRIC_PORTS: Mapping[str, str] = dict(
    zip(NODES, ("qsfp56-dd-1-1", "qsfp56-dd-1-5", "qsfp56-dd-2-1", "qsfp56-dd-2-5"), strict=True)
)

HALF_BPS = 90.5e9
"""RoCE on one half during the job: 181 Gb/s a cable."""

ROCE_OCTETS = 14 + 20 + 8 + 12 + 4096 + 4
"""Ethernet, IPv4, UDP, BTH, a payload at RoCE's MTU of 4096, and its own checksum."""

IN_BPS, IN_OCTETS, OUT_BPS, OUT_OCTETS = 1.2e6, 600, 0.8e6, 450
BURST_SLOT_S, BURST_S = 12.0, 5.0
HISTORY_S = 270_000.0


@dataclass(slots=True)
class Ring:
    """What one node sends its ring neighbour on one half of its cable."""

    rdma: Flow
    eth: Flow


@dataclass(slots=True)
class Management:
    """What passes between one node's RJ45 and the hosts beyond the switch."""

    key: int
    to_node: Flow
    from_node: Flow
    bulk_in: Flow
    bulk_out: Flow


@dataclass(slots=True)
class Cabling:
    """All links. `fabric[node]` holds per half the link as RDMA and as the netdev uses it: one cable, two counts."""

    scenario: Scenario
    seed: int
    rj45: dict[str, Link] = field(default_factory=lambda: {node: Link() for node in NODES})
    fabric: dict[str, list[tuple[Link, Link]]] = field(
        default_factory=lambda: {node: [(Link(), Link()) for _ in HALVES] for node in NODES}
    )
    operator: Link = field(default_factory=Link)
    storage: Link = field(default_factory=Link)
    _management: dict[str, Management] = field(default_factory=dict)
    _rings: dict[str, list[Ring]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, node in enumerate(NODES):
            mine, after = self.rj45[node], self.fabric[NODES[(at + 1) % len(NODES)]]
            self._management[node] = Management(
                key(self.seed, node, "management"),
                Flow(self.operator, mine),
                Flow(mine, self.operator),
                Flow(self.storage, mine),
                Flow(mine, self.storage),
            )
            self._rings[node] = [
                Ring(Flow(out[0], into[0]), Flow(out[1], into[1]))
                for out, into in zip(self.fabric[node], after, strict=True)
            ]
        for node in NODES:
            self._live_through(node, HISTORY_S * (1 + 0.2 * chance(key(self.seed, node, "history"), 0)))

    def _live_through(self, node: str, seconds: float) -> None:
        """Counts as after some days of light use, so that nothing begins at zero."""
        light = self._management[node]
        light.to_node.send(seconds * IN_BPS / 8 / IN_OCTETS, IN_OCTETS)
        light.from_node.send(seconds * OUT_BPS / 8 / OUT_OCTETS, OUT_OCTETS)
        for ring in self._rings[node]:
            ring.rdma.send(seconds * 0.04 * HALF_BPS / 8 / ROCE_OCTETS, ROCE_OCTETS)
            ring.eth.send(seconds * 0.5, 110)

    def ports(self) -> dict[str, list[Link]]:
        """The links that end in each switch port."""
        return {
            OPERATOR_PORT: [self.operator],
            STORAGE_PORT: [self.storage],
            **{RJ45_PORTS[node]: [link] for node, link in self.rj45.items()},
            **{FABRIC_PORTS[node]: [link for half in halves for link in half] for node, halves in self.fabric.items()},
        }

    def step(self, t: float, dt: float, answering: Collection[str], job: bool) -> None:
        """Pass the frames of the `dt` seconds up to `t`. A node that does not answer sends and gets none."""
        for at, node in enumerate(NODES):
            if node not in answering:
                continue
            self._manage(node, t, dt)
            if NODES[(at + 1) % len(NODES)] in answering:
                self._collect(node, t, dt, job)

    def _collect(self, node: str, t: float, dt: float, job: bool) -> None:
        pace = HALF_BPS * (1 + 0.003 * noise(key(self.seed, "fabric"), t)) if job else 0.0
        for ring in self._rings[node]:
            ring.rdma.send(dt * pace / 8 / ROCE_OCTETS, ROCE_OCTETS)
            ring.eth.send(dt * (2.0 if job else 0.5), 110)

    def _manage(self, node: str, t: float, dt: float) -> None:
        flows, scenario = self._management[node], self.scenario
        bad = scenario.bad_cable
        up = down = 0.0
        if bad is not None and bad.node == node and t > bad.after_s:
            up, down = bad.to_switch, bad.to_node
        sway = 1 + 0.15 * noise(flows.key, t)
        flows.to_node.send(dt * sway * IN_BPS / 8 / IN_OCTETS, IN_OCTETS, broken_out=down)
        flows.from_node.send(dt * sway * OUT_BPS / 8 / OUT_OCTETS, OUT_OCTETS, broken_in=up)
        burst = burst_bps(flows.key, t)
        flows.to_node.send(dt * burst / 8 / 1514, 1514, broken_out=down)
        flows.from_node.send(dt * burst / 16 / 1514, 66, broken_in=up)
        bulk = scenario.bulk
        if bulk is not None and bulk.node == node:
            pace = dt * (1 + 0.04 * noise(flows.key + 1, t)) / 8 / (bulk.octets + FCS_OCTETS)
            flows.bulk_in.send(pace * bulk.to_node_bps, bulk.octets, broken_out=down)
            flows.bulk_out.send(pace * bulk.from_node_bps, bulk.octets, broken_in=up)
        else:
            flows.bulk_in.send(dt * 4.0, 90, broken_out=down)
            flows.bulk_out.send(dt * 4.0, 90, broken_in=up)


def burst_bps(flow: int, t: float) -> float:
    """A file copied to the node now and then, by the operator."""
    slot = math.floor(t / BURST_SLOT_S)
    if t - slot * BURST_SLOT_S > BURST_S or chance(flow, slot) > 0.25:
        return 0.0
    return 8e6 + 30e6 * chance(flow + 1, slot)
