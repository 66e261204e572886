"""The network half of a node's detail: every netdev, its interrupts, and what the protocols complain of."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.contract import Irq, Nic, Node
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad
from sparktui.panes.counters import Counter, counter_pieces, counters, heading, nic_counters
from sparktui.panes.irq_rows import class_of, unknown
from sparktui.panes.states import TITLE, alarm, figure
from sparktui.panes.table import Cell, Column, Layout, flow

Line = list[Piece]

KEY_CELLS = 10


def network_lines(picture: Picture, name: str, node: Node, cells: int) -> list[Line]:
    """Per netdev: driver, link, traffic and every counter that ever counted."""
    lines: list[Line] = []
    for cable in facts.cables(name, node):
        for netdev, nic in cable.halves:
            if lines:
                lines.append([])
            lines += nic_lines(picture, name, netdev, nic, cells)
    return lines


def nic_lines(picture: Picture, name: str, netdev: str, nic: Nic, cells: int) -> list[Line]:
    up = nic.operstate == "up"
    link = f"{figures.speed(nic.speed_mbps).strip()} {nic.operstate}" if up else nic.operstate
    place = " ".join(part for part in (nic.plane, nic.cage) if part)
    lines: list[Line] = [
        [(netdev, TITLE), ("  ", ""), (link, "$ok" if up else "dim"), (f"  {place}", f"${short_plane(nic)}")]
    ]
    firmware = f"firmware {nic.firmware}" if nic.firmware else None
    lines += listed("driver", [f"{nic.driver} {nic.driver_version}".strip(), firmware], cells)
    counted = None if nic.rx_queues is None and nic.tx_queues is None else f"queues {queues(nic)}"
    lines += listed("at", [nic.bus, nic.mac, f"MTU {nic.mtu}", counted], cells)
    if nic.switch_port:
        lines.append(keyed("cable", (words(nic.switch, nic.switch_port), "")))
    if up:
        frames = (
            f"{figures.count(nic.rx_packets_per_s).strip()} / {figures.count(nic.tx_packets_per_s).strip()} frames/s"
        )
        lines.append(keyed("rx / tx", figure(figures.rate_pair(nic.rx_bps, nic.tx_bps)), ("  ", ""), (frames, "dim")))
    if nic.rdma is not None:
        rates = figure(figures.rate_pair(nic.rdma.rx_bps, nic.rdma.tx_bps) + "  " if up else "")
        lines.append(keyed("RDMA", rates, (f"{nic.rdma.device} {nic.rdma.state}", "dim")))
    mark = picture.glyphs.warn
    pairs = (("missed", nic.rx_missed_per_s, nic.rx_missed_total), ("errors", nic.rx_errors_per_s, nic.rx_errors_total))
    lost = [
        [(f"{word} ", "dim"), *alarm(figures.per_second(rate), rate, mark), figure(figures.total(total))]
        for word, rate, total in pairs
    ]
    room = max(8, cells - KEY_CELLS - 1)
    lines += [keyed("" if index else "receive", *line) for index, line in enumerate(flow(lost, room, 0))]
    moving = [one for one in counters(picture, name, netdev, nic_counters(nic)) if one.total or one.per_s]
    return lines + counter_lines(picture, moving, cells)


def short_plane(nic: Nic) -> str:
    return {"management": "mgmt", "fabric": "fabric"}.get(nic.plane, "idle")


def queues(nic: Nic) -> str:
    """ "8/8": receive and transmit."""
    return "/".join(figures.NA if count is None else str(count) for count in (nic.rx_queues, nic.tx_queues))


def counter_lines(picture: Picture, found: list[Counter], cells: int) -> list[Line]:
    """Counters with rate and growth, under a heading that says since when."""
    if not found:
        return []
    room = min(cells, 60)
    head: Line = [(f"  counters that counted, {heading(picture)}", "dim")]
    return [head, *([("  ", ""), *counter_pieces(picture, one, room - 2)] for one in found)]


def keyed(key: str, *pieces: Piece) -> Line:
    """A line with its key in a column of its own."""
    return [(pad(key, KEY_CELLS), "dim"), (" ", ""), *pieces]


def listed(key: str, texts: Sequence[str | None], cells: int, style: str = "", gap: int = 2) -> list[Line]:
    """Several texts under one key, on as many lines as they need."""
    segments: list[Line] = [[(text, style)] for text in texts if text]
    lines = flow(segments, max(8, cells - KEY_CELLS - 1), 0, gap)
    return [keyed(key if index == 0 else "", *line) for index, line in enumerate(lines)]


def words(*texts: str | None) -> str:
    return "  ".join(text for text in texts if text)


def interrupt_lines(picture: Picture, node: Node, cells: int) -> list[Line]:
    """Per owner of interrupts: vectors, rate, and which CPU takes most of them."""
    if not node.irqs:
        return []
    table = Layout(
        [
            Column("owner", ((0, 14, "owner"),), "left", gap=0),
            Column("vectors", ((1, 7, "vectors"),)),
            Column("rate", ((0, 6, "rate"),)),
            Column("where", ((0, 28, "where they go"),), "left", gap=2),
        ],
        cells,
        picture.glyphs,
    )
    lines: list[Line] = [[("interrupts", TITLE)], table.header()]
    for owner, irq in node.irqs.items():
        found = facts.busiest_cpu(irq)
        rate = figures.per_second(found[2] if found else None if unknown(irq) else 0.0)
        shown: dict[str, Cell] = {"owner": owner, "vectors": str(irq.vectors), "rate": rate, "where": where(node, irq)}
        lines.append(table.row(shown))
    return lines


def where(node: Node, irq: Irq) -> str:
    """ "all on cpu10 (A725)", "96 % of them on cpu0 (A725)": a share of the interrupts, not a load of the CPU."""
    found = facts.busiest_cpu(irq)
    if found is None:
        return "" if unknown(irq) else "nothing fires"
    cpu, share, _ = found
    core = class_of(node, cpu)
    amount = "all" if share >= 0.995 else f"{share * 100:.0f} % of them"
    return f"{amount} on cpu{cpu}{f' ({core})' if core else ''}"


def protocol_lines(picture: Picture, name: str, node: Node, cells: int) -> list[Line]:
    """Softirq backlog, TCP and UDP counters that ever counted."""
    lines: list[Line] = []
    if node.softnet is not None:
        soft = node.softnet
        dropped = alarm(figures.per_second(soft.dropped_per_s), soft.dropped_per_s, picture.glyphs.warn)
        squeezed = figure(figures.per_second(soft.time_squeeze_per_s))
        lines.append(keyed("softnet", ("dropped ", "dim"), *dropped, ("  squeezed ", "dim"), squeezed))
    found: list[Counter] = []
    if node.tcp is not None:
        found += counters(picture, name, "tcp", (node.tcp.counters_per_s, node.tcp.counters_total))
    if node.udp is not None:
        found += counters(picture, name, "udp", (node.udp.counters_per_s, node.udp.counters_total))
    lines += counter_lines(picture, [one for one in found if one.total or one.per_s], cells)
    return [[("protocols", TITLE)], *lines] if lines else []
