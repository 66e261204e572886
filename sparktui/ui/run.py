"""Runs the application on this terminal, and leaves the terminal as it was however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import termios
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from sparktui.config import Settings
from sparktui.panes.base import Pane
from sparktui.store import Store
from sparktui.ui.app import SparkApp

STOP_S = 4.0
"""How long closing connections may take once the terminal is restored."""

LAST_S = 6.0
"""Seconds from the first request to end until the process ends by itself, whatever still hangs."""

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

RESTORE = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse reports
    "\x1b[?1004l\x1b[?2004l\x1b[?2048l\x1b[<u"  # focus, paste and size reports, keyboard protocol
    "\x1b[?7h\x1b[?25h\x1b[?1049l\x1b[0m"  # line wrap, cursor, the shell's screen, its colours
)
"""Undoes every mode that the application sets."""


def run_tui(
    *,
    store: Store,
    settings: Settings,
    panes: Sequence[Pane],
    start: Callable[[], Awaitable[None]],
    stop: Callable[[], Awaitable[None]],
    set_fast: Callable[[float], None],
    demo: str | None = None,
    read_only: bool = False,
    ascii_only: bool = False,
    mouse: bool = True,
    theme: str | None = None,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
) -> int:
    """Show the rack until the operator quits or a signal ends it; the exit code.

    0 after quit, 128 + N after signal N, 2 where there is no terminal or the application broke. `start` is awaited
    after the first frame, `stop` once the terminal is restored and for at most STOP_S, both in the application's loop.
    """
    if not (sys.__stdin__ and sys.__stdin__.isatty() and sys.__stderr__ and sys.__stderr__.isatty()):
        print("sparktui needs a terminal; for a look without one: sparktui once", file=sys.stderr)
        return 2
    app = SparkApp(
        store=store,
        settings=settings,
        panes=panes,
        start=start,
        set_fast=set_fast,
        demo=demo,
        read_only=read_only,
        ascii_only=ascii_only,
        theme=theme,
        clock=clock,
        wall=wall,
    )
    ending = Ending(sys.__stdin__.fileno(), sys.__stderr__.fileno())
    try:
        return asyncio.run(show(app, stop, mouse, ending))
    finally:
        ending.done()


async def show(app: SparkApp, stop: Callable[[], Awaitable[None]], mouse: bool, ending: Ending) -> int:
    """Run the application, then what has to be closed."""
    with ending_signals(app, ending):
        try:
            await app.run_async(mouse=mouse)
            ending.restored = True
        finally:
            ending.begin(0)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(close(app, stop), STOP_S)
    return ending.code or (2 if app.return_code else 0)


async def close(app: SparkApp, stop: Callable[[], Awaitable[None]]) -> None:
    """Break off a start that is still going on, and only then close what was started."""
    if app.starting is not None:
        app.starting.cancel()
        await asyncio.gather(app.starting, return_exceptions=True)
    await stop()


@contextlib.contextmanager
def ending_signals(app: SparkApp, ending: Ending) -> Iterator[None]:
    """Signals that end programs end this one in good order.

    A thread of its own takes them: the loop may hang, and of two signals at once the kernel may hand both to a thread
    other than the main one, which then sleeps on. The last resort must not depend on either.
    """
    loop = asyncio.get_running_loop()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def take() -> None:
        while byte := os.read(reading, 1):
            if byte[0] in ENDING:
                ending.begin(128 + byte[0])
                loop.call_soon_threadsafe(app.exit)

    taker = threading.Thread(target=take, name="signals", daemon=True)
    taker.start()
    handlers = {number: signal.signal(number, lambda *_: None) for number in ENDING}
    former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(former)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(writing)
        taker.join()
        os.close(reading)


class Ending:
    """The last resort: once ending has begun, the process is gone LAST_S later, its terminal restored."""

    def __init__(self, keyboard: int, screen: int) -> None:
        self._keyboard, self._screen = keyboard, screen
        self._modes = termios.tcgetattr(keyboard)
        self._timer: threading.Timer | None = None
        self.code = 0
        self.restored = False

    def begin(self, code: int) -> None:
        """Start the clock; the first code that is not 0 stays."""
        self.code = self.code or code
        if self._timer is None:
            self._timer = threading.Timer(LAST_S, self.now)
            self._timer.daemon = True
            self._timer.start()

    def done(self) -> None:
        """Everything ended in good order."""
        if self._timer is not None:
            self._timer.cancel()

    def now(self) -> None:
        """End the process at once, from any thread."""
        if not self.restored:
            with contextlib.suppress(OSError, termios.error):
                os.set_blocking(self._screen, False)
                os.write(self._screen, RESTORE.encode())
                os.set_blocking(self._screen, True)
                termios.tcsetattr(self._keyboard, termios.TCSANOW, self._modes)
        os._exit(self.code)
