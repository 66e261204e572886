"""The switches: health by group, ports by cage, optics, pause, losses, and who hangs on which port."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from sparktui.contract import Optic, Port, Switch
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cells import Piece, pad, width, wrap
from sparktui.panes.counters import counter_pieces, counters, heading, port_counters
from sparktui.panes.findings import finding_lines
from sparktui.panes.ports import natural, peer, peer_cells, port_cells, port_column, troubled
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import TITLE, aged, alarm, figure, state_pieces
from sparktui.panes.switch_health import brief_lines, health_lines
from sparktui.panes.table import Cell, Column, Layout, fitting, flow

HELP = """\
Health, then the ports with a link or a node, a row each. What a port receives is what its node sends. A cage
that is split into several links keeps its other lanes enabled and down for ever: no fault, so they are folded. "learnt"
is how long ago the MAC table or LLDP last named the node on that port. Enter shows all counters of a port.
"""

LOW = 30
"""A pane of fewer lines has a switch's health in brief; Enter on the switch shows all of it."""


def view(picture: Picture) -> Drawing:
    sheet = Sheet(picture)
    for name, switch in picture.rack.switches.items():
        if picture.detail and picture.selected == f"switch:{name}":
            return switch_detail(picture, name)
        for port_name, port in switch.ports.items():
            if picture.detail and picture.selected == item_of(name, port_name):
                return port_detail(picture, name, port_name, port)
        if facts.matches(picture.filter, name, switch.model) or passing_ports(picture, name, switch):
            sheet.blank()
            add_switch(sheet, picture, name, switch)
    if picture.rack.switches and not sheet.lines:
        sheet.add((f'no row holds "{picture.filter}"', "dim"))
    if not picture.rack.switches:
        sheet.add(("no switch is watched: name one under [switches] in the config", "dim"))
    return sheet.drawing()


def switch_detail(picture: Picture, name: str) -> Drawing:
    """One switch alone, with nothing to select."""
    sheet = Sheet(picture)
    add_switch(sheet, replace(picture, filter=""), name, picture.rack.switches[name], in_full=True)
    return Drawing(sheet.lines, pinned=1)


def item_of(switch: str, port: str) -> str:
    return f"port:{switch}:{port}"


def add_switch(sheet: Sheet, picture: Picture, name: str, switch: Switch, in_full: bool = False) -> None:
    """One switch: its state, findings, health and ports. A low pane has its health in brief: the ports matter more."""
    sheet.item(f"switch:{name}", ("  ", ""), *headline(picture, name, switch))
    if switch.error:
        for text in wrap(switch.error, sheet.cells - 2, 3, picture.glyphs.ellipsis):
            sheet.add(("  ", ""), (text, "bold $fail"))
    mine = facts.findings_on(picture.rack, name)
    for line in finding_lines(picture, mine, 3, sheet.cells):
        sheet.add(*line)
    old = switch.state != "live"
    if switch.health:
        whole = in_full or picture.height >= LOW
        if whole:
            sheet.blank()
        for line in (health_lines if whole else brief_lines)(picture, switch.health, sheet.cells - 2):
            sheet.add(("  ", ""), *aged(line, old))
    if switch.ports:
        sheet.blank()
        add_ports(sheet, picture, name, switch)
    for note in switch.notes:
        for index, text in enumerate(wrap(note, sheet.cells - 4, 3, picture.glyphs.ellipsis)):
            sheet.add(("  " if index == 0 else "    ", ""), (text, "dim"))


def headline(picture: Picture, name: str, switch: Switch) -> list[Piece]:
    pieces: list[Piece] = [(name, "bold"), ("  ", ""), *state_pieces(switch, picture.glyphs)]
    facts_of = (
        switch.model,
        switch.version and f"RouterOS {switch.version}",
        f"up {figures.long_age(switch.uptime_s)}" if switch.uptime_s is not None else None,
    )
    for text in facts_of:
        if text:
            pieces += [("  ", ""), (text, "dim")]
    if switch.cpu_load_percent:
        busiest = max(switch.cpu_load_percent)
        pieces += [("  cpu load ", "dim"), (figures.percent(busiest).strip(), "")]
    return pieces


def columns(picture: Picture, switch: Switch, cells: int) -> list[Column]:
    """Losses and pause before all else: where they do not fit, both directions share a column."""
    parts = [
        Column("mark", ((0, 2, ""),), "left", gap=0),
        port_column(list(switch.ports)),
        Column("peer", ((2, peer_cells(picture), "  connected"),), "left"),
        Column("learnt", ((7, 6, "learnt"),)),
        Column("link", ((0, 4, "link"),)),
        Column("rates", ((1, 8, "rx/tx"), (6, 14, "rx/tx")), group=True),
        Column("fcs", ((3, 7, "fcs "),), group=True),
    ]
    apart = [
        Column("drop_rx", ((4, 8, "rx drop "),)),
        Column("drop_tx", ((4, 8, "tx drop "),)),
        Column("pause_rx", ((5, 8, "rx pause"),), group=True),
        Column("pause_tx", ((5, 8, "tx pause"),)),
    ]
    shared = [Column("drop", ((4, 7, "drop "),)), Column("pause", ((3, 11, "pause rx/tx"),), group=True)]
    optic = Column("optic", ((8, 22, "optic"),), "left", group=True)
    wide = [*parts, *apart, optic]
    return wide if "pause_tx" in fitting(wide, cells)[0] else [*parts, *shared, optic]


def add_ports(sheet: Sheet, picture: Picture, name: str, switch: Switch) -> None:
    """The ports that carry something, cage by cage, then the names of those that do not."""
    shown = [one for one in sorted(switch.ports, key=natural) if carries(switch.ports[one])]
    passing = passing_ports(picture, name, switch)
    table = Layout(columns(picture, switch, sheet.cells), sheet.cells, picture.glyphs, stretch=2)
    sheet.add(*table.header())
    for cage, members in groupby(passing, key=lambda one: switch.ports[one].cage or one):
        for place, port_name in enumerate(members):
            cells = row_cells(picture, table, port_name, switch.ports[port_name], cage if place else None)
            sheet.item(item_of(name, port_name), *table.row(cells, old=switch.state != "live"))
    lanes, idle = folded(switch, shown)
    for title, names in (("lanes of the links above", lanes), ("no link", idle)):
        if names:
            segments = [[(title + ":", "dim")], *[[(text, "dim")] for text in ranges(names)]]
            for line in flow(segments, sheet.cells - 2, 4, gap=2):
                sheet.add(("  ", ""), *line)


def passing_ports(picture: Picture, name: str, switch: Switch) -> list[str]:
    """The ports with a row that the filter leaves: all of them where it names the switch."""
    whole = facts.matches(picture.filter, name, switch.model)
    return [
        one
        for one in sorted(switch.ports, key=natural)
        if carries(switch.ports[one]) and (whole or facts.matches(picture.filter, one, *port_texts(switch.ports[one])))
    ]


def carries(port: Port) -> bool:
    return port.oper == "up" or bool(port.node)


def port_texts(port: Port) -> list[str]:
    return [word for word in (port.node, port.alias, port.neighbour, port.cage, *port.nics) if word]


def row_cells(picture: Picture, table: Layout, port_name: str, port: Port, cage: str | None) -> dict[str, Cell]:
    """The overview's cells and more; a later lane of a cage shows only what is its own of the name."""
    mark = picture.glyphs.warn
    cells = port_cells(picture, table, port_name, port)
    if cage and port_name.startswith(cage):
        cells["port"] = [(" " * width(cage), ""), (port_name[len(cage) :], "")]
    age = "" if port.learnt_age_s is None else figures.age(port.learnt_age_s)
    old = port.learnt_age_s is not None and port.learnt_age_s > 300
    return cells | {
        "learnt": (age, "$idle" if old else "dim"),
        "drop_rx": alarm(figures.per_second(port.rx_drops_per_s), port.rx_drops_per_s, mark),
        "drop_tx": alarm(figures.per_second(port.tx_drops_per_s), port.tx_drops_per_s, mark),
        "pause": pause_pair(port),
        "optic": (optic_words(port.optic), "dim"),
    }


def pause_pair(port: Port) -> Piece:
    """Pause frames received and sent per second: "0 / 1.2k"."""
    pair = (port.rx_pause_per_s, port.tx_pause_per_s)
    return " / ".join(figures.count(value) for value in pair), "" if any(pair) else "dim"


def optic_words(optic: Optic | None) -> str:
    """Temperature and received power; a cable without a sensor says so, since its zeros are no readings."""
    if optic is None:
        return ""
    values = (optic.temperature_c, optic.supply_v, optic.rx_power_dbm, optic.tx_power_dbm)
    if all(value is None for value in values):
        return "no sensor (passive)"
    heat = "" if optic.temperature_c is None else f"{optic.temperature_c:.0f} C"
    power = "" if optic.rx_power_dbm is None else f"rx {optic.rx_power_dbm:.1f} dBm"
    return "  ".join(text for text in (heat, power) if text) or "n/a"


def folded(switch: Switch, shown: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ports without a row: lanes of a cage that has a link, and ports that have none."""
    linked = {switch.ports[one].cage for one in shown if switch.ports[one].cage}
    rest = [one for one in sorted(switch.ports, key=natural) if one not in shown]
    lanes = [one for one in rest if switch.ports[one].cage in linked]
    return lanes, [one for one in rest if one not in lanes]


def ranges(names: Sequence[str]) -> list[str]:
    """ "sfp56-5", "sfp56-6", "sfp56-7" -> "sfp56-5 to 7"; names in natural order."""
    found: list[tuple[str, int, int]] = []
    for name in names:
        match = re.fullmatch(r"(.*?)(\d{1,9})", name)
        stem, number = (match[1], int(match[2])) if match else (name, -1)
        if found and match and found[-1][0] == stem and found[-1][2] == number - 1:
            found[-1] = (stem, found[-1][1], number)
        else:
            found.append((stem, number, number))
    return [
        stem if first < 0 else f"{stem}{first}" if first == last else f"{stem}{first} to {last}"
        for stem, first, last in found
    ]


def port_detail(picture: Picture, name: str, port_name: str, port: Port) -> Drawing:
    """All of one port: link, who is there, optic, and every counter with its rate and growth."""
    sheet = Sheet(picture)
    switch = picture.rack.switches[name]
    sheet.title(f"{name} {port_name}", *state_pieces(switch, picture.glyphs))
    old = switch.state != "live"
    link = f"{port.oper}  {figures.speed(port.speed_mbps).strip()}  admin {port.admin or 'n/a'}"
    learnt = "by the config" if port.learnt_age_s is None else f"{figures.age(port.learnt_age_s).strip()} ago"
    rows: list[tuple[str, list[Piece]]] = [
        ("link", [(link, "bold $warn" if troubled(port) and port.oper != "up" else "")]),
        ("cage", [(port.cage or "n/a", "")]),
        ("connected", peer(picture, port)),
        ("netdevs", [("  ".join(port.nics), "")]),
        ("learnt", [(learnt if port.node else "", "")]),
        ("comment", [(port.alias or "", "")]),
        ("neighbour", [(port.neighbour or "", "")]),
        ("rx / tx", [figure(figures.rate_pair(port.rx_bps, port.tx_bps))]),
        (
            "frames",
            [
                figure(figures.per_second(port.rx_packets_per_s)),
                (" / ", "dim"),
                figure(figures.per_second(port.tx_packets_per_s)),
            ],
        ),
        ("optic", [(optic_detail(port.optic), "")]),
    ]
    for key, pieces in rows:
        if any(text.strip() for text, _ in pieces):
            sheet.add(*aged([(pad(key, 11), "dim"), *pieces], old))
    sheet.blank()
    cells = min(64, sheet.cells)
    sheet.add(("counters", TITLE), (f"  per second and {heading(picture)}", "dim"))
    for one in counters(picture, name, port_name, port_counters(port)):
        sheet.add(*aged(counter_pieces(picture, one, cells), old))
    return sheet.drawing(pinned=1)


def optic_detail(optic: Optic | None) -> str:
    if optic is None:
        return ""
    values = (
        ("", optic.vendor, ""),
        ("", figures.plain(optic.temperature_c), " C"),
        ("", figures.plain(optic.supply_v, 2), " V"),
        ("bias ", figures.plain(optic.tx_bias_ma), " mA"),
        ("tx ", figures.plain(optic.tx_power_dbm, 2), " dBm"),
        ("rx ", figures.plain(optic.rx_power_dbm, 2), " dBm"),
        ("", figures.plain(optic.wavelength_nm), " nm"),
    )
    known = [f"{before}{value}{unit}" for before, value, unit in values if value and value != figures.NA]
    return "  ".join(known) if len(known) > bool(optic.vendor) else "  ".join([*known, "no sensor (passive cable)"])


PANE = Pane("switch", "6", "Switch", HELP, view)
