"""A node's network plug: TCP connections pass through here to its SSH server, and pulling it makes the node silent."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import cast

Serve = Callable[[socket.socket], Awaitable[None]]
"""Serves one connection on a connected socket."""


class Plug:
    """Listens for one node. While `pulled()`, connections stand but carry nothing, and new ones get no answer.

    It is asked for every piece of data, so that nothing gets through between the node's falling silent and its notice.
    """

    def __init__(self, serve: Serve, pulled: Callable[[], bool]) -> None:
        self._serve = serve
        self.pulled = pulled
        self._ends: set[End] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def listen(self, host: str) -> int:
        """Start; returns the port."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: End(self), host, 0)
        return int(self._server.sockets[0].getsockname()[1])

    def drop(self) -> None:
        """End all connections, as a machine does that was started anew and does not know them."""
        for end in list(self._ends):
            end.transport.abort()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.drop()

    def joined(self, end: End) -> None:
        """An end is connected; a client's is not read from before it has a peer."""
        self._ends.add(end)
        if end.peer is not None:
            return
        end.transport.pause_reading()
        if not self.pulled():
            task = asyncio.get_running_loop().create_task(self._relay(end))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def left(self, end: End) -> None:
        self._ends.discard(end)

    async def _relay(self, outer: End) -> None:
        near, far = socket.socketpair()
        inner = End(self)
        inner.peer = outer
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: inner, sock=near)
        outer.peer = inner
        if outer.transport.is_closing():
            inner.transport.abort()
        outer.transport.resume_reading()
        await self._serve(far)


class End(asyncio.Protocol):
    """One of the two ends of a relayed connection: the client's, or the SSH server's (which has its peer at once)."""

    transport: asyncio.Transport

    def __init__(self, plug: Plug) -> None:
        self._plug = plug
        self.peer: End | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._plug.joined(self)

    def data_received(self, data: bytes) -> None:
        if self.peer is not None and not self._plug.pulled():
            self.peer.transport.write(data)

    def connection_lost(self, _error: Exception | None) -> None:
        self._plug.left(self)
        if self.peer is not None and not self._plug.pulled():
            self.peer.transport.close()

    def pause_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.peer is not None:
            self.peer.transport.resume_reading()
