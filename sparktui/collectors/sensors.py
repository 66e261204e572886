"""Temperatures, fans and powers of hwmon, and the thermal zones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sensor:
    """One reading in `unit` ("C", "rpm", "W", "V", "A"). `chip` e.g. "nvme", "mlx5", "acpitz"; `label` e.g. "TGPU"."""

    chip: str
    label: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class SensorsSample:
    sensors: list[Sensor]
