"""Themes: files and their mistakes, contrast, and terminals with few colours or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import ColorSystem
from textual.color import Color

from sparktui.ui import themes
from tests.ui_bench import opened


async def test_no_color_keeps_attributes() -> None:
    async with opened(env={"NO_COLOR": "1"}) as bench:
        assert bench.app.theme == themes.PLAIN
        assert bench.app.palette("$idle").dim
        assert bench.app.palette("dim").dim
        assert bench.app.palette("bold $fail").bold
        await bench.press("t")
        assert bench.app.palette("$idle").dim


async def test_sixteen_colours_get_the_terminals_own() -> None:
    console = {"TERM": "linux", "COLORTERM": None}
    async with opened(env=console) as bench:
        assert bench.app.theme == themes.PLAIN
    async with opened(env=console, theme="spark-light") as bench:
        assert bench.app.theme == "spark-light"


def luminance(colour: Color) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b)


def contrast(one: Color, other: Color) -> float:
    """WCAG 2.1 contrast ratio."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def in_256(colour: Color) -> Color:
    """The colour that a terminal with 256 colours shows for it."""
    return Color(*colour.rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor())


@pytest.mark.parametrize(("name", "least"), [("spark-dark", 4.5), ("spark-light", 4.5), ("high-contrast", 7.0)])
def test_every_text_reads_on_every_ground(name: str, least: float) -> None:
    theme = themes.load()[0][name]
    inks = {ink: Color.parse(text) for ink, text in themes.meanings(theme).items() if ink != "row"}
    inks["foreground"] = Color.parse(theme.foreground or "")
    inks["dim"] = themes.Palette(theme, plain=False)("dim").foreground or Color(0, 0, 0)
    grounds = [Color.parse(text or "") for text in (theme.background, theme.panel, themes.meanings(theme)["row"])]
    for ground in grounds:
        for ink, colour in inks.items():
            assert contrast(colour, ground) >= least, ink
            assert contrast(in_256(colour), in_256(ground)) >= least - 0.1, f"{ink} in 256 colours"
    for ink in inks:
        assert contrast(inks[ink], grounds[0]) >= least, f"{ink} reversed"


def test_every_theme_file_is_read_and_gives_every_meaning() -> None:
    found, problems = themes.load()
    assert problems == []
    assert next(iter(found)) == themes.DEFAULT
    assert set(found) == {"spark-dark", "spark-light", "high-contrast", "terminal"}
    for theme in found.values():
        assert set(theme.variables) == set(themes.MEANINGS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("primary = '#12345'", "own.toml: primary: '#12345' is not a colour"),
        ("primary = 'red'\nprimry = 'red'", "own.toml: primry: no such key, did you mean primary?"),
        ("primary = 'red'\n[variables]\noky = 'red'", "own.toml: variables.oky: no such key, did you mean ok?"),
        ("primary = 'red'\n[variables]\nok = 7", "own.toml: variables.ok: 7 is not a colour"),
        ("primary = 'red'\ndark = 'yes'", "own.toml: dark: 'yes' is neither true nor false"),
        ("primary = 'red'\ntext_alpha = 2", "own.toml: text_alpha: 2 is not a number from 0 to 1"),
        ("primary = 'red'\nvariables = 3", "own.toml: variables is not a table"),
        ("accent = 'red'", "own.toml: primary is missing"),
        ("primary = ", "own.toml: Invalid value"),
        ("\x00\x01", "own.toml: "),
    ],
)
def test_a_bad_theme_is_named_with_its_key(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(text)
    found, problems = themes.load(tmp_path)
    assert "own" not in found
    assert len(problems) == 1
    assert problems[0].startswith(says)


def test_a_users_theme_needs_only_a_primary_and_may_replace_ours(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("primary = 'red'\nansi = false\ntext_alpha = 0.9\n")
    (tmp_path / "spark-light.toml").write_text("primary = '#112233'\n")
    (tmp_path / "bad name!.toml").write_text("primary = 'red'\n")
    found, problems = themes.load(tmp_path)
    assert found["spark-light"].primary == "#112233"
    assert set(themes.meanings(found["own"])) == set(themes.MEANINGS)
    assert len(problems) == 1


async def test_a_users_theme_can_be_asked_for_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "sparktui" / "themes"
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text("primary = 'red'\n[variables]\nok = '#010203'\n")
    (folder / "broken.toml").write_text("primary = 3\n")
    async with opened((120, 40), env={"XDG_CONFIG_HOME": str(tmp_path)}, theme="own") as bench:
        assert bench.app.palette("$ok").foreground == Color.parse("#010203")
        assert "broken.toml: primary: 3 is not a colour" in bench.text


@pytest.mark.parametrize("name", ["nord", "ansi-light", "textual-dark"])
async def test_textuals_own_themes_work_too(name: str) -> None:
    async with opened(theme=name) as bench:
        assert bench.app.palette("$fail").foreground
        assert "spark4" in bench.text


def test_an_unknown_style_is_plain_text() -> None:
    palette = themes.Palette(themes.load()[0]["spark-dark"], plain=False)
    assert palette("$nonsense").foreground is None
    assert palette("bold $nonsense").bold
    assert palette("reverse $ok").reverse
