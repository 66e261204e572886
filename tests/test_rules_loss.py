"""Frames lost by the NIC or broken on the cable: what each end can say, and which of the two it is."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Nic, Node
from tests.rule_cases.rack import (
    connectx,
    node,
    once,
    port,
    r8127,
    show,
    stock,
    switch,
    with_nic,
)

LOSS, LINE = "nic.rx_loss", "nic.line_errors"


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
    assert "rx_mac_error" not in found.text


@pytest.mark.parametrize("nic", [CASE_3, losing(401.4, mac_error=375.3, rdu=501.5)])
def test_the_errors_that_the_loss_brings_with_it_are_explained_on_three_lines(nic: Nic) -> None:
    (found,) = once(LOSS, one_nic(nic), switches={"crs812": switch()})
    assert "receive side (rx_mac_error rises with it: the same loss, no proof of a bad cable); port" in found.text
    assert len(found.text) < 3 * 76


def test_errors_of_a_bad_cable_beside_a_loss_are_not_explained_away() -> None:
    (found,) = once(LOSS, one_nic(losing(30.0, mac_error=40_000.0, rx_packets_per_s=1_000.0)))
    assert "rx_mac_error" not in found.text


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
    both = {"align_errors": 4, "align_errors32": 4, "rx_mac_error": 28}
    (found,) = show(LINE, counting(node(), "enP7s7", both, 10))
    assert "broken: rx_mac_error 280, align_errors32 40 in 10 s;" in found.text


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
