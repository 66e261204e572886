"""A GPU that slows down to save itself: heat, or the hardware's power brake. The software power cap is normal."""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.contract import Gpu
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule

HEAT = {"sw_thermal_slowdown": "software thermal slowdown", "hw_thermal_slowdown": "hardware thermal slowdown"}
POWER = {"hw_slowdown": "hardware slowdown", "hw_power_brake_slowdown": "hardware power brake"}
"""hw_slowdown comes with either of the hardware's two; alone it is treated as the power's."""


def make(_: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        return [
            _candidate(name, gpu, reasons)
            for name, node in moment.live_nodes().items()
            for gpu in node.gpus
            if (reasons := [reason for reason in gpu.event_reasons or () if reason in HEAT or reason in POWER])
        ]

    return evaluate


def _candidate(name: str, gpu: Gpu, reasons: list[str]) -> Candidate:
    words = " and ".join({**HEAT, **POWER}[reason] for reason in reasons)
    figures = [
        f"{value:.0f} {unit}"
        for value, unit in ((gpu.temperature_c, "C"), (gpu.sm_clock_mhz, "MHz"), (gpu.power_w, "W"))
        if value is not None
    ]
    hot = any(reason in HEAT for reason in reasons)
    return Candidate(
        name,
        f"gpu{gpu.index}",
        ", ".join([f"{words} active", *figures]),
        {
            "gpu": f"gpu{gpu.index}",
            "event_reasons": gpu.event_reasons,
            "temperature_c": gpu.temperature_c,
            "sm_clock_mhz": gpu.sm_clock_mhz,
            "power_w": gpu.power_w,
            "utilization_percent": gpu.utilization_percent,
        },
        "Check its airflow: inlet and outlet free, fans turning, no neighbour's exhaust in its inlet."
        if hot
        else "Check its power: the machine's own supply and cable (240 W on a DGX Spark); then AC off for 60 s.",
    )


RULES = (
    Rule(
        id="gpu.thermal",
        severity="fail",
        why="The GPU throttles: every rank of a job waits for the slowest.",
        make=make,
    ),
)
