"""What each pane says of a rack: the figures, the words, and what stands where something is missing."""

from __future__ import annotations

import re

import pytest

from sparktui.panes import figures, nodes, overview, ports
from sparktui.panes.base import Pane
from sparktui.panes.table import Layout
from tests.panes_drawn import EVERY_PANE, PANES, draw, made, row, text
from tests.panes_rack import NOW, WALL, Scene, crs812, health, replace, scene, spark
from tests.panes_scenes import mark_at, rack_of


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


@pytest.mark.parametrize("name", ["healthy", "local-h200", "hostile"])
def test_columns_are_left_out_rather_than_cut(name: str) -> None:
    for width in range(40, 221):
        picture = made(name).picture(width, 38)
        assert nodes.layout(picture).cells < width
        if width >= 44 or name == "healthy":
            assert Layout(ports.port_columns(picture), width - 1, picture.glyphs).cells < width


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
    assert re.search(
        r"✗ fail spark1 enP7s7 nic.rx_loss: 412 frames/s lost at the NIC's receive side.* 12 s$", page, re.M
    )
    assert re.search(
        r"! warn spark1 enP7s7 irq.rx_one_cpu: All receive interrupts of enP7s7 on CPU 0 \(A725\): one queue\. +1 m$",
        page,
        re.M,
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
    assert re.search(r"nothing heard since \d\d:\d\d:\d\d, 2 m 0 s: what follows is old", page)
    assert "No answer from 10.0.0.13 port 22: is it on, and is the cable in?" in page
    row_of = row(draw("unreachable", "overview"), "spark4")
    assert "✗ auth failed  spark4 refused the key: run ssh-copy-id spark4" in row_of
    assert "n/a" not in row_of


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_state_is_never_cut(width: int) -> None:
    """It goes on over the figures of the row where it needs their room, as at 80 columns."""
    line = row(draw("unreachable", "overview", width), "spark3")
    assert "✗ unreachable 2 m " in line
    assert ("2361" in line) == (width == 200)


@pytest.mark.parametrize("age_s", [5.0, 14.0, 59.0, 125.0, 7200.0])
@pytest.mark.parametrize("count", [4, 16])
def test_an_age_is_whole_at_every_width_and_moves_no_column(age_s: float, count: int) -> None:
    nodes_seen = rack_of(count)
    nodes_seen["spark3"] = replace(nodes_seen["spark3"], state="unreachable")
    one = scene(nodes_seen, {"crs812": crs812()}, seconds=2)

    def line_at(age: float, width: int) -> str:
        one.store.nodes["spark3"].taken_at = NOW - age
        page = text(PANES["overview"].view(Scene(one.store.rack(NOW, WALL), one.store).picture(width, 38)))
        return row(page, "✗ unreach") + " "

    said, before = f"✗ unreachable {figures.age(age_s).strip()} ", "✗ unreachable 7 s "
    for width in range(40, 221):
        line = line_at(age_s, width)
        assert said in line
        if count == 4:
            assert line.replace(said, "").split() == line_at(7.0, width).replace(before, "").split()


def test_what_the_hardware_does_not_have_is_not_zero() -> None:
    page = draw("healthy", "gpu")
    assert "fan n/a" in page
    assert "limit n/a" in page
    assert "no memory of its own" in page
    assert "of its own" not in draw("local-h200", "gpu")
    assert "limit 700.0" in draw("local-h200", "gpu")
    assert "131/140 GiB" in draw("local-h200", "gpu")


def test_gpu_reasons_are_words_with_their_share() -> None:
    page = draw("worked", "gpu")
    assert re.search(r"SW power cap (now, )?\d+ % of the last minute", page)
    assert page.count("a GB10's ordinary state") == 1
    assert "GB10" not in draw("local-h200", "gpu")
    assert "none in the last minute" in draw("local-h200", "gpu")
    assert "P0 100% of last min" in page
    assert "41127  python3  in vllm_node" in page


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
    assert "MTU 1500 queues 1/1" in page
    assert re.search(r"rx_mac_missed +412/s +36,012", page)
    assert "MAC seen" not in page
    assert "MAC seen 12 s ago" in draw("rx-loss", "network", selected="cable:spark1:enP7s7", detail=True)
    assert page.index("rx_mac_missed") < page.index("rdu ")
    assert "rates: node's over 1 s, switch's over 5 s" in page
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


@pytest.mark.parametrize("width", [80, 120])
def test_an_end_that_is_away_says_so_on_its_side(width: int) -> None:
    assert re.search(r"^ +✗ unreachable 2 m", row(draw("unreachable", "network", width), "✗ unreachable"))
    assert re.search(r"tx +✗ unreachable 2 m", row(draw("two-switches", "network", width), "✗ unreachable"))


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


def test_switch_folds_lanes_and_names_what_has_no_link() -> None:
    page = draw("healthy", "switch")
    assert re.search(r"lanes of the links above: +qsfp56-dd-1-2 to 4 +qsfp56-dd-1-6 to 8", page)
    assert re.search(r"no link: +ether2 +sfp56-5 to 8", page)
    assert re.search(r"^ +-5 ↔ spark2 p0", page, re.M)
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


@pytest.mark.parametrize(("sort", "first"), [("clock", "spark4"), ("temp", "spark1"), ("loss", "spark1")])
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
