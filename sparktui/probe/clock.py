"""How far a node's clocks are from ours, from numbered beats and their answers. Pure: all times are handed in."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

WINDOW_S = 60.0
MAX_UNANSWERED = 64


class Offset(NamedTuple):
    """Seconds to add to our wall or monotonic clock to get the node's; true within `error_s` (half the round trip)."""

    wall_s: float
    mono_s: float
    error_s: float


class ClockOffset:
    """Offset by the midpoint of the quickest exchange of the last minute: the quicker, the less room for asymmetry."""

    def __init__(self) -> None:
        self._unanswered: dict[int, tuple[float, float]] = {}
        self._exchanges: deque[tuple[float, Offset]] = deque()

    def sent(self, n: int, mono: float, wall: float) -> None:
        """Beat `n` was sent at `mono` / `wall` of our clocks."""
        self._unanswered[n] = (mono, wall)
        if len(self._unanswered) > MAX_UNANSWERED:
            del self._unanswered[next(iter(self._unanswered))]

    def answered(self, n: int, at: float, node_mono: float, node_wall: float) -> None:
        """The answer to beat `n` arrived at `at` of our monotonic clock. Answers nobody asked for are ignored."""
        sent = self._unanswered.pop(n, None)
        if sent is None or at < sent[0]:
            return
        half = (at - sent[0]) / 2
        offset = Offset(node_wall - (sent[1] + half), node_mono - (sent[0] + half), half)
        self._exchanges.append((at, offset))
        while self._exchanges[0][0] < at - WINDOW_S:
            self._exchanges.popleft()

    @property
    def offset(self) -> Offset | None:
        """The best estimate; None until a beat was answered."""
        return min((offset for _, offset in self._exchanges), key=lambda offset: offset.error_s, default=None)
