"""Commands and their keys: remapping, clashes, and the registry of panes that some of them come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.panes.registry import panes as registered_panes
from sparktui.ui import keys
from sparktui.ui.app import SparkApp
from tests import tui_child


def test_wrong_keys_are_said_and_the_rest_is_kept() -> None:
    wanted = {
        "app.pause": "p",
        "app.pauze": "f5",
        "app.quit": "pagedwn",
        "app.theme": "q",
        "pane.long": "l, f2",
        "app.mark": "ctrl+c",
        "app.sort": "",
    }
    known, problems = keys.remap(keys.commands(tui_child.PANES), wanted)
    now = {command.id: command.keys for command in known}
    assert now["app.pause"] == ("p",)
    assert now["pane.long"] == ("l", "f2")
    assert now["app.quit"] == ("q",)
    assert now["app.theme"] == ("t",)
    assert problems == [
        "keys.app.pauze: no such command, did you mean app.pause?",
        "keys.app.quit: 'pagedwn' is not the name of a key",
        "keys.app.sort: '' is not the name of a key",
        "keys.app.theme: q is taken by app.quit",
        "keys.app.mark: ctrl+c is taken by app.quit",
    ]


def test_two_commands_may_swap_their_keys() -> None:
    known, problems = keys.remap(keys.commands(tui_child.PANES), {"app.mark": "t", "app.theme": "m"})
    assert problems == []
    assert {command.keys for command in known if command.id in ("app.mark", "app.theme")} == {("t",), ("m",)}


def test_of_two_that_ask_for_one_key_the_first_gets_it() -> None:
    known, problems = keys.remap(keys.commands(tui_child.PANES), {"app.mark": "z", "app.theme": "z"})
    assert problems == ["keys.app.theme: z is taken by app.mark"]
    assert {command.id for command in known if command.keys == ("z",)} == {"app.mark"}


def test_commands_are_complete_and_need_no_odd_key() -> None:
    known = keys.commands(registered_panes())
    used = [key for command in known for key in (*command.keys, *command.always)]
    assert len(used) == len(set(used))
    assert len({command.id for command in known}) == len(known)
    for command in known:
        assert command.description
        assert hasattr(SparkApp, f"action_{command.action.partition('(')[0]}")
    assert not {"ctrl+a", "ctrl+b"} & set(used)
    assert not [key for key in used if key.startswith("alt+") or (key.startswith("shift+") and key != "shift+tab")]


def test_registered_panes_come_in_the_order_of_their_keys() -> None:
    found = registered_panes()
    assert [pane.key for pane in found] == sorted({pane.key for pane in found})
    assert "overview" in {pane.id for pane in found}


def test_panes_that_share_a_key_are_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "twins"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("one", "two"):
        source = (
            f"from sparktui.panes.base import Pane\nPANE = Pane({name!r}, '1', {name!r}, '', lambda picture: None)\n"
        )
        (package / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    import twins  # type: ignore[import-not-found]

    with pytest.raises(ValueError, match=r"'one' and 'two' share"):
        registered_panes(twins)
