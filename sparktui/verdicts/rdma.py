"""RDMA frames lost or sent again: counters that stand still on a healthy fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from sparktui.collectors.nic_counters import RDMA_ERRORS
from sparktui.contract import Rdma
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.cables import nics
from sparktui.verdicts.stats import Growth, Watch

SHOWN = 3
"""Counters named in the text, the most moved first."""


def make(limits: Mapping[str, float]) -> Evaluate:
    watch = Watch(limits["window_s"])

    def evaluate(moment: Moment) -> list[Candidate]:
        ports = {
            (node, nic.rdma.device, view.boot_id): nic.rdma
            for node, view, _, nic in nics(moment.live_nodes())
            if nic.rdma is not None
        }
        things: dict[Hashable, tuple[object, Mapping[str, int]]] = {
            key: (port, alarming(port)) for key, port in ports.items()
        }
        growths = watch.look(moment.now, things)
        grown: dict[str, dict[str, dict[str, int]]] = {}
        for key, port in ports.items():
            if counters := _grown(port, growths[key], limits):
                grown.setdefault(key[0], {})[key[1]] = counters
        return [_candidate(node, devices, limits["window_s"]) for node, devices in grown.items()]

    return evaluate


def alarming(port: Rdma) -> dict[str, int]:
    """Its counters of loss. Congestion (CNP, ECN) is no error, and cqe_flush_error rises whenever a job ends."""
    return {name: total for name, total in port.counters_total.items() if name in RDMA_ERRORS}


def _grown(port: Rdma, growth: Growth, limits: Mapping[str, float]) -> dict[str, int]:
    grown = {name: by for name in alarming(port) if (by := growth.by(name))}
    active = max((growth.active_s(name) for name in grown), default=0.0)
    return grown if sum(grown.values()) >= limits["errors"] and active >= limits["active_s"] else {}


def _candidate(node: str, devices: Mapping[str, Mapping[str, int]], window_s: float) -> Candidate:
    """One per node: a frame lost on the way shows on several devices at once."""
    total: Counter[str] = Counter()
    for counters in devices.values():
        total.update(counters)
    moved = ", ".join(f"{name} {by:,}" for name, by in total.most_common(SHOWN))
    return Candidate(
        node,
        "",
        f"RDMA loses or repeats frames on {', '.join(sorted(devices))}: {moved} in the last {window_s:.0f} s",
        {"devices": {device: dict(counters) for device, counters in devices.items()}, "window_s": window_s},
        "Look at line errors, drops and pause at both ends; MTU and flow control must be the same along the path.",
    )


RULES = (
    Rule(
        id="rdma.errors",
        severity="warn",
        why="RoCE repeats all that followed a lost frame: a few losses cost more bandwidth than their number says.",
        make=make,
        thresholds={"window_s": 60.0, "errors": 10.0, "active_s": 2.0},
        raise_after_s=0.0,
    ),
)
