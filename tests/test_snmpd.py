"""Switches that are net-snmp's snmpd, v2c and v3, and our agent as net-snmp's own tools see it."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparktui.config import SwitchConfig
from sparktui.demo.agent import SnmpAgent, Value
from sparktui.switch.values import Oid
from tests.snmp_rig import COMMUNITY, Rack, agent, community, config, requests, table

__all__ = ["agent", "community", "requests", "table"]

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(shutil.which("snmpd") is None or shutil.which("snmpget") is None, reason="net-snmp is missing"),
]


@pytest.fixture
def snmpd(tmp_path: Path) -> Iterator[Callable[[str, str], int]]:
    """Starts net-snmp's agent with a configuration on a free loopback port."""
    running: list[subprocess.Popen[bytes]] = []

    def start(configuration: str, name: str = "snmpd") -> int:
        folder = tmp_path / name
        folder.mkdir()
        port = free_port()
        (folder / "snmpd.conf").write_text(f"agentAddress udp:127.0.0.1:{port}\n{configuration}\n")
        environment = {**os.environ, "SNMP_PERSISTENT_DIR": str(folder), "MIBS": ""}
        command = ["snmpd", "-f", "-C", "-c", str(folder / "snmpd.conf"), "-Lf", str(folder / "log")]
        running.append(subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL))
        return port

    yield start
    for process in running:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def v3(port: int, user: str = "ro", auth: str = "SHA1", priv: str = "AES", env: str = "V3_KEYS") -> SwitchConfig:
    return SwitchConfig(
        host="127.0.0.1",
        port=port,
        version="3",
        user=user,
        auth=auth,  # type: ignore[arg-type]
        priv=priv,  # type: ignore[arg-type]
        community_env=env,
        poll_s=0.2,
    )


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("V3_KEYS", "auth-password\npriv-password")
    monkeypatch.setenv("V3_OTHER_KEYS", "other-auth-password\nother-priv-password")
    monkeypatch.setenv("V3_BAD_AUTH", "wrong-password\npriv-password")
    monkeypatch.setenv("V3_BAD_PRIV", "auth-password\nwrong-password")


async def test_plain_v2c_with_if_mib_alone(snmpd: Callable[[str, str], int]) -> None:
    port = snmpd(f"rocommunity {COMMUNITY}", "plain")
    async with Rack(config(port)) as rack:
        view = await rack.live()
        links = [one.name for one in os.scandir("/sys/class/net") if (Path(one.path) / "type").read_text() == "1\n"]
        assert set(view.ports) == set(links)
        assert any("no statistics table" in note for note in view.notes)
        assert any("no health table" in note for note in view.notes)


@pytest.mark.parametrize(("auth", "priv"), [("SHA1", "AES"), ("MD5", "DES"), ("SHA256", "AES"), ("SHA512", "AES")])
async def test_v3(snmpd: Callable[[str, str], int], auth: str, priv: str) -> None:
    name = {"SHA1": "SHA", "SHA256": "SHA-256", "SHA512": "SHA-512"}.get(auth, auth)
    port = snmpd(f"createUser ro {name} auth-password {priv} priv-password\nrouser ro priv", "v3")
    async with Rack(v3(port, auth=auth, priv=priv)) as rack:
        view = await rack.live()
        assert (view.model or "").startswith("Linux")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"env": "V3_BAD_AUTH"}, "wrong authentication password for 'ro'"),
        ({"user": "nobody"}, "knows no SNMPv3 user 'nobody'"),
    ],
)
async def test_v3_that_is_refused(snmpd: Callable[[str, str], int], wrong: dict[str, str], text: str) -> None:
    port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
    async with Rack(v3(port, **wrong), v3(port)) as rack:
        await rack.live("sw1")
        view = await rack.until(lambda view: text in (view.error or ""))
        assert view.state == "unreachable"


async def test_v3_passwords_that_are_corrected(
    snmpd: Callable[[str, str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
    async with Rack(v3(port, env="V3_BAD_AUTH")) as rack:
        await rack.until(lambda view: view.state == "unreachable")
        monkeypatch.setenv("V3_BAD_AUTH", "auth-password\npriv-password")
        await rack.live()


async def test_v3_with_a_wrong_encryption_password(snmpd: Callable[[str, str], int]) -> None:
    port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
    async with Rack(v3(port, env="V3_BAD_PRIV")) as rack:
        view = await rack.until(lambda view: view.state == "unreachable")
        assert view.error


async def test_one_user_on_two_switches(snmpd: Callable[[str, str], int]) -> None:
    known = "createUser ro SHA auth-password AES priv-password\nrouser ro priv"
    async with Rack(v3(snmpd(known, "one")), v3(snmpd(known, "two"))) as rack:
        await rack.live("sw0")
        await rack.live("sw1")


async def test_one_user_with_other_passwords_on_another_switch(snmpd: Callable[[str, str], int]) -> None:
    one = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "one")
    two = snmpd("createUser ro SHA other-auth-password AES other-priv-password\nrouser ro priv", "two")
    async with Rack(v3(one), v3(two, env="V3_OTHER_KEYS")) as rack:
        await rack.live("sw0")
        await rack.live("sw1")


async def test_our_agent_as_net_snmps_tools_see_it(agent: SnmpAgent, table: dict[Oid, Value]) -> None:
    where = ["-v2c", "-c", COMMUNITY, "-On", "-Oe", "-r0", f"127.0.0.1:{agent.port}"]
    walked = await output("snmpbulkwalk", "-Cr30", *where, ".1")
    assert walked.count("\n") >= len(table)
    got = await output("snmpget", *where, ".1.3.6.1.2.1.31.1.1.1.6.20", ".1.3.6.1.2.1.1.3.0", ".1.3.6.1.2.1.1.77.0")
    assert "Counter64: 900020000000000" in got
    assert "(123456700)" in got
    assert "No Such Instance" in got
    assert "node3" in await output("snmpgetnext", *where, ".1.3.6.1.2.1.31.1.1.1.18.19")
    assert "notWritable" in await output("snmpset", *where, ".1.3.6.1.2.1.1.5.0", "s", "x")


async def output(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, "MIBS": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    return (await process.communicate())[0].decode()
