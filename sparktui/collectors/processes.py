"""Who a process is: a name that tells something, and the container it runs in."""

from __future__ import annotations

import json
import re
import socket
import time
from typing import Protocol, runtime_checkable

from sparktui.collectors.base import Reader
from sparktui.collectors.plain import plain

DOCKER_SOCKET = "/var/run/docker.sock"
NAME_LIMIT = 64
SHORT_ID = 12
DOCKER_DEADLINE_S = 1.0
DOCKER_ANSWER_BYTES = 1 << 20

INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|java|sh|bash)[\d.]*")
CONTAINER = re.compile(r"(?<![0-9a-z])(?P<monitor>(?:libpod|crio)-conmon-)?(?P<id>[0-9a-f]{64})(?![0-9a-z])")
"""A container's id in a cgroup path: docker-ID.scope, /docker/ID, cri-containerd-ID.scope, crio-ID.scope, libpod-ID."""


@runtime_checkable
class KnowsContainers(Protocol):
    """A reader that can also ask the container runtime."""

    def container_name(self, container_id: str) -> str | None:
        """The name of a container, None where the runtime cannot be asked without more rights or does not know it."""
        ...


def command_name(cmdline: str, comm: str = "") -> str:
    """A short name from /proc/PID/cmdline (words ended by NUL), else from comm, at most NAME_LIMIT characters.

    An interpreter is named with its script or module ("python3 -m sglang.launch_server"); no further argument is ever
    shown: command lines hold keys and tokens.
    """
    words = [word for word in cmdline[:4096].split("\0")[:16] if word]
    if not words:
        return plain(comm, NAME_LIMIT) or "?"
    name = _base(words[0])
    if INTERPRETER.fullmatch(name):
        name = " ".join([name, *_script(words[1:])])
    return plain(name, NAME_LIMIT) or plain(comm, NAME_LIMIT) or "?"


def _script(arguments: list[str]) -> list[str]:
    """What an interpreter runs: its first argument that is no option, or the module; nothing for code on the line."""
    for position, argument in enumerate(arguments):
        if argument in ("-c", "-e"):
            break
        if argument in ("-m", "-jar"):
            return [argument, *map(_base, arguments[position + 1 : position + 2])]
        if not argument.startswith("-"):
            return [_base(argument)]
    return []


def _base(word: str) -> str:
    """The file's name of a path. What holds a space is a title that the process gave itself, and stays whole."""
    return word if " " in word else word.rsplit("/", 1)[-1]


def container_id(cgroup: str) -> str | None:
    """The 64-digit id in the text of /proc/PID/cgroup; of nested containers the outermost, which this host started."""
    for line in cgroup[:16384].splitlines():
        found = CONTAINER.search(line)
        if found and not found["monitor"]:
            return found["id"]
    return None


def describe(reader: Reader, pid: int) -> tuple[str, str | None]:
    """(name, container) of a process; the container's name, else its short id, else None. "?" for one that is gone."""
    name = command_name(_text(reader, f"/proc/{pid}/cmdline"), _text(reader, f"/proc/{pid}/comm"))
    container = container_id(_text(reader, f"/proc/{pid}/cgroup"))
    if container is None:
        return name, None
    known = reader.container_name(container) if isinstance(reader, KnowsContainers) else None
    return name, known or container[:SHORT_ID]


def _text(reader: Reader, path: str) -> str:
    try:
        return reader.text(path)
    except OSError:
        return ""


def docker_container_name(
    container: str, path: str = DOCKER_SOCKET, deadline_s: float = DOCKER_DEADLINE_S
) -> str | None:
    """The container's name by the Docker daemon's API on its Unix socket; None where it does not say in time.

    HTTP/1.0, so that the daemon answers unchunked and closes: the end of the answer is the end of the stream.
    """
    request = f"GET /containers/{container}/json HTTP/1.0\r\nHost: docker\r\n\r\n"
    ends = time.monotonic() + deadline_s
    answer = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(deadline_s)
            connection.connect(path)
            connection.sendall(request.encode())
            while len(answer) < DOCKER_ANSWER_BYTES and (left := ends - time.monotonic()) > 0:
                connection.settimeout(left)
                if not (part := connection.recv(65536)):
                    return name_in_answer(bytes(answer))
                answer += part
    except OSError:
        pass
    return None


def name_in_answer(answer: bytes) -> str | None:
    """The "Name" of a container in the daemon's whole HTTP answer; None for any other answer than 200 with one."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if head.split(b" ", 2)[1:2] != [b"200"]:
        return None
    try:
        name = json.loads(body)["Name"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return plain(name.lstrip("/"), NAME_LIMIT) or None if isinstance(name, str) else None
