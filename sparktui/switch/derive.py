"""Readings of a switch to its view: rates between polls, and what hangs on each port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sparktui.config import SwitchConfig
from sparktui.contract import Port, Switch
from sparktui.rates import bits
from sparktui.switch.attached import Attached, attach
from sparktui.switch.counters import PortCounters, take
from sparktui.switch.learnt import LearntPorts, Owner
from sparktui.switch.plan import ERRORS_S
from sparktui.switch.ports import Interface
from sparktui.switch.reading import Reading

OWN_FIELDS: Final = ("RxFCSError", "RxDrop", "TxDrop", "RxPause", "TxPause")
"""Counters that a Port has fields for; the rates of all others are in its `counters_per_s`."""


class SwitchDeriver:
    """Keeps what one switch's view needs from poll to poll. `nodes` are the configured names, for port comments."""

    def __init__(self, config: SwitchConfig, nodes: Sequence[str] = ()) -> None:
        self._config = config
        self._nodes = nodes
        self._counters: dict[str, PortCounters] = {}
        self._learnt = LearntPorts()
        self._epoch: int | None = None

    def view(self, reading: Reading, owners: Mapping[str, Owner]) -> Switch:
        """The view after one poll; `owners` is MAC -> NIC as the nodes say it now."""
        self._count(reading)
        if reading.neighbours is not None:
            names = {port.index: name for name, port in reading.ports.items()}
            self._learnt.learn(reading.neighbours, names, owners)
        attached, notes = attach(
            reading.ports,
            self._config.ports,
            self._learnt,
            reading.neighbours,
            owners,
            self._nodes,
            reading.at,
        )
        return Switch(
            state="live",
            model=reading.system.model,
            version=reading.system.version,
            uptime_s=reading.uptime_s,
            health=reading.health,
            ports={name: self._port(port, attached[name], reading) for name, port in reading.ports.items()},
            cpu_load_percent=reading.load_percent,
            notes=[*reading.notes, *notes],
        )

    def _count(self, reading: Reading) -> None:
        """Take the counters of this poll. A restart of the switch begins every counter anew."""
        if reading.epoch != self._epoch:
            self._counters.clear()
            self._epoch = reading.epoch
        for name, port in reading.ports.items():
            counters = self._counters.setdefault(name, PortCounters(self._config.poll_s))
            counters.belongs_to(port.index)
            errors = reading.errors.get(name)
            if name not in reading.traffic:
                counters.traffic.reset()
            if errors is not None:
                counters.update_errors(errors.raw, errors.at)
        take({name: self._counters[name].traffic for name in reading.traffic}, reading.traffic)

    def _port(self, port: Interface, attached: Attached, reading: Reading) -> Port:
        counters = self._counters[port.name]
        traffic, totals = counters.traffic.per_s, counters.totals
        fresh = port.oper == "up" and reading.at - counters.errors_at <= max(3 * ERRORS_S, 2 * self._config.poll_s)
        rates = counters.per_s if fresh else dict.fromkeys(counters.per_s)
        in_drops, out_drops = _drops(rates)
        return Port(
            oper=port.oper,
            speed_mbps=port.speed_mbps,
            alias=port.alias,
            rx_bps=bits(traffic.get("ifHCInOctets")),
            tx_bps=bits(traffic.get("ifHCOutOctets")),
            rx_fcs_errors_per_s=rates.get("RxFCSError"),
            rx_drops_per_s=rates.get(in_drops),
            tx_drops_per_s=rates.get(out_drops),
            rx_pause_per_s=rates.get("RxPause"),
            tx_pause_per_s=rates.get("TxPause"),
            node=attached.node,
            nics=list(attached.nics),
            learnt_age_s=attached.age_s,
            cage=port.cage,
            admin=port.admin,
            rx_packets_per_s=traffic.get("ifHCInUcastPkts"),
            tx_packets_per_s=traffic.get("ifHCOutUcastPkts"),
            rx_fcs_errors_total=totals.get("RxFCSError"),
            rx_drops_total=totals.get(in_drops),
            tx_drops_total=totals.get(out_drops),
            counters_per_s={name: rate for name, rate in rates.items() if name not in OWN_FIELDS},
            counters_total=dict(totals),
            optic=reading.optics.get(port.name) if port.oper == "up" else None,
            neighbour=attached.neighbour,
        )


def _drops(rates: Mapping[str, float | None]) -> tuple[str, str]:
    """The counters of dropped frames: the statistics table's, else IF-MIB's. Never added: they may count the same."""
    return ("RxDrop", "TxDrop") if "RxDrop" in rates else ("ifInDiscards", "ifOutDiscards")
