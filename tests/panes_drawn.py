"""Draws a pane of a hand-built rack, for the pane tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from sparktui.panes import gpu, irq, network, overview, switch
from sparktui.panes.base import Drawing
from sparktui.panes.glyphs import UNICODE, Glyphs
from tests.panes_rack import Scene
from tests.panes_scenes import SCENES

PANES = {pane.id: pane for pane in (overview.PANE, gpu.PANE, network.PANE, irq.PANE, switch.PANE)}
EVERY_PANE = pytest.mark.parametrize("pane", PANES.values(), ids=list(PANES))


@cache
def made(name: str) -> Scene:
    """A scene, built once: views change nothing."""
    return SCENES[name]()


def text(drawing: Drawing) -> str:
    return "\n".join(line.plain.rstrip() for line in drawing.lines)


def draw(name: str, pane: str, width: int = 120, height: int = 38, glyphs: Glyphs = UNICODE, **more: Any) -> str:
    return text(PANES[pane].view(made(name).picture(width, height, glyphs, **more)))


def row(page: str, start: str) -> str:
    """The first line with this text."""
    return next(line for line in page.splitlines() if start in line)
