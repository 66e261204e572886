"""Interrupts: a heat map per node and NIC, where each vector may fire and does, and what the softirqs behind it do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparktui.contract import Irq, IrqVector, Node
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cells import Piece, pad
from sparktui.panes.cpu_grid import Grid, class_header, grid, number_header, per_cpu, scale, shade_row
from sparktui.panes.findings import finding_lines
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import SEVERITY_STYLES, TITLE, aged, severity_glyph, state_pieces
from sparktui.panes.table import fit, flow

HELP = """\
One row per interrupt vector, one column per CPU, the CPUs by core class; the shade is the rate on the scale above. On
the right: the CPUs a vector may go to, and the one it does go to. Management NICs show every vector that ever fired;
a fabric NIC shows the sum of its vectors, and Enter shows its rows with their numbers. Under the NICs of a node stand
its NET_RX softirqs and what the backlog dropped or squeezed.
"""

RATE_CELLS = 6
WIDE_FROM, WIDER_FROM = 100, 150


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands beside the grid: widths of the label and of the two CPU lists."""

    grid: Grid
    label: int
    allowed: int
    effective: int

    @property
    def before(self) -> int:
        """Cells left of the grid."""
        return self.label + RATE_CELLS + 3


def view(picture: Picture) -> Drawing:
    sheet = Sheet(picture)
    if picture.detail and (found := chosen(picture)):
        return irq_detail(picture, *found)
    shown = [(name, node) for name, node in picture.rack.nodes.items() if passes(picture, name, node)]
    sheet.add(("interrupts", TITLE), ("  ", ""), *scale(picture.glyphs))
    sheet.add(*selected_line(picture))
    for name, node in shown:
        add_node(sheet, picture, name, node)
    if not shown:
        sheet.add(("no interrupts are known yet", "dim"))
    return sheet.drawing(pinned=2)


def selected_line(picture: Picture) -> list[Piece]:
    """The selected row's numbers per CPU, always in the same place."""
    for name, node in picture.rack.nodes.items():
        for owner, irq in node.irqs.items():
            if item_of(name, owner) == picture.selected:
                rates = {int(cpu): rate for cpu, rate in irq.per_s_by_cpu.items() if cpu.isdigit()}
                return numbers(f"{name} {owner}", rates, picture.width - 1)
            for line in irq.lines:
                if item_of(name, owner, line.irq) == picture.selected:
                    return numbers(f"{name} {line.label}", per_cpu(line.cpus, line.per_s), picture.width - 1)
    return [("a selected row shows its numbers here", "dim")]


def numbers(title: str, rates: Mapping[int, float | None], cells: int) -> list[Piece]:
    """The busiest CPUs first, as many as fit on one line."""
    firing = sorted(((rate, cpu) for cpu, rate in rates.items() if rate), reverse=True)
    words = [[(f"cpu{cpu} ", "dim"), (figures.per_second(rate).strip(), "")] for rate, cpu in firing]
    return flow([[(title, "bold")], *(words or [[("nothing fires", "dim")]])], cells, 0)[0]


def passes(picture: Picture, name: str, node: Node) -> bool:
    return bool(node.irqs) and facts.matches(picture.filter, name, *node.irqs)


def item_of(name: str, owner: str, irq: int | None = None) -> str:
    return f"irq:{name}:{owner}" if irq is None else f"irq:{name}:{owner}:{irq}"


def chosen(picture: Picture) -> tuple[str, str] | None:
    """(node, owner) of the selected row."""
    for name, node in picture.rack.nodes.items():
        for owner, irq in node.irqs.items():
            if picture.selected in {item_of(name, owner), *(item_of(name, owner, line.irq) for line in irq.lines)}:
                return name, owner
    return None


def owners(node: Node) -> list[str]:
    """Management NICs first, then the fabric's, then what is no NIC; silent ones of an unlit port are left out."""
    names = [owner for owner, irq in node.irqs.items() if irq.lines and (owner not in node.nics or lit(node, owner))]
    planes = {owner: node.nics[owner].plane if owner in node.nics else "other" for owner in names}
    return sorted(names, key=lambda owner: facts.PLANES.index(planes[owner]))


def lit(node: Node, owner: str) -> bool:
    nic = node.nics[owner]
    return nic.operstate == "up" or nic.plane == "management"


def expanded(node: Node, owner: str) -> bool:
    """Whether every vector has a row of its own outside the detail."""
    return owner in node.nics and node.nics[owner].plane != "fabric"


def frame(picture: Picture, node: Node) -> Frame:
    seen = [cpu for irq in node.irqs.values() for line in irq.lines for cpu in line.cpus]
    label = 14 if picture.width < WIDE_FROM else 20 if picture.width < WIDER_FROM else 32
    allowed, effective = (7, 6) if picture.width < WIDE_FROM else (9, 8)
    room = picture.width - 1 - label - RATE_CELLS - 3 - allowed - effective - 2
    return Frame(grid(node, seen, max(20, room)), label, allowed, effective)


def add_node(sheet: Sheet, picture: Picture, name: str, node: Node) -> None:
    """A node's NICs and its softirqs on one grid."""
    sheet.blank()
    made = frame(picture, node)
    old = node.state != "live"
    head: list[Piece] = [(f"{name} ", "bold"), *state_pieces(node, picture.glyphs)]
    sheet.add(*fit(head, made.before), *class_header(made.grid, "bold dim"))
    sheet.add(*numbers_header(made))
    for owner in owners(node):
        add_owner(sheet, picture, name, node, owner, made, old)
    add_softirqs(sheet, picture, node, made, old)


def numbers_header(made: Frame) -> list[Piece]:
    ends = [(" " + pad("allowed", made.allowed), "dim"), (" " + pad("on", made.effective), "dim")]
    return [("  rate ".rjust(made.before), "dim"), *number_header(made.grid), *ends]


def add_owner(sheet: Sheet, picture: Picture, name: str, node: Node, owner: str, made: Frame, old: bool) -> None:
    """A row with the sum over the NIC's vectors and a sentence on their spread; the vectors, where they have rows."""
    irq = node.irqs[owner]
    total = facts.summed(irq.per_s_by_cpu.values())
    rates = {int(cpu): rate for cpu, rate in irq.per_s_by_cpu.items() if cpu.isdigit()}
    style = {"management": "$mgmt", "fabric": "$fabric"}.get(
        node.nics[owner].plane if owner in node.nics else "", "$idle"
    )
    label: Piece = (owner, f"bold {style}")
    row = grid_row(picture, made, label, total, rates, old)
    sheet.item(item_of(name, owner), *row)
    if expanded(node, owner):
        for line in irq.lines:
            sheet.item(item_of(name, owner, line.irq), *vector_row(picture, made, line, old))
    for text in spread_lines(picture, name, node, owner, sheet.cells - 4):
        sheet.add(("    ", ""), *(aged(text, old)))


def grid_row(
    picture: Picture,
    made: Frame,
    label: Piece,
    total: float | None,
    rates: Mapping[int, float | None],
    old: bool,
    *masks: str,
) -> list[Piece]:
    ellipsis = picture.glyphs.ellipsis
    widths = (made.allowed, made.effective)
    row: list[Piece] = [
        ("  ", ""),
        *fit(label, made.label, "left", ellipsis),
        (figures.per_second(total), "" if total else "dim"),
        (" ", ""),
        *shade_row(made.grid, rates, picture.glyphs, "$accent"),
        *((" " + pad(mask, cells, ellipsis=ellipsis), "dim") for mask, cells in zip(masks, widths, strict=False)),
    ]
    return aged(row, old)


def vector_row(picture: Picture, made: Frame, line: IrqVector, old: bool) -> list[Piece]:
    label: Piece = (f"{line.irq:>4} {line.label}", "")
    rates = per_cpu(line.cpus, line.per_s)
    return grid_row(
        picture, made, label, facts.summed(line.per_s), rates, old, line.affinity or "n/a", line.effective or "n/a"
    )


def spread_lines(picture: Picture, name: str, node: Node, owner: str, cells: int) -> list[list[Piece]]:
    """Where a NIC's interrupts go, in words: the finding's own where a rule objects."""
    if owner not in node.nics:
        return []
    about = [one for one in facts.findings_on(picture.rack, name, owner) if one.rule.startswith("irq.")]
    if not about:
        return flow([[(word, "dim")] for word in in_words(node, owner, node.irqs[owner]).split()], cells, 0, gap=1)
    style = SEVERITY_STYLES[about[0].severity]
    words = [severity_glyph(about[0].severity, picture.glyphs), *about[0].text.split()]
    return flow([[(word, style)] for word in words], cells, 2, gap=1)


def in_words(node: Node, owner: str, irq: Irq) -> str:
    """ "on 8 CPUs, most on CPU 7 (X925): 16 %; 8 of 32 vectors fire" """
    found = facts.busiest_cpu(irq)
    if found is None:
        return f"none of its {irq.vectors} vectors fires"
    cpu, share, total = found
    core = facts.core_class(node, cpu)
    used = sum(1 for rate in irq.per_s_by_cpu.values() if rate)
    where = f"on {used} CPUs" if used > 1 else "on 1 CPU"
    most = f"most on CPU {cpu}{f' ({core})' if core else ''}: {share * 100:.0f} %"
    firing = sum(any(line.per_s) for line in irq.lines)
    queues = node.nics[owner].rx_queues if owner in node.nics else None
    tail = f"; {firing} of {irq.vectors} vectors fire" + ("; one receive queue" if queues == 1 else "")
    return f"{where}, {'too few to matter' if total < facts.QUIET_IRQS_PER_S else most}{tail}"


def add_softirqs(sheet: Sheet, picture: Picture, node: Node, made: Frame, old: bool) -> None:
    """NET_RX softirqs, and what the backlog of each CPU dropped or put off."""
    soft = node.softnet
    if soft is None:
        return
    rows: tuple[tuple[str, Sequence[float | None], str], ...] = (
        ("NET_RX", soft.net_rx_per_s_by_cpu, ""),
        ("softnet drop", soft.dropped_per_s_by_cpu, "bold $warn"),
        ("time squeeze", soft.time_squeeze_per_s_by_cpu, ""),
    )
    for label, values, alarm in rows:
        total = facts.summed(values)
        style = alarm if total else "dim"
        sheet.add(*grid_row(picture, made, (label, style), total, per_cpu(soft.numbers, values), old))


def irq_detail(picture: Picture, name: str, owner: str) -> Drawing:
    """Every vector of one owner with its rate per CPU as numbers."""
    sheet = Sheet(picture)
    node = picture.rack.nodes[name]
    irq = node.irqs[owner]
    made = frame(picture, node)
    old = node.state != "live"
    sheet.title(
        f"{name} {owner}",
        (f"{irq.vectors} vectors, {len(irq.lines)} ever fired", "dim"),
        *state_pieces(node, picture.glyphs),
    )
    about = facts.findings_on(picture.rack, name, owner)
    for found in finding_lines(picture, about, 4, sheet.cells):
        sheet.add(*found)
    sheet.add((in_words(node, owner, irq), "dim"))
    sheet.blank()
    sheet.add((" " * made.before, ""), *class_header(made.grid, "bold dim"))
    sheet.add(*numbers_header(made))
    for line in irq.lines:
        sheet.add(*vector_row(picture, made, line, old))
        firing = sorted(((rate, cpu) for cpu, rate in zip(line.cpus, line.per_s, strict=False) if rate), reverse=True)
        segments = [[(f"cpu{cpu} ", "dim"), (figures.per_second(rate).strip(), "")] for rate, cpu in firing]
        segments.append([("since boot ", "dim"), (figures.total(line.total).strip(), "")])
        for pieces in flow(segments, sheet.cells - 7, 0):
            sheet.add(("       ", ""), *aged(pieces, old))
    add_softirqs(sheet, picture, node, made, old)
    return sheet.drawing(pinned=1)


PANE = Pane("irq", "4", "IRQ", HELP, view)
