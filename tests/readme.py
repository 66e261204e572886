"""The README's generated tables. `python -m tests.readme` writes them; a test compares."""

from __future__ import annotations

from pathlib import Path

from sparktui.panes.registry import panes
from sparktui.ui.keys import commands
from sparktui.verdicts import registry

README = Path(__file__).parent.parent / "README.md"


def keys_table() -> str:
    rows = ["| key | does | id |", "|---|---|---|"]
    for command in commands(panes()):
        keys = " ".join(f"`{key}`" for key in (*command.keys, *command.always))
        rows.append(f"| {keys} | {command.description} | `{command.id}` |")
    return "\n".join(rows)


def rules_table() -> str:
    rows = ["| rule | severity | why it matters | thresholds |", "|---|---|---|---|"]
    for rule in registry.rules():
        limits = ", ".join(f"`{name}` {value:g}" for name, value in rule.thresholds.items())
        rows.append(f"| `{rule.id}` | {rule.severity} | {rule.why} | {limits} |")
    return "\n".join(rows)


TABLES = {"keys": keys_table, "rules": rules_table}


def block(text: str, name: str) -> tuple[int, int]:
    """Where the content between a table's two markers begins and ends."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    return text.index(begin) + len(begin), text.index(end)


def written(text: str) -> str:
    """The README with every table as it has to be."""
    for name, table in TABLES.items():
        begin, end = block(text, name)
        text = text[:begin] + table() + "\n" + text[end:]
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
