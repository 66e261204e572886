"""Finds every pane: a module of this package that declares PANE is one, and nothing else has to know of it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import sparktui.panes
from sparktui.panes.base import Pane


def panes(package: ModuleType = sparktui.panes) -> list[Pane]:
    """All panes of the package, in the order of their keys.

    Raises ValueError where two panes claim one id or one key: that is a mistake in the source, not in a setting.
    """
    found: dict[str, Pane] = {}
    for module in pkgutil.iter_modules(package.__path__):
        pane = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "PANE", None)
        if pane is None:
            continue
        for other in found.values():
            if pane.id == other.id or pane.key == other.key:
                raise ValueError(f"panes {other.title!r} and {pane.title!r} share an id or a key")
        found[pane.id] = pane
    return sorted(found.values(), key=lambda pane: pane.key)
