"""One switch, polled for ever: never two polls at once, and what a missed one means."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from sparktui.contract import SwitchState
from sparktui.switch.getter import SnmpError
from sparktui.switch.plan import SwitchReader
from sparktui.switch.reading import Reading

MISSED_UNTIL_UNREACHABLE: Final = 3
"""Polls in a row. A switch that has never answered is unreachable with the first."""


class Missed:
    """Counts polls without an answer."""

    __slots__ = ("_answered", "_missed")

    def __init__(self) -> None:
        self._answered = False
        self._missed = 0

    def answered(self) -> None:
        self._answered, self._missed = True, 0

    def missed(self) -> SwitchState:
        """The state after one more poll without an answer."""
        self._missed += 1
        return "stale" if self._answered and self._missed < MISSED_UNTIL_UNREACHABLE else "unreachable"


async def watch(
    reader: SwitchReader,
    poll_s: float,
    clock: Callable[[], float],
    arrived: Callable[[Reading], None],
    failed: Callable[[SwitchState, str], None],
) -> None:
    """Poll every `poll_s` seconds until cancelled; a poll that takes longer moves the next one, not onto it.

    Whatever goes wrong while reading is this switch's error and nobody else's.
    """
    misses = Missed()
    due, first = clock(), True
    while True:
        try:
            reading = await reader.read()
        except SnmpError as error:
            failed(misses.missed(), str(error))
        except Exception as error:
            failed(misses.missed(), f"its answer cannot be read ({type(error).__name__}: {error})"[:200])
        else:
            misses.answered()
            arrived(reading)
            if (
                first
            ):  # All tables came before its counters: the second poll is a whole period after them, not after it.
                due, first = max(due, reading.at), False
        due = max(due + poll_s, clock())
        await asyncio.sleep(due - clock())
