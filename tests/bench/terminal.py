"""A program on a pseudo-terminal of ours: what it shows and when, how many bytes it writes, what it costs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Sequence

from tests.bench.screen import Screen

COLUMNS, ROWS = 120, 40
VARIABLES = {"TERM": "tmux-256color", "COLORTERM": "truecolor"}
END_WITHIN_S = 10.0


class Terminal:
    """`argv` on a terminal of 120x40; ended with the block. `began` and all times are time.monotonic's."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.screen = Screen(COLUMNS, ROWS)
        self.bytes_written = 0
        self._changed = threading.Condition()
        self._at = 0.0
        self.began = time.monotonic()
        self.pid, self._keyboard = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            variables = {**os.environ, **VARIABLES}
            variables.pop("NO_COLOR", None)
            with contextlib.suppress(OSError):
                os.execvpe(argv[0], list(argv), variables)
            os._exit(127)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.press("q")
        end = time.monotonic() + END_WITHIN_S
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(0.02)
        self._reader.join(END_WITHIN_S)
        os.close(self._keyboard)

    def press(self, keys: str) -> float:
        """Send what a keyboard sends; the time at which it was."""
        at = time.monotonic()
        with contextlib.suppress(OSError):
            os.write(self._keyboard, keys.encode())
        return at

    def wait_for(self, shown: Callable[[str], bool], seconds: float, what: str) -> float:
        """When the screen's text first satisfied `shown`: the time at which those bytes were read."""
        end = time.monotonic() + seconds
        with self._changed:
            while not shown(self.screen.text):
                left = end - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    raise TimeoutError(f"waited {seconds:g} s in vain for {what}:\n{self.screen.text}")
                self._changed.wait(left)
            return self._at

    def wait_for_text(self, text: str, seconds: float = 15.0) -> float:
        return self.wait_for(lambda shown: text in shown, seconds, repr(text))

    def wait_for_frame(self, after: float, quiet_s: float, seconds: float = 5.0) -> float:
        """When the last of the bytes came that began to come `after` that time: nothing followed for `quiet_s`."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._at <= after or time.monotonic() - self._at < quiet_s:
                if time.monotonic() > end:
                    raise TimeoutError(f"no frame within {seconds:g} s:\n{self.screen.text}")
                self._changed.wait(quiet_s / 4)
            return self._at

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._keyboard, 1 << 16)
            except OSError:
                data = b""
            at = time.monotonic()
            with self._changed:
                if not data:
                    self._changed.notify_all()
                    return
                self._at = at
                self.bytes_written += len(data)
                self.screen.feed(data)
                self._changed.notify_all()
