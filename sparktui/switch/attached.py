"""What hangs on each port: what the config says, what was learnt, what a comment names, in that order of trust."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparktui.contract import Switch
from sparktui.switch.learnt import LearntPorts, Owner, Sighting
from sparktui.switch.neighbours import LldpNeighbour, Neighbours
from sparktui.switch.ports import Interface


@dataclass(frozen=True, slots=True)
class Attached:
    """`age_s`: since MAC table or LLDP last confirmed it; None where config or comment say it.

    `neighbour` names what is there instead of one of our nodes.
    """

    node: str | None = None
    nics: tuple[str, ...] = ()
    age_s: float | None = None
    neighbour: str | None = None


def attach(
    ports: Mapping[str, Interface],
    configured: Mapping[str, str],
    learnt: LearntPorts,
    seen: Neighbours | None,
    owners: Mapping[str, Owner],
    nodes: Sequence[str],
    now: float,
) -> tuple[dict[str, Attached], list[str]]:
    """What hangs on each port, and in words where the config and the switch disagree.

    `configured` is port -> "spark1", "spark1:p0" or "spark1:enP7s7"; `nodes` are the names a comment may hold.
    """
    claims = {name: _claim(said, owners) for name, said in configured.items()}
    port_of = {(node, nic): name for name, (node, nics) in claims.items() for nic in nics}
    notes = [
        f"{name}: the config names this port, the switch has none of that name"
        for name in sorted(claims.keys() - ports)
    ]
    found: dict[str, Attached] = {}
    for name, port in ports.items():
        here = learnt.on(name)
        told = [one for one in seen.lldp if one.if_index == port.index] if seen else []
        claim = claims.get(name)
        astray = [one.owner for one in here if port_of.get(one.owner[:2], name) != name]
        if claim is not None:
            found[name], note = _as_configured(name, *claim, here)
            notes += note
        elif astray:
            said = ", ".join(sorted({port_of[owner[:2]] for owner in astray}))
            notes.append(f"{name}: sees {_listed(astray)}, which the config puts on {said}")
            found[name] = Attached()
        elif here:
            last = max(one.at for one in here)
            found[name] = Attached(here[0].owner.node, _ordered(one.owner.nic for one in here), max(0.0, now - last))
        elif crowd := learnt.crowd(name):
            found[name] = Attached(neighbour=f"{_stranger(told) or ''} ({', '.join(sorted(crowd))} behind it)".lstrip())
        else:
            found[name] = _by_name(port, told, nodes, now - seen.at if seen else 0.0)
    return found, notes


def _claim(said: str, owners: Mapping[str, Owner]) -> tuple[str, tuple[str, ...]]:
    """Node and NICs of an entry in the config; a cage stands for both halves of its cable, once they are known."""
    node, _, part = said.partition(":")
    halves = _ordered(owner.nic for owner in owners.values() if owner.node == node and owner.cage == part and part)
    if halves or not part or re.fullmatch(r"p\d+", part):
        return node, halves
    return node, (part,)


def _as_configured(name: str, node: str, nics: tuple[str, ...], here: Sequence[Sighting]) -> tuple[Attached, list[str]]:
    others = [one.owner for one in here if one.owner.node != node or (nics and one.owner.nic not in nics)]
    note = [f"{name}: sees {_listed(others)}, the config says {' '.join((node, *nics))}"] if others else []
    return Attached(node, nics or _ordered(one.owner.nic for one in here if one.owner.node == node)), note


def _by_name(port: Interface, told: Sequence[LldpNeighbour], nodes: Sequence[str], age_s: float) -> Attached:
    """By what LLDP, else the port's comment, calls it: a node whose MACs are not known is still known by its name."""
    systems = {(one.system or "").split(".")[0].lower() for one in told}
    named = [node for node in nodes if node.lower() in systems]
    if len(named) == 1:
        return Attached(named[0], _ordered({one.port for one in told if one.port is not None}), age_s)
    stranger = _stranger(told)
    return Attached(neighbour=stranger) if stranger else Attached(_named(port.alias, nodes))


def _stranger(told: Sequence[LldpNeighbour]) -> str | None:
    """What LLDP calls the far end: system and port, else a MAC of it."""
    names = (" ".join(filter(None, (one.system, one.port))) or next(iter(one.macs), None) for one in told)
    return next(filter(None, names), None)


def _named(alias: str | None, nodes: Sequence[str]) -> str | None:
    """The one node whose name is a word of the port's comment."""
    words = {word.lower() for word in re.findall(r"[\w.-]+", alias or "")}
    named = [node for node in nodes if node.lower() in words]
    return named[0] if len(named) == 1 else None


def _listed(owners: Iterable[Owner]) -> str:
    return ", ".join(sorted(f"{owner.node} {owner.nic}" for owner in owners))


def _ordered(nics: Iterable[str]) -> tuple[str, ...]:
    """PCI domain 0 first: enp1s0f0np0 before enP2p1s0f0np0."""
    return tuple(sorted(nics, key=lambda nic: (nic.lower(), nic)))


def ports_of(switches: Mapping[str, Switch]) -> dict[tuple[str, str], tuple[str, str]]:
    """(node, nic) -> (switch, port). Where two ports claim one NIC: what the config says, else the latest learnt."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    ages: dict[tuple[str, str], float] = {}
    for switch_name, switch in switches.items():
        for port_name, port in switch.ports.items():
            age = -1.0 if port.learnt_age_s is None else port.learnt_age_s
            for nic in port.nics:
                key = (port.node or "", nic)
                if age < ages.get(key, float("inf")):
                    found[key], ages[key] = (switch_name, port_name), age
    return found
