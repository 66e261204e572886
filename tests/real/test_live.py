"""The program in tmux on four real nodes and a real switch agent: what it shows, and each fault as it happens."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator

import pytest

from tests.real.cluster import MONITOR, SWITCH, Cluster
from tests.real.space import wait_for
from tests.real.terminal import COLOURS, Terminal, row

STALE_S = 4.5
"""Two intervals after a last sample that was up to one interval old, until it is looked for and drawn."""
UNREACHABLE_S = 6.0
PROBE_ENDS_S = 10.0
UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
WIRE_BPS = 50e6 * 1442 / 1400
"""What 50 Mb/s of 1400 byte datagrams are with their headers."""


@pytest.fixture
def terminal(lab: Cluster) -> Iterator[Terminal]:
    """The program on its overview with everything live; afterwards nothing of it may be left anywhere."""
    with Terminal(lab.operator("--config", str(lab.config()), **COLOURS), lab.folder) as terminal:
        terminal.shows("4/4 live", "lab live")
        yield terminal
        terminal.keys("C-c")
        assert terminal.ended() == 0
    assert not MONITOR.pids
    wait_for(lambda: not probes(lab), PROBE_ENDS_S, "the end of the probes")


def probes(lab: Cluster) -> dict[str, list[int]]:
    """The nodes that run our probe."""
    return {name: found for name, host in lab.hosts.items() if (found := host.probes)}


def rates(line: str) -> list[float]:
    """Bits per second of all rates in a line."""
    return [float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)\s*([kMG]?)b/s", line)]


def carries(line: str) -> bool:
    """Whether a row of the overview tells of WIRE_BPS in either direction; a unit may stand for both."""
    return re.search(r"\b5[0-3](\.\d)?\s*(/\s*[\d.]+\s*)?M", line) is not None


def cable(screen: str, port: str) -> list[float]:
    """What the network pane says of a cable: sent by the node, received by the port, received by the node, sent."""
    lines = screen.splitlines()
    at = next((number for number, line in enumerate(lines) if line.endswith(port)), None)
    return [] if at is None else rates(lines[at]) + rates(lines[at + 1])


def near(found: list[float], *wanted: float) -> bool:
    return found == [pytest.approx(rate, rel=0.1) for rate in wanted]


def others_live(screen: str) -> bool:
    """Live means that no sample is older than two intervals."""
    return all("live" in row(screen, name) for name in ("spark1", "spark2", "spark4"))


def becomes(terminal: Terminal, state: str) -> float:
    """Wait until spark3 is in this state and return how long that took; the others stay live all the while."""

    def seen() -> bool:
        screen = terminal.screen()
        assert others_live(screen), screen
        return state in row(screen, "spark3")

    return wait_for(seen, 40.0, f"{state} on the screen")


def test_traffic_and_loss_are_seen_at_both_ends_of_the_cables(lab: Cluster, terminal: Terminal) -> None:
    def both(share: float) -> Callable[[str], bool]:
        wanted = (WIRE_BPS, WIRE_BPS, share * WIRE_BPS, WIRE_BPS)
        return lambda screen: near(cable(screen, "swp1")[:2] + cable(screen, "swp2")[2:], *wanted)

    terminal.keys("3")
    with lab.traffic("spark1", "spark2", mbps=50):
        terminal.until(both(1.0), "the same rate at both ends of both cables")
        with lab.hosts["spark2"].cable.losing(0.5):
            terminal.until(both(0.5), "at the node half of what the port sends")
        terminal.keys("1")
        terminal.until(lambda screen: carries(row(screen, "swp1")), "the port on the overview")


def test_a_cut_cable_is_stale_then_unreachable_and_the_others_keep_their_rhythm(
    lab: Cluster, terminal: Terminal
) -> None:
    with lab.hosts["spark3"].cable.cut():
        stale_s = becomes(terminal, "stale")
        assert stale_s < STALE_S
        assert stale_s + becomes(terminal, "unreachable") < UNREACHABLE_S
        terminal.shows("3/4 live, spark3 unreachable", "the cable is out")
        with lab.traffic("spark1", "spark2", mbps=50):
            terminal.until(lambda screen: others_live(screen) and carries(row(screen, "spark2")), "news")
        terminal.until(lambda screen: "down" in row(screen, "swp3"), "the port without a link")
        terminal.keys("Tab", "Enter")
        terminal.shows("last sample 0 s ago")
        terminal.keys("Escape")
        terminal.shows("findings")
    becomes(terminal, "live")


def test_a_frozen_node_is_unreachable_and_comes_back_when_it_thaws(lab: Cluster, terminal: Terminal) -> None:
    with lab.hosts["spark3"].space.frozen():
        stale_s = becomes(terminal, "stale")
        assert stale_s < STALE_S
        assert stale_s + becomes(terminal, "unreachable") < UNREACHABLE_S
    becomes(terminal, "live")


def test_a_killed_probe_is_started_again_without_a_new_login(lab: Cluster, terminal: Terminal) -> None:
    host = lab.hosts["spark3"]
    logins, probe = host.logins, host.probes
    assert len(probe) == 1
    os.kill(probe[0], signal.SIGKILL)
    wait_for(lambda: host.probes and host.probes != probe, what="another probe")
    with lab.traffic("spark1", "spark3", mbps=50):
        terminal.until(lambda screen: carries(row(screen, "spark3")), "what the new probe sees")
    assert host.logins == logins


def test_a_probe_that_stops_is_stale_then_ended_and_started_again(lab: Cluster, terminal: Terminal) -> None:
    host = lab.hosts["spark3"]
    logins, probe = host.logins, host.probes
    os.kill(probe[0], signal.SIGSTOP)
    assert becomes(terminal, "stale") < STALE_S
    becomes(terminal, "live")
    assert host.logins == logins
    assert probe[0] not in host.probes


def test_a_reboot_is_told(lab: Cluster, terminal: Terminal) -> None:
    lab.hosts["spark3"].halt()
    lab.hosts["spark3"].boot()
    terminal.until(lambda screen: "rebooted" in screen and "live" in row(screen, "spark3"), "spark3 after its reboot")


def test_a_switch_that_does_not_answer_changes_its_own_state_only(terminal: Terminal) -> None:
    with SWITCH.frozen():
        terminal.shows("lab stale", "4/4 live")
        terminal.shows("lab unreachable", "4/4 live")
    terminal.shows("lab live", "4/4 live")


def test_one_login_per_node_for_the_whole_run(lab: Cluster) -> None:
    before = {name: host.logins for name, host in lab.hosts.items()}
    with Terminal(lab.operator("--config", str(lab.config()), **COLOURS), lab.folder) as terminal:
        terminal.shows("4/4 live", "lab live")
        for keys, words in (
            ("3", "hosts"),
            ("-", "every 0.5 s"),
            ("+", "every 1 s"),
            ("+", "every 2 s"),
            ("1", "findings"),
        ):
            terminal.keys(keys)
            terminal.shows(words, "4/4 live")
        terminal.keys("q")
        assert terminal.ended() == 0
    assert {name: host.logins - before[name] for name, host in lab.hosts.items() if host.logins > before[name]} == {
        "spark1": 1, "spark2": 1, "spark3": 1, "spark4": 1,
    }  # fmt: skip


def test_probes_end_by_themselves_when_the_operator_is_gone_also_behind_a_cut_cable(lab: Cluster) -> None:
    with Terminal(lab.operator("--config", str(lab.config()), **COLOURS), lab.folder) as terminal:
        terminal.shows("4/4 live", "lab live")
        with lab.hosts["spark3"].cable.cut():
            for pid in MONITOR.pids:
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: probes(lab).keys() <= {"spark3"}, PROBE_ENDS_S, "the end of the probes")
            wait_for(lambda: not probes(lab), PROBE_ENDS_S, "the end of the probe behind the cut cable")
