"""What is repainted and what is not: cells that changed, and nothing else."""

from __future__ import annotations

import pytest
from textual.geometry import Region

from tests.ui_bench import Bench, opened, put


def painted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int, int]]:
    """Everything that is asked to be repainted from here on: (widget, row, first cell, cells); 0 cells = all of it."""
    found: list[tuple[str, int, int, int]] = []
    for widget in (bench.app.frame.head, bench.app.frame.pane, bench.app.frame.foot):
        original = widget.refresh

        def refresh(*regions: Region, _name: str = str(widget.id), _go: object = original, **more: bool) -> object:
            found.extend((_name, one.y, one.x, one.width) for one in regions or [Region(0, 0, 0, 0)])
            return _go(*regions, **more)  # type: ignore[operator]

        monkeypatch.setattr(widget, "refresh", refresh)
    return found


async def test_only_cells_that_changed_are_repainted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened((120, 40)) as bench:
        found = painted(bench, monkeypatch)
        await bench.step()
        assert [one[0] for one in found] == ["head"]
        assert found[0][3] == 1
        found.clear()
        put(bench, "spark2", 2999)
        await bench.step()
        assert ("pane", 2, 11, 3) in found
        assert [one[0] for one in found] == ["head", "pane"] or [one[0] for one in found] == ["pane", "head"]
        found.clear()
        await bench.step(0.0)
        assert found == []


async def test_whole_lines_are_repainted_where_textual_cannot_do_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened((120, 40)) as bench:
        bench.app.frame.pane.exact = False
        found = painted(bench, monkeypatch)
        put(bench, "spark2", 2999)
        await bench.step()
        assert ("pane", 2, 0, 14) in found


async def test_a_selection_repaints_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened((120, 40)) as bench:
        await bench.press("j")
        found = painted(bench, monkeypatch)
        await bench.press("j")
        assert {one[1] for one in found if one[0] == "pane"} == {1, 2}


async def test_new_values_wait_for_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened((120, 40)) as bench:
        drawn: list[float] = []
        redraw = bench.app.redraw
        monkeypatch.setattr(bench.app, "redraw", lambda: (drawn.append(bench.now), redraw()))
        for _ in range(8):
            put(bench, "spark1", 2000)
            await bench.step(0.125)
        assert len(drawn) == 1
