"""All rules together: the contract's table, a healthy rack, and that what is not known never makes a finding."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect
from msgspec.structs import fields, replace

from sparktui import contract
from sparktui.contract import Node, Switch
from sparktui.verdicts.base import Moment
from sparktui.verdicts.engine import Engine
from sparktui.verdicts.registry import rules
from tests.rule_cases.rack import NODES, rack, steady, switch

CONTRACT = {
    "node.stale": "warn",
    "node.unreachable": "fail",
    "node.rebooted": "info",
    "gpu.low_clock_under_load": "fail",
    "gpu.thermal": "fail",
    "gpu.hotter_than_peers": "warn",
    "nic.rx_loss": "fail",
    "nic.line_errors": "fail",
    "nic.link_flap": "warn",
    "nic.slower_than_peers": "warn",
    "nic.twin_down": "warn",
    "rdma.errors": "warn",
    "irq.rx_one_cpu": "warn",
    "memory.low": "warn",
    "memory.swap_growing": "warn",
    "platform.differs": "warn",
    "switch.health": "fail",
    "switch.port_errors": "warn",
    "switch.unreachable": "fail",
}
"""Ids are for ever: mutes, alerts and exports hang on them."""


def test_the_rules_are_those_of_the_contract() -> None:
    assert {rule.id: rule.severity for rule in rules()} == CONTRACT


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_says_why_it_matters(rule: Any) -> None:
    assert re.fullmatch(r"[A-Z].{20,160}\.", rule.why)
    assert all(limit >= 0 for limit in rule.thresholds.values())


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_every_rule_takes_limits_of_zero(rule: Any) -> None:
    evaluate = rule.make(dict.fromkeys(rule.thresholds, 0.0))
    bare = {name: Node(state="live") for name in NODES}
    for now, nodes, switches in [
        *steady(rack(), 5, {"crs812": switch()}),
        *steady(bare, 5, {"crs812": Switch("live")}),
    ]:
        evaluate(Moment(now, nodes, switches))


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_sees_nothing_in_a_healthy_rack_under_load(rule: Any) -> None:
    evaluate = rule.make(rule.thresholds)
    for now, nodes, switches in steady(rack(), 60, {"crs812": switch()}):
        assert evaluate(Moment(now, nodes, switches)) == []


def test_a_healthy_rack_under_load_has_no_finding() -> None:
    engine = Engine(rules(), rack_order=NODES)
    for now, nodes, switches in steady(rack(), 120, {"crs812": switch()}):
        assert engine.update(Moment(now, nodes, switches), wall=now) == []
    assert engine.ended == []


def optional_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Names of the fields that may be None."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return frozenset(one.name for one in info.fields if _may_be_none(one.type))


def _may_be_none(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.UnionType) and any(isinstance(one, inspect.NoneType) for one in kind.types)


OPTIONAL = {
    kind: optional_fields(kind) for kind in msgspec.Struct.__subclasses__() if kind.__module__ == contract.__name__
}


def blank(value: Any, chance: Random, share: float) -> Any:
    """The value with a share of what may be None made so, at every depth, and some entries of mappings gone."""
    if isinstance(value, msgspec.Struct):
        gone = {name for name in OPTIONAL[type(value)] if chance.random() < share}
        names = (one.name for one in fields(value))
        changed = {name: None if name in gone else blank(getattr(value, name), chance, share) for name in names}
        return replace(value, **changed)
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if chance.random() >= share / 4}
        return {
            key: None if isinstance(item, float) and chance.random() < share else blank(item, chance, share)
            for key, item in kept.items()
        }
    return [blank(item, chance, share) for item in value] if isinstance(value, list) else value


def course_of(change: Callable[[Any], Any], samples: int) -> list[tuple[dict[str, Node], dict[str, Switch]]]:
    """Samples of three nodes and a switch in order, each changed."""
    three = list(rack().items())[:3]
    return [({name: change(view) for name, view in three}, {"crs812": change(switch())}) for _ in range(samples)]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.02, 0.2, 0.9]), st.integers(1, 4))
def test_what_is_not_known_never_makes_a_finding(seed: int, share: float, samples: int) -> None:
    chance = Random(seed)
    engine = Engine(rules())
    for n, (nodes, switches) in enumerate(course_of(lambda view: blank(view, chance, share), samples) * 4):
        fresh = {name: replace(view) for name, view in nodes.items()}
        moment = Moment(5.0 * n, fresh, {name: replace(view) for name, view in switches.items()})
        assert engine.update(moment, wall=5.0 * n) == []


KEPT = ("live", "mlx5_core", "r8127", "up", "fabric", "management")
"""Texts that lead into the rules; without them little would be judged at all."""


def wild(value: Any, chance: Random) -> Any:
    """The value with many of its numbers and texts replaced by any others of their type."""
    if isinstance(value, msgspec.Struct):
        return replace(value, **{one.name: wild(getattr(value, one.name), chance) for one in fields(value)})
    if isinstance(value, dict):
        return {key: wild(item, chance) for key, item in value.items()}
    if isinstance(value, list):
        return [wild(item, chance) for item in value][: chance.choice((0, 1, 2, 99))]
    if value is None or value in KEPT or chance.random() < 0.5:
        return value
    if isinstance(value, int):
        return chance.choice((0, 1, 79, 80, 721, 2**31, 2**63))
    if isinstance(value, float):
        return chance.choice((None, 0.0, 0.5, 1e3, 1e18, float("inf"), float("nan")))
    return chance.choice(("", "\x1b[2J", "[red]", "down", "x" * 5000))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_no_values_make_a_rule_fail(seed: int, samples: int) -> None:
    """Whatever a node or a switch says, a rule answers, with a text and with evidence that JSON can hold."""
    chance = Random(seed)
    evaluators = [rule.make(rule.thresholds) for rule in rules()]
    for n, (nodes, switches) in enumerate(course_of(lambda view: wild(view, chance), samples) * 3):
        for evaluate in evaluators:
            for one in evaluate(Moment(5.0 * n, nodes, switches, NODES)):
                assert one.target in (*NODES, "crs812")
                assert one.text
                json.dumps(one.evidence)
