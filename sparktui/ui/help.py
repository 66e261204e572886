"""The help: every key of this pane, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from textual.content import Content

from sparktui.panes.base import Drawing, Pane
from sparktui.ui.keys import Command, label

GAP = 3
"""Blanks between two columns."""


def help_drawing(commands: Sequence[Command], pane: Pane, width: int) -> Drawing:
    """The keys by group, in as many columns as fit, and below them what there is to know of the pane."""
    room = max(width - 2, 1)
    useful = [command for command in commands if pane.sorts or command.id != "app.sort"]
    blocks = [block(group, [command for command in useful if command.group == group]) for group in groups(useful)]
    widest = max(line.cell_length for block in blocks for line in block)
    count = max(min(room // (widest + GAP), len(blocks)), 1)
    lines = [Content.assemble((f" {pane.title}", "$title"), ("  help", "$idle"))]
    lines += beside(balanced(blocks, count), room // count, width)
    for paragraph in pane.help.strip().split("\n\n"):
        lines += [Content(""), *prose(wrap(paragraph, room))]
    return Drawing(lines)


def prose(lines: Sequence[str]) -> list[Content]:
    return [Content(f" {line}") for line in lines]


def groups(commands: Sequence[Command]) -> list[str]:
    return list(dict.fromkeys(command.group for command in commands))


def block(group: str, commands: Sequence[Command]) -> list[Content]:
    """A heading and a line per command, the keys in a column of their own."""
    labels = [label(command, every=True) for command in commands]
    widest = max(len(text) for text in labels)
    lines = [Content.styled(group, "$title")]
    for command, keys in zip(commands, labels, strict=True):
        lines.append(Content.assemble((keys.ljust(widest), "bold $accent"), f"  {command.description}"))
    return lines


def balanced(blocks: Sequence[list[Content]], count: int) -> list[list[Content]]:
    """The blocks in `count` columns: each goes, in order, to the column that is shortest then."""
    columns: list[list[Content]] = [[] for _ in range(count)]
    for one in blocks:
        column = min(columns, key=len)
        if column:
            column.append(Content(""))
        column += one
    return columns


def beside(columns: Sequence[list[Content]], each: int, width: int) -> list[Content]:
    """Columns side by side, each `each` cells wide, as lines of at most `width` cells."""
    lines: list[Content] = []
    for y in range(max(len(column) for column in columns)):
        line = Content(" ")
        for column in columns:
            cell = column[y] if y < len(column) else Content("")
            line += cell.truncate(each, pad=True)
        lines.append(line.truncate(width))
    return lines
