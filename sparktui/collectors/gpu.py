"""GPU readings through NVML, each field on its own: what a GPU does not have is None and ends nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process with a context on the GPU. `container` is the container's name, else its short id, else None."""

    pid: int
    name: str
    container: str | None
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class GpuReading:
    """One GPU. None = this GPU does not have it. `sw_power_cap_us` is the driver's cumulative counter (slow tier)."""

    index: int
    name: str
    uuid: str
    bus_id: str
    sm_clock_mhz: int | None
    max_sm_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    power_limit_w: float | None
    pstate: str | None
    utilization_percent: int | None
    memory_used_bytes: int | None
    memory_total_bytes: int | None
    fan_percent: int | None
    event_reasons: list[str] | None
    sw_power_cap_us: int | None
    processes: list[GpuProcess]


@dataclass(frozen=True, slots=True)
class GpuSample:
    """All GPUs of the node; `driver` is the version NVML reports."""

    driver: str
    gpus: list[GpuReading]
