"""The rules about links and RDMA: flaps, speeds, half cables, frames sent again."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Nic, Node
from tests.rule_cases.rack import (
    connectx,
    node,
    once,
    r8127,
    rack,
    show,
    steady,
    with_nic,
)

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
