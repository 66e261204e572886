"""The top and the bottom line where not everything fits: what goes first, what never goes, and how a mark is lifted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from sparktui.contract import Finding, Rack
from sparktui.panes.base import Drawing
from sparktui.panes.glyphs import UNICODE
from sparktui.panes.registry import panes
from sparktui.ui import keys
from sparktui.ui.footer import View, footer
from sparktui.ui.header import Status, header
from tests import tui_child
from tests.ui_bench import opened

PANES = panes()
OVERVIEW = next(pane for pane in PANES if pane.sorts)
BUSY = View(OVERVIEW, selectable=True, sort=OVERVIEW.sorts[0], mark="22:10:31", hidden=(3, 12))
VIEWS = [
    View(OVERVIEW, selectable=True),
    View(OVERVIEW, selectable=True, hidden=(0, 12)),
    replace(BUSY, hidden=(0, 0)),
    BUSY,
    replace(BUSY, paused=True, filter="spark4"),
    replace(BUSY, detail=True),
    replace(BUSY, detail=True, paused=True, filter="spark4"),
    View(OVERVIEW, helping=True, hidden=(0, 30)),
]


def keys_shown(view: View, width: int) -> str:
    return footer(keys.commands(PANES), view, width, UNICODE).plain


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_every_pane_help_and_quit_can_be_found_whatever_else_is_said(view: View, width: int) -> None:
    line = keys_shown(view, width)
    assert len(line) <= width
    assert "? help" in line
    assert "q quit" in line
    for pane in PANES:
        assert f" {pane.key} " in line


def test_keys_outlive_their_words_and_what_is_set_is_shortened_first() -> None:
    line = keys_shown(replace(BUSY, hidden=(0, 0)), 80)
    for said in (" enter", " /", " space", f" s {OVERVIEW.sorts[0]}", " m 22:10"):
        assert said in line, line
    assert f"sort: {OVERVIEW.sorts[0]}" in keys_shown(BUSY, 200)
    assert "since 22:10:31" in keys_shown(BUSY, 200)


@pytest.mark.parametrize("view", VIEWS)
def test_what_a_narrower_line_says_a_wider_one_says_too(view: View) -> None:
    known = [command for command in keys.commands(PANES) if command.hint]

    def named(width: int) -> set[str]:
        words = Counter(keys_shown(view, width).split())
        return {command.id for command in known if words[keys.label(command)]}

    for width in range(20, 200):
        assert named(width) <= named(width + 1)


def rack(*findings: Finding, state: str = "live", switch: str = "live") -> Rack:
    store = tui_child.rack_store()
    store.set_node_state("spark3", state)  # type: ignore[arg-type]
    store.set_switch_state("crs812", switch)  # type: ignore[arg-type]
    store.set_findings(list(findings))
    return store.rack(100.0, tui_child.WALL)


def top(status: Status, width: int) -> str:
    return header(status, width, UNICODE).plain


def test_a_paused_rack_with_a_dead_node_keeps_its_findings_and_its_switch_at_80() -> None:
    found = rack(tui_child.finding(), tui_child.finding("warn"), state="unreachable")
    line = top(Status("my-rack", found, 1.0, "22:10:44", paused="22:10:31", demo="dead-node"), 80)
    for said in ("3/4 live, spark3 unreachable", "crs812", "✗ 1 fail  ! 1 warn", "DEMO", "PAUSED"):
        assert said in line, line
    assert "my-rack" not in line


@pytest.mark.parametrize("findings", [(), (tui_child.finding(),)])
@pytest.mark.parametrize("state", ["live", "unreachable"])
def test_the_top_line_gives_up_its_parts_in_one_order(findings: tuple[Finding, ...], state: str) -> None:
    status = Status("my-rack", rack(*findings, state=state), 2.0, "22:10:44", paused="22:10:31", demo="dead-node")
    said: list[Callable[[str], bool]] = [
        lambda line: "PAUSED" in line,
        lambda line: "1 fail" in line or "no findings" in line,
        lambda line: "DEMO" in line,
        lambda line: "22:10:44" in line,
        lambda line: "DEMO dead-node" in line,
        lambda line: " 2 s" in line,
        lambda line: "my-rack" in line,
    ]
    for width in range(20, 140):
        line = top(status, width)
        there = [one(line) for one in said]
        assert there == sorted(there, reverse=True), (width, line)


async def test_escape_drops_the_filter_then_the_mark_then_the_selection() -> None:
    async with opened((120, 40)) as bench:
        session = bench.app.session
        await bench.press("j", "m", "/", "s", "p", "a", "r", "k", "enter")
        assert "esc clear filter" in bench.footer
        await bench.press("escape")
        assert (session.looking.filter, session.mark is None) == ("", False)
        assert "esc unmark" in bench.footer
        await bench.press("escape")
        assert session.mark is None
        assert session.looking.selected is not None
        assert "m mark" in bench.footer
        assert "unmark" not in bench.footer
        await bench.press("escape")
        assert session.looking.selected is None


async def test_a_pane_that_is_empty_for_the_filter_says_so() -> None:
    empty = replace(tui_child.PANES[0], view=lambda _: Drawing([]))
    async with opened(panes=[empty, *tui_child.PANES[1:]]) as bench:
        assert "no row holds" not in bench.text
        await bench.press("/", "Z", "z", "enter")
        assert 'no row holds "Zz"' in bench.text
