"""Which network devices belong together: planes, ConnectX cages and their halves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sparktui.collectors.nic import NicInfo
from sparktui.contract import Plane

FABRIC_MBPS = 40_000
"""A link this fast is fabric whatever its driver: the management port of these machines is 10GbE at most."""

_CAGE = re.compile(r"p\d{1,2}")
_CONNECTX = "mlx5_core"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a netdev belongs. `cage` is the ConnectX port name ("p0"); `twin` the other half of that cage."""

    plane: Plane
    cage: str | None
    twin: str | None


def places(
    infos: Sequence[NicInfo], speeds: Mapping[str, int | None], planes: Mapping[Plane, Sequence[str]]
) -> dict[str, Place]:
    """The place of every netdev. `planes` is the node's config, whose names may hold wildcards; it wins."""
    cages = {info.name: cage(info) for info in infos}
    found: dict[str, Place] = {}
    for info in infos:
        mine = cages[info.name]
        twin = next(
            (other.name for other in infos if other is not info and mine is not None and _halves(info, other, cages)),
            None,
        )
        found[info.name] = Place(plane(info, speeds.get(info.name), planes), mine, twin)
    return found


def plane(info: NicInfo, speed_mbps: int | None, planes: Mapping[Plane, Sequence[str]]) -> Plane:
    """Fabric: ConnectX, or anything of 40 Gb/s and more. Other: Wi-Fi. Management: every other wired device."""
    for name, patterns in planes.items():
        if any(fnmatchcase(info.name, pattern) for pattern in patterns):
            return name
    if info.wireless:
        return "other"
    if info.driver == _CONNECTX or (speed_mbps is not None and speed_mbps >= FABRIC_MBPS):
        return "fabric"
    return "management"


def cage(info: NicInfo) -> str | None:
    """The cage of a ConnectX function: its phys_port_name, else the PCI function number (0000:01:00.1 -> p1).

    A GB10's NIC runs as two PCIe hosts, so one cage is two netdevs, in PCI domains 0000 and 0002.
    """
    if info.driver != _CONNECTX:
        return None
    if info.phys_port_name is not None:
        return info.phys_port_name if _CAGE.fullmatch(info.phys_port_name) else None
    match = re.search(r"\.(\d)$", info.bus)
    return f"p{match[1]}" if match else None


def _halves(one: NicInfo, other: NicInfo, cages: Mapping[str, str | None]) -> bool:
    """Same cage of the same NIC: equal switch ids where both have one, in different PCI domains."""
    if cages[one.name] != cages[other.name]:
        return False
    if one.phys_switch_id and other.phys_switch_id and one.phys_switch_id != other.phys_switch_id:
        return False
    return one.bus.split(":")[0] != other.bus.split(":")[0]
