"""A program in tmux: what it shows, keys sent to it, and how it leaves the terminal."""

from __future__ import annotations

import itertools
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.real.space import program, run, wait_for

COLOURS = {"TERM": "tmux-256color", "COLORTERM": "truecolor"}
LOOK_S = 0.1
"""Pause between looks at the screen: each one is a process on a machine that has other things to do."""
MODES = ("alternate_on", "mouse_any_flag", "mouse_sgr_flag", "cursor_flag", "wrap_flag", "keypad_flag")
AS_BEFORE = "0 0 0 1 1 0"


NUMBERS = itertools.count()


class Terminal:
    """One tmux server with one pane of `columns` x `rows` that runs `argv`; ended with the block."""

    def __init__(self, argv: Sequence[str], folder: Path, columns: int = 120, rows: int = 40) -> None:
        self._socket = str(folder / f"tmux{next(NUMBERS)}")
        self._before, self._after, self._code = (folder / name for name in ("before", "after", "code"))
        for path in (self._before, self._after, self._code):
            path.unlink(missing_ok=True)
        # The shell stays when the program ends, so that what it left on the screen can be read.
        script = (
            f"stty -g > {self._before}; {shlex.join(argv)}; echo $? > {self._code}; stty -g > {self._after}; exec cat"
        )
        size = ("-x", str(columns), "-y", str(rows))
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "x", *size, f"sh -c {shlex.quote(script)}")

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_error: object) -> None:
        self._tmux("kill-server", check=False)

    def keys(self, *keys: str) -> None:
        """Press keys by their tmux names ("1", "Enter", "C-c")."""
        self._tmux("send-keys", "-t", "x", *keys)

    def screen(self, styled: bool = False) -> str:
        """What the pane shows now."""
        return self._tmux("capture-pane", "-p", *(["-e"] if styled else []), "-t", "x").stdout

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-t", "x", "-x", str(columns), "-y", str(rows))

    def until(self, seen: Callable[[str], object], what: str, seconds: float = 30.0) -> str:
        """The first screen for which `seen` is true."""
        end = time.monotonic() + seconds
        while not seen(screen := self.screen()):
            assert time.monotonic() < end, f"waited {seconds:g} s in vain for {what}:\n{screen}"
            time.sleep(LOOK_S)
        return screen

    def shows(self, *texts: str, seconds: float = 30.0) -> str:
        """The first screen that holds all of these."""
        return self.until(lambda screen: all(text in screen for text in texts), " and ".join(texts), seconds)

    def ended(self) -> int:
        """Wait for the end of the program; its exit code."""
        wait_for(lambda: self._after.exists() and self._after.read_text(), what="the end of the program")
        return int(self._code.read_text())

    def restored(self) -> bool:
        """Whether the terminal is as it was before the program."""
        return self._after.read_text() == self._before.read_text() and self.modes() == AS_BEFORE

    def modes(self) -> str:
        """What of MODES is on."""
        return self._tmux("display-message", "-p", "-t", "x", " ".join(f"#{{{mode}}}" for mode in MODES)).stdout.strip()

    def close(self) -> None:
        """Close the session under the program."""
        self._tmux("kill-session", "-t", "x")

    def _tmux(self, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(program("tmux"), "-u", "-S", self._socket, *argv, check=check)


def row(screen: str, name: str) -> str:
    """The first line about a node or a port, "" where there is none; a mark may stand before the name."""
    return next((line for line in screen.splitlines() if name in line.split()[:2]), "")
