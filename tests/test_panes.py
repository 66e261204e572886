"""The panes as pure functions of a picture: nothing too wide, nothing moves, nothing old looks live, nothing lost."""

from __future__ import annotations

import dataclasses
import random
import re
import types
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.contract import Rack
from sparktui.panes.base import Drawing, Pane
from sparktui.panes.glyphs import ASCII, UNICODE
from tests.panes_drawn import EVERY_PANE, PANES, made, text
from tests.panes_rack import Scene, crs812, replace, scene
from tests.panes_scenes import SCENES, rack_of

STYLES = {"$ok", "$warn", "$fail", "$idle", "$accent", "$title", "$mgmt", "$fabric", "bold", "dim", "reverse"}
EVERY_SCENE = pytest.mark.parametrize("name", list(SCENES))


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
