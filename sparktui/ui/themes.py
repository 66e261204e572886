"""Themes: TOML files beside the package and in the user's config folder, checked, and the styles that panes may use."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import platformdirs
from textual.color import Color, ColorParseError
from textual.style import Style
from textual.theme import BUILTIN_THEMES, Theme

DEFAULT = "spark-dark"
PLAIN = "terminal"
"""The theme for terminals with 16 colours and for NO_COLOR: it takes the terminal's own colours and says the rest by
attributes."""

MEANINGS = {
    "ok": "success",
    "warn": "warning",
    "fail": "error",
    "idle": "foreground",
    "accent": "accent",
    "title": "foreground",
    "mgmt": "secondary",
    "fabric": "primary",
    "row": "panel",
}
"""What a colour says -> the theme's own colour that stands in where a theme has no variable of that name.

ok, warn, fail: a state. idle: old, absent or of no weight now. accent: the keys, what can be pressed. title: headings
and names. mgmt, fabric: the two networks. row: behind the selected row. Panes write them as "$ok" and use, beside them,
only "bold", "dim" and "reverse"."""

ATTRIBUTES: Mapping[str, Style] = {"fail": Style(bold=True), "title": Style(bold=True)}
PLAIN_ATTRIBUTES: Mapping[str, Style] = {
    **ATTRIBUTES,
    "idle": Style(dim=True),
    "warn": Style(bold=True),
    "accent": Style(bold=True),
    "row": Style(bold=True),
}
"""What is added where colours are the terminal's own or none: without them old values would look like new ones."""

FLAGS = ("dark", "ansi")
NUMBERS = ("luminosity_spread", "text_alpha")
COLOURS = tuple(
    field.name for field in fields(Theme) if field.name not in ("name", "variables", "boost", *FLAGS, *NUMBERS)
)


class ThemeError(ValueError):
    """A theme file that cannot be used; the text names the file and the key."""


def load(user_folder: Path | None = None) -> tuple[dict[str, Theme], list[str]]:
    """Themes by name, ours first and the user's after them, and a readable line for each file that is no theme.

    A user's theme named like one of ours takes its place. `user_folder` defaults to themes/ in the config folder.
    """
    folder = user_folder or platformdirs.user_config_path("sparktui") / "themes"
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for entry in [*theme_files(shipped()), *theme_files(folder)]:
        try:
            theme = parse(entry.name, entry.read_text("utf-8"))
        except (ThemeError, OSError, UnicodeDecodeError) as error:
            problems.append(str(error) if isinstance(error, ThemeError) else f"{entry.name}: {error}")
        else:
            themes[theme.name] = theme
    return dict(sorted(themes.items(), key=lambda item: item[0] != DEFAULT)), problems


def shipped() -> Traversable:
    """The folder of our themes: inside the installed package, or beside it in a source tree."""
    packaged = files("sparktui") / "themes"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "themes"


def theme_files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    return sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)


def parse(filename: str, text: str) -> Theme:
    """The theme that a TOML file holds; its name is the file's. Raises ThemeError naming the file and the key."""
    name = filename.removesuffix(".toml")
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ThemeError(f"{filename}: a theme's file name has letters, digits, - and _ only")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{filename}: {error}") from None
    known(filename, "", table, (*COLOURS, *FLAGS, *NUMBERS, "variables"))
    variables = table.pop("variables", {})
    if not isinstance(variables, dict):
        raise ThemeError(f"{filename}: variables is not a table")
    known(filename, "variables.", variables, MEANINGS)
    for key, value in [*table.items(), *((f"variables.{key}", value) for key, value in variables.items())]:
        check(filename, key, value)
    if "primary" not in table:
        raise ThemeError(f"{filename}: primary is missing")
    return Theme(name=name, variables=variables, **table)


def known(filename: str, prefix: str, table: Mapping[str, object], names: Iterable[str]) -> None:
    for key in table:
        if key not in (allowed := list(names)):
            close = get_close_matches(key, allowed, 1)
            hint = f", did you mean {close[0]}?" if close else ""
            raise ThemeError(f"{filename}: {prefix}{key}: no such key{hint}")


def check(filename: str, key: str, value: object) -> None:
    """Raise ThemeError unless the value is what the key takes."""
    if key in FLAGS:
        if not isinstance(value, bool):
            raise ThemeError(f"{filename}: {key}: {value!r} is neither true nor false")
    elif key in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ThemeError(f"{filename}: {key}: {value!r} is not a number from 0 to 1")
    else:
        try:
            Color.parse(value if isinstance(value, str) else "")
        except ColorParseError:
            raise ThemeError(f"{filename}: {key}: {value!r} is not a colour") from None


def meanings(theme: Theme) -> dict[str, str]:
    """A colour for every meaning, also in a theme that was not made for us."""
    resolved = theme.to_color_system().generate()
    return {name: theme.variables.get(name) or resolved[stand_in] for name, stand_in in MEANINGS.items()}


def defaults(theme: Theme) -> dict[str, str]:
    """Variables for Textual's style sheets that a theme need not define, but that must not be missing."""
    terminal = {**BUILTIN_THEMES["ansi-dark"].variables, "ansi-background": "ansi_default"} if theme.ansi else {}
    return {**terminal, **meanings(theme)}


class Palette:
    """The styles of one theme by the names that panes use, resolved once.

    `plain` where colours are the terminal's own or none. Elsewhere "dim" is the colour of what is idle: one blended
    towards the background, which terminals make of the attribute, would be too faint to read.
    """

    def __init__(self, theme: Theme, plain: bool) -> None:
        colours = {name: Color.parse(colour) for name, colour in meanings(theme).items()}
        attributes = PLAIN_ATTRIBUTES if plain else ATTRIBUTES
        self._known = {
            f"${name}": Style(foreground=colour) + attributes.get(name, Style()) for name, colour in colours.items()
        }
        if plain:
            self._known["$row"] = attributes["row"]
        else:
            self._known["$row"] = Style(background=colours["row"])
            self._known["dim"] = Style(foreground=colours["idle"])

    def __call__(self, name: str | Style) -> Style:
        """The style for a name: "$ok", "bold $fail", whatever Textual understands. An unknown one is plain text."""
        if isinstance(name, Style):
            return name
        style = self._known.get(name)
        if style is None:
            style = Style()
            for word in name.split():
                style += self._known.get(word) or parsed(word)
            self._known[name] = style
        return style


def parsed(word: str) -> Style:
    try:
        return Style.parse(word)
    except Exception:  # Textual raises several kinds; a pane's misspelt style must not take the line with it
        return Style()
