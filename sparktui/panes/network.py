"""Both ends of every cable: what the node says, what the switch says, and every counter that moved."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.contract import Plane
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cable import add_cable, all_counters, item_of, moving, poll_s
from sparktui.panes.counters import heading
from sparktui.panes.findings import finding_lines
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import alarm, not_yet, state_style
from sparktui.panes.table import Column, Layout, flow

PLANE_TITLES: dict[Plane, tuple[str, str]] = {
    "management": ("management", "SSH, orchestration and recovery"),
    "fabric": ("fabric", "RDMA and NCCL"),
    "other": ("other", "not part of either plane"),
}

HELP = """\
One block per cable: the node's NIC on the left, the switch port on the right, and between them the rates in both
directions, each as the node and as the switch counts it. Under it every counter that moved in the last minute at either
end, per second and since boot, or since your mark (m). The two halves of a ConnectX cage are one cable: their speeds
and the counters of their common port are not added. Enter shows every counter of the selected cable.
"""


def view(picture: Picture) -> Drawing:
    sheet = Sheet(picture)
    every = [cable for name, node in picture.rack.nodes.items() for cable in facts.cables(name, node)]
    chosen = next((cable for cable in every if item_of(cable) == picture.selected), None)
    if picture.detail and chosen is not None:
        return cable_detail(picture, chosen)
    shown = [cable for cable in every if passes(picture, cable)]
    add_windows(sheet, picture, shown)
    for plane in facts.PLANES:
        mine = [cable for cable in shown if cable.plane == plane and (plane != "other" or cable.lit)]
        if mine:
            add_plane(sheet, picture, plane, mine)
    if not every:
        sheet.add(("no node has answered yet: its cables are not known", "dim"))
    add_hosts(sheet, picture)
    return sheet.drawing()


def add_windows(sheet: Sheet, picture: Picture, cables: Sequence[facts.Cable]) -> None:
    """Over how long each end's rates are taken: at a change of load two healthy ends differ for that long."""
    ends = {cable.far_end[0] for cable in cables if cable.far_end}
    polls = [every for every in (poll_s(picture, name) for name in sorted(ends)) if every is not None]
    if polls:
        sheet.add(
            (f"rates: node's over {picture.rack.interval_s:g} s, switch's over {max(polls)} s", "dim"),
            (": they differ while a load changes", "dim"),
        )


def passes(picture: Picture, cable: facts.Cable) -> bool:
    names = [name for name, _ in cable.halves]
    drivers = [nic.driver for _, nic in cable.halves]
    return facts.matches(picture.filter, cable.node, cable.name, cable.plane, *names, *drivers, *(cable.far_end or ()))


def add_plane(sheet: Sheet, picture: Picture, plane: Plane, cables: Sequence[facts.Cable]) -> None:
    """The plane's cables with a link first, each a block; those without one in a line each."""
    sheet.blank()
    title, about = PLANE_TITLES[plane]
    sheet.title(title, (about, "dim"), right=f"counters per second and {heading(picture)}")
    lit = [cable for cable in cables if cable.lit]
    for cable in lit:
        if cable is not lit[0]:
            sheet.blank()
        add_cable(sheet, picture, cable, moving(picture, cable))
    dark = [cable for cable in cables if not cable.lit]
    if lit and dark:
        sheet.blank()
    for cable in dark:
        add_unlit(sheet, cable)
    if plane == "fabric":
        add_blind_spots(sheet, cables)


def add_unlit(sheet: Sheet, cable: facts.Cable) -> None:
    """A port without a link: for a fabric cage that is its ordinary state, not an error."""
    names = " + ".join(name for name, _ in cable.halves)
    word = "no cable" if cable.plane == "fabric" else "no link"
    sheet.item(
        item_of(cable), ("  ", ""), (f"{cable.node} {cable.name}", ""), ("  ", ""), (word, "dim"), (f"  {names}", "dim")
    )


def add_blind_spots(sheet: Sheet, cables: Sequence[facts.Cable]) -> None:
    """What no watched switch tells of the fabric."""
    if any(cable.far_end for cable in cables):
        text = "not in SNMP, so not seen here: per-priority pause, queue drops and FEC counters of the switch's ports"
        for line in flow([[(word, "dim")] for word in text.split()], sheet.cells - 2, 0, gap=1):
            sheet.add(("  ", ""), *line)


def add_hosts(sheet: Sheet, picture: Picture) -> None:
    """What each node's own stack lost or sent again, after the NIC had it."""
    columns = [
        Column("mark", ((0, 2, ""),), gap=0),
        Column("node", ((0, 14, "host"),), "left", gap=0),
        Column("retrans", ((1, 13, "TCP retrans "),)),
        Column("dropped", ((2, 14, "softnet drop "),)),
        Column("squeezed", ((4, 16, "softnet squeeze "),)),
        Column("rcvbuf", ((3, 13, "UDP rcvbuf "),)),
    ]
    shown = [
        (name, node) for name, node in picture.rack.nodes.items() if facts.matches(picture.filter, name) and node.tcp
    ]
    if not shown:
        return
    sheet.blank()
    table = Layout(columns, sheet.cells, picture.glyphs)
    sheet.title("hosts", ("what the kernel sent again, or dropped after the NIC had it", "dim"))
    sheet.add(*table.header())
    for name, node in shown:
        values = {
            "retrans": node.tcp.retrans_per_s if node.tcp else None,
            "dropped": node.softnet.dropped_per_s if node.softnet else None,
            "squeezed": node.softnet.time_squeeze_per_s if node.softnet else None,
            "rcvbuf": node.udp.rcvbuf_errors_per_s if node.udp else None,
        }
        cells = {key: alarm(figures.per_second(value), value, picture.glyphs.warn) for key, value in values.items()}
        style = "bold" if node.state == "live" else state_style(node.state)
        row = table.row({"node": (name, style), **cells}, old=node.state != "live")
        sheet.add(*not_yet(row, facts.has_rates(node)))


def cable_detail(picture: Picture, cable: facts.Cable) -> Drawing:
    """One cable with every counter of both ends, and the findings about it."""
    sheet = Sheet(picture)
    sheet.title(
        f"{cable.node} {cable.name}", (" + ".join(name for name, _ in cable.halves), "dim"), right=heading(picture)
    )
    about = facts.findings_on(picture.rack, cable.node, *cable.parts)
    for line in finding_lines(picture, about, 4, sheet.cells):
        sheet.add(*line)
    add_cable(sheet, picture, cable, all_counters(picture, cable))
    return Drawing(sheet.lines, pinned=1)


PANE = Pane("network", "3", "Network", HELP, view)
