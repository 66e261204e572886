"""The interrupts of one owner: every vector that ever fired, shaded and in numbers."""

from __future__ import annotations

from sparktui.contract import IrqVector
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Picture
from sparktui.panes.cells import Piece
from sparktui.panes.cpu_grid import per_cpu
from sparktui.panes.findings import finding_lines
from sparktui.panes.irq_rows import (
    add_header,
    add_softirqs,
    by_cpu,
    firing_words,
    frame,
    in_words,
    rates_of,
    vector_count,
    vector_row,
)
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import aged, state_pieces
from sparktui.panes.table import flow


def irq_detail(picture: Picture, name: str, owner: str) -> Drawing:
    """Every vector of one owner with its rate per CPU as numbers; the CPU numbers stay at the top."""
    sheet = Sheet(picture)
    node = picture.rack.nodes[name]
    irq = node.irqs[owner]
    made = frame(picture, node)
    old = node.state != "live"
    sheet.title(
        f"{name} {owner}",
        (f"{vector_count(irq.vectors)}, {len(irq.lines)} ever fired", "dim"),
        *state_pieces(node, picture.glyphs),
    )
    add_header(sheet, made)
    pinned = len(sheet.lines)
    about = facts.findings_on(picture.rack, name, owner)
    for found in finding_lines(picture, about, 4, sheet.cells):
        sheet.add(*found)
    sheet.add((f"{in_words(node, owner, irq)}; {firing_words(irq)}", "dim"))
    for pieces in flow([[("all", "bold")], *by_cpu(node, rates_of(irq))], sheet.cells, 5):
        sheet.add(*aged(pieces, old))
    sheet.blank()
    for line in irq.lines:
        sheet.add(*vector_row(picture, made, line, old))
        segments = [*by_cpu(node, per_cpu(line.cpus, line.per_s)), growth(picture, name, line)]
        for pieces in flow(segments, sheet.cells - 7, 0):
            sheet.add(("       ", ""), *aged(pieces, old))
    add_softirqs(sheet, picture, node, made)
    return sheet.drawing(pinned)


def growth(picture: Picture, name: str, line: IrqVector) -> list[Piece]:
    """How often a vector fired since the mark; since boot without one, or where the mark did not know it."""
    before = picture.mark.totals.get(name, {}).get(("irq", str(line.irq))) if picture.mark else None
    if picture.mark is None or before is None or line.total < before:
        return [("since boot ", "dim"), (figures.total(line.total).strip(), "")]
    return [(f"since {picture.mark.label} ", "dim"), (figures.total(line.total - before).strip(), "")]
