"""The rules about a node as a machine: seen or not, memory, software."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Memory, Node, NodeState
from sparktui.verdicts.base import Candidate
from tests.rule_cases.rack import (
    GIB,
    MEM_TOTAL,
    NODES,
    connectx,
    node,
    once,
    platform,
    r8127,
    rack,
    show,
    with_nic,
)


def test_a_stale_node_tells_how_long() -> None:
    live = node()
    course = [
        (0.0, {"spark3": live}, {}),
        (1.0, {"spark3": live}, {}),
        (14.0, {"spark3": replace(live, state="stale")}, {}),
    ]
    (found,) = show("node.stale", course)
    assert (found.target, found.text) == ("spark3", "no new sample for 14 s: what is shown is old")
    assert found.evidence["age_s"] == 14.0


@pytest.mark.parametrize("state", ["unreachable", "auth_failed", "host_key_unknown", "host_key_changed", "no_python"])
@pytest.mark.parametrize("error", [None, "no route to host: is it switched on?"])
def test_a_node_that_cannot_be_read_tells_why(state: NodeState, error: str | None) -> None:
    (found,) = once("node.unreachable", Node(state=state, error=error))
    assert found.text == error if error else len(found.text) > 10
    assert found.evidence == {"state": state, "age_s": None}
    assert bool(found.next) == (state == "unreachable"), "in every other state the error is the remedy"
    assert once("node.stale", Node(state=state)) == []


@pytest.mark.parametrize("state", ["live", "stale", "connecting"])
def test_a_node_that_is_or_may_be_there_is_not_unreachable(state: NodeState) -> None:
    assert once("node.unreachable", replace(node(), state=state)) == []


def rebooting() -> list[Any]:
    """Live until 5 s, away until 100 s, then another boot."""
    before, after = node(), node(boot_id="22222222-0000-4000-8000-000000000002")
    away = [(50.0, {"spark3": replace(before, state="unreachable")}, {})]
    return [(0.0, {"spark3": before}, {}), (5.0, {"spark3": before}, {}), *away, (100.0, {"spark3": after}, {})]


def test_a_reboot_is_told_for_a_while() -> None:
    course = rebooting()
    (found,) = show("node.rebooted", course)
    assert found.text == "rebooted: another boot id after 95 s out of sight"
    last = course[-1][1]
    assert len(show("node.rebooted", [*course, (699.0, last, {})])) == 1
    assert show("node.rebooted", [*course, (700.0, last, {})]) == []


def test_every_boot_is_one_finding() -> None:
    third = {"spark3": node(boot_id="33333333-0000-4000-8000-000000000003")}
    assert len({one.part for one in show("node.rebooted", [*rebooting(), (160.0, third, {})])}) == 2


def test_the_first_boot_seen_and_an_unknown_one_are_no_reboot() -> None:
    assert show("node.rebooted", [(0.0, {"spark3": node()}, {})]) == []
    assert show("node.rebooted", [(0.0, {"spark3": node()}, {}), (1.0, {"spark3": node(boot_id=None)}, {})]) == []


def used(gib: float, total: int = MEM_TOTAL) -> Node:
    return node(memory=Memory(total, total - int(gib * GIB), 0))


@pytest.mark.parametrize(
    ("view", "there"),
    [
        pytest.param(used(93), False, id="a model at work: 93 of 122 GiB"),
        pytest.param(used(110.7), False, id="0.91 of the memory given to the server"),
        pytest.param(used(113.7), False, id="113.7 GiB"),
        pytest.param(used(114.0), True, id="114 GiB: where they freeze"),
        pytest.param(used(116), True, id="116 GiB"),
        pytest.param(used(120, 256 * GIB), False, id="a larger host"),
        pytest.param(used(249, 256 * GIB), True, id="a larger host with 7 GiB left"),
        pytest.param(used(14.0, 16 * GIB), False, id="a small host with 2 GiB left"),
        pytest.param(used(15.2, 16 * GIB), True, id="a small host with 0.8 GiB left"),
        pytest.param(node(memory=None), False, id="not known"),
        pytest.param(node(memory=Memory(0, 0, 0)), False, id="no total"),
    ],
)
def test_memory_low(view: Node, there: bool) -> None:
    assert bool(once("memory.low", view)) == there


def test_memory_low_tells_what_is_left() -> None:
    (found,) = once("memory.low", used(116))
    assert found.text == "5.7 of 122 GiB available, 116.0 in use (a GB10 freezes from about 114)"
    (found,) = once("memory.low", replace(used(116), gpus=[]))
    assert "GB10" not in found.text


def swapping(*mib: float, every_s: float = 10.0) -> list[Any]:
    return [
        (n * every_s, {"spark1": node(memory=Memory(MEM_TOTAL, 20 * GIB, int(used_mib * 2**20)))}, {})
        for n, used_mib in enumerate(mib)
    ]


@pytest.mark.parametrize(
    ("course", "there"),
    [
        pytest.param(swapping(0.3, 0.3, 0.3), False, id="some hundred kB on a healthy pair"),
        pytest.param(swapping(9000, 9000, 9000), False, id="much, but at rest"),
        pytest.param(swapping(100, 130, 163.9), False, id="63.9 MiB"),
        pytest.param(swapping(100, 130, 164), True, id="64 MiB"),
        pytest.param(swapping(100, 90, 120, 110, 160), True, id="in and out, and up"),
        pytest.param(swapping(100, 170, 170, 170, 170, 170, 170, 170, 170), False, id="more than a minute ago"),
        pytest.param(swapping(900, 500, 100), False, id="falling"),
    ],
)
def test_swap_growing(course: list[Any], there: bool) -> None:
    assert bool(show("memory.swap_growing", course)) == there


def test_swap_of_another_boot_is_no_growth() -> None:
    course = swapping(0, 0)
    now, nodes, _ = swapping(0, 0, 500)[-1]
    assert (
        show("memory.swap_growing", [*course, (now, {"spark1": replace(nodes["spark1"], boot_id="other")}, {})]) == []
    )


DIFFERS = "platform.differs"


def differing(nodes: dict[str, Node], order: tuple[str, ...] = ()) -> dict[str, Candidate]:
    return {one.target: one for one in show(DIFFERS, [(0.0, nodes, {})], order=order)}


def test_the_odd_one_out_is_named_with_both_values() -> None:
    odd = node(platform=platform(os="DGX OS 7.5.0", kernel="6.17.0-1032-nvidia", nvidia_driver="580.159.03"))
    for half in ("enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"):
        odd = with_nic(odd, half, driver_version="6.17.0-1032-nvidia")
    found = differing(rack() | {"spark3": odd})
    assert found.keys() == {"spark3"}
    assert set(found["spark3"].evidence) == {"OS", "kernel", "NVIDIA driver"}, "a kernel's own driver is not told twice"
    kernel = found["spark3"].evidence["kernel"]
    assert (kernel["mine"], kernel["rack"], kernel["n"]) == ("6.17.0-1032-nvidia", "7.0.0-1019-nvidia", 4)
    assert "differs from the rack: OS DGX OS 7.5.0 (rack DGX OS 7.6.0)" in found["spark3"].text


@pytest.mark.parametrize(
    ("odd", "what"),
    [
        (node(platform=platform(ec="3.5.8")), "EC"),
        (node(platform=platform(uefi="2.155.11")), "UEFI"),
        (node(platform=platform(usb_pd="0.5.22")), "USB-PD"),
        (node(platform=platform(bios_version="5.36_0ACUM018")), "BIOS"),
        (node(platform=platform(sysctl={"net.ipv4.tcp_sack": "1"})), "net.ipv4.tcp_sack"),
        (with_nic(node(), "enP7s7", driver_version="11.014.00-NAPI"), "r8127 version"),
        (with_nic(node(), "enP7s7", rx_queues=1), "r8127 RX queues"),
        (with_nic(node(), "enP7s7", mtu=9000), "management MTU"),
        (with_nic(node(), "enp1s0f0np0", mtu=1500), "fabric MTU"),
        (with_nic(node(), "enp1s0f0np0", firmware="28.43.1000 (NVD0000000087)"), "mlx5_core firmware"),
        (replace(node(), cpus=replace(node().cpus, governors=["powersave"])), "CPU governor"),  # type: ignore[type-var]
    ],
)
def test_what_is_compared(odd: Node, what: str) -> None:
    found = differing(rack() | {"spark4": odd})
    assert {name: set(one.evidence) for name, one in found.items()} == {"spark4": {what}}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(node(platform=None), id="nothing known"),
        pytest.param(node(platform=platform(ec=None, usb_pd=None, nvidia_driver=None, sysctl={})), id="less known"),
        pytest.param(node(nics={"enP7s7": r8127()}), id="no ConnectX on the bus"),
        pytest.param(with_nic(node(), "enp1s0f1np1", mtu=1500), id="MTU of a port without a cable"),
        pytest.param(
            node(nics={**node().nics, "wlP9s9": r8127(driver="mt7925e", plane="other", mtu=1400)}), id="Wi-Fi"
        ),
        pytest.param(
            node(
                platform=platform(product="GX10", ec="2.0.5", uefi="3.0.7", usb_pd="1.0", bios_version="GX10DGX.0105")
            ),
            id="firmware of another maker's box",
        ),
        pytest.param(node(platform=platform(architecture="x86_64", kernel="6.8", os="Ubuntu"), gpus=[]), id="a PC"),
    ],
)
def test_what_is_not_compared(other: Node) -> None:
    assert differing(rack() | {"spark4": other}) == {}


def test_two_nodes_have_no_majority_and_the_text_says_so() -> None:
    nodes = {"spark1": node(), "spark2": node(platform=platform(kernel="6.17.0-1032-nvidia"))}
    found = differing(nodes)
    assert found.keys() == {"spark2"}
    assert (
        "no majority to say who is right: kernel 6.17.0-1032-nvidia (spark1 7.0.0-1019-nvidia)" in found["spark2"].text
    )
    assert differing(nodes, order=("spark2", "spark1")).keys() == {"spark1"}, "compared with the first of the rack"


def test_no_conclusion_without_majority_while_a_node_was_not_heard() -> None:
    """Nodes answer one by one: the first two that differ must not accuse each other."""
    nodes = {name: Node(state="connecting") for name in NODES}
    nodes["spark3"] = node(platform=platform(kernel="6.17.0-1032-nvidia"))
    nodes["spark4"] = node()
    assert differing(nodes) == {}
    assert differing(rack() | {"spark3": nodes["spark3"], "spark1": Node(state="connecting")}).keys() == {"spark3"}


def test_a_node_that_went_away_still_counts() -> None:
    odd = node(platform=platform(kernel="6.17.0-1032-nvidia"))
    away = {name: replace(node(), state="unreachable") for name in ("spark1", "spark2")}
    assert differing({**away, "spark3": odd, "spark4": node()}).keys() == {"spark3"}


def test_many_differences_are_counted_not_listed() -> None:
    odd = node(platform=platform(os="a", kernel="b", nvidia_driver="c", ec="d", uefi="e", usb_pd="f"))
    found = differing(rack() | {"spark2": odd})
    assert " and 2 more" in found["spark2"].text
    assert len(found["spark2"].evidence) == 6


def test_a_rack_without_any_cable_on_the_fabric_is_healthy() -> None:
    bare = {name: node(nics={"enP7s7": r8127(), "enp1s0f0np0": connectx("enp1s0f0np0", up=False)}) for name in NODES}
    assert differing(bare) == {}
