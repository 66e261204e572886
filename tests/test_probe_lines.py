"""Lines of a probe as data: what is typed comes through, what is hostile does not; and clocks from beats."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.collectors.base import Collector
from sparktui.probe import lines
from sparktui.probe.clock import WINDOW_S, ClockOffset
from sparktui.probe.encode import encode


def sample_line(readings: dict[str, Any], errors: dict[str, str] | None = None) -> bytes:
    head = {"type": "sample", "seq": 1, "mono": 1.0, "wall": 2.0, "cpu_ms": 0.5, "fast_s": 1.0}
    return encode({**head, "s": readings, "errors": errors or {}}).encode("utf-8", "replace")


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a sample's field that may be on the wire: printable text, finite numbers."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: values_of(hints[field.name]) for field in fields(hint)})
    if origin in (Union, types.UnionType):
        return st.one_of([values_of(one) for one in arguments])
    if origin is list:
        return st.lists(values_of(arguments[0]), max_size=4)
    if origin is dict:
        return st.dictionaries(values_of(arguments[0]), values_of(arguments[1]), max_size=4)
    return {
        str: st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
        float: st.floats(-1e12, 1e12),
        int: st.integers(-1, 2**64 - 1),
        bool: st.booleans(),
        type(None): st.none(),
    }[hint]


@pytest.mark.parametrize("one", lines.COLLECTORS, ids=lambda one: one.name)
@settings(max_examples=30)
@given(data=st.data())
def test_every_sample_type_survives_the_way(one: Collector, data: st.DataObject) -> None:
    sample = data.draw(values_of(one.sample))
    message = lines.decode(sample_line({one.name: sample}))
    assert isinstance(message, lines.Sample)
    assert getattr(message.s, one.name) == sample
    assert message.errors == {}


def test_control_characters_never_come_through() -> None:
    hostile = "a\x1b[31mb\x00c\x7fd\x9be\u202ef\u200bg\nh\x1b]0;title\x07"
    platform = {"hostname": hostile, "os": hostile, "kernel": "6.1", "architecture": "aarch64", "nvidia_driver": None}
    platform |= {"vendor": None, "product": None, "bios_version": None, "sysctl": {hostile: hostile}}
    platform |= {"boot_id": "", "uptime_s": 1.0}
    for text in (
        sample_line({"platform": platform}),
        json.dumps(json.loads(sample_line({"platform": platform}))).encode(),
    ):
        message = lines.decode(text)
        assert isinstance(message, lines.Sample)
        for value in [message.s.platform.hostname, message.s.platform.os, *message.s.platform.sysctl.items()]:
            assert all(part.isprintable() for part in value), value


def test_a_sample_of_the_wrong_form_costs_only_its_collector() -> None:
    tcp = {"tcp": {"RetransSegs": 3}, "udp": {}}
    message = lines.decode(sample_line({"tcp": tcp, "cpu": {"cpu": "x"}, "new_one": {"a": 1}}, {"gpu": "no driver"}))
    assert isinstance(message, lines.Sample)
    assert message.s.tcp.tcp == {"RetransSegs": 3}
    assert message.s.cpu is None
    assert message.errors["gpu"] == "no driver"
    assert message.errors["cpu"].startswith("unreadable sample")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
NAMES = st.sampled_from([collector.name for collector in lines.COLLECTORS]) | st.text(max_size=5)
MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(["hello", "sample", "beat", "error", "x"])},
    optional={
        name: JSON | st.dictionaries(NAMES, JSON, max_size=4)
        for name in (
            "seq",
            "mono",
            "wall",
            "cpu_ms",
            "fast_s",
            "s",
            "errors",
            "n",
            "text",
            "version",
            "python",
            "boot_id",
        )
    },
)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@given(
    st.binary(max_size=300)
    | JSON.map(lambda x: json.dumps(x).encode())
    | MESSAGES.map(lambda x: json.dumps(x).encode())
)
def test_hostile_lines_are_line_errors_or_printable_messages(line: bytes) -> None:
    try:
        said: Any = msgspec.to_builtins(lines.decode(line))
    except lines.LineError as error:
        said = str(error)
    assert all(text.isprintable() for text in strings(said))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b"x" * (lines.MAX_LINE + 1),
        b'{"type":"beat","n":1e999,"mono":0,"wall":0}',
        b"\xff" * 99,
    ],
    ids=["empty", "no type", "deep", "long", "huge number", "not utf-8"],
)
def test_lines_that_are_none(line: bytes) -> None:
    with pytest.raises(lines.LineError):
        lines.decode(line)


def test_too_many_errors_are_none_of_ours() -> None:
    with pytest.raises(lines.LineError):
        lines.decode(sample_line({}, {str(n): "x" for n in range(lines.MAX_ERRORS + 1)}))


def test_clock_offset_is_the_midpoint_of_the_quickest_exchange() -> None:
    clock = ClockOffset()
    assert clock.offset is None
    clock.sent(1, 100.0, 1000.0)
    clock.answered(1, 100.4, 7.2, 1005.2)
    assert clock.offset == pytest.approx((5.0, -93.0, 0.2))
    clock.sent(2, 102.0, 1002.0)
    clock.answered(2, 102.01, 9.005, 1007.105)
    assert clock.offset == pytest.approx((5.1, -93.0, 0.005))


def test_an_old_exchange_is_forgotten_after_a_minute() -> None:
    clock = ClockOffset()
    clock.sent(1, 0.0, 0.0)
    clock.answered(1, 0.001, 50.0, 0.0)
    clock.sent(2, WINDOW_S, WINDOW_S)
    clock.answered(2, WINDOW_S + 1, 110.5, WINDOW_S + 9)
    assert clock.offset == pytest.approx((8.5, 50.0, 0.5))


def test_answers_nobody_asked_for_count_nothing() -> None:
    clock = ClockOffset()
    clock.answered(1, 0.0, 0.0, 0.0)
    clock.sent(2, 5.0, 5.0)
    clock.answered(2, 4.0, 0.0, 0.0)
    clock.answered(2, 6.0, 0.0, 0.0)
    for n in range(1000):
        clock.sent(n, 10.0, 10.0)
    clock.answered(3, 11.0, 0.0, 0.0)
    assert clock.offset is None


@given(st.floats(-1e5, 1e5), st.lists(st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=20))
def test_the_true_offset_is_always_within_the_error(true: float, exchanges: list[tuple[float, float]]) -> None:
    clock = ClockOffset()
    for n, (out, back) in enumerate(exchanges):
        sent = 2.0 * n
        clock.sent(n, sent, sent)
        clock.answered(n, sent + out + back, sent + out + true, sent + out + true)
    offset = clock.offset
    assert offset is not None
    assert abs(offset.wall_s - true) <= offset.error_s + 1e-6
    assert offset.error_s == pytest.approx(min(out + back for out, back in exchanges) / 2, abs=1e-9)
