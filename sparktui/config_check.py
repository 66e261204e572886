"""The checks behind config.py: types, ranges and references of a TOML file, every mistake with its line and key."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any

import msgspec
from msgspec import inspect

KeyPath = tuple[str | int, ...]
Problem = tuple[KeyPath, str]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
SECRET = re.compile(r"pass|secret|token|api_?key|community$|auth_?key|priv_?key|bearer", re.I)
_SECRETS_ELSEWHERE = (
    "secrets do not belong in this file: name an environment variable (community_env) or a 0600 file (secret_file)"
)


def check(data: dict[str, Any], settings_type: type[msgspec.Struct]) -> list[Problem]:
    """Every mistake in a parsed file; ranges and references are checked on what is left without the wrong types."""
    problems: list[Problem] = []
    _check(data, inspect.type_info(settings_type), (), problems)
    _check_meaning(data, {path for path, _ in problems}, problems)
    return problems


def located(problems: list[Problem], text: str, path: str) -> list[str]:
    """The problems as lines "file:line: key: what is wrong", in the order of the file."""
    lines = key_lines(text)
    ordered = sorted(problems, key=lambda item: (_line_of(lines, item[0]) or 0, str(item[0])))
    return [_located(path, lines, key, problem) for key, problem in ordered]


def _check(value: Any, expected: Any, path: KeyPath, problems: list[Problem]) -> None:
    """Compare a TOML value with a type, and note every difference."""
    if isinstance(expected, inspect.StructType):
        _check_struct(value, expected, path, problems)
    elif isinstance(expected, inspect.UnionType):
        known = [option for option in expected.types if not isinstance(option, inspect.NoneType)]
        if not any(_fits(value, option) for option in known):
            problems.append((path, f"must be {' or '.join(_words(option) for option in known)}, not {_shown(value)}"))
    elif not _fits(value, expected, deep=False):
        problems.append((path, f"must be {_words(expected)}, not {_shown(value)}"))
    elif isinstance(expected, inspect.ListType):
        for index, item in enumerate(value):
            _check(item, expected.item_type, (*path, index), problems)
    elif isinstance(expected, inspect.DictType):
        for key, item in value.items():
            if isinstance(expected.key_type, inspect.LiteralType) and key not in expected.key_type.values:
                problems.append(((*path, key), _unknown(key, [str(one) for one in expected.key_type.values])))
            else:
                _check(item, expected.value_type, (*path, key), problems)


def _check_struct(value: Any, expected: inspect.StructType, path: KeyPath, problems: list[Problem]) -> None:
    if not isinstance(value, dict):
        problems.append((path, f"must be a table, not {_shown(value)}"))
        return
    fields = {info.encode_name: info for info in expected.fields}
    for key, item in value.items():
        if key in fields:
            _check(item, fields[key].type, (*path, key), problems)
        elif path[:1] == ("findings",) and len(path) == 2 and isinstance(item, dict):
            problems.append(((*path, key), f'write the rule in quotes: [findings."{path[1]}.{key}"]'))
        elif SECRET.search(key):
            problems.append(((*path, key), _SECRETS_ELSEWHERE))
        else:
            problems.append(((*path, key), _unknown(key, list(fields))))
    problems.extend((path, f"'{key}' is missing") for key, info in fields.items() if info.required and key not in value)


def _fits(value: Any, expected: Any, deep: bool = True) -> bool:
    match expected:
        case inspect.AnyType():
            return True
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return isinstance(value, int) and not isinstance(value, bool)
        case inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        case inspect.StrType():
            return isinstance(value, str)
        case inspect.LiteralType():
            return value in expected.values
        case inspect.ListType():
            return isinstance(value, list) and (not deep or all(_fits(item, expected.item_type) for item in value))
        case inspect.DictType():
            return isinstance(value, dict)
    return False


def _words(expected: Any) -> str:
    match expected:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return "a whole number"
        case inspect.FloatType():
            return "a number"
        case inspect.StrType():
            return "a text"
        case inspect.LiteralType():
            return "one of " + ", ".join(f'"{value}"' for value in expected.values)
        case inspect.ListType():
            return "a list"
    return "a table"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _unknown(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    return "unknown key" + (f": did you mean '{close[0]}'?" if close else f" (known: {', '.join(sorted(known))})")


class _Good:
    """Looks values up in the raw data, as None where they are absent or were found wrong already."""

    def __init__(self, data: Any, wrong: set[KeyPath]) -> None:
        self.data, self.wrong = data, wrong

    def __call__(self, *path: str | int) -> Any:
        value = self.data
        for depth, key in enumerate(path, 1):
            if path[:depth] in self.wrong:
                return None
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def _check_meaning(data: dict[str, Any], wrong: set[KeyPath], problems: list[Problem]) -> None:
    """What types cannot say: ranges, names that must be unique or exist, parts that need each other."""
    good = _Good(data, wrong)
    nodes = good("nodes") or []
    names = [name for index in range(len(nodes)) if (name := good("nodes", index, "name")) is not None]
    for index in range(len(nodes)):
        _check_node(good, index, problems)
    for name in good("switches") or {}:
        _check_switch(good, name, names, problems)
    for name in good("rack", "order") or []:
        if isinstance(name, str) and name not in names:
            problems.append((("rack", "order"), _unknown_node(name, names)))
    _check_range(good, ("sampling", "fast_s"), 0.5, 60, problems)
    _check_range(good, ("sampling", "slow_s"), 5, 3600, problems)


def _check_node(good: _Good, index: int, problems: list[Problem]) -> None:
    at: KeyPath = ("nodes", index)
    name, host = good(*at, "name"), good(*at, "host")
    if name is not None and not NAME.fullmatch(name):
        problems.append(((*at, "name"), f"{_shown(name)} is not a name (letters, digits, . _ -, 63 at most)"))
    if name is not None and any(good("nodes", before, "name") == name for before in range(index)):
        problems.append(((*at, "name"), f"'{name}' is used twice"))
    if host is not None and (host.startswith("-") or any(char.isspace() or ord(char) < 32 for char in host)):
        problems.append(((*at, "host"), f"{_shown(host)} is not a host"))
    _check_range(good, (*at, "port"), 1, 65535, problems)
    _check_range(good, (*at, "gpu_clock_cap_mhz"), 100, 10000, problems)


def _check_switch(good: _Good, name: str, names: list[str], problems: list[Problem]) -> None:
    at: KeyPath = ("switches", name)
    switch = good(*at)
    if not isinstance(switch, dict):
        return
    if name in names:
        problems.append((at, f"'{name}' is also the name of a node"))
    _check_range(good, (*at, "port"), 1, 65535, problems)
    _check_range(good, (*at, "poll_s"), 1, 3600, problems)
    if good(*at, "version") == "3" and not switch.get("user"):
        problems.append((at, "version 3 needs 'user'"))
    if not switch.get("community_env") and not switch.get("secret_file") and "community" not in switch:
        problems.append((at, "needs 'community_env' (an environment variable) or 'secret_file' (a 0600 file)"))
    for port, owner in (good(*at, "ports") or {}).items():
        if isinstance(owner, str) and owner.split(":")[0] not in names:
            problems.append(((*at, "ports", port), _unknown_node(owner.split(":")[0], names)))


def _unknown_node(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f"no node is called '{name}'" + (f": did you mean '{close[0]}'?" if close else "")


def _check_range(good: _Good, path: KeyPath, low: float, high: float, problems: list[Problem]) -> None:
    value = good(*path)
    if value is not None and not low <= value <= high:
        problems.append((path, f"{value:g} is not between {low:g} and {high:g}"))


_TABLE = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<keys>[^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*(?P<keys>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Line number (from 1) of every table and key of a TOML text that starts a line, for messages only."""
    lines: dict[KeyPath, int] = {}
    arrays: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = _resolved(_parts(match["keys"]), arrays, last=match["open"] == "[[")
            lines.setdefault(table, number)
        elif match := _KEY.match(line):
            lines.setdefault((*table, *_parts(match["keys"])), number)
    return lines


def _parts(keys: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(keys))


def _resolved(keys: KeyPath, arrays: dict[KeyPath, int], last: bool) -> KeyPath:
    """A table header as a path with the indices of the [[arrays]] on its way."""
    path: KeyPath = ()
    for position, key in enumerate(keys):
        path = (*path, key)
        if last and position == len(keys) - 1:
            arrays[path] = arrays.get(path, -1) + 1
        if path in arrays:
            path = (*path, arrays[path])
    return path


def _line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return None


def _located(path: str, lines: dict[KeyPath, int], key: KeyPath, problem: str) -> str:
    number = _line_of(lines, key)
    where = f"{path}:{number}" if number else path
    dotted = ""
    for part in key:
        shown = f'"{part}"' if "." in str(part) else str(part)
        dotted += f"[{part + 1}]" if isinstance(part, int) else f".{shown}" if dotted else shown
    return f"{where}: {dotted}: {problem}" if dotted else f"{where}: {problem}"
