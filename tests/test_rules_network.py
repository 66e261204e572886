"""The rules about NICs, RDMA, interrupts and the switch, against what owners of such racks saw."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Health, Irq, IrqVector, Nic, Node, Port, Switch
from tests.rule_cases.rack import (
    NODES,
    connectx,
    health,
    node,
    once,
    port,
    r8127,
    rack,
    rss_interrupts,
    show,
    steady,
    switch,
    with_nic,
)

LOSS, LINE = "nic.rx_loss", "nic.line_errors"


def stock(**changed: Any) -> Nic:
    return r8127(driver_version="11.014.00-NAPI", rx_queues=1, tx_queues=1, **changed)


def losing(missed: float, mac_error: float = 0.0, rdu: float = 0.0, **changed: Any) -> Nic:
    counters = {"rx_mac_missed": missed, "rx_mac_error": mac_error, "rdu": rdu}
    return stock(rx_missed_per_s=missed, rx_errors_per_s=mac_error, counters_per_s=counters, **changed)


CASE_3 = losing(missed=120.4, mac_error=3598.8, rdu=131.0)
"""The stock driver in a 10 s UDP test: 36,012 frames lost, rx_mac_error +35,988, rx_mac_missed +1,204."""


def one_nic(nic: Nic, name: str = "enP7s7") -> Node:
    return node(nics={name: nic})


def test_case_3_is_a_loss_at_the_host_with_a_clean_port() -> None:
    (found,) = once(LOSS, one_nic(CASE_3), switches={"crs812": switch()})
    assert (found.target, found.evidence["nic"]) == ("spark1", "enP7s7")
    assert "3,599 frames/s (0.77 %) lost at the NIC's receive side" in found.text
    assert (
        "port sfp56-1 sent them, shows no FCS errors and no drops: lost at the NIC or on the last metre" in found.text
    )
    assert found.evidence["far_end"]["tx_packets_per_s"] == 464_000.0
    assert "11.016" in (found.next or "")


def test_what_the_cured_driver_still_loses_is_no_finding() -> None:
    """One UDP run of 4.64 million frames: 48 lost, 0.001 %."""
    assert once(LOSS, one_nic(replace(losing(4.8), rx_queues=8))) == []


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (None, "the switch's end of the cable cannot be seen"),
        ({"rx_fcs_errors_per_s": None}, "what port sfp56-1 counts is not known yet"),
        ({"tx_drops_per_s": 120.0}, "port sfp56-1 drops 120 frames/s on the way out too"),
        ({"rx_fcs_errors_per_s": 14.0}, "port sfp56-1 receives 14 broken frames/s from here"),
        ({}, "lost at the NIC or on the last metre"),
    ],
)
def test_the_other_end_is_told_as_far_as_it_is_seen(changed: dict[str, Any] | None, says: str) -> None:
    switches = {} if changed is None else {"crs812": switch(ports={"sfp56-1": port(**changed)})}
    (found,) = once(LOSS, one_nic(CASE_3), switches=switches)
    assert says in found.text
    assert (found.evidence["far_end"] is None) == (changed is None)


@pytest.mark.parametrize("state", ["stale", "unreachable", "connecting"])
def test_a_switch_whose_values_are_old_says_nothing(state: Any) -> None:
    (found,) = once(LOSS, one_nic(CASE_3), switches={"crs812": switch(state=state)})
    assert "cannot be seen" in found.text


def test_frames_missed_without_errors_wanted_a_buffer() -> None:
    (found,) = once(LOSS, one_nic(losing(412.0, rdu=390.0)), switches={"crs812": switch()})
    assert "for want of receive buffers" in found.text


@pytest.mark.parametrize(
    ("nic", "there"),
    [
        pytest.param(losing(0.9, rx_packets_per_s=100.0), False, id="below 1 frame/s"),
        pytest.param(losing(1.0, rx_packets_per_s=100.0), True, id="1 frame/s and 1 %"),
        pytest.param(losing(46.3), False, id="below 0.01 % of 464,000 frames/s"),
        pytest.param(losing(46.5), True, id="0.01 % of 464,000 frames/s"),
        pytest.param(losing(0.0, mac_error=4000.0), False, id="only rx_mac_error: a line error by the contract"),
        pytest.param(losing(0.0, mac_error=4000.0, rdu=90.0), True, id="rdu moves with rx_mac_error"),
        pytest.param(losing(0.0, rdu=90.0), False, id="moments without a descriptor lose nothing by themselves"),
        pytest.param(losing(30.0, mac_error=4000.0), False, id="a few missed beside a bad cable"),
        pytest.param(losing(50.0, mac_error=4000.0), True, id="more than 1 in 100"),
        pytest.param(r8127(rx_missed_per_s=None), False, id="not known"),
        pytest.param(losing(500.0, rx_packets_per_s=None), False, id="share not known"),
    ],
)
def test_limits_of_receive_loss(nic: Nic, there: bool) -> None:
    assert bool(once(LOSS, one_nic(nic))) == there


def test_rdma_frames_count_as_received() -> None:
    """A cage discards 40 of 5.5 million frames per second; its netdevs saw 2 of them."""
    nics = {name: connectx(name, rx_missed_per_s=40.0) for name in ("enp1s0f0np0", "enP2p1s0f0np0")}
    assert once(LOSS, node(nics=nics)) == []
    assert len(once(LOSS, node(nics={n: replace(nic, rx_missed_per_s=4000.0) for n, nic in nics.items()}))) == 1


def counting(start: Node, netdev: str, per_s: dict[str, int], seconds: int, missed_per_s: int = 0) -> list[Any]:
    """A course in which these counters of a NIC grow every second."""
    course = []
    nic = start.nics[netdev]
    for n in range(seconds + 1):
        totals = {
            **nic.counters_total,
            **{name: nic.counters_total.get(name, 0) + n * by for name, by in per_s.items()},
        }
        missed = (nic.rx_missed_total or 0) + n * missed_per_s
        course.append(
            (float(n), {"spark1": with_nic(start, netdev, counters_total=totals, rx_missed_total=missed)}, {})
        )
    return course


@pytest.mark.parametrize(
    ("netdev", "per_s", "missed_per_s", "there"),
    [
        pytest.param("enP7s7", {"rx_mac_error": 2800}, 0, True, id="rx_mac_error alone"),
        pytest.param(
            "enP7s7", {"rx_mac_error": 3599}, 120, False, id="rx_mac_error beside rx_mac_missed: receive loss"
        ),
        pytest.param(
            "enP7s7", {"rx_mac_error": 3599, "rdu": 131}, 0, False, id="rx_mac_error beside rdu: receive loss"
        ),
        pytest.param("enP7s7", {"rx_mac_error": 2800}, 1, True, id="a frame missed per second beside a bad cable"),
        pytest.param("enP7s7", {"align_errors32": 5}, 120, True, id="alignment errors are the line's, missed or not"),
        pytest.param("enP7s7", {"rdu": 100}, 0, False, id="descriptors"),
        pytest.param("enp1s0f0np0", {"rx_crc_errors_phy": 7}, 0, True, id="CRC alone"),
        pytest.param("enp1s0f0np0", {"rx_symbol_err_phy": 7}, 0, True, id="symbol errors alone"),
        pytest.param("enp1s0f0np0", {"rx_corrected_bits_phy": 90_000}, 0, False, id="FEC at work"),
        pytest.param("enp1s0f0np0", {"rx_discards_phy": 90}, 90, False, id="discards are no line errors"),
        pytest.param("enp1s0f0np0", {"rx_crc_errors_phy": 1}, 0, True, id="10 errors in 10 s"),
    ],
)
def test_line_errors(netdev: str, per_s: dict[str, int], missed_per_s: int, there: bool) -> None:
    found = show(LINE, counting(node(), netdev, per_s, 10, missed_per_s))
    assert bool(found) == there


def test_line_errors_name_counter_time_and_doubt() -> None:
    (found,) = show(LINE, counting(node(), "enP7s7", {"rx_mac_error": 28}, 10))
    assert "rx_mac_error 280 in 10 s (CRC or symbol errors by its name, no proof of a bad cable)" in found.text
    (found,) = show(LINE, counting(node(), "enp1s0f0np0", {"rx_crc_errors_phy": 28}, 10))
    assert "no proof" not in found.text


def test_limits_of_line_errors() -> None:
    assert show(LINE, counting(node(), "enp1s0f0np0", {"rx_crc_errors_phy": 1}, 9)) == [], "9 errors"
    assert show(LINE, counting(node(), "enp1s0f0np0", {"rx_crc_errors_phy": 100}, 2)) == [], "only for 2 s"
    assert len(show(LINE, counting(node(), "enp1s0f0np0", {"rx_crc_errors_phy": 100}, 3))) == 1


def test_line_errors_are_forgotten_after_their_window() -> None:
    course = counting(node(), "enp1s0f0np0", {"rx_crc_errors_phy": 100}, 5)
    last = course[-1][1]
    assert show(LINE, [*course, (30.0, {"spark1": replace(last["spark1"])}, {})])
    quiet = [(float(s), {"spark1": with_nic(last["spark1"], "enp1s0f0np0")}, {}) for s in range(6, 37)]
    assert show(LINE, [*course, *quiet]) == []


def test_what_a_cable_counts_while_it_is_plugged_is_not_held_against_it() -> None:
    course = counting(node(), "enp1s0f0np0", {"rx_symbol_err_phy": 0}, 5)
    view = with_nic(
        course[-1][1]["spark1"], "enp1s0f0np0", carrier_changes=3, counters_total={"rx_symbol_err_phy": 9000}
    )
    course += [(6.0 + s, {"spark1": with_nic(view, "enp1s0f0np0")}, {}) for s in range(10)]
    assert show(LINE, course) == []


def test_both_halves_of_a_cage_report_one_cable() -> None:
    halves = ("enp1s0f0np0", "enP2p1s0f0np0")
    one, other = (counting(node(), half, {"rx_crc_errors_phy": 50 + n}, 5) for n, half in enumerate(halves))
    course = [
        (
            now,
            {"spark1": with_nic(a["spark1"], halves[1], counters_total=b["spark1"].nics[halves[1]].counters_total)},
            {},
        )
        for (now, a, _), (_, b, _) in zip(one, other, strict=True)
    ]
    (found,) = show(LINE, course)
    assert found.part == min(halves)
    assert found.evidence["grown"] == {"rx_crc_errors_phy": 255}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"rx_fcs_errors_per_s": 2.0}, "receives broken frames from here as well: the cable or a plug"),
        ({}, "cannot see this direction, and receives clean frames from here"),
        ({"rx_fcs_errors_per_s": None}, "cannot be seen"),
    ],
)
def test_line_errors_tell_what_the_other_end_can_say(changed: dict[str, Any], says: str) -> None:
    switches = {"crs812": switch(ports={"sfp56-1": port(**changed)})}
    course = [(now, nodes, switches) for now, nodes, _ in counting(node(), "enP7s7", {"rx_mac_error": 28}, 5)]
    (found,) = show(LINE, course)
    assert says in found.text


FLAP = "nic.link_flap"


@pytest.mark.parametrize(
    ("changes", "seconds", "there"), [(1, 60, False), (2, 60, True), (2, 121, False), (6, 20, True)]
)
def test_a_link_that_came_and_went(changes: int, seconds: int, there: bool) -> None:
    before, after = with_nic(node(), "enP7s7"), with_nic(node(), "enP7s7", carrier_changes=3 + changes)
    course = [(0.0, {"spark1": before}, {}), (1.0, {"spark1": after}, {})]
    course += [(float(s), {"spark1": with_nic(after, "enP7s7")}, {}) for s in range(2, seconds + 1)]
    assert bool(show(FLAP, course)) == there


def test_changes_before_we_looked_and_those_of_a_reboot_are_no_flap() -> None:
    assert show(FLAP, steady({"spark1": with_nic(node(), "enP7s7", carrier_changes=40)}, 5)) == []
    rebooted = replace(with_nic(node(), "enP7s7", carrier_changes=9), boot_id="another")
    assert show(FLAP, [(0.0, {"spark1": node()}, {}), (1.0, {"spark1": rebooted}, {})]) == []


SLOWER = "nic.slower_than_peers"


def test_a_slower_link_is_measured_by_its_plane() -> None:
    nodes = rack() | {"spark2": with_nic(node(), "enP7s7", speed_mbps=1000)}
    (found,) = show(SLOWER, [(0.0, nodes, {})])
    assert (found.target, found.part) == ("spark2", "enP7s7")
    assert "1000 Mb/s, the rack's management links at 10000 Mb/s (n = 4)" in found.text


def test_a_slower_cable_is_named_once() -> None:
    slow = node()
    for half in ("enp1s0f0np0", "enP2p1s0f0np0"):
        slow = with_nic(slow, half, speed_mbps=100_000)
    (found,) = show(SLOWER, [(0.0, rack() | {"spark3": slow}, {})])
    assert (found.target, found.part) == ("spark3", "enP2p1s0f0np0")


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(rack(), id="all alike"),
        pytest.param(
            {"spark1": node(), "spark2": with_nic(node(), "enP7s7", speed_mbps=1000)}, id="two have no median"
        ),
        pytest.param(rack() | {"spark2": with_nic(node(), "enP7s7", operstate="down", speed_mbps=None)}, id="down"),
        pytest.param(
            rack() | {"spark2": node(nics={**node().nics, "enx00": r8127(speed_mbps=1000)})}, id="a second, slow port"
        ),
        pytest.param(
            rack() | {"spark2": node(nics={**node().nics, "wlP9s9": r8127(plane="other", speed_mbps=866)})}, id="Wi-Fi"
        ),
    ],
)
def test_what_is_not_slower(nodes: dict[str, Node]) -> None:
    assert show(SLOWER, [(0.0, nodes, {})]) == []


TWIN = "nic.twin_down"


def test_half_a_cable() -> None:
    (found,) = once(TWIN, with_nic(node(), "enP2p1s0f0np0", operstate="down", speed_mbps=None))
    assert "only half of the cable in cage p0 is up: enp1s0f0np0 is, enP2p1s0f0np0 is down" in found.text


@pytest.mark.parametrize(
    "nics",
    [
        pytest.param(node().nics, id="one cable: both halves of p0 up, both of p1 down"),
        pytest.param({"enP7s7": r8127()}, id="no cable: the ConnectX is not on the bus"),
        pytest.param({"enp1s0f0np0": connectx("enp1s0f0np0")}, id="the other half is not known"),
        pytest.param(
            {
                "enp1s0f0np0": connectx("enp1s0f0np0"),
                "enP2p1s0f0np0": connectx("enP2p1s0f0np0", operstate="unknown"),
            },
            id="state not known",
        ),
    ],
)
def test_what_is_no_half_cable(nics: dict[str, Nic]) -> None:
    assert once(TWIN, node(nics=nics)) == []


def test_three_of_four_halves_up() -> None:
    three = node()
    three = with_nic(three, "enp1s0f1np1", operstate="up", speed_mbps=200_000)
    (found,) = once(TWIN, three)
    assert "cage p1" in found.text


def rdma_course(per_s: dict[str, int], seconds: int, every: int = 1) -> list[Any]:
    course = []
    for n in range(seconds + 1):
        view = node()
        port_ = view.nics["enp1s0f0np0"].rdma
        assert port_ is not None
        grown = {name: port_.counters_total.get(name, 0) + (n // every) * by for name, by in per_s.items()}
        moved = replace(port_, counters_total={**port_.counters_total, **grown})
        course.append((float(n), {"spark1": with_nic(view, "enp1s0f0np0", rdma=moved)}, {}))
    return course


@pytest.mark.parametrize(
    ("per_s", "there"),
    [
        pytest.param({"out_of_sequence": 30}, True, id="out_of_sequence"),
        pytest.param({"local_ack_timeout_err": 2}, True, id="local_ack_timeout_err"),
        pytest.param({"packet_seq_err": 1}, True, id="10 in 10 s"),
        pytest.param(
            {"np_cnp_sent": 900, "rp_cnp_handled": 880, "np_ecn_marked_roce_packets": 5000}, False, id="CNP only"
        ),
        pytest.param({"resp_cqe_flush_error": 64, "req_cqe_flush_error": 64}, False, id="cqe_flush only"),
        pytest.param({"port_xmit_wait": 10_000}, False, id="waiting"),
        pytest.param({}, False, id="nothing"),
    ],
)
def test_rdma_errors(per_s: dict[str, int], there: bool) -> None:
    assert bool(show("rdma.errors", rdma_course(per_s, 10))) == there


def test_limits_of_rdma_errors() -> None:
    assert show("rdma.errors", rdma_course({"packet_seq_err": 1}, 9)) == []
    assert show("rdma.errors", rdma_course({"out_of_sequence": 500}, 1)) == [], "one burst"
    (found,) = show("rdma.errors", rdma_course({"out_of_sequence": 500, "packet_seq_err": 1}, 2))
    assert "on rocep1s0f0: out_of_sequence 1,000, packet_seq_err 2 in the last 60 s" in found.text


IRQ = "irq.rx_one_cpu"


def one_vector(cpu: int = 0, share: float = 1.0, per_s: float = 12_000.0) -> Irq:
    """The stock r8127: receive on vector 0, transmit on vector 8."""
    rx = IrqVector(390, "enP7s7-0", [cpu, cpu + 1], [per_s * share, per_s * (1 - share)], 10**6, "0-19")
    return Irq({}, 32, {"390": "0-19"}, 0.9, [rx, IrqVector(398, "enP7s7-8", [4], [9000.0], 10**6)])


def test_one_queue_on_one_cpu() -> None:
    (found,) = once(IRQ, node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector()}))
    assert "all receive interrupts of enP7s7 on CPU 0 (A725): one queue (464,000 frames/s)" in found.text
    assert (found.evidence["cpu"], found.evidence["share"], found.evidence["vectors"]) == (0, 1.0, 1)


def meeting(busy: float | None, cpus: list[int]) -> Node:
    """Eight queues whose interrupts go to these CPUs; CPU 0 is as busy as that."""
    lines = [IrqVector(390 + n, f"enP7s7-{n}", [cpu], [1500.0], 10**6) for n, cpu in enumerate(cpus)]
    view = node(irqs={"enP7s7": Irq({}, 32, {}, None, lines)})
    assert view.cpus is not None
    return replace(view, cpus=replace(view.cpus, busy_percent=[busy, *view.cpus.busy_percent[1:]]))


@pytest.mark.parametrize(
    ("view", "there"),
    [
        pytest.param(node(irqs={"enP7s7": rss_interrupts()}), False, id="eight queues on eight cores"),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=300.0)}, irqs={"enP7s7": one_vector()}), False, id="idle"
        ),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=5e4)}, irqs={"enP7s7": one_vector()}), True, id="gate"
        ),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=49_999.0)}, irqs={"enP7s7": one_vector()}),
            False,
            id="below gate",
        ),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(share=0.90)}), True, id="90 % on one"),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(share=0.89)}), False, id="89 % on one"),
        pytest.param(
            node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(per_s=199.0)}), False, id="few interrupts"
        ),
        pytest.param(
            node(nics={"enP7s7": r8127()}, irqs={"enP7s7": one_vector()}), False, id="one flow in one of 8 queues"
        ),
        pytest.param(meeting(92.0, [0] * 8), True, id="eight queues on one busy CPU"),
        pytest.param(meeting(69.9, [0] * 8), False, id="eight queues on one CPU that has time"),
        pytest.param(meeting(None, [0] * 8), False, id="how busy is not known"),
        pytest.param(meeting(92.0, [0] * 4 + [5] * 4), False, id="on two CPUs"),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={}), False, id="interrupts not known"),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=None)}, irqs={"enP7s7": one_vector()}),
            False,
            id="rate not known",
        ),
        pytest.param(
            node(
                nics={"enp1s0f0np0": connectx("enp1s0f0np0", rx_packets_per_s=4e5, rx_queues=1)},
                irqs={"enp1s0f0np0": Irq({}, 1, {}, 1.0, [IrqVector(9, "mlx5_comp0", [0], [9e3], 10**6)])},
            ),
            False,
            id="fabric with RDMA",
        ),
    ],
)
def test_when_one_cpu_is_too_few(view: Node, there: bool) -> None:
    assert bool(once(IRQ, view)) == there


def test_a_switch_that_does_not_answer() -> None:
    (found,) = show("switch.unreachable", [(0.0, {}, {"crs812": Switch("unreachable", error="no answer in 4 s")})])
    assert (found.target, found.text) == ("crs812", "no answer in 4 s")
    for state in ("live", "stale", "connecting"):
        assert show("switch.unreachable", [(0.0, {}, {"crs812": switch(state=state)})]) == []


def ill(*rows: Health) -> list[str]:
    kept = [row for row in health() if row.name not in {one.name for one in rows}]
    return [one.text for one in show("switch.health", [(0.0, {}, {"crs812": switch(health=[*kept, *rows])})])]


def test_the_reference_switch_is_well() -> None:
    """Its second supply has no input on purpose, and its owner said so."""
    assert ill() == []


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ([Health("psu1-state", 1.0, "", "not_ok")], ["psu1-state is not ok (code 1)"]),
        ([Health("psu2-state", 4.0, "", "not_ok")], ["psu2-state is not ok (code 4)"]),
        ([Health("fan-state", None, "", "not_ok")], ["fan-state is not ok"]),
        ([Health("fan2-speed", 0.0, "rpm", None)], ["fan2-speed stands still while the others turn at 6630-7230 rpm"]),
        ([Health("fan2-speed", None, "rpm", None)], []),
        ([Health(f"fan{n}-speed", 0.0, "rpm", None) for n in range(1, 5)], []),
        ([Health("psu2-fan-speed", 0.0, "rpm", None)], []),
        (
            [Health("psu1-fan-speed", 0.0, "rpm", None)],
            ["psu1-fan-speed stands still while the others turn at 6630-7230 rpm"],
        ),
        ([Health("cpu-temperature", 84.0, "C", None)], []),
        ([Health("cpu-temperature", 85.0, "C", None)], ["cpu-temperature 85 C"]),
        ([Health("switch-temperature", 91.0, "C", None)], ["switch-temperature 91 C"]),
        ([Health("sfp-temperature", 88.0, "C", None)], []),
        ([Health("psu2-temperature", 0.0, "C", None)], []),
        ([Health("something-new", 1e9, "", None)], []),
    ],
)
def test_the_switchs_health(rows: list[Health], texts: list[str]) -> None:
    assert ill(*rows) == texts


def test_a_supply_that_is_off_on_purpose_can_be_said_so() -> None:
    off = switch(health=[Health("psu2-state", 4.0, "", "not_ok")])
    (found,) = show("switch.health", [(0.0, {}, {"crs812": off})])
    assert 'expected_absent = ["psu2"]' in (found.next or "")


def port_course(per_poll: dict[str, int], polls: int, every_s: float = 5.0, **changed: Any) -> list[Any]:
    """A course of polls in which the port's counters grow."""
    course = []
    for n in range(polls + 1):
        grown = {name: n * by for name, by in per_poll.items()}
        view = port(
            rx_fcs_errors_total=3 + grown.pop("fcs", 0),
            rx_drops_total=grown.pop("rx_drops", 0),
            tx_drops_total=12 + grown.pop("tx_drops", 0),
            counters_total={"RxAlignError": 0, "RxOverflow": 0, **grown},
            **changed,
        )
        course.append((n * every_s, {}, {"crs812": switch(ports={"sfp56-1": view})}))
    return course


@pytest.mark.parametrize(
    ("per_poll", "says"),
    [
        ({"fcs": 70}, "port (to spark1) counts 140 FCS errors in 10 s"),
        ({"tx_drops": 40}, "80 drops on the way out"),
        ({"rx_drops": 40}, "80 drops of received frames"),
        ({"RxAlignError": 9}, "18 alignment errors"),
        ({"RxOverflow": 9}, "18 overflows"),
        ({"RxTooLong": 9}, "18 too long frames"),
        ({"RxPause": 287, "TxPause": 46}, None),
        ({}, None),
    ],
)
def test_port_errors(per_poll: dict[str, int], says: str | None) -> None:
    found = show("switch.port_errors", port_course(per_poll, 2))
    assert [says in one.text for one in found if says] == ([True] if says else [])
    assert bool(found) == (says is not None)


@pytest.mark.parametrize(
    ("per_poll", "there"),
    [({"fcs": 4}, False), ({"fcs": 5}, True), ({"tx_drops": 9}, False), ({"tx_drops": 10}, True)],
)
def test_limits_of_port_errors(per_poll: dict[str, int], there: bool) -> None:
    assert bool(show("switch.port_errors", port_course(per_poll, 1))) == there


def test_port_errors_from_before_and_of_a_port_that_is_down_do_not_count() -> None:
    assert show("switch.port_errors", port_course({"fcs": 0}, 20)) == [], "3 FCS errors stood there before"
    assert show("switch.port_errors", port_course({"fcs": 900}, 3, oper="down")) == []


def test_port_errors_of_a_cable_being_plugged_do_not_count() -> None:
    before = port_course({}, 3)
    bounced = port(rx_fcs_errors_total=900, counters_total={"LinkDowns": 2})
    first = [
        (now, nodes, {"crs812": switch(ports={"sfp56-1": port(counters_total={"LinkDowns": 1})})})
        for now, nodes, _ in before
    ]
    after = [(20.0 + 5 * n, {}, {"crs812": switch(ports={"sfp56-1": replace(bounced)})}) for n in range(3)]
    assert show("switch.port_errors", first + after) == []


def test_a_counter_reset_is_no_growth() -> None:
    up = port_course({"fcs": 0}, 1)
    reset = port(rx_fcs_errors_total=0)
    again = port(rx_fcs_errors_total=2)
    course = [
        *up,
        *((10.0 + 5 * n, {}, {"crs812": switch(ports={"sfp56-1": p})}) for n, p in enumerate([reset, again])),
    ]
    assert show("switch.port_errors", course) == []


@pytest.mark.parametrize("rule", [LOSS, LINE, FLAP, SLOWER, TWIN, "rdma.errors", IRQ])
def test_a_healthy_rack_under_load_has_no_network_finding(rule: str) -> None:
    nodes = {name: view for name, view in rack().items() if name in NODES}
    assert show(rule, steady(nodes, 60, {"crs812": switch()})) == []


def unknown_port(view: Port) -> Port:
    return replace(view, rx_fcs_errors_total=None, rx_drops_total=None, tx_drops_total=None, counters_total={})


def test_a_port_whose_counters_are_not_read_is_not_judged() -> None:
    course = [
        (now, nodes, {"crs812": switch(ports={"sfp56-1": unknown_port(switches["crs812"].ports["sfp56-1"])})})
        for now, nodes, switches in port_course({"fcs": 900}, 3)
    ]
    assert show("switch.port_errors", course) == []
