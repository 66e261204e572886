"""The bottom lines: the job that runs, and the keys of this pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from sparktui.panes.base import Pane
from sparktui.panes.glyphs import Glyphs
from sparktui.ui.fit import Part, fit
from sparktui.ui.keys import PANES, Command, label

RANKS = {"app.help": 2, "app.back": 2, "app.quit": 4, "app.filter": 6, "app.pause": 7, "app.detail": 8}
"""Which keys are named where not all of them fit; the others rank last."""


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
    right = [Part(3, (Content.styled("  ".join(more), "$accent"),))] if more else []
    return fit([*panes, *hints], right, width, gap=1)


def chip(command: Command, view: View) -> Part:
    """A pane with its key; the visible one is set off by more than a colour."""
    key = label(command)
    if command.id == f"pane.{view.pane.id}":
        return Part(1, (Content.styled(f" {key} {command.hint} ", "reverse bold $accent"),))
    short = Content.styled(f" {key} ", "bold $accent")
    return Part(5, (short + Content.styled(f"{command.hint} ", "$idle"), short))


def key_hint(command: Command, view: View) -> Part | None:
    """A key with the word for what it does now, or None where it does nothing.

    What changes the picture until it is taken back (a filter, an order) is said in every width there is room for.
    """
    words: tuple[str, ...] = (command.hint,)
    rank = RANKS.get(command.id, 9)
    match command.id:
        case "app.back":
            words = ("back" if view.helping or view.detail else ("clear filter" if view.filter else ""),)
        case "app.detail" if view.detail or view.helping or not view.selectable:
            return None
        case "app.sort" if not view.pane.sorts:
            return None
        case "app.sort" if view.sort:
            words, rank = (f"sort: {view.sort}", view.sort), 3
        case "app.filter" if view.filter:
            words, rank = (f"filter: {view.filter}", "filtered"), 1
        case "app.mark" if view.mark is not None:
            words, rank = (f"since {view.mark}", view.mark), 4
        case "app.pause" if view.paused:
            words, rank = ("go on",), 4
    if not words[0]:
        return None
    style = "$idle" if len(words) == 1 else ""
    key = Content.styled(f" {label(command)}", "bold $accent")
    return Part(rank, tuple(key + Content.styled(f" {word}", style) for word in words))
