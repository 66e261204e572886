"""What was lost since the operator's mark: while there is one, columns of losses count instead of showing rates."""

from __future__ import annotations

from collections.abc import Iterable

from sparktui.contract import Port, summed
from sparktui.panes import facts, figures
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece
from sparktui.panes.states import alarm

PORT_DROPS = ("RxDrop", "TxDrop")


def grown(picture: Picture, target: str, part: str, counter: str, total: int | None) -> int | None:
    """Growth of one total since the mark; None without both ends, or when the counter began anew since."""
    before = picture.mark.totals.get(target, {}).get((part, counter)) if picture.mark else None
    return total - before if total is not None and before is not None and total >= before else None


def node_losses(picture: Picture, cables: Iterable[facts.Cable]) -> tuple[float | None, float | None]:
    """(missed, broken) frames of the cables, per second or since the mark; the halves of a cable are not added."""
    found = list(cables)
    if picture.mark is None:
        return (
            summed(cable.missed_per_s for cable in found),
            summed(cable.errors_per_s for cable in found),
        )
    missed, errors = (
        summed(
            facts.largest(
                grown(picture, cable.node, name, key, getattr(nic, f"{key}_total")) for name, nic in cable.halves
            )
            for cable in found
        )
        for key in ("rx_missed", "rx_errors")
    )
    return missed, errors


def port_losses(picture: Picture, name: str, port: Port) -> tuple[float | None, float | None]:
    """(FCS errors, drops) of a port, per second or since the mark."""
    if picture.mark is None:
        return port.rx_fcs_errors_per_s, summed((port.rx_drops_per_s, port.tx_drops_per_s))
    switch = next((key for key, one in picture.rack.switches.items() if one.ports.get(name) is port), "")
    totals = zip(PORT_DROPS, (port.rx_drops_total, port.tx_drops_total), strict=True)
    drops = summed(grown(picture, switch, name, counter, total) for counter, total in totals)
    return grown(picture, switch, name, "RxFCSError", port.rx_fcs_errors_total), drops


def loss_cell(picture: Picture, value: float | None, narrow: bool = False) -> list[Piece]:
    """A loss in 4 or 6 characters and its mark: per second, or a plain count since the operator's mark."""
    if picture.mark is not None:
        text = figures.count(value).rjust(4 if narrow else 6)
    else:
        text = figures.count(value) if narrow else figures.per_second(value)
    return alarm(text, value, picture.glyphs.warn)
