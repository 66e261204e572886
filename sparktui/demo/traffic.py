"""Frames on the rack's cables, counted once where they pass: what one end counts as sent, the other end saw arrive.

A frame is lost only where a scenario says so: broken on a cable (the receiving end counts it as broken), or, whole, by
the receive side of a NIC (demo/node.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

FCS_OCTETS = 4
"""The frame check sequence: counted by switch ports and by the ConnectX's port counters, not by a netdev."""


@dataclass(slots=True)
class Wire:
    """One direction of a cable, cumulative: frames put in at one end, and how many of them arrived broken at the other.

    `octets` without the frame check sequence.
    """

    frames: int = 0
    octets: int = 0
    broken: int = 0
    broken_octets: int = 0

    def since(self, start: Wire) -> Wire:
        """What passed after `start`, an earlier copy."""
        return Wire(
            self.frames - start.frames,
            self.octets - start.octets,
            self.broken - start.broken,
            self.broken_octets - start.broken_octets,
        )

    def copy(self) -> Wire:
        return Wire(self.frames, self.octets, self.broken, self.broken_octets)


@dataclass(slots=True)
class Link:
    """Both directions between a NIC and its switch port: `up` is NIC to port."""

    up: Wire = field(default_factory=Wire)
    down: Wire = field(default_factory=Wire)

    def since(self, start: Link) -> Link:
        return Link(self.up.since(start.up), self.down.since(start.down))

    def copy(self) -> Link:
        return Link(self.up.copy(), self.down.copy())


class Flow:
    """Frames from one NIC through the switch to another: a frame that breaks on the first cable ends at the switch.

    Parts of a frame are kept until they make a whole one, so every step moves whole frames.
    """

    __slots__ = ("_broken_in", "_broken_out", "_due", "_from", "_octets_due", "_to")

    def __init__(self, source: Link, target: Link) -> None:
        self._from, self._to = source.up, target.down
        self._due = self._octets_due = self._broken_in = self._broken_out = 0.0

    def send(self, frames: float, octets: float, broken_in: float = 0.0, broken_out: float = 0.0) -> None:
        """Send so many frames of `octets` each; a share of them breaks on the way in to and out of the switch."""
        self._due += frames
        whole = int(self._due)
        if not whole:
            return
        self._due -= whole
        self._octets_due += whole * octets
        size = int(self._octets_due) // whole
        self._octets_due -= whole * size
        self._broken_in += whole * broken_in
        lost = int(self._broken_in)
        self._broken_in -= lost
        put(self._from, whole, size, lost)
        arrived = whole - lost
        self._broken_out += arrived * broken_out
        lost = int(self._broken_out)
        self._broken_out -= lost
        put(self._to, arrived, size, lost)


def put(wire: Wire, frames: int, size: int, broken: int) -> None:
    """Pass frames of one size over a wire."""
    wire.frames += frames
    wire.octets += frames * size
    wire.broken += broken
    wire.broken_octets += broken * size
