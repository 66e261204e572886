"""The nodes of the overview: one row each, the same columns for the rack's median and spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparktui.contract import Node, Plane, Severity
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, bar, buckets, spark, width
from sparktui.panes.marked import loss_cell, node_losses
from sparktui.panes.order import sorted_by
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import (
    NOT_YET,
    SEVERITY_STYLES,
    WAITING,
    figure,
    not_yet,
    severity_glyph,
    state_cells,
    state_pieces,
)
from sparktui.panes.table import Cell, Column, Layout

SPARK_SECONDS = 60.0


def columns(names: Sequence[str], pane_cells: int) -> list[Column]:
    """The table's columns; only the configured names set a width."""
    longest = min(16, max(8, pane_cells // 5), max([6, *map(width, names)]))
    return [
        Column("mark", ((0, 2, ""),), "left", gap=0),
        Column("node", ((0, longest, "node"),), "left", gap=0),
        Column("state", ((0, 6, "state"),), "left"),
        Column("util", ((0, 9, "util"), (7, 10, "util"), (13, 16, "util"), (15, 24, "util")), group=True),
        Column("mhz", ((0, 4, "MHz"),), group=True),
        Column("spark", ((6, 8, "last min"), (12, 12, "last minute"), (14, 20, "last minute")), "left"),
        Column("temp", ((1, 3, "C"),), group=True),
        Column("watts", ((2, 5, "W"),)),
        Column("pstate", ((7, 2, "P"),)),
        Column("memory", ((2, 8, "memory"), (10, 11, "memory")), group=True),
        Column("cpu", ((11, 4, "cpu"),)),
        Column("management", ((3, 8, "mgmt"), (9, 14, "mgmt rx/tx")), group=True),
        Column("fabric", ((2, 8, "fabric"), (8, 14, "fabric rx/tx")), group=True),
        Column("missed", ((1, 5, "miss"), (7, 7, "rx miss")), group=True),
        Column("errors", ((4, 5, "err"), (7, 7, "rx err"))),
        Column("irq", ((5, 10, "mgmt irqs"),), "left", group=True),
    ]


def layout(picture: Picture) -> Layout:
    return Layout(columns(list(picture.rack.nodes), picture.width), picture.width - 1, picture.glyphs, stretch=3)


def add_nodes(sheet: Sheet, picture: Picture, names: Sequence[str]) -> None:
    """Header, one row per node, and what the rack has in common."""
    table = layout(picture)
    sheet.add(*table.header(sorted_by(picture)))
    worst = facts.worst_of(picture.rack)
    for name in names:
        sheet.item(f"node:{name}", *node_row(picture, table, name, worst.get(name)))
    for row in rack_rows(picture, table):
        sheet.add(*row)


def node_row(picture: Picture, table: Layout, name: str, severity: Severity | None) -> list[Piece]:
    node = picture.rack.nodes[name]
    if never_seen(node):
        return blank_row(picture, table, name, node)
    cells: dict[str, Cell] = {
        "mark": mark_cell(picture, severity),
        "node": (name, "bold"),
        "state": state_pieces(node, picture.glyphs),
    }
    cells |= gpu_cells(picture, table, name, node) | host_cells(node, table) | network_cells(picture, table, name, node)
    if node.state == "live":
        return not_yet(table.row(cells), facts.has_rates(node))
    return table.row(cells | table.joined("state", "util", state_cells(node, picture.glyphs)), old=True)


def mark_cell(picture: Picture, severity: Severity | None) -> Cell:
    """The worst open finding of a target, before its name."""
    if severity is None:
        return ""
    return severity_glyph(severity, picture.glyphs), SEVERITY_STYLES[severity]


def never_seen(node: Node) -> bool:
    """Nothing was ever read: there is no old picture to show."""
    return node.age_s is None and node.memory is None and not node.gpus and not node.nics


def blank_row(picture: Picture, table: Layout, name: str, node: Node) -> list[Piece]:
    """A node without figures: its state, and the error with its remedy over the rest of the row."""
    words = state_pieces(node, picture.glyphs)
    if node.error:
        words = [*words, ("  ", ""), (node.error, "dim")]
    rest: dict[str, Cell] = {column.key: None for column in table.columns[3:]}
    return table.row({"mark": "", "node": (name, "bold"), "state": words, **rest})


def gpu_cells(picture: Picture, table: Layout, name: str, node: Node) -> dict[str, Cell]:
    gpu = facts.gpu_figures(node)
    if gpu is None:
        return dict.fromkeys(("util", "mhz", "temp", "watts"), figure(figures.NA)) | {"pstate": ""}
    load = gpu.utilization_percent
    full, empty = bar(None if load is None else load / 100, table.widths["util"] - 5, picture.glyphs)
    return {
        "util": [(full, "$accent"), (empty, "dim"), (" ", ""), figure(figures.percent(load))],
        "mhz": figure(figures.whole(gpu.sm_clock_mhz, 4), gpu_style(picture, name)),
        "spark": (clock_spark(picture, name, gpu, table.widths["spark"]), "$idle") if "spark" in table.widths else "",
        "temp": figure(figures.whole(gpu.temperature_c, 3)),
        "watts": figure(figures.watts(gpu.power_w)),
        "pstate": (gpu.pstate or "", ""),
    }


def gpu_style(picture: Picture, name: str) -> str:
    """The clock is the figure that tells first; a rule says when it is wrong, never a limit of our own."""
    return "bold $fail" if facts.has_finding(picture.rack, "gpu.low_clock_under_load", name) else "bold"


def clock_spark(picture: Picture, name: str, gpu: facts.GpuFigures, cells: int) -> str:
    """The first GPU's clock over the last minute, from 0 to the most it can do."""
    series = facts.series_of(picture.store, name, "gpu0.sm_clock_mhz")
    values = buckets(series.points, picture.now, SPARK_SECONDS, cells)
    return spark(values, 0, gpu.max_sm_clock_mhz or 3000, cells, picture.glyphs)


def host_cells(node: Node, table: Layout) -> dict[str, Cell]:
    used, total = facts.memory_use(node)
    wide = table.widths.get("memory", 0) >= 11
    return {
        "memory": figure(figures.memory_pair(used, total, wide)),
        "cpu": figure(figures.percent(facts.cpu_busy(node))),
    }


def network_cells(picture: Picture, table: Layout, name: str, node: Node) -> dict[str, Cell]:
    cables = facts.cables(name, node)
    counted = [cable for cable in cables if cable.plane != "other"]
    missed, errors = node_losses(picture, counted)
    return {
        "management": plane_cell(table, cables, "management", "$mgmt"),
        "fabric": plane_cell(table, cables, "fabric", "$fabric"),
        "missed": loss_cell(picture, missed, table.widths.get("missed", 0) < 7),
        "errors": loss_cell(picture, errors, table.widths.get("errors", 0) < 7),
        "irq": irq_cell(picture, name, node),
    }


def plane_cell(table: Layout, cables: Sequence[facts.Cable], plane: Plane, style: str) -> Cell:
    """Received and sent bits per second; a plane without a lit cable says so."""
    mine = [cable for cable in cables if cable.plane == plane]
    if mine and not any(cable.lit for cable in mine):
        return "no cable", "dim"
    wide = table.widths.get(plane, 0) >= 14
    return figure(figures.rate_pair(*facts.plane_rates(mine, plane), wide), style)


def irq_cell(picture: Picture, name: str, node: Node) -> Cell:
    """How even the management NIC's interrupts are spread: "even", "quiet", or the CPU that takes them all."""
    nic = facts.management_nic(node)
    if nic is None:
        return figure(figures.NA)
    busiest = facts.busiest_cpu(node.irqs[nic])
    if busiest is None or busiest[2] < facts.QUIET_IRQS_PER_S:
        return "quiet", "dim"
    cpu, share, _ = busiest
    if share <= facts.EVEN_SHARE:
        return "even", ""
    text = f"cpu{cpu} {share * 100:.0f}%"
    return (
        (text + picture.glyphs.warn, "bold $warn")
        if facts.has_finding(picture.rack, "irq.rx_one_cpu", name)
        else (text, "")
    )


@dataclass(frozen=True, slots=True)
class RackFigures:
    """What the comparable nodes have in common: (median, spread) per figure, as text of the figure's own width."""

    kind: str
    count: int
    util: tuple[str, str]
    mhz: tuple[str, str]
    temp: tuple[str, str]
    watts: tuple[str, str]


def rack_figures(picture: Picture) -> RackFigures:
    peers = facts.peers(picture.rack)
    all_of = list(peers.figures.values())
    loads = [one.utilization_percent for one in all_of]
    clocks = [one.sm_clock_mhz for one in all_of]
    heats = [one.temperature_c for one in all_of]
    powers = [one.power_w for one in all_of]
    return RackFigures(
        "loaded" if peers.loaded else "idle",
        len(all_of),
        (figures.percent(peers.median(loads)), spread_percent(peers, loads)),
        (figures.whole(peers.median(clocks), 4), spread_percent(peers, clocks)),
        (figures.whole(peers.median(heats), 3), figures.whole(difference(heats), 3)),
        (figures.watts(peers.median(powers)), spread_percent(peers, powers)),
    )


def too_few(picture: Picture, rack: RackFigures) -> str:
    if facts.awaited(picture.rack):
        return WAITING
    if not rack.count:
        return "n/a: no live node with a GPU"
    return f"n/a: {rack.count} {rack.kind} node{'' if rack.count == 1 else 's'}, a median needs 3"


def rack_rows(picture: Picture, table: Layout) -> list[list[Piece]]:
    """Median and spread under the nodes' own columns."""
    if len(picture.rack.nodes) < 2:
        return []
    rack = rack_figures(picture)
    if rack.count < 3:
        rest: dict[str, Cell] = {column.key: None for column in table.columns[3:]}
        reason: dict[str, Cell] = {"node": ("median", "dim"), "state": (too_few(picture, rack), "dim")}
        return [table.row(reason | rest), table.row({"node": ("spread", "dim"), "state": (NOT_YET, "dim")})]
    rows: list[dict[str, Cell]] = [
        {
            "node": name,
            "state": f"of {rack.count}" if index == 0 else rack.kind,
            "util": rack.util[index],
            "mhz": rack.mhz[index],
            "temp": rack.temp[index],
            "watts": rack.watts[index],
        }
        for index, name in enumerate(("median", "spread"))
    ]
    return [[(text, "$idle") for text, _ in table.row(cells)] for cells in rows]


def rack_summary(picture: Picture) -> str:
    """Median and spread in one line, for the matrix."""
    rack = rack_figures(picture)
    if rack.count < 3:
        return f"median {too_few(picture, rack)}"
    return (
        f"median of {rack.count} {rack.kind}: {rack.util[0].strip()}  {rack.mhz[0].strip()} MHz  "
        f"{rack.temp[0].strip()} C  {rack.watts[0].strip()} W   "
        f"spread: {rack.mhz[1]} MHz  {rack.temp[1].strip()} C  {rack.watts[1]} W"
    )


def difference(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if len(known) >= 2 else None


def spread_percent(peers: facts.Peers, values: Sequence[float | None]) -> str:
    """(largest - smallest) / median, with a decimal where it is small."""
    middle, apart = peers.median(values), difference(values)
    if apart == 0 and middle is not None:
        return "0.0%"
    if not middle or apart is None:
        return figures.NA
    share = 100 * apart / middle
    return f"{share:.1f}%" if share < 9.95 else f"{min(share, 999):.0f}%"
