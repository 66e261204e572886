#!/usr/bin/env bash
# Builds the wheel, installs it alone in an empty environment, and looks at the demo through it.
# usage: wheel_check.sh PYTHON
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" -m build --wheel --outdir "$work/dist" . > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$1" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$work"/dist/*.whl
cd "$work"
"$work/venv/bin/sparktui" --version
"$work/venv/bin/sparktui" once --demo --json > once.json
"$work/venv/bin/python" - <<'PY'
import importlib.resources
import json

rack = json.load(open("once.json"))
states = {name: node["state"] for name, node in rack["nodes"].items()}
assert states and set(states.values()) == {"live"}, states
assert [switch["state"] for switch in rack["switches"].values()] == ["live"]
files = importlib.resources.files("sparktui")
assert (files / "config.example.toml").is_file()
assert len([entry for entry in (files / "themes").iterdir() if entry.name.endswith(".toml")]) >= 3
print("the wheel shows the demo:", ", ".join(states))
PY
