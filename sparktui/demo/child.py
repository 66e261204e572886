"""The child process of a demo: the nodes' SSH servers and the switch's SNMP agent, on loopback.

It ends when its parent does: with the end of its stdin, and by the kernel's word where the parent is killed. Keys live
in a folder of mode 0700 that is removed at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

import asyncssh

from sparktui.demo.agent import SnmpAgent
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import SCENARIOS, SWITCH
from sparktui.demo.server import NodeServer

HOST, USER = "127.0.0.1", "nvidia"
LOOK_S = 0.2
"""How often it is looked whether a node came back."""

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until stdin ends or SIGTERM comes; the first line on stdout says where, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m sparktui.demo")
    parser.add_argument("--scenario", choices=SCENARIOS, default="healthy")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parent", type=int, default=os.getppid())
    options = parser.parse_args()
    die_with(options.parent)
    rack = DemoRack(options.scenario, options.seed, options.speed, clock=time.monotonic)
    with tempfile.TemporaryDirectory(prefix="sparktui-demo-") as folder:
        asyncio.run(serve(rack, folder))


def die_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, however that does."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)


async def serve(rack: DemoRack, folder: str) -> None:
    """Open all ports, say where they are, and follow the scenario until it is time to end."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    loop.add_reader(sys.stdin, watch_parent, ended)
    client_key = asyncssh.generate_private_key("ssh-ed25519")
    servers = {name: NodeServer(rack.reader(name), client_key) for name in rack.nodes}
    for server in servers.values():
        await server.listen(HOST)
    community = secrets.token_hex(16)
    agent = SnmpAgent(rack.switch_table, community)
    port = await agent.start(HOST)
    said = {
        "nodes": {name: {"host": HOST, "port": server.port, "user": USER} for name, server in servers.items()},
        "snmp": {"name": SWITCH, "host": HOST, "port": port},
        **write_secrets(folder, client_key, servers, community),
    }
    print(json.dumps(said), flush=True)
    silent: set[str] = set()
    try:
        while not ended.is_set():
            silent = follow(rack, servers, silent)
            await wait(ended, LOOK_S)
    finally:
        agent.close()
        for server in servers.values():
            server.plug.close()


def watch_parent(ended: asyncio.Event) -> None:
    """Nothing is ever written to stdin: it ends when the parent lets go of it."""
    if not os.read(sys.stdin.fileno(), 4096):
        ended.set()


async def wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        pass


def follow(rack: DemoRack, servers: Mapping[str, NodeServer], before: set[str]) -> set[str]:
    """Let the nodes that were silent `before` and came back since drop their old connections; those silent now."""
    rack.catch_up(LOOK_S / 2)
    now = {name for name, node in rack.nodes.items() if node.silent}
    for name in before - now:
        servers[name].plug.drop()
    return now


def write_secrets(
    folder: str, client_key: asyncssh.SSHKey, servers: Mapping[str, NodeServer], community: str
) -> dict[str, Any]:
    """Write what the client needs to log in; returns the paths by what they are."""
    known = "".join(
        f"[{HOST}]:{server.port} {server.host_key.export_public_key().decode()}" for server in servers.values()
    )
    files = {
        "identity": client_key.export_private_key(),
        "known_hosts": known.encode(),
        "community": community.encode() + b"\n",
    }
    paths = {name: os.path.join(folder, name) for name in files}
    for name, data in files.items():
        with open(os.open(paths[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    return paths
