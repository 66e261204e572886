"""What a config says of parts that config.py does not know: the rules, and what is on the screen."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sparktui.config import Settings
from sparktui.config_check import KeyPath, Problem


def rules(settings: Settings) -> list[Problem]:
    """Rules and thresholds that do not exist."""
    from sparktui.verdicts.engine import validate

    found: list[Problem] = []
    for rule, config in settings.findings.items():
        prefix = f'findings."{rule}"'
        for problem in validate({rule: config}):
            where, _, text = problem.removeprefix(prefix).partition(": ")
            found.append((("findings", rule, *where.strip(".").split(".", 1)) if where else ("findings", rule), text))
    return found


def screen(settings: Settings) -> list[Problem]:
    """Keys, panes and themes that do not exist. Imports Textual."""
    from sparktui.panes.registry import panes
    from sparktui.ui import keys, themes

    every = panes()
    found: list[Problem] = []
    for problem in keys.remap(keys.commands(every), settings.keys)[1]:
        command = next((name for name in settings.keys if problem.startswith(f"keys.{name}: ")), "")
        found.append((("keys", command), problem.removeprefix(f"keys.{command}: ")))
    found += _among(settings.ui.start_pane, [pane.id for pane in every], ("ui", "start_pane"), "pane")
    found += _among(settings.ui.theme, themes.load()[0], ("ui", "theme"), "theme")
    return found


def _among(name: str, known: Iterable[str], path: KeyPath, kind: str) -> list[Problem]:
    names = list(known)
    if name in names:
        return []
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(names)}"
    return [(path, f"no {kind} is called '{name}': {hint}")]
