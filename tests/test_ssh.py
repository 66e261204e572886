"""Getting to a node: real sshd, real keys; every way to fail is told apart and comes with its remedy."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sparktui.config import NodeConfig, SshConfig
from sparktui.probe.lines import MAX_LINE
from sparktui.transports import connect, trouble
from sparktui.transports.base import Session, TransportError, end_of_program
from sparktui.transports.trouble import split_jump
from tests.sshd import HOST, Nodes, fingerprint, free_port, make_key, public, running_nodes

SH = ("sh", "-c")


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    with running_nodes(tmp_path) as made:
        yield made


async def fault_of(node: NodeConfig, ssh: SshConfig) -> TransportError:
    with pytest.raises(TransportError) as caught:
        await connect(node, ssh)
    assert "\n" not in caught.value.text
    return caught.value


async def run(node: NodeConfig, ssh: SshConfig, script: str, data: bytes = b"") -> tuple[list[bytes], TransportError]:
    """All lines of a shell script on the node, and what the session says of its end."""
    link = await connect(node, ssh)
    try:
        session = await link.start([*SH, script], data)
        lines = []
        try:
            while True:
                lines.append((await asyncio.wait_for(session.line(), 20)).data)
        except TransportError as end:
            return lines, end
    finally:
        await link.close()


def remedy(fault: TransportError) -> str:
    """The command that an error tells to type."""
    return fault.text.rpartition(": ")[2]


@contextlib.contextmanager
def agent(folder: Path) -> Iterator[str]:
    """An ssh-agent without keys; gives its address."""
    address = str(folder / "agent")
    with subprocess.Popen(["ssh-agent", "-D", "-a", address], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield address
        process.kill()


def typed(command: str) -> str:
    """What a user sees who types a command."""
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30, check=True).stdout


async def test_a_program_gets_its_bytes_and_gives_its_lines(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    lines, end = await run(
        node, nodes.ssh, 'read a; echo "got $a"; echo \'$HOME "x"\'; echo bad >&2; exit 3', b"hello\n"
    )
    assert lines == [b"got hello", b'$HOME "x"']
    assert (end.state, end.text) == ("probe_failed", "the probe ended with exit status 3: bad")


async def test_local_is_the_same_without_ssh() -> None:
    node = NodeConfig(name="here", host="local")
    lines, end = await run(node, SshConfig(), 'read a; echo "got $a"; kill -TERM $$', b"hello\n")
    assert lines == [b"got hello"]
    assert end.text == "the probe ended by signal TERM"


async def test_a_signal_is_named(nodes: Nodes) -> None:
    _, end = await run(nodes.start("spark1"), nodes.ssh, "kill -KILL $$")
    assert end.text == "the probe ended by signal KILL"


async def test_unknown_host_key_comes_with_the_command_that_trusts_it(nodes: Nodes) -> None:
    node = nodes.start("spark1", known=False)
    sshd = nodes.sshds["spark1"]
    fault = await fault_of(node, nodes.ssh)
    assert fault.state == "host_key_unknown"
    assert fingerprint(sshd.host_key) in fault.text
    shown = typed(remedy(fault))
    assert fingerprint(sshd.host_key) in shown
    await (await connect(node, nodes.ssh)).close()


async def test_hashed_known_hosts_stay_hashed(nodes: Nodes) -> None:
    first, second = nodes.start("spark1"), nodes.start("spark2", known=False)
    typed(f"ssh-keygen -H -f {nodes.known_hosts}")
    await (await connect(first, nodes.ssh)).close()
    fault = await fault_of(second, nodes.ssh)
    assert fault.state == "host_key_unknown"
    typed(remedy(fault))
    assert HOST not in nodes.known_hosts.read_text()
    await (await connect(second, nodes.ssh)).close()


async def test_changed_host_key_shows_both_and_how_to_forget_the_old(nodes: Nodes) -> None:
    node = nodes.start("spark1", known=False)
    old = make_key(nodes.folder / "old")
    nodes.trust(nodes.sshds["spark1"].port, old)
    fault = await fault_of(node, nodes.ssh)
    assert fault.state == "host_key_changed"
    assert fingerprint(old) in fault.text
    assert fingerprint(nodes.sshds["spark1"].host_key) in fault.text
    typed(remedy(fault))
    assert (await fault_of(node, nodes.ssh)).state == "host_key_unknown"


async def test_a_key_of_another_kind_is_a_changed_key(nodes: Nodes) -> None:
    node = nodes.start("spark1", known=False)
    nodes.trust(nodes.sshds["spark1"].port, make_key(nodes.folder / "old", "ecdsa"))
    fault = await fault_of(node, nodes.ssh)
    assert fault.state == "host_key_changed"
    assert fingerprint(nodes.sshds["spark1"].host_key) in fault.text


async def test_the_key_of_another_port_is_no_changed_key(nodes: Nodes) -> None:
    node = nodes.start("spark1", known=False)
    other = public(make_key(nodes.folder / "other"))
    nodes.known_hosts.write_text(f"{HOST} {other}")
    assert (await fault_of(node, nodes.ssh)).state == "host_key_unknown"


async def test_a_broken_line_in_known_hosts_hurts_nobody(nodes: Nodes) -> None:
    nodes.known_hosts.write_text("nonsense\n|1|x|y ssh-ed25519 AAAA\n\xff\n@what a b\n")
    await (await connect(nodes.start("spark1"), nodes.ssh)).close()


async def test_revoked_host_key(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    key = public(nodes.sshds["spark1"].host_key)
    nodes.known_hosts.write_text(f"@revoked * {key}")
    fault = await fault_of(node, nodes.ssh)
    assert fault.state == "host_key_changed"
    assert "revoked" in fault.text


async def test_wrong_key_says_which_was_tried(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    wrong = make_key(nodes.folder / "wrong")
    fault = await fault_of(node, replace(nodes.ssh, identity=str(wrong)))
    assert fault.state == "auth_failed"
    assert fingerprint(wrong) in fault.text
    assert f"ssh-copy-id -p {node.port} {node.user}@{HOST}" in fault.text


async def test_a_key_with_a_passphrase_never_asks(nodes: Nodes) -> None:
    locked = make_key(nodes.folder / "locked", passphrase="correct horse")
    fault = await fault_of(nodes.start("spark1"), replace(nodes.ssh, identity=str(locked)))
    assert fault.state == "auth_failed"
    assert "assphrase" in fault.text


async def test_a_missing_identity_file_is_named(nodes: Nodes) -> None:
    fault = await fault_of(nodes.start("spark1"), replace(nodes.ssh, identity="/nowhere/id"))
    assert fault.state == "auth_failed"
    assert "/nowhere/id" in fault.text


async def test_refused() -> None:
    fault = await fault_of(NodeConfig(name="spark1", host=HOST, port=free_port()), SshConfig("/dev/null"))
    assert fault.state == "unreachable"
    assert "refuses connections" in fault.text


async def test_a_name_without_address() -> None:
    fault = await fault_of(NodeConfig(name="spark1", host="no-such-host.invalid"), SshConfig("/dev/null"))
    assert fault.state == "unreachable"
    assert "no-such-host.invalid" in fault.text


async def test_a_port_that_speaks_no_ssh() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n" * 2000)
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        fault = await fault_of(NodeConfig(name="spark1", host=HOST, port=port), SshConfig("/dev/null"))
    assert fault.state == "unreachable"
    assert "no SSH login" in fault.text


async def test_a_port_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from sparktui.transports import ssh

    monkeypatch.setattr(ssh, "CONNECT_WITHIN_S", 0.3)
    with socket.create_server((HOST, 0)) as silent:
        node = NodeConfig(name="spark1", host=HOST, port=silent.getsockname()[1])
        fault = await fault_of(node, SshConfig("/dev/null"))
    assert fault.state == "unreachable"


async def test_ssh_config_alias_with_user_port_and_identity(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    nodes.config_file.write_text(
        f"Host bench\n HostName {HOST}\n Port {node.port}\n User {node.user}\n IdentityFile {nodes.identity}\n"
        f" IdentityFile /nowhere/id\n UserKnownHostsFile {nodes.known_hosts}\n"
        " RequestTTY force\n RemoteCommand echo wrong\n PasswordAuthentication yes\n"
    )
    lines, _ = await run(NodeConfig(name="bench"), SshConfig(str(nodes.config_file)), "tty; echo right")
    assert lines == [b"not a tty", b"right"]


async def test_no_known_hosts_file_means_nobody_is_trusted(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    nodes.config_file.write_text("Host *\n UserKnownHostsFile none\n StrictHostKeyChecking no\n")
    ssh = SshConfig(str(nodes.config_file), None, str(nodes.identity))
    assert (await fault_of(node, ssh)).state == "host_key_unknown"


async def test_proxy_jump(nodes: Nodes) -> None:
    jump, node = nodes.start("jump"), nodes.start("spark1")
    nodes.config_file.write_text(
        f"Host gate\n HostName {HOST}\n Port {jump.port}\n User {jump.user}\n"
        f"Host inner\n HostName {HOST}\n Port {node.port}\n User {node.user}\n ProxyJump gate\n"
    )
    lines, _ = await run(NodeConfig(name="inner"), nodes.ssh, "echo $SSH_CONNECTION")
    assert lines[0].split()[-1] == str(node.port).encode()
    assert nodes.sshds["jump"].logins == 1


async def test_proxy_jump_in_a_circle_ends(nodes: Nodes) -> None:
    nodes.config_file.write_text("Host *\n ProxyJump gate\n")
    fault = await fault_of(NodeConfig(name="inner"), nodes.ssh)
    assert "circle" in fault.text


async def test_unknown_key_behind_a_jump_host_is_trusted_by_ssh_itself(nodes: Nodes) -> None:
    jump, node = nodes.start("jump"), nodes.start("spark1", known=False)
    nodes.config_file.write_text(
        f"Host gate\n HostName {HOST}\n Port {jump.port}\n User {jump.user}\nHost inner\n HostName {HOST}\n"
        f" Port {node.port}\n User {node.user}\n ProxyJump gate\n"
    )
    fault = await fault_of(NodeConfig(name="inner"), nodes.ssh)
    assert fault.state == "host_key_unknown"
    assert remedy(fault) == f"ssh -p {node.port} {node.user}@inner true"


async def test_a_broken_ssh_config_is_one_line(nodes: Nodes) -> None:
    nodes.config_file.write_text("Host *\n Port many\n")
    fault = await fault_of(NodeConfig(name="inner"), nodes.ssh)
    assert fault.state == "unreachable"
    assert "line 2" in fault.text


async def test_keys_of_the_agent(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    node = nodes.start("spark1")
    monkeypatch.setenv("HOME", str(nodes.folder))
    ssh = replace(nodes.ssh, identity=None)
    with agent(nodes.folder) as address:
        monkeypatch.setenv("SSH_AUTH_SOCK", address)
        fault = await fault_of(node, ssh)
        assert "0 of the agent" in fault.text
        typed(f"ssh-add -q {nodes.identity}")
        await (await connect(node, ssh)).close()


async def test_more_sessions_than_the_node_allows(nodes: Nodes) -> None:
    link = await connect(nodes.start("spark1", "MaxSessions 1"), nodes.ssh)
    try:
        await link.start(["cat"], b"")
        with pytest.raises(TransportError) as caught:
            await link.start(["cat"], b"")
        assert caught.value.state == "probe_failed"
        assert "MaxSessions" in caught.value.text
    finally:
        await link.close()


async def test_a_line_of_ten_megabytes_ends_the_session(nodes: Nodes) -> None:
    lines, end = await run(nodes.start("spark1"), nodes.ssh, "head -c 10000000 /dev/zero | tr '\\0' x; echo; cat")
    assert lines == []
    assert end.text == "the node sends a line of more than 2 MiB"


async def test_a_stopped_program_can_be_ended() -> None:
    link = await connect(NodeConfig(name="here", host="local"), SshConfig())
    session = await link.start([*SH, "echo up; kill -STOP $$"], b"")
    await asyncio.wait_for(session.line(), 20)
    session.kill()
    with pytest.raises(TransportError) as caught:
        await asyncio.wait_for(session.line(), 20)
    assert caught.value.text == "the probe ended by signal KILL"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish", "csh", "tcsh"])
def test_the_command_passes_through_every_login_shell(shell: str) -> None:
    from sparktui.probe import payload

    path = shutil.which(shell) or shutil.which("sh")
    built = payload.build()
    done = subprocess.run(
        [str(path), "-c", built.command], input=built.data + b"quit\n", capture_output=True, timeout=60
    )
    assert done.stdout.startswith(b'{"type":"hello"'), done.stderr


async def test_lines_are_held_back_while_nobody_takes_them() -> None:
    link = await connect(NodeConfig(name="here", host="local"), SshConfig())
    line = b"x" * 65535
    session = await link.start([*SH, f"yes {line.decode()} | head -n 2000; sleep 60"], b"")
    try:
        assert len((await asyncio.wait_for(session.line(), 20)).data) == 65535
        for _ in range(1999):
            assert session.queued_bytes < 3 * MAX_LINE
            assert (await asyncio.wait_for(session.line(), 20)).data == line
    finally:
        session.kill()


def test_what_a_shell_says_without_python() -> None:
    for status, complaint in [(127, "bash: line 1: exec: python3: not found"), (1, "python3: Command not found.")]:
        assert end_of_program(status, None, complaint).state == "no_python"
    assert end_of_program(1, None, "Traceback: file not found").state == "probe_failed"


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_lines_do_not_depend_on_how_they_were_cut(chunks: list[bytes]) -> None:
    async def collect() -> list[bytes]:
        session = Session()
        for chunk in chunks:
            session.received(chunk)
        session.received(b"\n")
        session.ended()
        lines = []
        try:
            while True:
                lines.append((await session.line()).data)
        except TransportError:
            return lines

    assert asyncio.run(collect()) == (b"".join(chunks) + b"\n").split(b"\n")[:-1]


@given(st.binary(max_size=10000))
def test_stderr_is_data(complaint: bytes) -> None:
    session = Session()
    session.complained(complaint)
    assert session.stderr_tail.isprintable()
    assert len(session.stderr_tail) <= 200


@pytest.mark.parametrize(
    ("hop", "parts"),
    [
        ("gate", (None, "gate", None)),
        ("me@gate:2222", ("me", "gate", 2222)),
        ("ssh://me@gate:22", ("me", "gate", 22)),
        ("[fe80::1]:22", (None, "fe80::1", 22)),
        ("fe80::1", (None, "fe80::1", None)),
        (" a@b@gate", ("a@b", "gate", None)),
    ],
)
def test_jump_hosts(hop: str, parts: tuple[str | None, str, int | None]) -> None:
    assert split_jump(hop) == parts


async def test_a_killed_sshd_session_is_a_lost_connection(nodes: Nodes) -> None:
    link = await connect(nodes.start("spark1"), nodes.ssh)
    session = await link.start([*SH, "echo up; cat"], b"")
    await asyncio.wait_for(session.line(), 20)
    for pid in nodes.sshds["spark1"].sessions:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(TransportError) as caught:
        await asyncio.wait_for(session.line(), 20)
    assert caught.value.state == "unreachable"
    with pytest.raises(TransportError) as again:
        await link.start(["true"], b"")
    assert again.value.state == "unreachable"
    await link.close()


def test_a_node_that_falls_silent_is_told_without_an_age_that_would_stand_still() -> None:
    fault = trouble.lost("Server not responding to keepalive")
    assert (fault.state, str(fault)) == (
        "unreachable",
        "stopped answering: the cable is out, or the node hangs or lost power",
    )
