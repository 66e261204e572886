"""A cluster of real parts on one machine: network namespaces with their own sshd, a bridge with snmpd as the switch.

Namespaces st-sw (bridge br0 10.77.0.1, snmpd), st-n1.. (10.77.0.11.., sshd, iperf3) and st-mon (10.77.0.100), from
where everything is watched. The root namespace gets a blackhole for 10.77.0.0/24, so that nothing started in the wrong
place can send a packet out of this machine. Needs root.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tests.real.space import PATH, WIRES, Cable, Space, leftovers, program, run, wait_for

NET = "10.77.0"
SWITCH, MONITOR = Space("sw"), Space("mon")
SWITCH_PORT = "swp{}"
SWITCH_MAC = "02:00:00:00:00:01"
COMMUNITY = "lab"
V3_USER, V3_KEYS = "watcher", ("lab-auth-pass", "lab-priv-pass")
PROGRAMS = ("ip", "nft", "iperf3", "snmpd", "snmpget", "sshd", "tmux", "unshare", "ssh-keygen")
USER = "spark"
USER_LINES = {
    "passwd": f"{USER}:x:4711:4711::/home/{USER}:/bin/bash\n",
    "group": f"{USER}:x:4711:\n",
}
"""Added to the system's own tables; its shadow table is replaced."""
SHADOW = f"root:*:20000:0:99999:7:::\n{USER}:*:20000:0:99999:7:::\n"
SSHD_CONFIG = """
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
UseDNS no
"""
OWN = ("unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child")


def missing() -> list[str]:
    """What this machine lacks to run the cluster."""
    lacking = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    return lacking + ([] if os.geteuid() == 0 else ["root"])


def make_key(path: Path) -> str:
    """A new key pair, if it is not there yet; its public half as in known_hosts."""
    if not path.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", str(path))
    return " ".join(Path(f"{path}.pub").read_text().split()[:2])


def fingerprint(path: Path) -> str:
    return run("ssh-keygen", "-l", "-f", f"{path}.pub").stdout.split()[1]


class Host:
    """A machine with its own network, mounts, processes, name, boot and home; sshd on port 22, iperf3 on 5201.

    One logs in as USER with a key. `options` are lines of its sshd_config, which win over our own; `bashrc` is run by
    every login.
    """

    def __init__(
        self, folder: Path, name: str, number: int, authorized: str, options: Sequence[str] = (), bashrc: str = ""
    ) -> None:
        self.name, self.folder = name, folder / f"n{number}"
        self.address = f"{NET}.{10 + number}"
        self.port = SWITCH_PORT.format(number)
        self.space = Space(f"n{number}")
        self.host_key = self.folder / "hostkey"
        self._process: subprocess.Popen[bytes] | None = None
        self._overlay = self.folder / "overlay"
        for path in (self.folder / "home/.ssh", self._overlay / "etc", self._overlay / "proc/sys/kernel/random"):
            path.mkdir(parents=True)
        (self.folder / "home/.bashrc").write_text(bashrc)
        (self.folder / "home/.ssh/authorized_keys").write_text(authorized)
        for table, line in USER_LINES.items():
            (self._overlay / "etc" / table).write_text(Path("/etc", table).read_text() + line)
        (self._overlay / "etc/shadow").write_text(SHADOW)
        self.public_key = make_key(self.host_key)
        (self.folder / "sshd_config").write_text(
            "\n".join([*options, f"ListenAddress {self.address}", f"HostKey {self.host_key}", SSHD_CONFIG])
        )

    def plug_in(self) -> None:
        self.space.create()
        self.cable = Cable(SWITCH, self.port, self.space, self.address)

    def boot(self) -> None:
        """Start it, with a boot id of its own, and wait until its sshd listens."""
        boots = self._logged("Server listening")
        (self._overlay / "proc/sys/kernel/random/boot_id").write_text(f"{uuid.uuid4()}\n")
        init = str(Path(__file__).with_name("node_init.sh"))
        self._process = self.space.start(
            *OWN, "bash", init, self.name, str(self.folder), self.address, log=self.folder / "log"
        )
        wait_for(lambda: self._logged("Server listening") > boots, what=f"sshd of {self.name}")

    def halt(self) -> None:
        """End all that runs on it, as a power cut does: nobody is told."""
        with self.cable.cut():
            self.space.kill()
        if self._process:
            self._process.wait()

    @property
    def probes(self) -> list[int]:
        return self.space.probes

    @property
    def logins(self) -> int:
        """How often somebody logged in since it was made."""
        return self._logged("Accepted publickey")

    def _logged(self, words: str) -> int:
        log = self.folder / "log"
        return log.read_text(errors="replace").count(words) if log.exists() else 0


class Cluster:
    """`hosts` by name and a switch. Everything it starts is ended by `down`, by process id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: dict[str, Host] = {}
        self.known_hosts = folder / "known_hosts"
        self.known_hosts.touch()
        self.identity = folder / "id"
        self.authorized = make_key(self.identity)
        self._agent: subprocess.Popen[bytes] | None = None

    def up(self, nodes: int = 4) -> None:
        """Build it with hosts spark1.., and wait until every sshd and the agent answer."""
        Path("/run/sshd").mkdir(exist_ok=True)
        run("ip", "route", "replace", "blackhole", f"{NET}.0/24")
        for space in (SWITCH, MONITOR, WIRES):
            space.create()
        # With an address of its own: a bridge would take the lowest of its ports', another one as ports are added.
        SWITCH.ip("link", "add", "br0", "mtu", "9000", "address", SWITCH_MAC, "type", "bridge")
        SWITCH.ip("addr", "add", f"{NET}.1/24", "dev", "br0")
        SWITCH.ip("link", "set", "br0", "up")
        Cable(SWITCH, "mgmt", MONITOR, f"{NET}.100")
        self._start_agent()
        for number in range(1, nodes + 1):
            self.add(f"spark{number}")
        wait_for(self._agent_answers, what="snmpd")

    def down(self) -> None:
        """End what runs in the namespaces, and remove them; those of a run that was killed, too."""
        for space in leftovers():
            space.delete()
        for process in (self._agent, *(host._process for host in self.hosts.values())):
            if process is not None:
                process.wait()
        run("ip", "route", "del", "blackhole", f"{NET}.0/24", check=False)

    def add(self, name: str, *options: str, bashrc: str = "", known: str | None = None) -> Host:
        """One more host. `known`: the host key that known_hosts has of it, instead of its own; "" for none."""
        host = self.hosts[name] = Host(self.folder, name, len(self.hosts) + 1, self.authorized, options, bashrc)
        if known != "":
            with self.known_hosts.open("a") as file:
                file.write(f"{host.address} {known or host.public_key}\n")
        host.plug_in()
        host.boot()
        return host

    def config(
        self, name: str = "config", nodes: Sequence[str] | None = None, switch: bool = True, **extra: object
    ) -> Path:
        """A config file for watching these nodes (spark1.. by default) and the switch from the monitor's namespace."""
        usual = [host for host in self.hosts if host.startswith("spark")]
        chosen = usual if nodes is None else nodes
        data: dict[str, object] = {
            "rack": {"name": "lab"},
            "nodes": [self._entry(node) for node in chosen],
            "ssh": {"config_file": "/dev/null", "known_hosts": str(self.known_hosts), "identity": str(self.identity)},
        }
        if switch:
            data["switches"] = {"lab": self.switch_entry(chosen)}
        path = self.folder / f"{name}.toml"
        path.write_text(tomli_w.dumps(data | extra))
        return path

    def _entry(self, node: str) -> dict[str, str]:
        if node == "local":
            return {"name": "local", "host": "local"}
        return {"name": node, "host": self.hosts[node].address, "user": USER}

    def switch_entry(self, nodes: Sequence[str] = (), version: str = "2c") -> dict[str, object]:
        """The switch in a config of these nodes. It is polled as often as net-snmp refreshes its counters."""
        ports = {self.hosts[node].port: f"{node}:eth0" for node in nodes if node in self.hosts}
        entry: dict[str, object] = {"host": f"{NET}.1", "poll_s": 3, "ports": ports}
        if version == "2c":
            return entry | {"secret_file": self.secret("community", COMMUNITY)}
        keys = self.secret("keys", *V3_KEYS)
        return entry | {"version": version, "user": V3_USER, "auth": "SHA256", "priv": "AES", "secret_file": keys}

    def secret(self, name: str, *lines: str) -> str:
        """The path of a file that only its owner can read."""
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o600)
        return str(path)

    def operator(self, *arguments: str, home: Path | None = None, **env: str) -> list[str]:
        """A sparktui command beside the cluster, of a user with an empty home (unless one is given) and environment."""
        home = home or self.folder / "operator"
        home.mkdir(exist_ok=True)
        variables = {"PATH": PATH, "HOME": str(home), "LANG": "C.UTF-8", **env}
        settings = [f"{name}={value}" for name, value in variables.items()]
        return MONITOR.inside("env", "-i", *settings, sys.executable, "-m", "sparktui", *arguments)

    def once(self, *arguments: str, home: Path | None = None, **env: str) -> tuple[int, dict[str, Any]]:
        """Exit code and document of `sparktui once --json`."""
        argv = self.operator("once", "--json", *arguments, home=home, **env)
        done = subprocess.run(argv, capture_output=True, encoding="utf-8", timeout=60, check=False)
        return done.returncode, json.loads(done.stdout)

    @contextlib.contextmanager
    def traffic(self, sender: str, receiver: str, mbps: int) -> Iterator[None]:
        """UDP datagrams of 1400 bytes from one host to another for a with block, which begins when they flow."""
        source, to = self.hosts[sender].space, self.hosts[receiver].address
        argv = ["iperf3", "-c", to, "-p", "5201", "-u", "-b", f"{mbps}M", "-l", "1400", "-t", "600"]

        def sent() -> int:
            return int(source.run("cat", "/sys/class/net/eth0/statistics/tx_packets").stdout)

        before = sent()
        client = source.start(*argv, log=self.folder / "traffic")
        try:
            wait_for(lambda: sent() > before + 1000, what="iperf3")
            yield
        finally:
            client.terminate()
            client.wait()

    def _start_agent(self) -> None:
        home = self.folder / "sw"
        (home / "state").mkdir(parents=True)
        auth, priv = V3_KEYS
        (home / "snmpd.conf").write_text(
            f"agentAddress udp:{NET}.1:161\nrocommunity {COMMUNITY}\nsysName lab\nsysDescr Linux bridge\n"
            f'createUser {V3_USER} SHA-256 "{auth}" AES "{priv}"\nrouser {V3_USER} priv\n'
        )
        argv = [program("snmpd"), "-f", "-LE", "w", "-C", "-c", f"{home}/snmpd.conf"]
        env = {"SNMP_PERSISTENT_DIR": f"{home}/state", "MIBS": ""}
        self._agent = SWITCH.start(*argv, log=home / "log", env=env)

    @staticmethod
    def _agent_answers() -> bool:
        ask = ("snmpget", "-v2c", "-c", COMMUNITY, "-t1", "-r0", f"{NET}.1", "1.3.6.1.2.1.1.5.0")
        return MONITOR.run(*ask, check=False).returncode == 0


@contextlib.contextmanager
def cluster(folder: Path, nodes: int = 4) -> Iterator[Cluster]:
    """A cluster for the time of a with block. One at a time on a machine: the namespaces' names are fixed."""
    # Told to end by a signal, a run still ends what it has started.
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    with Path(tempfile.gettempdir(), "sparktui-cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = Cluster(folder)
        made.down()
        try:
            made.up(nodes)
            yield made
        finally:
            made.down()
