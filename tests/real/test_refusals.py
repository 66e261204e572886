"""Nodes that do not let us in, have no python3, or print and dawdle before the probe runs: each in its own row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.cluster import MONITOR, Cluster, fingerprint, make_key
from tests.real.terminal import COLOURS, Terminal, row

NOISE = r"""
for number in {1..200}; do
  echo "Welcome [$number] {\"type\": \"hello\"}"
  echo "mesg: ttyname failed" >&2
done
printf '\033]0;a title, and no line break after it\007'
"""
DAWDLE = "for number in {1..50}; do /bin/true; done; sleep 3\n"

STATES = {
    "spark1": "live",
    "refused": "unreachable",
    "wrong-key": "auth_failed",
    "unknown": "host_key_unknown",
    "changed": "host_key_changed",
    "no-python": "no_python",
    "noisy": "live",
    "heavy": "live",
    "one-session": "live",
}


@pytest.fixture(scope="module")
def config(lab: Cluster) -> Path:
    """One healthy node and one of each kind of trouble, all watched at once."""
    lab.add("refused", "Port 2222")
    lab.add("wrong-key", "AuthorizedKeysFile none")
    lab.add("unknown", known="")
    lab.add("changed", known=make_key(lab.folder / "other"))
    lab.add("no-python", "SetEnv PATH=/nonexistent")
    lab.add("noisy", bashrc=NOISE)
    lab.add("heavy", bashrc=DAWDLE)
    lab.add("one-session", "MaxSessions 1")
    return lab.config("refusals", STATES, switch=False)


def test_each_state_stands_in_its_own_row(lab: Cluster, config: Path) -> None:
    with Terminal(lab.operator("--config", str(config), **COLOURS), lab.folder, columns=160) as terminal:
        for name, state in STATES.items():
            terminal.until(lambda screen: state.replace("_", " ") in row(screen, name), f"{name} {state}")  # noqa: B023
        terminal.shows("4/9 live")
        terminal.keys("C-c")
        assert terminal.ended() == 0


def test_each_error_says_what_to_do(lab: Cluster, config: Path) -> None:
    code, shown = lab.once("--seconds", "5", "--config", str(config))
    nodes = shown["nodes"]
    assert code == 1
    assert {name: node["state"] for name, node in nodes.items()} == STATES
    errors = {name: node["error"] for name, node in nodes.items()}
    assert {name for name, error in errors.items() if error is None} == {n for n, s in STATES.items() if s == "live"}
    words = {
        "refused": ["refuses connections"],
        "wrong-key": ["ssh-copy-id", fingerprint(lab.identity)],
        "unknown": [fingerprint(lab.hosts["unknown"].host_key), "ssh-keyscan", str(lab.known_hosts)],
        "changed": [fingerprint(lab.hosts["changed"].host_key), fingerprint(lab.folder / "other"), "ssh-keygen -R"],
        "no-python": ["python3", "apt install"],
    }
    for name, said in words.items():
        assert [word for word in said if word not in errors[name]] == [], errors[name]
    found = {(finding["rule"], finding["target"]) for finding in shown["findings"]}
    assert found == {("node.unreachable", name) for name in words}


def test_the_command_that_is_shown_for_an_unknown_key_trusts_it(lab: Cluster) -> None:
    """Typed as it stands, it makes the node live."""
    host = lab.add("trusted", known="")
    config = lab.config("trusted", ["trusted"], switch=False)
    code, shown = lab.once("--seconds", "1", "--config", str(config))
    assert code == 2
    command = shown["nodes"]["trusted"]["error"].rpartition("trust it: ")[2]
    assert command.startswith("ssh-keyscan")
    assert fingerprint(host.host_key) in MONITOR.run("bash", "-c", command).stdout
    code, shown = lab.once("--seconds", "1", "--config", str(config))
    assert (code, shown["nodes"]["trusted"]["state"]) == (0, "live")
