"""What is sent to a node: packed, unpacked and run by real interpreters, old ones too."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from sparktui.probe import lines, payload
from tests.running_probe import LIMIT_S

PYTHONS = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))


def start_real(python: str = sys.executable) -> subprocess.Popen[bytes]:
    """The whole probe as a node runs it."""
    built = payload.build()
    process = subprocess.Popen(
        [python, *built.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin
    process.stdin.write(built.data)
    process.stdin.flush()
    return process


def test_the_dead_man_ends_it_also_out_of_a_blocked_write() -> None:
    idle, blocked = start_real(), start_real()
    try:
        assert blocked.stdin
        blocked.stdin.write(b"fast 0.1\n" + b"beat 1\n" * 2000)
        blocked.stdin.flush()
        for process in (idle, blocked):
            assert process.wait(LIMIT_S) == -signal.SIGALRM
    finally:
        for process in (idle, blocked):
            process.kill()
            process.communicate()


def test_every_collector_answers_from_memory_on_this_machine() -> None:
    process = start_real()
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"fast 0.2\nbeat 1\n")
    process.stdin.flush()
    wanted = {collector.name for collector in lines.COLLECTORS}
    answered: set[str] = set()
    while not wanted <= answered:
        message = lines.decode(process.stdout.readline().rstrip(b"\n"))
        if isinstance(message, lines.Sample):
            answered |= {name for name in wanted if getattr(message.s, name) is not None} | set(message.errors)
            assert set(message.errors) <= {"gpu"}, message.errors
    out, err = process.communicate(b"quit\n", LIMIT_S)
    assert (process.returncode, err) == (0, b"")
    assert all(json.loads(line) for line in out.splitlines())


@pytest.mark.parametrize("python", PYTHONS or [Path(sys.executable)], ids=lambda path: path.parts[-3])
def test_interpreters(python: Path) -> None:
    process = start_real(str(python))
    out, err = process.communicate(b"quit\n", LIMIT_S)
    first = lines.decode(out.splitlines()[0])
    version = subprocess.run([str(python), "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    if tuple(map(int, version.split(".")[:2])) >= (3, 10):
        assert isinstance(first, lines.Hello)
        assert first.python == version
    else:
        assert first == lines.ErrorLine(f"python {version.rpartition('.')[0]} is too old: 3.10 needed")
    assert err == b""


def test_an_older_python_can_read_the_entry_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    text = zlib.decompress(payload.build().data).decode()
    ast.parse(text, feature_version=(3, 6))
    space: dict[str, Any] = {"__name__": "entry"}
    exec(text, space)
    read, write = os.pipe()
    monkeypatch.setattr(sys, "version_info", (3, 8, 10))
    status = space["main"](None, 0, write, False)
    monkeypatch.undo()
    os.close(write)
    assert status == 1
    assert lines.decode(os.read(read, 4096).rstrip()) == lines.ErrorLine("python 3.8 is too old: 3.10 needed")
    os.close(read)


def test_all_that_is_sent_is_python_3_10() -> None:
    for name in [*payload.PACKAGES, *payload.LOOP, *payload.collector_modules()]:
        ast.parse(payload.source(name), feature_version=(3, 10))


def test_the_payload_is_small_and_always_the_same() -> None:
    built = payload.build()
    assert len(built.data) < 100_000
    payload.build.cache_clear()
    assert payload.build() == built
    assert "'" not in built.argv[-1]
    assert "\n" not in built.command


def test_a_torn_payload_ends_without_a_word_on_stdout() -> None:
    built = payload.build()
    for data in (built.data[:-1], b"x" * len(built.data)):
        done = subprocess.run([sys.executable, *built.argv[1:]], input=data, capture_output=True, timeout=LIMIT_S)
        assert done.returncode != 0
        assert done.stdout == b""
