"""Switches of the overview: a line on their health, and a line per port that carries something."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sparktui.contract import Health, Port, Switch
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, width
from sparktui.panes.marked import loss_cell, port_losses
from sparktui.panes.nodes import mark_cell
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import figure, not_yet, state_pieces
from sparktui.panes.table import Cell, Column, Layout, fit, flow

PSU = re.compile(r"(psu\d+)-(.+)")
NIC_CELLS = 6
"""Of a NIC beside its node: "enP7s7", or a cage."""

HOTTEST_FIRST = ("cpu", "switch", "phy", "sfp")


def health_segments(switch: Switch, glyphs_fail: str) -> list[list[Piece]]:
    """Health in a few words: version, temperatures, fans, supplies, and whatever is not ok."""
    segments: list[list[Piece]] = []
    if switch.version:
        segments.append([("v", "dim"), (switch.version, "")])
    segments += [temperatures(switch.health), fans(switch.health)]
    segments += [supply(name, rows, glyphs_fail) for name, rows in supplies(switch.health).items()]
    for row in switch.health:
        if row.state == "not_ok" and not PSU.fullmatch(row.name):
            segments.append([(f"{glyphs_fail} {row.name} not ok", "bold $fail")])
    return [segment for segment in segments if segment]


def temperatures(rows: Sequence[Health]) -> list[Piece]:
    """The named temperatures in a fixed order; the boards' are left to the switch's own pane."""
    found = {
        row.name.removesuffix("-temperature"): row.value
        for row in rows
        if row.unit == "C" and row.name.endswith("-temperature") and not PSU.fullmatch(row.name)
    }
    names = [name for name in HOTTEST_FIRST if name in found] or list(found)[:4]
    pieces: list[Piece] = []
    for name in names:
        pieces += [(f"{name} ", "dim"), (figures.whole(found[name], 2), ""), (" ", "")]
    return [*pieces[:-1], (" C", "dim")] if pieces else []


def fans(rows: Sequence[Health]) -> list[Piece]:
    """The slowest and the fastest fan."""
    known = [row.value for row in rows if row.unit == "rpm" and row.value is not None]
    if not known:
        return []
    span = f"{figures.whole(min(known), 4)}-{figures.whole(max(known), 4)}" if len(known) > 1 else f"{known[0]:.0f}"
    return [("fans ", "dim"), (span, ""), (" rpm", "dim")]


def supplies(rows: Sequence[Health]) -> dict[str, dict[str, Health]]:
    """Power supply name -> quantity -> row."""
    found: dict[str, dict[str, Health]] = {}
    for row in rows:
        match = PSU.fullmatch(row.name)
        if match:
            found.setdefault(match[1], {})[match[2]] = row
    return found


def supply(name: str, rows: Mapping[str, Health], glyph: str) -> list[Piece]:
    """ "psu1 ok 49.8 W", "psu2 no input (expected)"."""
    state, power = rows.get("state"), rows.get("power")
    pieces: list[Piece] = [(name, "dim")]
    if state is not None:
        pieces += [(" ", ""), health_state(state, glyph)]
    if power is not None and power.value:
        pieces += [(" " + f"{figures.watts(power.value).strip()} W".ljust(6), "")]
    return pieces if len(pieces) > 1 else []


def health_state(row: Health, glyph: str) -> Piece:
    """A state in words; the codes behind "not ok" are not documented, so the number is given."""
    if row.state == "expected_absent":
        return "absent (expected)", "dim"
    if row.state == "not_ok":
        code = "" if row.value is None else f" ({row.value:.0f})"
        return f"{glyph} not ok{code}", "bold $fail"
    return ("ok", "$ok") if row.state == "ok" else (figures.NA, "dim")


def health_lines(picture: Picture, name: str, switch: Switch) -> list[list[Piece]]:
    """A switch's summary on as many lines as it needs."""
    longest = min(16, max([6, *map(width, picture.rack.nodes)]))
    words: list[Piece] = [
        (name + " " * (longest - width(name)), "bold"),
        (" ", ""),
        *state_pieces(switch, picture.glyphs),
    ]
    segments = [words]
    if switch.state != "live" and switch.error:
        segments.append([(switch.error, "dim")])
    else:
        segments += health_segments(switch, picture.glyphs.fail)
    return flow(segments, picture.width - 3, longest + 1)


def add_health(sheet: Sheet, picture: Picture, name: str, switch: Switch) -> None:
    old = switch.state != "live"
    worst = facts.worst_of(picture.rack)
    for index, pieces in enumerate(health_lines(picture, name, switch)):
        shown = [(text, "dim" if old and style in ("", "$ok") else style) for text, style in pieces]
        if index == 0:
            sheet.item(f"switch:{name}", *fit(mark_cell(picture, worst.get(name)), 2), *shown)
        else:
            sheet.add(("  ", ""), *shown)


def natural(name: str) -> list[tuple[int, str]]:
    """A sort key in which sfp56-10 comes after sfp56-2."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def shown_ports(picture: Picture, name: str, switch: Switch) -> list[str]:
    """Ports with a link or a node, of the switch that the filter lets through or that let themselves through."""
    whole = facts.matches(picture.filter, name, switch.model)
    found = []
    for port_name in sorted(switch.ports, key=lambda one: (switch.ports[one].node is None, natural(one))):
        port = switch.ports[port_name]
        if (port.oper == "up" or port.node) and (whole or facts.matches(picture.filter, port_name, *port_words(port))):
            found.append(port_name)
    return found


def port_words(port: Port) -> list[str]:
    return [word for word in (port.node, port.alias, port.neighbour, *port.nics) if word]


def troubled(port: Port) -> bool:
    """Frames were lost or broken on it just now, or its node is there and its link is not."""
    losses = (port.rx_fcs_errors_per_s, port.rx_drops_per_s, port.tx_drops_per_s)
    return any(losses) or (port.node is not None and port.oper != "up")


def peer(picture: Picture, port: Port) -> list[Piece]:
    """What is at the other end: node and cage or NIC, else the neighbour's name, else the port's comment."""
    if port.node:
        node = picture.rack.nodes.get(port.node)
        found = facts.cables(port.node, node) if node else []
        names = [cable.name for cable in found if any(half in port.nics for half, _ in cable.halves)]
        return [(port.node, ""), (" ", ""), (" ".join(names or port.nics[:1]), "")]
    return [(port.neighbour or port.alias or "", "dim")]


def port_column(names: Sequence[str]) -> Column:
    return Column("port", ((0, min(16, max([6, *map(width, names)])), "port"),), "left", gap=0)


def peer_cells(picture: Picture) -> int:
    """Width of the column that names what is at the other end: a NIC's name is known late and must move nothing."""
    nodes = max([3, *map(width, picture.rack.nodes)])
    return width(picture.glyphs.cable) + 1 + min(16, max(10, nodes + 1 + NIC_CELLS))


def port_columns(picture: Picture) -> list[Column]:
    return [
        Column("mark", ((0, 2, ""),), "left", gap=0),
        port_column([name for switch in picture.rack.switches.values() for name in switch.ports]),
        Column("peer", ((2, peer_cells(picture), "  node"),), "left"),
        Column("link", ((0, 4, "link"),), group=True),
        Column("rates", ((1, 8, "rx/tx"), (6, 14, "rx/tx")), group=True),
        Column("fcs", ((3, 7, "fcs "),), group=True),
        Column("drop", ((4, 7, "drop "),)),
        Column("pause_rx", ((5, 8, "rx pause"),), group=True),
        Column("pause_tx", ((5, 8, "tx pause"),)),
    ]


def port_cells(picture: Picture, table: Layout, name: str, port: Port) -> dict[str, Cell]:
    mark = picture.glyphs.warn
    fcs, drops = port_losses(picture, name, port)
    up = port.oper == "up"
    return {
        "mark": (mark, "bold $warn") if troubled(port) else "",
        "port": (name, ""),
        "peer": [(f"{picture.glyphs.cable} ", "dim"), *peer(picture, port)],
        "link": figure(figures.speed(port.speed_mbps)) if up else down_cell(port),
        "rates": figure(figures.rate_pair(port.rx_bps, port.tx_bps, table.widths["rates"] >= 14)),
        "fcs": loss_cell(picture, fcs),
        "drop": loss_cell(picture, drops),
        "pause_rx": figure(figures.per_second(port.rx_pause_per_s), "" if port.rx_pause_per_s else "dim"),
        "pause_tx": figure(figures.per_second(port.tx_pause_per_s), "" if port.tx_pause_per_s else "dim"),
    }


def down_cell(port: Port) -> Piece:
    """A port without a link, in a word of four letters; with a node on it, it should have one."""
    return "down" if "down" in port.oper else port.oper, "bold $warn" if port.node else "dim"


def port_lines(picture: Picture, switch: Switch, names: Sequence[str], room: int, cells: int) -> list[list[Piece]]:
    """A table of ports in at most `room` lines: those in trouble come first when not all fit, the rest are counted."""
    if not names or room < 1:
        return []
    if room < len(names) + 1:
        urgent = [name for name in names if troubled(switch.ports[name])]
        kept = [*urgent, *(name for name in names if name not in urgent)][: max(0, room - 2)]
        chosen = [name for name in names if name in kept]
    else:
        chosen = list(names)
    table = Layout(port_columns(picture), cells, picture.glyphs)
    old, known = switch.state != "live", facts.has_rates(switch)
    rows = [not_yet(table.row(port_cells(picture, table, name, switch.ports[name]), old), known) for name in chosen]
    lines = [table.header(), *rows] if rows else []
    if len(chosen) < len(names):
        rest = [switch.ports[name] for name in names if name not in chosen]
        lines.append([("  ", ""), *rest_of(rest, len(chosen))])
    return lines


def rest_of(ports: Sequence[Port], shown: int) -> list[Piece]:
    """One line for the ports that have no line of their own."""
    bad = sum(map(troubled, ports))
    text = f"{len(ports)} {'more ' if shown else ''}port{'' if len(ports) == 1 else 's'}"
    if bad:
        return [(text, "dim"), (f", {bad} in trouble", "bold $warn")]
    return [(f"{text}, no errors or drops", "dim")]
