"""Switches over real UDP: our agent as a CRS812 in good and bad health, and net-snmp's snmpd for v2c and v3."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sparktui.config import SwitchConfig
from sparktui.contract import Nic, Node, Switch, SwitchState
from sparktui.demo import agent as served
from sparktui.demo import ber
from sparktui.demo.agent import SnmpAgent, Value
from sparktui.store import Store
from sparktui.switch import oids
from sparktui.switch.attached import ports_of
from sparktui.switch.getter import Asker, NoAnswer, SnmpError
from sparktui.switch.values import Oid
from sparktui.transports.credentials import read_credentials
from sparktui.transports.snmp import Engines, SnmpSession
from sparktui.transports.switches import SwitchPoller
from tests.snmprec import load, plain

TIMEOUT_S = 0.3
COMMUNITY = "rack-ro"


@pytest.fixture
def table() -> dict[Oid, Value]:
    return load("crs812-ros7.24.1")


@pytest.fixture
def requests() -> list[ber.Request]:
    return []


@pytest.fixture
async def agent(table: dict[Oid, Value], requests: list[ber.Request]) -> AsyncIterator[SnmpAgent]:
    agent = SnmpAgent(lambda: table, COMMUNITY, requests.append)
    await agent.start()
    yield agent
    agent.close()


@pytest.fixture
async def engines() -> AsyncIterator[Engines]:
    engines = Engines(TIMEOUT_S)
    yield engines
    engines.close()


@pytest.fixture(autouse=True)
def community(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK_COMMUNITY", COMMUNITY)
    monkeypatch.setenv("WRONG_COMMUNITY", "wrong")


def config(port: int, env: str = "RACK_COMMUNITY", poll_s: float = 0.2) -> SwitchConfig:
    return SwitchConfig(host="127.0.0.1", port=port, community_env=env, poll_s=poll_s, expected_absent=["psu2"])


def session(engines: Engines, agent: SnmpAgent) -> SnmpSession:
    return SnmpSession(engines, "switch0", config(agent.port))


class WatchedStore(Store):
    """Wakes whoever waits for a switch."""

    def __init__(self, nodes: list[str], switches: list[str]) -> None:
        super().__init__(nodes, switches)
        self.changed = asyncio.Event()

    def put_switch(self, name: str, view: Switch, at: float) -> None:
        super().put_switch(name, view, at)
        self.changed.set()

    def set_switch_state(self, name: str, state: SwitchState, error: str | None = None) -> None:
        super().set_switch_state(name, state, error)
        self.changed.set()


class Rack:
    """A store with its poller, and waiting for what becomes of a switch."""

    def __init__(self, *configs: SwitchConfig) -> None:
        names = [f"sw{number}" for number in range(len(configs))]
        self.store = WatchedStore(["spark3"], names)
        self.poller = SwitchPoller(dict(zip(names, configs, strict=True)), self.store, timeout_s=TIMEOUT_S)

    async def __aenter__(self) -> Rack:
        self.poller.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.poller.close()

    async def until(self, wanted: Callable[[Switch], bool], name: str = "sw0", within_s: float = 20.0) -> Switch:
        """The first view that is as wanted."""
        async with asyncio.timeout(within_s):
            while not wanted(view := self.store.switches[name].view):
                self.store.changed.clear()
                await self.store.changed.wait()
        return view

    async def live(self, name: str = "sw0") -> Switch:
        return await self.until(lambda view: view.state == "live", name)


class TestSession:
    async def test_every_type_of_value(self, engines: Engines, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
        table[1, 3, 1] = served.integer(-5)
        table[1, 3, 2] = served.gauge(-1)
        table[1, 3, 3] = served.counter32((1 << 32) - 1)
        table[1, 3, 4] = served.counter64((1 << 64) - 1)
        table[1, 3, 5] = served.ticks(123_456_700)
        table[1, 3, 6] = served.text(b"\x00\xff\x80")
        table[1, 3, 7] = served.text("")
        table[1, 3, 8] = served.oid((1, 3, 6, 1, 4, 1, 14988, 1))
        table[1, 3, 9] = Value(ber.IP_ADDRESS, bytes((10, 77, 0, 1)))
        asked = [(1, 3, number) for number in range(1, 12)]
        assert await session(engines, agent).get(asked) == {
            (1, 3, 1): -5,
            (1, 3, 2): 4_294_967_295,
            (1, 3, 3): 4_294_967_295,
            (1, 3, 4): 18_446_744_073_709_551_615,
            (1, 3, 5): 123_456_700,
            (1, 3, 6): b"\x00\xff\x80",
            (1, 3, 7): b"",
            (1, 3, 8): (1, 3, 6, 1, 4, 1, 14988, 1),
            (1, 3, 9): b"\x0a\x4d\x00\x01",
        }

    async def test_walks_give_what_the_table_has(
        self, engines: Engines, agent: SnmpAgent, table: dict[Oid, Value]
    ) -> None:
        columns = (oids.IF_NAME, oids.IF_HIGH_SPEED, oids.IF_ALIAS, (*oids.OPTICAL_ENTRY, 12))
        found = await Asker(session(engines, agent)).walk(columns)
        assert found == {
            oid: value for oid, value in plain(table).items() if any(oid[: len(top)] == top for top in columns)
        }
        assert len(found) == 36 * 3 + 6

    async def test_the_end_of_everything_is_marked(self, engines: Engines, agent: SnmpAgent) -> None:
        last = (*oids.OPTICAL_ENTRY, 12, 28)
        rows = await session(engines, agent).bulk([last], 3)
        assert rows[0][0] == ((*last[:-1], 32), b"SN000032")
        assert rows[0][1][1] is rows[0][2][1] is None

    async def test_one_lost_request_is_repeated(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.drop = 1
        assert len(await session(engines, agent).get([oids.SYS_UPTIME])) == 1

    async def test_two_lost_requests_are_no_answer(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.drop = 2
        asked = session(engines, agent)
        with pytest.raises(NoAnswer, match=rf"127\.0\.0\.1 port {agent.port}/udp.*wrong community in \$RACK_COMMUNITY"):
            await asked.get([oids.SYS_UPTIME])
        assert len(await asked.get([oids.SYS_UPTIME])) == 1

    async def test_an_answer_that_is_late_is_not_taken_for_a_later_one(
        self, engines: Engines, agent: SnmpAgent
    ) -> None:
        asked = session(engines, agent)
        await asked.get([oids.SYS_UPTIME])
        agent.faults.delay_s = 3 * TIMEOUT_S
        with pytest.raises(NoAnswer):
            await asked.get([oids.SYS_DESCR])
        agent.faults.delay_s = 0.0
        for _ in range(20):
            assert list(await asked.get([oids.SYS_UPTIME])) == [oids.SYS_UPTIME]

    async def test_an_answer_that_is_not_snmp(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.garbage = True
        with pytest.raises(NoAnswer):
            await session(engines, agent).get([oids.SYS_UPTIME])

    async def test_an_error_status(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.error_status = 5
        with pytest.raises(SnmpError, match="genErr"):
            await session(engines, agent).get([oids.SYS_UPTIME])

    async def test_a_host_name(self, engines: Engines, agent: SnmpAgent) -> None:
        asked = SnmpSession(engines, "switch0", replace(config(agent.port), host="localhost"))
        assert len(await asked.get([oids.SYS_UPTIME])) == 1

    async def test_a_name_that_is_no_host(self, engines: Engines) -> None:
        asked = SnmpSession(
            engines, "switch0", SwitchConfig(host="no-such-host.invalid", community_env="RACK_COMMUNITY")
        )
        with pytest.raises(SnmpError, match=r"no-such-host\.invalid"):
            await asked.get([oids.SYS_UPTIME])


class TestPoller:
    async def test_a_crs812_from_first_answer_to_rates(
        self, agent: SnmpAgent, table: dict[Oid, Value], requests: list[ber.Request]
    ) -> None:
        async with Rack(config(agent.port)) as rack:
            view = await rack.live()
            assert (view.model, view.version, len(view.ports)) == ("CRS812-8DS-2DQ-2DDQ", "7.24.1", 16)
            assert {row.name: row.value for row in view.health}["psu1-power"] == 49.8
            table[(*oids.TRAFFIC["ifHCInOctets"], 20)] = served.counter64(900_020_000_000_000 + 10**9)
            view = await rack.until(lambda view: bool(view.ports["qsfp56-dd-1-1"].rx_bps))
            assert 1e9 < (view.ports["qsfp56-dd-1-1"].rx_bps or 0) < 8e11
            assert rack.store.switches["sw0"].taken_at is not None
        kinds = {request.kind for request in requests}
        assert kinds == {ber.GET, ber.GET_BULK}
        for request in requests:
            assert len(request.oids) * (request.second if request.kind == ber.GET_BULK else 1) <= 60
            assert all(oid[:10] != (*oids.MIKROTIK, 18) and oid[:11] != (*oids.MIKROTIK, 7, 1) for oid in request.oids)

    async def test_nodes_in_the_store_say_whose_macs_are_whose(self, agent: SnmpAgent) -> None:
        async with Rack(config(agent.port)) as rack:
            nics = {"enp1s0f1np1": nic("02:00:5e:00:01:03"), "enP2p1s0f1np1": nic("02:00:5e:00:02:03")}
            rack.store.put_node("spark3", Node(state="live", nics=nics), 0.0)
            view = await rack.until(lambda view: bool(view.ports) and view.ports["qsfp56-dd-1-1"].node == "spark3")
            assert ports_of({"sw0": view}) == {
                ("spark3", "enp1s0f1np1"): ("sw0", "qsfp56-dd-1-1"),
                ("spark3", "enP2p1s0f1np1"): ("sw0", "qsfp56-dd-1-1"),
            }

    async def test_a_switch_that_dies_is_stale_then_unreachable_then_live_again(self, agent: SnmpAgent) -> None:
        async with Rack(config(agent.port)) as rack:
            await rack.live()
            agent.faults.dead = True
            stale = await rack.until(lambda view: view.state == "stale")
            assert len(stale.ports) == 16
            gone = await rack.until(lambda view: view.state == "unreachable")
            assert "no answer" in (gone.error or "")
            agent.faults.dead = False
            assert (await rack.live()).error is None

    async def test_a_wrong_community_looks_like_a_dead_switch_and_the_text_says_so(self, agent: SnmpAgent) -> None:
        async with Rack(config(agent.port, "WRONG_COMMUNITY")) as rack:
            view = await rack.until(lambda view: view.state == "unreachable")
            assert "wrong community in $WRONG_COMMUNITY" in (view.error or "")

    async def test_one_bad_switch_does_not_touch_another(self, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
        other = SnmpAgent(lambda: table, COMMUNITY)
        await other.start()
        other.faults.garbage = True
        try:
            async with Rack(config(agent.port), config(other.port), config(agent.port, "NOT_SET")) as rack:
                await rack.live("sw0")
                await rack.until(lambda view: view.state == "unreachable", "sw1")
                unset = await rack.until(lambda view: view.state == "unreachable", "sw2")
                assert unset.error == "$NOT_SET is not set: export it, or name a secret_file"
                before = rack.store.switches["sw0"].taken_at
                await rack.until(lambda _: rack.store.switches["sw0"].taken_at != before)
                assert rack.store.switches["sw0"].view.state == "live"
        finally:
            other.close()

    async def test_switches_that_share_a_community(self, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
        other = SnmpAgent(lambda: {**table, oids.BOARD_NAME: served.text("CRS504-4XQ")}, COMMUNITY)
        await other.start()
        try:
            async with Rack(config(other.port), config(agent.port), config(other.port)) as rack:
                models = [(await rack.live(name)).model for name in ("sw0", "sw1", "sw2")]
                assert models == ["CRS504-4XQ", "CRS812-8DS-2DQ-2DDQ", "CRS504-4XQ"]
        finally:
            other.close()

    async def test_values_of_the_wrong_type_are_absent(self, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
        table[oids.SYS_UPTIME] = served.text("a long time")
        table[(*oids.TRAFFIC["ifHCInOctets"], 20)] = served.text("many")
        table[(*oids.GAUGE_VALUE, 17)] = served.text("hot")
        async with Rack(config(agent.port)) as rack:
            view = await rack.live()
            assert view.uptime_s is None
            assert view.health[0].value is None

    async def test_a_switch_that_wants_small_requests(self, agent: SnmpAgent) -> None:
        agent.faults.too_big_above = 15
        async with Rack(config(agent.port)) as rack:
            assert len((await rack.live()).ports) == 16

    async def test_credentials_are_read_again_after_a_failure(
        self, agent: SnmpAgent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with Rack(config(agent.port, "WRONG_COMMUNITY")) as rack:
            await rack.until(lambda view: view.state == "unreachable")
            monkeypatch.setenv("WRONG_COMMUNITY", COMMUNITY)
            await rack.live()

    async def test_nothing_reaches_the_store_after_close(self, agent: SnmpAgent) -> None:
        rack = Rack(config(agent.port))
        rack.poller.start()
        await rack.live()
        rack.poller.close()
        version = rack.store.version
        await asyncio.sleep(0)
        assert rack.store.version == version

    async def test_without_switches_nothing_is_started(self) -> None:
        async with Rack() as rack:
            assert rack.store.version == 0

    async def test_narrowing_to_a_port(self, agent: SnmpAgent, requests: list[ber.Request]) -> None:
        rack = Rack(config(agent.port))
        rack.poller.want("sw0", {"sfp56-1"})
        async with rack:
            await rack.live()
        octets = {oid[-1] for one in requests for oid in one.oids if oid[:-1] == oids.TRAFFIC["ifHCInOctets"]}
        assert octets == {4}


def nic(mac: str) -> Nic:
    return Nic(
        driver="mlx5_core",
        driver_version="",
        plane="fabric",
        cage="p1",
        operstate="up",
        speed_mbps=200_000,
        mtu=9000,
        rx_bps=None,
        tx_bps=None,
        rx_packets_per_s=None,
        tx_packets_per_s=None,
        rx_missed_per_s=None,
        rx_errors_per_s=None,
        rx_missed_total=None,
        rx_errors_total=None,
        counters_per_s={},
        rx_queues=None,
        tx_queues=None,
        rdma=None,
        switch_port=None,
        mac=mac,
    )


class TestCredentials:
    def secret(self, folder: Path, content: str, mode: int = 0o600) -> SwitchConfig:
        path = folder / "secret"
        path.write_text(content)
        path.chmod(mode)
        return SwitchConfig(host="sw", secret_file=str(path))

    def test_a_private_file_holds_the_community(self, tmp_path: Path) -> None:
        assert read_credentials(self.secret(tmp_path, "s3cret\n")).community == "s3cret"

    @pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
    def test_a_file_that_others_can_read_is_refused(self, tmp_path: Path, mode: int) -> None:
        with pytest.raises(SnmpError, match=f"mode {mode:04o}.*chmod 600"):
            read_credentials(self.secret(tmp_path, "s3cret\n", mode))

    def test_what_is_missing_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SnmpError, match="No such file"):
            read_credentials(SwitchConfig(host="sw", secret_file=str(tmp_path / "none")))
        with pytest.raises(SnmpError, match=r"\$NOT_SET is not set"):
            read_credentials(SwitchConfig(host="sw", community_env="NOT_SET"))
        with pytest.raises(SnmpError, match="one line"):
            read_credentials(self.secret(tmp_path, "two\nlines\n"))

    def test_version_3_takes_two_passwords_from_either_place(self, tmp_path: Path) -> None:
        path = self.secret(tmp_path, "auth-password\npriv-password\n").secret_file
        from_file = read_credentials(SwitchConfig(host="sw", version="3", user="ro", secret_file=path))
        assert (from_file.auth_key, from_file.priv_key) == ("auth-password", "priv-password")
        v3 = SwitchConfig(host="sw", version="3", user="ro", community_env="V3")
        assert read_credentials(v3, {"V3": "auth-password\npriv-password"}) == from_file
        with pytest.raises(SnmpError, match="two lines"):
            read_credentials(v3, {"V3": "only-one"})
        with pytest.raises(SnmpError, match="8 characters"):
            read_credentials(v3, {"V3": "short\npriv-password"})

    def test_they_are_never_printed(self) -> None:
        assert "hidden" not in repr(read_credentials(SwitchConfig(host="sw", community_env="C"), {"C": "hidden"}))


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
    import socket

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


@pytest.mark.real
class TestNetSnmp:
    @pytest.fixture(autouse=True)
    def keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("V3_KEYS", "auth-password\npriv-password")
        monkeypatch.setenv("V3_OTHER_KEYS", "other-auth-password\nother-priv-password")
        monkeypatch.setenv("V3_BAD_AUTH", "wrong-password\npriv-password")
        monkeypatch.setenv("V3_BAD_PRIV", "auth-password\nwrong-password")

    async def test_plain_v2c_with_if_mib_alone(self, snmpd: Callable[[str, str], int]) -> None:
        port = snmpd(f"rocommunity {COMMUNITY}", "plain")
        async with Rack(config(port)) as rack:
            view = await rack.live()
            links = [one.name for one in os.scandir("/sys/class/net") if (Path(one.path) / "type").read_text() == "1\n"]
            assert set(view.ports) == set(links)
            assert any("no statistics table" in note for note in view.notes)
            assert any("no health table" in note for note in view.notes)

    @pytest.mark.parametrize(("auth", "priv"), [("SHA1", "AES"), ("MD5", "DES"), ("SHA256", "AES"), ("SHA512", "AES")])
    async def test_v3(self, snmpd: Callable[[str, str], int], auth: str, priv: str) -> None:
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
    async def test_v3_that_is_refused(self, snmpd: Callable[[str, str], int], wrong: dict[str, str], text: str) -> None:
        port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
        async with Rack(v3(port, **wrong), v3(port)) as rack:
            await rack.live("sw1")
            view = await rack.until(lambda view: text in (view.error or ""))
            assert view.state == "unreachable"

    async def test_v3_passwords_that_are_corrected(
        self, snmpd: Callable[[str, str], int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
        async with Rack(v3(port, env="V3_BAD_AUTH")) as rack:
            await rack.until(lambda view: view.state == "unreachable")
            monkeypatch.setenv("V3_BAD_AUTH", "auth-password\npriv-password")
            await rack.live()

    async def test_v3_with_a_wrong_encryption_password(self, snmpd: Callable[[str, str], int]) -> None:
        port = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "v3")
        async with Rack(v3(port, env="V3_BAD_PRIV")) as rack:
            view = await rack.until(lambda view: view.state == "unreachable")
            assert view.error

    async def test_one_user_on_two_switches(self, snmpd: Callable[[str, str], int]) -> None:
        known = "createUser ro SHA auth-password AES priv-password\nrouser ro priv"
        async with Rack(v3(snmpd(known, "one")), v3(snmpd(known, "two"))) as rack:
            await rack.live("sw0")
            await rack.live("sw1")

    async def test_one_user_with_other_passwords_on_another_switch(self, snmpd: Callable[[str, str], int]) -> None:
        one = snmpd("createUser ro SHA auth-password AES priv-password\nrouser ro priv", "one")
        two = snmpd("createUser ro SHA other-auth-password AES other-priv-password\nrouser ro priv", "two")
        async with Rack(v3(one), v3(two, env="V3_OTHER_KEYS")) as rack:
            await rack.live("sw0")
            await rack.live("sw1")

    async def test_our_agent_as_net_snmps_tools_see_it(self, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
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


class TestBer:
    @given(st.binary(max_size=200))
    def test_a_datagram_is_a_request_or_a_value_error(self, data: bytes) -> None:
        try:
            ber.decode_request(data)
        except ValueError:
            pass

    @given(st.integers(-(1 << 31), (1 << 64) - 1), st.lists(st.integers(0, (1 << 32) - 1), max_size=20))
    def test_numbers_and_object_names_as_pyasn1_reads_them(self, number: int, numbers: list[int]) -> None:
        from pyasn1.codec.ber import decoder

        name = (1, 3, *numbers)
        read, rest = decoder.decode(ber.encode_binding(name, ber.INTEGER, number))
        assert rest == b""
        assert (tuple(read[0]), int(read[1])) == (name, number)

    def test_a_request_as_pysnmp_writes_it_whole_and_cut_off_anywhere(self) -> None:
        from pyasn1.codec.ber import encoder
        from pysnmp.proto.api import v2c

        pdu, message = v2c.GetBulkRequestPDU(), v2c.Message()
        v2c.apiBulkPDU.set_defaults(pdu)
        v2c.apiBulkPDU.set_request_id(pdu, 77_777)
        v2c.apiBulkPDU.set_max_repetitions(pdu, 25)
        v2c.apiBulkPDU.set_varbinds(pdu, [(v2c.ObjectIdentifier((1, 3, 6, 1, 4, 1, 14988)), v2c.null)])
        v2c.apiMessage.set_defaults(message)
        v2c.apiMessage.set_community(message, COMMUNITY)
        v2c.apiMessage.set_pdu(message, pdu)
        whole = encoder.encode(message)
        asked = ber.Request(ber.V2C, COMMUNITY.encode(), ber.GET_BULK, 77_777, 0, 25, ((1, 3, 6, 1, 4, 1, 14988),))
        assert ber.decode_request(whole) == asked
        for size in range(len(whole)):
            with pytest.raises(ValueError, match=r"."):
                ber.decode_request(whole[:size])
