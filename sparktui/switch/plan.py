"""What is asked of a switch at each poll and how often: nothing that is not shown, nothing twice as often as needed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final

from sparktui.config import SwitchConfig
from sparktui.contract import Health, Optic
from sparktui.switch import oids
from sparktui.switch.getter import Asker, Getter, SnmpError
from sparktui.switch.health import decode_health
from sparktui.switch.neighbours import (
    LLDP_COLUMNS,
    NEIGHBOUR_COLUMNS,
    Neighbours,
    decode_lldp,
    decode_stations,
)
from sparktui.switch.port_reader import PortReader
from sparktui.switch.reading import Counted, Reading
from sparktui.switch.system import (
    LLDP_BY_INTERFACE_SINCE,
    SYSTEM_OBJECTS,
    System,
    decode_processor_load,
    decode_system,
)
from sparktui.switch.values import Oid, Plain, column

ERRORS_S: Final = 10.0
HEALTH_S: Final = 10.0
SURVEY_S: Final = 60.0
"""Seconds between readings of error counters, of health, and of what seldom changes. Traffic is read at every poll.

The second reading of the error counters comes with the second poll: a rate needs two.
"""

MAX_STATIONS: Final = 512
"""Entries of the MAC table that are read: a rack has dozens, an office behind an uplink has thousands."""

NO_STATISTICS: Final = "no statistics table (MikroTik's): broken frames and pause frames cannot be seen"
NO_HEALTH: Final = "no health table (MikroTik's): temperatures, fans and supplies cannot be seen"
NO_STATIONS: Final = "no MAC table: nodes are known by config, LLDP or port comment only"


class SwitchReader:
    """Reads one switch through a Getter, poll by poll, and remembers what need not be asked again.

    `clock` gives seconds of the monotonic clock. What a switch does not have is found out by the first answers and
    told in the notes: a plain agent with IF-MIB alone is read as well.
    """

    def __init__(self, getter: Getter, config: SwitchConfig, clock: Callable[[], float]) -> None:
        self._ask = Asker(getter)
        self._config = config
        self._clock = clock
        self._ports = PortReader(self._ask, config.ports, clock)
        self._system = System()
        self._errors: dict[str, Counted] = {}
        self._error_readings = 0
        self._gauges: tuple[Collection[Oid], Mapping[Oid, Plain], Mapping[Oid, Plain]] = ((), {}, {})
        self._health: list[Health] = []
        self._load: list[int] = []
        self._optics: dict[str, Optic] = {}
        self._neighbours: Neighbours | None = None
        self._read_at: dict[str, float] = {}
        self._missing: dict[str, str] = {}

    def want(self, ports: Collection[str] | None) -> None:
        """Narrow traffic, error counters and modules to these ports; None = to all that are shown."""
        self._ports.wanted = ports

    async def read(self) -> Reading:
        """One poll. Raises SnmpError where the switch does not answer for its ports."""
        epoch = self._ports.epoch
        if not self._read_at:
            await self._survey()
        traffic = await self._ports.read_traffic()
        if traffic is None:
            if self._ports.epoch != epoch:
                self._read_at.clear()
                self._error_readings = 0
            await self._survey()
            traffic = await self._ports.read_traffic() or {}
        at = self._clock()
        self._errors = {}
        await self._read_due(at)
        return Reading(
            at=at,
            epoch=self._ports.epoch,
            uptime_s=self._ports.uptime_s,
            system=self._system,
            ports=self._ports.shown(),
            traffic=traffic,
            errors=self._errors,
            health=self._health,
            load_percent=self._load,
            optics=self._optics,
            neighbours=self._neighbours,
            notes=[*self._system.notes(), *self._missing.values()],
        )

    async def _read_due(self, now: float) -> None:
        """What is due besides traffic. A part that fails waits for its turn, those after it for the next poll."""
        parts: tuple[tuple[str, float, Callable[[], Awaitable[str | None]]], ...] = (
            ("error counters", ERRORS_S if self._error_readings > 1 else 0.0, self._read_errors),
            ("health", HEALTH_S, self._read_health),
            ("interfaces", SURVEY_S, self._survey),
            ("neighbours", SURVEY_S, self._read_neighbours),
            ("modules", SURVEY_S, self._read_optics),
        )
        for name, period, read in parts:
            if now - self._read_at.get(name, -period) < period - self._config.poll_s / 2:
                continue
            self._read_at[name] = now
            try:
                note = await read()
            except SnmpError as error:
                self._missing[name] = f"{name} could not be read: {error}"
                return
            if note is None:
                self._missing.pop(name, None)
            else:
                self._missing[name] = note

    async def _survey(self) -> None:
        self._system = decode_system(await self._ask.get(SYSTEM_OBJECTS))
        await self._ports.read_table()
        self._read_at["interfaces"] = self._clock()

    async def _read_errors(self) -> str | None:
        self._error_readings += 1
        statistics = oids.STATISTICS if self._system.is_routeros else {}
        self._errors = await self._ports.read_errors({**oids.DISCARDS_AND_ERRORS, **statistics})
        served = any(oids.STATISTICS.keys() & counted.raw.keys() for counted in self._errors.values())
        return None if served or (statistics and not self._errors) else NO_STATISTICS

    async def _read_health(self) -> str | None:
        """The values; names and units only where rows have come or gone, as a module's temperature does."""
        self._load = decode_processor_load(column(await self._ask.walk((oids.PROCESSOR_LOAD,)), oids.PROCESSOR_LOAD))
        values = column(await self._ask.walk((oids.GAUGE_VALUE,)), oids.GAUGE_VALUE)
        rows, names, units = self._gauges
        if values.keys() != rows:
            table = await self._ask.walk((oids.GAUGE_NAME, oids.GAUGE_UNIT))
            names, units = column(table, oids.GAUGE_NAME), column(table, oids.GAUGE_UNIT)
            self._gauges = values.keys(), names, units
        self._health = decode_health(names, values, units, self._config.expected_absent)
        return None if values else NO_HEALTH

    async def _read_neighbours(self) -> str | None:
        release = self._system.release
        base_ports = await self._ask.walk((oids.BASE_PORT_IF_INDEX,))
        vlan_fdb = await self._ask.walk((oids.VLAN_FDB_PORT,), MAX_STATIONS)
        fdb = {} if vlan_fdb else await self._ask.walk((oids.FDB_PORT,), MAX_STATIONS)
        lldp = await self._ask.walk(LLDP_COLUMNS)
        heard = await self._ask.walk(NEIGHBOUR_COLUMNS) if () < release < LLDP_BY_INTERFACE_SINCE else {}
        stations = decode_stations(
            column(vlan_fdb, oids.VLAN_FDB_PORT),
            column(fdb, oids.FDB_PORT),
            column(base_ports, oids.BASE_PORT_IF_INDEX),
            release,
        )
        self._neighbours = Neighbours(self._clock(), stations, decode_lldp(lldp, heard))
        if len(vlan_fdb) >= MAX_STATIONS or len(fdb) >= MAX_STATIONS:
            return f"only the first {MAX_STATIONS} entries of the MAC table are read"
        return None if base_ports or stations else NO_STATIONS

    async def _read_optics(self) -> None:
        self._optics = await self._ports.read_optics() if self._system.is_routeros else {}
