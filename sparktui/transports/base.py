"""What every transport gives: a link to a node, and on it programs whose lines are read as they come."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from sparktui.contract import NodeState
from sparktui.probe.lines import MAX_LINE, plain

STDERR_KEPT = 4096
MAX_QUEUED = 4 << 20
"""Bytes of lines not yet taken; beyond it the far side has to wait."""
LINE_COST = 128
"""What even an empty line takes here."""


class TransportError(Exception):
    """A node that cannot be watched: the state it is in, and one readable line with the remedy."""

    def __init__(self, state: NodeState, text: str) -> None:
        super().__init__(text)
        self.state: NodeState = state
        self.text = plain(text, 600)


class Line(NamedTuple):
    """One line without its line break, and when it arrived by our monotonic clock."""

    at: float
    data: bytes


class Pipe(Protocol):
    """The transport's end of a running program."""

    def write(self, data: bytes) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None: ...


class Link(Protocol):
    """A connection to one node. Every method raises TransportError."""

    async def start(self, argv: Sequence[str], data: bytes) -> Session:
        """Run a program and write `data` to its stdin."""
        ...

    async def close(self) -> None: ...


def shell_command(argv: Sequence[str]) -> str:
    """The one place where a command is quoted: for the login shell at the far end of an SSH connection."""
    return "exec " + shlex.join(argv)


class Session:
    """A program on a node. Transports feed it (`attach` to `ended`); one reader takes its lines."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pipe: Pipe | None = None
        self._partial: list[bytes] = []
        self._partial_size = 0
        self._lines: deque[Line] = deque()
        self.queued_bytes = 0
        self._paused = False
        self._waiter: asyncio.Future[None] | None = None
        self._closed = asyncio.Event()
        self._stderr = b""
        self._fault: TransportError | None = None

    def attach(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def received(self, data: bytes) -> None:
        """Bytes of stdout."""
        if self._fault:
            return
        now = self._clock()
        if b"\n" in data:
            *lines, rest = b"".join([*self._partial, data]).split(b"\n")
            self._partial, self._partial_size = [], 0
            for line in lines:
                self.queued_bytes += len(line) + LINE_COST
                self._lines.append(Line(now, line))
            self._wake()
        else:
            rest = data
        self._partial.append(rest)
        self._partial_size += len(rest)
        if self._partial_size > MAX_LINE:
            self._partial, self._partial_size = [], 0
            self.fail(TransportError("probe_failed", f"the node sends a line of more than {MAX_LINE >> 20} MiB"))
        elif self.queued_bytes > MAX_QUEUED and self._pipe and not self._paused:
            self._paused = True
            self._pipe.pause_reading()

    def complained(self, data: bytes) -> None:
        """Bytes of stderr: only the tail is kept."""
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]

    def ended(self, fault: TransportError | None = None, status: int | None = None, signal: str | None = None) -> None:
        """The program or its connection is gone: `fault` where the connection is to blame."""
        self._fault = self._fault or fault or end_of_program(status, signal, self.stderr_tail)
        self._closed.set()
        self._wake()

    def fail(self, fault: TransportError) -> None:
        """End the program because of what it did."""
        self._fault = self._fault or fault
        self.kill()
        self._wake()

    @property
    def stderr_tail(self) -> str:
        """The last line on stderr that says something."""
        lines = [plain(line, 200) for line in self._stderr.decode("utf-8", "replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")

    async def line(self) -> Line:
        """The next line. Raises the TransportError that ended the program, after the last line it wrote."""
        if self._lines:
            # A node that floods us must not keep everybody else from running.
            await asyncio.sleep(0)
        while not self._lines:
            if self._fault:
                raise self._fault
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        line = self._lines.popleft()
        self.queued_bytes -= len(line.data) + LINE_COST
        if self._paused and self._pipe and self.queued_bytes < MAX_QUEUED // 2:
            self._paused = False
            self._pipe.resume_reading()
        return line

    def send(self, data: bytes) -> None:
        """Write to the program's stdin; silently nothing where it has ended, which `line` tells."""
        if self._pipe and not self._closed.is_set():
            with contextlib.suppress(OSError):
                self._pipe.write(data)

    def kill(self) -> None:
        """End the program at once, also a stopped one, and let go of it.

        sshd passes no signal on to programs of root: there, and where the connection hangs, the probe's alarm ends it.
        """
        if self._pipe and not self._closed.is_set():
            with contextlib.suppress(OSError):
                self._pipe.kill()
            self._pipe.close()

    async def close(self, within_s: float) -> None:
        """Wait for the end of a program that was asked to quit; end it where it takes longer."""
        try:
            await asyncio.wait_for(self._closed.wait(), within_s)
        except TimeoutError:
            self.kill()

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)


def end_of_program(status: int | None, signal: str | None, complaint: str) -> TransportError:
    """Why a probe ended that was not asked to."""
    if status == 127 or ("python" in complaint and "not found" in complaint.lower()):
        return TransportError(
            "no_python",
            "no python3 for a login without a terminal: install it (sudo apt install python3) or put it on that PATH"
            + (f" ({complaint})" if complaint else ""),
        )
    how = f"by signal {signal}" if signal else "" if status is None else f"with exit status {status}"
    return TransportError("probe_failed", f"the probe ended {how}".rstrip() + (f": {complaint}" if complaint else ""))
