"""Everything that watches a rack, put together, with the terminal program or without. Only the commands know it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import time
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from sparktui.config import NodeConfig, RackConfig, Settings
from sparktui.contract import Finding, Rack
from sparktui.demo.scenarios import NODES, SWITCH
from sparktui.derive import NodeDeriver
from sparktui.store import Store
from sparktui.switch.attached import ports_of
from sparktui.transports import LOCAL
from sparktui.verdicts import registry
from sparktui.verdicts.base import Moment
from sparktui.verdicts.engine import Engine

JUDGE_S = 0.5
"""How soon the rules look at what is new: a sample counts once, so this is the delay of a finding, not its weight."""
IDLE_JUDGE_S = 1.0
"""How often they look where nothing is new: a state may have lasted long enough."""
SETTLED_S = 5.0
"""So long after the first frame everything is imported and, where it can be, connected."""


class RackUnavailable(Exception):
    """There is nothing to watch; the text says why."""


class Monitor:
    """The pollers of one rack, the store they fill, and the rules that judge it.

    With `demo` the rack is simulated: `settings` then only carries what is not about targets (sampling, findings, ui).
    `start` connects; `stop` ends everything that was started, on the nodes too, within a few seconds.
    """

    def __init__(self, settings: Settings, demo: str | None = None, wall: Callable[[], float] = time.time) -> None:
        if demo is not None:
            names = [NodeConfig(name=name) for name in NODES]
            settings = replace(settings, nodes=names, switches={}, rack=RackConfig(name="demo"))
        self.settings = settings
        self.clock = time.monotonic
        self._wall = wall
        self._demo = demo
        nodes = [node.name for node in settings.nodes]
        switches = [SWITCH] if demo is not None else list(settings.switches)
        self.store = Store(nodes, switches, settings.sampling.fast_s)
        self._fast_s = settings.sampling.fast_s
        self._engine: Engine | None = None
        self._closing: list[Callable[[], Awaitable[None] | None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._set_fast: Callable[[float], None] | None = None
        self._judged = asyncio.Event()
        self._ports: dict[tuple[str, str], tuple[str, str]] = {}

    async def start(self) -> None:
        """Start whatever has to be polled. Raises RackUnavailable where a demo does not come up."""
        imported = asyncio.create_task(asyncio.to_thread(self._import_ssh))
        if self._demo is not None:
            await self._start_demo(self._demo)
        settings = self.settings
        self._engine = Engine(registry.rules(), settings.findings, settings.rack.order)
        from sparktui.poller import Poller
        from sparktui.transports.switches import SwitchPoller

        poller = Poller(settings, self.store, self._deriver)
        poller.set_fast(self._fast_s)
        self._set_fast = poller.set_fast
        self._closing.append(poller.close)
        switches = SwitchPoller(settings.switches, self.store)
        self._closing.append(switches.close)
        starting = self._start_switches(imported, switches.start)
        self._tasks = [asyncio.create_task(task) for task in (poller.run(), self._judge(), starting)]

    async def stop(self) -> None:
        """End everything that `start` started. Safe to call at any time, also after a start that failed half way."""
        for task in self._tasks[1:]:
            task.cancel()
        for close in self._closing:
            with contextlib.suppress(OSError):
                done = close()
                if done is not None:
                    await done
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks, self._closing = [], []

    def set_fast(self, seconds: float) -> None:
        """Sample every `seconds` from now on."""
        self._fast_s = self.store.interval_s = seconds
        if self._set_fast is not None:
            self._set_fast(seconds)

    def rack(self, with_ended: bool = False) -> Rack:
        """All that is known now; with the findings that ended during the watch where asked for."""
        rack = self.store.rack(self.clock(), self._wall())
        ended: list[Finding] = list(self._engine.ended) if with_ended and self._engine else []
        return replace(rack, findings=[*rack.findings, *ended])

    async def until(self, done: Callable[[Rack], bool], seconds: float) -> Rack:
        """The rack as soon as `done` says so, or after `seconds`."""
        end = self.clock() + seconds
        while not done(rack := self.rack()) and self.clock() < end:
            self._judged.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._judged.wait(), max(0.0, end - self.clock()))
        return rack

    def _import_ssh(self) -> None:
        """What takes longest of all that nodes need. Where it is missing, the poller says so."""
        if any(node.host != LOCAL for node in self.settings.nodes):
            with contextlib.suppress(ImportError):
                importlib.import_module("sparktui.transports.ssh")

    @staticmethod
    async def _start_switches(imported: asyncio.Task[None], start: Callable[[], None]) -> None:
        """Begin once the nodes can: SNMP's library, imported beside SSH's, would make every node live later."""
        await imported
        start()

    async def _start_demo(self, scenario: str) -> None:
        from sparktui.demo.launch import DemoError, start

        try:
            demo = await start(scenario)
        except DemoError as error:
            raise RackUnavailable(str(error)) from None
        self._closing.append(demo.close)
        simulated = demo.settings
        self.settings = replace(
            self.settings, nodes=simulated.nodes, switches=simulated.switches, rack=simulated.rack, ssh=simulated.ssh
        )

    def _deriver(self, node: NodeConfig) -> NodeDeriver:
        return NodeDeriver(node, self._port_of)

    def _port_of(self, node: str, nic: str) -> tuple[str, str] | None:
        return self._ports.get((node, nic))

    async def _judge(self) -> None:
        """Let the rules look, for ever."""
        assert self._engine is not None
        version, judged_at = -1, self.clock()
        while True:
            await asyncio.sleep(JUDGE_S)
            now = self.clock()
            if self.store.version != version or now - judged_at >= IDLE_JUDGE_S:
                self._look(self._engine, now)
                version, judged_at = self.store.version, now
            self._judged.set()

    def _look(self, engine: Engine, now: float) -> None:
        switches = {name: target.view for name, target in self.store.switches.items()}
        nodes = {name: target.view for name, target in self.store.nodes.items()}
        self._ports = ports_of(switches)
        moment = Moment(now, nodes, switches, tuple(self.settings.rack.order))
        self.store.set_findings(engine.update(moment, self._wall()))


def watch(
    settings: Settings,
    *,
    demo: str | None,
    theme: str | None,
    interval_s: float | None,
    read_only: bool,
    ascii_only: bool,
    mouse: bool,
) -> int:
    """The terminal program on a rack; returns the exit code."""
    gc.disable()
    monitor = Monitor(settings, demo=demo)
    if interval_s is not None:
        monitor.set_fast(interval_s)
    from sparktui.panes.registry import panes
    from sparktui.ui.run import run_tui

    async def start() -> None:
        asyncio.get_running_loop().call_later(SETTLED_S, settle)
        await monitor.start()

    return run_tui(
        store=monitor.store,
        settings=monitor.settings,
        panes=panes(),
        start=start,
        stop=monitor.stop,
        set_fast=monitor.set_fast,
        demo=demo,
        read_only=read_only,
        ascii_only=ascii_only,
        mouse=mouse,
        theme=theme,
    )


def settle() -> None:
    """Collect garbage from now on, and only among what is made from now on.

    The imported modules never become garbage, and a search of everything takes 35-80 ms, in which no key is answered.
    """
    gc.freeze()
    gc.enable()
