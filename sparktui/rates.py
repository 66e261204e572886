"""Counters to rates: wrap, reset, reboot and missed ticks, without ever showing a spike that did not happen."""

from __future__ import annotations

from collections.abc import Mapping

MAX_EVENTS_PER_S = 2.5e8
"""More per second than any counter here can see (64-byte frames on a 200G port): beyond it, a fall is a reset."""


def delta(before: int, now: int, bits: int = 64, seconds: float = 1.0) -> int | None:
    """Growth of a counter that is `bits` wide, or None where it was reset.

    A fall of a 64-bit counter is always a reset. A fall of a narrower one is a wrap if the growth it then means is
    possible in `seconds`. A 16-bit counter can have wrapped more than once, unseen: its delta is a lower bound.
    """
    if now >= before:
        return now - before
    if bits >= 64 or before >= 1 << bits:
        return None
    grown = now - before + (1 << bits)
    if bits > 16 and (grown > 1 << (bits - 1) or grown > MAX_EVENTS_PER_S * max(seconds, 0.0)):
        return None
    return grown


class CounterGroup:
    """Counters that are read and reset together (one netdev's, one port's): totals unwrapped, rates between samples.

    If a 64-bit counter of the group falls, or a narrower one falls further than a wrap explains, the whole group was
    reset: every rate of that step is None and the totals start again from what the counters say.
    """

    __slots__ = ("_at", "_default_bits", "_raw", "_widths", "per_s", "totals")

    def __init__(self, widths: Mapping[str, int] | None = None, default_bits: int = 64) -> None:
        self._widths = widths or {}
        self._default_bits = default_bits
        self._raw: dict[str, int] = {}
        self._at: float | None = None
        self.per_s: dict[str, float | None] = {}
        self.totals: dict[str, int] = {}

    def reset(self) -> None:
        """Forget everything: another boot, or a gap too long to say anything about."""
        self._raw = {}
        self._at = None
        self.per_s = {}
        self.totals = {}

    def update(self, raw: Mapping[str, int], at: float) -> None:
        """Take a new reading made at `at` seconds of the machine's own monotonic clock; fills `per_s` and `totals`."""
        before, since = self._raw, self._at
        self._raw, self._at = dict(raw), at
        seconds = 0.0 if since is None else at - since
        if since is None or seconds <= 0:
            self.per_s = dict.fromkeys(raw)
            self.totals = dict(raw)
            return
        totals = self.totals
        per_s: dict[str, float | None] = {}
        new_totals: dict[str, int] = {}
        for name, now in raw.items():
            old = before.get(name)
            if old is None:
                per_s[name], new_totals[name] = None, now
                continue
            if now == old:
                per_s[name], new_totals[name] = 0.0, totals[name]
                continue
            grown = delta(old, now, self._widths.get(name, self._default_bits), seconds)
            if grown is None:
                self.per_s = dict.fromkeys(raw)
                self.totals = dict(raw)
                return
            per_s[name], new_totals[name] = grown / seconds, totals[name] + grown
        self.per_s, self.totals = per_s, new_totals
