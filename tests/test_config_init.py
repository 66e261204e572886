"""`config init`: hosts out of an ssh config, and a file that never replaces another without keeping it."""

from pathlib import Path

import pytest

from sparktui.config import NodeConfig, RackConfig, Settings, SwitchConfig
from sparktui.config_init import answer, existing, merged, ssh_config_nodes, write
from sparktui.contract import Node


def test_hosts_are_those_an_ssh_config_names_outright(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("""\
# a comment
Host spark1 spark2
    HostName 10.0.0.11
Host *.lan !x "spark3"
host = jump
Host spark1
Match host spark9
  User me
""")
    assert [node.name for node in ssh_config_nodes(path)] == ["spark1", "spark2", "spark3", "jump"]


def test_no_ssh_config_is_no_hosts(tmp_path: Path) -> None:
    assert ssh_config_nodes(tmp_path / "none") == []


def test_a_new_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    assert write(path, "x = 1\n") is None
    assert path.read_text() == "x = 1\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_every_former_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("first")
    one = write(path, "second", now=0.0)
    two = write(path, "third", now=0.0)
    assert one is not None
    assert two is not None
    assert (one.read_text(), two.read_text(), path.read_text()) == ("first", "second", "third")
    assert one != two
    assert {entry.name for entry in tmp_path.iterdir()} == {path.name, one.name, two.name}


def test_a_host_that_does_not_answer_says_why() -> None:
    assert answer(Node(state="unreachable", error="refused")) == "refused"
    assert answer(Node(state="live")) == "answers: no GPU"


def test_what_a_file_says_already_is_kept() -> None:
    old = Settings(
        nodes=[NodeConfig(name="spark1", user="nvidia")],
        switches={"sw": SwitchConfig(host="10.0.0.2", community_env="X")},
        rack=RackConfig(name="left"),
    )
    new = merged(old, [NodeConfig(name="spark1"), NodeConfig(name="spark2")], {"sw2": SwitchConfig(host="10.0.0.3")})
    assert [(node.name, node.user) for node in new.nodes] == [("spark1", "nvidia"), ("spark2", None)]
    assert set(new.switches) == {"sw", "sw2"}
    assert new.rack.name == "left"


def test_a_broken_file_is_told_and_starts_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.toml"
    path.write_text("nodes = 3")
    assert existing(str(path)) == Settings()
    assert "must be a list" in capsys.readouterr().err
    assert existing(str(tmp_path / "none")) == Settings()
