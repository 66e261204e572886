"""Nodes over SSH, as the user's own ssh would reach them: ~/.ssh/config, agent, known_hosts, ProxyJump.

Nothing is ever asked of the user on the terminal, which belongs to the screen: what needs an answer is an error that
tells the command to type elsewhere.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from cryptography.utils import CryptographyDeprecationWarning

# The library offers old algorithms too; importing and using them would print warnings across the screen.
warnings.filterwarnings("ignore", category=CryptographyDeprecationWarning)

import asyncssh  # noqa: E402

from sparktui.config import NodeConfig, SshConfig  # noqa: E402
from sparktui.transports import trouble  # noqa: E402
from sparktui.transports.base import Session, TransportError, shell_command  # noqa: E402

logging.getLogger("asyncssh").addHandler(logging.NullHandler())

CONNECT_WITHIN_S = 10.0
START_WITHIN_S = 15.0
KEEPALIVE_S, KEEPALIVES = 1.0, 3
"""A node that hangs or a cut cable is noticed after KEEPALIVE_S * (KEEPALIVES + 1) = 4 s."""
MAX_JUMPS = 8
SYSTEM_KNOWN_HOSTS = "/etc/ssh/ssh_known_hosts"
DEFAULT_KNOWN_HOSTS = ["~/.ssh/known_hosts", "~/.ssh/known_hosts2", SYSTEM_KNOWN_HOSTS]
COMMON_HOST_KEYS = ("ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512")
DEFAULT_IDENTITIES = ("id_ed25519", "id_ecdsa", "id_rsa", "id_ed25519_sk", "id_ecdsa_sk")


class KnownFile(NamedTuple):
    """One known_hosts file, read once as long as it does not change. `hashed`: it hides its host names."""

    path: str
    hosts: asyncssh.SSHKnownHosts
    hashed: bool


class Route(NamedTuple):
    """Where a connection goes and with what, as the ssh config and ours say."""

    place: trouble.Place
    jumps: tuple[str, ...]
    known: tuple[KnownFile, ...]
    identities: tuple[str, ...]
    options: dict[str, Any]


async def connect(node: NodeConfig, ssh: SshConfig) -> SshLink:
    """Connect and log in. Raises TransportError."""
    connections = await _open(node.host or node.name, node.port, node.user, ssh)
    return SshLink(connections)


class SshLink:
    """One logged-in connection, and the jump hosts it goes through (last one first)."""

    def __init__(self, connections: Sequence[asyncssh.SSHClientConnection]) -> None:
        self._connections = connections

    async def start(self, argv: Sequence[str], data: bytes) -> Session:
        """Run a program on the node, without a terminal. Raises TransportError."""
        session = Session()
        creating = self._connections[0].create_session(
            lambda: Stream(session), shell_command(argv), encoding=None, request_pty=False, x11_forwarding=False
        )
        try:
            await asyncio.wait_for(creating, START_WITHIN_S)
        except asyncssh.ChannelOpenError as error:
            closed = self._connections[0].is_closed()
            raise (trouble.lost if closed else trouble.no_channel)(str(error)) from None
        except TimeoutError:
            raise TransportError("probe_failed", f"the node starts no program within {START_WITHIN_S:.0f} s") from None
        except (OSError, asyncssh.Error) as error:
            raise trouble.lost(str(error)) from None
        session.send(data)
        return session

    async def close(self) -> None:
        """Close the connection; returns at once also where the peer is gone."""
        for connection in self._connections:
            connection.close()
        for connection in self._connections:
            await connection.wait_closed()


class Stream(asyncssh.SSHClientSession[bytes]):
    """Feeds a session from an SSH channel."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._status: int | None = None
        self._signal: str | None = None

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self._session.attach(chan)

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        if datatype == asyncssh.EXTENDED_DATA_STDERR:
            self._session.complained(data)
        else:
            self._session.received(data)

    def eof_received(self) -> bool:
        """The exit status is still to come."""
        return True

    def exit_status_received(self, status: int) -> None:
        self._status = status

    def exit_signal_received(self, signal: str, _core_dumped: bool, _msg: str, _lang: str) -> None:
        self._signal = signal

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self._session.ended(None, self._status, self._signal)
        else:
            self._session.ended(trouble.lost(str(exc)))


class Client(asyncssh.SSHClient):
    """Says why a host key is refused: the library raises the same for a new key and for a changed one."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self.fault: TransportError | None = None

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        """Called for a key that is not among the trusted ones; never trusts it."""
        names = [_entry(name, port) for name in (host, addr) if name]
        shown = _fingerprint(key)
        for file in self._route.known:
            for name in names:
                if trusted := file.hosts.match(name, "", None)[0]:
                    known = ", ".join(_fingerprint(one) for one in trusted)
                    self.fault = trouble.host_key_changed(self._route.place, shown, known, file.path, name)
                    return False
        first = self._route.known[0]
        kind = key.get_algorithm().removeprefix("ssh-").split("-")[0]
        self.fault = trouble.host_key_unknown(self._route.place, shown, kind, first.path, first.hashed)
        return False


Connections = list[asyncssh.SSHClientConnection]


async def _open(
    host: str,
    port: int | None,
    user: str | None,
    ssh: SshConfig,
    through: asyncssh.SSHClientConnection | None = None,
    depth: int = 0,
) -> Connections:
    """The connection to a host, then those to the jump hosts of its ssh config. `through` = one the caller has made."""
    if depth > MAX_JUMPS:
        raise TransportError("unreachable", f"ProxyJump of {host} goes in a circle or over too many hosts")
    try:
        route = await asyncio.to_thread(_route, host, port, user, ssh)
    except (OSError, ValueError) as error:
        raise TransportError("unreachable", f"ssh settings for {host}: {error}") from None
    jumps: Connections = []
    try:
        for hop in route.jumps if through is None else ():
            hop_user, hop_host, hop_port = trouble.split_jump(hop)
            jumps = await _open(hop_host, hop_port, hop_user, ssh, jumps[0] if jumps else None, depth + 1) + jumps
        return [await _log_in(route, through or (jumps[0] if jumps else None)), *jumps]
    except BaseException:
        for connection in jumps:
            connection.abort()
        raise


def _route(host: str, port: int | None, user: str | None, ssh: SshConfig) -> Route:
    """Read the ssh config and known_hosts. Blocks on files; raises OSError and ValueError."""
    options: dict[str, Any] = {
        "host": host,
        "port": () if port is None else port,
        "username": user or (),
        "config": [ssh.config_file] if ssh.config_file else (),
    }
    seen = asyncssh.SSHClientConnectionOptions(**options, client_keys=None)
    identities = _identities(seen, ssh)
    known = tuple(_known_file(path) for path in _known_paths(seen, ssh))
    place = trouble.Place(host, seen.host, seen.port, seen.username, seen.host_key_alias, bool(seen.tunnel))
    options |= {
        "known_hosts": functools.partial(_trusted, known),
        "server_host_key_algs": _host_key_algorithms(place, known),
        "client_keys": list(identities) or (),
        "ignore_encrypted": not ssh.identity,
        "agent_path": None if ssh.identity else (),
        "agent_forwarding": False,
        "password_auth": False,
        "kbdint_auth": False,
        "encryption_algs": "^aes128-gcm@openssh.com",
        "compression_algs": None,
        "connect_timeout": CONNECT_WITHIN_S,
        "login_timeout": CONNECT_WITHIN_S,
        "keepalive_interval": KEEPALIVE_S,
        "keepalive_count_max": KEEPALIVES,
    }
    jumps = tuple(str(seen.tunnel).split(",")) if seen.tunnel else ()
    return Route(place, jumps, known, identities, options)


def _identities(seen: asyncssh.SSHClientConnectionOptions, ssh: SshConfig) -> tuple[str, ...]:
    """Key files to offer. Like ssh, pass over those that the config names but are not there."""
    if ssh.identity:
        return (os.path.expanduser(ssh.identity),)
    paths = [os.path.expanduser(path) for path in cast(list[str], seen.config.get("IdentityFile", ()))]
    return tuple(path for path in paths if os.path.exists(path))


def _known_paths(seen: asyncssh.SSHClientConnectionOptions, ssh: SshConfig) -> list[str]:
    """known_hosts files as ssh would read them, the user's first."""
    if ssh.known_hosts:
        return [ssh.known_hosts]
    named = seen.known_hosts
    if named is None:
        # "UserKnownHostsFile none": to the library that means to trust everybody, to ssh only the system's file.
        return [SYSTEM_KNOWN_HOSTS]
    return [str(path) for path in cast(list[str], named)] or DEFAULT_KNOWN_HOSTS


def _known_file(path: str) -> KnownFile:
    expanded = os.path.expanduser(path)
    try:
        status = os.stat(expanded)
        return _read_known(path, expanded, status.st_mtime_ns, status.st_size)
    except OSError:
        return KnownFile(path, asyncssh.SSHKnownHosts(), False)


@functools.lru_cache(maxsize=32)
def _read_known(path: str, expanded: str, _mtime_ns: int, _size: int) -> KnownFile:
    """Line by line: the library refuses the whole file for one bad line, ssh only passes over it."""
    hosts, hashed = asyncssh.SSHKnownHosts(), False
    with open(expanded, encoding="utf-8", errors="replace") as file:
        for line in file:
            hashed = hashed or line.startswith("|1|")
            try:
                hosts.load(line)
            except ValueError:
                continue
    return KnownFile(path, hosts, hashed)


def _entry(name: str, port: int) -> str:
    """A host's name in known_hosts."""
    return name if port == trouble.SSH_PORT else f"[{name}]:{port}"


def _host_key_algorithms(place: trouble.Place, known: Sequence[KnownFile]) -> tuple[()] | str:
    """Those of the known keys first, then all: by default the library offers only the former.

    Then a node that has none of them any more closes the connection, and nobody learns that its key has changed.
    """
    name = _entry(place.alias or place.host, place.port)
    keys = [key for file in known for key in file.hosts.match(name, "", None)[0]]
    first = [algorithm.decode() for key in keys for algorithm in key.sig_algorithms]
    return ",".join([*first, *COMMON_HOST_KEYS, "*"]) if first else ()


def _trusted(known: Sequence[KnownFile], host: str, addr: str, port: int | None) -> tuple[list[Any], ...]:
    """Trusted keys, trusted authorities and revoked keys of a host, from all files."""
    found = [file.hosts.match(host, addr, port) for file in known]
    return tuple([key for one in found for key in one[part]] for part in range(3))


async def _log_in(route: Route, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
    """One connection with its login. Raises TransportError."""
    client = Client(route)
    options = route.options | {"tunnel": tunnel, "client_factory": lambda: client}
    try:
        return await asyncssh.connect(**options)
    except asyncssh.PermissionDenied:
        raise trouble.auth_failed(route.place, await _tried(route)) from None
    except asyncssh.HostKeyNotVerifiable as error:
        raise client.fault or TransportError("host_key_changed", f"{error}") from None
    except asyncssh.Error as error:
        raise trouble.no_session(route.place, str(error)) from None
    except FileNotFoundError as error:
        raise TransportError("auth_failed", f"no key to log in with: {error.filename} is not there") from None
    except OSError as error:
        raise trouble.unreachable(route.place, error, CONNECT_WITHIN_S) from None
    except ValueError as error:
        raise TransportError("auth_failed", f"key for {route.place}: {error}") from None


async def _tried(route: Route) -> list[str]:
    """The keys that were offered, and those that could not be: for the reader of the error."""
    tried = await asyncio.to_thread(lambda: [_key_words(path) for path in route.identities or _default_identities()])
    if route.options["agent_path"] is not None:
        try:
            async with asyncssh.connect_agent(os.environ.get("SSH_AUTH_SOCK", "")) as agent:
                tried.append(f"{len(list(await agent.get_keys()))} of the agent")
        except (OSError, asyncssh.Error, ValueError):
            pass
    return tried


def _default_identities() -> list[str]:
    paths = [os.path.expanduser(f"~/.ssh/{name}") for name in DEFAULT_IDENTITIES]
    return [path for path in paths if os.path.exists(path)]


def _key_words(path: str) -> str:
    try:
        return f"{path} ({asyncssh.read_private_key(path).get_fingerprint()})"
    except (OSError, ValueError) as error:
        return f"not {path} ({error})"


def _fingerprint(key: asyncssh.SSHKey) -> str:
    return f"{key.get_fingerprint()} ({key.get_algorithm()})"
