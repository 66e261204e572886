"""The overview's order: what is looked for comes first, and equals keep their places."""

from __future__ import annotations

import random

import pytest

from sparktui.panes.order import SORTS, ordered
from tests.panes_drawn import PANES, made, text
from tests.panes_rack import replace, scene
from tests.panes_scenes import rack_of


@pytest.mark.parametrize("sort", list(SORTS))
def test_equal_nodes_do_not_change_places(sort: str) -> None:
    chance = random.Random(1)
    seen = set()
    for _ in range(30):
        nodes = {
            name: replace(
                node,
                gpus=[
                    replace(
                        node.gpus[0],
                        sm_clock_mhz=2380 + chance.randrange(20),
                        temperature_c=75 + chance.randrange(3),
                        utilization_percent=94 + chance.randrange(4),
                        power_w=88 + chance.random() * 2,
                    )
                ],
            )
            for name, node in rack_of(4).items()
        }
        seen.add(tuple(ordered(scene(nodes, {}, seconds=1).picture(sort=sort))))
    assert seen == {("spark1", "spark2", "spark3", "spark4")}


def test_the_slowest_clock_comes_first_and_what_is_away_last() -> None:
    nodes = rack_of(4)
    nodes["spark3"] = replace(nodes["spark3"], gpus=[replace(nodes["spark3"].gpus[0], sm_clock_mhz=721)])
    nodes["spark1"] = replace(nodes["spark1"], state="stale")
    picture = scene(nodes, {}, seconds=1).picture(sort="clock")
    assert ordered(picture) == ["spark3", "spark2", "spark4", "spark1"]


@pytest.mark.parametrize(
    ("sort", "title"), [("clock", "MHz\u2191"), ("temp", "C\u2193"), ("loss", "miss\u2193"), ("mem", "memory\u2193")]
)
@pytest.mark.parametrize(("name", "width"), [("healthy", 200), ("sixteen", 200)])
def test_the_header_names_the_sorted_column(sort: str, title: str, name: str, width: int) -> None:
    if name == "sixteen":
        title = {"mem": "mem\u2193"}.get(sort, title)
    assert title in text(PANES["overview"].view(made(name).picture(width, 57, sort=sort))).splitlines()[0]
    assert "\u2193" not in text(PANES["overview"].view(made(name).picture(width, 57))).splitlines()[0]
