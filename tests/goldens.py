"""Captures of every pane in every scenario, at three sizes and in three modes. `make goldens` writes them anew.

tests/goldens/<scenario>/<pane>-<columns>x<rows>.{ansi,nocolor,ascii}: `ansi` holds the screen as a terminal with true
colour shows it (`cat` it), `nocolor` what NO_COLOR leaves (attributes only), `ascii` the plain text of --ascii.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from unittest import mock

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from sparktui.config import NodeConfig, RackConfig, Settings
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import NODES, SCENARIOS, SWITCH
from sparktui.panes.registry import panes
from sparktui.store import Store
from sparktui.ui.app import SparkApp
from tests import screen
from tests.demo_world import World

FOLDER = Path(__file__).parent / "goldens"
SIZES = ((80, 24), (120, 40), (200, 60))
MODES = ("ansi", "nocolor", "ascii")
WALL = 1.79e9
"""That of the findings in tests/demo_world.py."""
SECONDS = {"dead-node": 14.0}
"""When to look: a node that went away is to be seen away."""


@lru_cache
def seen(scenario: str) -> tuple[Store, float]:
    """What the store holds of a scenario after its time, and when that is."""
    world = World(DemoRack(scenario, wall=lambda: WALL))
    store = Store(list(NODES), [SWITCH])
    polled = world.switch

    def put(world: World) -> None:
        nonlocal polled
        now = world.rack.now
        for name, watched in world.nodes.items():
            if watched.view.state == "live":
                store.put_node(name, watched.view, now)
            else:
                store.set_node_state(name, watched.view.state, watched.view.error)
        if world.switch is not polled:
            polled = world.switch
            store.put_switch(SWITCH, polled, now)
        store.set_findings(world.findings())

    world.run(SECONDS.get(scenario, 110.0), put)
    return store, world.rack.now


def app_on(scenario: str, mode: str) -> SparkApp:
    """The program on a scenario, standing still."""
    store, now = seen(scenario)

    async def nothing() -> None: ...

    nodes = [NodeConfig(name=name, gpu_clock_cap_mhz=2400) for name in NODES]
    with mock.patch.dict(os.environ):
        os.environ.pop("NO_COLOR", None)
        if mode == "nocolor":
            os.environ["NO_COLOR"] = "1"
        return SparkApp(
            store=store,
            settings=Settings(nodes=nodes, rack=RackConfig(name="demo")),
            panes=panes(),
            start=nothing,
            set_fast=lambda _seconds: None,
            demo=scenario,
            ascii_only=mode == "ascii",
            theme="spark-dark" if mode == "ansi" else None,
            clock=lambda: now,
            wall=lambda: WALL + now,
        )


async def captures(scenario: str, mode: str, size: tuple[int, int]) -> dict[str, str]:
    """File name -> capture, for every pane."""
    app = app_on(scenario, mode)
    found = {}
    async with app.run_test(size=size) as pilot:
        for pane in panes():
            await pilot.press(pane.key)
            await pilot.pause()
            name = f"{pane.id}-{size[0]}x{size[1]}.{mode}"
            found[name] = screen.text(app) + "\n" if mode == "ascii" else styled(app)
    return found


def styled(app: SparkApp) -> str:
    """The screen with its SGR sequences, one line per row, changes only."""
    return "".join("".join(_sgr(line)) + "\x1b[0m\n" for line in screen.segments(app))


def _sgr(segments: list[Segment]) -> Iterator[str]:
    for segment in Segment.simplify(segments):
        style = segment.style or Style.null()
        yield style.render(segment.text, color_system=ColorSystem.TRUECOLOR)


def all_captures(scenario: str) -> dict[str, str]:
    """Every capture of a scenario."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    seen(scenario)  # before a loop runs: it runs one of its own
    found: dict[str, str] = {}
    for mode in MODES:
        for size in SIZES:
            found |= asyncio.run(captures(scenario, mode, size))
    return found


def main() -> None:
    """Write all goldens; what is no longer made is removed."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for scenario in SCENARIOS:
        folder = FOLDER / scenario
        folder.mkdir(parents=True)
        for name, text in all_captures(scenario).items():
            (folder / name).write_text(text)
        print(f"{scenario}: {len(list(folder.iterdir()))} captures")


if __name__ == "__main__":
    main()
