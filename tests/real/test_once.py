"""`once` and `config init` on real nodes and a real agent."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparktui.contract import Rack
from tests.real.cluster import COMMUNITY, MONITOR, NET, USER, Cluster, run
from tests.real.space import wait_for

SPARKS = ("spark1", "spark2", "spark3", "spark4")


def test_all_nodes_and_the_switch_are_live_and_fit_the_contract(lab: Cluster) -> None:
    code, raw = lab.once("--config", str(lab.config()), "--seconds", "4")
    assert code == 0
    assert raw["schema"] == 1
    rack = msgspec.convert(raw, Rack, strict=True)
    assert {name: node.state for name, node in rack.nodes.items()} == dict.fromkeys(SPARKS, "live")
    assert len({node.boot_id for node in rack.nodes.values()}) == 4
    for name, node in rack.nodes.items():
        assert node.platform is not None
        assert node.platform.hostname == name
        assert node.cpus is not None
        assert node.cpus.count == os.cpu_count()
        assert node.gpus == []
        assert "no NVIDIA driver" in node.collector_errors["gpu"]
        assert node.clock_offset_ms is not None
        assert abs(node.clock_offset_ms) < 50
        assert node.probe is not None
        assert node.probe.cpu_ms_per_sample is not None
        assert node.age_s is not None
        nic = node.nics["eth0"]
        assert (nic.driver, nic.mtu, nic.operstate) == ("veth", 9000, "up")
        assert nic.rx_bps is not None
        assert nic.switch_port == lab.hosts[name].port
    assert rack.switches["lab"].state == "live"
    assert {lab.hosts[name].port for name in SPARKS} <= set(rack.switches["lab"].ports)
    assert rack.findings == []


def test_half_the_frames_lost_on_the_way_are_the_difference_of_the_two_ends(lab: Cluster) -> None:
    def seen() -> bool:
        _, raw = lab.once("--config", str(lab.config()), "--seconds", "7")
        rack = msgspec.convert(raw, Rack)
        sent, received = (rack.nodes[name].nics["eth0"] for name in ("spark1", "spark2"))
        came, went = (rack.switches["lab"].ports[lab.hosts[name].port] for name in ("spark1", "spark2"))
        frames = [sent.tx_packets_per_s, came.rx_packets_per_s, went.tx_packets_per_s, received.rx_packets_per_s]
        wanted = 50e6 / 8 / 1400
        return frames == [pytest.approx(wanted * share, rel=0.1) for share in (1, 1, 1, 0.5)]

    with lab.traffic("spark1", "spark2", mbps=50), lab.hosts["spark2"].cable.losing(0.5):
        wait_for(seen, 60.0, "the same at three counters and half of it at the fourth")


def test_snmp_version_3(lab: Cluster) -> None:
    code, raw = lab.once(
        "--config", str(lab.config("v3", [], switches={"lab": lab.switch_entry(version="3")})), "--seconds", "1"
    )
    assert code == 0
    assert raw["switches"]["lab"]["state"] == "live"
    assert raw["switches"]["lab"]["ports"]["swp1"]["oper"] == "up"


def test_a_wrong_community_is_a_switch_that_does_not_answer(lab: Cluster) -> None:
    entry = lab.switch_entry() | {"secret_file": lab.secret("wrong", "not-" + COMMUNITY)}
    code, raw = lab.once("--config", str(lab.config("wrong", ["spark1"], switches={"lab": entry})), "--seconds", "1")
    assert code == 1
    assert (raw["nodes"]["spark1"]["state"], raw["switches"]["lab"]["state"]) == ("live", "unreachable")


def test_this_machine_without_ssh(lab: Cluster) -> None:
    code, raw = lab.once("--hosts", "local", "--seconds", "2")
    node = raw["nodes"]["local"]
    assert (code, node["state"]) == (0, "live")
    assert node["boot_id"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert node["nics"]["eth0"]["rx_bps"] is not None
    assert not MONITOR.pids


def test_one_dead_node_does_not_keep_the_others_from_answering(lab: Cluster) -> None:
    with lab.hosts["spark3"].cable.cut():
        code, raw = lab.once("--config", str(lab.config()), "--seconds", "2")
    states = {name: node["state"] for name, node in raw["nodes"].items()}
    assert code == 1
    assert states.pop("spark3") == "unreachable"
    assert set(states.values()) == {"live"}
    assert [(one["rule"], one["severity"], one["target"]) for one in raw["findings"]] == [
        ("node.unreachable", "fail", "spark3")
    ]


def test_a_look_is_one_login_and_leaves_nothing_behind(lab: Cluster) -> None:
    before = {name: lab.hosts[name].logins for name in SPARKS}
    lab.once("--config", str(lab.config()), "--seconds", "1")
    assert not MONITOR.pids
    assert {name: lab.hosts[name].logins - before[name] for name in SPARKS} == dict.fromkeys(SPARKS, 1)
    wait_for(lambda: not any(lab.hosts[name].probes for name in SPARKS), what="the end of the probes")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_look_that_is_ended_leaves_nothing_behind(lab: Cluster, number: signal.Signals) -> None:
    argv = lab.operator("once", "--config", str(lab.config(nodes=[*SPARKS, "local"])), "--seconds", "600")
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as look:
        wait_for(lambda: all(lab.hosts[name].probes for name in SPARKS) and MONITOR.probes, what="the probes")
        look.send_signal(number)
    assert look.returncode == (2 if number == signal.SIGINT else -number)
    wait_for(lambda: not any(lab.hosts[name].probes for name in SPARKS), 10.0, "the end of the probes")
    wait_for(lambda: not MONITOR.pids, 10.0, "the end of what runs here")


@pytest.fixture
def home(lab: Cluster, tmp_path: Path) -> Path:
    """A home whose ssh reaches two nodes by name, and one that is not there."""
    ssh = tmp_path / ".ssh"
    ssh.mkdir()
    shutil.copy(lab.known_hosts, ssh / "known_hosts")
    shutil.copy(lab.identity, ssh / "id_ed25519")
    places = {"one": lab.hosts["spark1"].address, "two": lab.hosts["spark2"].address, "gone": f"{NET}.99"}
    blocks = [f"Host {name}\n  HostName {address}\n" for name, address in places.items()]
    (ssh / "config").write_text("".join(blocks) + f"Host *\n  User {USER}\n")
    return tmp_path


def test_config_init_finds_the_hosts_of_ssh_and_writes_what_once_reads(lab: Cluster, home: Path) -> None:
    argv = lab.operator("config", "init", "--timeout", "5", "--switch", f"rack-switch={NET}.1", home=home)
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    assert "one: answers: spark1" in done.stderr
    assert "gone: no answer" in done.stderr
    assert "$RACK_SWITCH_COMMUNITY" in done.stderr
    path = Path(done.stdout.strip())
    assert path == home / ".config/sparktui/config.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    code, raw = lab.once("--seconds", "1", home=home, RACK_SWITCH_COMMUNITY=COMMUNITY)
    states: dict[str, Any] = {name: one["state"] for name, one in (raw["nodes"] | raw["switches"]).items()}
    assert (code, states) == (0, {"one": "live", "two": "live", "rack-switch": "live"})
    again = run(*lab.operator("config", "init", "one", home=home))
    assert "the former file is now" in again.stderr
