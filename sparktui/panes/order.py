"""The order of the nodes: the rack's own, or by a figure, with a dead band in which nodes count as equal."""

from __future__ import annotations

from dataclasses import dataclass

from sparktui.contract import summed
from sparktui.panes import facts
from sparktui.panes.base import Picture


@dataclass(frozen=True, slots=True)
class Sort:
    """`column` is the table's; `band` is how far two nodes may differ and still count as equal."""

    column: str
    band: float
    lowest_first: bool = False


SORTS = {
    "util": Sort("util", 5.0),
    "temp": Sort("temp", 2.0),
    "clock": Sort("mhz", 25.0, lowest_first=True),
    "power": Sort("watts", 3.0),
    "mem": Sort("memory", 1.0),
    "loss": Sort("missed", 1.0),
}
"""In percent, C, MHz, W, percent of all memory, and frames per second. The slowest clock is the one looked for."""


def ordered(picture: Picture) -> list[str]:
    """The nodes to show: those that pass the filter, in the rack's order or by the asked-for figure."""
    rack = picture.rack
    texts: dict[str, list[str]] = {name: [name, node.state.replace("_", " ")] for name, node in rack.nodes.items()}
    for finding in facts.open_findings(rack):
        if finding.target in texts:
            texts[finding.target] += [finding.rule, finding.text]
    names = [name for name, words in texts.items() if facts.matches(picture.filter, *words)]
    return by_figure(picture, names) if picture.sort in SORTS else names


def by_figure(picture: Picture, names: list[str]) -> list[str]:
    """By groups of equals, the first figure of each group being its measure; in a group in the rack's order.

    Nodes under one load differ by less than their figures wobble: without groups they would change places all the time.
    Those without a figure, or with an old one, come last.
    """
    sort = SORTS[picture.sort]
    known = {name: value for name in names if (value := figure_of(picture, name)) is not None}
    place = {name: index for index, name in enumerate(names)}
    groups: list[list[str]] = []
    head = 0.0
    for name in sorted(known, key=lambda one: (known[one] if sort.lowest_first else -known[one], place[one])):
        if not groups or abs(known[name] - head) > sort.band:
            groups.append([])
            head = known[name]
        groups[-1].append(name)
    rest = [name for name in names if name not in known]
    return [name for group in groups for name in sorted(group, key=lambda one: place[one])] + rest


def figure_of(picture: Picture, name: str) -> float | None:
    """What the node is sorted by; None where it is not known now."""
    node = picture.rack.nodes[name]
    if node.state != "live":
        return None
    gpu = facts.gpu_figures(node)
    match picture.sort:
        case "mem":
            used, total = facts.memory_use(node)
            return 100 * used / total if used is not None and total else None
        case "loss":
            found = facts.cables(name, node)
            return summed(rate for cable in found for rate in (cable.missed_per_s, cable.errors_per_s))
    if gpu is None:
        return None
    values = {
        "util": gpu.utilization_percent,
        "temp": gpu.temperature_c,
        "clock": gpu.sm_clock_mhz,
        "power": gpu.power_w,
    }
    return values[picture.sort]


def sorted_by(picture: Picture) -> tuple[str, str]:
    """The column that the rows are sorted by, and the arrow that says which way; blank in the rack's own order."""
    sort = SORTS.get(picture.sort)
    if sort is None:
        return "", ""
    return sort.column, picture.glyphs.up if sort.lowest_first else picture.glyphs.down_arrow
