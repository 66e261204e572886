"""What the rules about NICs share: a cable has two ends, and is one though a ConnectX cage shows it as two netdevs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sparktui.contract import Nic, Node, Port, Switch
from sparktui.verdicts.base import Candidate


def cable(name: str, nic: Nic) -> str:
    """One name for the cable of a netdev, the same from either half of a cage."""
    return min(name, nic.twin) if nic.twin else name


def once_per_cable(candidates: Iterable[tuple[float, Candidate]]) -> list[Candidate]:
    """Of candidates whose part is a cable, the one with the greatest weight per cable: both halves see one fault."""
    found: dict[tuple[str, str], tuple[float, Candidate]] = {}
    for weight, candidate in candidates:
        key = candidate.target, candidate.part
        if key not in found or weight > found[key][0]:
            found[key] = weight, candidate
    return [candidate for _, candidate in found.values()]


def far_end(nic: Nic, switches: Mapping[str, Switch]) -> Port | None:
    """The switch port at the other end, None where none is known or its values are old."""
    switch = switches.get(nic.switch or "")
    if switch is None or switch.state != "live":
        return None
    return switch.ports.get(nic.switch_port or "")


def port_evidence(nic: Nic, port: Port | None) -> dict[str, Any] | None:
    """What the port at the other end shows, per second. Its own FCS errors came from the node, not to it."""
    if port is None:
        return None
    return {
        "switch": nic.switch,
        "port": nic.switch_port,
        "tx_packets_per_s": port.tx_packets_per_s,
        "tx_bps": port.tx_bps,
        "rx_fcs_errors_per_s": port.rx_fcs_errors_per_s,
        "rx_drops_per_s": port.rx_drops_per_s,
        "tx_drops_per_s": port.tx_drops_per_s,
    }


def nics(nodes: Mapping[str, Node]) -> list[tuple[str, Node, str, Nic]]:
    """Every NIC of these nodes: (node name, node, netdev, NIC)."""
    return [(name, node, netdev, nic) for name, node in nodes.items() for netdev, nic in node.nics.items()]
