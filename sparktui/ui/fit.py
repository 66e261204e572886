"""Lays parts out on one line: what matters least gives way first, and nothing is ever cut in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content


@dataclass(frozen=True, slots=True)
class Part:
    """`forms` from the fullest to the shortest. The highest `rank` gives way first, its parts in turn.

    `last` is the rank of the shortest form where that stays longer than the fuller ones.
    """

    rank: int
    forms: tuple[Content, ...]
    last: int | None = None

    def rank_of(self, form: int) -> int:
        return self.rank if self.last is None or form < len(self.forms) - 1 else self.last


def fit(left: Sequence[Part], right: Sequence[Part], width: int, gap: int = 2) -> Content:
    """One line of at most `width` cells: a blank at either end, `gap` between parts, `right` at the right end."""
    parts = [*left, *right]
    shown = [0] * len(parts)
    room = max(width - 2, 0)
    while needed(parts, shown, gap) > room:
        standing = [index for index, part in enumerate(parts) if shown[index] < len(part.forms)]
        if not standing:
            break
        shown[max(standing, key=lambda index: (parts[index].rank_of(shown[index]), -shown[index], index))] += 1
    texts = [part.forms[form] if form < len(part.forms) else None for part, form in zip(parts, shown, strict=True)]
    start = spaced(texts[: len(left)], gap)
    end = spaced(texts[len(left) :], gap)
    blank = max(room - start.cell_length - end.cell_length, 0)
    return Content(" ") + start + Content(" " * blank) + end if width > 0 else Content("")


def needed(parts: Sequence[Part], shown: Sequence[int], gap: int) -> int:
    """Cells of all parts in their present forms with a gap between each two."""
    widths = [part.forms[form].cell_length for part, form in zip(parts, shown, strict=True) if form < len(part.forms)]
    return sum(widths) + gap * max(len(widths) - 1, 0)


def spaced(texts: Sequence[Content | None], gap: int) -> Content:
    return Content(" " * gap).join([text for text in texts if text is not None])
