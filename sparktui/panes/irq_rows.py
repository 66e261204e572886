"""Rows of the interrupts pane and of its detail: a label, a rate, a shade per CPU, and where a vector may fire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparktui.contract import Irq, IrqVector, Node, summed
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad
from sparktui.panes.cpu_grid import Grid, class_header, grid, number_header, per_cpu, shade_row
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import aged
from sparktui.panes.table import fit, flow

RATE_CELLS = 6
WIDE_FROM, WIDER_FROM = 100, 150
SOFTIRQS = ("NET_RX", "softnet drop", "time squeeze")


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


def frame(picture: Picture, node: Node) -> Frame:
    seen = [cpu for irq in node.irqs.values() for line in irq.lines for cpu in line.cpus]
    label = 14 if picture.width < WIDE_FROM else 20 if picture.width < WIDER_FROM else 32
    allowed, effective = (7, 6) if picture.width < WIDE_FROM else (9, 8)
    room = picture.width - 1 - label - RATE_CELLS - 3 - allowed - effective - 2
    return Frame(grid(node, seen, max(20, room)), label, allowed, effective)


def add_header(sheet: Sheet, made: Frame, title: Sequence[Piece] = ()) -> None:
    """The core classes and the CPU numbers over their columns; `title` stands left of them."""
    sheet.add(*fit(title, made.before), *class_header(made.grid, "bold dim"))
    ends = [(" " + pad("allowed", made.allowed), "dim"), (" " + pad("on", made.effective), "dim")]
    *above, last = number_header(made.grid)
    for line in above:
        sheet.add((" " * made.before, ""), *line)
    sheet.add(("  rate ".rjust(made.before), "dim"), *last, *ends)


def rates_of(irq: Irq) -> dict[int, float | None]:
    """Interrupts per second of an owner by CPU number."""
    return {int(cpu): rate for cpu, rate in irq.per_s_by_cpu.items() if cpu.isdigit()}


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
        picture, made, label, summed(line.per_s), rates, old, line.affinity or "n/a", line.effective or "n/a"
    )


def add_softirqs(sheet: Sheet, picture: Picture, node: Node, made: Frame, labels: Sequence[str] = SOFTIRQS) -> None:
    """NET_RX softirqs, and what the backlog of each CPU dropped or put off."""
    soft = node.softnet
    if soft is None:
        return
    rows: tuple[tuple[Sequence[float | None], str], ...] = (
        (soft.net_rx_per_s_by_cpu, ""),
        (soft.dropped_per_s_by_cpu, "bold $warn"),
        (soft.time_squeeze_per_s_by_cpu, ""),
    )
    for label, (values, alarm) in zip(SOFTIRQS, rows, strict=True):
        if label in labels:
            total = summed(values)
            named: Piece = (label, alarm if total else "dim")
            row = grid_row(picture, made, named, total, per_cpu(soft.numbers, values), node.state != "live")
            sheet.add(*row)


def class_of(node: Node, cpu: int) -> str | None:
    """The core class of a CPU, where the node has more than one."""
    return facts.core_class(node, cpu) if node.cpus and len(node.cpus.classes) > 1 else None


def unknown(irq: Irq) -> bool:
    """Whether no rate is known yet, as after the first sample."""
    return bool(irq.per_s_by_cpu) and all(rate is None for rate in irq.per_s_by_cpu.values())


def by_cpu(node: Node, rates: Mapping[int, float | None]) -> list[list[Piece]]:
    """Every CPU that took any, the busiest first, with its core class: "cpu7 X925 84/s"."""
    firing = sorted(((rate, -cpu) for cpu, rate in rates.items() if rate), reverse=True)
    segments: list[list[Piece]] = []
    for rate, negative in firing:
        core = class_of(node, -negative)
        named = f"cpu{-negative} {core} " if core else f"cpu{-negative} "
        segments.append([(named, "dim"), (figures.per_second(rate).strip(), "")])
    return segments


def in_lines(title: Piece, segments: Sequence[Sequence[Piece]], cells: int, most: int) -> list[list[Piece]]:
    """The segments behind their title on at most `most` lines; those that do not fit are counted."""
    for kept in range(len(segments), -1, -1):
        rest: list[Piece] = [(f"and {len(segments) - kept} more", "dim")] if kept < len(segments) else []
        lines = flow([[title], *segments[:kept], rest], cells, 2)
        if len(lines) <= most:
            return lines
    return lines[:most]


def in_words(node: Node, owner: str, irq: Irq) -> str:
    """ "on 8 CPUs, most on CPU 7 (X925): 16 %" """
    if unknown(irq):
        return "no rate known yet"
    found = facts.busiest_cpu(irq)
    if found is None:
        return f"none of its {irq.vectors} vectors fires"
    cpu, share, total = found
    core = class_of(node, cpu)
    used = sum(1 for rate in irq.per_s_by_cpu.values() if rate)
    where = f"on {used} CPUs" if used > 1 else "on 1 CPU"
    most = f"most on CPU {cpu}{f' ({core})' if core else ''}: {share * 100:.0f} %"
    queues = node.nics[owner].rx_queues if owner in node.nics else None
    tail = "; one receive queue" if queues == 1 else ""
    return f"{where}, {'too few to matter' if total < facts.QUIET_IRQS_PER_S else most}{tail}"


def firing_words(irq: Irq) -> str:
    """ "8 of 32 vectors fire", "its vector fires" """
    firing = sum(any(line.per_s) for line in irq.lines)
    if unknown(irq):
        return vector_count(irq.vectors)
    return "its vector fires" if firing == irq.vectors == 1 else f"{firing} of {vector_count(irq.vectors)} fire"


def vector_count(count: int) -> str:
    return f"{count} vector{'' if count == 1 else 's'}"
