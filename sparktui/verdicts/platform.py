"""A node that runs other software or other settings than the rest of the rack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sparktui.contract import Nic, Node
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule

SHOWN = 4
"""Differences named in the text; all stand in the evidence."""

RACK = "the rack"

Difference = dict[str, Any]

Fact = tuple[str, str]
"""What is compared, and among whom: firmware only among machines of one product, the rest among one kind of machine."""


def make(_: Mapping[str, float]) -> Evaluate:
    heard: set[str] = set()
    """Nodes that answered or are known not to: before all have, a majority is not known to be missing."""

    def evaluate(moment: Moment) -> list[Candidate]:
        heard.update(name for name, node in moment.nodes.items() if node.state != "connecting")
        order = sorted(moment.nodes, key=lambda name: (_position(name, moment.rack_order), name))
        answers: dict[Fact, dict[str, str]] = {}
        for name in order:
            for fact, value in facts(moment.nodes[name]).items():
                answers.setdefault(fact, {})[name] = value
        differences: dict[str, dict[str, Difference]] = {}
        for (what, _), values in answers.items():
            if len(set(values.values())) == 1:
                continue
            usual, agreed = reference(list(values.values()))
            if not agreed and not heard >= moment.nodes.keys():
                continue
            like = RACK if agreed else next(name for name, value in values.items() if value == usual)
            for name in (name for name, value in values.items() if value != usual):
                told = {"mine": values[name], "rack": usual, "n": len(values), "compared_with": like}
                differences.setdefault(name, {})[what] = told
        return [_candidate(name, found) for name, found in differences.items()]

    return evaluate


def _position(name: str, rack_order: Sequence[str]) -> int:
    return rack_order.index(name) if name in rack_order else len(rack_order)


def reference(values: Sequence[str]) -> tuple[str, bool]:
    """The value to compare with, and whether most have it. Without a majority it is the first of the most common."""
    value, count = Counter(values).most_common(1)[0]
    return value, 2 * count > len(values)


def facts(node: Node) -> dict[Fact, str]:
    """What is known about a node that its equals should share; of one that is away what it last said."""
    platform = node.platform
    if platform is None:
        return {}
    kind = f"{platform.architecture} {node.gpus[0].name if node.gpus else ''}"
    software = {
        "OS": platform.os,
        "kernel": platform.kernel,
        "NVIDIA driver": platform.nvidia_driver,
        "CPU governor": "+".join(sorted(set(node.cpus.governors))) if node.cpus is not None else None,
        **platform.sysctl,
        **_network(node.nics, platform.kernel),
    }
    firmware = {
        "EC": platform.ec,
        "UEFI": platform.uefi,
        "USB-PD": platform.usb_pd,
        "BIOS": platform.bios_version,
    }
    product = f"{kind} {platform.product}"
    return {
        **{(what, kind): value for what, value in software.items() if value},
        **{(what, product): value for what, value in firmware.items() if value},
    }


def _network(nics: Mapping[str, Nic], kernel: str) -> dict[str, str]:
    """Driver builds, queues and firmware per driver, MTU per plane. A driver of the kernel's own has its version."""
    found: dict[str, set[str]] = {}
    for nic in nics.values():
        if nic.driver_version and nic.driver_version != kernel:
            found.setdefault(f"{nic.driver} version", set()).add(nic.driver_version)
        if nic.plane == "management" and nic.rx_queues is not None:
            found.setdefault(f"{nic.driver} RX queues", set()).add(str(nic.rx_queues))
        if nic.plane == "fabric" and nic.firmware:
            found.setdefault(f"{nic.driver} firmware", set()).add(nic.firmware)
        if nic.plane != "other" and nic.operstate == "up":
            found.setdefault(f"{nic.plane} MTU", set()).add(str(nic.mtu))
    return {what: "+".join(sorted(values)) for what, values in found.items()}


def _candidate(name: str, differences: Mapping[str, Difference]) -> Candidate:
    told = [
        f"{what} {one['mine']} ({one['compared_with'].removeprefix('the ')} {one['rack']})"
        for what, one in differences.items()
    ]
    more = f" and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    majority = any(one["compared_with"] == RACK for one in differences.values())
    text = "differs from the rack: " if majority else "differs, with no majority to say who is right: "
    return Candidate(
        name,
        "",
        text + ", ".join(told[:SHOWN]) + more,
        dict(differences),
        "Bring it to the rack's versions and settings before comparing its results.",
    )


RULES = (
    Rule(
        id="platform.differs",
        severity="warn",
        why="Results of unlike machines cannot be compared, and a job has the pace and the faults of the odd one.",
        make=make,
    ),
)
