"""The pane that stays open all day: every node, every switch, every cable's port, and what is wrong."""

from __future__ import annotations

from textual.content import Content

from sparktui.contract import Finding
from sparktui.panes import facts
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cells import content
from sparktui.panes.detail import node_detail
from sparktui.panes.findings import finding_lines, shown_findings, summary
from sparktui.panes.history import add_history
from sparktui.panes.matrix import MATRIX_FROM, add_matrix
from sparktui.panes.nodes import add_nodes
from sparktui.panes.order import SORTS, ordered
from sparktui.panes.ports import add_health, health_lines, port_lines, shown_ports, troubled
from sparktui.panes.sheet import Sheet, is_ascii
from sparktui.panes.states import WAITING
from sparktui.panes.switch import switch_detail
from sparktui.panes.table import side_by_side

TWO_TABLES_FROM = 170
"""Cells from which the ports stand in two tables side by side."""

ALWAYS_LINES = 3
"""Lines that a finding takes from clean ports; for more it has to find them free, or take them from the charts."""

HELP = """\
One row per node, the rack's median and spread, the switches with one line per port, and the open findings.

A node that went away keeps its last figures, dimmed, with their age. "rx miss" are frames that the node's NIC received
and lost; "rx err" are broken ones; after a mark (m) losses are counts since then. "mgmt irqs" says how evenly the
management NIC's interrupts are spread over the CPUs. The fabric figures hold RDMA and ordinary traffic of the cables
that have a link; the two halves of a cable are one cable. The median is of the loaded nodes (of all, while none is),
and needs three. "-" is not known yet, "n/a" is not there. Enter shows everything about a node.
"""


def view(picture: Picture) -> Drawing:
    if picture.detail and picture.selected:
        kind, _, name = picture.selected.partition(":")
        if kind == "node" and name in picture.rack.nodes:
            return node_detail(picture, name)
        if kind == "switch" and name in picture.rack.switches:
            return switch_detail(picture, name)
    sheet = Sheet(picture)
    names = ordered(picture)
    if len(picture.rack.nodes) >= MATRIX_FROM:
        add_matrix(sheet, picture, names)
    else:
        add_nodes(sheet, picture, names)
    findings = shown_findings(picture)
    lines, room = fitted(picture, findings, len(sheet.lines))
    add_switches(sheet, picture, room)
    add_findings(sheet, picture, findings, lines)
    if any(picture.rack.nodes[name].gpus for name in names):
        add_history(sheet, picture, names)
    return sheet.drawing(pinned=1)


def fitted(picture: Picture, findings: list[Finding], used: int) -> tuple[list[Content], int]:
    """The findings' lines and the room left for ports: full texts of what is wrong go before lines of clean ports."""
    switches = picture.rack.switches
    shown = {name: shown_ports(picture, name, switch) for name, switch in switches.items()}
    health = sum(len(health_lines(picture, name, switch)) + 1 for name, switch in switches.items()) or 2
    urgent = sum(
        2 + sum(troubled(switches[name].ports[one]) for one in names) for name, names in shown.items() if names
    )
    everything = sum(port_table_lines(picture, len(names)) for names in shown.values())
    for most in (8, 6, 5, 4, 3, 2, 1):
        pieces = finding_lines(picture, findings, most, picture.width - 2)
        room = picture.height - used - health - 2 - max(1, len(pieces))
        if room >= (everything if most > ALWAYS_LINES else urgent):
            break
    lines = [content(((" ", ""), *line), picture.width, is_ascii(picture.glyphs)) for line in pieces]
    return lines, min(everything, max(0, room))


def port_table_lines(picture: Picture, ports: int) -> int:
    """Lines that a table of so many ports takes when none is left out."""
    if not ports:
        return 0
    return 1 + (-(-ports // 2) if picture.width >= TWO_TABLES_FROM else ports)


def add_switches(sheet: Sheet, picture: Picture, room: int) -> None:
    """Every switch with its health and its ports; `room` = lines for all their ports."""
    switches = picture.rack.switches
    for number, (name, switch) in enumerate(switches.items()):
        shown = shown_ports(picture, name, switch)
        sheet.blank()
        add_health(sheet, picture, name, switch)
        mine = min(port_table_lines(picture, len(shown)), max(1, room // (len(switches) - number)))
        lines = ports_of(picture, name, shown, mine)
        sheet.lines += lines
        room = max(0, room - len(lines))
    if not switches:
        sheet.blank()
        sheet.add((" no switch is watched: the far end of every cable is out of sight", "dim"))


def ports_of(picture: Picture, name: str, shown: list[str], room: int) -> list[Content]:
    """The ports of a switch in one table, or in two side by side where there is width for them."""
    switch = picture.rack.switches[name]
    ascii_only = is_ascii(picture.glyphs)
    if picture.width < TWO_TABLES_FROM or len(shown) < 2:
        lines = port_lines(picture, switch, shown, room, picture.width - 1)
        return [content(((" ", ""), *pieces), picture.width, ascii_only) for pieces in lines]
    half = -(-len(shown) // 2)
    cells = (picture.width - 5) // 2
    blocks = [
        [
            content(((" ", ""), *pieces), cells, ascii_only)
            for pieces in port_lines(picture, switch, part, room, cells - 1)
        ]
        for part in (shown[:half], shown[half:])
    ]
    return side_by_side(blocks, cells, 4)


def add_findings(sheet: Sheet, picture: Picture, findings: list[Finding], lines: list[Content]) -> None:
    sheet.blank()
    right = f"losses are counts since {picture.mark.label}" if picture.mark else ""
    if findings:
        sheet.title("findings", (summary(findings), "dim"), right=right)
        sheet.lines += lines
    elif facts.awaited(picture.rack):
        sheet.title("findings", (WAITING, "dim"), right=right)
    else:
        sheet.title("findings", (f"{picture.glyphs.live} none open", "$ok"), right=right)


PANE = Pane("overview", "1", "Overview", HELP, view, sorts=tuple(SORTS))
