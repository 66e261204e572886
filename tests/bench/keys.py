"""From a key to the frame it makes."""

from __future__ import annotations

import time

from tests.bench.figures import Figure
from tests.bench.process import waited_s
from tests.bench.terminal import Terminal

PRESSES = [
    ("2", "10 min ago"),
    ("3", "SSH, orchestration and recovery"),
    ("4", "shade per second"),
    ("6", "temperatures"),
    ("?", "only rows with a text"),
    ("1", "mgmt rx/tx"),
    ("\r", "esc back"),
]
"""Keys that change most of the screen, each with what only its frame shows."""

ROUNDS, ROUND = 3, 15
ESCAPES = 20
PAUSE_S = 0.04
QUIET_S = 0.03
"""A frame is over when nothing has come for so long."""


def keys(terminal: Terminal) -> list[Figure]:
    """The 99th percentile is of each round's hundred presses."""
    slowest: list[float] = []
    all_ms: list[float] = []
    for _ in range(ROUNDS):
        took = sorted(press(terminal, key, shown) for key, shown in PRESSES * ROUND)
        slowest.append(took[int(0.99 * len(took)) - 1])
        all_ms += took
    escapes: list[float] = []
    for _ in range(ESCAPES):
        press(terminal, "\r", "esc back")
        escapes.append(press(terminal, "\x1b", "mgmt rx/tx"))
    return [
        Figure("key to frame, 99th percentile", "ms", slowest, 50.0),
        Figure("key to frame", "ms", all_ms),
        Figure("esc to frame (may begin a sequence)", "ms", escapes),
    ]


def press(terminal: Terminal, key: str, shown: str) -> float:
    """Milliseconds from the key to the last byte of its frame, without those in which no CPU was free for the loop."""
    time.sleep(PAUSE_S)
    waited = waited_s(terminal.pid, [terminal.pid])
    pressed = terminal.press(key)
    terminal.wait_for_text(shown)
    took = terminal.wait_for_frame(pressed, QUIET_S) - pressed
    return max(0.0, took - (waited_s(terminal.pid, [terminal.pid]) - waited)) * 1e3
