"""This machine as a node: the same programs as over SSH, as child processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import cast

from sparktui.config import NodeConfig, SshConfig
from sparktui.transports.base import Session, TransportError


async def connect(_node: NodeConfig, _ssh: SshConfig) -> LocalLink:
    return LocalLink()


class LocalLink:
    """Starts programs here; there is nothing to connect to."""

    async def start(self, argv: Sequence[str], data: bytes) -> Session:
        """Run a program in a session of its own. "python3" is the interpreter that runs us: it need not be on PATH."""
        program = sys.executable if argv[0] == "python3" else argv[0]
        session = Session()
        loop = asyncio.get_running_loop()
        try:
            await loop.subprocess_exec(lambda: Child(session), program, *argv[1:], start_new_session=True)
        except OSError as error:
            raise TransportError("probe_failed", f"cannot run {program}: {error.strerror}") from None
        session.send(data)
        return session

    async def close(self) -> None:
        """Nothing is kept open."""


class Child(asyncio.SubprocessProtocol):
    """Feeds a session from a child process, and is its pipe."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._process = cast(asyncio.SubprocessTransport, transport)
        self._session.attach(self)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._session.received(data)
        else:
            self._session.complained(data)

    def connection_lost(self, _error: Exception | None) -> None:
        """The process has ended and all it wrote was read."""
        code = self._process.get_returncode()
        if code is not None and code < 0:
            self._session.ended(signal=signal.Signals(-code).name.removeprefix("SIG"))
        else:
            self._session.ended(status=code)

    def write(self, data: bytes) -> None:
        cast(asyncio.WriteTransport, self._process.get_pipe_transport(0)).write(data)

    def pause_reading(self) -> None:
        cast(asyncio.ReadTransport, self._process.get_pipe_transport(1)).pause_reading()

    def resume_reading(self) -> None:
        cast(asyncio.ReadTransport, self._process.get_pipe_transport(1)).resume_reading()

    def kill(self) -> None:
        """End the process and what it may have started: it leads a process group of its own."""
        if self._process.get_returncode() is None:
            os.killpg(self._process.get_pid(), signal.SIGKILL)

    def close(self) -> None:
        self._process.close()
