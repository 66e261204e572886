"""What differs between two versions of a line, and a screen that writes no more than that to the terminal.

Textual's partial update writes a dirty region of a line from the line's beginning on, however far right it lies: the
clock at the end of a 120-cell header costs 431 bytes a second instead of 60. `sharpen` mends that for one screen. It is
the one place that reaches into Textual's compositor; where a release has it built otherwise, whole lines are written.
"""

from __future__ import annotations

from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip

try:
    from textual._compositor import ChopsUpdate
except ImportError:  # another release of Textual
    ChopsUpdate = None  # type: ignore[assignment,misc]

JOINED = 16
"""Unchanged cells between two changes that are cheaper written again than jumped over (a jump costs 50 bytes)."""

Cell = tuple[str, int, Style | None]


def changes(old: Strip, new: Strip) -> list[tuple[int, int]]:
    """(first cell, end) of each stretch of the new line that differs from the old one of the same width."""
    before, after = cells(old), cells(new)
    differing = [x for x, (one, other) in enumerate(zip(before, after, strict=False)) if one != other]
    if len(before) != len(after):
        differing = list(range(len(after)))
    if not differing:
        return []
    breaks = [(left, right) for left, right in pairwise(differing) if right - left > JOINED]
    starts = [differing[0], *(right for _, right in breaks)]
    ends = [*(left + 1 for left, _ in breaks), differing[-1] + 1]
    return list(zip(starts, ends, strict=True))


def cells(strip: Strip) -> list[Cell]:
    """One entry per terminal cell; both halves of a wide character have one, told apart by their number."""
    found: list[Cell] = []
    for segment in strip:
        if segment.text.isascii():
            found += [(character, 0, segment.style) for character in segment.text]
        else:
            found += [(one, half, segment.style) for one in segment.text for half in range(cell_len(one))]
    return found


def sharpen(screen: Screen[None]) -> bool:
    """Make partial updates of this screen exact; False where this Textual is built otherwise."""
    compositor = getattr(screen, "_compositor", None)
    render = getattr(compositor, "render_partial_update", None)
    if ChopsUpdate is None or render is None:
        return False

    def exact() -> object:
        update = render()
        if type(update) is not ChopsUpdate:
            return update
        return ExactUpdate(update.chops, update.spans, update.chop_ends)

    compositor.render_partial_update = exact  # type: ignore[union-attr]
    return True


if ChopsUpdate is not None:

    class ExactUpdate(ChopsUpdate):
        """Writes each span from where it begins."""

        def render_segments(self, console: Console) -> str:
            """The spans as text and escape sequences."""
            written: list[str] = []
            for y, x1, x2 in self.spans:
                for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                    if strip is not None and x < x2 and end > x1:
                        start = max(x, x1)
                        written.append(Control.move_to(start, y).segment.text)
                        written.append(strip.crop(start - x, min(end, x2) - x).render(console))
            return "".join(written)
