"""The GPU pane's reasons: one figure each, of the time that is known."""

from __future__ import annotations

import re
from collections.abc import Callable

from sparktui.contract import Node
from tests.panes_drawn import PANES, draw, text
from tests.panes_rack import NOW, gpu, scene, spark


def page(node: Node | Callable[[float], Node], seconds: int = 90) -> str:
    picture = scene({"spark1": node}, {}, seconds=seconds).picture(120, 38)
    return text(PANES["gpu"].view(picture))


def capped(counter: float | None, reasons: list[str]) -> Node:
    return spark(1, gpus=[gpu(sw_power_cap_percent=counter, event_reasons=reasons)])


def test_the_drivers_own_counter_is_the_one_figure() -> None:
    """Every second sample saw the cap; the driver counted a quarter, then nothing, of the time."""

    def at(when: float) -> Node:
        return capped(25.0 if when > NOW - 30 else 5.0, ["sw_power_cap"] if round(when) % 2 else [])

    found = re.findall(r"SW power cap[^%]*%", page(at))
    assert found == ["SW power cap 15 %"]


def test_without_that_counter_samples_are_counted() -> None:
    drawn = page(lambda when: capped(None, ["sw_power_cap"] if round(when) % 2 else []))
    assert re.search(r"SW power cap (4[89]|5[012]) % of the last minute", drawn)


def test_what_the_counter_denies_is_not_listed() -> None:
    assert "SW power cap" not in page(lambda when: capped(0.0, ["sw_power_cap"] if when < NOW - 5 else []))
    assert "SW power cap now, 0 %" in page(capped(0.0, ["sw_power_cap"]))
    assert "SW power cap < 1 %" in page(capped(0.2, []))


def test_a_share_says_how_long_it_goes_back() -> None:
    short = page(capped(46.0, ["sw_power_cap"]), seconds=8)
    assert "46 % of the last 8 s" in short
    assert "P0 100% of last 8 s" in short
    assert "minute" not in short
    assert "none in the last 8 s" in page(capped(0.0, []), seconds=8)
    assert "46 % of the last minute" in page(capped(46.0, ["sw_power_cap"]))


def test_a_node_that_went_away_shows_its_own_last_minute() -> None:
    drawn = draw("unreachable", "gpu")
    block = drawn[drawn.index("spark3 gpu0") : drawn.index("spark4")]
    assert "SW power cap 46 % of its last 30 s" in block
    assert "now, " not in block
    assert "P0 100% of last 30 s" in block
