"""An application without a terminal, on a store and clocks that only the test moves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from textual.pilot import Pilot

from sparktui.store import Store
from sparktui.ui.app import SparkApp
from tests import screen, tui_child


@dataclass
class Bench:
    """An application on a store that nobody fills but the test, with clocks that only the test moves."""

    app: SparkApp
    pilot: Pilot[None]
    store: Store
    started: list[str] = field(default_factory=list)
    intervals: list[float] = field(default_factory=list)
    now: float = 100.0

    @property
    def text(self) -> str:
        return screen.text(self.app)

    @property
    def header(self) -> str:
        return screen.lines(self.app)[0]

    @property
    def footer(self) -> str:
        return screen.lines(self.app)[-1]

    async def press(self, *pressed: str) -> None:
        await self.pilot.press(*pressed)
        await self.pilot.pause()

    async def until(self, seen: Callable[[], bool]) -> None:
        """Let the application work until something can be seen."""
        for _ in range(500):
            if seen():
                return
            await self.pilot.pause(0.01)
        pytest.fail(f"never seen:\n{self.text}")

    async def step(self, seconds: float = 1.0) -> None:
        """Let the clocks go on and the application look at them."""
        self.now += seconds
        self.app._tick()
        await self.pilot.pause()


ENVIRONMENT = {"XDG_CONFIG_HOME": "/nowhere", "TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": None}
"""No themes of whoever runs the tests, and a terminal with all colours; None = not set."""


@asynccontextmanager
async def opened(
    size: tuple[int, int] = (80, 24), env: Mapping[str, str | None] | None = None, **changes: object
) -> AsyncIterator[Bench]:
    """The application at a size; `changes` are its arguments, `settings` a dict of changes to the usual ones."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, **(env or {})}.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        async with running(size, changes) as bench:
            yield bench


@asynccontextmanager
async def running(size: tuple[int, int], changes: dict[str, object]) -> AsyncIterator[Bench]:
    started: list[str] = []
    intervals: list[float] = []
    bench: Bench

    async def start() -> None:
        started.append(screen.text(app))

    settings = tui_child.settings(**changes.pop("settings", {}))  # type: ignore[arg-type]
    arguments: dict[str, object] = {
        "store": tui_child.rack_store(),
        "settings": settings,
        "panes": tui_child.PANES,
        "start": start,
        "set_fast": intervals.append,
        "clock": lambda: bench.now,
        "wall": lambda: tui_child.WALL + bench.now,
        **changes,
    }
    bench = Bench(None, None, arguments["store"], started, intervals)  # type: ignore[arg-type]
    app = bench.app = SparkApp(**arguments)  # type: ignore[arg-type]
    async with app.run_test(size=size, notifications=True) as pilot:
        bench.pilot = pilot
        await pilot.pause()
        yield bench


def put(bench: Bench, name: str, mhz: int) -> None:
    bench.store.put_node(name, tui_child.node(mhz), bench.now)
