"""Counters to rates: wraps of every width, resets, reboots and missed ticks."""

from hypothesis import given
from hypothesis import strategies as st

from sparktui.rates import CounterGroup, CounterRow, delta


def test_growth_is_the_difference() -> None:
    assert delta(100, 250) == 150


def test_a_64_bit_counter_that_falls_was_reset() -> None:
    assert delta(5_000_000, 10) is None


def test_a_16_bit_counter_wraps() -> None:
    assert delta(65_530, 14, bits=16) == 20


def test_a_32_bit_counter_wraps_near_its_end() -> None:
    assert delta(4_294_967_290, 20, bits=32) == 26


def test_a_32_bit_counter_that_falls_from_the_middle_was_reset() -> None:
    assert delta(5_000_000, 10, bits=32) is None


def test_a_wrap_no_link_could_make_in_the_time_is_a_reset() -> None:
    assert delta(3_500_000_000, 10, bits=32, seconds=1.0) is None
    assert delta(3_500_000_000, 10, bits=32, seconds=10.0) == 794_967_306


def test_a_value_wider_than_the_counter_is_no_wrap() -> None:
    assert delta(70_000, 5, bits=16) is None


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**20))
def test_any_small_growth_of_a_32_bit_counter_is_found_across_its_wrap(start: int, growth: int) -> None:
    assert delta(start, (start + growth) % 2**32, bits=32, seconds=1.0) == growth


def test_the_first_reading_has_no_rate() -> None:
    group = CounterGroup()
    group.update({"rx_packets": 1_000}, 10.0)
    assert group.per_s == {"rx_packets": None}
    assert group.totals == {"rx_packets": 1_000}


def test_rates_are_over_the_time_between_the_readings_even_when_ticks_were_missed() -> None:
    group = CounterGroup()
    group.update({"rx_packets": 1_000}, 10.0)
    group.update({"rx_packets": 1_800}, 14.0)
    assert group.per_s == {"rx_packets": 200.0}


def test_totals_run_on_over_a_wrap() -> None:
    group = CounterGroup({"rx_missed": 16})
    group.update({"rx_missed": 65_000}, 0.0)
    group.update({"rx_missed": 64}, 1.0)
    assert group.per_s == {"rx_missed": 600.0}
    assert group.totals == {"rx_missed": 65_600}


def test_one_counter_that_was_reset_makes_a_gap_of_the_whole_group() -> None:
    group = CounterGroup({"rx_mac_error": 32})
    group.update({"rx_packets": 9_000, "rx_mac_error": 4_294_967_000}, 0.0)
    group.update({"rx_packets": 12, "rx_mac_error": 3}, 1.0)
    assert group.per_s == {"rx_packets": None, "rx_mac_error": None}
    assert group.totals == {"rx_packets": 12, "rx_mac_error": 3}
    group.update({"rx_packets": 22, "rx_mac_error": 3}, 2.0)
    assert group.per_s == {"rx_packets": 10.0, "rx_mac_error": 0.0}


def test_a_counter_that_appears_later_has_no_rate_at_first() -> None:
    group = CounterGroup()
    group.update({"a": 1}, 0.0)
    group.update({"a": 2, "b": 50}, 1.0)
    assert group.per_s == {"a": 1.0, "b": None}


def test_a_clock_that_does_not_move_gives_no_rate() -> None:
    group = CounterGroup()
    group.update({"a": 1}, 5.0)
    group.update({"a": 9}, 5.0)
    assert group.per_s == {"a": None}


@given(st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=30))
def test_no_sequence_of_readings_gives_a_negative_rate_or_a_shrinking_total(values: list[int]) -> None:
    group = CounterGroup({"x": 32})
    for second, value in enumerate(values):
        group.update({"x": value}, float(second))
        rate = group.per_s["x"]
        assert rate is None or 0 <= rate < 2**32
        assert group.totals["x"] >= 0


def test_a_group_in_which_nothing_moves_has_rates_of_zero_and_the_same_totals() -> None:
    group = CounterGroup({"x": 16})
    group.update({"x": 65_000, "y": 1}, 0.0)
    group.update({"x": 64, "y": 1}, 1.0)
    group.update({"x": 64, "y": 1}, 2.0)
    assert group.per_s == {"x": 0.0, "y": 0.0}
    assert group.totals == {"x": 65_600, "y": 1}
    group.update({"x": 65, "y": 1}, 3.0)
    assert group.per_s == {"x": 1.0, "y": 0.0}
    assert group.totals == {"x": 65_601, "y": 1}


def test_views_that_hold_rates_and_totals_never_see_them_change() -> None:
    group = CounterGroup()
    group.update({"x": 1}, 0.0)
    group.update({"x": 3}, 1.0)
    held = group.per_s, group.totals
    group.update({"x": 8}, 2.0)
    group.update({"x": 8}, 3.0)
    assert held == ({"x": 2.0}, {"x": 3})


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.integers(0, 5)), min_size=2))
def test_every_rate_is_the_difference_to_the_reading_before(readings: list[dict[str, int]]) -> None:
    group = CounterGroup()
    for second, raw in enumerate(readings):
        before = readings[second - 1] if second else {}
        group.update(raw, float(second))
        reset = any(raw[name] < before[name] for name in raw if name in before)
        expected = {name: None if reset or name not in before else raw[name] - before[name] for name in raw}
        assert group.per_s == expected


def test_a_row_gives_rates_in_the_order_of_its_cpus() -> None:
    row = CounterRow()
    assert row.update([5, 0], [100, 7], 0.0) == [None, None]
    assert row.update([5, 0], [300, 7], 2.0) == [100.0, 0.0]
    assert row.update([0, 5], [9, 310], 3.0) == [2.0, 10.0]


def test_a_cpu_that_comes_later_has_no_rate_at_first() -> None:
    row = CounterRow()
    row.update([0], [5], 0.0)
    assert row.update([0, 1], [6, 40], 1.0) == [1.0, None]
    assert row.update([0, 1], [6, 41], 2.0) == [0.0, 1.0]


def test_a_count_of_a_row_that_wraps_goes_on_and_one_that_was_reset_makes_a_gap_of_all() -> None:
    row = CounterRow(32)
    row.update([0, 1], [2**32 - 5, 500], 0.0)
    assert row.update([0, 1], [5, 501], 1.0) == [10.0, 1.0]
    assert row.update([0, 1], [9, 3], 2.0) == [None, None]
    assert row.update([0, 1], [10, 3], 3.0) == [1.0, 0.0]


def test_a_row_whose_clock_does_not_move_has_no_rates() -> None:
    row = CounterRow()
    row.update([0], [5], 3.0)
    assert row.update([0], [6], 3.0) == [None]
