"""Counters to rates: wrap, reset, reboot and missed ticks, without ever showing a spike that did not happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def bits(bytes_per_s: float | None) -> float | None:
    """Bytes per second as bits per second."""
    return None if bytes_per_s is None else bytes_per_s * 8


class CounterGroup:
    """Counters read and reset together (those of one netdev, of one port): totals unwrapped, rates between samples.

    If a 64-bit counter of the group falls, or a narrower one falls further than a wrap explains, the whole group was
    reset: every rate of that step is None and the totals start again from what the counters say. `per_s` and `totals`
    are never changed once they are made, so views may hold them; while nothing moves they stay the same objects.
    """

    __slots__ = ("_at", "_default_bits", "_raw", "_still", "_widths", "per_s", "totals")

    def __init__(self, widths: Mapping[str, int] | None = None, default_bits: int = 64) -> None:
        self._widths = widths or {}
        self._default_bits = default_bits
        self.reset()

    def reset(self) -> None:
        """Forget everything: another boot, or a gap too long to say anything about."""
        self._raw: Mapping[str, int] = {}
        self._at: float | None = None
        self._still = False
        self.per_s: dict[str, float | None] = {}
        self.totals: dict[str, int] = {}

    def update(self, raw: Mapping[str, int], at: float) -> None:
        """Take a new reading made at `at` seconds of the machine's own monotonic clock; fills `per_s` and `totals`.

        `raw` is kept until the next reading and must not change.
        """
        before, since = self._raw, self._at
        self._raw, self._at = raw, at
        if since is None or at <= since:
            self._begin(raw)
        elif raw == before:
            if not self._still:
                self.per_s, self._still = dict.fromkeys(raw, 0.0), True
        else:
            self._grow(before, raw, at - since)

    def _begin(self, raw: Mapping[str, int]) -> None:
        self.per_s, self.totals, self._still = dict.fromkeys(raw), dict(raw), False

    def _grow(self, before: Mapping[str, int], raw: Mapping[str, int], seconds: float) -> None:
        totals = self.totals
        per_s: dict[str, float | None] = {}
        new_totals: dict[str, int] = {}
        for name, now in raw.items():
            old = before.get(name)
            if old is None:
                per_s[name], new_totals[name] = None, now
            elif now == old:
                per_s[name], new_totals[name] = 0.0, totals[name]
            else:
                grown = now - old if now > old else delta(old, now, self._bits(name), seconds)
                if grown is None:
                    self._begin(raw)
                    return
                per_s[name], new_totals[name] = grown / seconds, totals[name] + grown
        self.per_s, self.totals, self._still = per_s, new_totals, False

    def _bits(self, name: str) -> int:
        return self._widths.get(name, self._default_bits)


class CounterRow:
    """One counter of several CPUs, read and reset together: their rates, in the order in which they come.

    As CounterGroup, without names and totals: a node has a hundred such rows, one for each interrupt vector.
    """

    __slots__ = ("_at", "_bits", "_counts", "_cpus")

    def __init__(self, bits: int = 64) -> None:
        self._bits = bits
        self._cpus: Sequence[int] = ()
        self._counts: Sequence[int] = ()
        self._at: float | None = None

    def update(self, cpus: Sequence[int], counts: Sequence[int], at: float) -> list[float | None]:
        """Rates per second of `counts`, which belong to `cpus` and were read at `at`; None for a CPU seen first.

        Both lists are kept until the next reading and must not change.
        """
        before: Sequence[int | None] = self._counts
        if cpus != self._cpus:
            known = dict(zip(self._cpus, self._counts, strict=False))
            before = [known.get(cpu) for cpu in cpus]
        seconds = 0.0 if self._at is None else at - self._at
        self._cpus, self._counts, self._at = cpus, counts, at
        if seconds <= 0:
            return [None] * len(counts)
        rates: list[float | None] = []
        for old, now in zip(before, counts, strict=True):
            grown = None if old is None else now - old if now >= old else delta(old, now, self._bits, seconds)
            if grown is None and old is not None:
                return [None] * len(counts)
            rates.append(None if grown is None else grown / seconds)
        return rates
