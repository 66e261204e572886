"""The rules about the switch: its hardware, its ports, and whether it can be seen."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Health, Port, Switch
from tests.rule_cases.rack import (
    health,
    port,
    show,
    switch,
)


def test_a_switch_that_does_not_answer() -> None:
    (found,) = show("switch.unreachable", [(0.0, {}, {"crs812": Switch("unreachable", error="no answer in 4 s")})])
    assert (found.target, found.text) == ("crs812", "no answer in 4 s")
    for state in ("live", "stale", "connecting"):
        assert show("switch.unreachable", [(0.0, {}, {"crs812": switch(state=state)})]) == []


def ill(*rows: Health) -> list[str]:
    kept = [row for row in health() if row.name not in {one.name for one in rows}]
    return [one.text for one in show("switch.health", [(0.0, {}, {"crs812": switch(health=[*kept, *rows])})])]


def test_the_reference_switch_is_well() -> None:
    """Its second supply has no input on purpose, and its owner said so."""
    assert ill() == []


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ([Health("psu1-state", 1.0, "", "not_ok")], ["psu1-state is not ok (code 1)"]),
        ([Health("psu2-state", 4.0, "", "not_ok")], ["psu2-state is not ok (code 4)"]),
        ([Health("fan-state", None, "", "not_ok")], ["fan-state is not ok"]),
        ([Health("fan2-speed", 0.0, "rpm", None)], ["fan2-speed stands still while the others turn at 6630-7230 rpm"]),
        ([Health("fan2-speed", None, "rpm", None)], []),
        ([Health(f"fan{n}-speed", 0.0, "rpm", None) for n in range(1, 5)], []),
        ([Health("psu2-fan-speed", 0.0, "rpm", None)], []),
        (
            [Health("psu1-fan-speed", 0.0, "rpm", None)],
            ["psu1-fan-speed stands still while the others turn at 6630-7230 rpm"],
        ),
        ([Health("cpu-temperature", 84.0, "C", None)], []),
        ([Health("cpu-temperature", 85.0, "C", None)], ["cpu-temperature 85 C"]),
        ([Health("switch-temperature", 91.0, "C", None)], ["switch-temperature 91 C"]),
        ([Health("sfp-temperature", 88.0, "C", None)], []),
        ([Health("psu2-temperature", 0.0, "C", None)], []),
        ([Health("something-new", 1e9, "", None)], []),
    ],
)
def test_the_switchs_health(rows: list[Health], texts: list[str]) -> None:
    assert ill(*rows) == texts


def test_a_supply_that_is_off_on_purpose_can_be_said_so() -> None:
    off = switch(health=[Health("psu2-state", 4.0, "", "not_ok")])
    (found,) = show("switch.health", [(0.0, {}, {"crs812": off})])
    assert (found.next or "").startswith("Check its cord and feed, reseat it, then replace it. ")
    assert 'expected_absent = ["psu2"]' in (found.next or "")


def port_course(per_poll: dict[str, int], polls: int, every_s: float = 5.0, **changed: Any) -> list[Any]:
    """A course of polls in which the port's counters grow."""
    course = []
    for n in range(polls + 1):
        grown = {name: n * by for name, by in per_poll.items()}
        view = port(
            rx_fcs_errors_total=3 + grown.pop("fcs", 0),
            rx_drops_total=grown.pop("rx_drops", 0),
            tx_drops_total=12 + grown.pop("tx_drops", 0),
            counters_total={"RxAlignError": 0, "RxOverflow": 0, **grown},
            **changed,
        )
        course.append((n * every_s, {}, {"crs812": switch(ports={"sfp56-1": view})}))
    return course


@pytest.mark.parametrize(
    ("per_poll", "says"),
    [
        ({"fcs": 70}, "port (to spark1) counts 140 FCS errors in 10 s"),
        ({"tx_drops": 40}, "80 drops on the way out"),
        ({"rx_drops": 40}, "80 drops of received frames"),
        ({"RxAlignError": 9}, "18 alignment errors"),
        ({"RxOverflow": 9}, "18 overflows"),
        ({"RxTooLong": 9}, "18 too long frames"),
        ({"RxPause": 287, "TxPause": 46}, None),
        ({}, None),
    ],
)
def test_port_errors(per_poll: dict[str, int], says: str | None) -> None:
    found = show("switch.port_errors", port_course(per_poll, 2))
    assert [says in one.text for one in found if says] == ([True] if says else [])
    assert bool(found) == (says is not None)


@pytest.mark.parametrize(
    ("per_poll", "there"),
    [({"fcs": 4}, False), ({"fcs": 5}, True), ({"tx_drops": 9}, False), ({"tx_drops": 10}, True)],
)
def test_limits_of_port_errors(per_poll: dict[str, int], there: bool) -> None:
    assert bool(show("switch.port_errors", port_course(per_poll, 1))) == there


def test_port_errors_from_before_and_of_a_port_that_is_down_do_not_count() -> None:
    assert show("switch.port_errors", port_course({"fcs": 0}, 20)) == [], "3 FCS errors stood there before"
    assert show("switch.port_errors", port_course({"fcs": 900}, 3, oper="down")) == []


def test_port_errors_of_a_cable_being_plugged_do_not_count() -> None:
    before = port_course({}, 3)
    bounced = port(rx_fcs_errors_total=900, counters_total={"LinkDowns": 2})
    first = [
        (now, nodes, {"crs812": switch(ports={"sfp56-1": port(counters_total={"LinkDowns": 1})})})
        for now, nodes, _ in before
    ]
    after = [(20.0 + 5 * n, {}, {"crs812": switch(ports={"sfp56-1": replace(bounced)})}) for n in range(3)]
    assert show("switch.port_errors", first + after) == []


def test_a_counter_reset_is_no_growth() -> None:
    up = port_course({"fcs": 0}, 1)
    reset = port(rx_fcs_errors_total=0)
    again = port(rx_fcs_errors_total=2)
    course = [
        *up,
        *((10.0 + 5 * n, {}, {"crs812": switch(ports={"sfp56-1": p})}) for n, p in enumerate([reset, again])),
    ]
    assert show("switch.port_errors", course) == []


def unknown_port(view: Port) -> Port:
    return replace(view, rx_fcs_errors_total=None, rx_drops_total=None, tx_drops_total=None, counters_total={})


def test_a_port_whose_counters_are_not_read_is_not_judged() -> None:
    course = [
        (now, nodes, {"crs812": switch(ports={"sfp56-1": unknown_port(switches["crs812"].ports["sfp56-1"])})})
        for now, nodes, switches in port_course({"fcs": 900}, 3)
    ]
    assert show("switch.port_errors", course) == []
