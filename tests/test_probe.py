"""The probe's loop: tiers, errors of collectors, calls that hang, commands, and every way to end."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors.base import Collector
from sparktui.probe import loop, report, source
from tests.running_probe import LIMIT_S, Point, Running, collector


@pytest.fixture
def probe() -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def start(*collectors: Collector, modules: tuple[str, ...] = ()) -> Running:
        running.append(Running(*collectors, modules=modules))
        return running[-1]

    yield start
    for one in running:
        one.end()


Start = Callable[..., Running]


def test_hello_comes_first_then_a_sample_with_all_fast_collectors(probe: Start) -> None:
    running = probe(collector("cpu", lambda: 1), collector("tcp", lambda: [2, {"a": 3}]))
    hello = running.line()
    assert (hello["type"], hello["python"]) == ("hello", ".".join(map(str, sys.version_info[:3])))
    assert hello["boot_id"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    sample = running.line()
    assert sample["s"] == {"cpu": {"value": 1}, "tcp": {"value": [2, {"a": 3}]}}
    assert (sample["seq"], sample["errors"], sample["fast_s"]) == (1, {}, 1.0)
    assert sample["cpu_ms"] > 0
    assert abs(sample["mono"] - time.monotonic()) < LIMIT_S
    assert abs(sample["wall"] - time.time()) < LIMIT_S


def test_what_one_collector_raises_is_its_own_error_and_stands_until_it_succeeds(probe: Start) -> None:
    broken = threading.Event()
    broken.set()

    def fragile() -> int:
        if broken.is_set():
            raise ValueError("bad\n\x1b[31mthing" + "x" * 1000)
        return 7

    running = probe(collector("rdma", fragile), collector("cpu", lambda: 1), collector("nic_info", lambda: 0, "slow"))
    running.send("fast 0.1\n")
    for _ in range(3):
        sample = running.sample()
        error = sample["errors"]["rdma"]
        assert error.startswith("ValueError: bad")
        assert error.isprintable()
        assert len(error) <= source.MAX_ERROR
        assert "cpu" in sample["s"] or "nic_info" in sample["s"]
    broken.clear()
    recovered = running.until(lambda line: line.get("s", {}).get("rdma"))
    assert recovered["errors"] == {}


def test_a_start_that_failed_is_tried_again(probe: Start) -> None:
    starts: list[int] = []

    def start(_reader: object) -> Callable[[], Point]:
        starts.append(1)
        if len(starts) < 3:
            raise OSError("no driver yet")
        return lambda: Point(len(starts))

    running = probe(Collector("gpu", "fast", Point, start))
    running.send("fast 0.1\n")
    assert running.sample()["errors"] == {"gpu": "no driver yet"}
    assert running.until(lambda line: line.get("s"))["s"] == {"gpu": {"value": 3}}


def test_the_first_sample_waits_for_nobody(probe: Start) -> None:
    release = threading.Event()
    running = probe(
        collector("gpu", release.wait, own_thread=True),
        collector("sensors", release.wait, "slow"),
        collector("cpu", lambda: 1),
    )
    assert running.sample()["s"] == {"cpu": {"value": 1}}
    release.set()


def test_first_slow_answers_come_at_once(probe: Start) -> None:
    running = probe(collector("platform", lambda: "x", "slow"), collector("sensors", lambda: 2, "slow"))
    running.send("fast 3600\nslow 3600\n")
    assert running.sample()["s"] == {}
    assert running.sample()["s"] == {"platform": {"value": "x"}, "sensors": {"value": 2}}


def test_slow_collectors_are_read_again_when_their_interval_is_over(probe: Start) -> None:
    running = probe(collector("platform", time.monotonic, "slow"), collector("cpu", lambda: 1))
    running.send("fast 0.1\nslow 0.5\n")
    samples = [running.until(lambda line: "platform" in line.get("s", {})) for _ in range(3)]
    times = [sample["s"]["platform"]["value"] for sample in samples]
    assert times[2] - times[1] >= 0.3


def test_a_hung_collector_is_named_asked_once_and_keeps_nobody(probe: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "HUNG_AFTER_S", 0.5)
    release, calls = threading.Event(), []

    def hangs() -> int:
        calls.append(1)
        release.wait()
        return len(calls)

    running = probe(collector("gpu", hangs, own_thread=True), collector("cpu", lambda: 1))
    running.send("fast 0.1\n")
    hung = running.until(lambda line: line.get("errors"))
    assert hung["errors"] == {"gpu": "GPU not answering for 0 s"}
    assert hung["s"] == {"cpu": {"value": 1}}
    later = running.until(lambda line: line.get("errors", {}).get("gpu", "").endswith("1 s"))
    assert later["s"] == {"cpu": {"value": 1}}
    assert calls == [1]
    release.set()
    answer = running.until(lambda line: "gpu" in line.get("s", {}))
    assert answer["errors"] == {}
    assert answer["s"]["gpu"] == {"value": 1}


def test_a_hung_slow_collector_keeps_the_fast_ones_flowing(probe: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "HUNG_AFTER_S", 0.3)
    release = threading.Event()
    running = probe(
        collector("nic_info", lambda: 1, "slow"),
        collector("sensors", release.wait, "slow"),
        collector("cpu", lambda: 1),
    )
    running.send("fast 0.1\n")
    hung = running.until(lambda line: line.get("errors"))
    assert hung["errors"] == {"sensors": "sensors not answering for 0 s"}
    assert running.sample()["s"] == {"cpu": {"value": 1}}
    release.set()


def test_a_quick_own_thread_answer_goes_with_its_tick(probe: Start) -> None:
    running = probe(collector("gpu", lambda: 5, own_thread=True), collector("cpu", lambda: 1))
    running.send("fast 0.2\n")
    both = running.until(lambda line: line.get("seq", 0) > 2)
    assert both["s"] == {"gpu": {"value": 5}, "cpu": {"value": 1}}


def test_beats_are_answered_with_both_clocks(probe: Start) -> None:
    running = probe(collector("cpu", lambda: 1))
    before = time.monotonic(), time.time()
    running.send("beat 41\n")
    beat = running.until(lambda line: line["type"] == "beat")
    after = time.monotonic(), time.time()
    assert beat["n"] == 41
    assert before[0] <= beat["mono"] <= after[0]
    assert before[1] <= beat["wall"] <= after[1]


@pytest.mark.parametrize(
    "nonsense",
    [
        "\n",
        "fast\n",
        "fast x\n",
        "fast nan\n",
        "fast -1\n",
        "fast 1e9\n",
        "slow 0\n",
        "beat x\n",
        "beat 1 2\n",
        "a" * 9999 + "\n",
    ],
)
def test_commands_it_does_not_know_change_nothing(probe: Start, nonsense: str) -> None:
    running = probe(collector("cpu", lambda: 1))
    running.send(nonsense + "beat 1\nfast 0.1\n")
    running.until(lambda line: line["type"] == "beat")
    assert running.until(lambda line: line.get("fast_s") == 0.1)


def test_binary_noise_on_stdin_is_survived(probe: Start) -> None:
    running = probe(collector("cpu", lambda: 1))
    os.write(running.stdin, bytes(range(256)) * 64 + b"\nbeat 1\n")
    running.until(lambda line: line["type"] == "beat")


def test_quit_and_end_of_input_end_it(probe: Start) -> None:
    quits, ends = probe(collector("cpu", lambda: 1)), probe(collector("cpu", lambda: 1))
    quits.send("quit\n")
    os.close(ends.stdin)
    ends.stdin = -1
    for running in (quits, ends):
        running.thread.join(LIMIT_S)
        assert running.status == 0


def test_it_ends_silently_when_nobody_reads(probe: Start, capfd: pytest.CaptureFixture[str]) -> None:
    running = probe(collector("cpu", lambda: 1))
    running.line()
    os.close(running.stdout)
    running.stdout = -1
    running.send("fast 0.1\n")
    running.thread.join(LIMIT_S)
    assert running.status == 0
    assert capfd.readouterr() == ("", "")


def test_ended_probes_leave_no_thread_and_no_descriptor(probe: Start) -> None:
    def count() -> tuple[int, int]:
        return threading.active_count(), len(os.listdir("/proc/self/fd"))

    before = count()
    for _ in range(3):
        running = probe(collector("gpu", lambda: 1, own_thread=True), collector("sensors", lambda: 1, "slow"))
        running.until(lambda line: "gpu" in line.get("s", {}))
        assert running.end() == 0
    for thread in threading.enumerate():
        if thread.name in ("gpu", "sensors"):
            thread.join(LIMIT_S)
    assert count() == before


def test_a_module_that_cannot_be_imported_is_an_error_and_the_others_go_on(probe: Start) -> None:
    running = probe(collector("cpu", lambda: 1), modules=("sparktui.collectors.no_such",))
    sample = running.sample()
    assert sample["s"] == {"cpu": {"value": 1}}
    assert "no_such" in sample["errors"]["no_such"]


def test_numbers_without_value_are_null_and_things_without_form_an_error(probe: Start) -> None:
    running = probe(
        collector("cpu", lambda: [math.nan, {"a": math.inf}, Point(-math.inf), 1.5]),
        collector("tcp", object),
        collector("rdma", lambda: "x" * (report.MAX_CHARACTERS + 1)),
        collector("nic", lambda: "\ud800é"),
    )
    sample = running.sample()
    assert sample["s"]["cpu"] == {"value": [None, {"a": None}, {"value": None}, 1.5]}
    assert sample["s"]["nic"] == {"value": "?é"}
    assert set(sample["s"]) == {"cpu", "nic"}
    assert sample["errors"]["tcp"] == "TypeError: object has no form in JSON"
    assert sample["errors"]["rdma"].startswith("sample too large")


def test_a_blocked_tick_is_skipped_not_piled_up(probe: Start) -> None:
    calls: list[float] = []
    gate = threading.Event()

    def once_slow() -> int:
        calls.append(time.monotonic())
        if len(calls) == 3:
            gate.wait(1.0)
        return len(calls)

    running = probe(collector("cpu", once_slow))
    running.send("fast 0.1\n")
    running.until(lambda line: line.get("s", {}).get("cpu") == {"value": 8})
    blocked = calls[3] - calls[2]
    assert blocked >= 1.0
    assert calls[7] - calls[3] > 0.25


@given(due=st.floats(0, 1e6), every=st.floats(0.1, 3600), late=st.floats(0, 1e5))
def test_deadlines_keep_their_phase(due: float, every: float, late: float) -> None:
    now = due + late
    following = loop.next_deadline(due, every, now)
    steps = (following - due) / every
    assert steps >= 1 - 1e-9
    assert abs(steps - round(steps)) < 1e-3
    assert now - 1e-6 <= following <= now + every + 1e-6 or steps == 1


@pytest.mark.parametrize(("name", "words"), [("gpu", "GPU"), ("nic_info", "NIC info"), ("sensors", "sensors")])
def test_titles(name: str, words: str) -> None:
    assert report.title(name) == words
