"""One cable as a block: the node's end, the rates as both ends count them, the switch's end, and the counters."""

from __future__ import annotations

from itertools import islice, pairwise
from statistics import median

from sparktui.contract import Node, Plane, Port, Rdma, Switch, summed
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece
from sparktui.panes.counters import Counter, counter_pieces, counters, moved, nic_counters, port_counters
from sparktui.panes.detail_network import queues
from sparktui.panes.nodes import mark_cell
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import WORDS, aged, figure, not_yet, state_pieces
from sparktui.panes.table import fit, flow
from sparktui.store import POLLS

PLANE_STYLES: dict[Plane, str] = {"management": "$mgmt", "fabric": "$fabric", "other": "$idle"}

NOTES = {"rx_corrected_bits_phy": "FEC, harmless"}
"""What a counter means that grows on every healthy link."""

LAST_POLLS = 9
"""Of a switch that say how often it is polled."""

AGO_FROM = 28
QUEUES_FROM = 32
"""Cells of a side with room for these words in full."""

MIDDLE_CELLS = 25
"""Two rates and the arrow between them."""

WIDEST_SIDE = 52
PART_CELLS = 14


def item_of(cable: facts.Cable) -> str:
    return f"cable:{cable.node}:{cable.halves[0][0]}"


def halves(cells: int) -> tuple[int, int]:
    """Cells of the node's and of the switch's side beside the rates."""
    room = cells - MIDDLE_CELLS - 6
    left = max(10, min(WIDEST_SIDE, (room + 1) // 2))
    return left, max(10, min(WIDEST_SIDE, room - left))


def add_cable(sheet: Sheet, picture: Picture, cable: facts.Cable, found: tuple[list[Counter], list[Counter]]) -> None:
    """One block: three lines on the two ends, a line per half with RDMA, then the counters of both ends."""
    node = picture.rack.nodes[cable.node]
    switch, port = far_end(picture, cable)
    left, right = halves(sheet.cells)
    about = facts.findings_on(picture.rack, cable.node, *cable.parts)
    worst = about[0].severity if about else None
    old = node.state != "live"
    far_old = switch is None or switch.state != "live" or overdue(picture, cable.far_end)
    known, seen = facts.has_rates(node), switch is None or facts.has_rates(switch)
    ends = zip(
        near_lines(picture, cable, node, left),
        rates(picture, cable, port, (old, known), (far_old, seen)),
        far_lines(picture, cable, right),
        strict=True,
    )
    for index, (near, middle, far) in enumerate(ends):
        pieces = [
            *fit(mark_cell(picture, worst) if index == 0 else "", 2),
            *aged(fit(near, left, "left", picture.glyphs.ellipsis), old and index == 2),
            ("  ", ""),
            *middle,
            ("  ", ""),
            *aged(not_yet(fit(far, right, "left", picture.glyphs.ellipsis), seen), far_old and index == 2),
        ]
        if index == 0:
            sheet.item(item_of(cable), *pieces)
        else:
            sheet.add(*pieces)
    for line in rdma_lines(cable, sheet.cells - 2):
        sheet.add(("  ", ""), *aged(not_yet(line, known), old))
    add_counters(sheet, picture, cable, *found)


def far_end(picture: Picture, cable: facts.Cable) -> tuple[Switch | None, Port | None]:
    if cable.far_end is None:
        return None, None
    switch = picture.rack.switches.get(cable.far_end[0])
    return switch, switch.ports.get(cable.far_end[1]) if switch else None


def poll_s(picture: Picture, name: str) -> int | None:
    """Whole seconds between two polls of a switch, as the store has them; None before the third."""
    target = picture.store.switches.get(name)
    series = target.series.get(POLLS) if target else None
    times = [at for at, _ in islice(reversed(series.points), LAST_POLLS)] if series else []
    return max(1, round(median(late - early for late, early in pairwise(times)))) if len(times) > 2 else None


def overdue(picture: Picture, far_end: tuple[str, str] | None) -> bool:
    """Whether two polls of the switch at the far end are missing."""
    if far_end is None:
        return False
    age, every = picture.rack.switches[far_end[0]].age_s, poll_s(picture, far_end[0])
    return age is not None and every is not None and age > 2 * every


def near_lines(picture: Picture, cable: facts.Cable, node: Node, cells: int) -> list[list[Piece]]:
    """The node's end: its name; its link, or the state of a node that is away; its driver."""
    _, nic = cable.halves[0]
    name: list[Piece] = [(cable.node, "bold"), (" ", ""), (cable.name, f"bold {PLANE_STYLES[cable.plane]}")]
    if node.state == "live":
        link: list[Piece] = [(f"{figures.speed(cable.speed_mbps).strip()} up", "$ok")]
    else:
        link = state_pieces(node, picture.glyphs)
    link.append((f" MTU {nic.mtu} {'queues' if cells >= QUEUES_FROM else 'q'} {queues(nic)}", "dim"))
    return [name, link, [(f"{nic.driver} {nic.driver_version}".strip(), "dim")]]


def far_lines(picture: Picture, cable: facts.Cable, cells: int) -> list[list[Piece]]:
    """The switch's end, or why it cannot be seen."""
    switch, port = far_end(picture, cable)
    if cable.far_end is None or switch is None or port is None:
        reason, more = unseen(picture, cable)
        return [[("far end not visible", "$idle")], [(reason, "dim")], [(more, "dim")]]
    name, port_name = cable.far_end
    head: list[Piece] = [(name, "bold"), (" ", ""), (port_name, "bold")]
    if switch.state != "live":
        link = state_pieces(switch, picture.glyphs)
    elif overdue(picture, cable.far_end):
        link = [(f"{picture.glyphs.stale} old: polls are missing", "$warn")]
    elif port.oper == "up":
        link = [(f"{figures.speed(port.speed_mbps).strip()} up", "$ok")]
    else:
        link = [(f"{picture.glyphs.down} {port.oper}", "bold $warn")]
    if picture.detail:
        link.append((f"  {known_by(port, cells)}", "dim"))
    drops = summed((port.rx_drops_per_s, port.tx_drops_per_s))
    return [head, link, [*labelled("fcs ", port.rx_fcs_errors_per_s, picture), *labelled("drop ", drops, picture, 0)]]


def known_by(port: Port, cells: int) -> str:
    """How it is known that the cable ends here."""
    if port.learnt_age_s is None:
        return "by the config"
    return f"MAC seen {figures.age(port.learnt_age_s).strip()}{' ago' if cells >= AGO_FROM else ''}"


def labelled(label: str, value: float | None, picture: Picture, cells: int = 8) -> list[Piece]:
    """A rate that should be 0, in at least `cells`, with its name before it."""
    text = figures.per_second(value).strip() + (picture.glyphs.warn if value else "")
    return [(label, "dim"), figure(text.ljust(cells), "bold $warn" if value else "dim")]


def unseen(picture: Picture, cable: facts.Cable) -> tuple[str, str]:
    """Why the far end of a cable is out of sight, in two lines."""
    switches = picture.rack.switches
    if not switches:
        return "no switch is watched", ""
    if cable.far_end is not None:
        name = cable.far_end[0]
        state = switches[name].state if name in switches else "connecting"
        return f"{name} port {cable.far_end[1]}", f"{name} {WORDS[state]}: nothing read of it"
    away = [name for name, switch in switches.items() if switch.state != "live"]
    if away:
        return "no port known with this NIC's MAC", f"{', '.join(away)} {WORDS[switches[away[0]].state]}"
    return "no watched switch knows its MAC:", "another switch, or it never talked"


def rates(
    picture: Picture, cable: facts.Cable, port: Port | None, node_is: tuple[bool, bool], switch_is: tuple[bool, bool]
) -> list[list[Piece]]:
    """Both directions, each as the node (left) and as the switch (right) counts it; each end is (old, known)."""
    style = PLANE_STYLES[cable.plane]
    glyphs = picture.glyphs
    (old, known), (far_old, far_known) = node_is, switch_is
    ends = (
        ("tx ", cable.tx_bps, f" {glyphs.right} ", port.rx_bps if port else None, " rx"),
        ("rx ", cable.rx_bps, f" {glyphs.left} ", port.tx_bps if port else None, " tx"),
    )
    lines: list[list[Piece]] = [
        [
            (here, "dim"),
            *not_yet([figure(figures.rate(near), "dim" if old else style)], known),
            (arrow, "dim"),
            *not_yet([figure(figures.rate(far), "dim" if far_old else style)], far_known),
            (there, "dim"),
        ]
        for here, near, arrow, far, there in ends
    ]
    lost = [*labelled("miss ", cable.missed_per_s, picture), *labelled("err ", cable.errors_per_s, picture, 0)]
    return [*(fit(line, MIDDLE_CELLS) for line in lines), aged(fit(not_yet(lost, known), MIDDLE_CELLS), old)]


def rdma_lines(cable: facts.Cable, cells: int) -> list[list[Piece]]:
    """What each half carries, a line each; RDMA bytes never show in the netdev's own counters."""
    lines: list[list[Piece]] = []
    for name, nic in cable.halves:
        if nic.rdma is None:
            continue
        rdma, plain = figures.rate_pair(nic.rdma.rx_bps, nic.rdma.tx_bps), figures.rate_pair(nic.rx_bps, nic.tx_bps)
        state = "" if active(nic.rdma) else f" {nic.rdma.state}"
        segments: list[list[Piece]] = [
            [(name.ljust(15), "dim"), ("  RDMA ", "dim"), figure(rdma, "$fabric")],
            [("ether ", "dim"), figure(plain)],
            [(nic.rdma.device, "dim"), (state, "bold $warn")],
        ]
        lines.append(flow(segments, cells, 0)[0])
    return lines


def active(rdma: Rdma) -> bool:
    """ "ACTIVE", or sysfs's own "4: ACTIVE"."""
    return rdma.state.upper().endswith("ACTIVE")


def all_counters(picture: Picture, cable: facts.Cable) -> tuple[list[Counter], list[Counter]]:
    """Every counter of the node's end and of the switch's; what both halves read off their common port comes once."""
    near = [one for name, nic in cable.halves for one in counters(picture, cable.node, name, nic_counters(nic))]
    first = cable.halves[0][0]
    near = [one for one in near if one.part == first or not common(one.name)]
    _, port = far_end(picture, cable)
    if port is None or cable.far_end is None:
        return near, []
    return near, counters(picture, *cable.far_end, port_counters(port))


def common(counter: str) -> bool:
    """Whether a ConnectX counter is the physical port's, the same on both halves of the cage."""
    return counter.endswith("_phy") or "pause" in counter or counter.startswith("module_")


def moving(picture: Picture, cable: facts.Cable) -> tuple[list[Counter], list[Counter]]:
    """Those that moved in the last minute, losses first."""
    near, far = all_counters(picture, cable)
    mine = moved(picture, cable.node, near)
    theirs = moved(picture, cable.far_end[0], far) if cable.far_end else []
    return sorted(mine, key=harmless), sorted(theirs, key=harmless)


def harmless(one: Counter) -> bool:
    return not one.loss


def add_counters(sheet: Sheet, picture: Picture, cable: facts.Cable, near: list[Counter], far: list[Counter]) -> None:
    """The node's counters on the left, the switch's on the right; under each other where it is narrow."""
    each = min(60, (sheet.cells - 6) // 2)
    several = len(cable.halves) > 1
    stacked = each < (48 if several else 34)
    cells = min(60, sheet.cells - 4) if stacked else each
    switch, _ = far_end(picture, cable)
    old = picture.rack.nodes[cable.node].state != "live"
    far_old = switch is None or switch.state != "live"
    lefts = [aged(named(picture, one, cells, several), old) for one in near]
    rights = [aged(named(picture, one, cells, stacked), far_old) for one in far]
    if stacked:
        lefts, rights = lefts + rights, []
    for index in range(max(len(lefts), len(rights))):
        left = lefts[index] if index < len(lefts) else fit("", cells)
        note = NOTES.get(near[index].name, "") if index < len(near) else ""
        right = rights[index] if index < len(rights) else [(note, "dim")]
        sheet.add(("    ", ""), *left, ("  ", ""), *right)


def named(picture: Picture, one: Counter, cells: int, several: bool) -> list[Piece]:
    """A counter, with the part that it belongs to where there are several."""
    if not several:
        return counter_pieces(picture, one, cells)
    part = fit((one.part, "dim"), PART_CELLS, "left", picture.glyphs.ellipsis)
    return [*part, *counter_pieces(picture, one, cells - PART_CELLS)]
