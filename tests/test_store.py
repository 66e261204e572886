"""The store: ages, states that keep the last picture, series and moved counters."""

from sparktui.contract import Gpu, Node, Switch, iso
from sparktui.store import SERIES_LENGTH, Series, Store


def gpu(clock: int | None, reasons: list[str] | None = None) -> Gpu:
    return Gpu(0, "NVIDIA GB10", "GPU-1", clock, 3003, 71, 31.2, None, "P0", 96, None, None, None, reasons, None)


def test_a_target_that_never_answered_has_no_age() -> None:
    store = Store(["spark1"], [])
    node = store.rack(now=5.0, wall=0.0).nodes["spark1"]
    assert (node.state, node.age_s) == ("connecting", None)


def test_the_age_is_the_time_since_the_last_sample() -> None:
    store = Store(["spark1"], [])
    store.put_node("spark1", Node(state="live"), at=10.0)
    assert store.rack(now=10.4, wall=0.0).nodes["spark1"].age_s == 0.4


def test_a_node_that_went_away_keeps_its_last_picture() -> None:
    store = Store(["spark1"], [])
    store.put_node("spark1", Node(state="live", gpus=[gpu(2411)]), at=10.0)
    store.set_node_state("spark1", "unreachable", "no answer")
    node = store.rack(now=20.0, wall=0.0).nodes["spark1"]
    assert (node.state, node.error, node.age_s, node.gpus[0].sm_clock_mhz) == ("unreachable", "no answer", 10.0, 2411)


def test_the_version_moves_only_when_something_changed() -> None:
    store = Store(["spark1"], [])
    store.set_node_state("spark1", "stale")
    before = store.version
    store.set_node_state("spark1", "stale")
    store.set_findings([])
    assert store.version == before


def test_changes_of_state_are_counted_and_samples_are_not() -> None:
    store = Store(["spark1"], ["crs812"])
    store.put_node("spark1", Node(state="live"), at=1.0)
    store.put_switch("crs812", Switch(state="live"), at=1.0)
    assert store.changes == 2
    store.put_node("spark1", Node(state="live"), at=2.0)
    store.set_node_state("spark1", "live", "slow")
    assert store.changes == 2
    store.set_node_state("spark1", "stale")
    store.set_switch_state("crs812", "unreachable", "no answer")
    assert store.changes == 4


def test_series_keep_gaps_and_are_bounded() -> None:
    series = Series()
    for second in range(SERIES_LENGTH + 5):
        series.add(float(second), None if second % 2 else 1.0)
    assert len(series.values()) == SERIES_LENGTH
    assert series.values(2) == [None, 1.0]
    assert series.since(SERIES_LENGTH - 1.0) == [1.0, 1.0, 1.0]


def test_reasons_and_pstates_are_counted_against_the_samples() -> None:
    store = Store(["spark1"], [])
    store.put_node("spark1", Node(state="live", gpus=[gpu(2400, ["sw_power_cap"])]), at=1.0)
    store.put_node("spark1", Node(state="live", gpus=[gpu(2400, [])]), at=2.0)
    series = store.nodes["spark1"].series
    assert len(series["gpu0.reason.sw_power_cap"].values()) == 1
    assert len(series["gpu0.samples"].values()) == 2
    assert len(series["gpu0.pstate.P0"].values()) == 2


def test_times_are_iso_8601_utc() -> None:
    assert iso(1_796_071_000.25) == "2026-11-30T20:36:40.250Z"
