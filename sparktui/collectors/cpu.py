"""CPU time per CPU from /proc/stat, and which CPUs are of which core class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain

CPUS = "/sys/devices/system/cpu"

ARM_PARTS = {("0x41", "0xd85"): "X925", ("0x41", "0xd87"): "A725", ("0x41", "0xd4f"): "Neoverse-V2"}
"""(implementer, part) of the MIDR register: the two cores of a GB10, fast one first, and that of a Grace."""


@dataclass(frozen=True, slots=True)
class CpuSample:
    """Cumulative clock ticks (USER_HZ) per online CPU: `cpu[i]` is the CPU's number, `busy[i]` and `idle[i]` its ticks.

    idle = idle + iowait; busy = the rest without guest time (which the kernel counts in user already).
    """

    cpu: list[int]
    busy: list[int]
    idle: list[int]
    load1: float


@dataclass(frozen=True, slots=True)
class CpuInfoSample:
    """CPUs by core class, e.g. {"X925": [5, 6, ...], "A725": [0, 1, ...]}; one class of the model's name elsewhere."""

    classes: dict[str, list[int]]
    governors: list[str]


def parse_stat(stat: str, loadavg: str) -> CpuSample:
    """The texts of /proc/stat and /proc/loadavg. Raises ValueError where they are not what the kernel prints."""
    cpu: list[int] = []
    busy: list[int] = []
    idle: list[int] = []
    for line in stat.partition("\nintr")[0].splitlines():
        name, *ticks = line.split()[:9] or [""]
        if name.startswith("cpu") and name != "cpu":
            user, nice, system, idling, waiting, *interrupted = map(int, ticks)
            cpu.append(int(name[3:]))
            busy.append(user + nice + system + sum(interrupted))
            idle.append(idling + waiting)
    if not cpu:
        raise ValueError("/proc/stat has no CPU line")
    return CpuSample(cpu, busy, idle, float(loadavg.partition(" ")[0]))


def parse_cpuinfo(text: str) -> dict[int, dict[str, str]]:
    """Fields of /proc/cpuinfo by CPU number: {0: {"CPU part": "0xd87", ...}, ...}."""
    cpus: dict[int, dict[str, str]] = {}
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if name == "processor" and value.isdecimal():
            fields = cpus.setdefault(int(value), {})
        elif colon:
            fields[name] = value
    return cpus


def core_classes(cpus: Mapping[int, Mapping[str, str]], capacity: Mapping[int, int]) -> dict[str, list[int]]:
    """CPUs by core class, the fastest first: by the known parts, else by capacity, else all by the model's name."""
    parts = {cpu: (fields.get("CPU implementer", ""), fields.get("CPU part", "")) for cpu, fields in cpus.items()}
    if cpus and all(part in ARM_PARTS for part in parts.values()):
        return {
            name: members
            for known, name in ARM_PARTS.items()
            if (members := sorted(cpu for cpu, part in parts.items() if part == known))
        }
    capacities = sorted({capacity.get(cpu, 0) for cpu in cpus}, reverse=True)
    if len(capacities) > 1 and 0 not in capacities:
        return {f"capacity {step}": sorted(cpu for cpu in cpus if capacity[cpu] == step) for step in capacities}
    classes: dict[str, list[int]] = {}
    for cpu, fields in sorted(cpus.items()):
        name = plain(fields.get("model name", ""), 64) or f"part {plain(fields.get('CPU part', ''), 16) or 'unknown'}"
        classes.setdefault(name, []).append(cpu)
    return classes


def _numbers(reader: Reader, path: str, cpus: Mapping[int, object]) -> dict[int, int]:
    """The number in cpuN/`path` of each CPU that has it."""
    found: dict[int, int] = {}
    for cpu in cpus:
        try:
            found[cpu] = int(reader.text(f"{CPUS}/cpu{cpu}/{path}"))
        except (OSError, ValueError):
            continue
    return found


def _governors(reader: Reader) -> list[str]:
    """The frequency governors in use; none where the machine scales no frequency or a hypervisor does."""
    try:
        policies = [name for name in reader.names(f"{CPUS}/cpufreq") if name.startswith("policy")]
        return sorted({plain(reader.text(f"{CPUS}/cpufreq/{name}/scaling_governor"), 32) for name in policies})
    except OSError:
        return []


def start(reader: Reader) -> Callable[[], CpuSample]:
    return lambda: parse_stat(reader.text("/proc/stat"), reader.text("/proc/loadavg"))


def start_info(reader: Reader) -> Callable[[], CpuInfoSample]:
    def sample() -> CpuInfoSample:
        cpus = parse_cpuinfo(reader.text("/proc/cpuinfo"))
        if not cpus:
            raise ValueError("/proc/cpuinfo names no CPU")
        return CpuInfoSample(core_classes(cpus, _numbers(reader, "cpu_capacity", cpus)), _governors(reader))

    return sample


COLLECTORS = (
    Collector("cpu", "fast", CpuSample, start),
    Collector("cpu_info", "slow", CpuInfoSample, start_info),
)
