"""The glyphs of the screens, and their ASCII stand-ins for terminals and fonts without them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Every glyph a pane uses. A state is always glyph and word; these carry no meaning by colour."""

    live: str
    stale: str
    down: str
    connecting: str
    fail: str
    warn: str
    info: str
    cable: str
    bars: str
    """From empty to full, for sparks: nine characters, the first a blank."""
    shades: str
    """From nothing to most, for the heat map: five characters, the first a blank."""
    full: str
    empty: str
    """Of the heat map too, for nothing at all: it must differ from every shade."""
    rule: str
    ellipsis: str
    up: str
    down_arrow: str
    selected: str
    right: str = ">"
    left: str = "<"
    filled: str = "="
    """Of a level bar; `track` is the rest of it."""
    track: str = "-"


UNICODE = Glyphs(
    live="●",
    stale="◌",
    down="✗",
    connecting="…",
    fail="✗",
    warn="!",
    info="·",
    cable="↔",
    bars=" ▁▂▃▄▅▆▇█",
    shades=" ░▒▓█",
    full="▇",
    empty="·",
    rule="─",
    ellipsis="…",
    up="↑",
    down_arrow="↓",
    selected="▸",
    right="→",
    left="←",
    filled="━",
    track="─",
)

ASCII = Glyphs(
    live="*",
    stale="~",
    down="x",
    connecting=".",
    fail="x",
    warn="!",
    info="-",
    cable="<>",
    bars=" ._-=+*%#",
    shades=" .:*#",
    full="#",
    empty="-",
    rule="-",
    ellipsis="~",
    up="^",
    down_arrow="v",
    selected=">",
)
