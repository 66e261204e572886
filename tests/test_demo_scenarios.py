"""Every scenario raises its own rules and no other warning: through the product's collectors, decoders and rules."""

from __future__ import annotations

import pytest

from sparktui import cli
from sparktui.config import Settings
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import SCENARIOS, Scenario
from sparktui.monitor import Monitor
from sparktui.verdicts import registry
from tests.demo_world import World

WITHIN_S = 30.0


def test_scenarios_are_those_of_the_command_line() -> None:
    assert set(SCENARIOS) == set(cli.SCENARIOS)


def test_scenarios_raise_rules_that_exist() -> None:
    ids = {rule.id for rule in registry.rules()}
    assert {rule for scenario in SCENARIOS.values() for rule, _ in scenario.raises} <= ids


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_a_scenario_raises_its_rules_soon_and_no_other(scenario: Scenario) -> None:
    """Until the load has stopped twice and started once: every phase is seen."""
    world = World(DemoRack(scenario.name))
    world.run(180)
    assert set(world.raised) == scenario.raises
    assert all(at <= WITHIN_S for at in world.raised.values()), world.raised
    assert world.errors == []


def test_a_healthy_rack_raises_nothing_in_ten_minutes() -> None:
    world = World(DemoRack())
    world.run(600)
    assert world.raised == {}


@pytest.mark.parametrize("seed", [2, 3])
def test_no_seed_makes_a_healthy_rack_ill(seed: int) -> None:
    world = World(DemoRack(seed=seed))
    world.run(100)
    assert world.raised == {}


def test_both_ends_of_every_cable_are_seen() -> None:
    world = World(DemoRack())
    world.run(12)
    for name, node in world.views.items():
        number = name[-1]
        assert node.nics["enP7s7"].switch_port == f"sfp56-{number}"
        ports = {node.nics[half].switch_port for half in ("enp1s0f0np0", "enP2p1s0f0np0")}
        assert len(ports) == 1
        (cable,) = ports
        there = world.switch.ports[cable or ""]
        assert (there.node, there.speed_mbps) == (name, 200_000)
        assert there.nics == ["enp1s0f0np0", "enP2p1s0f0np0"]
        assert there.rx_bps == pytest.approx(181.1e9, rel=0.01)
        assert node.nics["enp1s0f1np1"].operstate == "down"
    assert world.switch.ports["sfp56-5"].neighbour == "nas1 enp3s0"
    assert (world.switch.model, world.switch.version) == ("CRS812-8DS-2DQ-2DDQ", "7.23.1")


def test_the_switch_is_as_healthy_as_the_reference_rack() -> None:
    world = World(DemoRack())
    world.run(2)
    rows = {row.name: row for row in world.switch.health}
    around = {"cpu-temperature": 38, "switch-temperature": 44, "phy-temperature": 37, "sfp-temperature": 68}
    for name, celsius in around.items():
        assert rows[name].value == pytest.approx(celsius, abs=1)
    assert [rows[f"board-temperature{n}"].value for n in (1, 2, 3)] == [30, 35, 40]
    assert all(6630 <= (rows[f"fan{n}-speed"].value or 0) <= 7230 for n in (1, 2, 3, 4))
    assert rows["psu1-power"].value == pytest.approx(49.8, abs=0.7)
    assert (rows["psu1-state"].state, rows["psu2-state"].state) == ("ok", "expected_absent")


def test_the_job_is_named_with_its_container() -> None:
    world = World(DemoRack())
    world.run(2)
    (process,) = world.views["spark2"].gpus[0].processes
    assert (process.name, process.container) == ("VLLM::Worker_TP0", "vllm_node")
    assert process.memory_bytes == pytest.approx(79.2 * 2**30, rel=0.001)
    world.run(63)
    assert world.views["spark2"].gpus[0].processes == []
    assert world.views["spark2"].gpus[0].pstate == "P8"


def test_the_wedged_gpu_gives_no_reason() -> None:
    world = World(DemoRack("pd-wedge"))
    world.run(3)
    gpu = world.views["spark4"].gpus[0]
    assert (gpu.sm_clock_mhz, gpu.event_reasons, gpu.pstate) == (721, [], "P0")
    assert gpu.power_w == pytest.approx(10, abs=1)
    assert gpu.temperature_c == pytest.approx(55, abs=2)


def test_a_rebooted_node_shows_a_gap_and_no_spike() -> None:
    world = World(DemoRack("dead-node"))
    highest = 0.0

    def look(world: World) -> None:
        nonlocal highest
        for node in world.views.values():
            highest = max(
                highest, node.nics["enp1s0f0np0"].rdma.rx_bps or 0.0 if node.nics["enp1s0f0np0"].rdma else 0.0
            )

    world.run(60, look)
    assert 90e9 < highest < 92e9


async def test_the_real_monitor_sees_a_node_die_and_come_back() -> None:
    """The whole way once in real time: SSH that falls silent, keepalives, staleness, reconnection, another boot."""
    monitor = Monitor(Settings(), demo="dead-node")
    await monitor.start()
    try:
        rack = await monitor.until(lambda rack: any(one.rule == "node.rebooted" for one in rack.findings), WITHIN_S)
        ended = monitor.rack(with_ended=True).findings
    finally:
        await monitor.stop()
    seen = {(one.rule, one.target) for one in [*rack.findings, *ended] if one.severity != "info"}
    assert seen | {("node.rebooted", "spark3")} == SCENARIOS["dead-node"].raises
    assert rack.nodes["spark3"].state == "live"
