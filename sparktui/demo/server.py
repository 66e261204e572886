"""The SSH server of a simulated node: real SSH, and for the probe's command a python3 whose /proc is the model's."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import socket
import threading
import zlib
from functools import partial
from typing import Any

import asyncssh

from sparktui.demo.cable import Plug
from sparktui.demo.reader import DemoReader

NOT_FOUND = 127
"""What a shell returns for a command that is not there."""

MAX_PAYLOAD = 16 << 20

_SIZE = re.compile(r"len\(b\)<(\d{1,9}):")
"""How the bootstrap says how many bytes of program follow on stdin."""


def payload_size(command: str) -> int | None:
    """How many bytes of program the probe's command reads from stdin; None for any other command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if "python3" not in words[:2] or "-c" not in words:
        return None
    match = _SIZE.search(words[-1])
    size = int(match[1]) if match else 0
    return size if 0 < size <= MAX_PAYLOAD else None


def run_probe(reader: DemoReader, size: int, inp: int, out: int) -> int:
    """What the node's python3 does: read the program, execute it, call its main; returns the exit status."""
    data = b""
    while len(data) < size:
        part = os.read(inp, size - len(data))
        if not part:
            return 1
        data += part
    space: dict[str, Any] = {"__name__": "sparktui.probe.entry"}
    exec(zlib.decompress(data), space)
    return int(space["main"](reader, inp, out, dead_man=False))


class NodeServer:
    """The SSH server of one node: it lets in whoever holds the demo's client key, and runs the probe for them."""

    def __init__(self, reader: DemoReader, client_key: asyncssh.SSHKey) -> None:
        self._reader = reader
        self.host_key = asyncssh.generate_private_key("ssh-ed25519")
        self._options = asyncssh.SSHServerConnectionOptions(
            server_host_keys=[self.host_key],
            authorized_client_keys=asyncssh.import_authorized_keys(client_key.export_public_key().decode()),
            process_factory=self._process,
            encoding=None,
            password_auth=False,
            kbdint_auth=False,
            allow_scp=False,
            agent_forwarding=False,
            x11_forwarding=False,
        )
        self.plug = Plug(self._serve, lambda: reader.silent)
        self.port = 0

    async def listen(self, host: str) -> None:
        self.port = await self.plug.listen(host)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            await asyncssh.run_server(connection, options=self._options)
        except (OSError, asyncssh.Error):
            connection.close()

    async def _process(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        size = payload_size(process.command or "")
        if size is None:
            name = (process.command or "").split(" ", 1)[0] or "sh"
            process.stderr.write(f"bash: line 1: {name}: command not found\n".encode())
            process.exit(NOT_FOUND)
            return
        (inp, feed), (drain, out) = os.pipe(), os.pipe()
        await process.redirect(stdin=os.fdopen(feed, "wb", 0), stdout=os.fdopen(drain, "rb", 0))
        status = await in_thread(partial(self._run, size, inp, out))
        process.exit(status)

    def _run(self, size: int, inp: int, out: int) -> int:
        try:
            return run_probe(self._reader, size, inp, out)
        finally:
            os.close(inp)
            os.close(out)


async def in_thread(work: partial[int]) -> int:
    """Run what takes as long as a session does. Not in the loop's pool, whose threads would keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[int] = loop.create_future()

    def settle(status: int) -> None:
        if not done.done():
            done.set_result(status)

    def run() -> None:
        status = 1
        try:
            status = work()
        finally:
            try:
                loop.call_soon_threadsafe(settle, status)
            except RuntimeError:
                pass

    threading.Thread(target=run, daemon=True).start()
    return await done
