"""What changes in the switch's tables: counters, refreshed in steps as a real switch's are, and its health."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparktui.demo.agent import Value, counter32, counter64, integer, text, ticks
from sparktui.demo.physics import key, noise
from sparktui.demo.scenarios import Scenario
from sparktui.demo.switch_static import (
    HOST_RESOURCES,
    IF_TABLE,
    IF_X_TABLE,
    INDEX,
    MIKROTIK,
    STATISTICS,
    SYSTEM,
    Oid,
    Row,
    rows,
)
from sparktui.demo.traffic import FCS_OCTETS, Link

GAUGES = (*MIKROTIK, 3, 100, 1)
CELSIUS, RPM, DECIVOLT, DECIWATT, STATE = 1, 2, 3, 5, 6
OK, FAILED, NO_INPUT = 0, 1, 4
"""Codes of a state row. 0 is ok; which others there are is not documented."""

UP_BEFORE_S = 1_468_800
NEAR_WRAP = (1 << 32) - 40
CORES = 4
MISALIGNED = 12
"""Every so many broken frames one is misaligned too."""


@dataclass(frozen=True, slots=True)
class PortCounts:
    """What one port has counted: good frames and octets in, frames broken on the way in, frames and octets out."""

    in_frames: int
    in_octets: int
    broken: int
    out_frames: int
    out_octets: int


def counts(links: Sequence[Link]) -> PortCounts:
    """A port's counts, of the links on its cable; octets with the frame check sequence."""
    broken = sum(link.up.broken for link in links)
    in_frames = sum(link.up.frames for link in links) - broken
    in_octets = sum(link.up.octets - link.up.broken_octets for link in links)
    out_frames = sum(link.down.frames for link in links)
    out_octets = sum(link.down.octets for link in links)
    return PortCounts(
        in_frames, in_octets + FCS_OCTETS * in_frames, broken, out_frames, out_octets + FCS_OCTETS * out_frames
    )


class SwitchTables:
    """All that the switch answers. `near_wrap` starts its 32-bit error counters just below their limit."""

    def __init__(
        self, scenario: Scenario, seed: int, ports: Mapping[str, Sequence[Link]], refresh_s: float, near_wrap: bool
    ) -> None:
        self._scenario, self._ports, self._refresh_s = scenario, ports, refresh_s
        self._key = key(seed, "switch")
        self._offset = NEAR_WRAP if near_wrap else 0
        self._table: dict[Oid, Value] = dict(rows())
        self.next_refresh = 0.0
        self.refresh(0.0)

    def refresh(self, now: float) -> None:
        """Take the counters and readings of `now`, in seconds of the rack's time; they stand until the next time."""
        self._table = {**self._table, **dict(self._changing(now))}
        self.next_refresh = now + self._refresh_s

    def table(self) -> Mapping[Oid, Value]:
        """Every instance; another mapping after each refresh."""
        return self._table

    def _changing(self, now: float) -> Iterator[Row]:
        yield (*SYSTEM, 3, 0), ticks(100 * int(UP_BEFORE_S + now))
        for core in range(1, CORES + 1):
            yield (*HOST_RESOURCES, 3, 3, 1, 2, core), integer(round(3 + 2 * noise(self._key + core, now / 5)))
        for port, links in self._ports.items():
            yield from self._port(INDEX[port], counts(links))
        for index, name, unit, value in self._health(now):
            yield (*GAUGES, 2, index), text(name)
            yield (*GAUGES, 3, index), integer(value)
            yield (*GAUGES, 4, index), integer(unit)

    def _port(self, index: int, port: PortCounts) -> Iterator[Row]:
        yield (*IF_TABLE, 14, index), counter32((self._offset + port.broken) % (1 << 32))
        for column, count in ((6, port.in_octets), (7, port.in_frames), (10, port.out_octets), (11, port.out_frames)):
            yield (*IF_X_TABLE, column, index), counter64(count)
        statistics = {
            31: port.in_octets,
            32: port.in_frames,
            45: port.broken,
            46: port.broken // MISALIGNED,
            61: port.out_octets,
            62: port.out_frames,
        }
        for column, count in statistics.items():
            yield (*STATISTICS, column, index), counter64(count)

    def _health(self, now: float) -> Iterator[tuple[int, str, int, int]]:
        """(index, name, unit, value), index numbers as those of /system/health."""

        def sway(at: int, middle: float, by: float) -> int:
            return round(middle + by * noise(self._key + 100 + at, now / 20))

        yield 17, "cpu-temperature", CELSIUS, sway(17, 38, 0.7)
        yield 50, "sfp-temperature", CELSIUS, 68
        yield 51, "switch-temperature", CELSIUS, sway(51, 44, 0.7)
        yield 52, "phy-temperature", CELSIUS, sway(52, 37, 0.4)
        yield 54, "fan-state", STATE, OK
        for fan, rpm in enumerate((6_660, 6_840, 7_020, 7_200)):
            yield 7001 + fan, f"fan{fan + 1}-speed", RPM, sway(fan, rpm, 30)
        for board, celsius in enumerate((30, 35, 40)):
            yield 7101 + board, f"board-temperature{board + 1}", CELSIUS, celsius
        second = self._psu2(now)
        yield 7401, "psu1-state", STATE, OK
        yield 7402, "psu2-state", STATE, second
        yield 7501, "psu1-input-voltage", DECIVOLT, sway(75, 2_342, 4)
        yield 7502, "psu2-input-voltage", DECIVOLT, 2_339 if second == OK else 0
        yield 7601, "psu1-power", DECIWATT, sway(76, 498, 6)
        yield 7602, "psu2-power", DECIWATT, 61 if second == OK else 0
        yield 7701, "psu1-temperature", CELSIUS, 27
        yield 7702, "psu2-temperature", CELSIUS, 26 if second != NO_INPUT else 0

    def _psu2(self, now: float) -> int:
        """The second supply has no input on purpose, except where it is what fails."""
        fails = self._scenario.psu2_fails_s
        return NO_INPUT if fails is None else OK if now < fails else FAILED
