"""What the operator looks at and how: the pane, its selected row, filter and sort, the pause and the mark."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content

from sparktui.panes.base import Drawing, Mark, Pane, Picture
from sparktui.panes.cells import clean
from sparktui.panes.glyphs import Glyphs
from sparktui.store import Store
from sparktui.ui.footer import View
from sparktui.ui.moment import Moment, clock_text, freeze, mark

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Looking:
    """How one pane is looked at; each pane remembers its own."""

    selected: str | None = None
    filter: str = ""
    sort: str = ""


class Session:
    """Changes with the keys; draws the visible pane. `clock` and `wall` as in the store: monotonic, since the epoch."""

    def __init__(
        self,
        store: Store,
        panes: Sequence[Pane],
        glyphs: Glyphs,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self.store = store
        self.glyphs = glyphs
        self.panes = {pane.id: pane for pane in panes}
        self.pane = panes[0]
        self.detail = False
        self.still: Moment | None = None
        self.mark: Mark | None = None
        self._clock, self._wall = clock, wall
        self._looking = {pane.id: Looking() for pane in panes}
        self._items: list[str] = []
        self._listed: list[str] = []
        self._failed: set[str] = set()

    @property
    def looking(self) -> Looking:
        return self._looking[self.pane.id]

    def present(self) -> Moment:
        """This moment, paused or not."""
        return Moment(self.store, self._clock(), self._wall())

    @property
    def paused(self) -> str | None:
        """The wall time of the frozen picture, None where the picture moves."""
        return clock_text(self.still.wall) if self.still is not None else None

    def draw(self, width: int, height: int) -> Drawing:
        """The visible pane at this size. A pane that fails is drawn as one line that says so."""
        moment = self.still or self.present()
        looking = self.looking
        picture = Picture(
            rack=moment.store.rack(moment.now, moment.wall),
            store=moment.store,
            now=moment.now,
            width=width,
            height=height,
            glyphs=self.glyphs,
            selected=looking.selected,
            detail=self.detail,
            filter=looking.filter.lower(),
            sort=looking.sort,
            mark=self.mark,
        )
        try:
            drawing = self.pane.view(picture)
        except Exception as error:  # one pane's mistake must not take the others and the polling with it
            drawing = self._failure(error)
        if not drawing.lines and picture.filter:
            drawing = Drawing([Content.styled(f' no row holds "{clean(looking.filter)}"', "$idle")])
        self._items = drawing.items
        if not self.detail:
            self._listed = drawing.items
        return drawing

    def _failure(self, error: Exception) -> Drawing:
        text = f"{type(error).__name__}: {error}"
        if text not in self._failed:
            self._failed.add(text)
            log.error("pane %s", self.pane.id, exc_info=error)
        said = clean(f"this pane could not be drawn: {text}"[:500])
        return Drawing([Content.styled(f" {self.glyphs.fail} {said}", "bold $fail")])

    def go(self, pane_id: str) -> None:
        """Show a pane; a row selected here is selected there too, if it is there."""
        chosen = self.looking.selected
        self.pane, self.detail = self.panes[pane_id], False
        if self.looking.selected is None:
            self.looking.selected = chosen

    def select(self, step: int) -> bool:
        """Select the next row (the first where none is); False where this pane has no rows."""
        return self._step(self._items, step, around=False)

    def cycle(self, step: int) -> bool:
        """Like `select`, but from the last row to the first, and in detail to the next row's detail."""
        return self._step(self._listed if self.detail else self._items, step, around=True)

    def _step(self, items: Sequence[str], step: int, around: bool) -> bool:
        if not items:
            return False
        if self.looking.selected not in items:
            index = 0 if step > 0 else len(items) - 1
        else:
            index = items.index(self.looking.selected) + step
            index = index % len(items) if around else min(max(index, 0), len(items) - 1)
        self.looking.selected = items[index]
        return True

    def pick(self, item: str) -> None:
        self.looking.selected = item

    def open_detail(self) -> None:
        """Show all about the selected row, the first one where none is selected."""
        if self._items and not self.detail:
            if self.looking.selected not in self._items:
                self.looking.selected = self._items[0]
            self.detail = True

    def back(self) -> None:
        """One step back: out of the detail, else drop the filter, else the mark, else the selection."""
        if self.detail:
            self.detail = False
        elif self.looking.filter:
            self.looking.filter = ""
        elif self.mark is not None:
            self.mark = None
        else:
            self.looking.selected = None

    def next_sort(self) -> None:
        """The pane's next order, after the last its own again."""
        orders = ("", *self.pane.sorts)
        self.looking.sort = orders[(orders.index(self.looking.sort) + 1) % len(orders)]

    def toggle_pause(self) -> None:
        self.still = None if self.still is not None else freeze(self.present())

    def set_mark(self) -> None:
        """Count from this moment on."""
        self.mark = mark(self.present())

    def view(self, hidden: tuple[int, int], helping: bool) -> View:
        """What the keys in the footer depend on."""
        return View(
            pane=self.pane,
            detail=self.detail,
            helping=helping,
            paused=self.still is not None,
            selectable=bool(self._items),
            filter=self.looking.filter,
            sort=self.looking.sort,
            mark=self.mark.label if self.mark is not None else None,
            hidden=hidden,
        )
