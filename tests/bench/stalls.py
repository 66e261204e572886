"""How long the loop of the screen is held up, with a switch polled and without.

Run as a module it is the program on the demo's rack with a ticker in its loop:
python -m tests.bench.stalls FILE SECONDS [no-switch]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from tests.bench.figures import Figure
from tests.bench.process import waited_s
from tests.bench.terminal import Terminal
from tests.real.space import wait_for

TICK_S = 0.005
SECONDS, PAIRS = 16.0, 2
"""So long each: with the switch's own pace of 5 s that is four polls, the first one of everything."""

WARM_S = 4.0
"""Not counted: start-up, where modules are imported on other threads."""


def stalls() -> list[Figure]:
    """Lateness of a tick, with and without the switch in turn."""
    with_switch: list[list[float]] = []
    without: list[list[float]] = []
    for _ in range(PAIRS):
        with_switch.append(measured())
        without.append(measured("no-switch"))
    return [
        Figure("UI loop: longest stall, switch polled", "ms", [max(late) for late in with_switch], 50.0, worst=True),
        Figure("UI loop: longest stall, no switch", "ms", [max(late) for late in without]),
        Figure("UI loop: 99.9 % of ticks late less than, switch polled", "ms", [high(late) for late in with_switch]),
        Figure("UI loop: 99.9 % of ticks late less than, no switch", "ms", [high(late) for late in without]),
    ]


def high(late: list[float]) -> float:
    return sorted(late)[int(0.999 * len(late))]


def measured(*options: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "late.json")
        argv = [sys.executable, "-m", "tests.bench.stalls", str(path), str(SECONDS), *options]
        with Terminal(argv) as terminal:
            terminal.wait_for_text("4/4 live")
            wait_for(path.exists, WARM_S + SECONDS + 15, "the ticker's notes")
        late: list[float] = json.loads(path.read_text())
        return late


async def tick(seconds: float, path: Path) -> None:
    """Wake every 5 ms and note by how many milliseconds that was late, without those in which no CPU was free."""
    late: list[float] = []
    await asyncio.sleep(WARM_S)
    process = os.getpid()
    threads = [one.native_id or 0 for one in threading.enumerate() if one.name in ("MainThread", "switches")]
    end, waited = time.monotonic() + seconds, waited_s(process, threads)
    while (due := time.monotonic() + TICK_S) < end:
        await asyncio.sleep(TICK_S)
        over, waited_before, waited = time.monotonic() - due, waited, waited_s(process, threads)
        late.append(max(0.0, over - (waited - waited_before)) * 1e3)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(late))
    part.rename(path)


def main(path: Path, seconds: float, switch: bool) -> int:
    """The program on the demo, with a ticker beside it."""
    from sparktui import monitor
    from sparktui.config import Settings
    from sparktui.demo import launch

    class Ticking(monitor.Monitor):
        async def start(self) -> None:
            await super().start()
            self._tasks.append(asyncio.create_task(tick(seconds, path)))

    settings = launch.settings

    def without_switch(said: Mapping[str, Any], scenario: str) -> Settings:
        return replace(settings(said, scenario), switches={})

    polled = settings if switch else without_switch
    with patch.object(monitor, "Monitor", Ticking), patch.object(launch, "settings", polled):
        return monitor.watch(
            Settings(), demo="healthy", theme=None, interval_s=None, read_only=False, ascii_only=False, mouse=True
        )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), "no-switch" not in sys.argv))
