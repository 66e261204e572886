"""Counters of both ends of a cable: which moved in the last minute, how fast, and how far since the mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparktui.contract import Nic, Port
from sparktui.panes import figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad

MOVED_S = 60.0
TRAFFIC = {"rx_packets", "tx_packets", "rx_packets_phy", "tx_packets_phy", "rx_bytes_phy", "tx_bytes_phy"}
"""Counters of what went well: the rates show it already."""

LOSS = re.compile(r"miss|err|crc|discard|drop|overflow|fcs|align|retrans|timeout|out_of_|runt|jabber|fragment|rdu|down")
NO_LOSS = {"rx_steer_missed_packets", "rx_tcam_dropped", "rx_if_down_packets", "rx_dropped"}
"""By its name a loss; in fact frames that nobody on the machine wanted, on every healthy node."""


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter of one part (a netdev, a port): its rate, its total, and its growth since the mark."""

    part: str
    name: str
    per_s: float | None
    total: int | None
    since_mark: int | None

    @property
    def loss(self) -> bool:
        """Whether its growth means frames lost, broken or sent again; flow control and flushes do not."""
        name = self.name.lower()
        return bool(LOSS.search(name)) and name not in NO_LOSS and "pause" not in name and "flush" not in name


def nic_counters(nic: Nic) -> tuple[dict[str, float | None], dict[str, int]]:
    """(per second, total) of a netdev's counters and its RDMA device's, without plain traffic."""
    per_s, totals = dict(nic.counters_per_s), dict(nic.counters_total)
    if nic.rdma is not None:
        per_s |= nic.rdma.counters_per_s
        totals |= nic.rdma.counters_total
    return {name: rate for name, rate in per_s.items() if name not in TRAFFIC}, totals


def port_counters(port: Port) -> tuple[dict[str, float | None], dict[str, int]]:
    """(per second, total) of a port's counters, by the names that the store's `moved` uses."""
    per_s: dict[str, float | None] = {
        "RxFCSError": port.rx_fcs_errors_per_s,
        "RxDrop": port.rx_drops_per_s,
        "TxDrop": port.tx_drops_per_s,
        "RxPause": port.rx_pause_per_s,
        "TxPause": port.tx_pause_per_s,
    }
    own = {"RxFCSError": port.rx_fcs_errors_total, "RxDrop": port.rx_drops_total, "TxDrop": port.tx_drops_total}
    totals = {name: total for name, total in own.items() if total is not None}
    return per_s | port.counters_per_s, totals | port.counters_total


def counters(
    picture: Picture, target: str, part: str, found: tuple[Mapping[str, float | None], Mapping[str, int]]
) -> list[Counter]:
    """All counters of a part, with their growth since the operator's mark."""
    per_s, totals = found
    marked = picture.mark.totals.get(target, {}) if picture.mark else {}
    made = []
    for name, rate in per_s.items():
        total, before = totals.get(name), marked.get((part, name))
        grown = total - before if total is not None and before is not None else None
        made.append(Counter(part, name, rate, total, grown if grown is None or grown >= 0 else None))
    return made


def moved(picture: Picture, target: str, found: Iterable[Counter]) -> list[Counter]:
    """Those that grew in the last minute, as the store remembers it."""
    known = picture.store.nodes.get(target) or picture.store.switches.get(target)
    when = known.moved if known else {}
    return [one for one in found if picture.now - when.get((one.part, one.name), float("-inf")) <= MOVED_S]


def heading(picture: Picture) -> str:
    """What the last column of counters holds."""
    return f"since {picture.mark.label}" if picture.mark else "since boot"


def counter_pieces(picture: Picture, one: Counter, cells: int) -> list[Piece]:
    """Name, rate and growth in exactly `cells`; the growth is since the mark, without one since boot."""
    grown = one.since_mark if picture.mark else one.total
    style = "bold $warn" if one.loss and one.per_s else ""
    name = pad(one.name, max(0, cells - 17), ellipsis=picture.glyphs.ellipsis)
    return [
        (name, style or "dim"),
        (" ", ""),
        (figures.per_second(one.per_s), style),
        (" ", ""),
        (figures.total(grown), ""),
    ]
