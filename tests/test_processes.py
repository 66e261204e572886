"""Names of processes and of their containers, the latter from a Docker API on a real Unix socket."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import kernel
from sparktui.collectors.folder import TextReader
from sparktui.collectors.kernel import KernelReader
from sparktui.collectors.processes import (
    NAME_LIMIT,
    command_name,
    container_id,
    describe,
    docker_container_name,
    name_in_answer,
)

ID = "4be1f0c27d9a8e635142b7c09fd1a6e8352b4c7d90e1f2a3b4c5d6e7f8091a2b"
OTHER_ID = "00" * 32


@pytest.mark.parametrize(
    ("cmdline", "name"),
    [
        ("VLLM::EngineCore" + "\0" * 40, "VLLM::EngineCore"),
        ("sglang::scheduler_TP0\0", "sglang::scheduler_TP0"),
        ("nginx: worker process\0", "nginx: worker process"),
        ("/usr/lib/xorg/Xorg\0vt2\0-displayfd\x003\0", "Xorg"),
        ("postgres: db [local]/x idle\0", "postgres: db [local]/x idle"),
        (".venv/bin/python\0tools/warm.py\0", "python warm.py"),
        ("./build/all_reduce_perf\0-b\x008\0", "all_reduce_perf"),
        ("/usr/bin/python3.12\0-u\0/opt/bench/train.py\0--token\0hunter2\0", "python3.12 train.py"),
        ("python3\0-m\0sglang.launch_server\0--api-key\0hunter2\0", "python3 -m sglang.launch_server"),
        ("/usr/bin/python3\0-c\0import secrets; print('hunter2')\0", "python3"),
        ("java\0-Xmx4g\0-jar\0/srv/app.jar\0", "java -jar app.jar"),
        ("bash\0", "bash"),
        ("python3\0-m\0", "python3 -m"),
        ("", "comm"),
        ("\0\0", "comm"),
        ("\x1b]0;owned\x07\0", "]0;owned"),
        ("x" * 500 + "\0", "x" * NAME_LIMIT),
    ],
)
def test_command_names(cmdline: str, name: str) -> None:
    assert command_name(cmdline, "comm\n") == name


def test_a_process_that_is_gone_has_no_name() -> None:
    assert describe(TextReader({}), 42) == ("?", None)


@pytest.mark.parametrize(
    "cgroup",
    [
        f"0::/system.slice/docker-{ID}.scope\n",
        f"12:devices:/docker/{ID}\n11:cpu:/docker/{ID}\n0::/\n",
        f"0::/kubepods.slice/kubepods-pod1f2e.slice/cri-containerd-{ID}.scope\n",
        f"0::/kubepods/besteffort/pod8d1c2b3a-0000-4000-8000-1234567890ab/{ID}\n",
        f"0::/machine.slice/libpod-{ID}.scope/container\n",
        f"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-{ID}.scope\n",
        f"0::/machine.slice/crio-{ID}.scope\n",
        f"0::/docker/{ID}/docker/{OTHER_ID}\n",
    ],
)
def test_container_ids_by_runtime(cgroup: str) -> None:
    assert container_id(cgroup) == ID


@pytest.mark.parametrize(
    "cgroup",
    [
        "0::/\n",
        "0::/user.slice/user-1000.slice/session-3.scope\n",
        f"0::/machine.slice/libpod-conmon-{ID}.scope\n",
        f"0::/x/{ID}0\n",
        f"0::/x/a{ID}\n",
        f"0::/x/{ID[:-1]}\n",
        "",
    ],
)
def test_what_is_no_container(cgroup: str) -> None:
    assert container_id(cgroup) is None


def test_a_container_that_no_runtime_knows_has_its_short_id() -> None:
    node = {"/proc/7/cmdline": "serve\0", "/proc/7/cgroup": f"0::/system.slice/docker-{ID}.scope\n"}
    assert describe(TextReader(node), 7) == ("serve", ID[:12])
    assert describe(TextReader(node | {"/containers.json": f'{{"{ID}": "vllm_node"}}'}), 7) == ("serve", "vllm_node")


@given(st.text() | st.text(alphabet="\0/-.pythonmbashc "), st.text())
def test_names_of_any_command_line_are_bounded_and_printable(cmdline: str, comm: str) -> None:
    name = command_name(cmdline, comm)
    assert 0 < len(name) <= NAME_LIMIT
    assert name.isprintable()


@given(st.text() | st.text(alphabet="0123456789abcdef/-.:\n", max_size=200))
def test_container_ids_of_any_text(cgroup: str) -> None:
    found = container_id(cgroup)
    assert found is None or (len(found) == 64 and found in cgroup)


# --- the Docker API

Answer = Callable[[socket.socket, str], None]


@pytest.fixture
def docker(tmp_path: Path) -> Iterator[Callable[[Answer], str]]:
    """Starts a Unix socket server that answers each request with `answer(connection, first line)`; returns its path."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    path = str(tmp_path / "docker.sock")
    server.bind(path)
    server.listen()
    held: list[socket.socket] = []

    def serve(answer: Answer) -> str:
        def work() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                held.append(connection)
                answer(connection, connection.recv(4096).partition(b"\r\n")[0].decode())

        threading.Thread(target=work, daemon=True).start()
        return path

    yield serve
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    for connection in held:
        connection.close()


def say(*parts: str) -> Answer:
    """Sends the parts one by one and closes."""

    def answer(connection: socket.socket, _: str) -> None:
        for part in parts:
            connection.sendall(part.encode())
        connection.close()

    return answer


OK = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"


def test_docker_is_asked_for_the_name(docker: Callable[[Answer], str]) -> None:
    asked = []

    def answer(connection: socket.socket, request: str) -> None:
        asked.append(request)
        say(OK, '{"Id": "x", ', '"Name": "/vllm_node", "State": {}}')(connection, request)

    assert docker_container_name(ID, docker(answer)) == "vllm_node"
    assert asked == [f"GET /containers/{ID}/json HTTP/1.0"]


@pytest.mark.parametrize(
    "answer",
    [
        'HTTP/1.0 404 Not Found\r\n\r\n{"message": "No such container"}',
        "HTTP/1.0 500 Internal Server Error\r\n\r\n",
        OK + '{"Name": "/cut',
        OK + '{"Name": 7}',
        OK + '{"Name": "/"}',
        OK + "[]",
        OK + "[" * 100_000,
        "no HTTP at all",
        "",
    ],
)
def test_docker_answers_that_name_nothing(answer: str, docker: Callable[[Answer], str]) -> None:
    assert docker_container_name(ID, docker(say(answer))) is None


def test_a_docker_daemon_that_hangs_holds_nobody_up(docker: Callable[[Answer], str]) -> None:
    began = time.monotonic()
    assert docker_container_name(ID, docker(lambda *_: None), deadline_s=0.05) is None
    assert time.monotonic() - began < 5


def test_a_docker_daemon_that_never_stops_talking_is_cut_off(docker: Callable[[Answer], str]) -> None:
    def answer(connection: socket.socket, _: str) -> None:
        try:
            while True:
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 65536)
        except OSError:
            connection.close()

    assert docker_container_name(ID, docker(answer), deadline_s=30) is None


def test_no_docker_socket() -> None:
    assert docker_container_name(ID, "/nonexistent/docker.sock") is None


def test_a_docker_socket_that_is_not_for_us(docker: Callable[[Answer], str]) -> None:
    path = docker(say(OK, '{"Name": "/x"}'))
    os.chmod(path, 0)
    if os.geteuid() != 0:
        assert docker_container_name(ID, path) is None
        return
    os.chmod(os.path.dirname(path), 0o755)
    pid = os.fork()
    if pid == 0:
        os.setresuid(65534, 65534, 65534)
        os._exit(0 if docker_container_name(ID, path) is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@given(st.binary() | st.binary().map(lambda body: OK.encode() + body))
def test_docker_answers_of_any_kind(answer: bytes) -> None:
    name = name_in_answer(answer)
    assert name is None or name.isprintable()


def test_the_kernel_reader_asks_docker_once_per_container(
    docker: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(connection: socket.socket, request: str) -> None:
        asked.append(request)
        body = '{"Name": "/vllm_node"}' if ID in request else ""
        say((OK if body else "HTTP/1.0 404 Not Found\r\n\r\n") + body)(connection, request)

    path = docker(answer)
    monkeypatch.setattr(kernel, "docker_container_name", lambda container: docker_container_name(container, path))
    reader = KernelReader()
    assert [reader.container_name(ID) for _ in range(3)] == ["vllm_node"] * 3
    assert [reader.container_name(OTHER_ID) for _ in range(2)] == [None, None]
    assert len(asked) == 3


def test_this_very_process_on_the_live_kernel() -> None:
    name, container = describe(KernelReader(), os.getpid())
    assert name.startswith(("python", "pytest"))
    assert container is None or container
