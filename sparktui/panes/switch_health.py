"""A switch's health in its own pane: temperatures, fans, power and states, each with every row it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sparktui.contract import Health
from sparktui.panes import figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad
from sparktui.panes.ports import health_state, natural
from sparktui.panes.states import TITLE, figure
from sparktui.panes.table import fit

GROUPS = ("temperatures", "fans", "power", "states")
GROUP_CELLS = 27
FIGURE_CELLS = 7


def group_of(row: Health) -> str:
    """The group that a health row stands in, by its unit."""
    return {"C": "temperatures", "rpm": "fans", "W": "power", "V": "power", "A": "power"}.get(row.unit, "states")


def health_lines(picture: Picture, rows: Sequence[Health], cells: int) -> list[list[Piece]]:
    """The groups side by side, as many as fit, the others below."""
    blocks = [
        block
        for group in GROUPS
        if (block := group_lines(picture, group, [row for row in rows if group_of(row) == group]))
    ]
    across = max(1, min(len(blocks), (cells + 3) // (GROUP_CELLS + 3)))
    lines: list[list[Piece]] = []
    for start in range(0, len(blocks), across):
        part = blocks[start : start + across]
        if lines:
            lines.append([])
        for index in range(max(map(len, part))):
            line: list[Piece] = []
            for block in part:
                line += [*fit(block[index] if index < len(block) else "", GROUP_CELLS), ("   ", "")]
            lines.append(line)
    return lines


def group_lines(picture: Picture, group: str, rows: Sequence[Health]) -> list[list[Piece]]:
    if not rows:
        return []
    lines: list[list[Piece]] = [[(group, TITLE)]]
    names = GROUP_CELLS - FIGURE_CELLS - 4
    for row in sorted(rows, key=lambda row: natural(row.name)):
        if row.unit == "":
            label = pad(row.name.removesuffix("-state"), 8, ellipsis=picture.glyphs.ellipsis)
            lines.append([(label + " ", "dim"), health_state(row, picture.glyphs.fail)])
            continue
        label = pad(short_name(row), names, ellipsis=picture.glyphs.ellipsis)
        value = figures.reading(row.value, row.unit)[:FIGURE_CELLS].rjust(FIGURE_CELLS)
        bad = row.state == "not_ok"
        lines.append([(label, "dim"), figure(value, "bold $fail" if bad else ""), (f" {pad(row.unit, 3)}", "dim")])
    return lines


def short_name(row: Health) -> str:
    """ "cpu-temperature" -> "cpu": the group and the unit say the rest."""
    return re.sub(r"-(temperature|speed|power|voltage|current)", " ", row.name).replace("-", " ").strip()
