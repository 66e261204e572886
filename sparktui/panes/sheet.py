"""The page a pane writes on: it keeps the margin, the marker of the selected row, and where each item stands."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from sparktui.panes.base import Drawing, Picture
from sparktui.panes.cells import Piece, content, pad, width
from sparktui.panes.glyphs import Glyphs
from sparktui.panes.states import TITLE

MARGIN = 1
"""Cells left of every line: the selected row's marker stands there."""


def is_ascii(glyphs: Glyphs) -> bool:
    return glyphs.bars.isascii()


class Sheet:
    """Lines top to bottom; `cells` is the width inside the margin."""

    __slots__ = ("_ascii", "_picture", "cells", "items", "line_of", "lines")

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._ascii = is_ascii(picture.glyphs)
        self.cells = max(0, picture.width - MARGIN)
        self.lines: list[Content] = []
        self.items: list[str] = []
        self.line_of: dict[str, int] = {}

    def add(self, *pieces: Piece, indent: int = 0) -> None:
        """A line of text that cannot be selected."""
        self.lines.append(content(((" " * (MARGIN + indent), ""), *pieces), self._picture.width, self._ascii))

    def blank(self) -> None:
        if self.lines and self.lines[-1].plain.strip():
            self.lines.append(Content(""))

    def item(self, item: str, *pieces: Piece) -> None:
        """A row that j/k select."""
        self.note(item)
        self.lines.append(self.marked(item, pieces, self._picture.width))

    def note(self, item: str) -> None:
        """The next line stands for `item`."""
        self.items.append(item)
        self.line_of[item] = len(self.lines)

    def marked(self, item: str, pieces: Sequence[Piece], cells: int) -> Content:
        """A row with its marker in the margin; the first text of the selected one is emphasised."""
        if item != self._picture.selected:
            return content(((" ", ""), *pieces), cells, self._ascii)
        first = next((i for i, (text, _) in enumerate(pieces) if len(text.strip()) > 1), 0)
        chosen = [(text, f"bold {style}".strip() if i == first else style) for i, (text, style) in enumerate(pieces)]
        return content(((self._picture.glyphs.selected, "bold $accent"), *chosen), cells, self._ascii)

    def title(self, text: str, *more: Piece, right: str = "") -> None:
        """A section's heading, with an optional note at the right edge."""
        pieces: list[Piece] = [(text, TITLE)]
        for piece in more:
            pieces += [("  ", ""), piece]
        used = sum(width(part) for part, _ in pieces)
        if right and used + 2 + width(right) < self.cells:
            pieces.append((pad(right, self.cells - used - 1, "right"), "dim"))
        self.add(*pieces)

    def drawing(self, pinned: int = 0) -> Drawing:
        return Drawing(self.lines, self.items, self.line_of, pinned)
