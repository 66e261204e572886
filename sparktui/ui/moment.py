"""Moments taken out of the flow: a frozen picture for the pause key, and the totals for the mark key."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace

from sparktui.contract import Node, Switch
from sparktui.panes.base import Mark
from sparktui.store import Series, Store, Target, View

Totals = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Moment:
    """What is drawn from: a store at `now` (monotonic seconds) and `wall` (seconds since the epoch)."""

    store: Store
    now: float
    wall: float


def freeze(moment: Moment) -> Moment:
    """The same moment, with a store that does not change any more while the real one goes on.

    Views are immutable, so the series and what counters moved are all that has to be copied.
    """
    still = copy.copy(moment.store)
    still.nodes = {name: frozen(target) for name, target in moment.store.nodes.items()}
    still.switches = {name: frozen(target) for name, target in moment.store.switches.items()}
    return replace(moment, store=still)


def frozen(target: Target[View]) -> Target[View]:
    series = {name: copied(one) for name, one in target.series.items()}
    return replace(target, series=series, moved=dict(target.moved))


def copied(series: Series) -> Series:
    copy_of = Series()
    copy_of.points = series.points.copy()
    return copy_of


def clock_text(wall: float) -> str:
    """The wall time as this machine's clock shows it, 22:10:03."""
    return time.strftime("%H:%M:%S", time.localtime(wall))


def mark(moment: Moment) -> Mark:
    """Every cumulative counter of every target as it is at this moment."""
    totals: dict[str, Totals] = {name: node_totals(target.view) for name, target in moment.store.nodes.items()}
    totals |= {name: switch_totals(target.view) for name, target in moment.store.switches.items()}
    return Mark(moment.now, clock_text(moment.wall), totals)


def node_totals(node: Node) -> Totals:
    """NIC and RDMA counters by netdev; the node's own under "softnet", "tcp", "udp" and "irq" (by vector)."""
    totals: Totals = {}
    for name, nic in node.nics.items():
        counters = dict(nic.counters_total)
        if nic.rdma is not None:
            counters |= nic.rdma.counters_total
        totals |= {(name, counter): total for counter, total in counters.items()}
        totals |= known(name, rx_missed=nic.rx_missed_total, rx_errors=nic.rx_errors_total)
    if node.tcp is not None:
        totals |= {("tcp", counter): total for counter, total in node.tcp.counters_total.items()}
    if node.udp is not None:
        totals |= {("udp", counter): total for counter, total in node.udp.counters_total.items()}
    if node.softnet is not None:
        totals |= known("softnet", dropped=node.softnet.dropped_total)
    totals |= {("irq", str(line.irq)): line.total for irq in node.irqs.values() for line in irq.lines}
    return totals


def switch_totals(switch: Switch) -> Totals:
    """Port counters by the names that `Target.moved` uses."""
    totals: Totals = {}
    for name, port in switch.ports.items():
        totals |= {(name, counter): total for counter, total in port.counters_total.items()}
        totals |= known(
            name, RxFCSError=port.rx_fcs_errors_total, RxDrop=port.rx_drops_total, TxDrop=port.tx_drops_total
        )
    return totals


def known(part: str, **counters: int | None) -> Totals:
    return {(part, counter): total for counter, total in counters.items() if total is not None}
