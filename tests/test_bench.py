"""The instruments of the bench: what a terminal shows, verdicts on figures, a Spark's files for a host."""

from __future__ import annotations

import os
import re
import time
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.bench import process, spark
from tests.bench.figures import Figure, table
from tests.bench.screen import Screen

FRAME = "\x1b[?1049h\x1b]0;title\x07\x1b[1;1H\x1b[38;2;1;2;3mfirst ●\x1b[0m\x1b[3;4Hthird\r\nfourth\x1b[3;5HX"


@given(st.lists(st.integers(0, len(FRAME.encode())), max_size=6))
def test_a_screen_is_the_same_however_its_bytes_are_cut(cuts: list[int]) -> None:
    data, screen = FRAME.encode(), Screen(20, 5)
    edges = [0, *sorted(cuts), len(data)]
    for start, end in pairwise(edges):
        screen.feed(data[start:end])
    assert screen.text == "first ●\n\n   tXird\nfourth\n"


def test_a_cleared_screen_is_blank_and_text_does_not_leave_its_row() -> None:
    screen = Screen(6, 2)
    screen.feed(b"\x1b[1;4Hlonger\x1b[2;1Hx")
    assert screen.rows == ["   lon", "x     "]
    screen.feed(b"\x1b[2J")
    assert screen.text == "\n"


def test_a_limit_is_for_the_median_or_for_the_worst() -> None:
    assert not Figure("x", "ms", [1.0, 2.0, 9.0], 5.0).over
    assert Figure("x", "ms", [1.0, 2.0, 9.0], 5.0, worst=True).over
    assert not Figure("x", "ms", [9.0]).over


def test_the_table_says_limit_median_spread_and_verdict() -> None:
    lines = table([Figure("a", "ms", [1.0, 2.0, 30.0], 1.5), Figure("bee", "KiB", [123.4])]).splitlines()
    assert [re.sub(" +", " ", line) for line in lines[2:]] == [
        "| a | <= 1.5 ms | 2.00 (1.00-30.0) ms | over |",
        "| bee | | 123 KiB | |",
    ]


def test_cpu_time_of_a_process_is_read_from_outside() -> None:
    before, own = process.cpu_s(os.getpid()), time.process_time()
    while time.process_time() - own < 0.02:
        pass
    assert 0.02 <= process.cpu_s(os.getpid()) - before < 1.0


def test_a_sparks_files_have_real_links_and_statistics_of_every_netdev(tmp_path: Path) -> None:
    root = spark.make(tmp_path)
    assert not list(root.rglob("*.link"))
    for name in spark.QUEUES:
        device = root / "sys/class/net" / name / "device"
        assert device.is_symlink()
        assert (device / "driver").readlink().name
        assert (root / f"sys/class/net/{name}/statistics/rx_dropped").read_text().strip().isdecimal()


def test_counting_raises_counts_of_nics_and_keeps_every_line_as_long() -> None:
    text = (spark.FIXTURE / "proc/interrupts").read_text()
    raised = spark.raised(text)
    changed = [(old, new) for old, new in zip(text.split("\n"), raised.split("\n"), strict=True) if old != new]
    assert changed
    for old, new in changed:
        assert len(old) == len(new)
        assert old.partition(" ITS-")[2] == new.partition(" ITS-")[2]
        assert "enP7s7" in old or "mlx5_comp" in old
        assert counts(new) > counts(old)


def counts(line: str) -> list[int]:
    return [int(number) for number in line.partition(" ITS-")[0].split()[1:]]
