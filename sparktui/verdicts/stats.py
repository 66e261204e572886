"""The arithmetic of the rules: medians of peers, growth of counters and means over the last seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median

MAD_FLOOR = 0.01
"""Share of the median below which a spread is taken as noise: peers that agree to the digit prove nothing."""


def deviation(values: Sequence[float]) -> tuple[float, float]:
    """Median, and median absolute deviation from it, the latter at least 1 % of the median. `values` is not empty."""
    middle = median(values)
    return middle, max(median(abs(value - middle) for value in values), MAD_FLOOR * abs(middle))


def number(value: float) -> str:
    """A count or a rate for a text: whole with separators from 10 on, else one decimal."""
    return f"{value:,.0f}" if abs(value) >= 10 or float(value).is_integer() else f"{value:.1f}"


def percent(value: float) -> str:
    """A share for a text, two digits of it."""
    return f"{value:.0f} %" if value >= 10 else f"{value:.2g} %"


class Growth:
    """How far counters grew over the last `seconds`; what happened before the first sample is not known.

    A fall of any of them is a reset: the window starts again from there.
    """

    __slots__ = ("_points", "_seconds", "_view")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._points: deque[tuple[float, Mapping[str, int]]] = deque()
        self._view: object = None

    def add(self, now: float, view: object, totals: Mapping[str, int]) -> None:
        """Take the totals of a sample. The `view` they stand in tells a new sample from the last one seen again."""
        if view is self._view:
            return
        self._view = view
        if self._points:
            last = self._points[-1][1]
            if any(total < last.get(name, 0) for name, total in totals.items()):
                self._points.clear()
        self._points.append((now, totals))
        while len(self._points) > 2 and self._points[1][0] <= now - self._seconds:
            self._points.popleft()

    @property
    def span_s(self) -> float:
        """Seconds between the first and the last sample of the window."""
        return self._points[-1][0] - self._points[0][0] if self._points else 0.0

    def by(self, name: str) -> int:
        """How far this counter grew within the window, 0 where it was not known all along."""
        if not self._points:
            return 0
        first, last = self._points[0][1], self._points[-1][1]
        return max(0, last[name] - first[name]) if name in first and name in last else 0

    def active_s(self, name: str) -> float:
        """Seconds of the window in which this counter grew: a single burst between two samples is one interval."""
        return sum(
            at - before_at
            for (before_at, before), (at, totals) in pairwise(self._points)
            if name in before and totals.get(name, 0) > before[name]
        )


class Watch:
    """The growth of many things at once. What is not asked for any more (not live, another boot) is forgotten."""

    __slots__ = ("_growths", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._growths: dict[Hashable, Growth] = {}

    def look(self, now: float, things: Mapping[Hashable, tuple[object, Mapping[str, int]]]) -> dict[Hashable, Growth]:
        """The growth of everything in `things`: key -> (view, totals); see Growth.add."""
        self._growths = {key: self._growths.get(key) or Growth(self._seconds) for key in things}
        for key, (view, totals) in things.items():
            self._growths[key].add(now, view, totals)
        return self._growths


class Lowest:
    """The lowest value of the last `seconds`."""

    __slots__ = ("_points", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._points: deque[tuple[float, int]] = deque()

    def add(self, now: float, value: int) -> tuple[float, int]:
        """Take a value; when the lowest was last seen, and what it is."""
        while self._points and self._points[-1][1] >= value:
            self._points.pop()
        self._points.append((now, value))
        while self._points[0][0] < now - self._seconds:
            self._points.popleft()
        return self._points[0]


class Mean:
    """The mean of a value over the last `seconds`, None until it was known for that long without a gap."""

    __slots__ = ("_points", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._points: deque[tuple[float, float]] = deque()

    def add(self, now: float, value: float | None) -> None:
        if value is None:
            self._points.clear()
            return
        self._points.append((now, value))
        while len(self._points) > 2 and self._points[1][0] <= now - self._seconds:
            self._points.popleft()

    def value(self) -> float | None:
        if not self._points or self._points[-1][0] - self._points[0][0] < self._seconds:
            return None
        return fmean(value for _, value in self._points)
