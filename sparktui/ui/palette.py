"""What the command palette offers: every pane, command and theme."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial

from textual.app import SystemCommand

from sparktui.ui.keys import PANES, ROW, Command, label


def offered(
    commands: Iterable[Command],
    themes: Iterable[str],
    run: Callable[[str], Awaitable[object]],
    take_theme: Callable[[str], None],
) -> Iterator[SystemCommand]:
    """Entries for the palette. `run` runs an action; moving about is not listed, only found by its name."""
    for command in commands:
        word = label(command) if command.group == PANES else f"{command.id.partition('.')[2]}:"
        title = f"{word} {command.description}"
        yield SystemCommand(title, f"key {label(command)}", partial(run, command.action), command.group != ROW)
    for name in themes:
        yield SystemCommand(f"theme: {name}", "colours", partial(take_theme, name))
