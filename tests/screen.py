"""The whole screen as text. The one place in the tests that reaches into Textual."""

from __future__ import annotations

from rich.segment import Segment
from textual.app import App


def lines(app: App[None]) -> list[str]:
    """Every line of the visible screen, as wide as the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: App[None]) -> str:
    return "\n".join(line.rstrip() for line in lines(app))


def segments(app: App[None]) -> list[list[Segment]]:
    """Every line of the visible screen as styled runs."""
    return [list(strip) for strip in app.screen._compositor.render_strips()]
