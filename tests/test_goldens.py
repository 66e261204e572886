"""The screens are as they were when they were last looked at."""

from __future__ import annotations

import pytest

from sparktui.demo.scenarios import SCENARIOS
from tests.goldens import FOLDER, MODES, SIZES, all_captures


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_pane_looks_as_its_golden(scenario: str) -> None:
    folder = FOLDER / scenario
    stored = {path.name: path.read_text() for path in folder.iterdir()}
    made = all_captures(scenario)
    changed = sorted(name for name in stored.keys() | made.keys() if stored.get(name) != made.get(name))
    assert not changed, f"look at them, then `make goldens`: {', '.join(changed)}"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_capture_keeps_to_its_size_and_mode(scenario: str) -> None:
    names = {path.name for path in (FOLDER / scenario).iterdir()}
    for columns, rows in SIZES:
        for mode in MODES:
            assert f"overview-{columns}x{rows}.{mode}" in names
    for path in (FOLDER / scenario).glob("*.ascii"):
        text = path.read_text()
        columns, rows = map(int, path.stem.rsplit("-", 1)[1].split("x"))
        assert text.isascii(), path.name
        assert len(text.splitlines()) == rows
        assert max(map(len, text.splitlines())) <= columns
    for path in (FOLDER / scenario).glob("*.nocolor"):
        assert "38;" not in path.read_text(), path.name
        assert "48;" not in path.read_text(), path.name
