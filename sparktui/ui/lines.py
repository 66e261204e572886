"""A widget that shows lines and, when they change, repaints the cells that differ and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from sparktui.ui.spans import changes
from sparktui.ui.themes import Palette


class Row(NamedTuple):
    """One line; a selected one is drawn in the style of the selected row as well."""

    content: Content
    selected: bool = False

    def same(self, other: Row) -> bool:
        return self.selected == other.selected and self.content.is_same(other.content)


class Lines(Widget):
    """Rows of Content, one per screen line, drawn through the Line API with the strip of each row kept.

    Textual compares nothing with the last frame, so the comparing is done here.
    """

    ALLOW_SELECT = False

    exact = True
    """Whether the screen writes only the cells that are asked for, and not the line up to them as well."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._palette = palette
        self._rows: list[Row] = []
        self._strips: dict[int, Strip] = {}
        self._width = 0

    def set_palette(self, palette: Palette) -> None:
        """Draw everything anew in another theme."""
        self._palette = palette
        self._strips.clear()
        self.refresh()

    def begin_anew(self) -> None:
        """What is shown next has nothing to do with what was: it is written whole.

        Comparing the cells of two unlike pictures takes a quarter of the time from a key to its frame.
        """
        self._width = 0

    def show(self, rows: Sequence[Row]) -> None:
        """Show these rows; what is below them is blank, what does not fit is not shown."""
        before, self._rows = self._rows, list(rows[: self.size.height])
        if self.size.width != self._width:
            self._width = self.size.width
            self._strips.clear()
            self.refresh()
            return
        dirty: list[Region] = []
        blank = Row(Content(""))
        for y in range(max(len(before), len(self._rows))):
            row = self._rows[y] if y < len(self._rows) else blank
            if y < len(before) and before[y].same(row):
                continue
            old = self._strips.pop(y, None)
            if old is None:
                dirty.append(Region(0, y, self._width, 1))
            else:
                spans = changes(old, self._strip(y))
                if spans and not self.exact:
                    spans = [(0, spans[-1][1])]
                dirty += (Region(start, y, end - start, 1) for start, end in spans)
        if dirty:
            self.refresh(*dirty)

    def render_line(self, y: int) -> Strip:
        """Textual's question for one line of the widget."""
        return self._strip(y)

    def notify_style_update(self) -> None:
        """Textual says that the CSS changed: colours behind the text may have."""
        self._strips.clear()
        super().notify_style_update()

    def _strip(self, y: int) -> Strip:
        strip = self._strips.get(y)
        if strip is None:
            row = self._rows[y] if y < len(self._rows) else Row(Content(""))
            strip = self._strips[y] = self._drawn(row)
        return strip

    def _drawn(self, row: Row) -> Strip:
        base = self.visual_style
        if row.selected:
            base += self._palette("$row")
        segments = merged(row.content.render(base, end="", parse_style=self._palette))
        return Strip(segments, row.content.cell_length).adjust_cell_length(self.size.width, base.rich_style)


def merged(pieces: Iterable[tuple[str, Style]]) -> list[Segment]:
    """Segments, with blanks in the style of the text before them: each segment costs 40 bytes of colours.

    A blank has no colour of its own but its background, so it joins where the background is the same and neither side
    is reversed or underlined.
    """
    segments: list[Segment] = []
    last: Style | None = None
    text = ""
    for piece, style in pieces:
        if last is not None and (style == last or (not piece.strip(" ") and alike(style, last))):
            text += piece
            continue
        if last is not None:
            segments.append(Segment(text, last.rich_style))
        text, last = piece, style
    if last is not None:
        segments.append(Segment(text, last.rich_style))
    return segments


def alike(one: Style, other: Style) -> bool:
    """Whether a blank looks the same in both styles."""
    plain = not (one.reverse or other.reverse or one.underline or other.underline)
    return plain and one.background == other.background
