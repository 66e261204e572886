"""A grid with one column per CPU, grouped by core class: its header, and rows of shades."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparktui.contract import Node
from sparktui.panes.cells import Piece, pad, trim
from sparktui.panes.glyphs import Glyphs

STEPS = (0.0, 100.0, 1_000.0, 10_000.0)
"""Per second: a shade begins above each of these."""

NOISE = re.compile(r"\((R|TM|C)\)|\bCPU\b|\bProcessor\b|@.*|\b\d+-Core\b", re.I)
CLASS_CELLS = 32


def class_words(name: str) -> str:
    """ "Intel(R) Xeon(R) Platinum 8480+" -> "Intel Xeon Platinum 8480+", at most 32 cells."""
    return trim(" ".join(NOISE.sub(" ", name).split()) or name, CLASS_CELLS)


@dataclass(frozen=True, slots=True)
class Grid:
    """`groups` = (core class, its columns); a column is one CPU, or several where they do not all fit."""

    groups: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    cell: int

    @property
    def cells(self) -> int:
        return sum(len(columns) * self.cell for _, columns in self.groups) + max(0, len(self.groups) - 1)


def grid(node: Node, seen: Iterable[int], cells: int) -> Grid:
    """The node's CPUs by class in at most `cells`; `seen` = CPUs to show where the node's own list is not known."""
    classes = dict(node.cpus.classes) if node.cpus and node.cpus.classes else {"CPU": sorted(set(seen))}
    members = {name: cpus for name, cpus in classes.items() if cpus}
    count = sum(map(len, members.values()))
    room = max(len(members), cells - max(0, len(members) - 1))
    cell = max(1, min(3, room // max(1, count)))
    together = 1
    while cell == 1 and sum(-(-len(cpus) // together) for cpus in members.values()) > room:
        together += 1
    groups = tuple(
        (name, tuple(tuple(cpus[start : start + together]) for start in range(0, len(cpus), together)))
        for name, cpus in members.items()
    )
    return Grid(groups, cell)


def class_header(made: Grid, style: str = "dim") -> list[Piece]:
    """Each class over its columns, with what one column stands for where that is several CPUs."""
    pieces: list[Piece] = []
    for index, (name, columns) in enumerate(made.groups):
        together = max(map(len, columns), default=1)
        named = class_words(name)
        text = named if together == 1 else f"{named}, {together} CPUs a column"
        pieces.append((" " if index else "", ""))
        pieces.append((pad(text, len(columns) * made.cell), style))
    return pieces


def number_header(made: Grid) -> list[list[Piece]]:
    """The CPU numbers, every other one dimmed, read downwards where a column has no room for them and a blank.

    With one cell per column only every tenth has its number.
    """
    digits = max((len(str(column[0])) for _, columns in made.groups for column in columns), default=1)
    rows = 1 if made.cell == 1 or digits < made.cell else digits
    lines: list[list[Piece]] = []
    for row in range(rows):
        pieces: list[Piece] = []
        for index, (_, columns) in enumerate(made.groups):
            pieces.append((" " if index else "", ""))
            if made.cell == 1:
                text = "".join(pad(str(columns[start][0]), 10) for start in range(0, len(columns), 10))
                pieces.append((trim(text, len(columns)), "dim"))
                continue
            for place, column in enumerate(columns):
                number = str(column[0]) if rows == 1 else str(column[0]).rjust(digits)[row]
                pieces.append((number.rjust(made.cell), "" if place % 2 else "dim"))
        lines.append(pieces)
    return lines


def shade(rate: float | None, glyphs: Glyphs) -> str:
    """A glyph for a rate on the fixed scale; nothing has one too, so that the grid stays readable."""
    if not rate or rate <= 0:
        return glyphs.empty
    return glyphs.shades[sum(rate > step for step in STEPS)]


def shade_row(made: Grid, rates: Mapping[int, float | None], glyphs: Glyphs, style: str) -> list[Piece]:
    """One row: the busiest CPU of each column; blank as long as none of its rates is known."""
    if rates and all(rate is None for rate in rates.values()):
        return [(" " * made.cells, "")]
    pieces: list[Piece] = []
    for index, (_, columns) in enumerate(made.groups):
        if index:
            pieces.append((" ", ""))
        for column in columns:
            rate = max((value for cpu in column if (value := rates.get(cpu)) is not None), default=None)
            text = shade(rate, glyphs).rjust(made.cell)
            if pieces and pieces[-1][1] == (style if rate else "dim"):
                pieces[-1] = (pieces[-1][0] + text, pieces[-1][1])
            else:
                pieces.append((text, style if rate else "dim"))
    return pieces


def scale(glyphs: Glyphs) -> list[Piece]:
    """What the shades mean."""
    names = (">0", ">100", ">1k", ">10k")
    pieces: list[Piece] = [("shade per second: ", "dim"), (f"{glyphs.empty} 0", "dim")]
    for glyph, name in zip(glyphs.shades[1:], names, strict=True):
        pieces += [("  ", ""), (glyph, "$accent"), (f" {name}", "dim")]
    return pieces


def per_cpu(numbers: Sequence[int], rates: Sequence[float | None]) -> dict[int, float | None]:
    return dict(zip(numbers, rates, strict=False))
