"""For how much of a GPU's last minute something held: a reason for its clock, a P-state."""

from __future__ import annotations

from sparktui.contract import Gpu
from sparktui.panes import facts
from sparktui.panes.base import Picture
from sparktui.panes.reasons import SW_POWER_CAP

MINUTE_S = 60.0


def seen_until(picture: Picture, name: str) -> float:
    """When a node was last heard: the minute that shares are of ends then, not after its silence."""
    target = picture.store.nodes.get(name)
    return picture.now if target is None or target.taken_at is None else target.taken_at


def share(picture: Picture, name: str, gpu: Gpu, key: str) -> float | None:
    """Of the node's last minute, the percentage in which `key` ("reason.x", "pstate.P0") held.

    By the driver's own counter of time where it has one, for that sees what lies between two samples; else by samples.
    """
    since = seen_until(picture, name) - MINUTE_S
    if key == f"reason.{SW_POWER_CAP}":
        counted = facts.series_of(picture.store, name, f"gpu{gpu.index}.{SW_POWER_CAP}_percent").since(since)
        if counted:
            return sum(counted) / len(counted)
    samples = len(facts.series_of(picture.store, name, f"gpu{gpu.index}.samples").since(since))
    held = len(facts.series_of(picture.store, name, f"gpu{gpu.index}.{key}").since(since))
    return 100 * held / samples if samples else None


def span_words(picture: Picture, name: str, gpu: Gpu) -> str:
    """What the shares are of: "the last minute", or "the last 8 s" where the samples do not go back further."""
    points = facts.series_of(picture.store, name, f"gpu{gpu.index}.samples").points
    known_s = seen_until(picture, name) - points[0][0] if points else 0.0
    first = "the" if picture.rack.nodes[name].state == "live" else "its"
    return f"{first} last {'minute' if known_s >= MINUTE_S - 2 else f'{max(1, round(known_s))} s'}"
