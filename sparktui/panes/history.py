"""The last ten minutes of every node in a row each: what the overview shows where there is height to spare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, buckets, chart, outlined, spark, width
from sparktui.panes.reasons import power_range
from sparktui.panes.sheet import Sheet
from sparktui.panes.table import Cell, Column, Layout

SECONDS = 600.0
HEADING_LINES = 3
MOST_ROWS = 4
TWO_BELOW = 90
"""Cells below which only clock and load fit."""


@dataclass(frozen=True, slots=True)
class Track:
    """One charted quantity of a node: its range is fixed for all rows, so that they can be compared."""

    title: str
    lo: float
    hi: float
    unit: str


def tracks(picture: Picture) -> dict[str, Track]:
    """The first GPU's figures."""
    gpus = [node.gpus[0] for node in picture.rack.nodes.values() if node.gpus]
    clock = max((gpu.max_sm_clock_mhz or 0 for gpu in gpus), default=0) or 3000
    power = max((power_range(gpu) for gpu in gpus), default=100.0)
    return {
        "gpu0.sm_clock_mhz": Track("clock", 0, clock, "MHz"),
        "gpu0.utilization_percent": Track("load", 0, 100, "%"),
        "gpu0.temperature_c": Track("heat", 20, 100, "C"),
        "gpu0.power_w": Track("power", 0, power, "W"),
    }


def add_history(sheet: Sheet, picture: Picture, names: Sequence[str]) -> None:
    """A row per node with a chart per quantity, as wide and as high as the pane allows; nothing where it is full."""
    spare = picture.height - len(sheet.lines) - HEADING_LINES
    if not names or spare < len(names):
        return
    rows = max(1, min(MOST_ROWS, spare // len(names) - 1))
    shown = list(tracks(picture).items())[: 2 if picture.width < TWO_BELOW else 4]
    name_cells = min(16, max([6, *map(width, names)]))
    cells = max(8, (sheet.cells - 2 - name_cells - 2 * len(shown)) // len(shown))
    columns = [Column("mark", ((0, 2, ""),), "left", gap=0), Column("node", ((0, name_cells, ""),), "left", gap=0)]
    for key, track in shown:
        title = f"{track.title} {figures.plain(track.lo, 0)}-{figures.plain(track.hi, 0)} {track.unit}"
        columns.append(Column(key, ((0, cells, title),), "left", gap=2))
    table = Layout(columns, sheet.cells, picture.glyphs)
    sheet.blank()
    sheet.title("last ten minutes", ("oldest left, a blank is a gap", "dim"))
    sheet.add(*table.header())
    for place, name in enumerate(names):
        if place and rows > 1:
            sheet.add()
        drawn = {key: drawn_track(picture, name, key, track, cells, rows) for key, track in shown}
        for index in range(rows):
            row: dict[str, Cell] = {key: lines[index] for key, lines in drawn.items()}
            row["node"] = name if index == 0 else ""
            sheet.add(*table.row(row, old=picture.rack.nodes[name].state != "live"))


def drawn_track(picture: Picture, name: str, key: str, track: Track, cells: int, rows: int) -> list[list[Piece]]:
    """One chart as `rows` lines."""
    values = buckets(facts.series_of(picture.store, name, key).points, picture.now, SECONDS, cells)
    if rows == 1:
        return [[(spark(values, track.lo, track.hi, cells, picture.glyphs), "$idle")]]
    lines = chart(values, track.lo, track.hi, rows, picture.glyphs)
    return [outlined(lines, index, picture.glyphs) for index in range(rows)]
