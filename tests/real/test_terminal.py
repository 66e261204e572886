"""How the program leaves the terminal and the nodes however it ends, and what it shows on terminals of all kinds."""

from __future__ import annotations

import os
import re
import signal

import pytest

from tests.real.cluster import MONITOR, Cluster
from tests.real.space import PROBE, wait_for
from tests.real.terminal import AS_BEFORE, COLOURS, Terminal, row

COLOUR = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9\d|10\d)[;m]")


def started(lab: Cluster, *arguments: str, columns: int = 120, rows: int = 40, **env: str) -> Terminal:
    """The program on four nodes, on this machine as well, and on the switch."""
    nodes = ["spark1", "spark2", "spark3", "spark4", "local"]
    argv = lab.operator("--config", str(lab.config("terminal", nodes)), *arguments, **(COLOURS | env))
    return Terminal(argv, lab.folder, columns, rows)


def program() -> int:
    """The process id of the program; what it started for the node "local" is another."""
    (found,) = (pid for pid, argv in MONITOR.commands().items() if PROBE not in " ".join(argv))
    return found


def nothing_left(lab: Cluster) -> bool:
    return not MONITOR.pids and not any(host.probes for host in lab.hosts.values())


@pytest.mark.parametrize(
    ("how", "code"),
    [("q", 0), ("C-c", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
    ids=str,
)
def test_the_terminal_is_as_before_and_nothing_is_left(lab: Cluster, how: str | signal.Signals, code: int) -> None:
    with started(lab) as terminal:
        terminal.shows("5/5 live", "lab live")
        assert terminal.modes() != AS_BEFORE
        assert not nothing_left(lab)
        if isinstance(how, str):
            terminal.keys(how)
        else:
            os.kill(program(), how)
        assert terminal.ended() == code
        assert terminal.restored()
        assert not MONITOR.pids
        assert terminal.screen().strip() == ""
    wait_for(lambda: nothing_left(lab), 5.0, "the end of the probes")


def test_a_closed_session_leaves_nothing(lab: Cluster) -> None:
    with started(lab) as terminal:
        terminal.shows("5/5 live")
        terminal.close()
        wait_for(lambda: nothing_left(lab), 10.0, "the end of everything")


def test_any_size_and_every_change_of_it(lab: Cluster) -> None:
    with started(lab, columns=20, rows=5) as terminal:
        terminal.shows("5/5 live")
        for columns, rows in ((80, 24), (2, 1), (200, 60), (20, 5), (120, 40)):
            terminal.resize(columns, rows)
            if columns >= 80:
                terminal.until(lambda screen: "live" in row(screen, "local"), f"all rows at {columns}x{rows}")
                terminal.until(
                    lambda screen: "Overview" in screen.rstrip("\n").splitlines()[-1], "the keys at the bottom"
                )
            elif columns == 20:
                terminal.shows("5/5 live")
        assert "10G" in row(terminal.screen(), "swp1")
        terminal.keys("q")
        assert terminal.ended() == 0
        assert terminal.restored()


def test_colours_as_the_terminal_has_them(lab: Cluster) -> None:
    for env, wanted, unwanted in (
        ({}, r"\x1b\[[\d;]*38;2;", "never"),
        ({"COLORTERM": ""}, r"\x1b\[[\d;]*38;5;", r"[34]8;2;"),
        ({"NO_COLOR": "1"}, r"\x1b\[[\d;]*[17]m", COLOUR.pattern),
    ):
        with started(lab, columns=80, rows=24, **env) as terminal:
            screen = terminal.shows("5/5 live", "lab live")
            assert all("live" in row(screen, name) for name in ("spark1", "local", "lab"))
            styled = terminal.screen(styled=True)
            assert re.search(wanted, styled), env
            assert not re.search(unwanted, styled), env


def test_ascii_only_and_the_mouse_left_alone(lab: Cluster) -> None:
    with started(lab, "--ascii", "--no-mouse") as terminal:
        for key, words in (
            ("1", "findings"),
            ("2", "GPU"),
            ("3", "hosts"),
            ("4", "interrupts"),
            ("6", "swp1"),
            ("?", "this help"),
        ):
            terminal.keys(key)
            screen = terminal.shows("5/5 live", words)
            assert screen.isascii(), [character for character in screen if not character.isascii()]
        assert terminal.modes().split()[1:3] == ["0", "0"]
