"""What a GPU's type means for its figures: the driver's clock event reasons in words, and the range of its power."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.contract import Gpu

WORDS = {
    "gpu_idle": "idle",
    "applications_clocks_setting": "application clocks",
    "sw_power_cap": "SW power cap",
    "hw_slowdown": "HW slowdown",
    "sync_boost": "sync boost",
    "sw_thermal_slowdown": "SW thermal slowdown",
    "hw_thermal_slowdown": "HW thermal slowdown",
    "hw_power_brake_slowdown": "HW power brake",
    "display_clock_setting": "display clocks",
}
FAULTS = {"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}
"""Reasons that mean trouble; a software power cap is a GB10's ordinary state."""
SW_POWER_CAP = "sw_power_cap"
HARMLESS = "A software power cap is a GB10's ordinary state, also when it idles; no fault"

GB10_MOST_W = 100.0
"""The GPU rail of a GB10 takes 28-95 W under load; NVML gives it no limit."""


def reason_word(reason: str) -> str:
    """ "sw_power_cap" -> "SW power cap"; a reason of a newer driver keeps its own name."""
    return WORDS.get(reason, reason.replace("_", " "))


def harmless(reason: str, gpu_name: str) -> bool:
    """On a GB10 the software power cap is active half of the time, also when it idles."""
    return reason == SW_POWER_CAP and "GB10" in gpu_name


def reason_words(reasons: Sequence[str] | None, gpu_name: str) -> str:
    """All reasons in one text; None = the driver does not say."""
    if reasons is None:
        return "n/a"
    if not reasons:
        return "none"
    return ", ".join(reason_word(one) + (" (harmless on GB10)" if harmless(one, gpu_name) else "") for one in reasons)


def power_range(gpu: Gpu) -> float:
    """The chart's top: the limit, else what this type takes at most, else the next hundred above what it takes now."""
    if gpu.power_limit_w:
        return gpu.power_limit_w
    return GB10_MOST_W if "GB10" in gpu.name else 100.0 * (1 + (gpu.power_w or 0) // 100)


def own_memory(gpu: Gpu) -> str:
    """Of a GPU whose memory the driver does not tell: a GB10 has none, of another type it is not known."""
    return "no memory of its own" if "GB10" in gpu.name else "its own n/a"
