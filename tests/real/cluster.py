"""A cluster of real parts on one machine: network namespaces with their own sshd, a bridge with snmpd as the switch.

Namespaces st-sw (bridge br0 10.77.0.1, snmpd), st-n1.. (10.77.0.11.., sshd :22, iperf3 :5201) and st-mon (10.77.0.100),
from where everything is watched. The root namespace gets a blackhole for 10.77.0.0/24, so that nothing started in the
wrong place can send a packet out of this machine. Needs root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import tomli_w

NET = "10.77.0"
SWITCH, MONITOR = "st-sw", "st-mon"
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
PROGRAMS = ("ip", "nft", "iperf3", "snmpd", "snmpget", "tmux", "unshare", "ssh-keygen")


def missing() -> list[str]:
    """What this machine lacks to run the cluster."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    lacking = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if SSHD is None:
        lacking.append("sshd")
    if os.geteuid() != 0:
        lacking.append("root")
    return lacking


def run(*argv: str, check: bool = True, **options: object) -> subprocess.CompletedProcess[str]:
    """A command that must not take long."""
    environment = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False, env=environment, **options)  # type: ignore[call-overload]
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}")
    return done  # type: ignore[no-any-return]


def wait_for(condition: Callable[[], object], seconds: float = 15.0, what: str = "") -> object:
    """The first true answer of `condition`, polled; AssertionError when the time is over."""
    end = time.monotonic() + seconds
    pause = 0.02
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < end, f"waited {seconds:g} s in vain for {what or condition}"
        time.sleep(pause)


class Cluster:
    """`nodes` hosts and a switch. Everything it starts is ended by `down`, by process id."""

    def __init__(self, folder: Path, nodes: int = 4) -> None:
        self.folder = folder
        self.count = nodes
        self.known_hosts = folder / "known_hosts"
        self.identity = folder / "id"
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def names(self) -> list[str]:
        return [f"spark{number}" for number in range(1, self.count + 1)]

    def address(self, number: int) -> str:
        return f"{NET}.{10 + number}"

    def up(self) -> None:
        """Build it, and wait until every sshd and the agent answer."""
        Path("/run/sshd").mkdir(exist_ok=True)
        self._key(self.identity)
        shutil.copy(f"{self.identity}.pub", self.folder / "authorized_keys")
        run("ip", "route", "replace", "blackhole", f"{NET}.0/24")
        for space in (SWITCH, MONITOR):
            run("ip", "netns", "add", space)
            run("ip", "-n", space, "link", "set", "lo", "up")
        run("ip", "-n", SWITCH, "link", "add", "br0", "type", "bridge")
        run("ip", "-n", SWITCH, "addr", "add", f"{NET}.1/24", "dev", "br0")
        run("ip", "-n", SWITCH, "link", "set", "br0", "up", "mtu", "9000")
        self._cable("mgmt", MONITOR, f"{NET}.100")
        for number in range(1, self.count + 1):
            self._start_node(number)
        self._start_agent()
        for number in range(1, self.count + 1):
            wait_for(lambda n=number: self._ssh_answers(n), what=f"sshd of node {number}")
        wait_for(self._agent_answers, what="snmpd")

    def down(self) -> None:
        """End what `up` and the tests started in the namespaces, and remove them."""
        spaces = [line.split()[0] for line in run("ip", "netns", "list").stdout.splitlines() if line.startswith("st-")]
        for space in spaces:
            for pid in self.pids(space):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
                    os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            process.wait(timeout=10)
        for space in spaces:
            run("ip", "netns", "del", space, check=False)
        run("ip", "route", "del", "blackhole", f"{NET}.0/24", check=False)

    def config(self, name: str = "config.toml", switch: bool = True, **extra: object) -> Path:
        """A config file for watching this cluster from the monitor's namespace."""
        data: dict[str, object] = {
            "nodes": [{"name": name, "host": self.address(i), "user": "root"} for i, name in enumerate(self.names, 1)],
            "ssh": {
                "config_file": "/dev/null",
                "known_hosts": str(self.known_hosts),
                "identity": str(self.identity),
            },
            **extra,
        }
        if switch:
            secret = self.folder / "community"
            secret.write_text("lab\n")
            secret.chmod(0o600)
            data["switches"] = {"lab": {"host": f"{NET}.1", "secret_file": str(secret), "poll_s": 2}}
        path = self.folder / name
        path.write_text(tomli_w.dumps(data))
        return path

    @staticmethod
    def inside(space: str, *argv: str) -> list[str]:
        """`argv` to be run in a namespace."""
        return ["/usr/sbin/ip" if Path("/usr/sbin/ip").exists() else "ip", "netns", "exec", space, *argv]

    def ssh(self, number: int, command: str) -> str:
        """What a command prints on a node, by OpenSSH's own client."""
        options = ["-F", "none", "-i", str(self.identity), "-o", f"UserKnownHostsFile={self.known_hosts}"]
        argv = [
            "ssh",
            *options,
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=3",
            f"root@{self.address(number)}",
            command,
        ]
        return run(*self.inside(MONITOR, *argv)).stdout

    @staticmethod
    def pids(space: str) -> list[int]:
        return [int(pid) for pid in run("ip", "netns", "pids", space, check=False).stdout.split()]

    def link(self, number: int, state: str) -> None:
        """Pull or plug a node's cable, at the switch."""
        run("ip", "-n", SWITCH, "link", "set", f"swp{number}", state)

    def freeze(self, number: int) -> None:
        for pid in self.pids(f"st-n{number}"):
            os.kill(pid, signal.SIGSTOP)

    def thaw(self, number: int) -> None:
        for pid in self.pids(f"st-n{number}"):
            os.kill(pid, signal.SIGCONT)

    def drop(self, number: int, share: float) -> None:
        """Drop a share of the frames between the switch port and the node's stack (0 = none)."""
        space = f"st-n{number}"
        run("ip", "netns", "exec", space, "nft", "delete", "table", "netdev", "loss", check=False)
        if share:
            rules = (
                'table netdev loss { chain in { type filter hook ingress device "eth0" priority 0; '
                f"numgen random mod 1000 < {int(share * 1000)} counter drop }} }}"
            )
            run("ip", "netns", "exec", space, "nft", rules)

    def probes(self, number: int) -> list[int]:
        """Processes of our probe on a node."""
        found = []
        for pid in self.pids(f"st-n{number}"):
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if b"-c" in line and line[0].endswith(b"python3"):
                    found.append(pid)
        return found

    def _key(self, path: Path) -> None:
        if not path.exists():
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", str(path))

    def _cable(self, port: str, space: str, address: str) -> None:
        run("ip", "link", "add", port, "netns", SWITCH, "type", "veth", "peer", "name", "eth0", "netns", space)
        run("ip", "-n", SWITCH, "link", "set", port, "master", "br0", "up", "mtu", "9000")
        run("ip", "-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", space, "link", "set", "eth0", "up", "mtu", "9000")

    def _start_node(self, number: int) -> None:
        space, home = f"st-n{number}", self.folder / f"n{number}"
        home.mkdir(exist_ok=True)
        run("ip", "netns", "add", space)
        run("ip", "-n", space, "link", "set", "lo", "up")
        self._cable(f"swp{number}", space, self.address(number))
        self._key(home / "hostkey")
        kind, key, *_ = (home / "hostkey.pub").read_text().split()
        with self.known_hosts.open("a") as file:
            file.write(f"{self.address(number)} {kind} {key}\n")
        (home / "sshd_config").write_text(
            f"Port 22\nListenAddress {self.address(number)}\nHostKey {home}/hostkey\nPidFile none\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nPrintMotd no\nUseDNS no\n"
            f"MaxStartups 1000\nMaxSessions 100\nInclude {home}/*.conf\n"
        )
        init = Path(__file__).with_name("node_init.sh")
        own = ("unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child")
        arguments = (f"spark{number}", str(home), str(self.folder / "overlay"), self.address(number))
        self._start(self.inside(space, *own, "bash", str(init), *arguments), home / "log")

    def _start_agent(self) -> None:
        home = self.folder / "sw"
        home.mkdir(exist_ok=True)
        (home / "snmpd.conf").write_text(
            f"agentAddress udp:{NET}.1:161\nrocommunity lab\nsysName lab\nsysDescr Linux bridge\n"
            f"master agentx\nagentXSocket {home}/agentx\n"
        )
        environment = {**os.environ, "SNMP_PERSISTENT_DIR": str(home), "MIBS": ""}
        argv = ["snmpd", "-f", "-Lf", str(home / "log"), "-C", "-c", str(home / "snmpd.conf"), "-p", str(home / "pid")]
        self._start(self.inside(SWITCH, "/usr/sbin/snmpd", *argv[1:]), home / "out", environment)

    def _start(self, argv: Sequence[str], log: Path, environment: dict[str, str] | None = None) -> None:
        with log.open("wb") as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            self._processes.append(subprocess.Popen(argv, env=environment, start_new_session=True, **streams))

    def _ssh_answers(self, number: int) -> bool:
        script = f"exec 3<>/dev/tcp/{self.address(number)}/22 && read -t 1 line <&3 && [[ $line == SSH-* ]]"
        return run(*self.inside(MONITOR, "bash", "-c", script), check=False).returncode == 0

    def _agent_answers(self) -> bool:
        ask = ["snmpget", "-v2c", "-c", "lab", "-t1", "-r0", f"{NET}.1", "1.3.6.1.2.1.1.5.0"]
        return run(*self.inside(MONITOR, *ask), check=False).returncode == 0


@contextlib.contextmanager
def cluster(folder: Path, nodes: int = 4) -> Iterator[Cluster]:
    """A cluster for the time of a with block; leftovers of a run that was killed are removed first."""
    made = Cluster(folder, nodes)
    made.down()
    try:
        made.up()
        yield made
    finally:
        made.down()
