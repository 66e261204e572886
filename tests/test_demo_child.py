"""The demo's child process: real SSH, a real SNMP agent, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysnmp.hlapi.v3arch.asyncio import (
    CommunityData,
    ContextData,
    ObjectIdentity,
    ObjectType,
    SnmpEngine,
    UdpTransportTarget,
    get_cmd,
)

from sparktui.config import NodeConfig
from sparktui.demo.cable import Plug
from sparktui.demo.launch import Demo, DemoError, start
from sparktui.demo.scenarios import NODES, SWITCH
from sparktui.demo.server import payload_size
from sparktui.probe import payload
from sparktui.switch import oids


@pytest.fixture
async def demo() -> AsyncIterator[Demo]:
    demo = await start()
    yield demo
    demo.close()


def connect(demo: Demo, node: NodeConfig, **changes: Any) -> Any:
    options: dict[str, Any] = {
        "username": node.user,
        "client_keys": [demo.settings.ssh.identity],
        "known_hosts": demo.settings.ssh.known_hosts,
        "config": None,
    }
    return asyncssh.connect(node.host, node.port, **{**options, **changes})


async def first_lines(demo: Demo, node: NodeConfig, count: int) -> list[dict[str, Any]]:
    """The probe's first lines on one node, and its exit status as {"exit": ..}."""
    probe = payload.build()
    async with connect(demo, node) as connection, connection.create_process(probe.command, encoding=None) as process:
        process.stdin.write(probe.data + b"beat 7\n")
        lines = [json.loads(await process.stdout.readline()) for _ in range(count)]
        process.stdin.write(b"quit\n")
        done = await process.wait()
        return [*lines, {"exit": done.exit_status}]


async def test_the_probe_runs_on_every_node_as_it_does_on_a_spark(demo: Demo) -> None:
    all_lines = await asyncio.gather(*(first_lines(demo, node, 5) for node in demo.settings.nodes))
    boots = set()
    for (hello, *lines, end), node in zip(all_lines, demo.settings.nodes, strict=True):
        assert (hello["type"], end) == ("hello", {"exit": 0})
        boots.add(hello["boot_id"])
        assert {line["n"] for line in lines if line["type"] == "beat"} == {7}
        samples = [line for line in lines if line["type"] == "sample"]
        assert all(line["errors"] == {} for line in samples)
        merged = {name: sample for line in samples for name, sample in line["s"].items()}
        assert merged["platform"]["hostname"] == node.name
        assert merged["gpu"]["gpus"][0]["utilization_percent"] > 90
    assert len(boots) == len(NODES)


async def test_only_the_demos_own_keys_open_it(demo: Demo) -> None:
    node = demo.settings.nodes[0]
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(demo, node, client_keys=[asyncssh.generate_private_key("ssh-ed25519")]):
            pass
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    strange = asyncssh.import_known_hosts(f"[{node.host}]:{node.port} {other}")
    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        async with connect(demo, node, known_hosts=strange):
            pass


@pytest.mark.parametrize("command", ["nvidia-smi -L", "exec python3 -c 'print(1)'", "'unbalanced", ""])
async def test_other_commands_are_not_there(demo: Demo, command: str) -> None:
    async with connect(demo, demo.settings.nodes[0]) as connection:
        done = await connection.run(command or None, stdin=asyncssh.DEVNULL)
        assert done.exit_status == 127
        assert "command not found" in done.stderr


async def test_a_cut_payload_ends_the_session(demo: Demo) -> None:
    probe = payload.build()
    async with connect(demo, demo.settings.nodes[0]) as connection:
        done = await connection.run(probe.command, input=probe.data[:100], encoding=None)
        assert done.exit_status == 1


async def test_the_switch_answers_to_its_community_only(demo: Demo) -> None:
    switch = demo.settings.switches[SWITCH]
    community = (folder(demo) / "community").read_text().strip()
    assert switch.secret_file == str(folder(demo) / "community")
    engine = SnmpEngine()
    version = ObjectType(ObjectIdentity(oids.ROUTEROS_VERSION))
    try:
        target = await UdpTransportTarget.create((switch.host, switch.port), timeout=5, retries=0)
        error, _, _, rows = await get_cmd(
            engine, CommunityData(community), target, ContextData(), version, lookupMib=False
        )
        assert error is None
        assert bytes(rows[0][1]) == b"7.23.1"
        stranger = await UdpTransportTarget.create((switch.host, switch.port), timeout=0.2, retries=0)
        error, *_ = await get_cmd(engine, CommunityData("public"), stranger, ContextData(), version, lookupMib=False)
        assert error is not None
    finally:
        engine.close_dispatcher()


def folder(demo: Demo) -> Path:
    assert demo.settings.ssh.identity is not None
    return Path(demo.settings.ssh.identity).parent


async def test_secrets_are_private_and_nothing_is_left() -> None:
    demo = await start("switch-fault")
    keys = folder(demo)
    assert keys.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in keys.iterdir()} == {0o600}
    assert demo.settings.switches[SWITCH].expected_absent == []
    demo.close()
    assert not keys.exists()
    assert demo.process.returncode == 0


async def test_settings_describe_the_rack(demo: Demo) -> None:
    settings = demo.settings
    assert [node.name for node in settings.nodes] == list(NODES)
    assert {node.gpu_clock_cap_mhz for node in settings.nodes} == {2400}
    assert settings.rack.order == ["spark4", "spark3", "spark2", "spark1"]
    assert [node.rack_position for node in settings.nodes] == [4, 3, 2, 1]
    assert settings.switches[SWITCH].expected_absent == ["psu2"]
    assert settings.ssh.config_file == "/dev/null"


PARENT = """
import asyncio, json, os, signal
from sparktui.demo.launch import start

async def main():
    demo = await start()
    print(json.dumps([demo.process.pid, os.path.dirname(demo.settings.ssh.identity)]), flush=True)
    {end}

asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "pass"])
def test_the_child_ends_with_its_parent_however_that_ends(end: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT.format(end=end)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, keys = json.loads(parent.stdout.readline())
        assert wait_for_end(pid)
        assert not os.path.exists(keys)


def wait_for_end(pid: int, seconds: float = 10.0) -> bool:
    """Wait until a process that is nobody's child of ours is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


async def test_a_terminated_child_cleans_up() -> None:
    demo = await start()
    demo.process.send_signal(signal.SIGTERM)
    assert demo.process.wait(10) == 0
    assert not folder(demo).exists()
    demo.close()


async def test_a_scenario_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(DemoError, match="invalid choice: 'no-such-scenario'"):
        await start("no-such-scenario")


async def echo(connection: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=connection)
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


async def test_a_pulled_plug_is_silent_and_resets_what_it_does_not_know() -> None:
    pulled = False
    plug = Plug(echo, lambda: pulled)
    port = await plug.listen("127.0.0.1")
    before, to_before = await asyncio.open_connection("127.0.0.1", port)
    to_before.write(b"heard")
    assert await before.readexactly(5) == b"heard"
    pulled = True
    to_before.write(b"lost")
    during, to_during = await asyncio.open_connection("127.0.0.1", port)
    to_during.write(b"lost too")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(before.read(100), 0.05)
    pulled = False
    plug.drop()
    for reader in (before, during):
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1), 5)
    after, to_after = await asyncio.open_connection("127.0.0.1", port)
    to_after.write(b"again")
    assert await asyncio.wait_for(after.readexactly(5), 5) == b"again"
    for writer in (to_before, to_during, to_after):
        writer.close()
    plug.close()


@given(st.text())
def test_no_command_confuses_the_server(command: str) -> None:
    size = payload_size(command)
    assert size is None or size > 0


def test_the_payloads_size_is_found_in_its_command() -> None:
    probe = payload.build()
    assert payload_size(probe.command) == len(probe.data)
    assert zlib.decompress(probe.data)
