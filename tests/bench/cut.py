"""How soon the screen says that a node is gone."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.bench.figures import Figure
from tests.bench.lab import Lab

STALE_S, UNREACHABLE_S = 2.0 + 1.0, 6.0
"""Two intervals without a sample, and up to one in which the last was still fresh; then the keepalives."""

NODES = ("spark1", "spark2", "spark3")


def cuts(lab: Lab) -> list[Figure]:
    """Pull the cables of three nodes, one after the other."""
    stale: list[float] = []
    unreachable: list[float] = []
    with lab.client() as terminal:
        terminal.wait_for_text("4/4 live")
        time.sleep(2.0)
        for name in NODES:
            with lab.cluster.hosts[name].cable.cut():
                began = time.monotonic()
                stale.append(terminal.wait_for(says(name, "stale"), 10, "stale") - began)
                unreachable.append(terminal.wait_for(says(name, "unreach"), 20, "unreachable") - began)
    return [
        Figure('cut node says "stale"', "s after the cut", stale, STALE_S, worst=True),
        Figure('cut node says "unreachable"', "s after the cut", unreachable, UNREACHABLE_S, worst=True),
    ]


def says(node: str, state: str) -> Callable[[str], bool]:
    """Whether a row of the screen names the node and the state."""
    return lambda text: any(node in line and state in line for line in text.splitlines())
