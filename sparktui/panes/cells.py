"""Text measured in terminal cells: made harmless, cut, padded and wrapped; and bars and sparks of one width."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from operator import itemgetter
from typing import Literal

from textual.content import Content, Span

from sparktui.panes.glyphs import Glyphs
from sparktui.store import Point

Piece = tuple[str, str]
"""Text and its style ("" for none)."""

MOST_CHARACTERS = 4096
DROPPED = {"Cf", "Mn", "Me", "Cs"}
BLANKED = {"Cc", "Zl", "Zp", "Zs"}
UNKNOWN = {"Co", "Cn"}
RIGHT_TO_LEFT = {"R", "AL", "AN"}


@lru_cache(maxsize=4096)
def character_cells(character: str) -> int:
    """Cells that one character takes: 0, 1 or 2."""
    return Content(character, strip_control_codes=False).cell_length


@lru_cache(maxsize=8192)
def clean(text: str, ascii_only: bool = False) -> str:
    """Text that can only be seen: no control, direction, joining or combining characters, at most 4096 characters.

    What is left is as wide as the sum of its characters. Right-to-left letters become question marks, because terminals
    that reorder them would reorder the figures beside them too; with `ascii_only` so does all that is not ASCII.
    """
    if text.isascii() and text.isprintable():
        return text[:MOST_CHARACTERS]
    kept = []
    for character in unicodedata.normalize("NFC", text[:MOST_CHARACTERS]):
        category = unicodedata.category(character)
        cells = character_cells(character)
        if category in BLANKED:
            kept.append(" ")
        elif category in DROPPED or cells == 0:
            continue
        elif category in UNKNOWN or unicodedata.bidirectional(character) in RIGHT_TO_LEFT:
            kept.append("?" * cells)
        else:
            kept.append("?" * cells if ascii_only and not character.isascii() else character)
    return "".join(kept)


@lru_cache(maxsize=8192)
def width(text: str) -> int:
    """Cells of cleaned text."""
    return len(text) if text.isascii() else sum(map(character_cells, text))


def trim(text: str, cells: int, ellipsis: str = "") -> str:
    """Cleaned text cut to at most `cells`, with `ellipsis` in its last cells where something was cut."""
    text = clean(text)
    if width(text) <= cells:
        return text
    room = cells - width(ellipsis)
    if room < 0:
        ellipsis, room = "", cells
    taken = 0
    for index, character in enumerate(text):
        taken += character_cells(character)
        if taken > room:
            return text[:index] + ellipsis
    return text


def pad(text: str, cells: int, align: Literal["left", "right"] = "left", ellipsis: str = "") -> str:
    """Cleaned text in exactly `cells`."""
    text = trim(text, cells, ellipsis)
    blank = " " * (cells - width(text))
    return blank + text if align == "right" else text + blank


def wrap(text: str, cells: int, most: int, ellipsis: str) -> list[str]:
    """Cleaned text in at most `most` lines of at most `cells`, broken between words; an ellipsis where it was cut."""
    lines: list[str] = []
    current = ""
    for word in clean(text).split():
        longer = f"{current} {word}" if current else word
        if width(longer) <= cells:
            current = longer
            continue
        if current:
            lines.append(current)
        if len(lines) >= most:
            lines[-1] = trim(f"{lines[-1]} {word}", cells, ellipsis)
            return lines
        current = trim(word, cells, ellipsis)
    if current:
        lines.append(current)
    if len(lines) > most:
        lines[most - 1 :] = [trim(" ".join(lines[most - 1 :]), cells, ellipsis)]
    return lines


def content(pieces: Iterable[Piece], cells: int, ascii_only: bool = False) -> Content:
    """One line of at most `cells`; every piece is cleaned once more, so that nothing slips through."""
    text: list[str] = []
    spans: list[Span] = []
    at = used = 0
    for raw, style in pieces:
        piece = clean(raw, ascii_only)
        room = cells - used
        taken = width(piece)
        if taken > room:
            piece = trim(piece, room)
            taken = width(piece)
        if piece:
            text.append(piece)
            if style:
                spans.append(Span(at, at + len(piece), style))
            at += len(piece)
            used += taken
    return Content("".join(text), spans, strip_control_codes=False)


def bar(fraction: float | None, cells: int, glyphs: Glyphs) -> tuple[str, str]:
    """The filled and the empty part of a bar, together `cells` wide; a fraction above nothing fills at least one."""
    if fraction is None or not isfinite(fraction) or fraction <= 0:
        return "", glyphs.track * cells
    filled = min(cells, max(1, round(min(1.0, fraction) * cells)))
    return glyphs.filled * filled, glyphs.track * (cells - filled)


def level(value: float | None, lo: float, hi: float, levels: int) -> int:
    """0 for a gap, else 1 (at or below `lo`) to `levels` (at or above `hi`)."""
    if value is None or not isfinite(value):
        return 0
    share = (value - lo) / (hi - lo) if hi > lo else 0.0
    return 1 + round(min(1.0, max(0.0, share)) * (levels - 1))


def spark(values: Sequence[float | None], lo: float, hi: float, cells: int, glyphs: Glyphs) -> str:
    """The newest `cells` values as a row of bars within the fixed range `lo`..`hi`; a blank is a gap, never a value.

    The highest bar leaves the top of its cell free, so that two rows above each other stay two.
    """
    levels = len(glyphs.bars) - 2
    shown = values[-cells:] if cells > 0 else []
    return "".join(glyphs.bars[level(value, lo, hi, levels)] for value in shown).rjust(cells)


def chart(values: Sequence[float | None], lo: float, hi: float, rows: int, glyphs: Glyphs) -> list[str]:
    """One column per value, `rows` lines from the top, within the fixed range; a blank column is a gap."""
    levels = len(glyphs.bars) - 1
    heights = [level(value, lo, hi, levels * rows) for value in values]
    return [
        "".join(glyphs.bars[min(levels, max(0, height - row * levels))] for height in heights)
        for row in reversed(range(rows))
    ]


def outlined(rows: Sequence[str], index: int, glyphs: Glyphs) -> list[Piece]:
    """One line of a chart: the top of each column as it is, what is below it as the lightest shade."""
    above = rows[index - 1] if index else " " * len(rows[index])
    pieces: list[Piece] = []
    for mark, over in zip(rows[index], above, strict=True):
        mark, style = (mark, "$accent") if over == " " else (glyphs.shades[1], "$idle")
        if pieces and pieces[-1][1] == style:
            pieces[-1] = (pieces[-1][0] + mark, style)
        else:
            pieces.append((mark, style))
    return pieces


def buckets(points: Sequence[Point], now: float, seconds: float, cells: int) -> list[float | None]:
    """Means of the last `seconds` in `cells` equal steps, oldest first; None where nothing was known.

    The steps lie on multiples of their own length, so a picture of them moves on by whole cells and never reshuffles.
    """
    if cells <= 0:
        return []
    step = seconds / cells
    oldest = int(now // step) - cells + 1
    # Ten minutes of a rack are ten thousand points at every drawing: what can be is left to sum and slices.
    known = list(points)
    edges = [bisect_left(known, (oldest + index) * step, key=itemgetter(0)) for index in range(cells + 1)]
    means: list[float | None] = []
    for start, end in pairwise(edges):
        values = [value for _, value in known[start:end] if value is not None]
        means.append(sum(values) / len(values) if values else None)
    return means
