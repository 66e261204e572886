"""What every pane is made of: it gets a frozen picture and a size and returns lines, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from textual.content import Content

from sparktui.contract import Rack
from sparktui.panes.glyphs import Glyphs
from sparktui.store import Store


@dataclass(frozen=True, slots=True)
class Mark:
    """The operator's mark (key m): counters are shown since then. `at` monotonic, `label` the wall time as text.

    `totals[target][(part, counter)]` = the unwrapped total at the mark.
    """

    at: float
    label: str
    totals: Mapping[str, Mapping[tuple[str, str], int]]


@dataclass(frozen=True, slots=True)
class Picture:
    """What a pane draws from. `now` is the store's monotonic clock; width and height are the pane's own cells.

    `selected` is an id out of the last Drawing's `items`; `detail` asks for everything about it. `filter` is lower case
    text that a row must contain. `sort` is one of the pane's `sorts` ("" = the pane's own order).
    """

    rack: Rack
    store: Store
    now: float
    width: int
    height: int
    glyphs: Glyphs
    selected: str | None = None
    detail: bool = False
    filter: str = ""
    sort: str = ""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Lines top to bottom, each at most `width` cells wide; more lines than `height` are scrolled by the widget.

    `items` are the ids that j/k select, top to bottom, and `line_of` where each stands. The first `pinned` lines stay
    at the top while the rest scrolls.
    """

    lines: list[Content]
    items: list[str] = field(default_factory=list)
    line_of: Mapping[str, int] = field(default_factory=dict)
    pinned: int = 0


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane file declares `PANE = Pane(...)`. `id` e.g. "overview", `key` "1"; `help` is one line for the help."""

    id: str
    key: str
    title: str
    help: str
    view: Callable[[Picture], Drawing]
    sorts: tuple[str, ...] = ()
