"""The switch pane: ports first where lines are few, pause before what matters less, nothing of what is absent."""

from __future__ import annotations

import re

import pytest

from sparktui.contract import Health
from sparktui.panes.glyphs import ASCII, UNICODE, Glyphs
from tests.panes_drawn import PANES, draw, made, text
from tests.panes_rack import crs812, health, replace, scene
from tests.panes_scenes import rack_of

ABSENT = {
    "psu2-temperature": (0, "C", "expected_absent"),
    "psu2-power": (0.0, "W", "expected_absent"),
    "psu2-input-voltage": (0.0, "V", "expected_absent"),
}


def page(rows: list[Health], width: int = 120, height: int = 38) -> str:
    switch = replace(crs812(), health=rows)
    return text(PANES["switch"].view(scene(rack_of(4), {"crs812": switch}, seconds=1).picture(width, height)))


@pytest.mark.parametrize("height", [22, 38])
def test_an_absent_supply_has_no_numbers(height: int) -> None:
    drawn = page(health(**ABSENT), height=height)
    assert drawn.count("psu2") == 1
    assert re.search(r"psu2 +absent \(expected\)", drawn)


def test_an_absent_part_without_a_state_row_is_named_once() -> None:
    rows = [Health(f"psu3-{what}", 0.0, unit, "expected_absent") for what, unit in (("power", "W"), ("voltage", "V"))]
    drawn = page([*health(), *rows])
    assert len(re.findall(r"psu3 +absent \(expected\)", drawn)) == 1
    assert drawn.count("psu3") == 1


def test_few_lines_have_the_ports_before_every_gauge() -> None:
    lines = draw("healthy", "switch", 80, 22).splitlines()
    assert len(lines) <= 22
    assert sum("↔" in line for line in lines) == 9
    first = next(index for index, line in enumerate(lines) if "pause" in line)
    assert first <= 4
    assert "board" in draw("healthy", "switch", 80, 22, selected="switch:crs812", detail=True)


def test_few_lines_say_first_what_is_not_ok() -> None:
    rows = health(
        **{"psu1-state": (1, "", "not_ok"), "fan-state": (1, "", "not_ok"), "cpu-temperature": (99, "C", "not_ok")}
    )
    line = page(rows, 80, 22).splitlines()[1]
    assert re.match(r" +cpu-temperature ✗ 99 C not ok  fan ✗ not ok \(1\)  psu1 ✗ not ok \(1\)", line)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("width", [76, 80, 90, 100, 120, 200])
def test_losses_and_pause_both_ways_are_always_there(width: int, glyphs: Glyphs) -> None:
    header = next(line for line in draw("healthy", "switch", width, glyphs=glyphs).splitlines() if "pause" in line)
    assert "pause rx/tx" in header or ("rx pause" in header and "tx pause" in header)
    assert "fcs" in header
    assert "drop" in header


def test_both_directions_of_pause_share_a_column_where_there_is_little_room() -> None:
    switch = crs812()
    paused = replace(switch.ports["sfp56-1"], rx_pause_per_s=None, tx_pause_per_s=1234.0)
    switch = replace(switch, ports=switch.ports | {"sfp56-1": paused})
    drawn = text(PANES["switch"].view(scene(rack_of(4), {"crs812": switch}, seconds=1).picture(80, 22)))
    assert re.search(r"sfp56-1 +↔ spark1 enP7s7 .* n/a / 1\.2k$", drawn, re.M)


def test_a_filter_that_names_the_switch_leaves_its_ports() -> None:
    whole = PANES["switch"].view(made("healthy").picture(120, 38))
    named = PANES["switch"].view(made("healthy").picture(120, 38, filter="crs812"))
    assert whole.items == named.items
