"""Which NIC hangs on which port: MAC table, LLDP, config, comments, and what happens when they disagree or forget."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from sparktui.contract import Node, Port, Switch
from sparktui.switch.attached import Attached, attach, ports_of
from sparktui.switch.learnt import CROWD_S, LearntPorts, Owner, owners_of
from sparktui.switch.neighbours import LldpNeighbour, Neighbours
from sparktui.switch.ports import Interface
from tests.switch_rig import nic

HALF, OTHER_HALF = "enp1s0f0np0", "enP2p1s0f0np0"
P0A, P0B = Owner("spark1", HALF, "p0", OTHER_HALF), Owner("spark1", OTHER_HALF, "p0", HALF)
RJ45 = Owner("spark1", "enP7s7")
OTHER = Owner("spark2", "enp1s0f0np0", "p0")
OWNERS = {"0a": P0A, "0b": P0B, "07": RJ45, "20": OTHER}
PORTS = {
    "qsfp56-dd-1-1": Interface(20, "qsfp56-dd-1-1", "up"),
    "qsfp56-dd-1-5": Interface(24, "qsfp56-dd-1-5", "up"),
    "sfp56-1": Interface(4, "sfp56-1", "up", alias="to Spark1 (rack A)"),
}
NAMES = {port.index: name for name, port in PORTS.items()}


def seen(at: float, stations: Mapping[str, int], *lldp: LldpNeighbour) -> Neighbours:
    return Neighbours(at, stations, lldp)


def attached(
    learnt: LearntPorts, configured: Mapping[str, str] | None = None, told: Neighbours | None = None, now: float = 100.0
) -> tuple[dict[str, Attached], list[str]]:
    return attach(PORTS, configured or {}, learnt, told, OWNERS, ["spark1", "spark2"], now)


def learn(*readings: Neighbours) -> LearntPorts:
    learnt = LearntPorts()
    for reading in readings:
        learnt.learn(reading, NAMES, OWNERS)
    return learnt


def test_both_halves_of_a_cable_are_on_its_port_pci_domain_0_first() -> None:
    found, notes = attached(learn(seen(90.0, {"0b": 20, "0a": 20, "ff": 20})))
    assert found["qsfp56-dd-1-1"] == Attached("spark1", ("enp1s0f0np0", "enP2p1s0f0np0"), 10.0)
    assert notes == []


def test_what_the_switch_has_forgotten_is_kept_with_its_age() -> None:
    learnt = learn(seen(0.0, {"0a": 20, "0b": 20}), seen(60.0, {"0a": 20}), seen(900.0, {}))
    found, _ = attached(learnt, now=900.0)
    assert found["qsfp56-dd-1-1"] == Attached("spark1", ("enp1s0f0np0", "enP2p1s0f0np0"), 840.0)


def test_a_moved_cable_takes_its_silent_half_with_it() -> None:
    found, _ = attached(learn(seen(0.0, {"0a": 20, "0b": 20}), seen(60.0, {"0a": 24})), now=60.0)
    assert found["qsfp56-dd-1-1"] == Attached()
    assert found["qsfp56-dd-1-5"] == Attached("spark1", ("enp1s0f0np0",), 0.0)


def test_another_node_on_the_port_contradicts_what_was_learnt() -> None:
    found, _ = attached(learn(seen(0.0, {"0a": 20}), seen(60.0, {"20": 20})), now=60.0)
    assert found["qsfp56-dd-1-1"] == Attached("spark2", ("enp1s0f0np0",), 0.0)


def test_a_second_cage_of_the_same_node_is_no_contradiction() -> None:
    learnt = learn(seen(0.0, {"0a": 20}), seen(60.0, {"07": 4}))
    found, _ = attached(learnt, now=60.0)
    assert (found["qsfp56-dd-1-1"].nics, found["sfp56-1"].nics) == (("enp1s0f0np0",), ("enP7s7",))


def test_equal_cage_names_of_two_cards_are_two_cables() -> None:
    cards = {"c1": Owner("hgx", "ens1np0", "p0"), "c2": Owner("hgx", "ens2np0", "p0")}
    learnt = LearntPorts()
    learnt.learn(seen(0.0, {"c1": 20, "c2": 24}), NAMES, cards)
    assert [one.owner.nic for name in ("qsfp56-dd-1-1", "qsfp56-dd-1-5") for one in learnt.on(name)] == [
        "ens1np0",
        "ens2np0",
    ]


def test_the_same_reading_taken_twice_does_not_grow_younger() -> None:
    reading = seen(10.0, {"0a": 20})
    assert attached(learn(reading, reading), now=30.0)[0]["qsfp56-dd-1-1"].age_s == 20.0


def test_a_port_with_several_nodes_behind_it_leads_to_another_switch() -> None:
    learnt = learn(seen(0.0, {"07": 4}), seen(60.0, {"07": 4, "20": 4}))
    told = seen(60.0, {}, LldpNeighbour(4, "core", "sfp-sfpplus1", ()))
    assert attached(learnt, told=told)[0]["sfp56-1"] == Attached(
        neighbour="core sfp-sfpplus1 (spark1, spark2 behind it)"
    )
    learnt.learn(seen(120.0, {"07": 4}), NAMES, OWNERS)
    assert attached(learnt)[0]["sfp56-1"].node is None
    learnt.learn(seen(60.0 + CROWD_S, {"07": 4}), NAMES, OWNERS)
    assert attached(learnt, now=60.0 + CROWD_S)[0]["sfp56-1"] == Attached("spark1", ("enP7s7",), 0.0)


def test_lldp_by_port_mac_by_names_and_by_names_with_a_domain() -> None:
    by_mac = LldpNeighbour(20, "anything", None, ("0a",))
    by_name = LldpNeighbour(24, "SPARK2.lan", "enp1s0f0np0", ())
    by_chassis = LldpNeighbour(4, "dgx-host", "enP7s7", ("0b",))
    found, _ = attached(learn(seen(95.0, {}, by_mac, by_name, by_chassis)))
    assert found["qsfp56-dd-1-1"] == Attached("spark1", ("enp1s0f0np0",), 5.0)
    assert found["qsfp56-dd-1-5"] == Attached("spark2", ("enp1s0f0np0",), 5.0)
    assert found["sfp56-1"] == Attached("spark1", ("enP7s7",), 5.0)


def test_the_mac_table_is_trusted_more_than_lldp() -> None:
    found, _ = attached(learn(seen(0.0, {"0a": 20}, LldpNeighbour(20, "spark2", "enp1s0f0np0", ()))))
    assert found["qsfp56-dd-1-1"].node == "spark1"


def test_a_stranger_is_named_and_no_node() -> None:
    told = seen(0.0, {}, LldpNeighbour(20, "nas", "eth0", ("99",)), LldpNeighbour(24, None, None, ("98",)))
    found, _ = attached(learn(told), told=told)
    assert found["qsfp56-dd-1-1"] == Attached(neighbour="nas eth0")
    assert found["qsfp56-dd-1-5"] == Attached(neighbour="98")


def test_a_node_whose_macs_are_unknown_is_known_by_its_lldp_name() -> None:
    halves = (LldpNeighbour(20, "spark2.lan", nic, ()) for nic in ("enP2p1s0f1np1", "enp1s0f1np1"))
    told = seen(90.0, {}, *halves)
    found, _ = attached(learn(told), told=told)
    assert found["qsfp56-dd-1-1"] == Attached("spark2", ("enp1s0f1np1", "enP2p1s0f1np1"), 10.0)


def test_a_comment_names_a_node_when_nothing_else_does() -> None:
    assert attached(LearntPorts())[0]["sfp56-1"] == Attached("spark1")
    assert attached(learn(seen(0.0, {"20": 4})))[0]["sfp56-1"].node == "spark2"


def test_the_config_wins_and_the_contradiction_is_told() -> None:
    learnt = learn(seen(0.0, {"20": 20}))
    found, notes = attached(learnt, {"qsfp56-dd-1-1": "spark1:p0"})
    assert found["qsfp56-dd-1-1"] == Attached("spark1", ("enp1s0f0np0", "enP2p1s0f0np0"))
    assert notes == [
        "qsfp56-dd-1-1: sees spark2 enp1s0f0np0, the config says spark1 enp1s0f0np0 enP2p1s0f0np0",
    ]


def test_a_nic_that_the_config_puts_elsewhere() -> None:
    found, notes = attached(learn(seen(0.0, {"0a": 24})), {"qsfp56-dd-1-1": "spark1:p0"})
    assert found["qsfp56-dd-1-5"] == Attached()
    assert notes == ["qsfp56-dd-1-5: sees spark1 enp1s0f0np0, which the config puts on qsfp56-dd-1-1"]


def test_a_port_that_the_switch_does_not_have() -> None:
    _, notes = attached(LearntPorts(), {"qsfp56-dd-9-1": "spark1"})
    assert notes == ["qsfp56-dd-9-1: the config names this port, the switch has none of that name"]


def test_the_forms_of_a_config_entry() -> None:
    configured = {"qsfp56-dd-1-1": "spark1", "qsfp56-dd-1-5": "spark9:p0", "sfp56-1": "spark9:enP7s7"}
    found, notes = attached(learn(seen(0.0, {"0a": 20})), configured)
    assert found["qsfp56-dd-1-1"] == Attached("spark1", ("enp1s0f0np0",))
    assert found["qsfp56-dd-1-5"] == Attached("spark9", ())
    assert found["sfp56-1"] == Attached("spark9", ("enP7s7",))
    assert notes == []


def test_owners_are_what_the_nodes_say() -> None:
    nodes = {"spark1": Node(state="live", nics={"enp1s0f0np0": nic("0a", "p0"), "wlan0": nic("", None)})}
    assert owners_of(nodes) == {"0a": Owner("spark1", "enp1s0f0np0", "p0", "enP2p1s0f0np0")}


def port(node: str | None, nics: list[str], age: float | None) -> Port:
    return Port(
        oper="up",
        speed_mbps=200_000,
        alias=None,
        rx_bps=None,
        tx_bps=None,
        rx_fcs_errors_per_s=None,
        rx_drops_per_s=None,
        tx_drops_per_s=None,
        rx_pause_per_s=None,
        tx_pause_per_s=None,
        node=node,
        nics=nics,
        learnt_age_s=age,
    )


def test_ports_of_prefers_the_config_then_the_latest() -> None:
    switches = {
        "a": Switch(state="live", ports={"1": port("spark1", ["x"], 9.0), "2": port("spark1", ["y"], 3.0)}),
        "b": Switch(state="live", ports={"3": port("spark1", ["x"], 2.0), "4": port("spark1", ["y"], None)}),
        "c": Switch(state="live", ports={"5": port(None, [], None), "6": port("spark2", [], None)}),
    }
    assert ports_of(switches) == {("spark1", "x"): ("b", "3"), ("spark1", "y"): ("b", "4")}


@given(
    st.lists(
        st.tuples(
            st.floats(0, 2000),
            st.dictionaries(st.sampled_from([*OWNERS, "ff"]), st.sampled_from([4, 20, 24, 99])),
        ),
        max_size=8,
    )
)
def test_however_cables_move_a_port_has_one_node_and_a_nic_one_port(
    readings: list[tuple[float, dict[str, int]]],
) -> None:
    learnt = learn(*(seen(at, stations) for at, stations in sorted(readings, key=lambda pair: pair[0])))
    homes: set[tuple[str, str]] = set()
    for name in PORTS:
        here = {one.owner for one in learnt.on(name)}
        assert len({owner.node for owner in here}) <= 1
        assert not homes & {owner[:2] for owner in here}
        homes |= {owner[:2] for owner in here}
