"""The one screen: header line, pane, filter line while it is typed, footer lines."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from sparktui.panes.glyphs import Glyphs
from sparktui.ui.lines import Lines, Row
from sparktui.ui.pane_widget import PaneWidget
from sparktui.ui.spans import sharpen
from sparktui.ui.themes import Palette


class Frame(Screen[None]):
    """Holds the widgets and puts lines into them; what the lines say is decided elsewhere."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Frame { layout: vertical; overflow: hidden; background: $background; color: $foreground; }
    Frame #head { height: 1; background: $panel; }
    Frame #pane { height: 1fr; }
    Frame #filter { height: 1; background: $panel; display: none; }
    Frame #filter.-typing { display: block; }
    Frame #filter Static { width: 3; padding: 0 1; }
    Frame #filter Input, Frame #filter Input:focus {
        width: 1fr; height: 1; border: none; padding: 0; background: $panel; background-tint: transparent;
    }
    Frame #foot { height: 1; background: $panel; }
    """

    def __init__(self, palette: Palette, glyphs: Glyphs) -> None:
        super().__init__()
        self.head = Lines(palette, id="head")
        self.pane = PaneWidget(palette, glyphs, id="pane")
        self.foot = Lines(palette, id="foot")
        self.input = Input(
            placeholder="only rows with this text; enter keeps it, esc drops it", compact=True, select_on_focus=False
        )
        self.input.cursor_blink = False
        self._filter = Horizontal(Static("/", markup=False), self.input, id="filter")
        self._foot_rows = 1
        self.head.exact = self.pane.exact = self.foot.exact = sharpen(self)

    def compose(self) -> ComposeResult:
        yield self.head
        yield self.pane
        yield self._filter
        yield self.foot

    def set_palette(self, palette: Palette) -> None:
        for lines in (self.head, self.pane, self.foot):
            lines.set_palette(palette)

    def show_header(self, line: Content) -> None:
        self.head.show([Row(line)])

    def show_footer(self, lines: Sequence[Content]) -> None:
        """The footer has as many rows as there are lines, so a row without a job costs the pane nothing."""
        if len(lines) != self._foot_rows:
            self._foot_rows = len(lines)
            self.foot.styles.height = len(lines)
        self.foot.show([Row(line) for line in lines])

    @property
    def typing(self) -> bool:
        """Whether the filter is being typed."""
        return self._filter.has_class("-typing")

    def open_filter(self, text: str) -> None:
        with self.prevent(Input.Changed):
            self.input.value = text
        self.input.cursor_position = len(text)
        self._filter.add_class("-typing")
        self.input.focus()

    def close_filter(self) -> None:
        self._filter.remove_class("-typing")
        self.set_focus(None)


def bound(bindings: list[BindingType]) -> type[Frame]:
    """The screen with these keys and no others: Textual takes keys from a class, and ours are known at start only."""

    class BoundFrame(Frame, inherit_bindings=False):
        BINDINGS = bindings

    return BoundFrame
