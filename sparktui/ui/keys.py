"""Every command: its id, its keys, what it does. Footer, help, palette and bindings are made from these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from textual.binding import Binding, BindingType
from textual.keys import Keys, key_to_character

from sparktui.panes.base import Pane


@dataclass(frozen=True, slots=True)
class Command:
    """`keys` may be remapped by [keys] in the config; `always` are further keys that nobody can lose.

    `hint` is the word in the footer ("" = not shown there). `group` is the heading in the help.
    """

    id: str
    keys: tuple[str, ...]
    action: str
    description: str
    group: str
    hint: str = ""
    always: tuple[str, ...] = ()


PANES, ROW, PICTURE, PROGRAM = "panes", "rows", "picture", "program"

COMMANDS = (
    Command("select.next", ("j", "down"), "select(1)", "next row", ROW),
    Command("select.previous", ("k", "up"), "select(-1)", "row before", ROW),
    Command("select.forward", ("tab",), "cycle(1)", "next, in detail too", ROW),
    Command("select.backward", ("shift+tab",), "cycle(-1)", "before, in detail too", ROW),
    Command("app.detail", ("enter",), "detail", "all about this row", ROW, hint="detail"),
    Command("app.back", ("escape",), "step_back", "back, unfilter, unmark", ROW),
    Command("scroll.down", ("pagedown",), "page(1)", "a page down", ROW),
    Command("scroll.up", ("pageup",), "page(-1)", "a page up", ROW),
    Command("scroll.top", ("home",), "edge(-1)", "to the top", ROW),
    Command("scroll.bottom", ("end",), "edge(1)", "to the bottom", ROW),
    Command("app.filter", ("/",), "filter", "only rows with a text", PICTURE, hint="filter"),
    Command("app.sort", ("s",), "sort", "next sort column", PICTURE, hint="sort"),
    Command("app.mark", ("m",), "mark", "count from now on", PICTURE, hint="mark"),
    Command("app.pause", ("space",), "pause", "freeze; polling goes on", PICTURE, hint="pause"),
    Command("app.slower", ("+", "="), "interval(1)", "sample less often", PICTURE),
    Command("app.faster", ("-",), "interval(-1)", "sample more often", PICTURE),
    Command("app.help", ("?",), "help", "this help", PROGRAM, hint="help"),
    Command("app.palette", (":",), "command_palette", "commands by name", PROGRAM, always=("ctrl+p",)),
    Command("app.theme", ("t",), "theme", "next theme", PROGRAM),
    Command("app.suspend", ("ctrl+z",), "suspend_process", "to the shell; fg returns", PROGRAM),
    Command("app.quit", ("q",), "quit", "quit", PROGRAM, hint="quit", always=("ctrl+c",)),
)

NAMED_KEYS = {key.value for key in Keys}
SHORT_NAMES = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "space": "space"}


def commands(panes: Iterable[Pane]) -> list[Command]:
    """One command per pane, then the others, with their default keys."""
    switches = [
        Command(f"pane.{pane.id}", (pane.key,), f"pane({pane.id!r})", pane.title, PANES, hint=pane.title)
        for pane in panes
    ]
    return [*switches, *COMMANDS]


def remap(defaults: Sequence[Command], wanted: Mapping[str, str]) -> tuple[list[Command], list[str]]:
    """The commands with the keys of [keys] in the config, and what was wrong there, one text per mistake.

    `wanted[id]` is a key or several separated by commas ("g", "f5,space"). A wrong entry leaves that command its
    default keys. Two commands never share a key: of two that ask for one, the later entry loses.
    """
    problems: list[str] = []
    keys_of = {command.id: command.keys for command in defaults}
    asked: dict[str, tuple[str, ...]] = {}
    for command_id, text in wanted.items():
        if command_id not in keys_of:
            close = get_close_matches(command_id, keys_of, 1)
            problems.append(f"keys.{command_id}: no such command" + (f", did you mean {close[0]}?" if close else ""))
            continue
        keys = tuple(key for key in (key.strip() for key in text.split(",")) if key)
        unknown = [key for key in keys if not is_key(key)]
        if unknown or not keys:
            problems.append(f"keys.{command_id}: {unknown[0] if unknown else text!r} is not the name of a key")
        else:
            asked[command_id] = keys
    while clash := first_clash(defaults, asked):
        loser, key, owner = clash
        del asked[loser]
        problems.append(f"keys.{loser}: {key} is taken by {owner}")
    return [replace(command, keys=asked.get(command.id, command.keys)) for command in defaults], problems


def first_clash(defaults: Sequence[Command], asked: Mapping[str, tuple[str, ...]]) -> tuple[str, str, str] | None:
    """(id whose wish cannot be granted, the key, id of the command that has it), or None where all is well."""
    taken: dict[str, str] = {}
    for command in defaults:
        own = () if command.id in asked else command.keys
        for key in (*own, *command.always):
            taken[normal(key)] = command.id
    for command_id, keys in asked.items():
        for key in keys:
            owner = taken.setdefault(normal(key), command_id)
            if owner != command_id:
                return command_id, key, owner
    return None


def is_key(key: str) -> bool:
    name = key.rpartition("+")[2] or key
    return name in NAMED_KEYS or key in NAMED_KEYS or key_to_character(name) is not None


def normal(key: str) -> str:
    """The name by which Textual knows a key: "?" is "question_mark"."""
    return next(iter(Binding.make_bindings([Binding(key, "")]))).key


def bindings(known: Iterable[Command]) -> list[BindingType]:
    """Textual's bindings for the keys that may be remapped."""
    return [
        Binding(",".join(command.keys), f"app.{command.action}", command.description, show=False, id=command.id)
        for command in known
    ]


def always_bindings() -> list[BindingType]:
    """Textual's bindings for the keys that nobody can lose; they work while text is being typed, too."""
    return [
        Binding(
            ",".join(command.always),
            command.action,
            command.description,
            show=False,
            priority=True,
            id=f"{command.id}.always",
        )
        for command in COMMANDS
        if command.always
    ]


def label(command: Command, every: bool = False) -> str:
    """How the command's key is written for people: the first one, or every one."""
    keys = (*command.keys, *command.always) if every else command.keys[:1]
    return " ".join(written(key) for key in keys)


def written(key: str) -> str:
    character = key_to_character(key)
    return SHORT_NAMES.get(key) or (character if character and character.isprintable() else key)
