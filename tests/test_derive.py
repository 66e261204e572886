"""Samples to views: rates over the node's own clock, gaps at reboots, what each driver's counters mean."""

from dataclasses import dataclass, replace

import pytest

from sparktui.collectors.cpu import CpuInfoSample, CpuSample
from sparktui.collectors.gpu import GpuProcess, GpuReading, GpuSample
from sparktui.collectors.irq import IrqAffinity, IrqInfoSample, IrqSample, IrqVector
from sparktui.collectors.memory import MemorySample
from sparktui.collectors.nic import NicCounters, NicInfo, NicInfoSample, NicSample
from sparktui.collectors.platform import PlatformSample
from sparktui.collectors.rdma import RdmaPort, RdmaSample
from sparktui.collectors.sensors import SensorsSample
from sparktui.collectors.softnet import SoftnetSample
from sparktui.collectors.tcp import TcpSample
from sparktui.config import NodeConfig
from sparktui.contract import Node
from sparktui.derive import NodeDeriver


@dataclass(frozen=True)
class Line:
    """What one line of the probe holds."""

    gpu: GpuSample | None = None
    cpu: CpuSample | None = None
    cpu_info: CpuInfoSample | None = None
    memory: MemorySample | None = None
    nic: NicSample | None = None
    nic_info: NicInfoSample | None = None
    rdma: RdmaSample | None = None
    irq: IrqSample | None = None
    irq_info: IrqInfoSample | None = None
    softnet: SoftnetSample | None = None
    tcp: TcpSample | None = None
    sensors: SensorsSample | None = None
    platform: PlatformSample | None = None


R8127 = NicInfo("enP7s7", "r8127", "11.014.00-NAPI", "", "0007:01:00.0", "02:00:00:00:00:07", None, None, False, 1, 1)
NIC = NicCounters(
    "enP7s7", "up", 2, 10_000, 1500, 1_000, 500, 10, 5, 0, 0, 0, 0, {"rx_mac_missed": 100, "rx_mac_error": 7}
)


def deriver(**config: object) -> NodeDeriver:
    made = NodeDeriver(NodeConfig(name="spark1", **config))  # type: ignore[arg-type]
    made.start("boot-1")
    return made


def nic_line(**changes: object) -> Line:
    return Line(nic=NicSample([replace(NIC, **changes)]), nic_info=NicInfoSample([R8127]))  # type: ignore[arg-type]


def test_rates_are_over_the_nodes_own_clock() -> None:
    made = deriver()
    first = made.update(nic_line(), {}, 100.0)
    assert first.nics["enP7s7"].rx_bps is None
    second = made.update(nic_line(rx_bytes=2_000, rx_packets=30), {}, 102.0)
    assert second.nics["enP7s7"].rx_bps == 4_000.0
    assert second.nics["enP7s7"].rx_packets_per_s == 10.0


def test_missed_and_broken_frames_come_from_the_counters_this_driver_feeds() -> None:
    made = deriver()
    made.update(nic_line(), {}, 0.0)
    view = made.update(nic_line(counters={"rx_mac_missed": 512, "rx_mac_error": 9}, rx_errors=50), {}, 1.0).nics[
        "enP7s7"
    ]
    assert (view.rx_missed_per_s, view.rx_errors_per_s) == (412.0, 2.0)
    assert (view.rx_missed_total, view.rx_errors_total) == (512, 9)


def test_the_16_bit_counter_of_the_r8127_wraps_without_a_gap() -> None:
    made = deriver()
    made.update(nic_line(counters={"rx_missed": 65_500, "rx_mac_missed": 65_500}), {}, 0.0)
    view = made.update(nic_line(counters={"rx_missed": 64, "rx_mac_missed": 65_600}), {}, 1.0).nics["enP7s7"]
    assert view.counters_per_s == {"rx_missed": 100.0, "rx_mac_missed": 100.0}


def test_another_boot_starts_the_rates_again() -> None:
    made = deriver()
    made.update(nic_line(rx_bytes=9_000_000), {}, 500.0)
    made.start("boot-2")
    view = made.update(nic_line(rx_bytes=10), {}, 3.0)
    assert (view.boot_id, view.nics["enP7s7"].rx_bps) == ("boot-2", None)


def test_the_same_boot_goes_on_across_a_reconnection() -> None:
    made = deriver()
    made.update(nic_line(), {}, 100.0)
    made.start("boot-1")
    view = made.update(nic_line(rx_bytes=11_000), {}, 110.0)
    assert view.nics["enP7s7"].rx_bps == 8_000.0


def test_a_fast_line_keeps_what_the_slow_tier_said_before() -> None:
    made = deriver()
    made.update(nic_line(), {}, 0.0)
    view = made.update(Line(nic=NicSample([NIC])), {}, 1.0).nics["enP7s7"]
    assert (view.driver, view.plane, view.mac) == ("r8127", "management", "02:00:00:00:00:07")


def test_before_the_slow_tier_a_netdev_has_no_driver_and_no_plane() -> None:
    view = deriver().update(Line(nic=NicSample([NIC])), {}, 0.0).nics["enP7s7"]
    assert (view.driver, view.plane) == ("", "other")


def test_rdma_bytes_stand_beside_the_netdev() -> None:
    port = RdmaPort("rocep1s0f0", 1, "enP7s7", "ACTIVE", "LinkUp", "200 Gb/sec", 0, 0, 0, 0, {"out_of_sequence": 1})
    made = deriver()
    made.update(Line(rdma=RdmaSample([port]), nic=NicSample([NIC])), {}, 0.0)
    moved = replace(port, rx_bytes=1_000_000, counters={"out_of_sequence": 4})
    view = made.update(Line(rdma=RdmaSample([moved]), nic=NicSample([NIC])), {}, 1.0).nics["enP7s7"]
    assert view.rdma is not None
    assert (view.rdma.rx_bps, view.rdma.counters_per_s) == (8_000_000.0, {"out_of_sequence": 3.0})
    assert view.rx_bps == 0.0


def test_busy_is_a_share_of_what_passed() -> None:
    made = deriver()
    made.update(Line(cpu=CpuSample([0, 5], [100, 100], [900, 900], 0.5)), {}, 0.0)
    view = made.update(Line(cpu=CpuSample([0, 5], [175, 100], [925, 1000], 0.5)), {}, 1.0)
    assert view.cpus is not None
    assert (view.cpus.count, view.cpus.numbers, view.cpus.busy_percent) == (2, [0, 5], [75.0, 0.0])


def irq_line(counts: list[int]) -> Line:
    vector = IrqVector(346, "enP7s7", "enP7s7-0", [0, 5], counts)
    return Line(
        irq=IrqSample({"enP7s7": 32}, [vector]), irq_info=IrqInfoSample([IrqAffinity(346, "enP7s7", "0-4", "0")])
    )


def test_imbalance_is_the_share_of_the_busiest_cpu() -> None:
    made = deriver()
    made.update(irq_line([1_000, 1_000]), {}, 0.0)
    view = made.update(irq_line([1_900, 1_100]), {}, 1.0).irqs["enP7s7"]
    assert (view.per_s_by_cpu, view.imbalance, view.vectors) == ({"0": 900.0, "5": 100.0}, 0.9, 32)
    assert (view.affinity, view.lines[0].effective) == ({"346": "0-4"}, "0")


def test_a_quiet_device_has_no_imbalance() -> None:
    made = deriver()
    made.update(irq_line([5, 5]), {}, 0.0)
    assert made.update(irq_line([5, 5]), {}, 1.0).irqs["enP7s7"].imbalance is None


def gpu(**changes: object) -> GpuReading:
    reading = GpuReading(
        0,
        "NVIDIA GB10",
        "GPU-1",
        "000f:01:00.0",
        2411,
        3003,
        71,
        31.2,
        None,
        "P0",
        96,
        None,
        None,
        None,
        ["sw_power_cap"],
        0,
        [GpuProcess(7, "python3", "vllm_node", 2**30), GpuProcess(8, "x", None, None)],
    )
    return replace(reading, **changes)  # type: ignore[arg-type]


def test_gpu_memory_is_the_sum_of_what_processes_are_known_to_hold() -> None:
    view = deriver(gpu_clock_cap_mhz=2400).update(Line(gpu=GpuSample("580", [gpu()])), {}, 0.0).gpus[0]
    assert (view.process_memory_bytes, view.memory_total_bytes, view.clock_cap_mhz) == (2**30, None, 2400)


def test_the_power_cap_counter_becomes_a_share_of_time() -> None:
    made = deriver()
    made.update(Line(gpu=GpuSample("580", [gpu(sw_power_cap_us=0)])), {}, 0.0)
    view = made.update(Line(gpu=GpuSample("580", [gpu(sw_power_cap_us=4_600_000)])), {}, 10.0).gpus[0]
    assert view.sw_power_cap_percent == pytest.approx(46.0)


def test_a_gpu_that_stopped_answering_shows_no_old_values() -> None:
    made = deriver()
    made.update(Line(gpu=GpuSample("580", [gpu()])), {}, 0.0)
    view = made.update(Line(), {"gpu": "GPU not answering for 6 s"}, 6.0)
    assert (view.gpus, view.collector_errors) == ([], {"gpu": "GPU not answering for 6 s"})


def test_an_empty_line_is_a_live_node_without_parts() -> None:
    view = deriver().update(Line(), {}, 0.0)
    assert (view.state, view.gpus, view.memory, view.nics) == ("live", [], None, {})
    assert isinstance(view, Node)


def test_the_port_at_the_other_end_is_looked_up() -> None:
    ports = {("spark1", "enP7s7"): ("crs812", "sfp56-1")}
    made = NodeDeriver(NodeConfig(name="spark1"), lambda node, nic: ports.get((node, nic)))
    made.start("b")
    view = made.update(nic_line(), {}, 0.0).nics["enP7s7"]
    assert (view.switch, view.switch_port) == ("crs812", "sfp56-1")
