"""One task per node: connect, run the probe, decode, derive, store; and what to do when something is in the way.

A node that fails changes its own row and nothing else.
"""

from __future__ import annotations

import asyncio
import random as system_random
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from sparktui import contract
from sparktui.config import NodeConfig, Settings
from sparktui.probe import payload
from sparktui.probe.clock import ClockOffset
from sparktui.probe.lines import Beat, ErrorLine, Hello, LineError, Message, Sample, decode, plain
from sparktui.store import Store
from sparktui.transports import connect
from sparktui.transports.base import Line, Link, Session, TransportError

BEAT_S = 2.0
CHECK_S = 0.25
STALE_INTERVALS = 2.0
SILENT_S = 10.0
"""A probe that says nothing for so long, not even the answer to a beat, is ended and started again."""
FIRST_LINE_S = 30.0
"""The same before its first line: the login's own scripts come before it, and starting again would not hurry them."""
NO_ANSWER_S = 5.0
"""How long a first connection may take before the node is called unreachable; the attempt goes on."""
RETRY_S, LONGEST_RETRY_S, SLOW_RETRY_S = 0.5, 15.0, 30.0
SLOW_STATES = ("auth_failed", "host_key_changed", "no_python")
"""States that only a person ends, and where knocking often does harm (bans, alarms)."""
GOOD_S = 60.0
"""After so long a good connection the next failure is the first again."""
CONNECTS_AT_ONCE = 16
MAX_NOISE = 64 << 10
"""Bytes a login may print before the probe's first line."""
MAX_LINES_PER_CHECK = 200
CLOSE_S = 2.0


class Deriver(Protocol):
    """Turns the samples of one node into its views (sparktui/derive.py)."""

    def start(self, boot_id: str | None) -> None: ...

    def update(self, readings: Any, errors: Mapping[str, str], mono: float) -> contract.Node: ...


class Poller:
    """All nodes of a rack. `run` until `close`; the store gets every view and every state.

    `random` gives 0..1 for the jitter of reconnects. The clock of the views is time.monotonic, as in the transports.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        deriver: Callable[[NodeConfig], Deriver],
        random: Callable[[], float] = system_random.random,
    ) -> None:
        self._store = store
        self.fast_s = settings.sampling.fast_s
        gate = asyncio.Semaphore(CONNECTS_AT_ONCE)
        self.nodes = {
            node.name: NodePoller(node, settings, store, deriver(node), gate, random) for node in settings.nodes
        }
        self._tasks: list[asyncio.Task[None]] = []
        self._closed = False

    @property
    def logins(self) -> dict[str, int]:
        """How often each node was logged in to: once, as long as nothing breaks."""
        return {name: node.logins for name, node in self.nodes.items()}

    async def run(self) -> None:
        """Watch all nodes until `close` or cancelled."""
        try:
            program = await asyncio.to_thread(payload.build)
            if not self._closed:
                self._tasks = [asyncio.create_task(node.run(program)) for node in self.nodes.values()]
        except ImportError as error:
            for name in self.nodes:
                self._store.set_node_state(name, "probe_failed", f"this installation is incomplete: {error}")
        try:
            while not self._closed:
                self.check(time.monotonic())
                await asyncio.sleep(CHECK_S)
        finally:
            for task in self._tasks:
                task.cancel()

    def check(self, now: float) -> None:
        """Notice what never announces itself: silence. Also sends the beats. `now` is time.monotonic's."""
        for node in self.nodes.values():
            node.check(now)

    def set_fast(self, seconds: float) -> None:
        """Sample every `seconds` from now on, without a new connection."""
        self.fast_s = self._store.interval_s = seconds
        for node in self.nodes.values():
            node.set_fast(seconds)

    async def close(self) -> None:
        """End the probes and close the connections, within 2 s also where a node does not answer."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        closing = [asyncio.create_task(node.close()) for node in self.nodes.values()]
        if closing:
            _, late = await asyncio.wait(closing, timeout=CLOSE_S)
            for task in late:
                task.cancel()


class ProbeCost:
    """What a running probe costs the node per fast sample: a mean over about the last 30, without its start.

    The start (imports, NVML, the first look of the slow tier) is in the lines of the first two intervals.
    """

    __slots__ = ("_bytes", "_cpu_ms", "_ends", "_samples")

    def __init__(self) -> None:
        self._ends: float | None = None
        self._samples = 0
        self._cpu_ms = self._bytes = 0.0

    def add(self, sample: Sample, size: int) -> None:
        """Take a line of `size` bytes."""
        if self._ends is None:
            self._ends = sample.mono + 2 * sample.fast_s
        if sample.mono < self._ends:
            return
        self._samples += 1
        weight = 1 / min(self._samples, 30)
        self._cpu_ms += (sample.cpu_ms - self._cpu_ms) * weight
        self._bytes += (size - self._bytes) * weight

    @property
    def cpu_ms(self) -> float | None:
        return round(self._cpu_ms, 3) if self._samples else None

    @property
    def size(self) -> int | None:
        """Bytes per line."""
        return round(self._bytes) if self._samples else None


class NodePoller:
    """One node: its link, the probe on it, and its state in the store."""

    def __init__(
        self,
        node: NodeConfig,
        settings: Settings,
        store: Store,
        deriver: Deriver,
        gate: asyncio.Semaphore,
        random: Callable[[], float],
    ) -> None:
        self.logins = 0
        self._node, self._settings, self._store, self._deriver = node, settings, store, deriver
        self._gate, self._random = gate, random
        self._fast_s = self._sampled_fast_s = settings.sampling.fast_s
        self._link: Link | None = None
        self._session: Session | None = None
        self._clock = ClockOffset()
        self._failures = 0
        self._beat = 0
        self._lines = 0
        self._began_at: float | None = None
        self._beat_at = self._heard_at = self._sampled_at = 0.0
        self._silent_s = FIRST_LINE_S
        self._live_since: float | None = None
        self._cost = ProbeCost()

    async def run(self, program: payload.Payload) -> None:
        """Connect and watch, again and again, for ever."""
        while True:
            try:
                await self._watch(program)
            except TransportError as error:
                fault = error
            except LineError as error:
                fault = TransportError("probe_failed", f"the probe says nonsense: {error}")
            except Exception as error:
                fault = TransportError("probe_failed", f"internal error: {type(error).__name__}: {error}")
            self._store.set_node_state(self._node.name, fault.state, fault.text)
            if fault.state == "unreachable":
                await self._drop_link()
            await asyncio.sleep(self.pause(fault.state))

    def check(self, now: float) -> None:
        """See Poller.check."""
        session, state = self._session, self._store.nodes[self._node.name].view.state
        if session is None:
            if state == "connecting" and self._began_at is not None and now - self._began_at > NO_ANSWER_S:
                text = f"no answer yet from {self._node.host or self._node.name}"
                self._store.set_node_state(self._node.name, "unreachable", text)
            return
        if state == "live" and now - self._sampled_at > STALE_INTERVALS * max(self._fast_s, self._sampled_fast_s):
            self._store.set_node_state(self._node.name, "stale", "connected, but no sample comes")
        if now - self._heard_at > self._silent_s:
            text = f"the probe was silent for {self._silent_s:.0f} s: started again"
            session.fail(TransportError("probe_failed", text))
        elif self._lines > MAX_LINES_PER_CHECK:
            session.fail(TransportError("probe_failed", f"the node sends {self._lines} lines in {CHECK_S} s"))
        elif now - self._beat_at >= BEAT_S:
            session.send(self._next_beat())
        self._lines = 0

    def set_fast(self, seconds: float) -> None:
        self._fast_s = seconds
        if self._session:
            self._session.send(f"fast {seconds}\n".encode())

    async def close(self) -> None:
        """Ask the probe to end, then close the link."""
        if self._session:
            self._session.send(b"quit\n")
            await self._session.close(CLOSE_S / 2)
        await self._drop_link()

    async def _watch(self, program: payload.Payload) -> None:
        """One probe from its start to its end, which is always an exception."""
        self._cost, self._live_since = ProbeCost(), None
        if self._link is None:
            async with self._gate:
                self._began_at = time.monotonic()
                self._link = await connect(self._node, self._settings.ssh)
            self.logins += 1
        self._clock = ClockOffset()
        orders = f"fast {self._fast_s}\nslow {self._settings.sampling.slow_s}\n".encode()
        try:
            session = await self._link.start(program.argv, program.data + orders + self._next_beat())
        except TransportError:
            await self._drop_link()
            raise
        self._heard_at, self._silent_s = time.monotonic(), FIRST_LINE_S
        self._session = session
        try:
            hello = await self._hello(session)
            self._silent_s = SILENT_S
            self._deriver.start(hello.boot_id)
            session.send(self._next_beat())
            while True:
                line = await session.line()
                self._lines += 1
                self._take(decode(line.data), line, hello)
        except Exception:
            self._session = None
            session.kill()
            raise

    async def _hello(self, session: Session) -> Hello:
        """The probe's first line; what a login prints before it is passed over."""
        noise, noise_size = "", 0
        while True:
            try:
                line = await session.line()
            except TransportError as fault:
                raise TransportError(fault.state, f"{fault.text} ({noise})" if noise else fault.text) from None
            try:
                # What was printed without a line break at its end, as a terminal's title, stands before it.
                message = decode(line.data[max(0, line.data.rfind(b'{"type"')) :])
            except LineError:
                message = None
            match message:
                case Hello():
                    self._heard_at = line.at
                    return message
                case ErrorLine(text):
                    raise TransportError("no_python" if "too old" in text else "probe_failed", text)
            noise = plain(line.data.decode("utf-8", "replace")) or noise
            noise_size += len(line.data) + 1
            if noise_size > MAX_NOISE:
                raise TransportError("probe_failed", f"the login prints and does not run the probe: {noise}")

    def _take(self, message: Message, line: Line, hello: Hello) -> None:
        self._heard_at = line.at
        match message:
            case Beat(n, mono, wall):
                self._clock.answered(n, line.at, mono, wall)
            case Sample():
                self._sampled_at, self._sampled_fast_s = line.at, message.fast_s
                self._live_since = self._live_since or line.at
                node = self._deriver.update(message.s, message.errors, message.mono)
                self._store.put_node(self._node.name, self._completed(node, message, line, hello), line.at)
            case ErrorLine(text):
                raise TransportError("probe_failed", text)

    def _completed(self, node: contract.Node, sample: Sample, line: Line, hello: Hello) -> contract.Node:
        """The view with what only the connection knows: the clocks, and what watching costs."""
        self._cost.add(sample, len(line.data))
        offset = self._clock.offset
        return replace(
            node,
            clock_offset_ms=offset and round(offset.wall_s * 1e3, 3),
            clock_error_ms=offset and round(offset.error_s * 1e3, 3),
            probe=contract.Probe(
                cpu_ms_per_sample=self._cost.cpu_ms,
                version=hello.version,
                python=hello.python,
                bytes_per_sample=self._cost.size,
                fast_s=sample.fast_s,
            ),
        )

    def _next_beat(self) -> bytes:
        self._beat += 1
        self._beat_at = time.monotonic()
        self._clock.sent(self._beat, self._beat_at, time.time())
        return f"beat {self._beat}\n".encode()

    def pause(self, state: contract.NodeState) -> float:
        """Seconds until the next attempt: longer with each failure, and scattered so that nodes do not come at once."""
        if self._live_since is not None and time.monotonic() - self._live_since > GOOD_S:
            self._failures = 0
        longest = min(LONGEST_RETRY_S, RETRY_S * 2 ** min(self._failures, 10))
        self._failures += 1
        return SLOW_RETRY_S if state in SLOW_STATES else RETRY_S + self._random() * (longest - RETRY_S)

    async def _drop_link(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.close()
