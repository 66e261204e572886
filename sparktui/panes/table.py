"""Columns that keep their place: which fit, how wide each is, and rows that fill them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from textual.content import Content

from sparktui.panes.cells import Piece, pad, trim, width
from sparktui.panes.glyphs import Glyphs

Cell = str | Piece | Sequence[Piece] | None
"""What stands in one column; None = the cell before it goes on over this column too."""

KEPT = {"mark", "node", "state"}
"""Columns that say what a row is and how it is: they are never old."""


@dataclass(frozen=True, slots=True)
class Column:
    """`forms` are (rank, width, title), the narrowest first; the higher the rank, the later it is given spare width.

    A first form of rank 0 never goes: if even those do not fit, the line is cut at its right end. `group` marks the
    first column of a group, before which spare width may add blanks.
    """

    key: str
    forms: tuple[tuple[int, int, str], ...]
    align: Literal["left", "right"] = "right"
    gap: int = 1
    group: bool = False


class Layout:
    """The columns that fit in a width, found once per drawing. It depends on the width alone, never on values."""

    __slots__ = ("_ellipsis", "columns", "gaps", "titles", "widths")

    def __init__(self, columns: Sequence[Column], cells: int, glyphs: Glyphs, stretch: int = 0) -> None:
        """`stretch` = the most blanks that spare width may add before each group."""
        self._ellipsis = glyphs.ellipsis
        chosen, spare = fitting(columns, cells)
        self.columns = [column for column in columns if column.key in chosen]
        self.widths = {column.key: column.forms[chosen[column.key]][1] for column in self.columns}
        self.titles = {column.key: column.forms[chosen[column.key]][2] for column in self.columns}
        groups = sum(column.group for column in self.columns)
        extra = min(stretch, spare // groups) if groups else 0
        self.gaps = {column.key: column.gap + (extra if column.group else 0) for column in self.columns}

    @property
    def cells(self) -> int:
        """Width of a whole row."""
        return sum(self.widths.values()) + sum(self.gaps.values())

    def header(self, sorted_by: tuple[str, str] = ("", "")) -> list[Piece]:
        """The titles, each over its column; `sorted_by` = (the sorted column, its arrow)."""
        cells: dict[str, Cell] = {key: (title, "dim") for key, title in self.titles.items()}
        key, arrow = sorted_by
        if key in cells:
            title, room = self.titles[key], self.widths[key] - width(arrow)
            short = title if width(title) <= room else title.split()[-1]
            cells[key] = trim(short, room) + arrow, "bold"
        return self.row(cells)

    def joined(self, first: str, least: str, cells: int) -> dict[str, Cell]:
        """Blanks out the columns after `first`, up to `least` and on until it has `cells`, for it to go on over."""
        keys = [column.key for column in self.columns]
        found: dict[str, Cell] = {}
        room = self.widths[first]
        for key in keys[keys.index(first) + 1 :]:
            if least in found and room >= cells:
                break
            found[key] = None
            room += self.gaps[key] + self.widths[key]
        return found

    def row(self, cells: Mapping[str, Cell], old: bool = False) -> list[Piece]:
        """One row, exactly `cells` wide; columns without a cell are blank.

        `old` values are dimmed and lose their colour; marks, the name and the state keep theirs.
        """
        pieces: list[Piece] = []
        index = 0
        while index < len(self.columns):
            column = self.columns[index]
            room = self.widths[column.key]
            index += 1
            while index < len(self.columns) and cells.get(self.columns[index].key, "") is None:
                room += self.gaps[self.columns[index].key] + self.widths[self.columns[index].key]
                index += 1
            pieces.append((" " * self.gaps[column.key], ""))
            filled = fit(cells.get(column.key, ""), room, column.align, self._ellipsis)
            pieces += [(text, "dim") for text, _ in filled] if old and column.key not in KEPT else filled
        return pieces


def fitting(columns: Sequence[Column], cells: int) -> tuple[dict[str, int], int]:
    """The form that each column gets, for those that fit, and the width that is left."""
    ranked = [
        (rank, place, index) for place, column in enumerate(columns) for index, (rank, _, _) in enumerate(column.forms)
    ]
    chosen: dict[str, int] = {}
    spare = cells
    for rank, place, index in sorted(ranked):
        column = columns[place]
        if index and chosen.get(column.key) != index - 1:
            continue
        before = column.forms[index - 1][1] if index else -column.gap
        needed = column.forms[index][1] - before
        if needed <= spare or rank == 0:
            chosen[column.key] = index
            spare -= needed
    return chosen, max(0, spare)


def fit(cell: Cell, cells: int, align: Literal["left", "right"] = "left", ellipsis: str = "") -> list[Piece]:
    """A cell as pieces of exactly `cells` together."""
    if cell is None:
        return [(" " * cells, "")]
    if isinstance(cell, str):
        return [(pad(cell, cells, align, ellipsis), "")]
    if isinstance(cell, tuple) and len(cell) == 2 and isinstance(cell[0], str):
        return [(pad(cell[0], cells, align, ellipsis), str(cell[1]))]
    pieces: list[Piece] = []
    room = cells
    for text, style in cell:
        shown = trim(text, room, ellipsis)
        pieces.append((shown, style))
        room -= width(shown)
    blank = (" " * room, "")
    return [blank, *pieces] if align == "right" else [*pieces, blank]


def flow(segments: Iterable[Sequence[Piece]], cells: int, indent: int, gap: int = 2) -> list[list[Piece]]:
    """Segments side by side, on as many lines as they need; none is broken. Lines after the first are indented."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for segment in segments:
        size = sum(width(text) for text, _ in segment)
        if not size:
            continue
        if lines[-1] and used + gap + size > cells:
            lines.append([(" " * indent, "")])
            used = indent
        elif lines[-1]:
            lines[-1].append((" " * gap, ""))
            used += gap
        lines[-1] += segment
        used += size
    return lines


def side_by_side(blocks: Sequence[Sequence[Content]], cells: int, gap: int) -> list[Content]:
    """Blocks of lines next to each other, each in a column of `cells`."""
    lines = []
    for index in range(max(map(len, blocks), default=0)):
        parts: list[Content] = []
        for number, block in enumerate(blocks):
            if number:
                parts.append(Content(" " * gap))
            part = block[index] if index < len(block) else Content("")
            parts.append(part.pad_right(cells - part.cell_length) if number < len(blocks) - 1 else part)
        lines.append(Content("").join(parts))
    return lines
