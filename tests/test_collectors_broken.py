"""Host collectors and their parsers on files that are empty, cut, garbage or gone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import cpu, memory, platform, sensors, softnet, tcp
from sparktui.collectors.base import Collector
from sparktui.collectors.folder import TextReader
from sparktui.collectors.plain import plain
from tests.machines import H200, HOST_COLLECTORS, NODES, SPARK, VM, files_of


class Noting(TextReader):
    """Notes which files were read."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(files)
        self.read: set[str] = set()

    def text(self, path: str) -> str:
        self.read.add(path)
        return super().text(path)


@pytest.mark.parametrize("collector", HOST_COLLECTORS, ids=lambda collector: collector.name)
@pytest.mark.parametrize("machine", [SPARK, VM, H200])
@pytest.mark.parametrize("broken", ["", "\n", "\x1b[2J\x00\ufffd" * 40, "1 2 3\n" * 50, ":::::\n", "half", None])
def test_broken_files_are_a_clean_error_or_nothing(collector: Collector, machine: str, broken: str | None) -> None:
    """Every file a collector reads, each broken alone (None: gone): a readable error, or a sample of the right type."""
    files = files_of(machine)
    whole = Noting(files)
    collector.start(whole)()
    for path in whole.read & files.keys():
        changed = {name: text for name, text in files.items() if name != path}
        if broken is not None:
            changed[path] = files[path][: len(files[path]) // 2] if broken == "half" else broken
        try:
            read = collector.start(TextReader(changed))()
        except (ValueError, OSError):
            continue
        assert isinstance(read, collector.sample)


PARSERS: list[Callable[[str], object]] = [
    lambda text: cpu.parse_stat(text, "0.1 0.2 0.3 1/2 3\n"),
    lambda text: cpu.parse_stat("cpu0 1 2 3 4 5 6 7 8 9 10\n", text),
    lambda text: cpu.core_classes(cpu.parse_cpuinfo(text), {}),
    memory.parse_meminfo,
    softnet.parse_softnet,
    softnet.parse_softirqs,
    lambda text: tcp.parse_counters(text, "Tcp", tcp.TCP),
    lambda text: sensors.reading("temp", text),
    platform.dgx_os,
    platform.driver_version,
    platform.parse_assignments,
]
SEEDS = [
    (NODES / SPARK / path).read_text()
    for path in (
        "proc/stat",
        "proc/meminfo",
        "proc/net/softnet_stat",
        "proc/softirqs",
        "proc/net/snmp",
        "etc/dgx-release",
    )
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A kernel's text with a piece cut out and something else in its place."""
    text = draw(st.sampled_from(SEEDS))
    start = draw(st.integers(0, len(text)))
    return text[:start] + draw(st.text(max_size=20)) + text[start + draw(st.integers(0, 200)) :]


@pytest.mark.parametrize("parse", PARSERS, ids=range(len(PARSERS)))
@given(text=st.text() | st.text(alphabet="0123456789abcdef :.=\n\t-cpuTcpNET_RX") | damaged())
def test_parsers_take_any_text(parse: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(ValueError):
        parse(text)


@given(st.text(), st.integers(1, 40))
def test_plain_text_is_one_bounded_printable_line(text: str, limit: int) -> None:
    cleaned = plain(text, limit)
    assert len(cleaned) <= limit
    assert cleaned.isprintable()
    assert cleaned == cleaned.strip()


def test_plain_text_keeps_words_apart_and_holds_no_escape() -> None:
    assert plain("  a\tb\r\n\x1b[31mc\u202e\x9b ") == "a b [31mc"
