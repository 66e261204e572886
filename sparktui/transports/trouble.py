"""What goes wrong on the way to a node, in words: one line each, with what to do about it. Pure."""

from __future__ import annotations

import errno
import shlex
import socket
from typing import NamedTuple

from sparktui.transports.base import TransportError

SSH_PORT = 22


class Place(NamedTuple):
    """Where a connection was to go. `alias` = HostKeyAlias of the ssh config; `jumped` = reached over another host."""

    name: str
    host: str
    port: int
    user: str
    alias: str | None = None
    jumped: bool = False

    def __str__(self) -> str:
        return f"{self.host} port {self.port}"


def unreachable(place: Place, error: OSError, within_s: float) -> TransportError:
    """A connection that did not come about, by the system's error."""
    if isinstance(error, socket.gaierror):
        return TransportError(
            "unreachable", f"no address for the name {place.host}: check the node's host here or in ~/.ssh/config"
        )
    if isinstance(error, TimeoutError):
        text = f"no answer from {place} within {within_s:.0f} s: powered off, cable out, or hanging"
    elif isinstance(error, ConnectionRefusedError):
        text = f"{place} refuses connections: is sshd running there, and is it this port?"
    elif error.errno == errno.EHOSTUNREACH:
        text = f"no answer from {place} on the network: powered off, or the cable is out"
    elif error.errno == errno.ENETUNREACH:
        text = f"no route from here to {place}"
    else:
        text = f"no connection to {place}: {error.strerror or error}"
    return TransportError("unreachable", text)


def lost(reason: str) -> TransportError:
    """A connection that was there and is no more, by the library's words."""
    if "keepalive" in reason:
        reason = "stopped answering: the cable is out, or the node hangs or lost power"
    return TransportError("unreachable", reason or "connection closed by the node")


def no_session(place: Place, reason: str) -> TransportError:
    """A connection that carried no SSH login to its end: no common algorithm, not an SSH server, closed early."""
    return TransportError("unreachable", f"no SSH login at {place}: {reason or 'the connection was closed'}")


def no_channel(reason: str) -> TransportError:
    """A logged-in connection on which the node opens no session."""
    return TransportError(
        "probe_failed",
        f"the node opens no session ({reason}): is MaxSessions in its sshd_config too low, or logging in restricted?",
    )


def auth_failed(place: Place, tried: list[str]) -> TransportError:
    """A login that was refused. `tried` names the keys that were offered."""
    target = f"{place.user}@{place.name}"
    port = "" if place.port == SSH_PORT else f"-p {place.port} "
    return TransportError(
        "auth_failed",
        f"{place} does not let {place.user} in; tried {', '.join(tried) or 'no key: there is none'}. "
        f"Put the right key there (ssh-copy-id {port}{shlex.quote(target)}) or in the agent (ssh-add); "
        "passwords are never asked for",
    )


def host_key_unknown(place: Place, shown: str, kind: str, file: str, hashed: bool) -> TransportError:
    """A host key nobody has trusted yet. `kind` as ssh-keyscan -t takes it, `file` the known_hosts to add it to."""
    if place.jumped or place.alias:
        # ssh-keyscan knows neither jump hosts nor aliases.
        port = "" if place.port == SSH_PORT else f"-p {place.port} "
        command = f"ssh {port}{shlex.quote(f'{place.user}@{place.name}')} true"
    else:
        port = "" if place.port == SSH_PORT else f"-p {place.port} "
        hide = "-H " if hashed else ""
        command = (
            f"ssh-keyscan {hide}{port}-t {kind} {shlex.quote(place.host)} 2>/dev/null"
            f" | tee -a {_path(file)} | ssh-keygen -lf -"
        )
    return TransportError(
        "host_key_unknown",
        f"host key of {place} is not known: {shown}. "
        f"If the node's console shows the same (ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub), trust it: {command}",
    )


def host_key_changed(place: Place, shown: str, known: str, file: str, name: str) -> TransportError:
    """A host key other than the trusted one. `name` is the entry in the known_hosts `file`."""
    return TransportError(
        "host_key_changed",
        f"HOST KEY OF {place} CHANGED: {file} knows {known}, the node shows {shown}. "
        "Somebody may be in between. If the node was installed anew, forget the old key: "
        f"ssh-keygen -R {shlex.quote(name)} -f {_path(file)}",
    )


def split_jump(hop: str) -> tuple[str | None, str, int | None]:
    """User, host and port of one hop of ProxyJump: [ssh://][user@]host[:port], IPv6 with a port in brackets."""
    user, _, rest = hop.strip().removeprefix("ssh://").rpartition("@")
    host, _, port = rest.rpartition(":")
    if not port.isdecimal() or (":" in host and not host.endswith("]")):
        host, port = rest, ""
    return user or None, host.strip("[]"), int(port) if port else None


def _path(path: str) -> str:
    """A path for a shell; the tilde must stay outside of quotes to mean anything."""
    return "~/" + shlex.quote(path[2:]) if path.startswith("~/") else shlex.quote(path)
