"""A switch's health in its own pane: in two lines, or temperatures, fans, power and states with every row they have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sparktui.contract import Health
from sparktui.panes import figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad
from sparktui.panes.ports import fans, health_state, natural, supplies, supply, temperatures
from sparktui.panes.states import TITLE, figure
from sparktui.panes.table import fit, flow

GROUPS = ("temperatures", "fans", "power", "states")
GROUP_CELLS = 27
FIGURE_CELLS = 7


def group_of(row: Health) -> str:
    """The group that a health row stands in, by its unit."""
    return {"C": "temperatures", "rpm": "fans", "W": "power", "V": "power", "A": "power"}.get(row.unit, "states")


def brief_lines(picture: Picture, rows: Sequence[Health], cells: int) -> list[list[Piece]]:
    """What is not ok first, then the rest in a few words: two lines, more only where more is not ok."""
    fail = picture.glyphs.fail
    bad = [row for row in rows if row.state == "not_ok"]
    worst: list[list[Piece]] = [[(f"{row.name.removesuffix('-state')} ", "dim"), bad_piece(row, fail)] for row in bad]
    fine = [row for row in rows if row.state != "not_ok"]
    rest = [temperatures(fine), fans(fine), *(supply(name, found, fail) for name, found in supplies(fine).items())]
    most = max(2, len(flow(worst, cells, 2))) if worst else 2
    return flow([*worst, *rest], cells, 2)[:most]


def bad_piece(row: Health, glyph: str) -> Piece:
    """What is wrong with a row: its state's code, or the figure that is out of its range."""
    if row.unit == "":
        return health_state(row, glyph)
    return f"{glyph} {figures.reading(row.value, row.unit)} {row.unit} not ok", "bold $fail"


def present(rows: Sequence[Health]) -> list[Health]:
    """Without the gauges of what is absent on purpose: one row of each such part says so, and no zeros do."""
    kept: list[Health] = []
    said: set[str] = {part_of(row) for row in rows if row.state == "expected_absent" and row.unit == ""}
    for row in rows:
        if row.state != "expected_absent" or row.unit == "":
            kept.append(row)
        elif part_of(row) not in said:
            said.add(part_of(row))
            kept.append(Health(part_of(row), None, "", row.state))
    return kept


def part_of(row: Health) -> str:
    """ "psu2-input-voltage" -> "psu2" """
    return row.name.partition("-")[0]


def health_lines(picture: Picture, rows: Sequence[Health], cells: int) -> list[list[Piece]]:
    """The groups side by side, as many as fit, the others below."""
    rows = present(rows)
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
