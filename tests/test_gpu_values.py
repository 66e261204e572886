"""The GPU collector over time, and what it makes of NVML's values."""

from __future__ import annotations

import copy
from typing import Any

import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import gpu
from sparktui.collectors.nvml_values import CODES
from tests.machines import SPARK, GpuNode, NotedNvml, full_node, reading

# --- over time


def test_what_a_gpu_does_not_have_is_asked_again_every_half_minute() -> None:
    node = GpuNode(SPARK)
    take = node.collect()
    assert take().gpus[0].memory_total_bytes is None
    node.device["nvmlDeviceGetMemoryInfo"] = {"total": 8 << 30, "used": 1 << 30}
    node.opened.calls.clear()
    node.at = 29.9
    assert take().gpus[0].memory_total_bytes is None
    assert "nvmlDeviceGetMemoryInfo" not in node.opened.calls
    node.at = 30.0
    assert take().gpus[0].memory_total_bytes == 8 << 30


def test_what_seldom_changes_is_read_every_half_minute() -> None:
    node = full_node()
    take = node.collect()
    take()
    node.opened.calls.clear()
    node.device["nvmlDeviceGetEnforcedPowerLimit"] = 600_000
    node.at = 1.0
    assert take().gpus[0].power_limit_w == 700.0
    assert set(node.opened.calls) == {
        "nvmlDeviceGetClockInfo",
        "nvmlDeviceGetTemperature",
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetPerformanceState",
        "nvmlDeviceGetUtilizationRates",
        "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetComputeRunningProcesses",
        "nvmlDeviceGetGraphicsRunningProcesses",
        "nvmlDeviceGetFieldValues",
    }
    node.at = 31.0
    assert take().gpus[0].power_limit_w == 600.0


def test_a_process_is_looked_up_once_until_the_next_half_minute() -> None:
    node = GpuNode(SPARK)
    take = node.collect()
    take()
    node.files = {path: text for path, text in node.files.items() if not path.startswith("/proc/41877/")}
    node.at = 1.0
    assert take().gpus[0].processes[-1].name == "VLLM::EngineCore"
    node.at = 30.0
    assert take().gpus[0].processes[-1].name == "?"


def test_a_driver_that_comes_later_is_found() -> None:
    node = GpuNode(SPARK)
    values, node.values = node.values, {}
    take = node.collect()
    with pytest.raises(OSError, match="no NVIDIA driver"):
        take()
    node.values = values
    node.at = 29.0
    with pytest.raises(OSError, match="no NVIDIA driver"):
        take()
    node.at = 30.0
    assert take().gpus[0].name == "NVIDIA GB10"


def test_a_gpu_that_gets_lost_is_let_go_of_and_found_again() -> None:
    node = GpuNode(SPARK)
    take = node.collect()
    take()
    whole = copy.deepcopy(node.values)
    node.values["devices"][0] = {"error": "GPU is lost"}
    for node.at in (1.0, 2.0):
        with pytest.raises(OSError, match="GPU is lost"):
            take()
    assert node.opened.shut_down == 1
    node.values, node.at = whole, 30.0
    assert take().gpus[0].sm_clock_mhz == 2391


def test_a_driver_that_was_reloaded_is_opened_anew_at_once() -> None:
    """At the half minute the open handle answers "Uninitialized"; a new nvmlInit works."""
    node = GpuNode(SPARK)
    take = node.collect()
    take()
    stale = node.opened
    node.opened = NotedNvml(lambda: node.values)
    stale._describe = lambda: {"driver": "580.1", "devices": [{"error": "Uninitialized"}]}
    node.at = 30.0
    assert take().driver == "580.178.04"
    assert stale.shut_down == 1


def test_a_driver_without_gpu_says_so() -> None:
    """After an update whose firmware does not match: nvmlInit works, "No devices were found"."""
    node = GpuNode(SPARK)
    node.values["devices"] = []
    with pytest.raises(OSError, match=r"driver 580\.178\.04 finds no GPU"):
        node.collect()()


def test_a_gpu_that_answers_nothing_is_an_error_and_no_empty_reading() -> None:
    node = full_node()
    for key in node.device:
        node.device[key] = {"error": "Unknown Error"}
    with pytest.raises(OSError, match="GPU 0: Unknown Error"):
        node.collect()()


# --- values


@pytest.mark.parametrize(
    ("function", "answer", "field"),
    [
        ("nvmlDeviceGetTemperature(0)", 4000, "temperature_c"),
        ("nvmlDeviceGetClockInfo(1)", 0xFFFFFFFF, "sm_clock_mhz"),
        ("nvmlDeviceGetPowerUsage", 0xFFFFFFFF, "power_w"),
        ("nvmlDeviceGetPerformanceState", 32, "pstate"),
        ("nvmlDeviceGetUtilizationRates", {"gpu": 0xFFFFFFFF, "memory": 0}, "utilization_percent"),
        ("nvmlDeviceGetMemoryInfo", {"total": 0, "used": 0}, "memory_total_bytes"),
        ("nvmlDeviceGetFanSpeed", 0xFFFFFFFF, "fan_percent"),
    ],
)
def test_values_no_gpu_can_have_are_none(function: str, answer: Any, field: str) -> None:
    node = full_node()
    node.device[function] = answer
    assert getattr(reading(node), field) is None


def test_a_process_of_both_kinds_is_one_with_the_larger_figure() -> None:
    node = full_node()
    node.device["nvmlDeviceGetComputeRunningProcesses"] = [
        {"pid": 493, "usedGpuMemory": None},
        {"pid": 8, "usedGpuMemory": None},
        {"pid": 9, "usedGpuMemory": 2**64 - 1},
    ]
    node.device["nvmlDeviceGetGraphicsRunningProcesses"] = [{"pid": 493, "usedGpuMemory": 4096}]
    memory = {process.pid: process.memory_bytes for process in reading(node).processes}
    assert memory == {8: None, 9: None, 493: 4096}


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        (0, []),
        (0x1, ["gpu_idle"]),
        (0x68, ["hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown"]),
        (0x84, ["sw_power_cap", "hw_power_brake_slowdown"]),
        (0x112, ["applications_clocks_setting", "sync_boost", "display_clock_setting"]),
        (0x201, ["gpu_idle", "reason_0x200"]),
    ],
)
def test_event_reasons(mask: int, names: list[str]) -> None:
    assert gpu.reason_names(mask) == names


def test_event_reasons_are_the_bits_of_nvml() -> None:
    names = {
        pynvml.nvmlClocksEventReasonGpuIdle: "gpu_idle",
        pynvml.nvmlClocksEventReasonApplicationsClocksSetting: "applications_clocks_setting",
        pynvml.nvmlClocksEventReasonSwPowerCap: "sw_power_cap",
        pynvml.nvmlClocksEventReasonHwSlowdown: "hw_slowdown",
        pynvml.nvmlClocksEventReasonSyncBoost: "sync_boost",
        pynvml.nvmlClocksEventReasonSwThermalSlowdown: "sw_thermal_slowdown",
        pynvml.nvmlClocksEventReasonHwThermalSlowdown: "hw_thermal_slowdown",
        pynvml.nvmlClocksEventReasonHwPowerBrakeSlowdown: "hw_power_brake_slowdown",
        pynvml.nvmlClocksEventReasonDisplayClockSetting: "display_clock_setting",
    }
    assert names == gpu.EVENT_REASONS
    assert (gpu.CLOCK_SM, gpu.TEMPERATURE_GPU) == (pynvml.NVML_CLOCK_SM, pynvml.NVML_TEMPERATURE_GPU)
    assert gpu.FIELD_SW_POWER_CAP == pynvml.NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP
    assert gpu.PERF_POLICY_POWER == pynvml.NVML_PERF_POLICY_POWER
    for text, code in CODES.items():
        assert str(pynvml.NVMLError(code)) == text


@pytest.mark.parametrize(
    ("bus_id", "address"),
    [("0000000F:01:00.0", "000f:01:00.0"), ("00000000:00:06.0", "0000:00:06.0"), ("00010000:01:00.0", "10000:01:00.0")],
)
def test_bus_ids_as_sysfs_writes_them(bus_id: str, address: str) -> None:
    assert gpu.sysfs_address(bus_id) == address


@given(st.integers(0, 2**64 - 1), st.text())
def test_masks_and_bus_ids_of_any_kind(mask: int, bus_id: str) -> None:
    assert len(gpu.reason_names(mask)) == mask.bit_count()
    assert isinstance(gpu.sysfs_address(bus_id), str)


def test_pci_info_may_hold_bytes() -> None:
    node = full_node()
    node.device["nvmlDeviceGetPciInfo"] = {"busId": b"0000000F:01:00.0"}
    assert reading(node).bus_id == "000f:01:00.0"
