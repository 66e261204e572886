"""Rates of switch ports from counters that are refreshed in steps, alone and beside other ports, and when to look."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.switch.counters import WINDOW_S, Traffic, take
from sparktui.switch.plan import SwitchReader
from sparktui.switch.reading import Counted, Reading
from sparktui.switch.watch import watch
from tests.switch_rig import Rig


class TestTraffic:
    """Rates over the time between two changes of counters that the switch refreshes in steps."""

    def test_a_counter_that_steps_more_slowly_than_it_is_read(self) -> None:
        traffic = Traffic(poll_s=1.0)
        rates = []
        for second in range(13):
            traffic.update({"octets": 1_000 * (second - second % 3)}, float(second))
            rates.append(traffic.per_s["octets"])
        assert rates == [None, 0.0, 0.0, *[1_000.0] * 10]

    def test_when_it_stands_still_for_the_hold_time_nothing_passes(self) -> None:
        traffic = Traffic(poll_s=5.0)
        for at, octets in ((0, 0), (5, 5_000), (10, 5_000), (15, 5_000)):
            traffic.update({"octets": octets}, at)
        assert traffic.per_s == {"octets": 1_000.0}
        traffic.update({"octets": 5_000}, 20)
        assert traffic.per_s == {"octets": 0.0}

    def test_traffic_after_a_quiet_hour_is_not_spread_over_it(self) -> None:
        traffic = Traffic(poll_s=5.0)
        for at in range(0, 3_600, 5):
            traffic.update({"octets": 7}, at)
        traffic.update({"octets": 7 + 10_000}, 3_600)
        assert traffic.per_s == {"octets": 2_000.0}

    @pytest.mark.parametrize(("poll_s", "held"), [(1.0, 6), (5.0, 15), (60.0, 15)])
    def test_the_hold_is_three_polls_between_6_and_15_seconds(self, poll_s: float, held: int) -> None:
        traffic = Traffic(poll_s)
        traffic.update({"octets": 0}, -1)
        traffic.update({"octets": 9}, 0)
        for at in range(1, 20):
            traffic.update({"octets": 9}, at)
            assert (traffic.per_s["octets"] == 9.0) is (at < held), at


FLOW = 22_625_000_000
"""Octets per second of 181 Gb/s."""


def looked(at: float, refresh_s: float, phase_s: float = 0.0, flow: int = FLOW) -> Counted:
    """A port's counters as read at `at`: those of the last refresh, which come every `refresh_s` from `phase_s` on."""
    refreshed = (at - phase_s) // refresh_s * refresh_s + phase_s
    return Counted(at, {"octets": round(flow * (refreshed + 3_600))})


def polled(ats: Sequence[float], refresh_s: float, phases: Sequence[float], poll_s: float) -> list[list[float]]:
    """The rates of ports with a constant flow, from the third poll on; each is refreshed at its own phase."""
    traffic = {f"port{number}": Traffic(poll_s) for number in range(len(phases))}
    rates = []
    for at in ats:
        take(traffic, {name: looked(at, refresh_s, phase) for name, phase in zip(traffic, phases, strict=True)})
        rates.append([one.per_s["octets"] or 0.0 for one in traffic.values()])
    return rates[2:]


class TestPortsOfOneAnswer:
    """What the counters of other ports say about a port whose own stand still."""

    def test_a_port_that_stops_beside_ports_that_go_on_carries_nothing_at_once(self) -> None:
        traffic = {"stops": Traffic(5.0), "goes on": Traffic(5.0)}
        for at in (0.0, 5.0, 10.0, 15.0):
            stops = Counted(at, looked(min(at, 10.0), 1.0).raw)
            take(traffic, {"stops": stops, "goes on": looked(at, 1.0)})
        assert traffic["stops"].per_s == {"octets": 0.0}
        assert traffic["goes on"].per_s == {"octets": FLOW}

    def test_one_of_many_that_moves_is_no_refresh_of_all(self) -> None:
        traffic = {name: Traffic(5.0) for name in ("a", "b", "c")}
        for at in (0.0, 5.0, 10.0):
            take(traffic, {"a": looked(at, 1.0), "b": looked(at, 1.0), "c": looked(at, 1.0)})
        same = looked(10.0, 1.0).raw
        take(traffic, {"a": looked(15.0, 1.0), "b": Counted(15.0, same), "c": Counted(15.0, same)})
        assert [one.per_s["octets"] for one in traffic.values()] == [FLOW] * 3

    def test_an_answer_from_before_a_refresh_says_nothing_of_one_after_it(self) -> None:
        traffic = {name: Traffic(1.0) for name in ("early", "late")}
        for at in (0.0, 3.0):
            take(traffic, {"early": looked(at, 3.0), "late": looked(at, 3.0)})
        take(traffic, {"early": looked(5.99, 3.0), "late": looked(6.01, 3.0)})
        assert traffic["early"].per_s == {"octets": FLOW}
        assert traffic["late"].per_s["octets"] == pytest.approx(FLOW, rel=0.01)

    def test_counters_of_a_cache_of_3_s_hold_their_rates_between_refreshes(self) -> None:
        for rates in polled([float(second) for second in range(3, 40)], 3.0, [0.5] * 4, 1.0)[2:]:
            assert rates == [pytest.approx(FLOW, rel=0.35)] * 4

    @given(
        poll_s=st.floats(1.0, 60.0),
        share=st.floats(0.01, 1.0),
        phases=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5),
    )
    def test_a_constant_rate_is_right_within_a_step_of_each_interval(
        self, poll_s: float, share: float, phases: list[float]
    ) -> None:
        refresh_s = poll_s * share
        ats = [poll_s * number for number in range(12)]
        for rates in polled(ats, refresh_s, [phase * refresh_s for phase in phases], poll_s):
            for rate in rates:
                assert abs(rate - FLOW) <= FLOW * refresh_s / poll_s * 1.001


class TestWindow:
    """Rates that are steady are those of several changes."""

    @given(phase=st.floats(0.06, 0.94), late=st.lists(st.floats(0.0, 0.05), min_size=20, max_size=20))
    def test_181_gbps_in_steps_of_a_second_stay_within_3_percent(self, phase: float, late: list[float]) -> None:
        ats = [5.0 * number + 1.0 + by for number, by in enumerate(late)]
        for (rate,) in polled(ats, 1.0, [phase], 5.0):
            assert rate == pytest.approx(FLOW, rel=0.03)

    def test_a_poll_a_step_too_early_and_its_echo_weigh_a_third(self) -> None:
        traffic = Traffic(5.0)
        for at in (0.5, 5.5, 10.5, 14.99):
            traffic.update(looked(at, 1.0).raw, at)
        alone, steady = 4 / 4.49, 14 / 14.49
        assert traffic.per_s["octets"] == pytest.approx(FLOW * steady)
        assert abs(1 - steady) < abs(1 - alone) / 3

    def test_a_rate_that_jumps_is_that_of_the_last_change_and_what_was_before_stays_out(self) -> None:
        traffic = Traffic(5.0)
        rates = []
        for at, octets in ((0, 0), (5, 500), (10, 1_000), (15, 2_000), (20, 3_000), (25, 3_100)):
            traffic.update({"octets": octets}, at)
            rates.append(traffic.per_s["octets"])
        assert rates == [None, 100.0, 100.0, 200.0, 200.0, 20.0]

    def test_nothing_older_than_the_window_counts(self) -> None:
        traffic = Traffic(5.0)
        octets = 0.0
        for number in range(20):
            octets += 5_000 * 0.9**number
            traffic.update({"octets": round(octets)}, 5.0 * number)
        last_three = [1_000 * 0.9**number for number in (17, 18, 19)]
        assert int(WINDOW_S // 5.0) == 3
        assert traffic.per_s["octets"] == pytest.approx(sum(last_three) / 3, rel=0.01)


class TestWatch:
    async def test_the_second_poll_is_a_period_after_the_counters_of_the_first(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class FirstIsSlow:
            """Reads in no time, but its first poll takes 0.4 s before the counters."""

            async def read(self) -> Reading:
                rig.switch.now += 0.4 if not looks else 0.0
                return await rig.reader.read()

        async def sleep(seconds: float) -> None:
            rig.switch.now += seconds
            if len(looks) == 4:
                raise asyncio.CancelledError

        rig = Rig()
        looks: list[float] = []
        monkeypatch.setattr(asyncio, "sleep", sleep)
        reader = cast(SwitchReader, FirstIsSlow())
        with pytest.raises(asyncio.CancelledError):
            await watch(reader, 5.0, rig.switch.clock, lambda reading: looks.append(reading.at), lambda *_: None)
        assert looks == pytest.approx([1000.4, 1005.4, 1010.4, 1015.4])
