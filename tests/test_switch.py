"""What a switch's tables mean: every decoder on recordings of two RouterOS generations and on arbitrary answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.contract import Health, Optic
from sparktui.switch import oids
from sparktui.switch.health import decode_health
from sparktui.switch.neighbours import LldpNeighbour, decode_lldp, decode_stations
from sparktui.switch.optics import decode_optic
from sparktui.switch.ports import decode_interfaces, is_shown, split_name
from sparktui.switch.system import System, Uptime, decode_processor_load, decode_system
from sparktui.switch.values import Oid, Plain, column, mac, number, signed, text
from tests.snmprec import load, plain

CRS812 = plain(load("crs812-ros7.24.1"))
CRS317 = plain(load("crs317-ros6.48"))

PLAIN = st.one_of(
    st.integers(-(1 << 63), 1 << 64),
    st.binary(max_size=80),
    st.lists(st.integers(0, 1 << 32), max_size=12).map(tuple),
)
INDEX = st.lists(st.integers(0, 1 << 32), min_size=1, max_size=8).map(tuple)
COLUMN = st.dictionaries(INDEX, PLAIN, max_size=6)


def health(table: dict[Oid, Plain], expected_absent: tuple[str, ...] = ()) -> list[Health]:
    names, values, units = (column(table, oid) for oid in (oids.GAUGE_NAME, oids.GAUGE_VALUE, oids.GAUGE_UNIT))
    return decode_health(names, values, units, expected_absent)


def table_of(*columns: Oid) -> st.SearchStrategy[dict[Oid, Plain]]:
    """Rows of these columns with any index and any value."""
    keys = st.tuples(st.sampled_from(columns), INDEX).map(lambda pair: pair[0] + pair[1])
    return st.dictionaries(keys, PLAIN, max_size=12)


class TestHealth:
    def test_every_row_of_a_crs812_with_its_unit(self) -> None:
        assert health(CRS812, ("psu2",)) == [
            Health("cpu-temperature", 38, "C", None),
            Health("sfp-temperature", 68, "C", None),
            Health("switch-temperature", 44, "C", None),
            Health("phy-temperature", 37, "C", None),
            Health("fan-state", 0, "", "ok"),
            Health("fan1-speed", 6630, "rpm", None),
            Health("fan2-speed", 6990, "rpm", None),
            Health("fan3-speed", 7080, "rpm", None),
            Health("fan4-speed", 7230, "rpm", None),
            Health("board-temperature1", 30, "C", None),
            Health("board-temperature2", 35, "C", None),
            Health("board-temperature3", 40, "C", None),
            Health("psu1-state", 0, "", "ok"),
            Health("psu2-state", 4, "", "expected_absent"),
            Health("psu1-input-voltage", 234.2, "V", None),
            Health("psu2-input-voltage", 0, "V", "expected_absent"),
            Health("psu1-power", 49.8, "W", None),
            Health("psu2-power", 0, "W", "expected_absent"),
            Health("psu1-temperature", 27, "C", None),
            Health("psu2-temperature", 0, "C", "expected_absent"),
        ]

    def test_ros6_sends_gauges_and_minus_one_as_four_billion(self) -> None:
        assert health(CRS317) == [
            Health("voltage", 24.1, "V", None),
            Health("temperature", -1, "C", None),
            Health("cpu-temperature", 46, "C", None),
            Health("psu1-state", 0, "", "ok"),
            Health("psu2-state", 1, "", "not_ok"),
        ]

    def test_a_supply_that_is_not_expected_and_is_there_stays_as_it_is(self) -> None:
        rows = {row.name: row for row in health(CRS812, ("psu1", "fan9"))}
        assert rows["psu1-state"] == Health("psu1-state", 0, "", "ok")
        assert rows["psu1-power"].state is None
        assert rows["psu2-state"].state == "not_ok"

    def test_psu10_is_not_psu1(self) -> None:
        names: dict[Oid, Plain] = {(1,): b"psu10-state", (2,): b"psu1-state"}
        rows = decode_health(names, {(1,): 1, (2,): 3}, {(1,): 6, (2,): 6}, ["psu1"])
        assert [row.state for row in rows] == ["not_ok", "expected_absent"]

    def test_unknown_names_and_units_are_shown(self) -> None:
        rows = decode_health({(9,): b"pcie-switch-\x1b[31mtemp"}, {(9,): 55}, {(9,): 77})
        assert rows == [Health("pcie-switch- [31mtemp", 55, "", None)]

    def test_a_row_without_a_value_is_not_ok_nor_zero(self) -> None:
        assert decode_health({(1,): b"psu1-state", (2,): b"temperature"}, {}, {(1,): 6, (2,): 1}) == [
            Health("psu1-state", None, "", None),
            Health("temperature", None, "C", None),
        ]

    @given(COLUMN, COLUMN, COLUMN)
    def test_survives_anything(
        self, names: dict[Oid, Plain], values: dict[Oid, Plain], units: dict[Oid, Plain]
    ) -> None:
        for row in decode_health(names, values, units, ["psu2"]):
            assert row.name.isprintable()


class TestPorts:
    def test_a_crs812_has_34_ports_of_which_16_are_shown(self) -> None:
        ports = decode_interfaces(CRS812)
        assert len(ports) == 34
        assert [name for name, port in ports.items() if is_shown(port, (), ())] == [
            "ether1",
            "ether2",
            *(f"sfp56-{n}" for n in range(1, 9)),
            "qsfp56-1-1",
            "qsfp56-2-1",
            "qsfp56-dd-1-1",
            "qsfp56-dd-1-5",
            "qsfp56-dd-2-1",
            "qsfp56-dd-2-5",
        ]

    def test_speed_is_if_high_speed_and_none_while_down(self) -> None:
        ports = decode_interfaces(CRS812)
        assert (ports["qsfp56-dd-1-1"].speed_mbps, ports["qsfp56-dd-1-1"].oper) == (200_000, "up")
        assert (ports["qsfp56-dd-1-2"].speed_mbps, ports["qsfp56-dd-1-2"].oper) == (None, "down")
        assert (ports["sfp56-1"].speed_mbps, ports["sfp56-1"].alias, ports["sfp56-1"].index) == (
            10_000,
            "node1 mgmt",
            4,
        )

    def test_ros6_ports_with_a_renamed_one(self) -> None:
        ports = decode_interfaces(CRS317)
        assert list(ports) == ["ether1", "sfp-sfpplus2", "sfp-sfpplus3", "uplink: core (old)"]
        renamed = ports["uplink: core (old)"]
        assert (renamed.cage, renamed.lane, renamed.speed_mbps, renamed.alias) == (None, None, 1000, None)
        assert ports["ether1"].admin == "down"

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("qsfp56-dd-1-5", ("qsfp56-dd-1", 5)),
            ("qsfp56-2-1", ("qsfp56-2", 1)),
            ("qsfp28-4-4", ("qsfp28-4", 4)),
            ("qsfpplus1-3", ("qsfpplus1", 3)),
            ("sfp56-8", ("sfp56-8", None)),
            ("sfp-sfpplus16", ("sfp-sfpplus16", None)),
            ("sfp1", ("sfp1", None)),
            ("ether1", (None, None)),
            ("fabric-port-a", (None, None)),
            ("qsfp56-dd-1", ("qsfp56-dd-1", None)),
        ],
    )
    def test_cages_and_lanes(self, name: str, expected: tuple[str | None, int | None]) -> None:
        assert split_name(name) == expected

    def test_a_dark_lane_shows_with_a_comment_a_config_entry_or_a_past(self) -> None:
        dark = decode_interfaces(CRS812)["qsfp56-dd-2-3"]
        assert not is_shown(dark, (), ())
        assert is_shown(dark, ("qsfp56-dd-2-3",), ())
        assert is_shown(dark, (), ("qsfp56-dd-2-3",))
        assert is_shown(decode_interfaces({**CRS812, (*oids.IF_ALIAS, 30): b"spare"})["qsfp56-dd-2-3"], (), ())

    def test_two_interfaces_of_one_name_are_one_port(self) -> None:
        table: dict[Oid, Plain] = {
            (*oids.IF_NAME, 1): b"p",
            (*oids.IF_NAME, 2): b"p",
            (*oids.IF_TYPE, 1): 6,
            (*oids.IF_TYPE, 2): 6,
        }
        assert [port.index for port in decode_interfaces(table).values()] == [1]

    @given(table_of(oids.IF_NAME, oids.IF_TYPE, oids.IF_OPER_STATUS, oids.IF_HIGH_SPEED, oids.IF_ALIAS, oids.IF_DESCR))
    def test_survives_anything(self, table: dict[Oid, Plain]) -> None:
        for name, port in decode_interfaces(table).items():
            assert name.isprintable()
            assert port.oper in ("up", "unknown") or port.speed_mbps is None


def optic(table: dict[Oid, Plain], index: int) -> Optic | None:
    return decode_optic({name: table[(*oid, index)] for name, oid in oids.OPTICAL.items() if (*oid, index) in table})


class TestOptics:
    def test_a_real_optic(self) -> None:
        assert optic(CRS317, 17) == Optic(
            temperature_c=40,
            supply_v=3.302,
            tx_bias_ma=7,
            tx_power_dbm=-4.879,
            rx_power_dbm=-5.673,
            wavelength_nm=850,
        )
        assert optic(CRS812, 16) == Optic(68, 3.289, 7, -1.204, -2.311, 1310, "ACME")

    def test_a_passive_cable_has_no_diagnostics_although_its_row_says_0_dbm(self) -> None:
        assert optic(CRS317, 18) == Optic(None, None, None, None, None, None)
        assert optic(CRS812, 20) == Optic(None, None, None, None, None, None, "ACME")

    def test_an_empty_slot_is_minus_128_degrees(self) -> None:
        assert optic(CRS317, 22) is None
        assert decode_optic({}) is None

    def test_wavelength_65535_is_none(self) -> None:
        module = decode_optic({"temperature": 30, "supply": 3300, "wavelength": 6553500})
        assert module is not None
        assert module.wavelength_nm is None

    @given(st.dictionaries(st.sampled_from(sorted(oids.OPTICAL)), PLAIN))
    def test_survives_anything(self, row: dict[str, Plain]) -> None:
        decode_optic(row)


def stations(table: dict[Oid, Plain], release: tuple[int, ...]) -> dict[str, int]:
    return decode_stations(
        column(table, oids.VLAN_FDB_PORT), column(table, oids.FDB_PORT), column(table, oids.BASE_PORT_IF_INDEX), release
    )


class TestNeighbours:
    def test_ros7_base_ports_lead_to_interfaces_and_0_is_the_switch_itself(self) -> None:
        found = stations(CRS812, (7, 24, 1))
        assert len(found) == 12
        assert found["02:00:5e:00:01:03"] == found["02:00:5e:00:02:03"] == 20
        assert "02:00:5e:10:00:02" not in found

    @pytest.mark.parametrize("release", [(6, 48, 6), ()])
    def test_ros6_ports_are_interface_indexes(self, release: tuple[int, ...]) -> None:
        assert stations(CRS317, release) == {
            "02:00:5e:10:00:11": 17,
            "02:00:5e:10:00:12": 18,
            "02:00:5e:10:00:16": 22,
        }

    def test_other_switches_have_base_ports_in_the_old_table_too(self) -> None:
        table: dict[Oid, Plain] = {(*oids.FDB_PORT, 2, 0, 94, 0, 0, 1): 3, (*oids.BASE_PORT_IF_INDEX, 3): 10_103}
        assert stations(table, ()) == {"02:00:5e:00:00:01": 10_103}

    def test_an_interface_index_above_2_to_31_arrives_negative(self) -> None:
        table: dict[Oid, Plain] = {(*oids.VLAN_FDB_PORT, 0, 2, 0, 94, 0, 0, 1): 1, (*oids.BASE_PORT_IF_INDEX, 1): -2}
        assert stations(table, (7, 20)) == {"02:00:5e:00:00:01": 0xFFFFFFFE}

    def test_lldp_since_7_7_names_the_local_interface(self) -> None:
        found = decode_lldp(CRS812, {})
        assert len(found) == 12
        assert found[0] == LldpNeighbour(12, "node1", "enp1s0f1np1", ())

    @pytest.mark.parametrize("index", [(3,), (0, 0, 3)])
    @pytest.mark.parametrize("neighbour", [(3,), (3, 14)])
    @pytest.mark.parametrize("interface", [14, b"e", b"0x0e"])
    def test_lldp_before_7_7_has_only_a_number(self, index: Oid, neighbour: Oid, interface: Plain) -> None:
        lldp: dict[Oid, Plain] = {
            (*oids.LLDP_SYS_NAME, *index): b"spark2",
            (*oids.LLDP_PORT_SUBTYPE, *index): 3,
            (*oids.LLDP_PORT_ID, *index): bytes.fromhex("02005e000202"),
            (*oids.LLDP_CHASSIS_ID, *index): b"02-00-5E-00-01-02",
        }
        heard: dict[Oid, Plain] = {(*oids.NEIGHBOUR_INTERFACE, *neighbour): interface}
        macs = ("02:00:5e:00:02:02", "02:00:5e:00:01:02")
        assert decode_lldp(lldp, heard) == (LldpNeighbour(14, "spark2", None, macs),)

    def test_mikrotiks_own_neighbours_where_lldp_has_none(self) -> None:
        assert decode_lldp({}, CRS317) == (
            LldpNeighbour(22, "core", None, ("02:00:5e:10:00:16",)),
            LldpNeighbour(18, "spark9", None, ("02:00:5e:00:00:f0",)),
        )

    @given(COLUMN, COLUMN, COLUMN, st.sampled_from([(), (6, 48), (7, 20)]))
    def test_stations_survive_anything(
        self, vlan: dict[Oid, Plain], fdb: dict[Oid, Plain], base: dict[Oid, Plain], release: tuple[int, ...]
    ) -> None:
        for address in decode_stations(vlan, fdb, base, release):
            assert len(address) == 17

    @given(
        table_of(oids.LLDP_CHASSIS_ID, oids.LLDP_PORT_ID, oids.LLDP_PORT_SUBTYPE, oids.LLDP_SYS_NAME),
        table_of(oids.NEIGHBOUR_MAC, oids.NEIGHBOUR_IDENTITY, oids.NEIGHBOUR_INTERFACE),
    )
    def test_lldp_survives_anything(self, lldp: dict[Oid, Plain], heard: dict[Oid, Plain]) -> None:
        for told in decode_lldp(lldp, heard):
            assert (told.system or "x").isprintable()


class TestSystem:
    def test_crs812(self) -> None:
        system = decode_system(CRS812)
        assert system == System("CRS812-8DS-2DQ-2DDQ", "7.24.1", True, None)
        assert system.release == (7, 24, 1)
        assert system.notes() == ["per-priority pause, queue drops and FEC are not in RouterOS's SNMP"]

    def test_ros6_has_no_board_name_and_a_pending_upgrade(self) -> None:
        system = decode_system(CRS317)
        assert system == System("CRS317-1G-16S+", "6.48.6", True, "6.48.6")
        assert "RouterBOOT upgrade to 6.48.6 is pending" in system.notes()[1]

    def test_a_description_that_was_edited(self) -> None:
        system = decode_system(
            {oids.SYS_DESCR: b"router", oids.PHYSICAL_DESCR: b"RouterOS 7.15.3 (stable) on CRS504-4XQ"}
        )
        assert (system.model, system.version, system.release) == ("CRS504-4XQ", "7.15.3", (7, 15, 3))

    @pytest.mark.parametrize(("version", "noted"), [("7.21.4", True), ("7.23", False), ("7.24rc2", False)])
    def test_old_software_on_a_crs8xx_has_no_pfc(self, version: str, noted: bool) -> None:
        system = decode_system({oids.BOARD_NAME: b"CRS812-8DS-2DQ-2DDQ", oids.ROUTEROS_VERSION: version.encode()})
        assert any("PFC and ECN" in note for note in system.notes()) is noted

    def test_another_make(self) -> None:
        system = decode_system(
            {oids.SYS_DESCR: b"Linux sw 6.1.0", oids.SYS_OBJECT_ID: (1, 3, 6, 1, 4, 1, 8072, 3, 2, 10)}
        )
        assert system == System("Linux sw 6.1.0", None, False, None)
        assert system.notes() == []

    def test_processor_load_in_core_order(self) -> None:
        assert decode_processor_load(column(CRS812, oids.PROCESSOR_LOAD)) == [1, 2, 3, 4]

    @given(table_of(*(oid[:-1] for oid in (oids.SYS_DESCR, oids.ROUTEROS_VERSION, oids.BOARD_NAME))), COLUMN)
    def test_survives_anything(self, table: dict[Oid, Plain], loads: dict[Oid, Plain]) -> None:
        decode_system({**table, oids.ROUTEROS_VERSION: b"7.", oids.PHYSICAL_DESCR: b"\xff" * 200}).notes()
        assert all(0 <= load <= 100 for load in decode_processor_load(loads))


class TestUptime:
    @pytest.mark.parametrize(
        ("before", "ticks", "elapsed", "broke"),
        [
            (100_000, 100_500, 5.0, False),
            (100_000, 100_400, 5.4, False),
            (100_000, 100_000, 0.3, False),
            (100_000, 300, 5.0, True),
            (3_000, 30_000, 600.0, True),
            ((1 << 32) - 200, 300, 5.0, False),
            (100_000, 460_000, 5.0, True),
            (100_000, 99_900, 0.1, True),
        ],
        ids=[
            "usual",
            "whole-seconds",
            "same-second",
            "restart",
            "restart-in-outage",
            "wrap-497-d",
            "suspended",
            "back",
        ],
    )
    def test_whether_counters_can_be_compared(self, before: int, ticks: int, elapsed: float, broke: bool) -> None:
        uptime = Uptime()
        assert not uptime.broke(before, 50.0)
        assert uptime.broke(ticks, 50.0 + elapsed) is broke

    def test_a_switch_that_does_not_say_is_never_restarted(self) -> None:
        uptime = Uptime()
        assert not uptime.broke(None, 0.0)
        assert not uptime.broke(5, 1.0)
        assert not uptime.broke(None, 2.0)


class TestValues:
    def test_text_is_one_bounded_printable_line(self) -> None:
        assert text(b"\x1b[2Jspark1\n\tmgmt\x00") == "[2Jspark1 mgmt"
        assert text(b"\xff\xfe") == "\ufffd\ufffd"
        assert text(b"x" * 5000) == "x" * 64
        assert text(b"") is text(None) is text(5) is None

    @given(PLAIN)
    def test_readers_take_anything(self, value: Plain) -> None:
        line = text(value)
        assert line is None or (line.isprintable() and 0 < len(line) <= 64)
        assert number(value) in (None, value)
        assert signed(value) is None or not 1 << 31 <= (signed(value) or 0) < 1 << 32
        if not isinstance(value, int):
            assert mac(value) is None or len(value) == 6
