"""The README says what the program does: its tables, its commands, its config keys."""

from __future__ import annotations

import re
import tomllib

import msgspec

from sparktui import config
from sparktui.cli import SCENARIOS, main
from sparktui.panes.registry import panes
from sparktui.ui.keys import commands, remap
from sparktui.verdicts.engine import validate
from tests.readme import README, block, written

TEXT = README.read_text()


def test_the_generated_tables_are_up_to_date() -> None:
    assert written(TEXT) == TEXT, "python -m tests.readme"


def test_every_config_key_is_in_the_table_with_its_default() -> None:
    begin, end = block(TEXT, "config")
    table = TEXT[begin:end]
    sections = {
        "nodes": config.NodeConfig,
        "switches.NAME": config.SwitchConfig,
        "rack": config.RackConfig,
        "sampling": config.SamplingConfig,
        "ui": config.UiConfig,
        "findings.RULE": config.FindingConfig,
        "ssh": config.SshConfig,
    }
    for section, kind in sections.items():
        for info in msgspec.structs.fields(kind):
            row = next((line for line in table.splitlines() if f"`{section}.{info.name}`" in line), None)
            assert row is not None, f"{section}.{info.name}"
            if isinstance(info.default, int | float | str) and info.default != "":
                shown = str(info.default).lower() if isinstance(info.default, bool) else f"{info.default}"
                assert f"| {shown} |" in row, row


def test_every_scenario_and_command_is_named() -> None:
    for name in (*SCENARIOS, *main.commands):
        assert name in TEXT


def test_the_example_config_shows_every_node_and_switch_key_and_is_good() -> None:
    path = README.parent / "config.example.toml"
    settings = config.load(str(path))
    assert len(settings.nodes) == 4
    text = path.read_text()
    for kind in (config.NodeConfig, config.SwitchConfig, config.SamplingConfig, config.UiConfig):
        for info in msgspec.structs.fields(kind):
            assert info.name in text, info.name


def test_the_example_config_is_good_with_every_line_in_force() -> None:
    """Comments that are settings are settings that work."""
    text = (README.parent / "config.example.toml").read_text()
    text = re.sub(r'^# (?=\[|["\w.]+ = )', "", text, flags=re.MULTILINE)
    data = tomllib.loads(text)
    assert "secret_file" in data["switches"]["crs812"]
    settings = config.parse(text)
    assert validate(settings.findings) == []
    assert remap(commands(panes()), settings.keys)[1] == []
