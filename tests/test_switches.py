"""Switches in the store: polled on their thread over real UDP, in good and bad health, several at once."""

from __future__ import annotations

import asyncio

import pytest

from sparktui.contract import Node
from sparktui.demo import agent as served
from sparktui.demo import ber
from sparktui.demo.agent import SnmpAgent, Value
from sparktui.switch import oids
from sparktui.switch.attached import ports_of
from sparktui.switch.values import Oid
from tests.snmp_rig import COMMUNITY, Rack, agent, community, config, requests, table
from tests.switch_rig import nic

__all__ = ["agent", "community", "requests", "table"]


async def test_a_crs812_from_first_answer_to_rates(
    agent: SnmpAgent, table: dict[Oid, Value], requests: list[ber.Request]
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


async def test_nodes_in_the_store_say_whose_macs_are_whose(agent: SnmpAgent) -> None:
    async with Rack(config(agent.port)) as rack:
        nics = {"enp1s0f1np1": nic("02:00:5e:00:01:03", "p1"), "enP2p1s0f1np1": nic("02:00:5e:00:02:03", "p1")}
        rack.store.put_node("spark3", Node(state="live", nics=nics), 0.0)
        view = await rack.until(lambda view: bool(view.ports) and view.ports["qsfp56-dd-1-1"].node == "spark3")
        assert ports_of({"sw0": view}) == {
            ("spark3", "enp1s0f1np1"): ("sw0", "qsfp56-dd-1-1"),
            ("spark3", "enP2p1s0f1np1"): ("sw0", "qsfp56-dd-1-1"),
        }


async def test_a_switch_that_dies_is_stale_then_unreachable_then_live_again(agent: SnmpAgent) -> None:
    async with Rack(config(agent.port)) as rack:
        await rack.live()
        agent.faults.dead = True
        stale = await rack.until(lambda view: view.state == "stale")
        assert len(stale.ports) == 16
        gone = await rack.until(lambda view: view.state == "unreachable")
        assert "no answer" in (gone.error or "")
        agent.faults.dead = False
        assert (await rack.live()).error is None


async def test_a_wrong_community_looks_like_a_dead_switch_and_the_text_says_so(agent: SnmpAgent) -> None:
    async with Rack(config(agent.port, "WRONG_COMMUNITY")) as rack:
        view = await rack.until(lambda view: view.state == "unreachable")
        assert "wrong community in $WRONG_COMMUNITY" in (view.error or "")


async def test_one_bad_switch_does_not_touch_another(agent: SnmpAgent, table: dict[Oid, Value]) -> None:
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


async def test_switches_that_share_a_community(agent: SnmpAgent, table: dict[Oid, Value]) -> None:
    other = SnmpAgent(lambda: {**table, oids.BOARD_NAME: served.text("CRS504-4XQ")}, COMMUNITY)
    await other.start()
    try:
        async with Rack(config(other.port), config(agent.port), config(other.port)) as rack:
            models = [(await rack.live(name)).model for name in ("sw0", "sw1", "sw2")]
            assert models == ["CRS504-4XQ", "CRS812-8DS-2DQ-2DDQ", "CRS504-4XQ"]
    finally:
        other.close()


async def test_values_of_the_wrong_type_are_absent(agent: SnmpAgent, table: dict[Oid, Value]) -> None:
    table[oids.SYS_UPTIME] = served.text("a long time")
    table[(*oids.TRAFFIC["ifHCInOctets"], 20)] = served.text("many")
    table[(*oids.GAUGE_VALUE, 17)] = served.text("hot")
    async with Rack(config(agent.port)) as rack:
        view = await rack.live()
        assert view.uptime_s is None
        assert view.health[0].value is None


async def test_a_switch_that_wants_small_requests(agent: SnmpAgent) -> None:
    agent.faults.too_big_above = 15
    async with Rack(config(agent.port)) as rack:
        assert len((await rack.live()).ports) == 16


async def test_credentials_are_read_again_after_a_failure(agent: SnmpAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Rack(config(agent.port, "WRONG_COMMUNITY")) as rack:
        await rack.until(lambda view: view.state == "unreachable")
        monkeypatch.setenv("WRONG_COMMUNITY", COMMUNITY)
        await rack.live()


async def test_nothing_reaches_the_store_after_close(agent: SnmpAgent) -> None:
    rack = Rack(config(agent.port))
    rack.poller.start()
    await rack.live()
    rack.poller.close()
    version = rack.store.version
    await asyncio.sleep(0)
    assert rack.store.version == version


async def test_without_switches_nothing_is_started() -> None:
    async with Rack() as rack:
        assert rack.store.version == 0


async def test_narrowing_to_a_port(agent: SnmpAgent, requests: list[ber.Request]) -> None:
    rack = Rack(config(agent.port))
    rack.poller.want("sw0", {"sfp56-1"})
    async with rack:
        await rack.live()
    octets = {oid[-1] for one in requests for oid in one.oids if oid[:-1] == oids.TRAFFIC["ifHCInOctets"]}
    assert octets == {4}
