"""The ports of a switch: its interface table, cages and their lanes, and which of them are worth showing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sparktui.switch import oids
from sparktui.switch.values import Oid, Plain, column, number, text

ETHERNET: Final = 6
"""ifType ethernetCsmacd: leaves out bridges, bonds, VLANs and loopbacks, which are no ports."""

STATUS: Final = {1: "up", 2: "down", 3: "testing", 4: "unknown", 5: "dormant", 6: "not_present", 7: "lower_layer_down"}
"""ifOperStatus and ifAdminStatus (IF-MIB)."""

INTERFACE_COLUMNS: Final[tuple[Oid, ...]] = (
    oids.IF_TYPE,
    oids.IF_NAME,
    oids.IF_ADMIN_STATUS,
    oids.IF_OPER_STATUS,
    oids.IF_HIGH_SPEED,
    oids.IF_ALIAS,
)

_PLAIN_CAGE = re.compile(r"(?:sfp56|sfp28|sfp-sfpplus|sfp)-?\d+|qsfp\w*(?:-dd)?-\d+")
_LANE = re.compile(r"(qsfp\w*(?:-dd)?-\d+|qsfpplus\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Interface:
    """One port. `speed_mbps` is None while it is down. `lane` is set where its cage can be split into several ports."""

    index: int
    name: str
    oper: str
    admin: str | None = None
    speed_mbps: int | None = None
    alias: str | None = None
    cage: str | None = None
    lane: int | None = None


def decode_interfaces(values: Mapping[Oid, Plain]) -> dict[str, Interface]:
    """ifTable and ifXTable to Ethernet ports by name, in the order of ifIndex.

    The name is what stays when indexes are given anew. Where there is no ifName, ifDescr stands in. Speed is
    ifHighSpeed: ifSpeed ends at 4.29 Gb/s, and RouterOS says 0 there.
    """
    types, opers = column(values, oids.IF_TYPE), column(values, oids.IF_OPER_STATUS)
    names = column(values, oids.IF_NAME) or column(values, oids.IF_DESCR)
    found: dict[str, Interface] = {}
    for index, value in sorted(names.items()):
        name = text(value)
        if name is None or len(index) != 1 or types.get(index) != ETHERNET or name in found:
            continue
        oper = status(opers.get(index))
        cage, lane = split_name(name)
        found[name] = Interface(
            index=index[0],
            name=name,
            oper=oper,
            admin=status(values.get(oids.IF_ADMIN_STATUS + index)),
            speed_mbps=speed(values.get(oids.IF_HIGH_SPEED + index), oper),
            alias=text(values.get(oids.IF_ALIAS + index)),
            cage=cage,
            lane=lane,
        )
    return found


def status(plain: Plain | None) -> str:
    value = number(plain)
    return STATUS.get(value or 0, "unknown")


def speed(plain: Plain | None, oper: str) -> int | None:
    """Mb/s of a port that is up; 0 means unknown."""
    return (number(plain) or None) if oper == "up" else None


def split_name(name: str) -> tuple[str | None, int | None]:
    """Cage and lane in a factory name: "qsfp56-dd-1-5" is lane 5 of cage "qsfp56-dd-1", "sfp56-3" a cage of one lane.

    None for what has no cage (copper) or was renamed.
    """
    if match := _LANE.fullmatch(name):
        return match[1], int(match[2])
    return (name if _PLAIN_CAGE.fullmatch(name) else None), None


def is_shown(port: Interface, named: Collection[str], seen_up: Collection[str]) -> bool:
    """Whether a port is one of its own. `named`: those that the config names; `seen_up`: those that were up before.

    A split cage keeps the lanes that its links swallow (2 to 4 of a 200G half) enabled and down for ever: such a lane
    is no port. A lane that is up, or was, or that someone put a name on, is one.
    """
    return (
        port.lane is None or port.oper == "up" or port.alias is not None or port.name in named or port.name in seen_up
    )
