"""The widget of the visible pane: a Drawing, scrolled by the keyboard, the selected row in view."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message

from sparktui.panes.base import Drawing
from sparktui.panes.glyphs import Glyphs
from sparktui.ui.lines import Lines, Row
from sparktui.ui.themes import Palette

WHEEL = 3
"""Lines per notch of the mouse wheel."""


class PaneWidget(Lines):
    """Shows a Drawing. The pinned lines stay; of the rest as many as fit, from `offset` on."""

    class Resized(Message):
        """The pane has another size: what it shows was drawn for the old one."""

    class Moved(Message):
        """Other lines are in view."""

    class Picked(Message):
        """An item was clicked."""

        def __init__(self, item: str) -> None:
            super().__init__()
            self.item = item

    def __init__(self, palette: Palette, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(palette, id=id)
        self._glyphs = glyphs
        self._drawing = Drawing([])
        self._selected: str | None = None
        self._following = True
        self.offset_lines = 0

    def set_drawing(self, drawing: Drawing, selected: str | None = None) -> None:
        """Show a drawing; rows that are as before are not touched. `selected` is one of its items, or None."""
        if selected != self._selected:
            self._following = True
        self._drawing, self._selected = drawing, selected
        if self._following:
            self._bring_into_view()
        self._place()

    def rewind(self) -> None:
        """Start at the top: something else is shown from now on."""
        self.offset_lines = 0
        self._following = True
        self.begin_anew()

    def follow(self) -> None:
        """Keep the selected row in view again, after scrolling away from it."""
        self._following = True

    def scroll_lines(self, lines: int) -> None:
        """Move what is in view by so many lines, down where positive. It then stays there until a row is selected."""
        self._following = False
        self.offset_lines += lines
        self._place()
        self.post_message(self.Moved())

    @property
    def page(self) -> int:
        """Lines that scroll together."""
        return max(self.size.height - self._pinned, 0)

    @property
    def hidden(self) -> tuple[int, int]:
        """Lines out of view: (above, below)."""
        below = len(self._drawing.lines) - self._pinned - self.page - self.offset_lines
        return self.offset_lines, max(below, 0)

    @property
    def _pinned(self) -> int:
        return min(self._drawing.pinned, self.size.height)

    def _bring_into_view(self) -> None:
        """Scroll as little as shows the selected item, its following lines too where there is room.

        Above the first item stand headings that belong to it: they come into view with it.
        """
        drawing = self._drawing
        line = drawing.line_of.get(self._selected) if self._selected is not None else None
        if line is None or line < self._pinned:
            return
        later = [other for other in drawing.line_of.values() if other > line]
        first, last = line - self._pinned, min(later, default=len(drawing.lines)) - 1 - self._pinned
        if line == min(drawing.line_of.values()) and last < self.page:
            first = 0
        lowest = min(last - self.page + 1, first)
        self.offset_lines = min(max(self.offset_lines, lowest), first)

    def _place(self) -> None:
        """Put the lines that are in view on the screen."""
        lines, pinned = self._drawing.lines, self._pinned
        furthest = max(len(lines) - pinned - self.page, 0)
        self.offset_lines = min(max(self.offset_lines, 0), furthest)
        start = pinned + self.offset_lines
        selected = self._drawing.line_of.get(self._selected) if self._selected is not None else None
        rows = [Row(line) for line in (*lines[:pinned], *lines[start : start + self.page])]
        if selected is not None:
            y = selected if selected < pinned else selected - self.offset_lines
            if (selected < pinned or y >= pinned) and y < len(rows):
                rows[y] = Row(self._pointed(rows[y].content), selected=True)
        self.show(rows)

    def _pointed(self, line: Content) -> Content:
        """The line with the pointer in its first cell, where that is blank."""
        if not line.plain.startswith(" "):
            return line
        return Content.styled(self._glyphs.selected, "$accent") + line[1:]

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-WHEEL)

    def on_click(self, event: events.Click) -> None:
        line = event.y if event.y < self._pinned else event.y + self.offset_lines
        above = [(at, item) for item, at in self._drawing.line_of.items() if at <= line]
        if above and line < len(self._drawing.lines):
            self.post_message(self.Picked(max(above)[1]))
