"""Rates of one switch port, from counters that the switch refreshes in steps of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sparktui.rates import CounterGroup
from sparktui.switch.oids import WIDTHS
from sparktui.switch.reading import Counted

HOLD_POLLS: Final = 3
HOLD_S: Final = (6.0, 15.0)
"""How long an unchanged counter may mean "not refreshed yet": so many polls, but at least and at most so many seconds.

net-snmp refreshes every 3 s; what RouterOS does is documented nowhere.
"""

WINDOW_S: Final = 15.5
"""Rates that are steady are taken over so long: three polls of 5 s. A step of 1 s is 20 % of one, 7 % of three."""

STEADY: Final = 0.25
"""Changes whose rates differ by no more than this share of the last one belong to one steady flow."""


class Traffic:
    """Octets and frames per second over the time between changes of the counters.

    Between two refreshes of the switch the counters stand still although frames pass, so the last rates stay; when the
    switch is known to have refreshed, or the counters have stood still for the hold time, nothing passes: the rates are
    0, and a later change counts from the last look instead of from the last change, or the first second of traffic
    would be spread over a quiet hour. How old counters are when they are read differs from poll to poll by up to one
    refresh: while the rate is steady it is averaged over several changes, when it jumps the last one counts alone.
    """

    __slots__ = ("_changed_at", "_group", "_hold_s", "_looks", "_raw", "per_s")

    def __init__(self, poll_s: float) -> None:
        self._group = CounterGroup()
        self._hold_s = min(max(HOLD_POLLS * poll_s, HOLD_S[0]), HOLD_S[1])
        self._raw: Mapping[str, int] = {}
        self._changed_at = 0.0
        self._looks: list[Counted] = []
        self.per_s: dict[str, float | None] = {}

    def reset(self) -> None:
        """Forget everything: the next reading has nothing to be compared with."""
        self._group.reset()
        self._raw, self.per_s, self._looks = {}, {}, []

    def moves(self, raw: Mapping[str, int]) -> bool:
        """Whether something was counted since the last reading."""
        return raw != self._raw

    @property
    def flows(self) -> bool:
        """Whether something passed when it was looked last."""
        return any(self.per_s.values())

    def update(self, raw: Mapping[str, int], at: float, refreshed: bool = False) -> None:
        """Take what the counters said at `at` (seconds of the monotonic clock) while the port was up.

        `refreshed` = the switch has certainly brought them up to date since the last reading.
        """
        moves = self.moves(raw)
        if not moves and not refreshed and at - self._changed_at < self._hold_s:
            self.per_s = {name: rate or 0.0 for name, rate in self.per_s.items()}
            return
        if moves:
            self._changed_at = at
        self._raw = raw
        self._group.update(raw, at)
        if None in self._group.per_s.values():
            self._looks.clear()
        self._looks = [*(look for look in self._looks if at - look.at <= WINDOW_S), Counted(at, raw)]
        self.per_s = {name: self._averaged(name, rate) for name, rate in self._group.per_s.items()}

    def _averaged(self, name: str, last: float | None) -> float | None:
        """The rate over all changes in the window back to where it was another one; `last` is that of the last."""
        average, later = last, self._looks[-1]
        for look in reversed(self._looks[:-1]):
            rate = (later.raw[name] - look.raw[name]) / (later.at - look.at)
            if last is None or abs(rate - last) > STEADY * last:
                break
            average = (self._looks[-1].raw[name] - look.raw[name]) / (self._looks[-1].at - look.at)
            later = look
        return average


def take(traffic: Mapping[str, Traffic], read: Mapping[str, Counted]) -> None:
    """Take one poll's counters of several ports, by port name.

    A port whose counters stand still carries nothing if the switch refreshed them; that shows in the others, where at
    least half of those that carry something moved. It is judged for each answer alone (the ports of one `at`): an agent
    that refreshes all ports together, as net-snmp does, can do so between two answers of one poll, and none moves in
    between. Ports that are refreshed one after another all move where that takes no longer than a poll.
    """
    for at in {counted.at for counted in read.values()}:
        answer = {name: counted.raw for name, counted in read.items() if counted.at == at}
        moved = sum(traffic[name].moves(raw) for name, raw in answer.items())
        still = sum(traffic[name].flows and not traffic[name].moves(raw) for name, raw in answer.items())
        for name, raw in answer.items():
            traffic[name].update(raw, at, refreshed=0 < moved >= still)


class PortCounters:
    """All counters of one port. `per_s` and `totals` hold what counts errors, drops and pauses, by MIB name.

    `errors_at` is when those were read last.
    """

    __slots__ = ("_errors", "_index", "errors_at", "traffic")

    def __init__(self, poll_s: float) -> None:
        self.traffic = Traffic(poll_s)
        self._errors = CounterGroup(WIDTHS)
        self._index: int | None = None
        self.errors_at = 0.0

    def belongs_to(self, index: int) -> None:
        """Say which ifIndex is read for this port's name. Under another one the counters may be another port's."""
        if self._index not in (None, index):
            self.reset()
        self._index = index

    def reset(self) -> None:
        """Everything before is another story: the switch restarted."""
        self.traffic.reset()
        self._errors.reset()

    def update_errors(self, raw: Mapping[str, int], at: float) -> None:
        self._errors.update(raw, at)
        self.errors_at = at

    @property
    def per_s(self) -> dict[str, float | None]:
        return self._errors.per_s

    @property
    def totals(self) -> dict[str, int]:
        """Unwrapped since the first reading after the last reset, starting from what the switch said then."""
        return self._errors.totals
