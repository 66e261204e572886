"""A node whose GPU is hotter than the rack's other GPUs that do the same work: airflow, place or unit."""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.contract import Gpu
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.stats import Mean, deviation

SIMILAR_POWER = 0.85
"""A peer counts if it draws at least this share of the GPU's power: to be cool at rest is no merit."""


def make(limits: Mapping[str, float]) -> Evaluate:
    loads: dict[tuple[str, int], Mean] = {}

    def evaluate(moment: Moment) -> list[Candidate]:
        gpus = {(name, gpu.index): gpu for name, node in moment.live_nodes().items() for gpu in node.gpus}
        for gone in loads.keys() - gpus.keys():
            del loads[gone]
        for key, gpu in gpus.items():
            loads.setdefault(key, Mean(limits["loaded_s"])).add(moment.now, gpu.utilization_percent)
        working = {key: gpu for key, gpu in gpus.items() if _works(gpu, loads[key], limits)}
        hottest: dict[str, Gpu] = {}
        for (name, _), gpu in working.items():
            if name not in hottest or _temperature(gpu) > _temperature(hottest[name]):
                hottest[name] = gpu
        judged = (_judge(name, gpu, hottest, moment, limits) for name, gpu in hottest.items())
        return [candidate for candidate in judged if candidate is not None]

    return evaluate


def _works(gpu: Gpu, load: Mean, limits: Mapping[str, float]) -> bool:
    """Whether it is loaded now and was all along, and can be compared."""
    mean = load.value()
    known = gpu.utilization_percent is not None and gpu.temperature_c is not None and gpu.power_w is not None
    return known and mean is not None and min(mean, gpu.utilization_percent or 0) >= limits["utilization_percent"]


def _temperature(gpu: Gpu) -> int:
    return gpu.temperature_c or 0


def _judge(
    name: str, gpu: Gpu, hottest: Mapping[str, Gpu], moment: Moment, limits: Mapping[str, float]
) -> Candidate | None:
    """Compare one node with the median of all that work alike, itself among them. Two have no median worth the name."""
    power = gpu.power_w or 0.0
    alike = [one for one in hottest.values() if one.name == gpu.name and (one.power_w or 0.0) >= SIMILAR_POWER * power]
    if len(alike) < 3:
        return None
    middle, spread = deviation([_temperature(one) for one in alike])
    above = _temperature(gpu) - middle
    if above < limits["above_median_c"] or above <= limits["mads"] * spread:
        return None
    confidence = "low" if len(alike) == 3 else "high"
    order = moment.rack_order
    evidence = {
        "gpu": f"gpu{gpu.index}",
        "temperature_c": gpu.temperature_c,
        "median_c": middle,
        "above_c": above,
        "mad_c": round(spread, 2),
        "n": len(alike),
        "power_w": power,
        "rack_position": order.index(name) + 1 if name in order else None,
        "confidence": confidence,
    }
    doubt = ", low confidence" if confidence == "low" else ""
    return Candidate(
        name,
        f"gpu{gpu.index}",
        f"{gpu.temperature_c} C, {above:.0f} C above the rack's median of {middle:.0f} C"
        f" at the same load ({power:.0f} W, n = {len(alike)}{doubt})",
        evidence,
        "Check its inlet, outlet and neighbours; then swap it with a cooler node: does the heat go with it or stay?",
    )


RULES = (
    Rule(
        id="gpu.hotter_than_peers",
        severity="warn",
        why="Equal units under equal load stay within about 2 C of each other; one that does not throttles first.",
        make=make,
        thresholds={"utilization_percent": 80.0, "loaded_s": 10.0, "above_median_c": 6.0, "mads": 3.0},
        raise_after_s=2.0,
        clear_after_s=60.0,
    ),
)
