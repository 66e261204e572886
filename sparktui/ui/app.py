"""The application: one clock that redraws the visible pane when there is something new, and what each key does."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence

from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from sparktui.config import Settings
from sparktui.panes.base import Pane
from sparktui.panes.cells import clean
from sparktui.panes.glyphs import ASCII, UNICODE
from sparktui.store import Store
from sparktui.ui import keys, themes
from sparktui.ui.footer import footer
from sparktui.ui.frame import bound
from sparktui.ui.header import Status, header
from sparktui.ui.help import help_drawing
from sparktui.ui.moment import clock_text
from sparktui.ui.palette import offered
from sparktui.ui.pane_widget import PaneWidget
from sparktui.ui.session import Session

TICK_S = 0.25
"""How often the clock looks whether there is something to draw. Looking costs next to nothing."""

INTERVALS_S = (0.5, 1.0, 2.0, 5.0, 10.0)

TOAST_S = 2.0
COMPLAINT_S = 15.0
"""How long an answer to a key, and a mistake in the settings, stand in the corner."""

log = logging.getLogger(__name__)


class SparkApp(App[None], inherit_bindings=False):
    """The rack on the terminal.

    `start` begins the polling; it is awaited only after the first frame is on the screen, because it imports what is
    slow to import. `set_fast(seconds)` changes the sampling interval. `clock` is the monotonic clock of the store's
    puts, `wall` seconds since the epoch. `demo` is the name of the simulated scenario.
    """

    ALLOW_SELECT = False
    CSS = """
    Toast { padding: 0 1; width: auto; max-width: 80%; }
    SearchIcon { display: none; }
    CommandList { scrollbar-size-vertical: 0; }
    .-ascii Toast { border: none; text-style: reverse; }
    .-ascii CommandPalette #--input, .-ascii CommandList, .-ascii LoadingIndicator { border: none; }
    """
    BINDINGS = keys.always_bindings()

    def __init__(
        self,
        *,
        store: Store,
        settings: Settings,
        panes: Sequence[Pane],
        start: Callable[[], Awaitable[None]],
        set_fast: Callable[[float], None],
        demo: str | None = None,
        read_only: bool = False,
        ascii_only: bool = False,
        theme: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.animation_level = "none"
        self.settings, self.begin, self.set_fast = settings, start, set_fast
        self.demo, self.read_only, self.wall, self.clock = demo, read_only, wall, clock
        self.interval_s = store.interval_s
        self.job_line: Content | None = None
        self.starting: asyncio.Task[None] | None = None
        ascii_only = ascii_only or settings.ui.ascii
        glyphs = ASCII if ascii_only else UNICODE
        self.set_class(ascii_only, "-ascii")
        self.session = Session(store, panes, glyphs, clock, wall)
        self.commands, self.complaints = keys.remap(keys.commands(panes), settings.keys)
        self.helping = False
        self._notice: Content | None = None
        self._begun = False
        self._drawn_version = self._drawn_changes = self._drawn_second = -1
        self._drawn_at = 0.0
        self._open_first_pane()
        self._read_themes(theme)
        self.palette = themes.Palette(self.current_theme, self.native_ansi_color)
        self.frame = bound(keys.bindings(self.commands))(self.palette, glyphs)

    def _open_first_pane(self) -> None:
        wanted = self.settings.ui.start_pane
        if wanted in self.session.panes:
            self.session.go(wanted)
        else:
            self.complaints.append(f"ui.start_pane: no pane is called {wanted!r}: {', '.join(self.session.panes)}")

    def _read_themes(self, asked: str | None) -> None:
        """Register the themes and take the one that was asked for, or the one that this terminal can show."""
        found, problems = themes.load()
        self.complaints += problems
        self.theme_names = list(found)
        for theme in found.values():
            self.register_theme(theme)
        wanted = asked or self.settings.ui.theme
        if wanted not in self.available_themes:
            self.complaints.append(f"theme: none is called {wanted!r}: {', '.join(found)}")
            wanted = themes.DEFAULT
        few_colours = self.no_color or self.console.color_system == "standard"
        self.theme = themes.PLAIN if few_colours and not asked and wanted == themes.DEFAULT else wanted

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.defaults(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        return self.frame

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._recolour)
        self.app_resume_signal.subscribe(self, lambda _app: self.screen.refresh(layout=True))
        self.set_interval(TICK_S, self._tick)
        if self.complaints:
            self.notify("\n".join(self.complaints), severity="warning", timeout=COMPLAINT_S, markup=False)

    def on_pane_widget_resized(self) -> None:
        self.redraw()
        if not self._begun:
            self._begun = True
            self.call_after_refresh(self._start)

    def _start(self) -> None:
        self.starting = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        """Start the polling; where that fails, say so for as long as the program runs."""
        try:
            await self.begin()
        except Exception as error:  # whatever it was, an empty screen would not explain itself
            log.exception("polling did not start")
            said = clean(f"polling did not start: {type(error).__name__}: {error}"[:500])
            self._notice = Content.styled(f" {self.session.glyphs.fail} {said}", "bold $fail")
            self.redraw()

    def _tick(self) -> None:
        """Redraw when the second or a state changed, or there is something new and the drawing is an interval old."""
        store = self.session.store
        new = store.version != self._drawn_version and self.clock() - self._drawn_at >= self.interval_s
        if int(self.wall()) == self._drawn_second and store.changes == self._drawn_changes and not new:
            return
        if self.session.still is None:
            self.redraw()
        else:
            self._note_drawn()
            self._draw_header()

    def _note_drawn(self) -> None:
        store = self.session.store
        self._drawn_version, self._drawn_changes = store.version, store.changes
        self._drawn_second, self._drawn_at = int(self.wall()), self.clock()

    def redraw(self) -> None:
        """Draw everything from what is known now; rows that come out as before are not written to the terminal."""
        self._note_drawn()
        pane = self.frame.pane
        width, height = pane.size
        if width and height:
            if self.helping:
                pane.set_drawing(help_drawing(self.commands, self.session.pane, width))
            else:
                pane.set_drawing(self.session.draw(width, height), self.session.looking.selected)
        self._draw_header()
        self._draw_footer()

    def _draw_header(self) -> None:
        moment = self.session.present()
        status = Status(
            rack_name=self.settings.rack.name,
            rack=moment.store.rack(moment.now, moment.wall),
            interval_s=self.interval_s,
            clock=clock_text(moment.wall),
            paused=self.session.paused,
            read_only=self.read_only,
            demo=self.demo,
        )
        self.frame.show_header(header(status, self.frame.head.size.width, self.session.glyphs))

    def _draw_footer(self) -> None:
        width = self.frame.foot.size.width
        view = self.session.view(self.frame.pane.hidden, self.helping)
        line = footer(self.commands, view, width, self.session.glyphs)
        self.frame.show_footer([above for above in (self._notice, self.job_line) if above is not None] + [line])

    def on_pane_widget_moved(self) -> None:
        self._draw_footer()

    def on_pane_widget_picked(self, event: PaneWidget.Picked) -> None:
        if not self.helping:
            self.session.pick(event.item)
            self.redraw()

    def action_pane(self, pane_id: str) -> None:
        self.helping = False
        self.session.go(pane_id)
        self.frame.pane.rewind()
        self.redraw()

    def action_select(self, step: int) -> None:
        self.frame.pane.follow()
        if self.helping or not self.session.select(step):
            self.frame.pane.scroll_lines(step)
        else:
            self.redraw()

    def action_cycle(self, step: int) -> None:
        self.frame.pane.follow()
        if not self.helping and self.session.cycle(step):
            self.redraw()

    def action_page(self, step: int) -> None:
        self.frame.pane.scroll_lines(step * max(self.frame.pane.page - 1, 1))

    def action_edge(self, step: int) -> None:
        self.frame.pane.scroll_lines(step * sum(self.frame.pane.hidden))

    def action_detail(self) -> None:
        if not self.helping:
            self.session.open_detail()
            self.frame.pane.rewind()
            self.redraw()

    def action_step_back(self) -> None:
        if self.frame.typing:
            self.session.looking.filter = ""
            self.frame.close_filter()
        elif self.helping:
            self.helping = False
        else:
            self.session.back()
        self.frame.pane.rewind()
        self.redraw()

    def action_help(self) -> None:
        self.helping = not self.helping
        self.frame.pane.rewind()
        self.redraw()

    def action_filter(self) -> None:
        self.helping = False
        self.frame.open_filter(self.session.looking.filter)
        self.redraw()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input is self.frame.input:
            self.session.looking.filter = event.value.strip()
            self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input is self.frame.input:
            self.frame.close_filter()
            self.redraw()

    def action_sort(self) -> None:
        if self.session.pane.sorts:
            self.session.next_sort()
            self.redraw()

    def action_mark(self) -> None:
        self.session.set_mark()
        self.redraw()

    def action_pause(self) -> None:
        self.session.toggle_pause()
        self.redraw()

    def action_suspend_process(self) -> None:
        """Give the terminal back, then stop together with what waits for this program, such as make: the whole job.

        In this order, because the shell takes the terminal as soon as its own child, make, has stopped. The signal that
        asks is for the others; this process stops where it stands, whatever group it is in.
        """
        if self._driver is None or not self._driver.can_suspend:
            return
        with self.suspend():
            asked = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
            os.killpg(0, signal.SIGTSTP)
            os.kill(os.getpid(), signal.SIGSTOP)
            signal.signal(signal.SIGTSTP, asked)

    def action_interval(self, step: int) -> None:
        """The next longer or shorter interval."""
        longer = [seconds for seconds in INTERVALS_S if seconds > self.interval_s]
        shorter = [seconds for seconds in INTERVALS_S if seconds < self.interval_s]
        if wanted := longer[:1] if step > 0 else shorter[-1:]:
            self.interval_s = wanted[0]
            self.set_fast(self.interval_s)
            self.redraw()

    def action_theme(self) -> None:
        names = self.theme_names
        self._take_theme(names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0])

    def _take_theme(self, name: str) -> None:
        self.theme = name
        self.clear_notifications()
        self.notify(f"theme {name}", timeout=TOAST_S, markup=False)

    def _recolour(self, _theme: object) -> None:
        self.palette = themes.Palette(self.current_theme, self.native_ansi_color)
        self.frame.set_palette(self.palette)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        del screen
        return offered(self.commands, self.theme_names, self.run_action, self._take_theme)

    def on_command_palette_opened(self, _event: CommandPalette.Opened) -> None:
        typed = self.screen.query_one(Input)
        typed.cursor_blink = False
        typed.placeholder = "find a command"
