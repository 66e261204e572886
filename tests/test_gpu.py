"""The GPU collector on a GB10 and an H200, with every NVML function failing in every way."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from sparktui.collectors import gpu
from sparktui.collectors.folder import TextReader
from sparktui.collectors.gpu import GpuProcess, GpuReading, GpuSample
from sparktui.collectors.nvml_values import CODES
from tests.machines import H200, SPARK, STOCK, VM, GpuNode, NotedNvml, files_of, full_node, reading

MIB = 1 << 20

# --- the machines


def test_a_spark_serving_a_model() -> None:
    """What a GB10 does not have (memory, power limit, fan) is None; memory per process it does have."""
    assert GpuNode(SPARK).collect()() == GpuSample(
        driver="580.178.04",
        gpus=[
            GpuReading(
                index=0,
                name="NVIDIA GB10",
                uuid="GPU-1f6d2c3b-8a94-4e05-b7c1-2d3e4f506172",
                bus_id="000f:01:00.0",
                sm_clock_mhz=2391,
                max_sm_clock_mhz=3003,
                temperature_c=76,
                power_w=88.13,
                power_limit_w=None,
                pstate="P0",
                utilization_percent=96,
                memory_used_bytes=None,
                memory_total_bytes=None,
                fan_percent=None,
                event_reasons=["sw_power_cap"],
                sw_power_cap_us=48211877,
                processes=[
                    GpuProcess(2911, "Xorg", None, 43 * MIB),
                    GpuProcess(3120, "gnome-shell", None, 17 * MIB),
                    GpuProcess(41877, "VLLM::EngineCore", "vllm_node", 84872 * MIB),
                ],
            )
        ],
    )


def test_an_idle_spark() -> None:
    read = reading(GpuNode(STOCK))
    assert (read.sm_clock_mhz, read.pstate, read.power_w, read.event_reasons) == (208, "P8", 4.41, ["gpu_idle"])
    assert read.processes == [GpuProcess(2204, "Xorg", None, 18 * MIB)]


def test_an_h200_under_load() -> None:
    read = reading(GpuNode(H200))
    assert (read.memory_used_bytes, read.memory_total_bytes) == (1704853504, 150754820096)
    assert (read.power_w, read.power_limit_w, read.fan_percent) == (693.239, 700.0, None)
    assert (read.bus_id, read.sw_power_cap_us) == ("0000:00:06.0", 10554933)
    assert read.processes == [GpuProcess(493, "python3 gemm.py", None, 1002 * MIB)]


def test_a_machine_without_gpu() -> None:
    with pytest.raises(OSError, match="no NVIDIA driver"):
        gpu.COLLECTORS[0].start(TextReader(files_of(VM)))()


def test_two_gpus() -> None:
    node = GpuNode(H200)
    second = copy.deepcopy(node.device) | {"nvmlDeviceGetUUID": "GPU-2", "nvmlDeviceGetTemperature(0)": 61}
    node.values["devices"].append(second)
    gpus = node.collect()().gpus
    assert [(one.index, one.temperature_c) for one in gpus] == [(0, 57), (1, 61)]
    assert gpus[1].uuid == "GPU-2"


# --- a function that does not answer

FIELDS = {
    "nvmlDeviceGetName": {"name": "GPU"},
    "nvmlDeviceGetUUID": {"uuid": ""},
    "nvmlDeviceGetPciInfo": {"bus_id": ""},
    "nvmlDeviceGetClockInfo(1)": {"sm_clock_mhz": None},
    "nvmlDeviceGetMaxClockInfo(1)": {"max_sm_clock_mhz": None},
    "nvmlDeviceGetTemperature(0)": {"temperature_c": None},
    "nvmlDeviceGetPowerUsage": {"power_w": None},
    "nvmlDeviceGetEnforcedPowerLimit": {"power_limit_w": None},
    "nvmlDeviceGetPerformanceState": {"pstate": None},
    "nvmlDeviceGetUtilizationRates": {"utilization_percent": None},
    "nvmlDeviceGetMemoryInfo": {"memory_used_bytes": None, "memory_total_bytes": None},
    "nvmlDeviceGetFanSpeed": {"fan_percent": None},
    "nvmlDeviceGetCurrentClocksEventReasons": {"event_reasons": None},
    "nvmlDeviceGetComputeRunningProcesses": {"processes": [GpuProcess(7, "?", None, 5)]},
    "nvmlDeviceGetGraphicsRunningProcesses": {"processes": [GpuProcess(493, "python3 gemm.py", None, 1002 * MIB)]},
    "nvmlDeviceGetFieldValues([74])": {"sw_power_cap_us": None},
}
"""Every NVML function of a reading, with what of it depends on that function."""


def test_these_are_all_functions_asked_and_none_of_the_slow_ones() -> None:
    """PcieThroughput takes an H200 21 ms, TotalEnergyConsumption 3."""
    node = full_node()
    assert None not in [getattr(reading(node), name) for name in GpuReading.__dataclass_fields__]
    assert set(node.opened.calls) == {key.partition("(")[0] for key in FIELDS}


@pytest.mark.parametrize("real_errors", [False, True], ids=["stand-in", "pynvml"])
@pytest.mark.parametrize("text", [text for text, code in CODES.items() if code not in gpu.LOST])
@pytest.mark.parametrize("function", FIELDS)
def test_a_function_that_fails_takes_its_own_field_only(function: str, text: str, real_errors: bool) -> None:
    whole = reading(full_node())
    node = full_node(real_errors)
    node.device[function] = {"error": text}
    assert reading(node) == replace(whole, **FIELDS[function])  # type: ignore[arg-type]


@pytest.mark.parametrize("real_errors", [False, True], ids=["stand-in", "pynvml"])
@pytest.mark.parametrize("text", ["GPU is lost", "GPU requires restart", "Uninitialized"])
@pytest.mark.parametrize("function", FIELDS)
def test_a_lost_gpu_is_an_error_whichever_function_says_so(function: str, text: str, real_errors: bool) -> None:
    node = full_node(real_errors)
    node.device[function] = {"error": text}
    with pytest.raises(OSError, match=f"GPU 0: {text}"):
        node.collect()()
    assert node.opened.shut_down == 1


def test_other_names_of_functions_are_tried() -> None:
    node = full_node()
    for name in ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"):
        node.device[name + "_v2"] = node.device.pop(name)
    for old, new in (
        ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"),
        ("nvmlDeviceGetTemperature(0)", "nvmlDeviceGetTemperatureV(0)"),
    ):
        node.device[new] = node.device.pop(old)
        node.device[old] = {"error": "Function Not Found"}
    node.device.pop("nvmlDeviceGetFieldValues([74])")
    node.device["nvmlDeviceGetViolationStatus(0)"] = {"referenceTime": 9, "violationTime": 10656329376}
    assert reading(node) == replace(reading(full_node()), sw_power_cap_us=10656329)


def test_a_field_value_has_a_return_code_of_its_own() -> None:
    node = full_node()
    node.device["nvmlDeviceGetFieldValues([74])"] = [{"nvmlReturn": 3, "value": {"ullVal": 0}}]
    assert reading(node).sw_power_cap_us is None


def test_a_module_too_old_for_a_function() -> None:
    class Old(NotedNvml):
        def __getattr__(self, name: str) -> Any:
            if name == "nvmlDeviceGetCurrentClocksEventReasons":
                raise AttributeError(name)
            return super().__getattr__(name)

    node = GpuNode(SPARK)
    node.opened = Old(lambda: node.values)
    assert reading(node).event_reasons == ["sw_power_cap"]
