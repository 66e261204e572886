"""Collectors at work on the node: one that is read in turn, and threads for those that are slow or may hang.

Standard library only: this file runs on the node (Python >= 3.10).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain
from sparktui.probe.encode import encode

MAX_ERROR = 200
"""Characters of a collector's error."""


class Reading(NamedTuple):
    """What reading one collector gave: its sample as JSON, or the error. `cpu_s` = CPU time of the thread it cost."""

    name: str
    json: str | None
    error: str | None
    cpu_s: float = 0.0


class Source:
    """One collector of this node. A start that failed is tried again at the next reading: drivers come and go."""

    def __init__(self, collector: Collector, reader: Reader) -> None:
        self.name = collector.name
        self._collector = collector
        self._reader = reader
        self._sample: Callable[[], Any] | None = None

    def read(self) -> Reading:
        """Read and encode; whatever goes wrong is this collector's error and nobody else's."""
        before = time.thread_time()
        text, error = None, None
        try:
            if self._sample is None:
                self._sample = self._collector.start(self._reader)
            text = encode(self._sample())
        except Exception as failure:
            error = words(failure)
        return Reading(self.name, text, error, time.thread_time() - before)


def words(failure: Exception) -> str:
    """One bounded line for an exception; an OSError's own words suffice, others say what they are."""
    text = str(failure) if isinstance(failure, OSError) else f"{type(failure).__name__}: {failure}"
    return plain(text, MAX_ERROR) or type(failure).__name__


class Worker:
    """Reads its sources on a thread of its own when asked, one round at a time.

    `answered()` is called on that thread at the end of each round. Readings are taken by the asking thread.
    """

    def __init__(self, sources: Sequence[Source], every_tick: bool, answered: Callable[[], None]) -> None:
        self.every_tick = every_tick
        self.idle = True
        self.rounds = 0
        self._sources = sources
        self._answered = answered
        self._asked = threading.Semaphore(0)
        self._stopped = False
        self._readings: deque[Reading] = deque()
        self._out: tuple[str, float] | None = None
        threading.Thread(target=self._work, daemon=True, name=sources[0].name).start()

    def ask(self) -> None:
        """Begin a round, unless one is still out."""
        if self.idle:
            self.idle = False
            self._asked.release()

    def take(self) -> list[Reading]:
        """Readings made since last time."""
        return [self._readings.popleft() for _ in range(len(self._readings))]

    def overdue(self, limit_s: float) -> tuple[str, int] | None:
        """The collector whose call has been out for longer than `limit_s`, and for how many seconds."""
        out = self._out
        if out is None:
            return None
        seconds = time.monotonic() - out[1]
        return (out[0], int(seconds)) if seconds > limit_s else None

    def stop(self) -> None:
        """End the thread, at once if it waits; a call that hangs is left behind."""
        self._stopped = True
        self._asked.release()

    def _work(self) -> None:
        while True:
            self._asked.acquire()
            for source in self._sources:
                if self._stopped:
                    return
                self._out = (source.name, time.monotonic())
                self._readings.append(source.read())
                self._out = None
            self.rounds += 1
            self.idle = True
            self._answered()
