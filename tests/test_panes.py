"""The panes as pure functions of a picture: nothing too wide, nothing moves, nothing old looks live, nothing lost."""

from __future__ import annotations

import dataclasses
import random
import re
import types
import typing
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.contract import Rack
from sparktui.panes import gpu, irq, network, overview, switch
from sparktui.panes.base import Drawing, Pane
from sparktui.panes.glyphs import ASCII, UNICODE, Glyphs
from tests.panes_rack import SCENES, Scene, crs812, health, mark_at, rack_of, replace, scene, spark

PANES = {pane.id: pane for pane in (overview.PANE, gpu.PANE, network.PANE, irq.PANE, switch.PANE)}
STYLES = {"$ok", "$warn", "$fail", "$idle", "$accent", "$title", "$mgmt", "$fabric", "bold", "dim", "reverse"}
EVERY_PANE = pytest.mark.parametrize("pane", PANES.values(), ids=list(PANES))
EVERY_SCENE = pytest.mark.parametrize("name", list(SCENES))


@cache
def made(name: str) -> Scene:
    return SCENES[name]()


def text(drawing: Drawing) -> str:
    return "\n".join(line.plain.rstrip() for line in drawing.lines)


def draw(name: str, pane: str, width: int = 120, height: int = 38, glyphs: Glyphs = UNICODE, **more: Any) -> str:
    return text(PANES[pane].view(made(name).picture(width, height, glyphs, **more)))


def row(page: str, start: str) -> str:
    """The first line with this text."""
    return next(line for line in page.splitlines() if start in line)


def check(drawing: Drawing, width: int) -> None:
    """What must hold for every drawing."""
    for line in drawing.lines:
        assert line.cell_length <= width, line.plain
        assert line.plain.isprintable() or not line.plain
        assert {word for span in line.spans for word in str(span.style).split()} <= STYLES
    assert len(set(drawing.items)) == len(drawing.items)
    assert set(drawing.line_of) == set(drawing.items)
    assert all(0 <= at < len(drawing.lines) for at in drawing.line_of.values())
    assert drawing.pinned <= len(drawing.lines)


@EVERY_SCENE
@EVERY_PANE
@pytest.mark.parametrize(("width", "height"), [(40, 10), (80, 21), (120, 38), (200, 57)])
def test_every_pane_and_every_detail_fits(name: str, pane: Pane, width: int, height: int) -> None:
    drawing = pane.view(made(name).picture(width, height))
    check(drawing, width)
    for item in drawing.items:
        check(pane.view(made(name).picture(width, height, selected=item)), width)
        detail = pane.view(made(name).picture(width, height, selected=item, detail=True))
        check(detail, width)
        assert detail.lines


@EVERY_SCENE
@EVERY_PANE
@pytest.mark.parametrize("width", [80, 120])
def test_ascii_means_ascii(name: str, pane: Pane, width: int) -> None:
    drawing = pane.view(made(name).picture(width, 38, ASCII))
    details = [
        pane.view(made(name).picture(width, 38, ASCII, selected=item, detail=True)) for item in drawing.items[:3]
    ]
    for one in (drawing, *details):
        assert all(line.plain.isascii() for line in one.lines)


@EVERY_PANE
def test_a_view_is_a_pure_function(pane: Pane) -> None:
    one, two = (pane.view(made("rx-loss").picture()) for _ in range(2))
    assert [line.plain for line in one.lines] == [line.plain for line in two.lines]
    assert [line.spans for line in one.lines] == [line.spans for line in two.lines]


def holed(value: Any, chance: random.Random) -> Any:
    """The same contract value with some of what may be None, being None."""
    if isinstance(value, msgspec.Struct):
        hints = typing.get_type_hints(type(value))
        changed = {}
        for field in value.__struct_fields__:
            old = getattr(value, field)
            optional = type(None) in typing.get_args(hints[field])
            changed[field] = None if optional and chance.random() < 0.3 else holed_in(old, hints[field], chance)
        return replace(value, **changed)
    return value


def holed_in(value: Any, hint: Any, chance: random.Random) -> Any:
    """As `holed`, for lists and dicts."""
    arguments = [one for one in typing.get_args(hint) if one is not type(None)]
    if isinstance(hint, types.UnionType):
        return holed_in(value, arguments[0], chance) if arguments else value
    if isinstance(value, list) and arguments:
        return [None if may_be_none(arguments[0]) and chance.random() < 0.3 else holed(one, chance) for one in value]
    if isinstance(value, dict) and len(arguments) == 2:
        none = may_be_none(arguments[1])
        return {key: None if none and chance.random() < 0.3 else holed(one, chance) for key, one in value.items()}
    return holed(value, chance)


def may_be_none(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(set(SCENES) - {"worked", "sixteen", "eight"})),
    st.sampled_from(sorted(PANES)),
    st.integers(40, 220),
    st.integers(8, 60),
    st.integers(0, 1 << 32).map(random.Random),
    st.booleans(),
)
def test_any_width_and_any_missing_value(
    name: str, pane: str, width: int, height: int, chance: random.Random, ascii_only: bool
) -> None:
    before = made(name)
    rack: Rack = holed(before.rack, chance)
    picture = Scene(rack, before.store).picture(width, height, ASCII if ascii_only else UNICODE)
    drawing = PANES[pane].view(picture)
    check(drawing, width)
    if drawing.items:
        check(PANES[pane].view(dataclasses.replace(picture, selected=chance.choice(drawing.items), detail=True)), width)


def anchors(page: str) -> list[list[tuple[int, str]]]:
    """Where the things stand that no figure may push aside."""
    return [
        [(match.start(), match[0]) for match in re.finditer(r"[●↔%→←]|/s|P0|crs812|spark\d|b/s", line)]
        for line in page.splitlines()
    ]


@pytest.mark.parametrize("pane", ["overview", "network"])
@pytest.mark.parametrize("width", [80, 120, 200])
def test_figures_of_any_size_move_nothing(pane: str, width: int) -> None:
    """Same rack, other magnitudes of every figure: every anchor of every line stays where it was."""
    pages = []
    for load, clock, power, heat, bps, lost in (
        (97, 2391, 88.1, 76, 181e9, 0.0),
        (7, 208, 4.5, 9, 6.3e8, 0.0),
        (100, 3003, 101.4, 100, 1e9, 0.0),
    ):
        nodes = {}
        for name, node in rack_of(4).items():
            one = replace(node.gpus[0], utilization_percent=load, sm_clock_mhz=clock, power_w=power, temperature_c=heat)
            nics = {
                key: replace(
                    nic,
                    rx_bps=bps if nic.operstate == "up" else 0.0,
                    rx_missed_per_s=lost,
                    rdma=replace(nic.rdma, rx_bps=bps, tx_bps=bps / 7)
                    if nic.rdma and nic.operstate == "up"
                    else nic.rdma,
                )
                for key, nic in node.nics.items()
            }
            nodes[name] = replace(node, gpus=[one], nics=nics)
        base = crs812()
        ports = {
            key: replace(port, rx_bps=bps, tx_bps=bps / 3) if port.speed_mbps else port
            for key, port in base.ports.items()
        }
        moved = scene(nodes, {"crs812": replace(base, ports=ports)}, seconds=3)
        pages.append(anchors(text(PANES[pane].view(moved.picture(width, 38)))))
    assert pages[0] == pages[1] == pages[2]


@pytest.mark.parametrize("name", ["healthy", "stale", "unreachable", "pd-wedge", "rx-loss", "no-switch"])
def test_a_four_node_rack_fits_24_lines(name: str) -> None:
    """21 lines are left beside the frame; nodes, the switch and every finding's first line are among them."""
    page = draw(name, "overview", 80, 21)
    assert len(page.splitlines()) <= 21
    for node in made(name).rack.nodes:
        assert row(page, node)
    for one in made(name).rack.findings:
        assert one.text.split()[0] in page
    assert ("crs812 ● live" in page) == bool(made(name).rack.switches)


def test_overview_shows_a_node_at_a_glance() -> None:
    line = row(draw("healthy", "overview", 200), "spark1")
    for figure in (
        "● live",
        "96%",
        "2389",
        "76",
        "88.1",
        "P0",
        "94/120 GiB",
        "1.2 / 0.8 Mb/s",
        "181 / 181 Gb/s",
        "even",
    ):
        assert figure in line


def test_the_two_halves_of_a_cable_are_one() -> None:
    """Each half carries 90.5 Gb/s at a link speed of 200G: together 181, and 200G once."""
    assert "181 / 181 Gb/s" in row(draw("healthy", "overview", 200), "spark1")
    block = draw("healthy", "network", 120)
    assert "200G up" in block
    assert "400G" not in block


def test_median_and_spread_need_three_loaded_nodes() -> None:
    page = draw("healthy", "overview")
    assert re.search(r"median of 4 +96% 2390 +76 +88\.4", page)
    assert re.search(r"spread loaded +0\.0% 0\.1% +2 +0\.7%", page)
    assert "n/a: 2 idle nodes, a median needs 3" in draw("idle-pair", "overview")
    assert "median n/a: 2 loaded nodes, a median needs 3" in draw("unreachable", "overview")
    assert "median" not in draw("local-h200", "overview")


def test_switch_line_and_ports() -> None:
    page = draw("healthy", "overview")
    line = row(page, "crs812 ")
    for word in (
        "● live",
        "7.23.1",
        "cpu 38 switch 44 phy 37 sfp 68 C",
        "6630-7230 rpm",
        "psu1 ok 49.8 W",
        "psu2 absent (expected)",
    ):
        assert word in line
    assert re.search(r"qsfp56-dd-1-1 ↔ spark1 p0 +200G 181 / 181 Gb/s +0/s +0/s +0/s +0/s", page)
    assert re.search(r"ether1 +↔ gateway", page)


def test_a_switch_fault_is_said_even_where_it_is_expected_absent_elsewhere() -> None:
    base = crs812()
    broken = replace(base, health=health(**{"psu1-state": (1, "", "not_ok"), "fan-state": (1, "", "not_ok")}))
    page = text(PANES["overview"].view(scene(rack_of(4), {"crs812": broken}, seconds=2).picture(160, 38)))
    assert "psu1 ✗ not ok (1)" in page
    assert "✗ fan-state not ok" in page


def test_a_finding_says_what_where_and_since_when() -> None:
    page = draw("rx-loss", "overview")
    assert "findings  1 fail, 1 warn" in page
    assert re.search(r"✗ fail spark1 enP7s7 412 frames/s lost at the NIC's receive side.* 12 s$", page, re.M)
    assert re.search(
        r"! warn spark1 enP7s7 All receive interrupts of enP7s7 on CPU 0 \(A725\): one queue\. +1 m$", page, re.M
    )
    assert "● none open" in draw("healthy", "overview")
    line = row(page, "✗ spark1 ●")
    assert "412/s!" in line
    assert "386/s!" in line
    assert "cpu0 100%!" in line


def test_advice_is_whole_or_absent() -> None:
    assert "Next: switch AC off at the wall for 60 s" in draw("pd-wedge", "overview", 120)
    assert "Next:" not in draw("pd-wedge", "overview", 40, 14)


def test_a_stale_node_is_dimmed_and_says_its_age() -> None:
    drawing = PANES["overview"].view(made("stale").picture(120, 38))
    line = next(line for line in drawing.lines if "spark3" in line.plain)
    assert "◌ stale 14 s" in line.plain
    assert "97%" not in line.plain
    styles = {line.plain[span.start : span.end].strip(): str(span.style) for span in line.spans}
    assert styles["◌ stale 14 s"] == "$warn"
    assert styles["181 / 181 Gb/s"] == "dim"
    assert not {style for word, style in styles.items() if word not in ("!", "spark3", "◌ stale 14 s")} - {"dim"}


def test_an_unreachable_node_says_since_when_why_and_what_to_do() -> None:
    page = draw("unreachable", "overview", selected="node:spark3", detail=True)
    assert "✗ unreachable 2 m" in page
    assert re.search(r"nothing heard since \d\d:\d\d:\d\d UTC, 2 m 0 s: what follows is old", page)
    assert "No answer from 10.0.0.13 port 22: is it on, and is the cable in?" in page
    row_of = row(draw("unreachable", "overview"), "spark4")
    assert "✗ auth failed  spark4 refused the key: run ssh-copy-id spark4" in row_of
    assert "n/a" not in row_of


def test_what_the_hardware_does_not_have_is_not_zero() -> None:
    page = draw("healthy", "gpu")
    assert "fan n/a" in page
    assert "limit n/a" in page
    assert "of its own n/a" in page
    assert "limit 700.0" in draw("local-h200", "gpu")
    assert "131/140 GiB" in draw("local-h200", "gpu")


def test_gpu_reasons_are_words_with_their_share() -> None:
    page = draw("worked", "gpu")
    assert re.search(r"SW power cap (now, )?\d+ % of the last minute", page)
    assert "the cap is a GB10's ordinary state, no fault" in page
    assert "none in the last minute" in draw("local-h200", "gpu")
    assert "P0 100% of last min" in page
    assert "41127  python3     in vllm_node" in page


def test_gpu_charts_have_fixed_ranges_on_their_axis() -> None:
    page = draw("worked", "gpu")
    for label in ("0-3003 MHz", "20-100 C", "0-100 W", "0-100 %", "10 min ago", "now"):
        assert label in page
    assert "0-700 W" in draw("local-h200", "gpu")


def test_network_shows_both_ends_and_what_moved() -> None:
    page = draw("rx-loss", "network")
    assert "tx 4.0 Mb/s → 4.0 Mb/s rx" in page
    assert "rx 5.4 Gb/s ← 5.4 Gb/s tx" in page
    assert "r8127 11.014.00-NAPI" in page
    assert "MTU 1500 q 1/1" in page
    assert re.search(r"rx_mac_missed +412/s +36,012", page)
    assert "learnt 12 s ago" in page
    assert "RxFCSError" not in page
    assert re.search(r"spark1 p1 +no cable +enp1s0f1np1 \+ enP2p1s0f1np1", page)
    assert "per-priority pause, queue drops and FEC counters" in " ".join(page.split())
    assert re.search(r"spark1 +11/s! +3/s! +0/s +0/s", page)


def test_network_counts_since_the_mark() -> None:
    mark = mark_at(30, {"spark1": {("enP7s7", "rx_mac_missed"): 36_000, ("enP7s7", "rdu"): 99_999}})
    page = draw("rx-loss", "network", mark=mark)
    assert "counters per second and since 22:10:03" in page
    assert re.search(r"rx_mac_missed +412/s +12$", page, re.M)
    assert re.search(r"rdu +31/s +n/a$", page, re.M)


def test_a_counter_of_the_common_port_comes_once() -> None:
    page = draw("healthy", "network", selected="cable:spark1:enp1s0f0np0", detail=True)
    assert page.count("rx_crc_errors_phy") == 1
    assert page.count("rx_out_of_buffer") == 2


def test_a_far_end_out_of_sight_says_why() -> None:
    assert "no switch is watched" in draw("no-switch", "network")
    assert "✗ unreachable 2 m" in row(draw("two-switches", "network"), "10G up")
    nodes = {"spark1": spark(1, nics={"enP7s7": replace(spark(1).nics["enP7s7"], switch=None, switch_port=None)})}
    page = text(PANES["network"].view(scene(nodes, {"crs812": crs812()}, seconds=2).picture()))
    assert "no watched switch knows its MAC" in page


def test_interrupts_by_core_class() -> None:
    page = draw("rx-loss", "irq", 120)
    assert re.search(r"spark1 ● live +X925 +A725", page)
    assert "! all interrupts of enP7s7 on CPU 0 (A725): one queue" in page
    assert re.search(r"396 enP7s7-0 +21k/s .*█.* 0-19 +0$", page, re.M)
    assert "· 0  ░ >0  ▒ >100  ▓ >1k  █ >10k" in page
    assert "on 8 CPUs, the busiest is CPU 7 (X925) with 16 %; 8 of 32 vectors fire" in page
    for label in ("NET_RX", "softnet drop", "time squeeze"):
        assert label in page


def test_the_selected_vector_shows_its_numbers() -> None:
    page = draw("rx-loss", "irq", selected="irq:spark1:enP7s7:404")
    assert page.splitlines()[1].strip() == "spark1 enP7s7-8: cpu0 12/s"
    assert "a selected row shows its numbers here" in draw("rx-loss", "irq").splitlines()[1]


def test_many_cpus_share_columns_and_the_header_says_so() -> None:
    assert "CPUs a column" in draw("local-h200", "irq", 80)


def test_switch_folds_lanes_and_names_what_has_no_link() -> None:
    page = draw("healthy", "switch")
    assert re.search(r"lanes of the links above: +qsfp56-dd-1-2 to 4 +qsfp56-dd-1-6 to 8", page)
    assert re.search(r"no link: +ether2 +sfp56-5 to 8", page)
    assert re.search(r"^ +-5 spark2 p0", page, re.M)
    for group in ("temperatures", "fans", "power", "states"):
        assert group in page
    assert "no sensor (passive)" in draw("healthy", "switch", 200)


def test_a_port_shows_all_its_counters() -> None:
    page = draw("healthy", "switch", selected="port:crs812:sfp56-1", detail=True)
    for word in ("10G", "spark1 enP7s7", "12 s ago", "61 C", "3.31 V", "RxFCSError", "LinkDowns"):
        assert word in page


def test_sixteen_nodes_are_a_matrix_with_the_worst_first() -> None:
    drawing = PANES["overview"].view(made("sixteen").picture(120, 38))
    assert drawing.items[:3] == ["node:spark5", "node:spark7", "node:spark1"]
    assert len([item for item in drawing.items if item.startswith("node:")]) == 16
    page = text(drawing)
    assert re.search(r"spark5 +◌ stale 14 s", page)
    assert re.search(r"✗ spark7 +● +96% +721", page)


@pytest.mark.parametrize(("sort", "first"), [("clock", "spark4"), ("temp", "spark2"), ("loss", "spark1")])
def test_sorting_puts_first_what_one_looks_for(sort: str, first: str) -> None:
    name = "rx-loss" if sort == "loss" else "pd-wedge"
    drawing = PANES["overview"].view(made(name).picture(sort=sort))
    assert drawing.items[0] == f"node:{first}"
    assert sort in overview.PANE.sorts


@EVERY_PANE
def test_a_filter_leaves_what_it_names(pane: Pane) -> None:
    whole, part = (text(pane.view(made("healthy").picture(filter=words))) for words in ("", "spark2"))
    assert "spark3" in whole
    assert "spark3" not in part
    assert "spark2" in part


def test_remote_text_cannot_draw() -> None:
    for pane in PANES.values():
        drawing = pane.view(made("hostile").picture(100, 40))
        page = text(drawing)
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert not any("red" in str(span.style) for line in drawing.lines for span in line.spans)


@EVERY_PANE
@pytest.mark.parametrize("name", ["healthy", "local-h200", "unreachable", "starting"])
def test_details_have_nothing_to_select(pane: Pane, name: str) -> None:
    for item in pane.view(made(name).picture()).items:
        assert pane.view(made(name).picture(selected=item, detail=True)).items == []


def test_nothing_answers_yet() -> None:
    assert "… connecting" in draw("starting", "overview")
    for pane in PANES:
        assert draw("starting", pane)
