"""Many nodes on one screen: a cell per node and metric, in as many blocks side by side as fit, the worst node first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from sparktui.contract import Severity
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import content, width
from sparktui.panes.marked import loss_cell, node_losses
from sparktui.panes.nodes import gpu_style, mark_cell, never_seen, rack_summary
from sparktui.panes.order import sorted_by
from sparktui.panes.sheet import Sheet, is_ascii
from sparktui.panes.states import figure, glyph_of, not_yet, state_pieces, state_style
from sparktui.panes.table import Cell, Column, Layout, side_by_side

MATRIX_FROM = 13
"""Nodes from which the overview is a matrix."""

NARROWEST, WIDEST = 39, 66
"""Cells of one block."""

GAP = 2


def columns(names: Sequence[str]) -> list[Column]:
    return [
        Column("mark", ((0, 2, ""),), "left", gap=0),
        Column("node", ((0, min(14, max([6, *map(width, names)])), "node"),), "left", gap=0),
        Column("glyph", ((0, 1, ""),), "left"),
        Column("util", ((0, 4, "util"),)),
        Column("mhz", ((0, 4, "MHz"),)),
        Column("temp", ((0, 3, "C"),)),
        Column("watts", ((4, 5, "W"),)),
        Column("memory", ((2, 4, "mem"),)),
        Column("fabric", ((3, 8, "fabric"),)),
        Column("management", ((5, 8, "mgmt"),)),
        Column("missed", ((1, 7, "rx miss"),)),
    ]


def add_matrix(sheet: Sheet, picture: Picture, names: Sequence[str]) -> None:
    """Header and rows, top to bottom in each block; then median and spread in one line."""
    names = names if picture.sort else worst_first(picture, names)
    blocks = block_count(picture, len(names))
    cells = (picture.width - GAP * (blocks - 1)) // blocks
    table = Layout(columns(list(picture.rack.nodes)), cells - 1, picture.glyphs)
    rows = max(1, -(-len(names) // blocks))
    worst = facts.worst_of(picture.rack)
    ascii_only = is_ascii(picture.glyphs)
    header = content(((" ", ""), *table.header(sorted_by(picture))), cells, ascii_only)
    top = len(sheet.lines)
    parts: list[list[Content]] = []
    for start in range(0, max(1, len(names)), rows):
        part = [header]
        for offset, name in enumerate(names[start : start + rows]):
            item = f"node:{name}"
            sheet.items.append(item)
            sheet.line_of[item] = top + 1 + offset
            known = facts.has_rates(picture.rack.nodes[name])
            row = not_yet(table.row(node_cells(picture, name, worst.get(name))), known)
            part.append(sheet.marked(item, row, cells))
        parts.append(part)
    sheet.lines += side_by_side(parts, cells, GAP)
    sheet.add((rack_summary(picture), "$idle"))


def block_count(picture: Picture, nodes: int) -> int:
    """As few blocks as leave half of the height to the rest: the fewer, the more columns each has."""
    fewest = max(1, picture.width // WIDEST, -(-nodes // max(1, picture.height // 2)))
    return max(1, min(fewest, picture.width // NARROWEST))


def worst_first(picture: Picture, names: Sequence[str]) -> list[str]:
    """By state, then by the worst finding, then in the rack's order: figures that wobble move nobody."""
    worst = facts.worst_of(picture.rack)

    def rank(name: str) -> tuple[bool, int]:
        severity = worst.get(name)
        return picture.rack.nodes[name].state == "live", facts.SEVERITIES.index(severity) if severity else 9

    return sorted(names, key=rank)


def node_cells(picture: Picture, name: str, severity: Severity | None) -> dict[str, Cell]:
    node = picture.rack.nodes[name]
    style = state_style(node.state)
    cells: dict[str, Cell] = {
        "mark": mark_cell(picture, severity),
        "node": (name, "bold"),
        "glyph": (glyph_of(node.state, picture.glyphs), style),
    }
    if node.state != "live" or never_seen(node):
        words = state_pieces(node, picture.glyphs)[0][0]
        rest: dict[str, Cell] = dict.fromkeys(
            ("util", "mhz", "temp", "watts", "memory", "fabric", "management", "missed")
        )
        return cells | {"glyph": (words, style), **rest}
    gpu = facts.gpu_figures(node)
    used, total = facts.memory_use(node)
    found = facts.cables(name, node)
    missed, _ = node_losses(picture, (cable for cable in found if cable.plane != "other"))
    return cells | {
        "util": figure(figures.percent(gpu.utilization_percent if gpu else None)),
        "mhz": figure(figures.whole(gpu.sm_clock_mhz if gpu else None, 4), gpu_style(picture, name)),
        "temp": figure(figures.whole(gpu.temperature_c if gpu else None, 3)),
        "watts": figure(figures.watts(gpu.power_w if gpu else None)),
        "memory": figure(figures.percent(100 * used / total if used is not None and total else None)),
        "fabric": figure(figures.rate_pair(*facts.plane_rates(found, "fabric"), wide=False), "$fabric"),
        "management": figure(figures.rate_pair(*facts.plane_rates(found, "management"), wide=False), "$mgmt"),
        "missed": loss_cell(picture, missed),
    }
