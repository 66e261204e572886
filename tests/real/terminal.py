"""A program in tmux: what it shows, and keys sent to it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence

from tests.real.cluster import run, wait_for


class Terminal:
    """One tmux server with one pane of `columns` x `rows` that runs `argv`; ended with the block."""

    def __init__(self, argv: Sequence[str], columns: int = 120, rows: int = 40, **environment: str) -> None:
        self.socket = f"sparktui-test-{os.getpid()}-{id(self):x}"
        variables = {"TERM": "tmux-256color", "COLORTERM": "truecolor", **environment}
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        # The shell stays when the program ends, so that what it left on the screen can be read.
        command = f"env {settings} {shlex.join(argv)}; echo ended with $?; stty -a; exec cat"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "x", "-x", str(columns), "-y", str(rows), command)

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

    def wait_for(self, text: str, seconds: float = 15.0) -> str:
        """The screen as soon as it holds `text`."""
        seen = [""]

        def shown() -> str:
            seen[0] = self.screen()
            return seen[0] if text in seen[0] else ""

        try:
            return str(wait_for(shown, seconds, f"{text!r} on the screen"))
        except AssertionError as error:
            raise AssertionError(f"{error}\n{seen[0]}") from None

    def wait_until_gone(self, text: str, seconds: float = 15.0) -> str:
        """The screen as soon as `text` is no longer on it."""
        return str(wait_for(lambda: text not in (screen := self.screen()) and screen, seconds, f"{text!r} to go"))

    def program(self, name: str) -> int:
        """The process id of the program under the pane's shell whose command line holds `name`."""
        shell = self._tmux("display-message", "-p", "-t", "x", "#{pane_pid}").stdout.strip()
        listed = run("ps", "-e", "-o", "pid=,ppid=,args=").stdout.splitlines()
        rows = [line.split(None, 2) for line in listed]
        family, found = {shell}, []
        for _ in range(6):
            family |= {pid for pid, parent, _ in rows if parent in family}
        found = [int(pid) for pid, _, args in rows if pid in family and pid != shell and name in args]
        assert found, f"no {name} under the pane"
        return found[-1]

    def _tmux(self, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run("tmux", "-L", self.socket, *argv, check=check)
