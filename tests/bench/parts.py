"""What the parts of the client cost, each alone, in this process: lines, views, rules, panes."""

from __future__ import annotations

import asyncio
import gc
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from sparktui.config import NodeConfig, Settings
from sparktui.contract import Node, Switch
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import NODES, SWITCH
from sparktui.derive import NodeDeriver
from sparktui.panes.registry import panes
from sparktui.probe.encode import encode
from sparktui.probe.lines import Sample, decode
from sparktui.probe.report import Report
from sparktui.probe.source import Reading
from sparktui.store import SERIES_LENGTH, Store
from sparktui.switch.attached import ports_of
from sparktui.ui.app import SparkApp
from sparktui.verdicts import registry
from sparktui.verdicts.base import Moment
from sparktui.verdicts.engine import Engine
from tests import demo_world, screen
from tests.bench.figures import Figure
from tests.bench.terminal import COLUMNS, ROWS

SECONDS = 60
ROUNDS = 5
DRAWINGS = 40

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Recording:
    """A minute of the simulated rack under load: each second's lines by node, and the switch."""

    seconds: list[dict[str, bytes]]
    switch: Switch


def record() -> Recording:
    world = demo_world.World(DemoRack())
    world.run(12)
    rack = world.rack
    probes = {name: (demo_world.Probe(rack, name), Report({})) for name in NODES}
    seconds: list[dict[str, bytes]] = []
    for _ in range(SECONDS):
        rack.step(1.0)
        seconds.append({name: line(*probe, rack.now) for name, probe in probes.items()})
    return Recording(seconds, world.switch)


def line(probe: demo_world.Probe, report: Report, now: float) -> bytes:
    """What the probe writes at a tick."""
    samples, errors = probe.tick(now)
    for name, sample in samples.items():
        report.take(Reading(name, encode(sample), None))
    for name, error in errors.items():
        report.take(Reading(name, None, error))
    return report.line(probe.reader.monotonic(), probe.reader.wall(), 1.0, 1.0).encode()


def timed(work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> tuple[Result, float]:
    """What the work gives, and the milliseconds of CPU it took."""
    before = time.thread_time()
    result = work(*given, **named)
    return result, (time.thread_time() - before) * 1e3


@dataclass(slots=True)
class Pass:
    """One pass over a recording, as the client would take it; milliseconds of CPU per node and second."""

    decode_ms: float = 0.0
    derive_ms: float = 0.0
    store_ms: float = 0.0
    rules_ms: float = 0.0


def take(recording: Recording) -> tuple[Pass, list[dict[str, Node]]]:
    """All lines to views, store and rules; the views of every second."""
    ports = ports_of({SWITCH: recording.switch})
    derivers = {name: NodeDeriver(NodeConfig(name=name), lambda *nic: ports.get(nic)) for name in NODES}
    store, engine = Store(list(NODES), [SWITCH]), Engine(registry.rules())
    spent, count = Pass(), len(recording.seconds) * len(NODES)
    history: list[dict[str, Node]] = []
    for now, lines in enumerate(recording.seconds):
        views: dict[str, Node] = {}
        for name, data in lines.items():
            sample, took = timed(decode, data)
            assert isinstance(sample, Sample)
            spent.decode_ms += took / count
            views[name], took = timed(derivers[name].update, sample.s, sample.errors, sample.mono)
            spent.derive_ms += took / count
            _, took = timed(store.put_node, name, views[name], now)
            spent.store_ms += took / count
        history.append(views)
        moment = Moment(float(now), views, {SWITCH: recording.switch}, NODES)
        _, took = timed(engine.update, moment, 1.79e9 + now)
        spent.rules_ms += took / count
    return spent, history


def parts() -> list[Figure]:
    recording = record()
    passes = [take(recording) for _ in range(ROUNDS)]
    spent, history = [one for one, _ in passes], passes[-1][1]
    sizes = [len(data) / 1024 for lines in recording.seconds for data in lines.values()]
    return [
        Figure("probe: one line of a Spark", "KiB", sizes),
        Figure("client: decode one sample", "ms", [one.decode_ms for one in spent]),
        Figure("client: derive one sample", "ms", [one.derive_ms for one in spent]),
        Figure("client: store one sample", "ms", [one.store_ms for one in spent]),
        Figure("client: rules, per node and look", "ms", [one.rules_ms for one in spent]),
        *asyncio.run(drawings(recording, history)),
    ]


async def drawings(recording: Recording, history: list[dict[str, Node]]) -> list[Figure]:
    """Every pane at 120x40, ten minutes of history behind it, each drawing after a second's new samples."""
    now = 0.0
    store = Store(list(NODES), [SWITCH])
    seconds = itertools.cycle(history)

    def pass_a_second() -> None:
        nonlocal now
        now += 1.0
        for name, view in next(seconds).items():
            store.put_node(name, view, now)

    for _ in range(SERIES_LENGTH):
        pass_a_second()
    store.put_switch(SWITCH, recording.switch, now)

    async def start() -> None:
        """Nothing to poll."""

    app = SparkApp(
        store=store,
        settings=Settings(nodes=[NodeConfig(name=name) for name in NODES]),
        panes=panes(),
        start=start,
        set_fast=lambda _seconds: None,
        clock=lambda: now,
        wall=lambda: 1.79e9 + now,
    )
    found: list[Figure] = []
    gc.collect()
    gc.freeze()  # As the program does: what was imported is not searched for garbage.
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
        for pane in panes():
            app.action_pane(pane.id)
            await pilot.pause()
            took: list[float] = []
            for _ in range(DRAWINGS):
                pass_a_second()
                took.append(timed(app.redraw)[1])
                await pilot.pause()
            if "could not be drawn" in screen.text(app):
                raise RuntimeError(screen.text(app))
            found.append(Figure(f"drawing: {pane.title}", "ms", took))
    return found
