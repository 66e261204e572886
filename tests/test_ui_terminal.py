"""The program on a real pseudo-terminal: what it writes, and how it leaves the terminal however it ends."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

PATIENCE_S = 30.0
"""Longest wait for anything; nothing here waits that long where it works."""

CHILD = Path(__file__).with_name("tui_child.py")
WIDTH, HEIGHT = 120, 40
SEQUENCE = re.compile(r"\x1b\[([0-?]*)[ -/]*([@-~])|\x1bP.*?\x1b\\|\x1b.|[\x00-\x1f]")
INCOMPLETE = re.compile(r"\x1b(\[[0-?]*[ -/]*|P[^\x1b]*)?$")
PLACE, LETTER = 1, 2


class Terminal:
    """A pseudo-terminal with the program on it, and what its screen shows."""

    def __init__(self, folder: Path, program: Sequence[str] = (), **env: str) -> None:
        self.folder = folder
        self.keyboard, self.slave = pty.openpty()
        self.resize(HEIGHT, signal_it=False)
        self.modes = termios.tcgetattr(self.slave)
        # Where a test runner says how wide its own terminal is, the program must not take it for this one's.
        foreign = ("NO_COLOR", "COLUMNS", "LINES")
        plain = {name: value for name, value in os.environ.items() if name not in foreign}
        self.process = subprocess.Popen(
            [*program] or [sys.executable, str(CHILD), str(folder)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**plain, "TERM": "xterm-256color", "COLORTERM": "truecolor", "XDG_CONFIG_HOME": str(folder), **env},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.written = b""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pending = ""
        self._x = self._y = 0

    def resize(self, height: int, signal_it: bool = True) -> None:
        self.rows = [" " * WIDTH] * height
        fcntl.ioctl(self.keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", height, WIDTH, 0, 0))
        if signal_it:
            self.process.send_signal(signal.SIGWINCH)

    def press(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    def read(self, seconds: float) -> bytes:
        """What arrives within that time, at most one portion."""
        if not select.select([self.keyboard], [], [], seconds)[0]:
            return b""
        try:
            portion = os.read(self.keyboard, 65536)
        except OSError:
            return b""
        self.written += portion
        self._show(self._decode(portion))
        return portion

    def until(self, seen: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not seen():
            assert time.monotonic() < deadline, f"{what}:\n" + "\n".join(self.rows)
            self.read(0.2)

    def ready(self) -> None:
        """The first frame stands and the polling was started after it."""
        self.until(lambda: (self.folder / "started").exists() and "quit" in self.rows[-1], "no first frame")

    def end(self) -> int:
        """Read to the end of the program; its exit code."""
        self.until(lambda: self.process.poll() is not None, "did not end")
        while self.read(0.0):
            pass
        assert self.process.returncode is not None
        return self.process.returncode

    def _show(self, text: str) -> None:
        """The few sequences that the program writes: places, and text from there on."""
        text = self._pending + text
        cut = INCOMPLETE.search(text)
        self._pending = text[cut.start() :] if cut else ""
        text = text[: cut.start()] if cut else text
        at = 0
        for found in SEQUENCE.finditer(text):
            self._put(text[at : found.start()])
            at = found.end()
            if found[LETTER] == "H":
                self._y, self._x = (int(number or 1) - 1 for number in (found[PLACE] or "1;1").split(";"))
            elif found[0] == "\n":
                self._y += 1
            elif found[0] == "\r":
                self._x = 0
        self._put(text[at:])

    def _put(self, text: str) -> None:
        for character in text:
            if self._y < len(self.rows) and self._x < WIDTH:
                row = self.rows[self._y]
                self.rows[self._y] = row[: self._x] + character + row[self._x + 1 :]
            self._x += 1


@pytest.fixture
def open_terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(program: Sequence[str] = (), **env: str) -> Terminal:
        opened.append(Terminal(tmp_path, program, **env))
        return opened[-1]

    yield open_one
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()
        for descriptor in (terminal.keyboard, terminal.slave):
            try:
                os.close(descriptor)
            except OSError:
                pass


def restored(terminal: Terminal) -> bool:
    """Every mode that was set was taken back after that, and the line discipline is as before."""
    text = terminal.written.decode(errors="replace")
    for number in re.findall(r"\x1b\[\?(1000|1003|1004|1006|1015|1049|2004)h", text):
        if text.rindex(f"\x1b[?{number}h") > text.rfind(f"\x1b[?{number}l"):
            return False
    cursor = text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")
    protocol = text.count("\x1b[<u") >= len(re.findall(r"\x1b\[>\d+u", text))
    return cursor and protocol and termios.tcgetattr(terminal.slave) == terminal.modes


@pytest.mark.parametrize("keys", ["q", "\x03", "?q", "/\x03"])
def test_quit_leaves_the_terminal_as_it_was(open_terminal: Callable[..., Terminal], keys: str) -> None:
    terminal = open_terminal()
    terminal.ready()
    for key in keys:
        terminal.press(key)
    assert terminal.end() == 0
    assert restored(terminal)
    assert (terminal.folder / "stopped").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_leave_the_terminal_as_it_was(open_terminal: Callable[..., Terminal], number: signal.Signals) -> None:
    terminal = open_terminal(TUI_FEED="0.1")
    terminal.ready()
    assert not restored(terminal)
    terminal.process.send_signal(number)
    assert terminal.end() == 128 + number
    assert restored(terminal)
    assert (terminal.folder / "stopped").exists()


def test_a_closed_terminal_ends_the_program(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal(TUI_FEED="0.1")
    terminal.ready()
    os.close(terminal.slave)
    os.close(terminal.keyboard)
    assert terminal.process.wait(PATIENCE_S) == 128 + signal.SIGHUP
    assert (terminal.folder / "stopped").exists()


def test_suspended_it_gives_the_terminal_back_and_comes_again(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal(TUI_FEED="0.1")
    terminal.ready()
    terminal.press("\x1a")
    status = Path(f"/proc/{terminal.process.pid}/stat")
    terminal.until(lambda: status.read_text().rpartition(")")[2].split()[0] == "T", "did not stop")
    while terminal.read(0.05):
        pass
    assert restored(terminal)
    terminal.rows = [" " * WIDTH] * HEIGHT
    terminal.process.send_signal(signal.SIGCONT)
    terminal.until(lambda: "quit" in terminal.rows[-1], "no frame after coming back")
    terminal.press("q")
    assert terminal.end() == 0
    assert restored(terminal)


def test_suspended_under_make_it_takes_make_along_and_the_shell_has_the_terminal(
    open_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"demo:\n\t{sys.executable} {CHILD} {tmp_path}\n\t@echo made\n")
    terminal = open_terminal(["bash", "--norc", "--noprofile", "--noediting", "-i"], TUI_FEED="0.1", PS1="shell> ")

    def shown(text: str) -> Callable[[], bool]:
        return lambda: any(text in row for row in terminal.rows)

    terminal.until(shown("shell>"), "no shell")
    terminal.press(f"make -s -f {makefile} demo\n")
    terminal.ready()
    terminal.rows = [" " * WIDTH] * HEIGHT
    terminal.press("\x1a")
    terminal.until(lambda: b"Stopped" in terminal.written, "the shell did not come back")
    before = len(terminal.written)
    terminal.press("echo $((40 + 2))\n")
    terminal.until(lambda: b"42" in terminal.written[before:], "the shell takes no command")
    terminal.rows = [" " * WIDTH] * HEIGHT
    terminal.press("fg\n")
    terminal.until(lambda: "quit" in terminal.rows[-1], "no frame after coming back")
    terminal.press("q")
    terminal.until(lambda: b"made" in terminal.written, "make did not go on")
    terminal.press("exit\n")
    assert terminal.end() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (None, 0)])
def test_what_hangs_does_not_hold_the_program_up(
    open_terminal: Callable[..., Terminal], number: signal.Signals | None, code: int
) -> None:
    terminal = open_terminal(TUI_HANG="0.5")
    terminal.ready()
    if number is None:
        terminal.press("q")
    else:
        terminal.process.send_signal(number)
    assert terminal.end() == code
    assert restored(terminal)


def test_a_loop_that_hangs_is_ended_and_the_terminal_restored(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal(TUI_BLOCK="1", TUI_HANG="0.5")
    terminal.ready()
    assert not restored(terminal)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 143
    assert restored(terminal)


def test_two_signals_at_once_end_in_good_order(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal()
    terminal.ready()
    terminal.process.send_signal(signal.SIGTERM)
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.end() in (128 + signal.SIGTERM, 128 + signal.SIGHUP)
    assert restored(terminal)
    assert (terminal.folder / "stopped").exists()


def test_without_changes_a_second_costs_the_clock_and_no_more(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal(TUI_CLOCK="10")
    terminal.ready()
    clock = terminal.rows[0][-9:]
    terminal.until(lambda: terminal.rows[0][-9:] != clock, "the clock stands still")
    terminal.written = b""
    frames = 0
    while frames < 8:
        clock = terminal.rows[0][-9:]
        terminal.until(lambda seen=clock: terminal.rows[0][-9:] != seen, "the clock stands still")  # type: ignore[misc]
        frames += 1
    assert len(terminal.written) / frames < 90


def test_what_partial_writes_left_is_what_a_full_repaint_draws(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal(TUI_CLOCK="0", TUI_FEED="0.03", TUI_DEMO="rx-loss")
    terminal.ready()
    terminal.press("-jj")
    pictures = set()
    while len(pictures) < 4:
        before = list(terminal.rows)
        terminal.until(lambda seen=before: terminal.rows != seen, "nothing changes")  # type: ignore[misc]
        pictures.add("\n".join(terminal.rows))

    def complete() -> bool:
        return "PAUSED" in terminal.rows[0] and re.search("go on.* quit", terminal.rows[-1]) is not None

    terminal.press(" ")
    terminal.until(complete, "no pause")
    partial = list(terminal.rows)
    terminal.resize(HEIGHT + 1)
    terminal.until(complete, "no repaint")
    assert terminal.rows[: HEIGHT - 1] == partial[:-1]
    assert terminal.rows[-1] == partial[-1]
    assert "▸spark2" in terminal.rows[3]


@pytest.mark.parametrize("mouse", [True, False])
def test_the_mouse_is_left_alone_where_asked(open_terminal: Callable[..., Terminal], mouse: bool) -> None:
    terminal = open_terminal(**({} if mouse else {"TUI_NO_MOUSE": "1"}))
    terminal.ready()
    assert (b"\x1b[?1000h" in terminal.written) is mouse
    assert b"\x1b[?1049h" in terminal.written


def test_without_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    child = [sys.executable, str(Path(__file__).with_name("tui_child.py")), str(tmp_path)]
    done = subprocess.run(
        child, capture_output=True, text=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 2
    assert "sparktui once" in done.stderr
