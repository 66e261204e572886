"""The engine: when findings open and end, what freezes them, and what the config may say about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sparktui.config import FindingConfig
from sparktui.contract import Finding, Health, Node, NodeState, Severity, Switch
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.engine import Engine, validate
from sparktui.verdicts.registry import rules
from tests.rule_cases.rack import gpu, node, steady

WALL = 1_796_071_000.0


def sick(
    rule_id: str = "gpu.thermal",
    raise_after_s: float = 3.0,
    clear_after_s: float = 10.0,
    severity: Severity = "fail",
    about: Literal["values", "state"] = "values",
) -> Rule:
    """A rule that sees a candidate wherever a node's `error` names its id; the error's text is the evidence."""

    def make(limits: Mapping[str, float]) -> Evaluate:
        def evaluate(moment: Moment) -> list[Candidate]:
            return [
                Candidate(
                    name, "gpu0", f"{view.error} at {moment.now:.0f}", {"limit": limits["limit"], "at": moment.now}
                )
                for name, view in moment.nodes.items()
                if view.error and rule_id in view.error and (about == "state" or view.state == "live")
            ]

        return evaluate

    return Rule(rule_id, severity, "A test.", make, {"limit": 7.0}, raise_after_s, clear_after_s, about)


ILL, WELL = Node(state="live", error="gpu.thermal"), Node(state="live")


def fresh(view: Node) -> Node:
    """A new sample with the same values."""
    return replace(view)


def run(engine: Engine, views: list[Node | None], start: float = 0.0, every_s: float = 1.0) -> list[list[Finding]]:
    """Open findings after each sample of spark1; None = the last view again, no new sample."""
    said, last = [], WELL
    for n, view in enumerate(views):
        last = last if view is None else fresh(view)
        now = start + n * every_s
        said.append(engine.update(Moment(now, {"spark1": last}), WALL + now))
    return said


def opened(said: list[list[Finding]]) -> list[bool]:
    return [bool(found) for found in said]


def test_a_finding_opens_after_its_time_and_says_since_when() -> None:
    said = run(Engine([sick()]), [WELL, ILL, ILL, ILL, ILL])
    assert opened(said) == [False, False, False, True, True]
    (finding,) = said[-1]
    assert finding.since == "2026-11-30T20:36:41.000Z", "the first sample with it"
    assert (finding.rule, finding.severity, finding.target, finding.until) == ("gpu.thermal", "fail", "spark1", None)


def test_text_and_evidence_follow_while_since_stays() -> None:
    said = run(Engine([sick()]), [WELL, *[ILL] * 9])
    assert [found[0].text for found in said[-2:]] == ["gpu.thermal at 8", "gpu.thermal at 9"]
    assert said[-1][0].evidence == {"limit": 7.0, "at": 9.0}
    assert len({found[0].since for found in said if found}) == 1


def test_the_first_sample_speaks_for_no_time_yet() -> None:
    assert opened(run(Engine([sick()]), [ILL, ILL, ILL, ILL])) == [False, False, False, True]
    assert opened(run(Engine([sick(raise_after_s=0.0)]), [ILL])) == [True]


def test_one_slow_sample_speaks_for_the_time_since_the_last() -> None:
    """A switch is polled every 5 s: errors in one poll were there for 5 s."""
    assert opened(run(Engine([sick()]), [WELL, ILL], every_s=5.0)) == [False, True]


def test_the_same_sample_again_is_no_evidence() -> None:
    assert opened(run(Engine([sick()]), [WELL, ILL, *[None] * 60]))[-1] is False


def test_the_same_sample_again_clears_nothing() -> None:
    engine = Engine([sick()])
    run(engine, [WELL, *[ILL] * 4])
    said = run(engine, [WELL, *[None] * 60], start=5.0)
    assert opened(said)[-1] is True
    assert opened(run(engine, [WELL], start=66.0)) == [False]


def test_half_of_the_time_is_enough_and_less_is_not() -> None:
    assert any(opened(run(Engine([sick()]), [WELL, ILL] * 10)))
    assert not any(opened(run(Engine([sick()]), [WELL, WELL, WELL, ILL] * 10)))


def test_a_finding_ends_when_it_was_absent_for_its_time() -> None:
    engine = Engine([sick()])
    said = run(engine, [WELL, *[ILL] * 4, *[WELL] * 11])
    assert opened(said)[-2:] == [True, False]
    (ended,) = engine.ended
    assert (ended.since, ended.until) == ("2026-11-30T20:36:41.000Z", "2026-11-30T20:36:45.000Z")
    assert said[-1] == [] == engine.open


def test_absence_has_to_be_unbroken() -> None:
    engine = Engine([sick()])
    said = run(engine, [WELL, *[ILL] * 4, *([WELL] * 9 + [ILL]) * 5])
    assert all(opened(said)[4:])
    assert engine.ended == []


def test_a_finding_that_comes_again_is_a_new_one() -> None:
    engine = Engine([sick()])
    said = run(engine, [WELL, *[ILL] * 4, *[WELL] * 11, *[ILL] * 4])
    assert opened(said)[-1] is True
    assert said[-1][0].since == "2026-11-30T20:36:56.000Z"
    assert len(engine.ended) == 1


AWAY: list[NodeState] = ["stale", "unreachable", "connecting", "auth_failed"]


@pytest.mark.parametrize("state", AWAY)
def test_a_target_that_is_away_freezes_its_values(state: NodeState) -> None:
    """Neither confirmed nor cleared until it is live again; then judged anew."""
    engine = Engine([sick()])
    before = run(engine, [WELL, *[ILL] * 4])[-1]
    assert run(engine, [Node(state=state)] * 600, start=5.0)[-1] == before
    said = run(engine, [WELL] * 12, start=605.0)
    assert opened(said) == [True] * 10 + [False] * 2
    assert engine.ended[0].until == "2026-11-30T20:46:45.000Z"


def test_an_absence_before_and_after_being_away_is_not_one() -> None:
    engine = Engine([sick()])
    run(engine, [WELL, *[ILL] * 4, *[WELL] * 8])
    run(engine, [Node(state="stale")] * 5, start=13.0)
    assert opened(run(engine, [WELL] * 12, start=18.0)) == [True] * 10 + [False] * 2


def test_the_time_away_is_no_evidence() -> None:
    engine = Engine([sick()])
    run(engine, [WELL, ILL])
    run(engine, [Node(state="stale")], start=2.0)
    assert opened(run(engine, [ILL], start=4.0)) == [False]


def test_a_rule_about_the_state_is_judged_at_every_moment() -> None:
    engine = Engine([sick("node.unreachable", raise_after_s=0.0, clear_after_s=3.0, about="state")])
    gone = Node(state="unreachable", error="node.unreachable: no route")
    assert opened(run(engine, [WELL, gone, None])) == [False, True, True]
    assert opened(run(engine, [WELL, None, None, None], start=3.0)) == [True, True, True, False]


def test_an_attempt_to_connect_says_nothing_about_the_state() -> None:
    """A dead node that is tried again and again is one finding, not one per attempt."""
    rule = next(rule for rule in rules() if rule.id == "node.unreachable")
    engine = Engine([rule])
    gone, trying = Node(state="unreachable", error="no route"), Node(state="connecting")
    said = run(engine, [node(), gone, *([trying] * 20 + [gone]) * 10])
    assert all(opened(said)[1:])
    assert len({found[0].since for found in said if found}) == 1


@given(st.lists(st.booleans(), max_size=300), st.sampled_from([0.5, 1.0, 5.0, 30.0]), st.integers(0, 20))
def test_no_signal_makes_it_flap(signal: list[bool], every_s: float, clear_s: int) -> None:
    """Whatever comes and goes: at most one opening and one end per clear_after_s, and times in order."""
    engine = Engine([sick(clear_after_s=float(clear_s))])
    said = opened(run(engine, [ILL if there else WELL for there in signal], every_s=every_s))
    seconds = every_s * len(signal)
    openings = sum(1 for before, after in zip([False, *said], said, strict=False) if after and not before)
    if clear_s:
        assert openings <= 1 + seconds / clear_s
    assert len(engine.ended) == openings - (1 if said and said[-1] else 0)
    for ended, following in zip(engine.ended, engine.ended[1:], strict=False):
        assert ended.since <= (ended.until or "") <= following.since


@pytest.mark.parametrize("period_s", [1, 2, 3, 5, 8, 13, 19])
def test_an_even_signal_opens_once_and_stays(period_s: int) -> None:
    """On and off for equal times, each shorter than clear_after_s."""
    views = ([ILL] * period_s + [WELL] * period_s) * (200 // period_s)
    said = opened(run(Engine([sick(clear_after_s=20.0)]), views))
    first = said.index(True)
    assert all(said[first:])


def test_ended_findings_are_bounded() -> None:
    engine = Engine([sick(raise_after_s=0.0, clear_after_s=0.0)])
    run(engine, [ILL, WELL] * 300)
    assert len(engine.ended) == 200
    assert engine.ended[-1].until is not None


def test_the_worst_first_then_the_oldest_then_the_rack() -> None:
    worst, mild = sick("gpu.thermal", 0.0), sick("memory.low", 0.0, severity="warn")
    engine = Engine([mild, worst], rack_order=("b", "a"))
    ill = {name: Node(state="live", error="gpu.thermal memory.low") for name in ("a", "b")}
    late = {
        **{name: fresh(view) for name, view in ill.items()},
        "c": Node(state="live", error="gpu.thermal memory.low"),
    }
    engine.update(Moment(0.0, ill), WALL)
    found = engine.update(Moment(1.0, late), WALL + 1)
    assert [(one.severity, one.target) for one in found] == [
        *(("fail", name) for name in ("b", "a", "c")),
        *(("warn", name) for name in ("b", "a", "c")),
    ]


def test_the_racks_order_reaches_the_rules() -> None:
    seen: list[tuple[str, ...]] = []

    def make(_: Mapping[str, float]) -> Evaluate:
        return lambda moment: seen.append(moment.rack_order) or []  # type: ignore[func-returns-value]

    engine = Engine([Rule("node.stale", "warn", "A test.", make)], rack_order=("b", "a"))
    engine.update(Moment(0.0, {}), WALL)
    engine.update(Moment(1.0, {}, rack_order=("c",)), WALL)
    assert seen == [("b", "a"), ("c",)]


def test_muting_a_rule_or_a_target() -> None:
    both = {"spark1": ILL, "spark2": Node(state="live", error="gpu.thermal")}

    def targets(**config: Any) -> list[str]:
        engine = Engine([sick(raise_after_s=0.0)], {"gpu.thermal": FindingConfig(**config)})
        return [one.target for one in engine.update(Moment(0.0, both), WALL)]

    assert targets() == ["spark1", "spark2"]
    assert targets(muted=["spark1"]) == ["spark2"]
    assert targets(muted=True) == []


def test_thresholds_of_the_config_reach_the_rule() -> None:
    engine = Engine([sick(raise_after_s=0.0)], {"gpu.thermal": FindingConfig(thresholds={"limit": 9.0})})
    (found,) = engine.update(Moment(0.0, {"spark1": ILL}), WALL)
    assert found.evidence["limit"] == 9.0


def test_a_threshold_changes_what_a_real_rule_finds() -> None:
    course = steady({"spark1": node(gpus=[gpu(sm_clock_mhz=1500, power_w=20.0, event_reasons=[])])}, 10)
    for limit, there in ((1400.0, False), (1600.0, True)):
        config = {"gpu.low_clock_under_load": FindingConfig(thresholds={"gb10_sm_clock_mhz": limit})}
        engine = Engine(rules(), config)
        for now, nodes, _ in course:
            engine.update(Moment(now, nodes), WALL + now)
        assert bool(engine.open) == there


def test_what_the_config_must_not_say() -> None:
    problems = validate(
        {
            "nic.rx_lose": FindingConfig(),
            "nic.rx_loss": FindingConfig(thresholds={"share_percents": 1.0, "frames_per_s": float("nan")}),
            "gpu.thermal": FindingConfig(thresholds={"celsius": 1.0}),
            "memory.low": FindingConfig(muted=["spark1"], thresholds={"available_gib": -1.0}),
        }
    )
    assert problems[0].startswith('findings."nic.rx_lose": no such rule (did you mean nic.rx_loss?); the rules are: ')
    assert "switch.unreachable" in problems[0]
    assert problems[1:] == [
        'findings."nic.rx_loss".thresholds.share_percents: no such threshold (did you mean share_percent?);'
        " its thresholds are: frames_per_s, share_percent",
        'findings."nic.rx_loss".thresholds.frames_per_s: must be a number of 0 or more, not nan',
        'findings."gpu.thermal".thresholds.celsius: no such threshold; it has none',
        'findings."memory.low".thresholds.available_gib: must be a number of 0 or more, not -1.0',
    ]


def test_a_config_in_order_has_no_problems() -> None:
    assert validate({}) == []
    assert validate({"nic.rx_loss": FindingConfig(muted=["spark1"], thresholds={"share_percent": 0.05})}) == []


def test_an_engine_is_not_built_on_a_wrong_config() -> None:
    with pytest.raises(ValueError, match="no such rule"):
        Engine(rules(), {"nic.rxloss": FindingConfig()})


def test_text_from_a_node_is_plain_and_bounded() -> None:
    hostile = Node(state="unreachable", error="\x1b[2J\x07 bad\r\nhost " + "x" * 5000)
    (found,) = Engine(rules()).update(Moment(0.0, {"spark1": hostile}), WALL)
    assert found.text.isprintable()
    assert len(found.text) == 400


def test_a_whole_life_of_a_wedged_node() -> None:
    """Loaded and wedged, then away, then back in order: opened, frozen, ended."""
    engine = Engine(rules())
    wedged = node(gpus=[gpu(sm_clock_mhz=721, power_w=10.2, event_reasons=[])])
    for now, nodes, _ in steady({"spark4": wedged}, 10):
        engine.update(Moment(now, nodes), WALL + now)
    assert [one.rule for one in engine.open] == ["gpu.low_clock_under_load"]
    for now in range(11, 20):
        engine.update(Moment(now, {"spark4": replace(wedged, state="unreachable")}), WALL + now)
    assert [one.rule for one in engine.open] == ["gpu.low_clock_under_load", "node.unreachable"]
    after = {"spark4": node(boot_id="44444444-0000-4000-8000-000000000004")}
    for now, nodes, _ in steady(after, 61):
        engine.update(Moment(20 + now, nodes), WALL + 20 + now)
    assert [one.rule for one in engine.open] == ["node.rebooted"]
    assert {one.rule for one in engine.ended} == {"gpu.low_clock_under_load", "node.unreachable"}


def test_a_switchs_findings_freeze_as_well() -> None:
    engine = Engine(rules())
    ill = Switch("live", health=[Health("psu1-state", 1.0, "", "not_ok")])
    engine.update(Moment(0.0, {}, {"crs812": ill}), WALL)
    away = engine.update(Moment(60.0, {}, {"crs812": replace(ill, state="unreachable")}), WALL + 60)
    assert [one.rule for one in away] == ["switch.health", "switch.unreachable"]
