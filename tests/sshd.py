"""Nodes for tests: real sshd on loopback ports, with keys that live as long as the test."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktui.config import NodeConfig, Settings, SshConfig

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
HOST = "127.0.0.1"


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", path.name, "-f", str(path)], check=True)
    return path


def fingerprint(key: Path) -> str:
    return subprocess.run(["ssh-keygen", "-lf", str(key)], check=True, capture_output=True, text=True).stdout.split()[1]


def public(key: Path) -> str:
    """A key's line as in authorized_keys."""
    return Path(f"{key}.pub").read_text()


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            stat = Path("/proc", name, "stat").read_text()
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(name))
    found, queue = [], [pid]
    while queue:
        queue = [child for parent in queue for child in parents.get(parent, [])]
        found += queue
    return found


def is_probe(pid: int) -> bool:
    """Whether a process is the probe itself, and not an sshd or a shell that carries its command."""
    with contextlib.suppress(OSError):
        words = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
        return b"-S" in words and b"sparktui.probe.entry" in b" ".join(words)
    return False


class Sshd:
    """One node: a real sshd on a port of its own. `options` are lines of its sshd_config."""

    def __init__(self, folder: Path, authorized: Path, options: tuple[str, ...], port: int | None = None) -> None:
        folder.mkdir()
        self.host_key = make_key(folder / "host_key")
        self.port = port or free_port()
        self._config = folder / "sshd_config"
        lines = [
            *options,
            f"Port {self.port}",
            f"ListenAddress {HOST}",
            f"HostKey {self.host_key}",
            f"PidFile {folder}/sshd.pid",
            f"AuthorizedKeysFile {authorized}",
            "UsePAM no",
            "StrictModes no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "UseDNS no",
            "MaxStartups 1000",
        ]
        self._config.write_text("\n".join(lines) + "\n")
        self.logins = 0
        self._ready = threading.Event()
        self._start()

    def _start(self) -> None:
        assert SSHD
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(self._config)], stderr=subprocess.PIPE)
        self._log = threading.Thread(target=self._read_log, daemon=True)
        self._log.start()
        assert self._ready.wait(20), "sshd does not listen"

    def _read_log(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            if b"Server listening" in line:
                self._ready.set()
            if b"Accepted publickey" in line:
                self.logins += 1

    @property
    def below(self) -> list[int]:
        """Session processes and what they run."""
        return descendants(self.process.pid)

    @property
    def probes(self) -> list[int]:
        return [pid for pid in self.below if is_probe(pid)]

    @property
    def sessions(self) -> list[int]:
        """The sshd processes that serve connections."""
        return [pid for pid in self.below if b"sshd" in Path("/proc", str(pid), "cmdline").read_bytes()]

    def stop(self) -> None:
        """End the listener and every session, stopped ones too."""
        for pid in [self.process.pid, *self.below]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self._log.join(5)


class Nodes:
    """Real nodes, one client key that opens them, and the known_hosts that knows them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.identity = make_key(folder / "id")
        self.known_hosts = folder / "known_hosts"
        self.known_hosts.touch()
        self.config_file = folder / "ssh_config"
        self.config_file.touch()
        self.sshds: dict[str, Sshd] = {}

    def start(self, name: str, *options: str, known: bool = True, port: int | None = None) -> NodeConfig:
        authorized = Path(f"{self.identity}.pub")
        sshd = self.sshds[name] = Sshd(self.folder / f"{name}-{len(self.sshds)}", authorized, options, port)
        if known:
            self.trust(sshd.port, sshd.host_key)
        return NodeConfig(name=name, host=HOST, port=sshd.port, user=getpass.getuser())

    def trust(self, port: int, host_key: Path) -> None:
        kind, key, *_ = public(host_key).split()
        with self.known_hosts.open("a") as file:
            file.write(f"[{HOST}]:{port} {kind} {key}\n")

    @property
    def ssh(self) -> SshConfig:
        return SshConfig(str(self.config_file), str(self.known_hosts), str(self.identity))

    def settings(self, *nodes: NodeConfig) -> Settings:
        return Settings(nodes=list(nodes), ssh=self.ssh)


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
        return port


@contextlib.contextmanager
def running_nodes(folder: Path) -> Iterator[Nodes]:
    """Starts nodes on demand and ends them all. What a `nodes` fixture is made of."""
    if SSHD is None:
        pytest.skip("no sshd here")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    made = Nodes(folder)
    try:
        yield made
    finally:
        for sshd in made.sshds.values():
            sshd.stop()
