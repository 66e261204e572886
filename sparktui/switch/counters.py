"""Rates of one switch port, from counters that the switch refreshes in steps of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sparktui.rates import CounterGroup
from sparktui.switch.oids import WIDTHS

HOLD_POLLS: Final = 3
HOLD_S: Final = (6.0, 15.0)
"""How long an unchanged counter may mean "not refreshed yet": so many polls, but at least and at most so many seconds.

net-snmp refreshes every 3 s; what RouterOS does is documented nowhere.
"""


class Traffic:
    """Octets and frames per second over the time between two changes of the counters.

    Between two refreshes of the switch the counters stand still although frames pass, so the last rates stay; when the
    counters have stood still for the hold time, nothing passes: the rates are 0, and a later change counts from the
    last look instead of from the last change, or the first second of traffic would be spread over a quiet hour.
    """

    __slots__ = ("_changed_at", "_group", "_hold_s", "_raw", "per_s")

    def __init__(self, poll_s: float) -> None:
        self._group = CounterGroup()
        self._hold_s = min(max(HOLD_POLLS * poll_s, HOLD_S[0]), HOLD_S[1])
        self._raw: Mapping[str, int] = {}
        self._changed_at = 0.0
        self.per_s: dict[str, float | None] = {}

    def reset(self) -> None:
        """Forget everything: the next reading has nothing to be compared with."""
        self._group.reset()
        self._raw, self.per_s = {}, {}

    def update(self, raw: Mapping[str, int], at: float) -> None:
        """Take what the counters said at `at` (seconds of the monotonic clock) while the port was up."""
        if raw == self._raw and at - self._changed_at < self._hold_s:
            self.per_s = {name: rate or 0.0 for name, rate in self.per_s.items()}
            return
        if raw != self._raw:
            self._changed_at = at
        self._raw = raw
        self._group.update(raw, at)
        self.per_s = self._group.per_s


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
