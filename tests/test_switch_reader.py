"""A switch polled over time: rates, restarts, ports that come, go, flap and change their index or name."""

from __future__ import annotations

import pytest

from sparktui.switch import oids
from sparktui.switch.getter import NoAnswer
from sparktui.switch.learnt import Owner
from tests.switch_rig import DD11, DD15, DD25, IN, OUT, Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


async def test_the_first_look_at_a_crs812(rig: Rig) -> None:
    rig.owners = {"02:00:5e:00:01:03": Owner("spark3", "a", "p1"), "02:00:5e:00:02:03": Owner("spark3", "b", "p1")}
    view = await rig.poll()
    assert (view.state, view.model, view.version, view.uptime_s) == ("live", "CRS812-8DS-2DQ-2DDQ", "7.24.1", 1234572)
    assert view.cpu_load_percent == [1, 2, 3, 4]
    assert view.notes == ["per-priority pause, queue drops and FEC are not in RouterOS's SNMP"]
    assert len(view.ports) == 16
    fabric = view.ports["qsfp56-dd-1-1"]
    assert (fabric.oper, fabric.speed_mbps, fabric.alias, fabric.cage) == ("up", 200_000, "node3", "qsfp56-dd-1")
    assert (fabric.node, fabric.nics, fabric.learnt_age_s) == ("spark3", ["a", "b"], 0.0)
    assert (fabric.rx_bps, fabric.rx_fcs_errors_per_s) == (None, None)
    assert (fabric.counters_total["RxPause"], fabric.counters_total["TxPause"]) == (287, 46)
    assert view.ports["qsfp56-dd-1-5"].tx_drops_total == 12
    assert view.ports["qsfp56-dd-2-5"].rx_fcs_errors_total == 3
    assert view.ports["qsfp56-dd-2-5"].counters_total["ifInErrors"] == 3
    assert view.ports["qsfp56-dd-1-1"].optic is not None
    assert view.ports["qsfp56-dd-1-1"].optic.rx_power_dbm is None
    assert view.ports["ether1"].oper == "down"
    by_lldp_name = view.ports["qsfp56-dd-2-1"]
    assert (by_lldp_name.node, by_lldp_name.nics) == ("node5", ["enp1s0f1np1", "enP2p1s0f1np1"])
    assert (by_lldp_name.neighbour, view.ports["sfp56-1"].node) == (None, "node1")


class TestRates:
    async def test_octets_and_frames_become_bits_and_frames_per_second(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch.add(IN, DD11, 112_500_000_000)
        rig.switch.add(OUT, DD11, 1_000)
        rig.switch.add(oids.TRAFFIC["ifHCInUcastPkts"], DD11, 27_500_000)
        port = await rig.port()
        assert port.rx_bps == 180e9
        assert port.tx_bps == 1_600.0
        assert port.rx_packets_per_s == 5_500_000.0

    async def test_error_counters_are_read_twice_and_then_every_ten_seconds(self, rig: Rig) -> None:
        errors = oids.STATISTICS["RxFCSError"]
        assert (await rig.port()).rx_fcs_errors_per_s is None
        rig.switch.add(errors, DD11, 500)
        assert (await rig.port()).rx_fcs_errors_per_s == 100.0
        rig.switch.add(errors, DD11, 500)
        assert (await rig.port()).rx_fcs_errors_per_s == 100.0
        assert (await rig.port()).rx_fcs_errors_per_s == 50.0
        assert (await rig.port()).rx_fcs_errors_per_s == 50.0
        port = await rig.port()
        assert (port.rx_fcs_errors_per_s, port.rx_fcs_errors_total) == (0.0, 1000)

    async def test_every_error_counter_has_its_place(self, rig: Rig) -> None:
        await rig.poll()
        named = {**oids.DISCARDS_AND_ERRORS, **oids.STATISTICS}
        for number, oid in enumerate(named.values(), 1):
            rig.switch.add(oid, DD11, 5 * number)
        port = await rig.port()
        assert port.counters_per_s == {
            "ifInDiscards": 1.0,
            "ifInErrors": 2.0,
            "ifOutDiscards": 3.0,
            "ifOutErrors": 4.0,
            "RxTooLong": 5.0,
            "RxAlignError": 8.0,
            "RxOverflow": 9.0,
            "LinkDowns": 13.0,
        }
        assert (port.rx_pause_per_s, port.rx_fcs_errors_per_s, port.rx_drops_per_s) == (6.0, 7.0, 10.0)
        assert (port.tx_pause_per_s, port.tx_drops_per_s) == (11.0, 12.0)
        assert (port.rx_drops_total, port.tx_drops_total) == (50, 60)

    async def test_a_32_bit_counter_wraps_and_its_total_goes_on(self, rig: Rig) -> None:
        errors = oids.DISCARDS_AND_ERRORS["ifInErrors"]
        rig.switch[(*errors, DD11)] = (1 << 32) - 50
        await rig.poll()
        rig.switch[(*errors, DD11)] = 50
        port = await rig.port(after_s=10.0)
        assert port.counters_per_s["ifInErrors"] == 10.0
        assert port.counters_total["ifInErrors"] == (1 << 32) + 50

    async def test_counters_that_were_reset_are_a_gap(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch.add(IN, DD11, 10**9)
        await rig.poll()
        rig.switch[(*IN, DD11)] = 5_000
        port = await rig.port()
        assert (port.rx_bps, port.tx_bps) == (None, None)
        rig.switch.add(IN, DD11, 5_000)
        assert (await rig.port()).rx_bps == 8_000.0

    async def test_a_restarted_switch_is_a_gap_for_every_counter(self, rig: Rig) -> None:
        rig.switch[(*IN, DD11)] = 1_000
        await rig.poll()
        await rig.poll()
        rig.switch[oids.SYS_UPTIME] = 2_000
        rig.switch.add(IN, DD11, 10**15)
        rig.switch.add(oids.STATISTICS["RxFCSError"], DD11, 10**6)
        view = await rig.poll()
        assert view.uptime_s == 25
        assert view.ports["qsfp56-dd-1-1"].rx_bps is None
        assert view.ports["qsfp56-dd-1-1"].rx_fcs_errors_per_s is None
        rig.switch.add(IN, DD11, 5_000)
        assert (await rig.port()).rx_bps == 8_000.0

    async def test_a_suspended_laptop_is_a_gap(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch.add(IN, DD11, 10**15)
        rig.switch[oids.SYS_UPTIME] = rig.switch[oids.SYS_UPTIME] + 360_000
        assert (await rig.port()).rx_bps is None

    async def test_missed_polls_widen_the_window(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch.silent_below = oids.SYSTEM
        rig.switch.wait(5.0)
        with pytest.raises(NoAnswer):
            await rig.reader.read()
        rig.switch.silent_below = None
        rig.switch.add(IN, DD11, 10**10)
        assert (await rig.port()).rx_bps == 8e9


class TestPorts:
    async def test_a_lane_that_flaps_stays_shown_and_starts_with_a_gap(self, rig: Rig) -> None:
        rig.switch[(*oids.IF_ALIAS, DD15)] = b""
        await rig.poll()
        await rig.poll()
        rig.switch[(*oids.IF_OPER_STATUS, DD15)] = 2
        rig.switch[(*oids.IF_HIGH_SPEED, DD15)] = 0
        port = await rig.port("qsfp56-dd-1-5")
        assert (port.oper, port.speed_mbps) == ("down", None)
        down = await rig.port("qsfp56-dd-1-5")
        assert (down.rx_bps, down.rx_fcs_errors_per_s, down.rx_fcs_errors_total) == (None, None, 0)
        rig.switch[(*oids.IF_OPER_STATUS, DD15)] = 1
        rig.switch[(*oids.IF_HIGH_SPEED, DD15)] = 200_000
        assert (await rig.port("qsfp56-dd-1-5")).speed_mbps is None
        assert (await rig.port("qsfp56-dd-1-5")).rx_bps is None
        rig.switch.add(IN, DD15, 5_000)
        port = await rig.port("qsfp56-dd-1-5")
        assert (port.oper, port.speed_mbps, port.rx_bps) == ("up", 200_000, 8_000.0)

    async def test_a_port_plugged_in_is_seen_at_the_next_poll(self, rig: Rig) -> None:
        assert (await rig.port("sfp56-8")).oper == "down"
        rig.switch[(*oids.IF_OPER_STATUS, 11)] = 1
        assert (await rig.port("sfp56-8")).oper == "up"

    async def test_a_new_lane_is_seen_with_the_next_survey(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch[(*oids.IF_OPER_STATUS, DD11 + 2)] = 1
        assert "qsfp56-dd-1-3" not in (await rig.poll()).ports
        assert "qsfp56-dd-1-3" in (await rig.poll(55.0)).ports

    async def test_new_indexes_are_noticed_before_they_are_used(self, rig: Rig) -> None:
        await rig.poll()
        swapped = dict(rig.switch.table)
        for oid, value in rig.switch.table.items():
            for entry in (oids.IF_ENTRY, oids.IFX_ENTRY, oids.STATS_ENTRY):
                if oid[: len(entry)] == entry and oid[-1] in (DD11, DD25):
                    swapped[(*oid[:-1], DD25 if oid[-1] == DD11 else DD11)] = value
        rig.switch.table = swapped
        rig.switch.add(IN, DD25, 5_000)
        port = await rig.port()
        assert (port.rx_bps, port.alias) == (None, "node3")
        rig.switch.add(IN, DD25, 5_000)
        assert (await rig.port()).rx_bps == 8_000.0

    async def test_a_renamed_port_begins_anew(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch[(*oids.IF_NAME, DD11)] = b"fabric-port-a"
        view = await rig.poll()
        assert "qsfp56-dd-1-1" not in view.ports
        assert view.ports["fabric-port-a"].rx_bps is None
        rig.switch.add(IN, DD11, 5_000)
        assert (await rig.port("fabric-port-a")).rx_bps == 8_000.0

    async def test_an_interface_more_is_noticed_by_their_number(self, rig: Rig) -> None:
        await rig.poll()
        rig.switch[oids.IF_NUMBER] = 37
        rig.switch.table |= {
            (*oids.IF_TYPE, 40): 6,
            (*oids.IF_NAME, 40): b"sfp-extra",
            (*oids.IF_OPER_STATUS, 40): 1,
        }
        assert "sfp-extra" in (await rig.poll()).ports
