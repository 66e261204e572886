"""A GPU that works at a low clock and gives no reason: on a GB10 the sign of a latched USB-PD supply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median

from sparktui.contract import Gpu
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule

LATCH_REMEDY = (
    "Shut down, take AC off at the wall for at least 60 s, start again. "
    "If the clock was locked low on purpose: nvidia-smi -rgc, or gpu_clock_cap_mhz in the config."
)


def make(limits: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        loaded = [
            (name, gpu)
            for name, node in moment.live_nodes().items()
            for gpu in node.gpus
            if gpu.utilization_percent is not None and gpu.utilization_percent >= limits["utilization_percent"]
        ]
        found: list[Candidate] = []
        for name, gpu in loaded:
            if is_gb10(gpu):
                limit = gb10_limit_mhz(gpu, limits)
            else:
                limit = peer_limit_mhz(gpu, [other for _, other in loaded if other is not gpu], limits)
            if limit is not None and gpu.sm_clock_mhz is not None and gpu.sm_clock_mhz < limit:
                found.append(_candidate(name, gpu, limit))
        return found

    return evaluate


def is_gb10(gpu: Gpu) -> bool:
    return re.search(r"\bGB10\b", gpu.name) is not None


def gb10_limit_mhz(gpu: Gpu, limits: Mapping[str, float]) -> float | None:
    """The SM clock below which a loaded GB10 is latched; None where the power or a reason speaks against it.

    A software power cap is no reason: it is active for half of a healthy GB10's life. Captures of the fault:
    500-850 MHz at 5-16 W, and one report of 30 W; healthy load: 2200-2600 MHz at 28-95 W. 96 % load at 22 W with a
    normal clock is another fault (a rank that waits for ever).
    """
    if gpu.event_reasons is None or set(gpu.event_reasons) - {"sw_power_cap"}:
        return None
    if gpu.power_w is None or gpu.power_w > limits["gb10_power_w"]:
        return None
    cap = gpu.clock_cap_mhz
    return limits["gb10_sm_clock_mhz"] if cap is None else min(limits["gb10_sm_clock_mhz"], 0.9 * cap)


def peer_limit_mhz(gpu: Gpu, loaded: list[Gpu], limits: Mapping[str, float]) -> float | None:
    """The SM clock below which another GPU is too slow: a share of its maximum, and of its equals at work if there are.

    None where any reason is given: a power-capped H200 runs at 1200-1500 of 1980 MHz by design.
    """
    if gpu.event_reasons is None or gpu.event_reasons or gpu.max_sm_clock_mhz is None:
        return None
    limit = limits["share_of_max"] * min(gpu.max_sm_clock_mhz, gpu.clock_cap_mhz or gpu.max_sm_clock_mhz)
    peers = [one.sm_clock_mhz for one in loaded if one.name == gpu.name and one.sm_clock_mhz is not None]
    return limit if len(peers) < 2 else min(limit, limits["share_of_peers"] * median(peers))


def _candidate(name: str, gpu: Gpu, limit: float) -> Candidate:
    power = "" if gpu.power_w is None else f", {gpu.power_w:.0f} W"
    reason = "no throttle reason given" if not gpu.event_reasons else "no throttle reason but the usual power cap"
    text = f"{gpu.sm_clock_mhz} MHz at {gpu.utilization_percent} % load{power}, {reason}"
    latched = is_gb10(gpu)
    evidence = {
        "gpu": f"gpu{gpu.index}",
        "sm_clock_mhz": gpu.sm_clock_mhz,
        "limit_mhz": round(limit),
        "max_sm_clock_mhz": gpu.max_sm_clock_mhz,
        "clock_cap_mhz": gpu.clock_cap_mhz,
        "utilization_percent": gpu.utilization_percent,
        "power_w": gpu.power_w,
        "temperature_c": gpu.temperature_c,
        "pstate": gpu.pstate,
        "event_reasons": gpu.event_reasons,
    }
    return Candidate(
        name,
        f"gpu{gpu.index}",
        f"{text}: USB-PD power latch? AC off for 60 s." if latched else f"{text}; at least {limit:.0f} MHz expected.",
        evidence,
        LATCH_REMEDY if latched else "Look for a locked clock: nvidia-smi -q -d CLOCK,PERFORMANCE; -rgc undoes -lgc.",
    )


RULES = (
    Rule(
        id="gpu.low_clock_under_load",
        severity="fail",
        why="A GB10 whose power supply negotiation latched computes at a quarter of its speed and reports nothing.",
        make=make,
        thresholds={
            "utilization_percent": 80.0,
            "gb10_sm_clock_mhz": 1400.0,
            "gb10_power_w": 40.0,
            "share_of_max": 0.6,
            "share_of_peers": 0.8,
        },
        raise_after_s=4.0,
        clear_after_s=60.0,
    ),
)
