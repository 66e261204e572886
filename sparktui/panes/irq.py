"""Interrupts: a heat map per node and NIC, where each vector may fire and does, and what the softirqs behind it do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparktui.contract import Irq, IrqVector, Node, summed
from sparktui.panes import facts
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cells import Piece
from sparktui.panes.counters import MOVED_S
from sparktui.panes.cpu_grid import per_cpu, scale
from sparktui.panes.irq_detail import irq_detail
from sparktui.panes.irq_rows import (
    SOFTIRQS,
    Frame,
    add_header,
    add_softirqs,
    by_cpu,
    firing_words,
    frame,
    grid_row,
    in_lines,
    in_words,
    rates_of,
    unknown,
    vector_row,
)
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import SEVERITY_STYLES, TITLE, aged, severity_glyph, state_pieces
from sparktui.panes.table import flow

HELP = """\
One row per interrupt vector, one column per CPU, the CPUs by core class; the shade is the rate on the scale above. On
the right: the CPUs a vector may go to, and the one it does go to. Management NICs show the vectors that fired in the
last minute; a fabric NIC shows the sum of its vectors, and Enter shows every vector with its numbers. Under the NICs of
a node stand its NET_RX softirqs and what the backlog dropped or squeezed.
"""

LOW = 30
"""A pane of fewer lines gives the selected row's numbers less of them."""


@dataclass(frozen=True, slots=True)
class Block:
    """What the filter leaves of a node: (owner, the vectors that get a row), and its softirq rows."""

    name: str
    node: Node
    owners: Sequence[tuple[str, Sequence[IrqVector]]]
    softirqs: Sequence[str]


def view(picture: Picture) -> Drawing:
    sheet = Sheet(picture)
    if picture.detail and (found := chosen(picture)):
        return irq_detail(picture, *found)
    shown = [one for name, node in picture.rack.nodes.items() if (one := block(picture, name, node))]
    sheet.add(("interrupts", TITLE), ("  ", ""), *scale(picture.glyphs))
    if not shown:
        known = any(node.irqs for node in picture.rack.nodes.values())
        sheet.add((f'no row holds "{picture.filter}"' if known else "no interrupts are known yet", "dim"))
        return sheet.drawing(pinned=1)
    selected = chosen(picture)
    lines = selected_lines(picture, selected)
    room = 2 if picture.height < LOW else 3
    for index in range(room):
        sheet.add(*(lines[index] if index < len(lines) else ()))
    frames = {one.name: frame(picture, one.node) for one in shown}
    alike = len(set(frames.values())) == 1
    if alike:
        add_header(sheet, frames[shown[0].name])
    pinned = len(sheet.lines)
    for one in shown:
        add_node(sheet, picture, one, frames[one.name], with_header=not alike)
    return sheet.drawing(pinned)


def selected_lines(picture: Picture, selected: tuple[str, str] | None) -> list[list[Piece]]:
    """The selected row's rate on every CPU, always in the same place."""
    if selected is None:
        return [[("select a row (j, k): its rate on every CPU, the busiest first", "dim")]]
    name, owner = selected
    node = picture.rack.nodes[name]
    title, rates = owner, rates_of(node.irqs[owner])
    for line in node.irqs[owner].lines:
        if item_of(name, owner, line.irq) == picture.selected:
            title, rates = line.label, per_cpu(line.cpus, line.per_s)
    nothing = "no rate known yet" if unknown(node.irqs[owner]) else "nothing fires"
    segments = by_cpu(node, rates) or [[(nothing, "dim")]]
    return in_lines((f"{name} {title}", "bold"), segments, picture.width - 1, 2 if picture.height < LOW else 3)


def item_of(name: str, owner: str, irq: int | None = None) -> str:
    return f"irq:{name}:{owner}" if irq is None else f"irq:{name}:{owner}:{irq}"


def chosen(picture: Picture) -> tuple[str, str] | None:
    """(node, owner) of the selected row."""
    for name, node in picture.rack.nodes.items():
        for owner, irq in node.irqs.items():
            if picture.selected in {item_of(name, owner), *(item_of(name, owner, line.irq) for line in irq.lines)}:
                return name, owner
    return None


def block(picture: Picture, name: str, node: Node) -> Block | None:
    """The rows of a node that the filter leaves: all where it names the node, else by owner or by vector."""
    if not node.irqs:
        return None
    whole = facts.matches(picture.filter, name)
    kept: list[tuple[str, Sequence[IrqVector]]] = []
    for owner in owners(node):
        lines = node.irqs[owner].lines
        if whole or facts.matches(picture.filter, owner):
            kept.append((owner, [line for line in lines if has_row(picture, name, owner, line)]))
        elif named := [line for line in lines if facts.matches(picture.filter, f"{line.irq} {line.label}")]:
            kept.append((owner, named))
    softirqs = [label for label in SOFTIRQS if whole or (node.softnet and facts.matches(picture.filter, label))]
    return Block(name, node, kept, softirqs) if kept or softirqs else None


def has_row(picture: Picture, name: str, owner: str, line: IrqVector) -> bool:
    """Whether a vector has a row of its own without a filter: it fired in the last minute, or is selected."""
    node = picture.rack.nodes[name]
    if owner not in node.nics or node.nics[owner].plane == "fabric":
        return False
    if item_of(name, owner, line.irq) == picture.selected or any(line.per_s):
        return True
    fired = picture.store.nodes[name].moved.get(("irq", str(line.irq)), float("-inf"))
    return picture.now - fired <= MOVED_S


def owners(node: Node) -> list[str]:
    """Management NICs first, then the fabric's, then what is no NIC; silent ones of an unlit port are left out."""
    names = [owner for owner, irq in node.irqs.items() if irq.lines and (owner not in node.nics or lit(node, owner))]
    planes = {owner: node.nics[owner].plane if owner in node.nics else "other" for owner in names}
    return sorted(names, key=lambda owner: facts.PLANES.index(planes[owner]))


def lit(node: Node, owner: str) -> bool:
    nic = node.nics[owner]
    return nic.operstate == "up" or nic.plane == "management"


def add_node(sheet: Sheet, picture: Picture, one: Block, made: Frame, with_header: bool) -> None:
    """A node's NICs and its softirqs on one grid; the CPU numbers too, where the nodes have not all the same."""
    sheet.blank()
    head: list[Piece] = [(f"{one.name} ", "bold"), *state_pieces(one.node, picture.glyphs)]
    if with_header:
        add_header(sheet, made, head)
    else:
        sheet.add(*head)
    for owner, lines in one.owners:
        add_owner(sheet, picture, one, owner, lines, made)
    add_softirqs(sheet, picture, one.node, made, one.softirqs)


def add_owner(sheet: Sheet, picture: Picture, one: Block, owner: str, lines: Sequence[IrqVector], made: Frame) -> None:
    """A row with the sum over the owner's vectors, rows for some of them, and a sentence on their spread."""
    irq = one.node.irqs[owner]
    old = one.node.state != "live"
    plane = one.node.nics[owner].plane if owner in one.node.nics else ""
    label: Piece = (owner, f"bold {({'management': '$mgmt', 'fabric': '$fabric'}).get(plane, '$idle')}")
    total = summed(irq.per_s_by_cpu.values())
    sheet.item(item_of(one.name, owner), *grid_row(picture, made, label, total, rates_of(irq), old))
    for line in lines:
        sheet.item(item_of(one.name, owner, line.irq), *vector_row(picture, made, line, old))
    rest = idle_words(irq, lines) if lines and not picture.filter else firing_words(irq)
    for text in spread_lines(picture, one, owner, rest, sheet.cells - 4):
        sheet.add(("    ", ""), *(aged(text, old)))


def idle_words(irq: Irq, lines: Sequence[IrqVector]) -> str:
    """ "24 more vectors idle": those without a row."""
    rest = max(irq.vectors, len(irq.lines)) - len(lines)
    return f"{rest} more vector{'' if rest == 1 else 's'} idle" if rest else "all its vectors fire"


def spread_lines(picture: Picture, one: Block, owner: str, rest: str, cells: int) -> list[list[Piece]]:
    """Where a NIC's interrupts go, in words: the finding's own where a rule objects; then what of its vectors."""
    if owner not in one.node.nics:
        return []
    about = [found for found in facts.findings_on(picture.rack, one.name, owner) if found.rule.startswith("irq.")]
    if not about:
        text = f"{in_words(one.node, owner, one.node.irqs[owner])}; {rest}"
        return flow([[(word, "dim")] for word in text.split()], cells, 0, gap=1)
    style = SEVERITY_STYLES[about[0].severity]
    words = [severity_glyph(about[0].severity, picture.glyphs), *about[0].text.split()]
    return [*flow([[(word, style)] for word in words], cells, 2, gap=1), [(rest, "dim")]]


PANE = Pane("irq", "4", "IRQ", HELP, view)
