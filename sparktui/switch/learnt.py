"""Which NIC was seen behind which port: MAC table and LLDP, remembered longer than the switch does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from sparktui.contract import Node
from sparktui.switch.neighbours import LldpNeighbour, Neighbours

CROWD_S: Final = 600.0
"""How long a port that led to several nodes is not taken for a node's own: two lifetimes of a MAC table entry."""


class Owner(NamedTuple):
    """The NIC that has a MAC. `cage` is its ConnectX cage ("p0"), `twin` the other half of the same cable."""

    node: str
    nic: str
    cage: str | None = None
    twin: str | None = None


def owners_of(nodes: Mapping[str, Node]) -> dict[str, Owner]:
    """MAC -> owner, out of the nodes' latest views."""
    return {
        nic.mac: Owner(name, nic_name, nic.cage, nic.twin)
        for name, node in nodes.items()
        for nic_name, nic in node.nics.items()
        if nic.mac
    }


@dataclass(frozen=True, slots=True)
class Sighting:
    """`at`: when the switch last confirmed it, in seconds of the monotonic clock."""

    owner: Owner
    port: str
    at: float


class LearntPorts:
    """Keeps what was learnt until something contradicts it: a switch forgets a MAC after five silent minutes.

    Contradicted = the NIC, or the other half of its cable, is seen on another port, or another node on its port. A port
    behind which several nodes are seen leads to another switch, and none of them is on it.
    """

    def __init__(self) -> None:
        self._by_nic: dict[tuple[str, str], Sighting] = {}
        self._crowds: dict[str, tuple[float, frozenset[str]]] = {}

    def on(self, port: str) -> list[Sighting]:
        """The NICs known to be on a port: all of one node."""
        return [seen for seen in self._by_nic.values() if seen.port == port]

    def crowd(self, port: str) -> frozenset[str]:
        """The nodes behind a port that leads to another switch; empty for other ports."""
        return self._crowds.get(port, (0.0, frozenset()))[1]

    def learn(self, seen: Neighbours, ports: Mapping[int, str], owners: Mapping[str, Owner]) -> None:
        """Take one reading of the tables. `ports` is ifIndex -> port name, `owners` MAC -> NIC."""
        for port, here in _behind(seen, ports, owners).items():
            nodes = frozenset(owner.node for owner in here)
            since, _ = self._crowds.get(port, (-CROWD_S, nodes))
            if len(nodes) > 1:
                self._crowds[port] = seen.at, nodes
                self._by_nic = {key: old for key, old in self._by_nic.items() if old.port != port}
            elif seen.at - since >= CROWD_S:
                self._crowds.pop(port, None)
                for owner in here:
                    self._sight(Sighting(owner, port, seen.at))

    def _sight(self, new: Sighting) -> None:
        known = self._by_nic.get(new.owner[:2])
        if known is not None and known.at >= new.at:
            return
        self._by_nic = {key: old for key, old in self._by_nic.items() if not _contradicts(new, old)}
        self._by_nic[new.owner[:2]] = new


def _contradicts(new: Sighting, old: Sighting) -> bool:
    if new.port == old.port:
        return new.owner.node != old.owner.node
    return new.owner.node == old.owner.node and old.owner.nic in (new.owner.nic, new.owner.twin)


def _behind(seen: Neighbours, ports: Mapping[int, str], owners: Mapping[str, Owner]) -> dict[str, set[Owner]]:
    """The NICs behind each port. LLDP counts only for a port and a NIC that the MAC table does not know."""
    found: dict[str, set[Owner]] = {}
    for address, index in seen.stations.items():
        if index in ports and address in owners:
            found.setdefault(ports[index], set()).add(owners[address])
    stationed = {owner for here in found.values() for owner in here}
    told: dict[str, set[Owner]] = {}
    for neighbour in seen.lldp:
        port, owner = ports.get(neighbour.if_index), lldp_owner(neighbour, owners)
        if port is not None and port not in found and owner is not None and owner not in stationed:
            told.setdefault(port, set()).add(owner)
    return found | told


def lldp_owner(told: LldpNeighbour, owners: Mapping[str, Owner]) -> Owner | None:
    """The NIC that an LLDP neighbour is: by its node (a MAC of it, else its system name) and the port's name or MAC."""
    known = [owners[address] for address in told.macs if address in owners]
    if told.port is None:
        return known[0] if known else None
    system = (told.system or "").lower()
    nodes = {owner.node.lower() for owner in known} or {system, system.split(".")[0]}
    return _first(owner for owner in owners.values() if owner.nic == told.port and owner.node.lower() in nodes)


def _first(owners: Iterable[Owner]) -> Owner | None:
    return next(iter(owners), None)
