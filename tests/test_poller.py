"""The poller against real sshd: one login per node, every state when due, nodes that do each other no harm."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from sparktui import poller as under_test
from sparktui.config import NodeConfig, SamplingConfig, Settings, SshConfig
from sparktui.contract import Node, NodeState
from sparktui.derive import NodeDeriver
from sparktui.poller import Poller, ProbeCost
from sparktui.probe.lines import Readings, Sample
from sparktui.store import Store
from tests.sshd import HOST, Nodes, descendants, free_port, is_probe, make_key, running_nodes

LIMIT_S = 30.0


class Noting(Store):
    """A store that wakes whoever waits for it, and remembers the states each node went through."""

    def __init__(self, names: list[str]) -> None:
        self.changed = asyncio.Event()
        self.seen: dict[str, list[NodeState]] = {name: ["connecting"] for name in names}
        super().__init__(names, [])

    @property
    def version(self) -> int:
        return self._version

    @version.setter
    def version(self, value: int) -> None:
        self._version = value
        self.changed.set()
        if value:
            for name, seen in self.seen.items():
                state = self.nodes[name].view.state
                if seen[-1:] != [state]:
                    seen.append(state)

    def node(self, name: str = "spark1") -> Node:
        return self.nodes[name].view

    async def until(self, wanted: Callable[[], Any], limit_s: float = LIMIT_S) -> float:
        """Wait for it; returns the seconds it took."""
        began = time.monotonic()
        while not wanted():
            self.changed.clear()
            left = began + limit_s - time.monotonic()
            await asyncio.wait_for(self.changed.wait(), left)
        return time.monotonic() - began

    async def state(self, wanted: NodeState, name: str = "spark1") -> float:
        return await self.until(lambda: self.node(name).state == wanted)


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    with running_nodes(tmp_path) as made:
        yield made


@asynccontextmanager
async def watching(settings: Settings) -> AsyncIterator[tuple[Poller, Noting]]:
    store = Noting([node.name for node in settings.nodes])
    poller = Poller(settings, store, NodeDeriver, random=lambda: 0.0)
    task = asyncio.create_task(poller.run())
    try:
        yield poller, store
    finally:
        await poller.close()
        await task


def local(*, fast_s: float = 1.0) -> Settings:
    return Settings(nodes=[NodeConfig(name="spark1", host="local")], sampling=SamplingConfig(fast_s))


async def two_rates(store: Noting, name: str = "spark1") -> None:
    await store.until(lambda: store.node(name).tcp is not None and store.node(name).tcp.retrans_per_s is not None)


async def test_a_node_comes_alive_with_one_login(nodes: Nodes) -> None:
    settings = nodes.settings(nodes.start("spark1"))
    async with watching(settings) as (poller, store):
        await two_rates(store)
        await store.until(lambda: store.node().probe is not None and store.node().probe.cpu_ms_per_sample)
        node = store.node()
        assert store.seen["spark1"] == ["connecting", "live"]
        assert poller.logins == {"spark1": 1}
        assert nodes.sshds["spark1"].logins == 1
        assert node.error is None
        assert node.boot_id
        assert node.probe is not None
        assert node.probe.python is not None
        assert node.probe.bytes_per_sample
        assert node.probe.cpu_ms_per_sample
        assert node.memory is not None
        assert node.platform is not None
        assert node.clock_offset_ms is not None
        assert node.clock_error_ms is not None
        assert abs(node.clock_offset_ms) <= node.clock_error_ms + 50


async def test_local_node_is_the_same() -> None:
    async with watching(local(fast_s=0.5)) as (_, store):
        await two_rates(store)
        assert store.node().state == "live"


async def test_close_ends_the_probe_and_the_connection(nodes: Nodes) -> None:
    settings = nodes.settings(nodes.start("spark1"))
    async with watching(settings) as (poller, store):
        await store.state("live")
        waiting = [os.pidfd_open(pid) for pid in nodes.sshds["spark1"].probes]
        assert len(waiting) == 1
        began = time.monotonic()
        await poller.close()
        assert time.monotonic() - began < 2.5
    ended(waiting)


def ended(descriptors: list[int], within_s: float = LIMIT_S) -> None:
    """Wait for the end of processes (pidfds)."""
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], within_s)[0], "it is still there"
        os.close(descriptor)


async def test_a_killed_probe_is_started_again_on_the_same_connection(nodes: Nodes) -> None:
    settings = nodes.settings(nodes.start("spark1"))
    async with watching(settings) as (poller, store):
        await store.state("live")
        (probe,) = nodes.sshds["spark1"].probes
        os.kill(probe, signal.SIGKILL)
        await store.state("probe_failed")
        assert "signal KILL" in (store.node().error or "")
        await store.state("live")
        assert poller.logins == {"spark1": 1}
        assert nodes.sshds["spark1"].probes != [probe]


async def test_a_frozen_session_is_stale_then_unreachable_then_back(nodes: Nodes) -> None:
    node = nodes.start("spark1")
    async with watching(nodes.settings(node)) as (poller, store):
        await two_rates(store)
        frozen = nodes.sshds["spark1"].sessions
        began = time.monotonic()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        await store.state("stale")
        await store.state("unreachable")
        assert time.monotonic() - began < 6.0
        assert "stopped answering" in (store.node().error or "")
        assert store.node().memory is not None, "the last picture stays"
        await store.state("live")
        assert poller.logins == {"spark1": 2}
        assert store.seen["spark1"] == ["connecting", "live", "stale", "unreachable", "live"]


async def test_a_stopped_probe_is_stale_then_ended_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "SILENT_S", 3.0)
    async with watching(local(fast_s=0.5)) as (_, store):
        await store.state("live")
        (probe,) = children()
        os.kill(probe, signal.SIGSTOP)
        await store.state("stale")
        await store.state("probe_failed")
        assert "silent" in (store.node().error or "")
        await store.state("live")
        assert probe not in children()


def children() -> list[int]:
    """The local probes of this process."""
    return [pid for pid in descendants(os.getpid()) if is_probe(pid)]


async def test_one_dead_node_changes_one_row(nodes: Nodes) -> None:
    alive, dead = nodes.start("spark1"), NodeConfig(name="spark2", host=HOST, port=free_port())
    async with watching(nodes.settings(dead, alive)) as (poller, store):
        await store.state("unreachable", "spark2")
        assert "refuses connections" in (store.node("spark2").error or "")
        await two_rates(store)
        assert store.seen["spark1"] == ["connecting", "live"]
        assert store.seen["spark2"] == ["connecting", "unreachable"]
        assert poller.logins == {"spark2": 0, "spark1": 1}


async def test_a_node_that_comes_up_later_is_found(nodes: Nodes) -> None:
    port = free_port()
    node = NodeConfig(name="spark1", host=HOST, port=port)
    async with watching(nodes.settings(node)) as (_, store):
        await store.state("unreachable")
        nodes.start("spark1", port=port)
        await store.state("live")


@pytest.mark.parametrize(
    ("options", "state", "words"),
    [
        (["SetEnv PATH=/nonexistent"], "no_python", "install it (sudo apt install python3)"),
        (["ForceCommand echo This account is closed; exit 1"], "probe_failed", "This account is closed"),
        (["ForceCommand echo 'no home' >&2; exit 5"], "probe_failed", "exit status 5: no home"),
        (["ForceCommand head -c 10000000 /dev/zero"], "probe_failed", "more than 2 MiB"),
        (["ForceCommand yes"], "probe_failed", "does not run the probe"),
        (["MaxSessions 0"], "probe_failed", "MaxSessions"),
        (['ForceCommand echo \'{"type":"error","text":"out\\u001b[31m of luck"}\''], "probe_failed", "out of luck"),
    ],
    ids=["no python", "closed", "exits", "long line", "endless", "no session", "error line"],
)
async def test_nodes_that_run_no_probe(nodes: Nodes, options: list[str], state: NodeState, words: str) -> None:
    async with watching(nodes.settings(nodes.start("spark1", *options))) as (_, store):
        await store.state(state)
        error = store.node().error or ""
        assert words in error.replace("[31m", "")
        assert error.isprintable()


async def test_a_python_that_is_too_old(nodes: Nodes) -> None:
    said = '{"type":"error","text":"python 3.8 is too old: 3.10 needed"}'
    async with watching(nodes.settings(nodes.start("spark1", f"ForceCommand echo '{said}'"))) as (_, store):
        await store.state("no_python")
        assert store.node().error == "python 3.8 is too old: 3.10 needed"


async def test_what_a_login_prints_first_is_passed_over(nodes: Nodes) -> None:
    noise = "printf 'Welcome!\\n\\033[1mload\\001\\n{\"type\":1}\\n'; echo warning >&2; "
    node = nodes.start("spark1", f'ForceCommand {noise} eval "$SSH_ORIGINAL_COMMAND"')
    async with watching(nodes.settings(node)) as (_, store):
        await two_rates(store)
        assert store.seen["spark1"] == ["connecting", "live"]


async def test_a_login_that_takes_its_time_is_waited_for(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "SILENT_S", 2.0)
    node = nodes.start("spark1", 'ForceCommand sleep 4; eval "$SSH_ORIGINAL_COMMAND"')
    async with watching(nodes.settings(node)) as (_, store):
        await two_rates(store)
        assert store.seen["spark1"] == ["connecting", "live"]


async def test_one_session_is_enough(nodes: Nodes) -> None:
    node = nodes.start("spark1", "MaxSessions 1")
    async with watching(nodes.settings(node)) as (_, store):
        await store.state("live")
        os.kill(nodes.sshds["spark1"].probes[0], signal.SIGKILL)
        await store.state("probe_failed")
        await store.state("live")


@pytest.mark.parametrize("line", ["[", "x" * 3_000_000, '{"type":"beat","n":"x"}'], ids=["cut", "too long", "wrong"])
async def test_nonsense_after_the_hello_ends_that_probe(nodes: Nodes, line: str) -> None:
    file = nodes.folder / "said"
    file.write_text('{"type":"hello","version":"1","python":"3.12.1","boot_id":null}\n' + line + "\n")
    node = nodes.start("spark1", f"ForceCommand cat {file}; cat >/dev/null")
    async with watching(nodes.settings(node)) as (poller, store):
        await store.state("probe_failed")
        assert poller.logins == {"spark1": 1}


async def test_a_flood_is_ended_and_others_keep_flowing(nodes: Nodes) -> None:
    file = nodes.folder / "said"
    file.write_text('{"type":"hello","version":"1","python":"3.12.1","boot_id":null}\n')
    sample = '{"type":"sample","seq":1,"mono":1,"wall":1,"cpu_ms":1,"fast_s":1,"s":{},"errors":{}}'
    flood = nodes.start("spark1", f"ForceCommand cat {file}; yes '{sample}'")
    calm = nodes.start("spark2")
    async with watching(nodes.settings(flood, calm)) as (_, store):
        await store.state("probe_failed")
        assert "lines in" in (store.node().error or "")
        await two_rates(store, "spark2")


async def test_host_keys_and_logins_that_fail_have_their_states(nodes: Nodes) -> None:
    unknown, changed, refused = (
        nodes.start("spark1", known=False),
        nodes.start("spark2", known=False),
        nodes.start("spark3", "AuthorizedKeysFile /dev/null"),
    )
    nodes.trust(nodes.sshds["spark2"].port, make_key(nodes.folder / "old"))
    async with watching(nodes.settings(unknown, changed, refused)) as (_, store):
        await store.state("host_key_unknown", "spark1")
        await store.state("host_key_changed", "spark2")
        await store.state("auth_failed", "spark3")
        nodes.trust(nodes.sshds["spark1"].port, nodes.sshds["spark1"].host_key)
        await store.state("live", "spark1")


async def test_the_interval_changes_without_a_new_connection(nodes: Nodes) -> None:
    async with watching(nodes.settings(nodes.start("spark1"))) as (poller, store):
        await store.state("live")
        poller.set_fast(0.2)
        await store.until(lambda: (probe := store.node().probe) and probe.fast_s == 0.2)
        taken: list[float | None] = []
        for _ in range(6):
            last = store.nodes["spark1"].taken_at
            await store.until(lambda last=last: store.nodes["spark1"].taken_at != last)
            taken.append(store.nodes["spark1"].taken_at)
        assert store.interval_s == 0.2
        assert taken[-1] - taken[0] < 4.0  # type: ignore[operator]
        assert poller.logins == {"spark1": 1}


async def test_a_longer_interval_is_not_stale() -> None:
    async with watching(local(fast_s=0.5)) as (poller, store):
        await store.state("live")
        poller.set_fast(60.0)
        poller.check(time.monotonic() + 9.0)
        assert store.node().state == "live"


async def test_stale_by_the_clock_alone() -> None:
    async with watching(local(fast_s=2.0)) as (poller, store):
        await store.state("live")
        taken = store.nodes["spark1"].taken_at or 0.0
        poller.check(taken + 3.9)
        assert store.node().state == "live"
        poller.check(taken + 4.1)
        assert store.node().state == "stale"


async def test_a_first_connection_that_takes_long_is_unreachable_meanwhile(nodes: Nodes) -> None:
    with socket.create_server((HOST, 0)) as silent:
        node = NodeConfig(name="spark1", host=HOST, port=silent.getsockname()[1])
        async with watching(nodes.settings(node)) as (poller, store):
            assert store.node().state == "connecting"
            await asyncio.to_thread(silent.accept)
            poller.check(time.monotonic() + under_test.NO_ANSWER_S + 0.1)
            assert store.node().state == "unreachable"


async def test_a_deriver_that_fails_is_that_nodes_error(nodes: Nodes) -> None:
    class Broken(NodeDeriver):
        def update(self, *_: Any) -> Node:
            raise KeyError("surprise")

    store = Noting(["spark1", "spark2"])
    settings = nodes.settings(*(NodeConfig(name=name, host="local") for name in store.nodes))
    poller = Poller(settings, store, lambda node: (Broken if node.name == "spark1" else NodeDeriver)(node))
    task = asyncio.create_task(poller.run())
    try:
        await store.state("probe_failed", "spark1")
        assert store.node("spark1").error == "internal error: KeyError: 'surprise'"
        await two_rates(store, "spark2")
    finally:
        await poller.close()
        await task


def test_pauses_grow_are_scattered_and_bounded() -> None:
    for random, expected in [(0.0, [0.5] * 8), (1.0, [0.5, 1, 2, 4, 8, 15, 15, 15])]:
        poller = Poller(local(), Store(["spark1"], []), NodeDeriver, random=lambda random=random: random)
        node = poller.nodes["spark1"]
        assert [node.pause("unreachable") for _ in range(8)] == expected
        assert node.pause("auth_failed") == node.pause("host_key_changed") == 30.0
        assert [node.pause("unreachable") for _ in range(2000)][-1] <= 15.0


CLIENT = """
import asyncio, sys, msgspec
from sparktui.config import Settings
from sparktui.derive import NodeDeriver
from sparktui.poller import Poller
from sparktui.store import Store
settings = msgspec.json.decode(sys.argv[1], type=Settings)
class Saying(Store):
    def put_node(self, name, view, at):
        print("sample", flush=True)
asyncio.run(Poller(settings, Saying([node.name for node in settings.nodes], []), NodeDeriver).run())
"""


@pytest.mark.parametrize("frozen", [False, True], ids=["killed", "frozen: no end of stdin"])
async def test_the_probe_ends_when_its_client_is_gone(nodes: Nodes, frozen: bool) -> None:
    settings = msgspec.json.encode(nodes.settings(nodes.start("spark1")))
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", CLIENT, settings, stdout=subprocess.PIPE)
    assert client.stdout
    try:
        assert await asyncio.wait_for(client.stdout.readline(), LIMIT_S) == b"sample\n"
        waiting = [os.pidfd_open(pid) for pid in nodes.sshds["spark1"].probes]
        assert len(waiting) == 1
        client.send_signal(signal.SIGSTOP if frozen else signal.SIGKILL)
        await asyncio.to_thread(ended, waiting, 10.0)
    finally:
        with suppress(ProcessLookupError):
            client.kill()
        await client.wait()


async def test_many_nodes_log_in_once_each(nodes: Nodes) -> None:
    first = nodes.start("spark1")
    many = [replace(first, name=f"spark{n}") for n in range(1, 21)]
    async with watching(nodes.settings(*many)) as (poller, store):
        await store.until(lambda: all(store.node(node.name).state == "live" for node in many), 60)
        assert poller.logins == dict.fromkeys(poller.logins, 1)
        assert nodes.sshds["spark1"].logins == 20


async def test_closing_before_anything_began() -> None:
    poller = Poller(
        Settings(nodes=[NodeConfig(name="spark1", host="local")], ssh=SshConfig()), Store(["spark1"], []), NodeDeriver
    )
    await poller.close()
    await asyncio.wait_for(poller.run(), LIMIT_S)


def test_the_cost_of_a_probe_is_told_without_its_start() -> None:
    def sample(mono: float, cpu_ms: float) -> Sample:
        return Sample(1, mono, 0.0, cpu_ms, 1.0, Readings(), {})

    cost = ProbeCost()
    for mono, cpu_ms in ((10.0, 3.0), (10.1, 84.0), (10.2, 13.0), (11.0, 2.0)):
        cost.add(sample(mono, cpu_ms), 500)
    assert (cost.cpu_ms, cost.size) == (None, None)
    cost.add(sample(12.0, 2.0), 2_000)
    cost.add(sample(13.0, 4.0), 2_200)
    assert (cost.cpu_ms, cost.size) == (3.0, 2_100)
