"""GPU readings through NVML, each field on its own: what a GPU does not have is None and ends nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain
from sparktui.collectors.processes import describe

SLOW_S = 30.0
"""Seconds between readings of what seldom changes, of the list of GPUs and of what a GPU can do."""

CLOCK_SM = 1
TEMPERATURE_GPU = 0
PERF_POLICY_POWER = 0
FIELD_SW_POWER_CAP = 74
"""NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP: the nanoseconds behind nvidia-smi's "SW Power Capping" counter.

An H200 answers it in 3 us; the same by nvmlDeviceGetViolationStatus takes it 410.
"""

NOT_SUPPORTED, FUNCTION_NOT_FOUND = 3, 13
UNINITIALIZED, GPU_IS_LOST, RESET_REQUIRED = 1, 15, 16
LOST = {UNINITIALIZED, GPU_IS_LOST, RESET_REQUIRED}
"""NVML return codes after which this handle answers nothing any more."""

EVENT_REASONS = {
    0x1: "gpu_idle",
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process with a context on the GPU. `container` is the container's name, else its short id, else None."""

    pid: int
    name: str
    container: str | None
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class GpuReading:
    """One GPU. None = this GPU does not have it. `sw_power_cap_us` is the driver's cumulative counter."""

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


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is read every SLOW_S seconds only: some of it takes the driver a millisecond."""

    name: str
    uuid: str
    bus_id: str
    max_sm_clock_mhz: int | None
    power_limit_w: float | None
    fan_percent: int | None


def reason_names(mask: int) -> list[str]:
    """The names of a clocks event reasons mask, lowest bit first; a bit without a name as "reason_0x200"."""
    bits = [1 << position for position in range(mask.bit_length()) if mask >> position & 1]
    return [EVENT_REASONS.get(bit, f"reason_{bit:#x}") for bit in bits]


def sysfs_address(bus_id: str) -> str:
    """NVML's "0000000F:01:00.0" as sysfs writes it: "000f:01:00.0"."""
    domain, colon, rest = bus_id.lower().partition(":")
    return f"{domain.lstrip('0'):0>4}:{rest}" if colon else domain


def within(value: int | None, high: int, low: int = 0) -> int | None:
    """`value`, or None where no GPU can have read it: drivers answer all ones for what they cannot tell."""
    return value if value is not None and low <= value <= high else None


def watts(milliwatts: int | None) -> float | None:
    sane = within(milliwatts, 20_000_000)
    return None if sane is None else sane / 1000


class Device:
    """One GPU: its handle, what it does not have, and what is known of its processes."""

    def __init__(self, reader: Reader, nvml: Any, index: int) -> None:
        self._reader = reader
        self._nvml = nvml
        self._index = index
        self._handle = nvml.nvmlDeviceGetHandleByIndex(index)
        self._missing: set[str] = set()
        self._failure: str | None = None
        self._described: dict[int, tuple[str, str | None]] = {}
        self._inventory = self._read_inventory()

    def _read(self, names: tuple[str, ...], *arguments: object) -> Any:
        """The answer of the first of these NVML functions that this GPU and driver have, None where none answers.

        Names differ between versions of driver and module. What is not supported is not asked again by this object.
        Raises OSError where the GPU is lost.
        """
        for name in names:
            if name in self._missing:
                continue
            try:
                return getattr(self._nvml, name)(self._handle, *arguments)
            except Exception as error:
                code = getattr(error, "value", None)
                if code in LOST:
                    raise OSError(f"GPU {self._index}: {error}") from error
                if code in (NOT_SUPPORTED, FUNCTION_NOT_FOUND) or isinstance(error, AttributeError):
                    self._missing.add(name)
                else:
                    self._failure = str(error)
        return None

    def _read_text(self, name: str) -> str:
        answer = self._read((name,))
        return plain(answer if isinstance(answer, str) else "")

    def _read_inventory(self) -> Inventory:
        pci = self._read(("nvmlDeviceGetPciInfo",))
        bus_id = getattr(pci, "busId", "")
        return Inventory(
            name=self._read_text("nvmlDeviceGetName") or "GPU",
            uuid=self._read_text("nvmlDeviceGetUUID"),
            bus_id=sysfs_address(plain(bus_id.decode("ascii", "replace") if isinstance(bus_id, bytes) else bus_id)),
            max_sm_clock_mhz=within(self._read(("nvmlDeviceGetMaxClockInfo",), CLOCK_SM), 20_000),
            power_limit_w=watts(self._read(("nvmlDeviceGetEnforcedPowerLimit",))),
            fan_percent=within(self._read(("nvmlDeviceGetFanSpeed",)), 200),
        )

    def _sw_power_cap_us(self) -> int | None:
        fields = self._read(("nvmlDeviceGetFieldValues",), [FIELD_SW_POWER_CAP])
        if fields is not None and fields[0].nvmlReturn == 0:
            return int(fields[0].value.ullVal) // 1000
        status = self._read(("nvmlDeviceGetViolationStatus",), PERF_POLICY_POWER)
        return None if status is None else int(status.violationTime) // 1000

    def _processes(self) -> list[GpuProcess]:
        """Processes with a compute or a graphics context; one that has both is one, with the larger memory figure."""
        memory: dict[int, int | None] = {}
        for kind in ("Compute", "Graphics"):
            function = f"nvmlDeviceGet{kind}RunningProcesses"
            for process in self._read((function, function + "_v2")) or ():
                used = within(process.usedGpuMemory, 1 << 50)
                known = memory.get(process.pid)
                memory[process.pid] = used if known is None else max(known, used or 0)
        self._described = {pid: self._described.get(pid) or describe(self._reader, pid) for pid in memory}
        return [GpuProcess(pid, *self._described[pid], used) for pid, used in sorted(memory.items())]

    def sample(self) -> GpuReading:
        """One reading. Raises OSError where the GPU is lost or answers nothing at all."""
        self._failure = None
        slow = self._inventory
        utilization = self._read(("nvmlDeviceGetUtilizationRates",))
        memory = self._read(("nvmlDeviceGetMemoryInfo",))
        has_memory = memory is not None and memory.total > 0
        state = within(self._read(("nvmlDeviceGetPerformanceState",)), 15)
        mask = self._read(("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"))
        temperature = self._read(("nvmlDeviceGetTemperature", "nvmlDeviceGetTemperatureV"), TEMPERATURE_GPU)
        reading = GpuReading(
            index=self._index,
            name=slow.name,
            uuid=slow.uuid,
            bus_id=slow.bus_id,
            sm_clock_mhz=within(self._read(("nvmlDeviceGetClockInfo",), CLOCK_SM), 20_000),
            max_sm_clock_mhz=slow.max_sm_clock_mhz,
            temperature_c=within(temperature, 150, -40),
            power_w=watts(self._read(("nvmlDeviceGetPowerUsage",))),
            power_limit_w=slow.power_limit_w,
            pstate=None if state is None else f"P{state}",
            utilization_percent=within(utilization.gpu, 100) if utilization is not None else None,
            memory_used_bytes=memory.used if has_memory else None,
            memory_total_bytes=memory.total if has_memory else None,
            fan_percent=slow.fan_percent,
            event_reasons=None if mask is None else reason_names(mask),
            sw_power_cap_us=self._sw_power_cap_us(),
            processes=self._processes(),
        )
        live = (reading.sm_clock_mhz, reading.temperature_c, reading.power_w, state, utilization)
        if self._failure is not None and all(value is None for value in live):
            raise OSError(f"GPU {self._index}: {self._failure}")
        return reading


class Gpus:
    """The node's GPUs, listed again every SLOW_S seconds: a driver may come later, be reloaded, or gain a function."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._nvml: Any = None
        self._driver = ""
        self._devices: list[Device] = []
        self._error: str | None = None
        self._list_at: float | None = None

    def __call__(self) -> GpuSample:
        """Raises OSError with a readable text while there is no driver, no GPU, or one that is lost."""
        now = self._reader.monotonic()
        if self._list_at is None or now >= self._list_at:
            self._list_at = now + SLOW_S
            was_open = self._nvml is not None
            self._list()
            if self._error is not None and was_open:
                self._list()
        if self._error is None:
            try:
                return GpuSample(self._driver, [device.sample() for device in self._devices])
            except Exception as error:
                self._close(error)
        raise OSError(self._error)

    def _list(self) -> None:
        try:
            if self._nvml is None:
                self._nvml = self._reader.nvml()
            nvml = self._nvml
            self._driver = plain(nvml.nvmlSystemGetDriverVersion())
            self._devices = [Device(self._reader, nvml, index) for index in range(nvml.nvmlDeviceGetCount())]
            if not self._devices:
                raise OSError(f"NVIDIA driver {self._driver} finds no GPU: look for NVRM lines in dmesg")
            self._error = None
        except Exception as error:
            self._close(error)

    def _close(self, error: Exception) -> None:
        """Let go of the driver, which could not be unloaded otherwise, and keep the reason until the next listing."""
        self._error, self._devices = plain(str(error), 256) or type(error).__name__, []
        nvml, self._nvml = self._nvml, None
        try:
            if nvml is not None:
                nvml.nvmlShutdown()
        except Exception:
            return


COLLECTORS = (Collector("gpu", "fast", GpuSample, Gpus, own_thread=True),)
