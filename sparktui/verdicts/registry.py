"""Finds the rules: every file of this package that declares RULES."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from sparktui import verdicts
from sparktui.verdicts.base import Rule


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by id. Raises ValueError where two files declare the same id."""
    found: dict[str, Rule] = {}
    for module in iter_modules(verdicts.__path__, verdicts.__name__ + "."):
        for rule in getattr(import_module(module.name), "RULES", ()):
            if rule.id in found:
                raise ValueError(f"two rules are called {rule.id}")
            found[rule.id] = rule
    return tuple(found[rule_id] for rule_id in sorted(found))
