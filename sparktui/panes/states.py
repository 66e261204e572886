"""States and severities as glyph, word and attribute: readable without any colour."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.contract import Node, Severity, Switch
from sparktui.panes.cells import Piece, width
from sparktui.panes.figures import NA, age
from sparktui.panes.glyphs import Glyphs

TITLE = "bold $title"
"""Style of a section's heading."""

WORDS = {
    "live": "live",
    "stale": "stale",
    "connecting": "connecting",
    "unreachable": "unreachable",
    "auth_failed": "auth failed",
    "host_key_unknown": "host key unknown",
    "host_key_changed": "host key changed",
    "no_python": "no python",
    "probe_failed": "probe failed",
}
STYLES = {"live": "$ok", "stale": "$warn", "connecting": "$idle"}
SEVERITY_STYLES: dict[Severity, str] = {"fail": "bold $fail", "warn": "bold $warn", "info": "$idle"}


def glyph_of(state: str, glyphs: Glyphs) -> str:
    return {"live": glyphs.live, "stale": glyphs.stale, "connecting": glyphs.connecting}.get(state, glyphs.down)


def state_style(state: str) -> str:
    return STYLES.get(state, "bold $fail")


NOT_YET = "-"
WAITING = "waiting for the first samples"

AGE_CELLS = 5
"""Blank and digits of an age as a state says it, "59 s" or "23 h": what the room for a state counts on."""


def state_cells(view: Node | Switch, glyphs: Glyphs) -> int:
    """Cells that a state may take, whatever its age is now: a row must not change its columns as the age grows."""
    text = f"{glyph_of(view.state, glyphs)} {WORDS.get(view.state, view.state)}"
    aging = view.state not in ("live", "connecting") and view.age_s is not None
    return max(width(text) + AGE_CELLS * aging, sum(width(one) for one, _ in state_pieces(view, glyphs)))


def state_pieces(view: Node | Switch, glyphs: Glyphs) -> list[Piece]:
    """ "● live", "◌ stale 14 s": what is not live says how old its last sample is."""
    style = state_style(view.state)
    text = f"{glyph_of(view.state, glyphs)} {WORDS.get(view.state, view.state)}"
    if view.state not in ("live", "connecting") and view.age_s is not None:
        text += f" {age(view.age_s).strip()}"
    return [(text, style)]


def severity_glyph(severity: Severity, glyphs: Glyphs) -> str:
    return {"fail": glyphs.fail, "warn": glyphs.warn, "info": glyphs.info}[severity]


def aged(pieces: Sequence[Piece], old: bool) -> list[Piece]:
    """Old values lose their colour and are dimmed; headings stay."""
    return [(text, style if style == TITLE else "dim") for text, style in pieces] if old else list(pieces)


def figure(text: str, style: str = "") -> Piece:
    """A figure; what the hardware does not have is dimmed."""
    return text, "dim" if text.strip() == NA else style


def not_yet(pieces: Sequence[Piece], known: bool) -> list[Piece]:
    """A row's pieces; what is missing reads "-" while its figures are not `known` yet: it may well be there."""
    if known:
        return list(pieces)
    return [
        (text.replace(NA, f"{NOT_YET:<3}" if text[-1] == " " else f"{NOT_YET:>3}"), style)
        if text.strip() == NA
        else (text, style)
        for text, style in pieces
    ]


def alarm(text: str, value: float | None, mark: str, style: str = "bold $warn") -> list[Piece]:
    """A figure that should be 0: above it, it carries a mark and an attribute."""
    return [(text, style), (mark, style)] if value else [figure(text, "dim"), (" " * len(mark), "")]
