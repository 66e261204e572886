"""From the command to the first frame, and until every node is live on the screen."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from tests.bench.figures import Figure
from tests.bench.lab import Lab
from tests.bench.terminal import Terminal

ROUNDS = 5
SPARKTUI = (sys.executable, "-m", "sparktui")


def demo() -> Terminal:
    return Terminal([*SPARKTUI, "--demo"])


def version() -> list[Figure]:
    """`--version`, as a script would ask."""
    seconds = []
    for _ in range(2 * ROUNDS):
        began = time.monotonic()
        subprocess.run([*SPARKTUI, "--version"], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - began)
    return [Figure("sparktui --version", "s", seconds, 0.2)]


def starts(lab: Lab | None) -> list[Figure]:
    """The program on the cluster and on its own demo, in turn."""
    ways: dict[str, Callable[[], Terminal]] = {"demo": demo}
    if lab is not None:
        ways = {"4 x sshd": lab.client, **ways}
    first: dict[str, list[float]] = {way: [] for way in ways}
    live: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, opened in ways.items():
            with opened() as terminal:
                first[way].append(terminal.wait_for_text("q quit") - terminal.began)
                live[way].append(terminal.wait_for_text("4/4 live") - terminal.began)
    return [
        *(Figure(f"first frame ({way})", "s", first[way], 0.8) for way in ways),
        *(Figure(f"four nodes live ({way})", "s", live[way], 2.0) for way in ways),
    ]
