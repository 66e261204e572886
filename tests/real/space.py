"""Network namespaces and what runs in them: commands, processes, veth cables."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PREFIX = "st-"
PROBE = "sparktui.probe.entry"
"""Name of the program in every command line of a probe."""


def program(name: str) -> str:
    return shutil.which(name, path=PATH) or name


def run(*argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A command that must not take long."""
    done = subprocess.run(
        argv, capture_output=True, encoding="utf-8", timeout=30, check=False, env={**os.environ, "PATH": PATH}
    )
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}")
    return done


def wait_for(condition: Callable[[], object], seconds: float = 20.0, what: object = "") -> float:
    """Wait until `condition` is true and return how long that took; AssertionError when the time is over."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, f"waited {seconds:g} s in vain for {what or condition}"
        time.sleep(0.05)
    return time.monotonic() - began


class Space:
    """One namespace. `name` comes without the prefix that all of ours have."""

    def __init__(self, name: str) -> None:
        self.name = PREFIX + name

    def create(self) -> None:
        run("ip", "netns", "add", self.name)
        self.ip("link", "set", "lo", "up")

    def ip(self, *arguments: str) -> None:
        run("ip", "-n", self.name, *arguments)

    def inside(self, *argv: str) -> list[str]:
        """`argv` to be run in here."""
        return [program("ip"), "netns", "exec", self.name, *argv]

    def run(self, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(*self.inside(*argv), check=check)

    def start(self, *argv: str, log: Path, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Something that stays, until `kill`."""
        with log.open("ab") as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            environment = {**os.environ, "PATH": PATH, **(env or {})}
            return subprocess.Popen(self.inside(*argv), env=environment, start_new_session=True, **streams)

    @property
    def pids(self) -> list[int]:
        return [int(pid) for pid in run("ip", "netns", "pids", self.name, check=False).stdout.split()]

    def commands(self) -> dict[int, list[str]]:
        """The argument lists of all processes in here."""
        found = {}
        for pid in self.pids:
            with contextlib.suppress(OSError):
                found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        return found

    @property
    def probes(self) -> list[int]:
        """Our probes in here: the interpreters, not the shells and sshds around them."""
        return [pid for pid, argv in self.commands().items() if "-S" in argv and PROBE in " ".join(argv)]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes in here."""
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End everything in here, stopped or not."""
        self.signal(signal.SIGKILL)
        wait_for(lambda: not self.pids, what=f"the end of {self.name}")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes in here for the time of a with block."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def delete(self) -> None:
        self.kill()
        run("ip", "netns", "del", self.name, check=False)


def leftovers() -> list[Space]:
    """Namespaces of ours that are there now."""
    listed = run("ip", "netns", "list").stdout.splitlines()
    return [Space(line.split()[0].removeprefix(PREFIX)) for line in listed if line.startswith(PREFIX)]


WIRES = Space("wires")
"""Where the cables are: each is two veth pairs and a bridge between them, so that frames can be lost on the way."""


class Cable:
    """A cable from a switch port to the eth0 of a host."""

    def __init__(self, switch: Space, port: str, host: Space, address: str) -> None:
        self._switch, self._port = switch, port
        self._near, self._far, joint = f"{port}-s", f"{port}-h", f"{port}-w"
        WIRES.ip("link", "add", joint, "mtu", "9000", "type", "bridge")
        for space, end, wire in ((switch, port, self._near), (host, "eth0", self._far)):
            run("ip", "link", "add", end, "mtu", "9000", "netns", space.name, "type", "veth",
                "peer", "name", wire, "mtu", "9000", "netns", WIRES.name)  # fmt: skip
            WIRES.ip("link", "set", wire, "master", joint, "up")
        WIRES.ip("link", "set", joint, "up")
        switch.ip("link", "set", port, "master", "br0", "up")
        host.ip("addr", "add", f"{address}/24", "dev", "eth0")
        host.ip("link", "set", "eth0", "up")

    @contextlib.contextmanager
    def cut(self) -> Iterator[None]:
        """Without link at both ends for the time of a with block."""
        self._link("down")
        try:
            yield
        finally:
            self._link("up")

    @contextlib.contextmanager
    def losing(self, share: float) -> Iterator[None]:
        """Drop a share of the datagrams on their way from the switch port to the host; TCP, and so SSH, is spared."""
        rules = (
            f'add table netdev loss; add chain netdev loss in {{ type filter hook ingress device "{self._near}" '
            f"priority 0; }}; add rule netdev loss in ip protocol udp numgen random mod 1000 < {int(share * 1000)} drop"
        )
        WIRES.run("nft", rules)
        try:
            yield
        finally:
            WIRES.run("nft", "delete table netdev loss")

    def _link(self, state: str) -> None:
        self._switch.ip("link", "set", self._port, state)
        WIRES.ip("link", "set", self._far, state)
