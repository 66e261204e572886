"""Temperatures, fans and powers of hwmon, and the thermal zones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain

HWMON = "/sys/class/hwmon"
THERMAL = "/sys/class/thermal"

GB10_ZONES = ("TSOC", "TS0E", "TS0P", "TS1E", "TS1P", "TGPU", "TUNC")
"""A GB10's seven ACPI zones in their order: SoC, efficiency and performance cluster of 0 and 1, GPU, uncore."""

NUMBERS = re.compile(r"(\d+)")
INPUT = re.compile(r"(temp|fan|power|in|curr)(\d{1,4})_(input|average)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """How hwmon gives a quantity: `unit` after division by `divisor`, believed from `low` to `high`."""

    unit: str
    divisor: float
    low: float
    high: float
    zero: bool
    """Whether 0 is a reading. A passive cable's module and an unused rail read 0 because there is no sensor."""


QUANTITIES = {
    "temp": Quantity("C", 1e3, -40.0, 150.0, zero=False),
    "fan": Quantity("rpm", 1.0, 0.0, 50e3, zero=True),
    "power": Quantity("W", 1e6, 0.0, 20e3, zero=True),
    "in": Quantity("V", 1e3, -60.0, 500.0, zero=False),
    "curr": Quantity("A", 1e3, -1e3, 1e3, zero=True),
}


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


def reading(kind: str, text: str) -> float | None:
    """The value of an hwmon input of `kind` ("temp", "fan", ...) in its unit, None where no sensor can have read it."""
    quantity = QUANTITIES[kind]
    try:
        value = int(text) / quantity.divisor
    except (ValueError, OverflowError):
        return None
    if not quantity.low <= value <= quantity.high or (value == 0 and not quantity.zero):
        return None
    return round(value, 3)


def _line(reader: Reader, path: str) -> str:
    """The text of a one-line attribute, "" where it is not there or the device does not answer."""
    try:
        return plain(reader.text(path), 64)
    except OSError:
        return ""


def _names(reader: Reader, path: str) -> list[str]:
    """Names in a directory, numbers in them in their order; none where it is not there."""
    try:
        names = reader.names(path)
    except OSError:
        return []
    return sorted(names, key=lambda name: [int(part) if i % 2 else part for i, part in enumerate(NUMBERS.split(name))])


def _zones(reader: Reader) -> list[Sensor]:
    """The thermal zones; ACPI ones by the last name of their path ("\\_TZ.TGPU"), on a GB10 without paths by order."""
    zones = [zone for zone in _names(reader, THERMAL) if zone.startswith("thermal_zone")]
    kinds = {zone: _line(reader, f"{THERMAL}/{zone}/type") for zone in zones}
    acpi = [zone for zone in zones if kinds[zone] == "acpitz"]
    by_order = dict(zip(acpi, GB10_ZONES, strict=True)) if len(acpi) == len(GB10_ZONES) else {}
    found = []
    for zone in zones:
        value = reading("temp", _line(reader, f"{THERMAL}/{zone}/temp"))
        if value is not None and kinds[zone]:
            path = _line(reader, f"{THERMAL}/{zone}/device/path")
            label = path.rpartition(".")[2] or by_order.get(zone) or zone.removeprefix("thermal_")
            found.append(Sensor(kinds[zone], label, value, "C"))
    return found


def _chip(reader: Reader, hwmon: str, name: str, suffix: str) -> list[Sensor]:
    """The readings of one hwmon chip. `suffix` tells it from others of its name."""
    inputs: dict[tuple[str, str], str] = {}
    for entry in _names(reader, f"{HWMON}/{hwmon}"):
        if (match := INPUT.fullmatch(entry)) and (match[3] == "input" or match[1] == "power"):
            inputs.setdefault((match[1], match[2]), entry)
    found = []
    for (kind, number), entry in inputs.items():
        value = reading(kind, _line(reader, f"{HWMON}/{hwmon}/{entry}"))
        if value is not None:
            label = _line(reader, f"{HWMON}/{hwmon}/{kind}{number}_label") or f"{kind}{number}"
            found.append(Sensor(name, label + suffix, value, QUANTITIES[kind].unit))
    return found


def _bus(reader: Reader, hwmon: str) -> str:
    """The bus address of a chip's device ("0000:01:00.0"), else the chip's own number."""
    try:
        return plain(reader.link(f"{HWMON}/{hwmon}/device").rpartition("/")[2], 32)
    except OSError:
        return hwmon


def read_sensors(reader: Reader) -> list[Sensor]:
    """Every believable reading: thermal zones first, then hwmon by chip.

    The kernel shows a thermal zone again as an hwmon chip of the zone's type, without its name: that is left out.
    """
    zones = _zones(reader)
    twice = {zone.chip.replace("-", "_") for zone in zones}
    chips = {hwmon: name for hwmon in _names(reader, HWMON) if (name := _line(reader, f"{HWMON}/{hwmon}/name"))}
    same = Counter(chips.values())
    found = zones
    for hwmon, name in chips.items():
        if name not in twice:
            found += _chip(reader, hwmon, name, f" {_bus(reader, hwmon)}" if same[name] > 1 else "")
    return found


def start(reader: Reader) -> Callable[[], SensorsSample]:
    return lambda: SensorsSample(read_sensors(reader))


COLLECTORS = (Collector("sensors", "slow", SensorsSample, start),)
