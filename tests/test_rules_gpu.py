"""The rules about GPUs, against captures of the faults and of healthy machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.contract import Gpu, Node
from tests.rule_cases.rack import NODES, gpu, node, once, rack, show, steady

CLOCK = "gpu.low_clock_under_load"

WEDGED: list[Any] = [
    pytest.param(513, 90, 5.0, id="513 MHz at 5 W"),
    pytest.param(611, 94, 12.0, id="611 MHz at 12 W"),
    pytest.param(650, 96, 16.0, id="650 MHz at 16 W"),
    pytest.param(721, 96, 10.0, id="721 MHz at 10 W, 55 C"),
    pytest.param(850, 91, 30.0, id="850 MHz in the 30 W safety mode"),
]
"""Reports of the USB-PD latch on GB10 machines: no reason active, P0, 44-55 C."""

HEALTHY: list[Any] = [
    pytest.param({}, id="load: 2380 MHz 88 W 96 %"),
    pytest.param({"sm_clock_mhz": 2200, "power_w": 28.0}, id="load: 2200 MHz 28 W"),
    pytest.param({"sm_clock_mhz": 2522, "power_w": 15.57, "utilization_percent": 40}, id="light load: 2522 MHz 15.6 W"),
    pytest.param(
        {"sm_clock_mhz": 208, "power_w": 11.62, "utilization_percent": 0, "event_reasons": ["gpu_idle"]},
        id="idle: 208 MHz 11.6 W",
    ),
    pytest.param({"sm_clock_mhz": 2400, "power_w": 4.5, "utilization_percent": 0}, id="idle in P0, context open"),
    pytest.param({"sm_clock_mhz": 208, "utilization_percent": 0, "event_reasons": ["sw_power_cap"]}, id="cap, idle"),
    pytest.param({"sm_clock_mhz": 2411, "power_w": 22.0}, id="a rank that waits for ever: 96 % at 22 W, clock normal"),
    pytest.param({"sm_clock_mhz": 2390, "clock_cap_mhz": 2400}, id="capped at 2400 by the owner"),
    pytest.param({"sm_clock_mhz": 990, "power_w": 18.0, "clock_cap_mhz": 1000}, id="capped at 1000 by the owner"),
]


@pytest.mark.parametrize(("mhz", "load", "watts"), WEDGED)
def test_a_latched_supply_is_found(mhz: int, load: int, watts: float) -> None:
    wedged = gpu(sm_clock_mhz=mhz, utilization_percent=load, power_w=watts, temperature_c=55, event_reasons=[])
    (found,) = once(CLOCK, node(gpus=[wedged]))
    assert (found.target, found.part, found.evidence["gpu"]) == ("spark1", "gpu0", "gpu0")
    assert f"{mhz} MHz at {load} % load, {watts:.0f} W, no throttle reason given" in found.text
    assert "60 s" in (found.next or "")


def test_the_power_cap_reason_hides_no_latch() -> None:
    """SW power cap is active 46 % of a healthy GB10's uptime, so a latched one may show it as well."""
    (found,) = once(CLOCK, node(gpus=[gpu(sm_clock_mhz=650, power_w=12.0, event_reasons=["sw_power_cap"])]))
    assert "no throttle reason but the usual power cap" in found.text


def test_a_latch_is_found_under_the_owners_cap() -> None:
    assert once(CLOCK, node(gpus=[gpu(sm_clock_mhz=721, power_w=10.0, event_reasons=[], clock_cap_mhz=1000)]))


@pytest.mark.parametrize("changed", HEALTHY)
def test_a_healthy_gb10_is_left_alone(changed: dict[str, Any]) -> None:
    assert once(CLOCK, node(gpus=[gpu(**changed)])) == []


@pytest.mark.parametrize(
    "reason", ["sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "applications_clocks_setting"]
)
def test_a_reason_that_explains_it_is_not_this_rule(reason: str) -> None:
    assert once(CLOCK, node(gpus=[gpu(sm_clock_mhz=721, power_w=10.0, event_reasons=[reason, "sw_power_cap"])])) == []


@pytest.mark.parametrize(
    ("at", "beyond"),
    [
        ({"sm_clock_mhz": 1399}, {"sm_clock_mhz": 1400}),
        ({"utilization_percent": 80}, {"utilization_percent": 79}),
        ({"power_w": 40.0}, {"power_w": 40.1}),
    ],
)
def test_limits_of_the_latch(at: dict[str, Any], beyond: dict[str, Any]) -> None:
    wedged = gpu(sm_clock_mhz=721, power_w=10.0, event_reasons=[])
    assert len(once(CLOCK, node(gpus=[replace(wedged, **at)]))) == 1
    assert once(CLOCK, node(gpus=[replace(wedged, **beyond)])) == []


@pytest.mark.parametrize("unknown", ["sm_clock_mhz", "utilization_percent", "power_w", "event_reasons"])
def test_what_is_not_known_proves_no_latch(unknown: str) -> None:
    wedged = gpu(sm_clock_mhz=721, power_w=10.0, event_reasons=[])
    assert once(CLOCK, node(gpus=[replace(wedged, **{unknown: None})])) == []


@pytest.mark.parametrize("name", ["NVIDIA GB100", "NVIDIA GB102"])
def test_other_chips_are_not_judged_by_the_gb10s_limits(name: str) -> None:
    assert once(CLOCK, node(gpus=[gpu(name=name, sm_clock_mhz=1300, max_sm_clock_mhz=1900, event_reasons=[])])) == []


def h200(**changed: Any) -> Gpu:
    loaded = gpu(name="NVIDIA H200", sm_clock_mhz=1500, max_sm_clock_mhz=1980, power_w=692.0, power_limit_w=700.0)
    return replace(loaded, **{"event_reasons": ["sw_power_cap"], "utilization_percent": 100, **changed})


def test_an_h200_at_its_power_limit_runs_below_its_maximum_by_design(samples: Path) -> None:
    """Every half second of a GEMM on an H200: 1185-1530 of 1980 MHz, SW power cap active."""
    lines = [json.loads(line) for line in (samples / "h200" / "nvml-gemm.jsonl").read_text().splitlines()]
    assert min(line["sm"] for line in lines) < 0.6 * 1980, "the sample would not show anything"
    for line in lines:
        reasons = ["sw_power_cap"] if line["reasons"] & 4 else []
        view = h200(sm_clock_mhz=line["sm"], utilization_percent=line["util"], power_w=line["w"], event_reasons=reasons)
        assert once(CLOCK, node(gpus=[view])) == []


def test_another_gpu_is_measured_by_its_maximum_and_its_peers() -> None:
    slow = h200(sm_clock_mhz=600, event_reasons=[])
    assert len(once(CLOCK, node(gpus=[slow]))) == 1
    assert once(CLOCK, node(gpus=[h200(sm_clock_mhz=1188, event_reasons=[])])) == [], "60 % of the maximum"
    assert once(CLOCK, node(gpus=[slow]), *[node(gpus=[h200(sm_clock_mhz=700)])] * 3) == [], "its peers do the same"
    assert len(once(CLOCK, node(gpus=[slow]), *[node(gpus=[h200()])] * 3)) == 1
    assert once(CLOCK, node(gpus=[replace(slow, clock_cap_mhz=660)])) == [], "the owner's cap"
    assert once(CLOCK, node(gpus=[replace(slow, max_sm_clock_mhz=None)])) == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("sw_thermal_slowdown", "software thermal slowdown active, 91 C, 1900 MHz, 60 W"),
        ("hw_thermal_slowdown", "hardware thermal slowdown active"),
        ("hw_slowdown", "hardware slowdown active"),
        ("hw_power_brake_slowdown", "hardware power brake active"),
    ],
)
def test_a_gpu_that_protects_itself(reason: str, words: str) -> None:
    view = gpu(event_reasons=["sw_power_cap", reason], temperature_c=91, sm_clock_mhz=1900, power_w=60.0)
    (found,) = once("gpu.thermal", node(gpus=[view]))
    assert words in found.text
    assert ("airflow" in (found.next or "")) == ("thermal" in reason)


@pytest.mark.parametrize(
    "reasons", [["sw_power_cap"], ["gpu_idle"], [], None, ["applications_clocks_setting", "sync_boost"]]
)
def test_what_is_normal_is_not_thermal(reasons: list[str] | None) -> None:
    """SW power cap: in 7 of 15 one-second samples of an idle GB10."""
    assert once("gpu.thermal", node(gpus=[gpu(event_reasons=reasons, temperature_c=86)])) == []


HOT = "gpu.hotter_than_peers"


def hot_rack(celsius: int | None, n: int = 4, **changed: Any) -> dict[str, Node]:
    """The reference rack with spark2 at `celsius`; the others at 76-77 C."""
    nodes = dict(list(rack().items())[:n])
    return nodes | {"spark2": node(gpus=[gpu(temperature_c=celsius, **changed)])}


def test_a_hot_node_is_named_with_the_rack_it_is_measured_by() -> None:
    (found,) = show(HOT, steady(hot_rack(87), 10), order=NODES)
    assert found.target == "spark2"
    assert "87 C, 10 C above the rack's median of 77 C at the same load (88 W, n = 4)" in found.text
    assert (found.evidence["confidence"], found.evidence["rack_position"]) == ("high", 2)


def test_the_reference_rack_has_no_outlier() -> None:
    """Measured: 76-78 C in the simultaneous phase, 2 C between the four nodes."""
    assert show(HOT, steady(hot_rack(78), 30)) == []


def test_limits_of_the_hot_node() -> None:
    assert len(show(HOT, steady(hot_rack(83), 10), order=NODES)) == 1, "6 C above 77"
    assert show(HOT, steady(hot_rack(82), 10)) == []
    assert show(HOT, steady(hot_rack(87), 9)) == [], "not loaded for long enough"


def test_three_give_low_confidence_and_two_no_median() -> None:
    (found,) = show(HOT, steady(hot_rack(87, n=3), 10))
    assert found.evidence["confidence"] == "low"
    assert "low confidence" in found.text
    assert show(HOT, steady(hot_rack(95, n=2), 10)) == []


def test_a_scattered_rack_has_no_outlier() -> None:
    """Three times the median deviation: 60, 70, 80 and 90 C say that all differ, not that one does."""
    nodes = {name: node(gpus=[gpu(temperature_c=60 + 10 * n)]) for n, name in enumerate(NODES)}
    assert show(HOT, steady(nodes, 10)) == []


def test_idle_peers_are_no_measure() -> None:
    idle = node(gpus=[gpu(utilization_percent=0, power_w=5.0, temperature_c=40)])
    nodes = {"spark1": idle, "spark2": node(gpus=[gpu(temperature_c=87)]), "spark3": idle, "spark4": idle}
    assert show(HOT, steady(nodes, 30)) == []


def test_peers_that_work_less_hard_are_no_measure() -> None:
    nodes = {name: node(gpus=[gpu(power_w=40.0, temperature_c=60)]) for name in NODES}
    nodes["spark2"] = node(gpus=[gpu(power_w=88.0, temperature_c=77)])
    assert show(HOT, steady(nodes, 30)) == []


def test_a_short_dip_of_the_load_does_not_start_again() -> None:
    course = steady(hot_rack(87), 15)
    now, nodes, switches = course[8]
    course[8] = now, {name: replace(view, gpus=[gpu(utilization_percent=40)]) for name, view in nodes.items()}, switches
    assert len(show(HOT, course)) == 1


@pytest.mark.parametrize("unknown", ["temperature_c", "power_w", "utilization_percent"])
def test_what_is_not_known_makes_no_hot_node(unknown: str) -> None:
    nodes = hot_rack(87)
    nodes["spark2"] = node(gpus=[replace(nodes["spark2"].gpus[0], **{unknown: None})])
    assert show(HOT, steady(nodes, 10)) == []


def test_the_hottest_gpu_stands_for_a_node_with_several() -> None:
    several = {name: node(gpus=[gpu(), gpu(index=1, temperature_c=78)]) for name in NODES}
    several["spark3"] = node(gpus=[gpu(), gpu(index=1, temperature_c=90)])
    (found,) = show(HOT, steady(several, 10))
    assert (found.target, found.part) == ("spark3", "gpu1")
