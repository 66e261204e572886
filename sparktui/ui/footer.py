"""The bottom lines: the job that runs, and the keys of this pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from sparktui.panes.base import Pane
from sparktui.panes.glyphs import Glyphs
from sparktui.ui.fit import Part, fit
from sparktui.ui.keys import PANES, Command, label

TITLES, STATES, WORDS, HIDDEN, STATE, BACK, ALWAYS = 12, 11, 9, 5, 4, 2, 1
"""What gives way, in this order: other panes' titles, words of what is set, keys without a rank below, words of the
other keys, those keys, lines out of view, what is set, the way back; last of all the panes, help and quit."""

KEYS = {"app.detail": 8, "app.pause": 7, "app.filter": 6}
"""Keys that stay without their words where these do not fit, and when they go too."""

UNRANKED = 10

UNMARK = "unmark"


@dataclass(frozen=True, slots=True)
class View:
    """What the pane is showing, as far as its keys depend on it. `hidden` = lines out of view (above, below)."""

    pane: Pane
    detail: bool = False
    helping: bool = False
    paused: bool = False
    selectable: bool = False
    filter: str = ""
    sort: str = ""
    mark: str | None = None
    hidden: tuple[int, int] = (0, 0)


def footer(commands: Sequence[Command], view: View, width: int, glyphs: Glyphs) -> Content:
    """The line of keys, at most `width` cells."""
    panes = [chip(command, view) for command in commands if command.group == PANES]
    hints = [hint for command in commands if command.group != PANES and (hint := key_hint(command, view))]
    above, below = view.hidden
    more = [f"{glyphs.up} {above}"] * bool(above) + [f"{glyphs.down_arrow} {below} more"] * bool(below)
    right = [Part(HIDDEN, (Content.styled("  ".join(more), "$accent"),))] if more else []
    return fit([*panes, *hints], right, width, gap=1)


def chip(command: Command, view: View) -> Part:
    """A pane with its key; the visible one is set off by more than a colour."""
    key = label(command)
    if command.id == f"pane.{view.pane.id}":
        style = "reverse bold $accent"
        return Part(BACK, (Content.styled(f" {key} {command.hint} ", style), Content.styled(f" {key} ", style)), ALWAYS)
    short = Content.styled(f" {key} ", "bold $accent")
    return Part(TITLES, (short + Content.styled(f"{command.hint} ", "$idle"), short), ALWAYS)


def key_hint(command: Command, view: View) -> Part | None:
    """A key with the word for what it does now, or None where it does nothing.

    What changes the picture until it is taken back (a filter, an order) stays longer than what could be pressed.
    """
    word = command.hint
    match command.id:
        case "app.detail" if view.detail or view.helping or not view.selectable:
            return None
        case "app.sort" if not view.pane.sorts:
            return None
        case "app.back":
            word = way_back(view)
    if not word:
        return None
    key = Content.styled(f" {label(command)}", "bold $accent")
    if said := state(command.id, view):
        forms = tuple(key + Content(f" {form}") for form in said)
        # A filter stays longest: rows that are not shown must not be taken for rows that are not there.
        return Part(HIDDEN, forms, 0) if command.id == "app.filter" else Part(STATES, forms, STATE)
    full = key + Content.styled(f" {word}", "$idle")
    if command.id in KEYS:
        return Part(WORDS, (full, key), KEYS[command.id])
    back = WORDS if word == UNMARK else BACK
    return Part({"app.help": ALWAYS, "app.quit": ALWAYS, "app.back": back}.get(command.id, UNRANKED), (full,))


def way_back(view: View) -> str:
    """What the key back takes back now."""
    if view.helping or view.detail:
        return "back"
    return "clear filter" if view.filter else UNMARK if view.mark is not None else ""


def state(command_id: str, view: View) -> tuple[str, ...]:
    """What is set by a key until it is taken back, from the fullest to the shortest; nothing where nothing is."""
    match command_id:
        case "app.sort" if view.sort:
            return f"sort: {view.sort}", view.sort
        case "app.filter" if view.filter:
            return f"filter: {view.filter}", "filtered"
        case "app.mark" if view.mark is not None:
            minute = view.mark.rpartition(":")[0] or view.mark
            return f"since {view.mark}", f"since {minute}", minute
        case "app.pause" if view.paused:
            return ("go on",)
    return ()
