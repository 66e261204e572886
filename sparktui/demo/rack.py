"""The simulated rack as a whole: moves time on, and hands out what each node and the switch show at that moment."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping

from sparktui.demo.agent import Value
from sparktui.demo.cabling import Cabling
from sparktui.demo.node import DemoNode
from sparktui.demo.physics import IDLE_POWER_W, LoadProgram, inlet_c
from sparktui.demo.reader import DemoReader
from sparktui.demo.scenarios import NODES, SCENARIOS, Scenario
from sparktui.demo.switch_tables import SwitchTables

STEP_S = 0.25
"""The longest step: load starts and stops, and heat moves, within it."""

JOB_NOTICES_S, JOB_RESTARTS_S = 1.5, 8.0
"""A job ends everywhere this long after one of its nodes is gone, and is started again this long after it is back."""


class DemoRack:
    """Four Sparks and their switch.

    Its time, `now`, counts seconds from 0: it follows `clock` (monotonic seconds) where one is given, else only `step`
    moves it. `speed` shortens phases of load and the time heat takes; counters and clocks run at their own pace, so
    rates stay right. `near_wrap` starts the narrow counters just below their limits, `port_refresh_s` is the step in
    which the switch refreshes its own. Safe for several threads.
    """

    def __init__(
        self,
        scenario: str = "healthy",
        seed: int = 1,
        speed: float = 1.0,
        clock: Callable[[], float] | None = None,
        wall: Callable[[], float] = time.time,
        near_wrap: bool = False,
        port_refresh_s: float = 1.0,
    ) -> None:
        self.scenario: Scenario = SCENARIOS[scenario]
        self.lock = threading.RLock()
        self.now = 0.0
        self.near_wrap = near_wrap
        self._clock = clock
        self._started = clock() if clock else 0.0
        self._wall, self._wall_started = wall, wall()
        self._program = LoadProgram(seed, speed)
        self._cabling = Cabling(self.scenario, seed)
        self.nodes: Mapping[str, DemoNode] = {
            name: DemoNode(name, self.scenario, seed, speed, self._cabling) for name in NODES
        }
        self._readers = {name: DemoReader(self, node) for name, node in self.nodes.items()}
        self._job_off_from = self._job_off_until = math.inf
        running = self._running(0.0)
        powers = [node.gpu.traits.power_w if running[name] else IDLE_POWER_W for name, node in self.nodes.items()]
        for slot, (name, node) in enumerate(self.nodes.items()):
            node.settle(0.0, running[name], inlet_c(slot, powers))
        self.switch = SwitchTables(self.scenario, seed, self._cabling.ports(), port_refresh_s, near_wrap)

    def reader(self, node: str) -> DemoReader:
        """What a probe on this node reads from, at the current time of each read."""
        return self._readers[node]

    def switch_table(self) -> Mapping[tuple[int, ...], Value]:
        """All that the switch answers over SNMP now; the same mapping until its counters are refreshed."""
        with self.lock:
            self.catch_up()
            return self.switch.table()

    def catch_up(self, within_s: float = 0.0) -> None:
        """Move on to the clock's time, unless that is less than `within_s` ahead."""
        if self._clock is None:
            return
        with self.lock:
            ahead = self._clock() - self._started - self.now
            if ahead > within_s:
                self.step(ahead)

    def step(self, dt: float) -> None:
        """Move the rack's time on by `dt` seconds."""
        with self.lock:
            end = self.now + dt
            while self.now < end - 1e-9:
                self._step(min(end, self.now + STEP_S, self.switch.next_refresh))

    def wall(self, node: str) -> float:
        """Seconds since the epoch by this node's clock."""
        elapsed = self._wall() - self._wall_started if self._clock is not None else self.now
        return self._wall_started + elapsed + self.nodes[node].wall_offset_s

    def reboot(self, node: str) -> None:
        """Boot a node: another boot id, uptime and every counter from zero, its NICs' too; the switch counts on."""
        with self.lock:
            self.nodes[node].boot(self.now)

    def jump_clock(self, node: str, seconds: float) -> None:
        """Set a node's wall clock forward (or back, if negative); its monotonic clock is untouched."""
        self.nodes[node].wall_offset_s += seconds

    def silence(self, node: str, silent: bool) -> None:
        """Cut a node off, or connect it again as it was."""
        with self.lock:
            self.nodes[node].silent = silent
            if silent:
                self._job_off_from, self._job_off_until = self.now + JOB_NOTICES_S, math.inf
            else:
                self._job_off_until = self.now + JOB_RESTARTS_S

    def _running(self, t: float) -> dict[str, bool]:
        off = self._job_off_from <= t < self._job_off_until
        return {name: not off and self._program.running(t, node.index) for name, node in self.nodes.items()}

    def _step(self, end: float) -> None:
        dt, self.now = end - self.now, end
        self._follow_outage()
        answering = {name for name, node in self.nodes.items() if not node.silent}
        running = self._running(end)
        self._cabling.step(end, dt, answering, all(running.values()) and len(answering) == len(NODES))
        powers = [node.gpu.power_w for node in self.nodes.values()]
        for slot, (name, node) in enumerate(self.nodes.items()):
            node.step(end, dt, running[name], inlet_c(slot, powers))
        if end >= self.switch.next_refresh - 1e-9:
            self.switch.refresh(end)

    def _follow_outage(self) -> None:
        outage = self.scenario.outage
        if outage is None:
            return
        node = self.nodes[outage.node]
        if not node.silent and outage.start_s <= self.now < outage.end_s:
            self.silence(outage.node, True)
        elif node.silent and self.now >= outage.end_s and node.boots == 0:
            self.reboot(outage.node)
            self.silence(outage.node, False)
