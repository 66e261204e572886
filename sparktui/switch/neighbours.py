"""Who answers behind each port: the MAC table and LLDP, decoded, whatever the RouterOS version calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparktui.switch import oids
from sparktui.switch.values import Oid, Plain, column, mac, number, text

LLDP_COLUMNS: Final[tuple[Oid, ...]] = (
    oids.LLDP_CHASSIS_ID,
    oids.LLDP_PORT_SUBTYPE,
    oids.LLDP_PORT_ID,
    oids.LLDP_SYS_NAME,
)
NEIGHBOUR_COLUMNS: Final[tuple[Oid, ...]] = (
    oids.NEIGHBOUR_MAC,
    oids.NEIGHBOUR_IDENTITY,
    oids.NEIGHBOUR_INTERFACE,
)
PORT_IS_MAC: Final = 3
"""lldpRemPortIdSubtype macAddress."""


@dataclass(frozen=True, slots=True)
class LldpNeighbour:
    """What a station behind the port with this ifIndex says of itself. MACs lower case, with colons."""

    if_index: int
    system: str | None
    port: str | None
    """The far port's name, where it is one and not a MAC."""
    macs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """One reading of both tables, made at `at`. `stations[mac]` = ifIndex of the port it was learnt on."""

    at: float
    stations: Mapping[str, int]
    lldp: tuple[LldpNeighbour, ...]


def decode_stations(
    vlan_fdb: Mapping[Oid, Plain], fdb: Mapping[Oid, Plain], base_ports: Mapping[Oid, Plain], release: tuple[int, ...]
) -> dict[str, int]:
    """MAC -> ifIndex out of dot1qTpFdbPort, or where that is empty (RouterOS 6) dot1dTpFdbPort; index -> value each.

    Both tables give bridge port numbers, 0 for the switch itself. RouterOS 6 puts ifIndexes into the second: what does
    not fit the bridge ports is taken for that.
    """
    to_index = {port[0]: index for port, value in base_ports.items() if len(port) == 1 and (index := _if_index(value))}
    rows = vlan_fdb or fdb
    learnt = {
        address: port
        for index, value in rows.items()
        if (address := mac(index[-6:])) is not None and (port := number(value)) is not None and port > 0
    }
    if not vlan_fdb and (release[:1] == (6,) or any(port not in to_index for port in learnt.values())):
        return learnt
    return {address: to_index[port] for address, port in learnt.items() if port in to_index}


def decode_lldp(lldp: Mapping[Oid, Plain], neighbours: Mapping[Oid, Plain]) -> tuple[LldpNeighbour, ...]:
    """lldpRemTable, with whole OIDs. Its index is (time mark, local port, number); RouterOS gives the ifIndex as port.

    Before RouterOS 7.7 there is only a number (or 0.0.number), the one of mtxrNeighborTable: `neighbours` (whole OIDs)
    says which interface that is. Rows there that LLDP does not have (MikroTik's own protocol, CDP) are told as well.
    """
    identities = column(neighbours, oids.NEIGHBOUR_IDENTITY)
    addresses = column(neighbours, oids.NEIGHBOUR_MAC)
    interfaces = {
        index[0]: if_index
        for index, value in column(neighbours, oids.NEIGHBOUR_INTERFACE).items()
        if (if_index := _if_index(value))
    }
    found: list[LldpNeighbour] = []
    heard: set[int] = set()
    systems, chassis = column(lldp, oids.LLDP_SYS_NAME), column(lldp, oids.LLDP_CHASSIS_ID)
    ports, kinds = column(lldp, oids.LLDP_PORT_ID), column(lldp, oids.LLDP_PORT_SUBTYPE)
    for index in sorted({*systems, *chassis, *ports}):
        local = index[-2] if len(index) >= 2 else 0
        if_index = local or interfaces.get(index[-1])
        if not if_index:
            continue
        heard.add(if_index)
        is_mac = kinds.get(index) == PORT_IS_MAC
        port_mac = _address(ports.get(index)) if is_mac else None
        macs = tuple(address for address in (port_mac, _address(chassis.get(index))) if address)
        port = None if is_mac else text(ports.get(index))
        found.append(LldpNeighbour(if_index, text(systems.get(index)), port, macs))
    for index in sorted({*identities, *addresses}):
        if_index = interfaces.get(index[0])
        if if_index is None or if_index in heard:
            continue
        address = _address(addresses.get(index))
        found.append(LldpNeighbour(if_index, text(identities.get(index)), None, (address,) if address else ()))
    return tuple(found)


def _address(plain: Plain | None) -> str | None:
    """A MAC out of six octets or out of text, as RouterOS prints some."""
    if not isinstance(plain, bytes):
        return None
    if len(plain) == 6:
        return mac(plain)
    parts = (text(plain) or "").lower().replace("-", ":").split(":")
    if len(parts) == 6 and all(len(part) == 2 and set(part) <= set("0123456789abcdef") for part in parts):
        return ":".join(parts)
    return None


def _if_index(plain: Plain | None) -> int | None:
    """An ifIndex as value: above 2^31 it arrives negative, and some versions print it as hexadecimal text."""
    value = number(plain)
    if isinstance(plain, bytes):
        try:
            value = int(plain, 16)
        except ValueError:
            return None
    return None if value is None else value & 0xFFFFFFFF
