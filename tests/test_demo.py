"""The simulated rack: its physics, and that what it renders is what the very collectors and decoders read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import nic_counters
from sparktui.collectors.nic import parse_net_dev
from sparktui.demo.cabling import FABRIC_PORTS, RJ45_PORTS
from sparktui.demo.hardware import HALVES, RJ45
from sparktui.demo.physics import LoadProgram, chance, key, noise
from sparktui.demo.rack import DemoRack
from sparktui.demo.scenarios import NODES, SCENARIOS, STOCK
from sparktui.demo.switch_static import INDEX
from sparktui.demo.traffic import FCS_OCTETS, Flow, Link
from sparktui.rates import CounterGroup
from sparktui.switch import oids
from tests.demo_world import Probe

BOOT_ID = "/proc/sys/kernel/random/boot_id"


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdecimal()]


def port(rack: DemoRack, name: str) -> dict[str, int]:
    """All counters that are read of one switch port, by MIB name."""
    table = rack.switch_table()
    columns = {**oids.TRAFFIC, **oids.DISCARDS_AND_ERRORS, **oids.STATISTICS}
    return {name_: int(table[(*oid, INDEX[name])].plain) for name_, oid in columns.items()}  # type: ignore[arg-type]


@given(st.integers(0, 1 << 32), st.floats(-1e6, 1e6), st.integers(-1000, 1000))
def test_noise_wanders_within_bounds_and_without_jumps(seed: int, t: float, n: int) -> None:
    assert -1 <= noise(seed, t) <= 1
    assert 0 <= chance(seed, n) < 1
    assert abs(noise(seed, t) - noise(seed, t + 0.01)) < 0.05


def test_chance_is_even() -> None:
    values = [chance(key(1, "even"), n) for n in range(2000)]
    assert 0.47 < sum(values) / len(values) < 0.53
    assert min(values) < 0.01
    assert max(values) > 0.99


@given(
    st.lists(
        st.tuples(st.floats(0, 1e7), st.floats(60, 9000), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40
    )
)
def test_a_flow_loses_nothing_but_what_breaks(steps: list[tuple[float, float, float, float]]) -> None:
    source, target = Link(), Link()
    flow = Flow(source, target)
    due = 0.0
    for frames, octets, broken_in, broken_out in steps:
        before = source.up.copy(), target.down.copy()
        flow.send(frames, octets, broken_in, broken_out)
        due += frames
        assert min(source.up.since(before[0]).frames, target.down.since(before[1]).octets) >= 0
    assert target.down.frames == source.up.frames - source.up.broken
    assert target.down.octets == source.up.octets - source.up.broken_octets
    assert 0 <= target.down.broken <= target.down.frames
    assert abs(source.up.frames - due) < 1.001
    assert source.down.frames == target.up.frames == 0


def test_nodes_follow_the_job_within_half_a_second() -> None:
    program = LoadProgram(seed=3)
    times = [at / 20 for at in range(20 * 240)]
    states = [[program.running(t, node) for node in range(4)] for t in times]
    assert all(states[0])
    mixed = sum(len(set(state)) > 1 for state in states) / 20
    assert mixed <= 0.5 * 5
    assert sum(not any(state) for state in states) / 20 > 30


def test_speed_shortens_phases_and_not_rates() -> None:
    phases = {}
    for speed in (1.0, 5.0):
        program = LoadProgram(1, speed)
        phases[speed] = next(t for t in range(1000) if not program.running(float(t), 0))
    assert phases == {1.0: 61, 5.0: 13}
    for speed in (1.0, 5.0):
        rack = DemoRack(speed=speed)
        before = rack.reader("spark1").ethtool_stats(HALVES[0])["rx_bytes_phy"]
        rack.step(4.0)
        grown = rack.reader("spark1").ethtool_stats(HALVES[0])["rx_bytes_phy"] - before
        assert grown * 8 / 4 == pytest.approx(90.5e9, rel=0.01)


@pytest.fixture(params=SCENARIOS)
def rack(request: pytest.FixtureRequest) -> DemoRack:
    return DemoRack(request.param)


def passing(rack: DemoRack, seconds: int) -> Iterator[float]:
    for _ in range(seconds):
        rack.step(1.0)
        yield rack.now


def test_every_frame_is_accounted_for_at_both_ends(rack: DemoRack) -> None:
    """What a NIC sends its port receives or counts as broken; what a port sends its NIC receives, breaks or loses."""
    boots = dict.fromkeys(NODES, 0)
    for _ in passing(rack, 30):
        for name in NODES:
            if rack.nodes[name].silent or rack.nodes[name].boots != boots[name]:
                continue
            reader = rack.reader(name)
            nic, there = reader.ethtool_stats(RJ45), port(rack, RJ45_PORTS[name])
            assert nic["tx_packets"] == there["ifHCInUcastPkts"] + there["RxFCSError"]
            garbled = nic["rx_mac_error"] + nic["rx_mac_missed"]
            assert nic["rx_packets"] + garbled == there["ifHCOutUcastPkts"]
            assert there["ifInErrors"] == there["RxFCSError"]
            halves = [reader.ethtool_stats(half) for half in HALVES]
            cable = port(rack, FABRIC_PORTS[name])
            for way, frames, octets in (
                ("tx", "ifHCInUcastPkts", "ifHCInOctets"),
                ("rx", "ifHCOutUcastPkts", "ifHCOutOctets"),
            ):
                assert sum(half[f"{way}_packets_phy"] for half in halves) == cable[frames]
                assert sum(half[f"{way}_bytes_phy"] for half in halves) == cable[octets]


def test_rdma_passes_the_netdev_by(rack: DemoRack) -> None:
    reader = rack.reader("spark1")
    counters = "/sys/class/infiniband/rocep1s0f0/ports/1/counters/"
    before = parse_net_dev(reader.text("/proc/net/dev"))[HALVES[0]], int(reader.text(counters + "port_rcv_data"))
    rack.step(2.0)
    after = parse_net_dev(reader.text("/proc/net/dev"))[HALVES[0]], int(reader.text(counters + "port_rcv_data"))
    assert (after[1] - before[1]) * 4 * 8 / 2 == pytest.approx(90.5e9, rel=0.01)
    assert after[0][0] - before[0][0] < 1_000
    stats = reader.ethtool_stats(HALVES[0])
    assert stats["rx_vport_rdma_unicast_bytes"] // 4 == after[1]
    frames = stats["rx_packets_phy"]
    assert stats["rx_bytes_phy"] == stats["rx_vport_rdma_unicast_bytes"] + stats["rx_bytes"] + FCS_OCTETS * frames


def test_readings_stay_in_the_range_of_a_gb10(rack: DemoRack) -> None:
    nvml = {name: rack.reader(name).nvml() for name in NODES if name != "spark3"}
    seen: dict[str, list[int]] = {name: [] for name in nvml}
    for _ in passing(rack, 240):
        for name, gpu in nvml.items():
            celsius, clock = gpu.nvmlDeviceGetTemperature(0, 0), gpu.nvmlDeviceGetClockInfo(0, 1)
            seen[name].append(celsius)
            assert 36 <= celsius <= 89
            assert clock == 208 or 2375 <= clock <= 2400 or (name == "spark4" and clock == 721)
            assert 3.0 <= gpu.nvmlDeviceGetPowerUsage(0) / 1000 <= 90
            if gpu.nvmlDeviceGetUtilizationRates(0).gpu >= 80:
                assert clock > 700
                assert gpu.nvmlDeviceGetPerformanceState(0) == 0
    assert all(max(celsius) - min(celsius) > 8 for celsius in seen.values())


def test_load_shows_from_the_first_second() -> None:
    """The figures of four equal nodes under a GEMM: 2380-2390 MHz, 87-89 W, 76-78 C, 96 %, P0, 93 of 119 GiB."""
    rack = DemoRack()
    for name in NODES:
        reader = rack.reader(name)
        gpu = reader.nvml()
        assert 2376 <= gpu.nvmlDeviceGetClockInfo(0, 1) <= 2394
        assert 87_000 <= gpu.nvmlDeviceGetPowerUsage(0) <= 89_100
        assert 75 <= gpu.nvmlDeviceGetTemperature(0, 0) <= 78
        assert 95 <= gpu.nvmlDeviceGetUtilizationRates(0).gpu <= 97
        kb = dict(line.split(":") for line in reader.text("/proc/meminfo").splitlines())
        total, available = (numbers(kb[field])[0] for field in ("MemTotal", "MemAvailable"))
        assert total / 2**20 == pytest.approx(119.7, abs=0.1)
        assert (total - available) / 2**20 == pytest.approx(93, abs=0.5)


def widths(driver: str, stats: Mapping[str, int]) -> dict[str, int]:
    kept = nic_counters.widths(driver)
    return {name: kept.get(name, 64) for name in nic_counters.keep(driver, stats)}


@pytest.mark.parametrize("near_wrap", [False, True])
@pytest.mark.parametrize("scenario", ["rx-loss", "cable-loss"])
def test_counters_never_fall_but_by_a_wrap_of_their_width(scenario: str, near_wrap: bool) -> None:
    rack = DemoRack(scenario, near_wrap=near_wrap)
    reader = rack.reader(next(target for _, target in SCENARIOS[scenario].raises if target in NODES))
    bits = widths("r8127", reader.ethtool_stats(RJ45))
    group = CounterGroup(bits)
    wrapped, last = 0, reader.ethtool_stats(RJ45)
    for at in passing(rack, 40):
        raw = {name: reader.ethtool_stats(RJ45)[name] for name in bits}
        assert all(value < 1 << bits[name] for name, value in raw.items())
        wrapped += sum(raw[name] < last[name] for name in bits)
        group.update(raw, at)
        last = raw
        if at > 1:
            assert None not in group.per_s.values()
    assert (wrapped > 0) == near_wrap
    lost = group.per_s["rx_mac_error"]
    assert lost is not None
    assert lost > 10
    if scenario == "rx-loss":
        assert group.per_s["rx_missed"] == group.per_s["rx_mac_missed"] == pytest.approx(412, rel=0.1)


def test_near_wrap_reaches_interrupts_and_the_switch() -> None:
    rack = DemoRack("cable-loss", near_wrap=True)
    reader, name = rack.reader("spark2"), RJ45_PORTS["spark2"]

    def first_ring() -> int:
        line = next(line for line in reader.text("/proc/interrupts").splitlines() if line.endswith("enP7s7-0"))
        return sum(numbers(line.partition("ITS")[0].partition(":")[2]))

    before = first_ring(), port(rack, name)["ifInErrors"]
    rack.step(10.0)
    assert first_ring() < before[0] < 1 << 32
    assert port(rack, name)["ifInErrors"] < before[1] < 1 << 32
    assert port(rack, name)["RxFCSError"] > 100


def test_the_interrupt_table_looks_like_a_kernels() -> None:
    reader = DemoRack().reader("spark1")
    text = reader.text("/proc/interrupts")
    header, *lines = text.splitlines()
    assert header.split() == [f"CPU{cpu}" for cpu in range(20)]
    assert len(lines) > 200
    named = [line for line in lines if "enP7s7-" in line]
    assert len(named) == 32
    for line in lines:
        counts = line.partition(":")[2][: 11 * 20]
        assert len(counts.split()) == 20, line
    assert sum("mlx5_comp" in line for line in lines) == 80


def test_only_lines_that_fired_change() -> None:
    rack = DemoRack()
    reader = rack.reader("spark1")
    before = reader.text("/proc/interrupts").splitlines()
    assert reader.text("/proc/interrupts").splitlines() == before
    rack.step(1.0)
    after = reader.text("/proc/interrupts").splitlines()
    changed = [line for old, line in zip(before, after, strict=True) if old != line]
    assert 20 < len(changed) < 80
    assert all("smmu" not in line for line in changed)


def test_stock_driver_takes_every_frame_on_cpu_0() -> None:
    rack = DemoRack("rx-loss")
    assert rack.reader("spark2").ethtool_channels(RJ45).rx == STOCK.rx_queues
    reader = rack.reader("spark1")
    idle = 0
    for _ in passing(rack, 60):
        now = numbers(reader.text("/proc/stat").splitlines()[1])[3]
        assert now >= idle
        idle = now
    before = reader.text("/proc/net/softnet_stat").splitlines()
    rack.step(1.0)
    after = reader.text("/proc/net/softnet_stat").splitlines()
    grown = [int(new.split()[0], 16) - int(old.split()[0], 16) for old, new in zip(before, after, strict=True)]
    assert grown[0] > 400_000
    assert sum(grown[1:]) == 0


def everything(rack: DemoRack) -> list[object]:
    paths = ("/proc/interrupts", "/proc/stat", "/proc/net/dev", "/proc/net/snmp", "/proc/meminfo", BOOT_ID)
    texts = [rack.reader(name).text(path) for name in NODES for path in paths]
    return [*texts, dict(rack.switch_table())]


def test_a_seed_always_gives_the_same_rack() -> None:
    racks = [DemoRack("cable-loss", seed=seed, wall=lambda: 0.0) for seed in (5, 5, 6)]
    for one in racks:
        for _ in range(70):
            one.step(1.0)
    same, again, other = (everything(one) for one in racks)
    assert same == again
    assert same != other


def test_a_reboot_starts_every_counter_of_the_node_and_none_of_the_switch() -> None:
    rack = DemoRack()
    rack.step(1.0)
    reader = rack.reader("spark2")
    boot_id, sent = reader.text(BOOT_ID), port(rack, RJ45_PORTS["spark2"])["ifHCOutUcastPkts"]
    rack.reboot("spark2")
    assert reader.text(BOOT_ID) != boot_id
    assert reader.ethtool_stats(RJ45)["rx_packets"] == 0
    assert reader.text("/sys/class/infiniband/rocep1s0f0/ports/1/counters/port_xmit_data") == "0\n"
    assert 5 < reader.monotonic() < 20
    assert float(reader.text("/proc/uptime").split()[0]) == pytest.approx(reader.monotonic(), abs=0.01)
    rack.step(1.0)
    assert 100 < reader.ethtool_stats(RJ45)["rx_packets"] < 100_000
    assert port(rack, RJ45_PORTS["spark2"])["ifHCOutUcastPkts"] > sent
    _, errors = Probe(rack, "spark2").tick(0.0)
    assert errors == {}


def test_a_clock_jump_moves_only_the_wall_clock() -> None:
    rack = DemoRack(wall=lambda: 1_790_000_000.0)
    reader = rack.reader("spark1")
    wall, mono = reader.wall(), reader.monotonic()
    rack.jump_clock("spark1", -3600.0)
    assert reader.wall() == pytest.approx(wall - 3600, abs=1e-3)
    assert reader.monotonic() == mono
    assert rack.reader("spark2").wall() == pytest.approx(wall, abs=0.01)


def test_a_silent_node_answers_nothing_and_the_job_ends_everywhere() -> None:
    rack = DemoRack()
    rack.silence("spark3", True)
    with pytest.raises(OSError, match="timed out"):
        rack.reader("spark3").text("/proc/stat")
    with pytest.raises(OSError, match="timed out"):
        rack.reader("spark3").monotonic()
    rack.step(4.0)
    assert not any(node.running for node in rack.nodes.values())
    before = port(rack, FABRIC_PORTS["spark1"])["ifHCInOctets"]
    rack.step(1.0)
    assert port(rack, FABRIC_PORTS["spark1"])["ifHCInOctets"] - before < 1_000
    rack.silence("spark3", False)
    rack.step(10.0)
    assert all(node.running for node in rack.nodes.values())


def test_a_rack_with_a_clock_follows_it() -> None:
    now = 100.0
    rack = DemoRack(clock=lambda: now)
    reader = rack.reader("spark1")
    before = reader.monotonic(), reader.ethtool_stats(RJ45)["rx_packets"]
    assert reader.monotonic() == before[0]
    now += 2.0
    assert reader.monotonic() == pytest.approx(before[0] + 2.0)
    assert reader.ethtool_stats(RJ45)["rx_packets"] > before[1]


def test_switch_counters_stand_still_between_refreshes() -> None:
    rack = DemoRack(port_refresh_s=3.0)
    seen = []
    for _ in passing(rack, 9):
        seen.append(port(rack, FABRIC_PORTS["spark1"])["ifHCInOctets"])
    assert len(set(seen)) == 4
    assert rack.switch_table() is rack.switch_table()


def test_what_is_not_there_is_not_found() -> None:
    reader = DemoRack().reader("spark1")
    for call, path in (
        (reader.text, "/proc/nothing"),
        (reader.names, "/sys/class/nothing"),
        (reader.link, "/proc/stat"),
    ):
        with pytest.raises(FileNotFoundError):
            call(path)
    for operation in (reader.ethtool_driver, reader.ethtool_stats, reader.ethtool_channels):
        with pytest.raises(OSError, match="not supported"):
            operation("docker0")
    assert "device" in reader.names("/sys/class/net/enP7s7")
    assert "device" not in reader.names("/sys/class/net/docker0")
