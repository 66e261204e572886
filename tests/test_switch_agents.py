"""Agents that have less, say no, say too big, or never come to an end; and what is asked of any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.config import SwitchConfig
from sparktui.contract import Switch
from sparktui.switch import oids
from sparktui.switch.getter import BULK_LIMIT, GET_LIMIT, Asker, NoAnswer, Row, SnmpError
from sparktui.switch.learnt import Owner
from sparktui.switch.plan import NO_HEALTH, NO_STATIONS, NO_STATISTICS
from sparktui.switch.values import Oid, Plain
from tests.switch_rig import DD11, IN, FakeSwitch, Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


class TestOtherAgents:
    async def test_if_mib_alone_is_read_and_what_is_missing_is_told(self) -> None:
        switch = FakeSwitch()
        switch.table = {
            oid: value
            for oid, value in switch.table.items()
            if oid[:7] in ((1, 3, 6, 1, 2, 1, 2), (1, 3, 6, 1, 2, 1, 31))
        }
        switch.table |= {oids.SYS_DESCR: b"Linux sw", oids.SYS_UPTIME: 0}
        rig = Rig(switch)
        view = await rig.poll()
        assert view.notes == [NO_STATISTICS, NO_HEALTH, NO_STATIONS]
        assert (view.model, view.version, view.health, view.cpu_load_percent) == ("Linux sw", None, [], [])
        switch.add(oids.DISCARDS_AND_ERRORS["ifOutDiscards"], DD11, 30)
        switch.add(IN, DD11, 5_000)
        port = await rig.port(after_s=10.0)
        assert (port.rx_bps, port.tx_drops_per_s, port.rx_drops_per_s) == (4_000.0, 3.0, 0.0)
        assert (port.rx_fcs_errors_per_s, port.rx_pause_per_s, port.node) == (None, None, "node3")
        assert not any(
            oid[:7] == oids.MIKROTIK[:7] and oid[9] == 14 for _, asked, _ in switch.requests for oid in asked
        )

    async def test_ros6_with_its_own_neighbour_table(self) -> None:
        rig = Rig(FakeSwitch("crs317-ros6.48"), SwitchConfig(host="sw"))
        rig.owners = {"02:00:5e:10:00:11": Owner("spark1", "enP7s7")}
        view = await rig.poll()
        assert view.ports["sfp-sfpplus2"].nics == ["enP7s7"]
        assert view.ports["uplink: core (old)"].neighbour == "core"
        assert view.ports["sfp-sfpplus2"].optic is not None
        assert view.ports["sfp-sfpplus2"].optic.tx_power_dbm == -4.879

    async def test_no_if_names(self) -> None:
        switch = FakeSwitch()
        switch.table = {oid: value for oid, value in switch.table.items() if oid[: len(oids.IF_NAME)] != oids.IF_NAME}
        rig = Rig(switch)
        await rig.poll()
        switch.add(IN, DD11, 5_000)
        assert (await rig.port()).rx_bps == 8_000.0

    async def test_a_part_that_is_not_answered_costs_that_part_only(self) -> None:
        rig = Rig()
        rig.switch.silent_below = oids.LLDP_REMOTE
        view = await rig.poll()
        assert view.state == "live"
        assert view.notes[-1] == "neighbours could not be read: no answer"
        assert view.ports["qsfp56-dd-1-1"].optic is None
        assert (await rig.poll()).ports["qsfp56-dd-1-1"].optic is not None
        rig.switch.silent_below = None
        assert len((await rig.poll(55.0)).notes) == 1

    async def test_a_switch_that_does_not_answer_for_its_ports_has_missed_the_poll(self) -> None:
        rig = Rig()
        rig.switch.silent_below = oids.IF_ENTRY
        with pytest.raises(NoAnswer):
            await rig.poll()

    @pytest.mark.parametrize("largest", [39, 20, 7, 1])
    async def test_too_big_halves_until_it_fits(self, largest: int) -> None:
        rig, other = Rig(), Rig()
        rig.switch.largest = largest
        assert await rig.poll() == await other.poll()

    async def test_too_big_for_one_value_is_an_error(self) -> None:
        rig = Rig()
        rig.switch.largest = 0
        with pytest.raises(SnmpError, match="single value"):
            await rig.poll()

    async def test_a_walk_ends_where_an_agent_goes_in_circles(self) -> None:
        class Circle(FakeSwitch):
            async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
                return [[((*oids.IF_NAME, 1), b"p")] * repetitions for _ in starts]

        assert await Asker(Circle()).walk((oids.IF_NAME,)) == {(*oids.IF_NAME, 1): b"p"}

    async def test_a_walk_ends_where_an_agent_says_nothing(self) -> None:
        class Mute(FakeSwitch):
            async def bulk(self, starts: Sequence[Oid], _repetitions: int) -> list[list[Row]]:
                return [[] for _ in starts]

        assert await Asker(Mute()).walk((oids.IF_NAME, oids.IF_ALIAS)) == {}

    async def test_a_walk_goes_on_where_an_answer_was_cut(self) -> None:
        class Cut(FakeSwitch):
            async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
                answers = await super().bulk(starts, repetitions)
                return [answers[0][:2], *([] for _ in starts[1:])]

        whole = await Asker(FakeSwitch()).walk((oids.IF_NAME, oids.IF_ALIAS))
        assert await Asker(Cut()).walk((oids.IF_NAME, oids.IF_ALIAS)) == whole
        assert len(whole) == 72

    async def test_a_walk_stops_at_its_limit(self) -> None:
        assert len(await Asker(FakeSwitch()).walk((oids.IF_NAME, oids.IF_ALIAS), max_rows=10)) == 20


PLAIN = st.one_of(
    st.integers(-(1 << 63), 1 << 64),
    st.binary(max_size=20),
    st.lists(st.integers(0, 1 << 32), max_size=8).map(tuple),
)
KNOWN = sorted(oid for oid in FakeSwitch().table if not 14 < oid[-2] < 40)


@given(st.lists(st.dictionaries(st.sampled_from(KNOWN), st.one_of(st.none(), PLAIN), max_size=30), max_size=3))
@settings(max_examples=50, deadline=None)
def test_whatever_a_switch_says_there_is_a_view_of_it_that_json_can_carry(
    changes: list[dict[Oid, Plain | None]],
) -> None:
    async def polls() -> None:
        rig = Rig()
        for change in ({}, *changes):
            rig.switch.now += 10.0
            table = {**rig.switch.table, **change}
            rig.switch.table = {oid: value for oid, value in table.items() if value is not None}
            view = rig.deriver.view(await rig.reader.read(), rig.owners)
            assert msgspec.json.decode(msgspec.json.encode(view), type=Switch) == view

    asyncio.run(polls())


class TestRequests:
    async def test_sizes_and_subtrees(self, rig: Rig) -> None:
        for _ in range(30):
            await rig.poll()
        allowed = (
            oids.SYSTEM,
            oids.IF_NUMBER,
            oids.IF_ENTRY,
            oids.IFX_ENTRY,
            oids.GAUGE_NAME[:-1],
            oids.ROUTEROS_VERSION,
            oids.FIRMWARE_CURRENT,
            oids.FIRMWARE_UPGRADE,
            oids.BOARD_NAME,
            oids.STATS_ENTRY,
            oids.OPTICAL_ENTRY,
            oids.PHYSICAL_DESCR,
            oids.PROCESSOR_LOAD,
            oids.BASE_PORT_IF_INDEX,
            oids.VLAN_FDB_PORT,
            oids.FDB_PORT,
            oids.LLDP_REMOTE,
        )
        for kind, asked, values in rig.switch.requests:
            assert values <= (GET_LIMIT if kind == "get" else BULK_LIMIT) <= 60
            assert all(any(oid[: len(subtree)] == subtree for subtree in allowed) for oid in asked), asked
            assert all(oid[:10] != (*oids.MIKROTIK, 18) and oid[:11] != (*oids.MIKROTIK, 7, 1) for oid in asked)

    async def test_a_poll_asks_for_traffic_and_by_turns_for_health_or_errors(self, rig: Rig) -> None:
        for _ in range(4):
            await rig.poll()
        traffic, health, errors = 2 + 7 * 11 + 5, 21 + 5, 13 * 11
        asked = []
        for _ in range(4):
            rig.switch.requests.clear()
            await rig.poll()
            asked.append(sum(values for _, _, values in rig.switch.requests))
        assert asked == [traffic + health, traffic + errors] * 2

    async def test_counters_only_of_the_ports_that_are_wanted(self, rig: Rig) -> None:
        rig.reader.want({"qsfp56-dd-1-1"})
        await rig.poll()
        rig.switch.add(IN, DD11, 5_000)
        view = await rig.poll()
        assert view.ports["qsfp56-dd-1-1"].rx_bps == 8_000.0
        other = view.ports["qsfp56-dd-1-5"]
        assert (other.oper, other.speed_mbps, other.rx_bps, other.counters_total) == ("up", 200_000, None, {})
        counters = {
            oid[-1] for _, asked, _ in rig.switch.requests for oid in asked if oid[:-1] == oids.STATISTICS["RxDrop"]
        }
        assert counters == {DD11}
        rig.reader.want(None)
        await rig.poll()
        assert (await rig.port("qsfp56-dd-1-5")).rx_bps == 0.0

    async def test_health_names_are_read_again_when_a_row_comes_or_goes(self, rig: Rig) -> None:
        await rig.poll()
        gone = {column: (*column, 50) for column in (oids.GAUGE_NAME, oids.GAUGE_VALUE, oids.GAUGE_UNIT)}
        rig.switch.table = {oid: value for oid, value in rig.switch.table.items() if oid not in gone.values()}
        await rig.poll()
        view = await rig.poll()
        assert "sfp-temperature" not in {row.name for row in view.health}
        assert len(view.health) == 19
