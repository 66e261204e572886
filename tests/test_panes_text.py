"""What the panes are built of: figures of one width, text in cells, bars and sparks, columns that keep their place."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from sparktui.panes import cells, figures
from sparktui.panes.cells import Piece, clean, content, pad, trim, width, wrap
from sparktui.panes.glyphs import ASCII, UNICODE
from sparktui.panes.table import Column, Layout, fit, flow, side_by_side

ANY_NUMBER = st.one_of(st.none(), st.floats(), st.floats(0, 1e13), st.integers(-10, 1 << 70).map(float))
HOSTILE_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("\x1b\x07\x00\n\t\x7f\x9b\u202e\u200d\u2066\ufe0f\u0301漢字שלم🤖🇩a[]"))
)
GLYPHS = st.sampled_from([UNICODE, ASCII])

FIXED: list[tuple[Callable[[float | None], str], int]] = [
    (figures.rate, 8),
    (figures.count, 4),
    (figures.per_second, 6),
    (figures.percent, 4),
    (figures.watts, 5),
    (figures.gib, 9),
    (figures.age, 5),
    (lambda value: figures.whole(value, 3), 3),
    (lambda value: figures.whole(value, 4), 4),
]


@pytest.mark.parametrize(("figure", "cells_of"), FIXED)
@given(value=ANY_NUMBER)
def test_a_figure_has_one_width_whatever_the_value(
    figure: Callable[[float | None], str], cells_of: int, value: float | None
) -> None:
    assert len(figure(value)) == cells_of


@given(rx=ANY_NUMBER, tx=ANY_NUMBER, wide=st.booleans())
def test_pairs_have_one_width(rx: float | None, tx: float | None, wide: bool) -> None:
    assert len(figures.rate_pair(rx, tx, wide)) == (14 if wide else 8)
    assert len(figures.memory_pair(rx, tx, wide)) == (11 if wide else 8)


@given(st.one_of(st.none(), st.integers(-(1 << 70), 1 << 70)))
def test_totals_and_speeds_have_one_width(value: int | None) -> None:
    assert len(figures.total(value)) == 9
    assert len(figures.speed(value)) == 4


@given(st.floats(min_value=1e-9, max_value=1e15, exclude_min=True))
def test_what_is_above_zero_never_reads_zero(value: float) -> None:
    assert figures.per_second(value).strip() != "0/s"
    assert any(digit in figures.per_second(value) for digit in "123456789")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (figures.rate(181e9), "181 Gb/s"),
        (figures.rate(1.24e6), "1.2 Mb/s"),
        (figures.rate(999.7e6), "1.0 Gb/s"),
        (figures.rate(0), "  0  b/s"),
        (figures.rate(None), "     n/a"),
        (figures.rate_pair(1.2e6, 8e5), "1.2 / 0.8 Mb/s"),
        (figures.rate_pair(181e9, 3e6, wide=False), "181/<.1G"),
        (figures.rate_pair(5.2e9, 4.8e6), "5.2G / 4.8Mb/s"),
        (figures.rate_pair(900, 181e9), "900  / 181Gb/s"),
        (figures.rate_pair(181e9, 0, wide=False), "181/  0G"),
        (figures.rate_pair(None, 181e9), "n/a / 181 Gb/s"),
        (figures.rate_pair(None, None, wide=False), "     n/a"),
        (figures.per_second(412), " 412/s"),
        (figures.per_second(0.03), " 0.1/s"),
        (figures.per_second(1234), "1.2k/s"),
        (figures.per_second(None), "   n/a"),
        (figures.total(36_012), "   36,012"),
        (figures.total(12_345_678), "    12.3M"),
        (figures.percent(None), " n/a"),
        (figures.watts(88.14), " 88.1"),
        (figures.watts(5600), " 5600"),
        (figures.gib(43 << 20), "  0.1 GiB"),
        (figures.memory_pair(93 << 30, 119 << 30), " 93/119 GiB"),
        (figures.memory_pair(1 << 40, 2 << 40, wide=False), "1.0/2.0T"),
        (figures.age(14.9), " 14 s"),
        (figures.age(125), "  2 m"),
        (figures.long_age(271_000), "3 d 3 h"),
        (figures.long_age(0), "0 s"),
        (figures.speed(200_000), "200G"),
        (figures.speed(2_500), "2.5G"),
        (figures.speed(None), " n/a"),
        (figures.whole(-7, 3), " -7"),
        (figures.plain(49.80), "49.8"),
        (figures.plain(math.nan), "n/a"),
    ],
)
def test_figures(text: str, expected: str) -> None:
    assert text == expected


@given(HOSTILE_TEXT, st.booleans())
def test_cleaned_text_is_harmless_and_as_wide_as_its_characters(text: str, ascii_only: bool) -> None:
    cleaned = clean(text, ascii_only)
    assert clean(cleaned, ascii_only) == cleaned
    assert cleaned.isprintable()
    assert Content(cleaned, strip_control_codes=False).cell_length == width(cleaned)
    assert not ascii_only or cleaned.isascii()


def test_cleaning_takes_escapes_overrides_and_right_to_left_letters() -> None:
    assert clean("\x1b[2Jspark\u202e1\u0301\x07") == " [2Jspark1 "
    assert clean("pid\t7\nrun") == "pid 7 run"
    assert clean("שלום x") == "???? x"
    assert clean("漢x", ascii_only=True) == "??x"
    assert clean("cafe\u0301") == "café"
    assert len(clean("x" * 100_000)) == 4096


@given(HOSTILE_TEXT, st.integers(0, 60), st.sampled_from(["left", "right"]), st.sampled_from(["", "…", "~~"]))
def test_padded_text_is_exactly_as_wide_as_asked(text: str, room: int, align: str, ellipsis: str) -> None:
    padded = pad(text, room, "right" if align == "right" else "left", ellipsis)
    assert width(padded) == room
    assert width(trim(text, room, ellipsis)) <= room


@given(HOSTILE_TEXT, st.integers(1, 60), st.integers(1, 4))
def test_wrapped_lines_fit(text: str, room: int, most: int) -> None:
    lines = wrap(text, room, most, "…")
    assert len(lines) <= most
    assert all(width(line) <= room for line in lines)


def test_wrapping_breaks_between_words_and_says_where_it_cut() -> None:
    assert wrap("one two three four", 8, 3, "…") == ["one two", "three", "four"]
    assert wrap("one two three four", 8, 2, "…") == ["one two", "three f…"]
    assert wrap("unbreakablelongword", 8, 2, "…") == ["unbreak…"]
    assert wrap("", 8, 2, "…") == []


PIECES = st.lists(st.tuples(HOSTILE_TEXT, st.sampled_from(["", "bold", "$ok", "bold $fail"])), max_size=6)


@given(PIECES, st.integers(0, 80), st.booleans())
def test_a_line_is_never_too_wide_and_keeps_its_styles_on_its_text(
    pieces: list[Piece], room: int, ascii_only: bool
) -> None:
    line = content(pieces, room, ascii_only)
    assert line.cell_length <= room
    assert all(0 <= span.start < span.end <= len(line.plain) for span in line.spans)
    assert not ascii_only or line.plain.isascii()


def test_a_line_takes_no_markup() -> None:
    line = content([("[bold]x[/bold]", ""), ("[red]", "$ok")], 40)
    assert line.plain == "[bold]x[/bold][red]"
    assert [(span.start, span.end, span.style) for span in line.spans] == [(14, 19, "$ok")]


VALUES = st.lists(st.one_of(st.none(), st.floats()), max_size=50)


@given(VALUES, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(0, 40), GLYPHS)
def test_sparks_and_charts_have_one_width(
    values: list[float | None], lo: float, hi: float, room: int, glyphs: cells.Glyphs
) -> None:
    assert width(cells.spark(values, lo, hi, room, glyphs)) == room
    rows = cells.chart(values, lo, hi, 3, glyphs)
    assert [width(row) for row in rows] == [len(values)] * 3
    assert all(sum(width(text) for text, _ in cells.outlined(rows, index, glyphs)) == len(values) for index in range(3))


def test_a_spark_has_a_fixed_range_and_a_gap_is_blank() -> None:
    assert cells.spark([0, 50, 100, None, 500, -5], 0, 100, 6, UNICODE) == "▁▄▇ ▇▁"
    assert cells.spark([97, 98, 99], 0, 100, 5, UNICODE) == "  ▇▇▇"
    assert cells.spark([0, None, 100], 0, 100, 3, ASCII) == ". %"


def test_a_chart_grows_from_the_bottom() -> None:
    assert cells.chart([0, 50, 100, None], 0, 100, 2, UNICODE) == [" ▁█ ", "▁██ "]
    assert cells.outlined([" ▁█ ", "▁██ "], 1, UNICODE) == [("▁", "$accent"), ("░░", "$idle"), (" ", "$accent")]


@given(st.one_of(st.none(), st.floats()), st.integers(0, 40), GLYPHS)
def test_a_bar_has_one_width(fraction: float | None, room: int, glyphs: cells.Glyphs) -> None:
    assert width("".join(cells.bar(fraction, room, glyphs))) == room


def test_a_bar_shows_a_little_of_anything_above_nothing() -> None:
    assert cells.bar(0.001, 8, UNICODE) == ("━", "─" * 7)
    assert cells.bar(0.0, 8, UNICODE) == ("", "─" * 8)
    assert cells.bar(1.0, 4, ASCII) == ("====", "")


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.one_of(st.none(), st.floats(0, 100))), max_size=60),
    st.integers(1, 30),
    st.sampled_from([60.0, 600.0]),
)
def test_a_history_moves_on_by_whole_cells(points: list[tuple[int, float | None]], room: int, seconds: float) -> None:
    ordered: list[tuple[float, float | None]] = sorted(((float(at), value) for at, value in points), key=lambda p: p[0])
    step = seconds / room
    now = 5_000.25
    before = cells.buckets(ordered, now, seconds, room)
    after = cells.buckets(ordered, now + step, seconds, room)
    assert len(before) == room
    if int((now + step) // step) == int(now // step) + 1:
        assert after[: room - 1] == pytest.approx(before[1:], nan_ok=True)


def test_a_history_averages_its_steps_and_leaves_gaps() -> None:
    points = [(0.0, 10.0), (9.0, 30.0), (15.0, None), (25.0, 7.0)]
    assert cells.buckets(points, 29.0, 30.0, 3) == [20.0, None, 7.0]
    assert cells.buckets(points, 29.0, 30.0, 0) == []


COLUMNS = [
    Column("name", ((0, 6, "node"),), "left", gap=0),
    Column("load", ((0, 4, "load"),)),
    Column("rate", ((1, 8, "rx/tx"), (3, 14, "rx / tx")), group=True),
    Column("extra", ((2, 5, "extra"),)),
]


@given(st.integers(0, 90), st.dictionaries(st.sampled_from(["name", "load", "rate", "extra"]), HOSTILE_TEXT))
def test_a_row_fills_its_columns_exactly(room: int, row: dict[str, str]) -> None:
    table = Layout(COLUMNS, room, UNICODE, stretch=2)
    assert sum(width(text) for text, _ in table.row(row)) == table.cells
    assert sum(width(text) for text, _ in table.header()) == table.cells
    assert table.cells <= max(room, 11)


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (11, {"name": 6, "load": 4}),
        (20, {"name": 6, "load": 4, "rate": 8}),
        (26, {"name": 6, "load": 4, "rate": 8, "extra": 5}),
        (32, {"name": 6, "load": 4, "rate": 14, "extra": 5}),
    ],
)
def test_columns_go_and_grow_by_their_rank(room: int, shown: dict[str, int]) -> None:
    assert Layout(COLUMNS, room, UNICODE).widths == shown


def test_a_cell_may_go_on_over_the_next_columns() -> None:
    table = Layout(COLUMNS, 20, UNICODE)
    row = table.row({"name": "a", "load": "no answer", "rate": None})
    assert "".join(text for text, _ in row) == "a          no answer"


def test_old_rows_lose_their_colour_but_not_what_they_are() -> None:
    table = Layout([Column("node", ((0, 4, ""),)), Column("load", ((0, 4, ""),))], 20, UNICODE)
    styles = {
        text.strip(): style for text, style in table.row({"node": ("n1", "bold"), "load": ("96%", "$ok")}, old=True)
    }
    assert styles["n1"] == "bold"
    assert styles["96%"] == "dim"


def test_pieces_are_cut_to_their_cell() -> None:
    assert fit([("abc", "$ok"), ("def", "")], 5, "left", "…") == [("abc", "$ok"), ("d…", ""), ("", "")]
    assert fit([("ab", "")], 4, "right") == [("  ", ""), ("ab", "")]


def test_segments_flow_and_are_not_broken() -> None:
    lines = flow([[("aaaa", "")], [("bbbb", "")], [("cccc", "")]], 10, 2)
    assert ["".join(text for text, _ in line) for line in lines] == ["aaaa  bbbb", "  cccc"]


def test_blocks_stand_side_by_side() -> None:
    lines = side_by_side([[Content("a"), Content("b")], [Content("c")]], 3, 2)
    assert [line.plain for line in lines] == ["a    c", "b    "]
