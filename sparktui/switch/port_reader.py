"""Reads the ports of a switch: which there are, their state and traffic, their error counters, their modules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from sparktui.contract import Optic
from sparktui.switch import oids
from sparktui.switch.getter import Asker
from sparktui.switch.optics import decode_optic
from sparktui.switch.ports import INTERFACE_COLUMNS, Interface, decode_interfaces, is_shown, speed, status
from sparktui.switch.reading import Counted
from sparktui.switch.system import Uptime
from sparktui.switch.values import Oid, Plain, column, number, text

Row = tuple[Interface, list[Oid]]


class PortReader:
    """Asks for nothing but ports that are shown, and for the counters of those only that are up and wanted.

    Counters of one port travel in one request, so that they are of one moment; that moment is when the answer came.
    `epoch` counts the restarts of the switch, `uptime_s` is how long it runs, where it says so.
    """

    def __init__(self, ask: Asker, named: Collection[str], clock: Callable[[], float]) -> None:
        self.wanted: Collection[str] | None = None
        self.epoch = 0
        self.uptime_s: float | None = None
        self._ask = ask
        self._named = named
        self._clock = clock
        self._uptime = Uptime()
        self._if_number: int | None = None
        self._interfaces: dict[str, Interface] = {}
        self._seen_up: set[str] = set()

    def shown(self) -> dict[str, Interface]:
        return {name: port for name, port in self._interfaces.items() if is_shown(port, self._named, self._seen_up)}

    def _watched(self) -> list[Interface]:
        return [
            port
            for name, port in self.shown().items()
            if port.oper == "up" and (self.wanted is None or name in self.wanted)
        ]

    async def read_table(self) -> None:
        """The interface table: names, comments, states. Where there are no ifNames, ifDescr is asked."""
        table = await self._ask.walk(INTERFACE_COLUMNS)
        if not column(table, oids.IF_NAME):
            table |= await self._ask.walk((oids.IF_DESCR,))
        self._interfaces = decode_interfaces(table)
        self._seen_up |= {name for name, port in self._interfaces.items() if port.oper == "up"}

    async def read_traffic(self) -> dict[str, Counted] | None:
        """State of every shown port and traffic of the watched ones; None where the interface table is out of date.

        Each watched port's name is read beside its counters, so that new indexes are noticed before they are used.
        """
        watched = {port.name for port in self._watched()}
        rows = [(port, _state_and_traffic(port, port.name in watched)) for port in self.shown().values()]
        head = [oids.SYS_UPTIME, oids.IF_NUMBER]
        traffic: dict[str, Counted] = {}
        for group in grouped(rows, self._ask.get_limit, len(head)) or [[]]:
            values = await self._ask.get([*head, *(oid for _, row in group for oid in row)])
            at = self._clock()
            if head and self._out_of_date(values, at):
                return None
            head = []
            for port, _ in group:
                self._update(port, values)
                if port.name not in watched:
                    continue
                if text(values.get((*oids.IF_NAME, port.index))) not in (None, port.name):
                    return None
                traffic[port.name] = Counted(at, _numbers(values, oids.TRAFFIC, port.index))
        return traffic

    def _out_of_date(self, values: Mapping[Oid, Plain], at: float) -> bool:
        """Whether the switch restarted, or gained or lost interfaces, since the last poll."""
        before, self._if_number = self._if_number, number(values.get(oids.IF_NUMBER))
        ticks = number(values.get(oids.SYS_UPTIME))
        self.uptime_s = None if ticks is None else ticks / 100
        if self._uptime.broke(ticks, at):
            self.epoch += 1
            return True
        return before is not None and self._if_number != before

    def _update(self, port: Interface, values: Mapping[Oid, Plain]) -> None:
        oper = status(values.get((*oids.IF_OPER_STATUS, port.index)))
        mbps = speed(values.get((*oids.IF_HIGH_SPEED, port.index)), oper)
        self._interfaces[port.name] = replace(port, oper=oper, speed_mbps=mbps)
        if oper == "up":
            self._seen_up.add(port.name)

    async def read_errors(self, named: Mapping[str, Oid]) -> dict[str, Counted]:
        """The counters `named` (MIB name -> column) of the watched ports."""
        rows = [(port, [(*oid, port.index) for oid in named.values()]) for port in self._watched()]
        errors: dict[str, Counted] = {}
        for group in grouped(rows, self._ask.get_limit):
            values = await self._ask.get([oid for _, row in group for oid in row])
            at = self._clock()
            for port, _ in group:
                errors[port.name] = Counted(at, _numbers(values, named, port.index))
        return errors

    async def read_optics(self) -> dict[str, Optic]:
        """The modules of the watched ports. A lane without a row of its own has the module of its cage's first lane."""
        first = {port.cage: port for port in self._interfaces.values() if port.lane == 1}
        watched = self._watched()
        indexes = {port.index for port in watched} | {first[port.cage].index for port in watched if port.cage in first}
        values = await self._ask.get([(*oid, index) for index in sorted(indexes) for oid in oids.OPTICAL.values()])
        found: dict[str, Optic] = {}
        for port in watched:
            for owner in (first.get(port.cage, port), port):
                optic = decode_optic(_row(values, oids.OPTICAL, owner.index))
                if optic is not None:
                    found[port.name] = optic
        return found


def _state_and_traffic(port: Interface, watched: bool) -> list[Oid]:
    columns = [oids.IF_OPER_STATUS]
    if port.oper == "up":
        columns.append(oids.IF_HIGH_SPEED)
    if watched:
        columns += [oids.IF_NAME, *oids.TRAFFIC.values()]
    return [(*column, port.index) for column in columns]


def grouped(rows: Sequence[Row], limit: int, taken: int = 0) -> list[list[Row]]:
    """Rows in groups of at most `limit` values, the first beside `taken` other values. A row is never divided."""
    groups: list[list[Row]] = []
    left = 0
    for row in rows:
        size = len(row[1])
        if not groups or size > left:
            groups.append([])
            left = limit - (taken if len(groups) == 1 else 0)
        groups[-1].append(row)
        left -= size
    return groups


def _row(values: Mapping[Oid, Plain], named: Mapping[str, Oid], index: int) -> dict[str, Plain]:
    return {name: values[key] for name, oid in named.items() if (key := (*oid, index)) in values}


def _numbers(values: Mapping[Oid, Plain], named: Mapping[str, Oid], index: int) -> dict[str, int]:
    return {name: value for name, plain in _row(values, named, index).items() if (value := number(plain)) is not None}
