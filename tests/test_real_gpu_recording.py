"""What a real H200 said through the probe over SSH, while an 8192 BF16 matrix product ran on it.

Recorded once with NVML 580.159.04 on a machine of 16 CPUs; the ids of the card and of its network device are replaced.
"""

from pathlib import Path

import pytest

from sparktui.config import NodeConfig
from sparktui.contract import Node
from sparktui.derive import NodeDeriver
from sparktui.probe.lines import Beat, Hello, Sample, decode
from sparktui.verdicts import registry
from sparktui.verdicts.base import Moment
from sparktui.verdicts.engine import Engine

RECORDING = Path(__file__).parent / "fixtures" / "probe" / "h200-x86-driver-580.159.04-under-gemm.jsonl"


@pytest.fixture(scope="module")
def views() -> list[tuple[float, Node]]:
    """(node's monotonic seconds, view) after each line."""
    deriver = NodeDeriver(NodeConfig(name="h200"))
    found = []
    for line in RECORDING.read_bytes().splitlines():
        message = decode(line)
        if isinstance(message, Hello):
            deriver.start(message.boot_id)
        elif isinstance(message, Sample):
            found.append((message.mono, deriver.update(message.s, message.errors, message.mono)))
        else:
            assert isinstance(message, Beat)
    return found


def test_the_first_line_did_not_wait_for_nvml_and_the_gpu_came_at_once_after(views: list[tuple[float, Node]]) -> None:
    start = views[0][0]
    assert views[0][1].gpus == []
    arrived = next(mono for mono, view in views if view.gpus)
    assert arrived - start < 0.5


def test_every_field_of_a_data_centre_gpu_is_there_and_what_it_lacks_is_none(views: list[tuple[float, Node]]) -> None:
    gpu = views[-1][1].gpus[0]
    assert (gpu.name, gpu.max_sm_clock_mhz, gpu.pstate, gpu.utilization_percent) == ("NVIDIA H200", 1980, "P0", 100)
    assert gpu.power_limit_w == 700.0
    assert gpu.power_w is not None
    assert 650 < gpu.power_w < 710
    assert gpu.memory_total_bytes == 150_754_820_096
    assert gpu.fan_percent is None
    assert gpu.event_reasons == ["sw_power_cap"]
    assert [process.name for process in gpu.processes] == ["python3"]
    assert gpu.process_memory_bytes == gpu.processes[0].memory_bytes


def test_the_power_cap_explains_the_low_clock_so_nothing_is_raised(views: list[tuple[float, Node]]) -> None:
    engine = Engine(registry.rules())
    for mono, view in views:
        found = engine.update(Moment(mono, {"h200": view}), 1.79e9 + mono)
    assert [finding.rule for finding in found] == []
    clock = views[-1][1].gpus[0].sm_clock_mhz
    assert clock is not None
    assert clock < 0.8 * 1980


def test_all_collectors_answered(views: list[tuple[float, Node]]) -> None:
    last = views[-1][1]
    assert last.collector_errors == {}
    assert last.platform is not None
    assert last.platform.nvidia_driver == "580.159.04"
    assert last.cpus is not None
    assert last.cpus.count == 16
    assert all(busy is not None for busy in last.cpus.busy_percent)
    assert set(last.irqs) == {"eth0", "gpu"}
    assert last.nics["eth0"].driver == "virtio_net"
