"""What stays the same in the switch's tables: what it is, its ports, its modules, and who is behind which port.

OIDs, index numbers and types as in MikroTik's MIB and RouterOS 7, and without the tables that RouterOS leaves out
(EtherLike-MIB, ifCounterDiscontinuityTime).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sparktui.demo.agent import Value, counter32, counter64, gauge, integer, oid, text
from sparktui.demo.cabling import FABRIC_PORTS, OPERATOR_PORT, RJ45_PORTS, STORAGE_PORT
from sparktui.demo.hardware import HALVES, RJ45, mac
from sparktui.demo.scenarios import NODES, SWITCH

Oid = tuple[int, ...]
Row = tuple[Oid, Value]

BOARD, VERSION = "CRS812-8DS-2DQ-2DDQ", "7.23.1"
INTERFACES = (
    "lo",
    "ether1",
    "ether2",
    *(f"sfp56-{n}" for n in range(1, 9)),
    *(f"qsfp56-{cage}-{lane}" for cage in (1, 2) for lane in range(1, 5)),
    *(f"qsfp56-dd-{cage}-{lane}" for cage in (1, 2) for lane in range(1, 9)),
    "bridge",
)
INDEX: Mapping[str, int] = {name: at for at, name in enumerate(INTERFACES, 1)}
BRIDGED = [name for name in INTERFACES if re.fullmatch(r"ether\d|sfp56-\d|qsfp56-\d-1|qsfp56-dd-\d-[15]", name)]
"""The ports in the bridge, in the order of its own numbers. The other lanes belong to the link of the lane before."""

SPEEDS: Mapping[str, int] = {
    OPERATOR_PORT: 1_000,
    STORAGE_PORT: 10_000,
    **dict.fromkeys(RJ45_PORTS.values(), 10_000),
    **dict.fromkeys(FABRIC_PORTS.values(), 200_000),
}
"""Mb/s of the ports that are up."""

ALIASES: Mapping[str, str] = {
    OPERATOR_PORT: "operator",
    STORAGE_PORT: "storage",
    **{port: f"{node} rj45" for node, port in RJ45_PORTS.items()},
    **{port: node for node, port in FABRIC_PORTS.items()},
}

SYSTEM, IF_TABLE, IF_X_TABLE = (1, 3, 6, 1, 2, 1, 1), (1, 3, 6, 1, 2, 1, 2, 2, 1), (1, 3, 6, 1, 2, 1, 31, 1, 1, 1)
MIKROTIK = (1, 3, 6, 1, 4, 1, 14988, 1, 1)
LICENCE, BOARD_FACTS, NEIGHBOURS = (*MIKROTIK, 4), (*MIKROTIK, 7), (*MIKROTIK, 11, 1, 1)
STATISTICS, OPTICAL = (*MIKROTIK, 14, 1, 1), (*MIKROTIK, 19, 1, 1)
STATISTICS_COLUMNS = (*range(11, 22), *range(31, 56), *range(61, 90), 91)
STATISTICS_NAME, LINK_DOWNS = 2, 90
HOST_RESOURCES, PHYSICAL = (1, 3, 6, 1, 2, 1, 25), (1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1)
BASE_PORT, FDB = (1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 2), (1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 2, 1, 2)
LLDP = (1, 0, 8802, 1, 1, 2, 1, 4, 1, 1)

ETHERNET, LOOPBACK, BRIDGE = 6, 24, 209
UP, DOWN = 1, 2
MEMORY = 65536
CHASSIS_IS_MAC, PORT_IS_NAME = 4, 5

STORAGE_MAC, OPERATOR_MAC, SWITCH_MAC = "02:d5:90:00:fe:01", "02:d5:90:00:fe:02", "02:d5:90:00:ff:01"
STATIONS: Mapping[str, str] = {
    SWITCH_MAC: "",
    OPERATOR_MAC: OPERATOR_PORT,
    STORAGE_MAC: STORAGE_PORT,
    **{mac(at, RJ45): RJ45_PORTS[node] for at, node in enumerate(NODES)},
    **{mac(at, half): FABRIC_PORTS[node] for at, node in enumerate(NODES) for half in HALVES},
}
"""MAC to the port it was learnt on; none for the switch's own."""

SAYING: tuple[tuple[str, str, str, str], ...] = (
    (STORAGE_PORT, "nas1", "enp3s0", STORAGE_MAC),
    *((RJ45_PORTS[node], node, RJ45, mac(at, RJ45)) for at, node in enumerate(NODES)),
    *((FABRIC_PORTS[node], node, half, mac(at, half)) for at, node in enumerate(NODES) for half in HALVES),
)
"""Who speaks LLDP: (port, system name, its port, its MAC)."""


def octets(address: str) -> bytes:
    return bytes.fromhex(address.replace(":", ""))


def rows() -> Iterator[Row]:
    """All rows that never change, and every counter as zero."""
    yield from _system()
    for name in INTERFACES:
        yield from _interface(name, INDEX[name])
    yield from _modules()
    yield from _behind()


def _system() -> Iterator[Row]:
    yield (*SYSTEM, 1, 0), text(f"RouterOS {BOARD}")
    yield (*SYSTEM, 2, 0), oid((1, 3, 6, 1, 4, 1, 14988, 1))
    yield (*SYSTEM, 4, 0), text("")
    yield (*SYSTEM, 5, 0), text(SWITCH)
    yield (*SYSTEM, 6, 0), text("")
    yield (*SYSTEM, 7, 0), integer(78)
    yield (1, 3, 6, 1, 2, 1, 2, 1, 0), integer(len(INTERFACES))
    yield (*LICENCE, 3, 0), integer(5)
    yield (*LICENCE, 4, 0), text(VERSION)
    facts = {4: VERSION, 6: "2026-06-30 08:11:29", 7: VERSION, 8: "CRS812 DDQ", 9: BOARD}
    for column, fact in facts.items():
        yield (*BOARD_FACTS, column, 0), text(fact)
    yield (*PHYSICAL, 2, MEMORY), text(f"RouterOS {VERSION} (stable) on {BOARD}")
    yield (*PHYSICAL, 7, MEMORY), text("arm64")
    storage = (*HOST_RESOURCES, 2, 3, 1)
    yield (*storage, 3, MEMORY), text("main memory")
    yield (*storage, 4, MEMORY), integer(1024)
    yield (*storage, 5, MEMORY), integer(4 << 20)
    yield (*storage, 6, MEMORY), integer(611_840)


def _interface(name: str, index: int) -> Iterator[Row]:
    up = name in SPEEDS or name in ("lo", "bridge")
    kind = {"lo": LOOPBACK, "bridge": BRIDGE}.get(name, ETHERNET)
    mtu = 9000 if name in FABRIC_PORTS.values() else 1500
    yield (*IF_TABLE, 1, index), integer(index)
    yield (*IF_TABLE, 2, index), text(name)
    yield (*IF_TABLE, 3, index), integer(kind)
    yield (*IF_TABLE, 4, index), integer(mtu)
    yield (*IF_TABLE, 5, index), gauge(1_000_000_000 if SPEEDS.get(name) == 1_000 else 0)
    yield (*IF_TABLE, 6, index), text(octets(SWITCH_MAC)[:5] + bytes((index,)))
    yield (*IF_TABLE, 7, index), integer(UP)
    yield (*IF_TABLE, 8, index), integer(UP if up else DOWN)
    for column in (13, 14, 19, 20):
        yield (*IF_TABLE, column, index), counter32(0)
    yield (*IF_X_TABLE, 1, index), text(name)
    for column in (6, 7, 8, 9, 10, 11, 12, 13):
        yield (*IF_X_TABLE, column, index), counter64(0)
    yield (*IF_X_TABLE, 15, index), gauge(SPEEDS.get(name, 0))
    yield (*IF_X_TABLE, 18, index), text(ALIASES.get(name, ""))
    yield (*STATISTICS, STATISTICS_NAME, index), text(name)
    for column in STATISTICS_COLUMNS:
        yield (*STATISTICS, column, index), counter64(0)
    yield (*STATISTICS, LINK_DOWNS, index), counter32(1 if name in SPEEDS else 0)


def _modules() -> Iterator[Row]:
    """Copper SFP+ modules have temperature and voltage and no light; passive breakout cables have no sensor at all."""
    for port in (*RJ45_PORTS.values(), STORAGE_PORT, *FABRIC_PORTS.values()):
        copper = port not in FABRIC_PORTS.values()
        index = INDEX[port]
        yield (*OPTICAL, 2, index), text(port)
        yield (*OPTICAL, 3, index), integer(0)
        yield (*OPTICAL, 4, index), integer(0)
        yield (*OPTICAL, 5, index), gauge(0)
        yield (*OPTICAL, 6, index), gauge(60 + 2 * (index - INDEX["sfp56-1"]) if copper else 0)
        yield (*OPTICAL, 7, index), gauge(3_301 if copper else 0)
        if not copper:
            yield (*OPTICAL, 8, index), gauge(0)
            yield (*OPTICAL, 9, index), integer(0)
            yield (*OPTICAL, 10, index), integer(0)
        yield (*OPTICAL, 11, index), text("MikroTik" if copper else "Amphenol")


def _behind() -> Iterator[Row]:
    number = {name: at for at, name in enumerate(BRIDGED, 1)}
    for name, at in number.items():
        yield (*BASE_PORT, at), integer(INDEX[name])
    for address, port in STATIONS.items():
        yield (*FDB, 0, *octets(address)), integer(number.get(port, 0))
    seen: dict[str, int] = {}
    for at, (port, system, far_port, address) in enumerate(SAYING, 1):
        seen[port] = seen.get(port, 0) + 1
        row = (0, INDEX[port], seen[port])
        yield (*LLDP, 4, *row), integer(CHASSIS_IS_MAC)
        yield (*LLDP, 5, *row), text(octets(address))
        yield (*LLDP, 6, *row), integer(PORT_IS_NAME)
        yield (*LLDP, 7, *row), text(far_port)
        yield (*LLDP, 9, *row), text(system)
        yield (*NEIGHBOURS, 3, at), text(octets(address))
        yield (*NEIGHBOURS, 6, at), text(system)
        yield (*NEIGHBOURS, 8, at), integer(INDEX[port])
