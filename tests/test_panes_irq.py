"""The interrupts pane: shades that differ, vectors that are folded, rows that the filter chooses, numbers in full."""

from __future__ import annotations

import dataclasses
import re

import pytest

from sparktui.contract import Cpus, IrqVector, Node
from sparktui.panes.cpu_grid import STEPS, grid, number_header, shade
from sparktui.panes.glyphs import ASCII, UNICODE, Glyphs
from tests.panes_drawn import PANES, draw, made, row, text
from tests.panes_rack import NOW, Scene, replace, scene, spark
from tests.panes_scenes import mark_at


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_nothing_and_every_step_of_the_scale_look_different(glyphs: Glyphs) -> None:
    shades = [shade(0.0, glyphs), *(shade(step + 1, glyphs) for step in STEPS)]
    assert len(set(shades)) == 5
    assert all(one.strip() for one in shades)
    assert shade(None, glyphs) == shades[0]
    scale = draw("rx-loss", "irq", glyphs=glyphs).splitlines()[0]
    for one, meaning in zip(shades, ("0", ">0", ">100", ">1k", ">10k"), strict=True):
        assert f"{one} {meaning}" in scale


def test_interrupts_by_core_class() -> None:
    page = draw("rx-loss", "irq", 120)
    assert re.search(r"^ +X925 +A725", page, re.M)
    assert "! All receive interrupts of enP7s7 on CPU 0 (A725): one queue." in page
    assert re.search(r"396 enP7s7-0 +21k/s .*█.* 0-19 +0$", page, re.M)
    assert "on 8 CPUs, most on CPU 7 (X925): 16 %; 24 more vectors idle" in page
    for label in ("NET_RX", "softnet drop", "time squeeze"):
        assert label in page


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_cpu_number_touches_the_next(width: int) -> None:
    """Where a column has no room for its number and a blank, the digits stand below each other."""
    lines = draw("healthy", "irq", width).splitlines()
    last = next(index for index, line in enumerate(lines) if line.lstrip().startswith("rate"))
    first = next(index for index, line in enumerate(lines) if "X925" in line) + 1
    assert last - first == (1 if width <= 100 else 0)
    start, end = lines[last].index("rate") + 4, lines[last].index("allowed")
    digits = [line.ljust(end)[start:end] for line in lines[first : last + 1]]
    if len(digits) == 1:
        numbers = digits[0].split()
    else:
        assert not re.search(r"\d\d", "".join(digits))
        numbers = [(a + b).strip() for a, b in zip(*digits, strict=True) if b != " "]
    assert numbers == [str(cpu) for cpu in (*range(5, 10), *range(15, 20), *range(5), *range(10, 15))]


def test_numbers_of_three_digits_are_read_downwards() -> None:
    node = spark(1, cpus=Cpus(4, {"Xeon": [98, 99, 100, 101]}, [0.0] * 4, [98, 99, 100, 101]))
    lines = ["".join(part for part, _ in line) for line in number_header(grid(node, [], 12))]
    assert [line.split() for line in lines] == [["1", "1"], ["9", "9", "0", "0"], ["8", "9", "0", "1"]]


def test_the_cpu_numbers_stay_when_the_rest_scrolls() -> None:
    drawing = PANES["irq"].view(made("healthy").picture(80, 22))
    pinned = [line.plain for line in drawing.lines[: drawing.pinned]]
    assert any(" rate " in line for line in pinned)
    assert len(pinned) <= 6
    assert sum("allowed on" in line.plain for line in drawing.lines) == 1
    detail = PANES["irq"].view(made("healthy").picture(80, 22, selected="irq:spark1:enP7s7", detail=True))
    assert any(" rate " in line.plain for line in detail.lines[: detail.pinned])


def test_nodes_with_other_cpus_have_their_own_header() -> None:
    other = replace(spark(2), cpus=Cpus(8, {"Xeon": list(range(8))}, [0.0] * 8, list(range(8))))
    page = text(PANES["irq"].view(scene({"spark1": spark(1), "box": other}, {}, seconds=1).picture(120, 38)))
    assert re.search(r"spark1 ● live +X925 +A725", page)
    assert re.search(r"box ● live +Xeon", page)


def vectors(rates: tuple[float, ...]) -> Scene:
    """One node whose NIC has a vector per rate; until 30 s ago the last one fired too."""

    def at(when: float) -> tuple[float, ...]:
        return rates if when > NOW - 30 else (*rates[:-1], 5.0)

    def node(when: float) -> Node:
        base = spark(1)
        lines = [IrqVector(400 + i, f"nic-{i}", [0], [rate], 10 + i, "0", "0") for i, rate in enumerate(at(when))]
        return replace(base, irqs={"enP7s7": replace(base.irqs["enP7s7"], lines=lines, vectors=len(lines))})

    return scene({"spark1": node}, {}, seconds=90)


def test_idle_vectors_are_folded_once_they_were_silent_for_a_minute() -> None:
    found = vectors((7.0, 0.0, 0.0, 0.0))
    page = text(PANES["irq"].view(found.picture()))
    assert "nic-0" in page
    assert "nic-3" in page
    assert "nic-1" not in page
    assert "2 more vectors idle" in page
    later = dataclasses.replace(found.picture(), now=NOW + 31)
    assert "3 more vectors idle" in text(PANES["irq"].view(later))
    detail = text(PANES["irq"].view(found.picture(selected="irq:spark1:enP7s7", detail=True)))
    assert all(f"nic-{number}" in detail for number in range(4))


def test_the_selected_row_keeps_its_place_when_it_falls_silent() -> None:
    page = text(PANES["irq"].view(vectors((7.0, 0.0, 0.0)).picture(selected="irq:spark1:enP7s7:401")))
    assert "nic-1" in page


def test_the_selected_row_shows_its_rate_on_every_cpu() -> None:
    page = draw("rx-loss", "irq", selected="irq:spark1:enP7s7:404")
    assert page.splitlines()[1].strip() == "spark1 enP7s7-8  cpu0 A725 12/s"
    lines = draw("healthy", "irq", selected="irq:spark1:enP7s7").splitlines()
    assert re.search(r"spark1 enP7s7  cpu7 X925 107/s  cpu6 X925 100/s", lines[1])
    assert "cpu0 A725 60/s" in " ".join(lines[1:4])
    small = draw("healthy", "irq", 60, 22, selected="irq:spark1:enP7s7").splitlines()
    assert re.search(r"and \d more$", small[2])
    assert "select a row" in draw("rx-loss", "irq").splitlines()[1]


def test_a_filter_chooses_rows_by_owner_or_vector() -> None:
    page = draw("healthy", "irq", filter="enp1s0f0")
    assert "enp1s0f0np0" in page
    assert "enP7s7" not in page
    assert "NET_RX" not in page
    page = draw("healthy", "irq", filter="enp7s7-3")
    assert "399 enP7s7-3" in page
    assert "enP7s7-4" not in page
    assert "NET_RX" in draw("healthy", "irq", filter="net_rx")
    assert row(draw("healthy", "irq", filter="spark2"), "NET_RX")


@pytest.mark.parametrize("pane", ["irq", "gpu", "switch"])
def test_a_filter_that_nothing_passes_says_so(pane: str) -> None:
    assert 'no row holds "zzz"' in draw("healthy", pane, filter="zzz")
    assert "no row holds" not in draw("starting", pane)


@pytest.mark.parametrize(
    ("pane", "item"), [("irq", "irq:spark1:enP7s7"), ("gpu", "node:spark1"), ("switch", "switch:crs812")]
)
def test_a_filter_takes_nothing_from_a_detail(pane: str, item: str) -> None:
    whole, part = (draw("healthy", pane, selected=item, detail=True, filter=words) for words in ("", "zzz"))
    assert whole == part


def test_vectors_count_since_the_mark() -> None:
    mark = mark_at(30, {"spark1": {("irq", "396"): 90_000}})
    page = draw("healthy", "irq", mark=mark, selected="irq:spark1:enP7s7", detail=True)
    assert "since 22:10:03 1,000" in page
    assert "since boot 91,001" in page
    assert "since boot 91,000" in draw("healthy", "irq", selected="irq:spark1:enP7s7", detail=True)


def test_many_cpus_share_columns_and_the_header_says_so() -> None:
    assert "CPUs a column" in draw("local-h200", "irq", 80)
