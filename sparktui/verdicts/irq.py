"""All receive interrupts of a busy NIC on one CPU: the single queue of a stock driver, or an affinity never set."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sparktui.contract import Irq, Nic, Node
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.cables import nics
from sparktui.verdicts.stats import number

R8127_RX_VECTORS = 8
"""An r8127 numbers its vectors: receive queue i = vector i, below this; transmit and link change are above."""


def make(limits: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        found: list[Candidate] = []
        for name, node, netdev, nic in nics(moment.live_nodes()):
            irq = node.irqs.get(netdev)
            if irq is None or (nic.rx_packets_per_s or 0.0) < limits["packets_per_s"] or carries_rdma(nic):
                continue
            candidate = _judge(name, node, netdev, nic, irq, limits)
            if candidate is not None:
                found.append(candidate)
        return found

    return evaluate


def carries_rdma(nic: Nic) -> bool:
    """RDMA data never interrupts a CPU per frame, so the fabric's interrupts say nothing about its load."""
    return nic.plane == "fabric" and nic.rdma is not None


def rx_vectors(netdev: str, nic: Nic, irq: Irq) -> list[dict[int, float]]:
    """Interrupts per second by CPU of every receive vector that fires."""
    vectors = []
    for line in irq.lines:
        vector = re.fullmatch(re.escape(netdev) + r"-(\d{1,3})", line.label)
        if nic.driver == "r8127" and vector and int(vector[1]) >= R8127_RX_VECTORS:
            continue
        firing = {cpu: rate for cpu, rate in zip(line.cpus, line.per_s, strict=False) if rate}
        if firing:
            vectors.append(firing)
    return vectors


def _judge(name: str, node: Node, netdev: str, nic: Nic, irq: Irq, limits: Mapping[str, float]) -> Candidate | None:
    """One flow fills one queue of many, rightly: with several queues, several must meet on a CPU that is busy."""
    vectors = rx_vectors(netdev, nic, irq)
    by_cpu: dict[int, float] = {}
    for vector in vectors:
        for cpu, rate in vector.items():
            by_cpu[cpu] = by_cpu.get(cpu, 0.0) + rate
    total = sum(by_cpu.values())
    if not by_cpu or total < limits["interrupts_per_s"]:
        return None
    cpu = max(by_cpu, key=lambda one: by_cpu[one])
    share, busy = by_cpu[cpu] / total, busy_percent(node, cpu)
    one_queue = nic.rx_queues == 1
    crowded = len(vectors) > 1 and busy is not None and busy >= limits["busy_percent"]
    if 100.0 * share < limits["share_percent"] or not (one_queue or crowded):
        return None
    kind = core_class(node, cpu)
    evidence = {
        "nic": netdev,
        "cpu": cpu,
        "cpu_class": kind,
        "share": round(share, 3),
        "interrupts_per_s": round(total, 1),
        "rx_packets_per_s": nic.rx_packets_per_s,
        "rx_queues": nic.rx_queues,
        "vectors": len(vectors),
        "cpu_busy_percent": busy,
        "affinity": irq.affinity,
    }
    amount = "all" if share > 0.995 else f"{100.0 * share:.0f} % of the"
    why = "one queue" if one_queue else f"{len(vectors)} queues on one CPU, {busy:.0f} % busy"
    text = (
        f"{amount} receive interrupts of {netdev} on CPU {cpu}{f' ({kind})' if kind else ''}: {why}"
        f" ({number(nic.rx_packets_per_s or 0.0)} frames/s)"
    )
    return Candidate(name, netdev, text, evidence, _remedy(nic))


def busy_percent(node: Node, cpu: int) -> float | None:
    if node.cpus is None:
        return None
    return dict(zip(node.cpus.numbers, node.cpus.busy_percent, strict=False)).get(cpu)


def core_class(node: Node, cpu: int) -> str | None:
    classes = node.cpus.classes if node.cpus is not None else {}
    return next((name for name, members in classes.items() if cpu in members), None)


def _remedy(nic: Nic) -> str:
    if nic.rx_queues != 1:
        return "Spread the queues' smp_affinity_list over several big cores."
    if nic.driver == "r8127":
        return "r8127 11.016.00-NAPI-RSS has 8 receive queues; until then move the interrupt to an X925 core."
    return "A driver with several receive queues; until then move the interrupt to a fast, idle core."


RULES = (
    Rule(
        id="irq.rx_one_cpu",
        severity="warn",
        why="One CPU takes every frame of the NIC: what it cannot take in time is lost at the receive side.",
        make=make,
        thresholds={
            "packets_per_s": 50_000.0,
            "interrupts_per_s": 200.0,
            "share_percent": 90.0,
            "busy_percent": 70.0,
        },
    ),
)
