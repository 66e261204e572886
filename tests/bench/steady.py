"""What watching costs, once all is up: the nodes, the client, the line to the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from tests.bench.figures import Figure
from tests.bench.lab import Lab
from tests.bench.process import children, cpu_s, memory_mib, parent
from tests.bench.terminal import Terminal

SETTLE_S = 6.0
WINDOW_S, WINDOWS = 10.0, 4

Counters = Mapping[str, Callable[[], float]]


def rates(counters: Counters, windows: int, seconds: float = WINDOW_S) -> dict[str, list[float]]:
    """By how much each counter grows per second, window by window."""
    found: dict[str, list[float]] = {name: [] for name in counters}
    for _ in range(windows):
        began, before = time.monotonic(), {name: read() for name, read in counters.items()}
        time.sleep(seconds)
        took = time.monotonic() - began
        for name, read in counters.items():
            found[name].append((read() - before[name]) / took)
    return found


def watched(terminal: Terminal) -> Counters:
    return {
        "client": lambda: cpu_s(terminal.pid) * 100,
        "bytes": lambda: terminal.bytes_written / 1024,
    }


def node_ms(probe: int) -> float:
    """Milliseconds of CPU of a probe, of the sshd process that carries it, and of the one that watches over that."""
    carrier = parent(probe)
    return sum(map(cpu_s, (probe, carrier, parent(carrier)))) * 1e3


def cluster(lab: Lab) -> list[Figure]:
    """Four hosts with sshd and a Spark's files, and nothing going on: one sample a second of each."""
    hosts = lab.cluster.hosts
    logins = {name: host.logins for name, host in hosts.items()}
    with lab.client() as terminal:
        terminal.wait_for_text("4/4 live")
        terminal.wait_for_text("crs812 live")
        time.sleep(SETTLE_S)
        probes = {name: host.probes[0] for name, host in hosts.items()}
        nodes = {name: (lambda probe=probe: node_ms(probe)) for name, probe in probes.items()}
        found = rates({**watched(terminal), **nodes}, WINDOWS)
        resident, proportional = memory_mib(terminal.pid)
    per_sample = [value for name in nodes for value in found[name]]
    return [
        Figure("node: CPU per sample, with sshd", "ms", per_sample, 4.0),
        Figure("logins per node", "", [host.logins - logins[name] for name, host in hosts.items()], 1, worst=True),
        Figure("client: CPU, 4 x sshd and switch", "% of a core", found["client"], 3.0),
        Figure("to the terminal, nothing moves", "KiB/s", found["bytes"], 1.5),
        Figure("client: memory (RSS)", "MiB", [resident], 90.0),
        Figure("client: memory (PSS)", "MiB", [proportional]),
    ]


class Rack:
    """The simulated rack under load, then at rest: its load runs for the first minute and stops for 24 seconds."""

    LOAD_ENDS_S, REST_ENDS_S, COOLING_S = 60.0, 84.0, 3.0

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._child = children(terminal.pid)[0]

    def under_load(self) -> list[Figure]:
        """The Overview with every column moving."""
        time.sleep(SETTLE_S)
        counters = {**watched(self._terminal), "demo": lambda: cpu_s(self._child) * 100}
        found = rates(counters, WINDOWS)
        return [
            Figure("client: CPU, rack under load", "% of a core", found["client"], 3.0),
            Figure("to the terminal, rack under load", "KiB/s", found["bytes"], 8.0),
            Figure("demo: CPU of the simulated rack", "% of a core", found["demo"]),
        ]

    def at_rest(self) -> list[Figure]:
        """The same rack when its job has stopped; idle Sparks are never quite still."""
        self._wait_until(self.LOAD_ENDS_S + self.COOLING_S)
        seconds = (self.REST_ENDS_S - self.LOAD_ENDS_S - self.COOLING_S) / 2
        found = rates(watched(self._terminal), 2, seconds)
        resident, _ = memory_mib(self._terminal.pid)
        return [
            Figure("to the terminal, rack at rest", "KiB/s", found["bytes"], 1.5),
            Figure("client: memory (RSS), rack", "MiB", [resident], 90.0),
        ]

    def _wait_until(self, seconds: float) -> None:
        time.sleep(max(0.0, self._terminal.began + seconds - time.monotonic()))
