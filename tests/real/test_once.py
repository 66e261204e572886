"""`once --json` on real nodes and a real agent: traffic on both ends of the cables, and every way a node can refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
import tomli_w

from sparktui.contract import Rack
from tests.real.cluster import MONITOR, NET, Cluster, run, wait_for
from tests.real.conftest import once


def config_with(lab: Cluster, name: str, **node: object) -> Path:
    """A config for node 1 alone, with other SSH files where given."""
    ssh = {"config_file": "/dev/null", "known_hosts": str(lab.known_hosts), "identity": str(lab.identity)}
    ssh |= {key: str(node.pop(key)) for key in list(node) if key in ssh}
    data = {"nodes": [{"name": "spark1", "host": lab.address(1), "user": "root", **node}], "ssh": ssh}
    path = lab.folder / name
    path.write_text(tomli_w.dumps(data))
    return path


def test_all_nodes_and_the_switch_are_live_and_fit_the_contract(lab: Cluster) -> None:
    raw = once(lab, lab.config())
    rack = msgspec.convert(raw, Rack, strict=True)
    assert {name: node.state for name, node in rack.nodes.items()} == dict.fromkeys(lab.names, "live")
    assert rack.switches["lab"].state == "live"
    for name, node in rack.nodes.items():
        assert node.platform is not None
        assert node.platform.hostname == name
        assert node.cpus is not None
        assert node.cpus.count == os.cpu_count()
        assert node.nics["eth0"].driver == "veth"
        assert node.nics["eth0"].mtu == 9000
        assert node.nics["eth0"].rx_bps is not None
        assert node.gpus == []
        assert "no NVIDIA driver" in node.collector_errors["gpu"]
        assert node.clock_offset_ms is not None
        assert abs(node.clock_offset_ms) < 50
        assert node.probe is not None
        assert node.probe.cpu_ms_per_sample is not None
    ports = rack.switches["lab"].ports
    assert {f"swp{number}" for number in range(1, 5)} <= set(ports)


def test_traffic_is_seen_as_the_same_rate_on_both_ends_of_both_cables(lab: Cluster) -> None:
    client = lab.inside(
        "st-n1", "iperf3", "-c", lab.address(2), "-p", "5201", "-u", "-b", "200M", "-l", "1400", "-t", "12"
    )
    with subprocess.Popen(client, stdout=subprocess.DEVNULL) as traffic:
        rack = msgspec.convert(once(lab, lab.config(), "--seconds", "9"), Rack)
        traffic.terminate()
    sent, received = rack.nodes["spark1"].nics["eth0"].tx_bps, rack.nodes["spark2"].nics["eth0"].rx_bps
    port_in, port_out = (rack.switches["lab"].ports[port] for port in ("swp1", "swp2"))
    for rate in (sent, received, port_in.rx_bps, port_out.tx_bps):
        assert rate == pytest.approx(206e6, rel=0.1)


def test_frames_dropped_between_port_and_node_are_the_difference_of_the_two_ends(lab: Cluster) -> None:
    lab.drop(2, 0.2)
    client = lab.inside(
        "st-n1", "iperf3", "-c", lab.address(2), "-p", "5201", "-u", "-b", "50M", "-l", "1400", "-t", "14"
    )
    with subprocess.Popen(client, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as traffic:
        rack = msgspec.convert(once(lab, lab.config(), "--seconds", "9"), Rack)
        traffic.terminate()
    port = rack.switches["lab"].ports["swp2"].tx_packets_per_s
    node = rack.nodes["spark2"]
    assert port is not None
    assert node.udp is not None
    delivered = node.udp.counters_per_s["InDatagrams"]
    assert delivered is not None
    assert delivered / port == pytest.approx(0.8, abs=0.08)


def test_an_unknown_host_key_is_shown_with_its_fingerprint_and_the_command_that_trusts_it(lab: Cluster) -> None:
    empty = lab.folder / "empty_known_hosts"
    empty.write_text("")
    node = once(lab, config_with(lab, "unknown.toml", known_hosts=empty), code=2)["nodes"]["spark1"]
    fingerprint = run("ssh-keygen", "-l", "-f", str(lab.folder / "n1" / "hostkey.pub")).stdout.split()[1]
    assert node["state"] == "host_key_unknown"
    assert fingerprint in node["error"]
    assert "known_hosts" in node["error"]


def test_a_changed_host_key_is_refused_with_both_fingerprints(lab: Cluster) -> None:
    other = lab.folder / "other_key"
    if not other.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other))
    kind, key, *_ = other.with_suffix(".pub").read_text().split()
    changed = lab.folder / "changed_known_hosts"
    changed.write_text(f"{lab.address(1)} {kind} {key}\n")
    node = once(lab, config_with(lab, "changed.toml", known_hosts=changed), code=2)["nodes"]["spark1"]
    assert node["state"] == "host_key_changed"
    for path in (lab.folder / "n1" / "hostkey.pub", other.with_suffix(".pub")):
        assert run("ssh-keygen", "-l", "-f", str(path)).stdout.split()[1] in node["error"]


def test_a_key_that_is_not_accepted_is_auth_failed(lab: Cluster) -> None:
    stranger = lab.folder / "stranger"
    if not stranger.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(stranger))
    node = once(lab, config_with(lab, "auth.toml", identity=stranger), code=2)["nodes"]["spark1"]
    assert node["state"] == "auth_failed"
    assert node["error"]


def test_a_refused_connection_and_a_dead_address_are_unreachable(lab: Cluster) -> None:
    node = once(lab, config_with(lab, "refused.toml", port=2299), code=2)["nodes"]["spark1"]
    assert (node["state"], "refused" in node["error"]) == ("unreachable", True)
    node = once(lab, config_with(lab, "dead.toml", host=f"{NET}.99"), code=2)["nodes"]["spark1"]
    assert node["state"] == "unreachable"


def test_one_dead_node_does_not_keep_the_others_from_answering(lab: Cluster) -> None:
    lab.link(3, "down")
    rack = once(lab, lab.config(), code=1)
    states = {name: node["state"] for name, node in rack["nodes"].items()}
    assert states.pop("spark3") == "unreachable"
    assert set(states.values()) == {"live"}


@pytest.fixture
def sshd_option(lab: Cluster):
    """Puts a line into node 1's sshd configuration for the time of a test."""
    path = lab.folder / "n1" / "test.conf"
    master = next(
        pid for pid in lab.pids("st-n1") if b"sshd" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    )

    def put(text: str) -> None:
        path.write_text(text)
        os.kill(master, 1)
        wait_for(lambda: lab._ssh_answers(1), what="sshd after HUP")

    yield put
    put("")


def test_a_node_without_python3_says_so(lab: Cluster, sshd_option) -> None:
    empty = lab.folder / "empty_bin"
    empty.mkdir(exist_ok=True)
    shutil.copy("/bin/bash", empty / "bash")
    sshd_option(f"SetEnv PATH={empty}\n")
    node = once(lab, config_with(lab, "nopython.toml"), code=2)["nodes"]["spark1"]
    assert node["state"] == "no_python"
    assert "python3" in node["error"]


def test_a_noisy_login_is_read_over(lab: Cluster, sshd_option) -> None:
    noisy = lab.folder / "noisy.sh"
    noisy.write_text(
        '#!/bin/bash\nfor i in $(seq 200); do echo "Welcome [$i] \\"type\\": {hello}"; done\nexec bash -c "$SSH_ORIGINAL_COMMAND"\n'
    )
    noisy.chmod(0o755)
    sshd_option(f"ForceCommand {noisy}\n")
    assert once(lab, config_with(lab, "noisy.toml"))["nodes"]["spark1"]["state"] == "live"


def test_a_slow_login_script_delays_only_its_own_node(lab: Cluster, sshd_option) -> None:
    slow = lab.folder / "slow.sh"
    slow.write_text('#!/bin/bash\nread -t 2 < <(exec tail -f /dev/null)\nexec bash -c "$SSH_ORIGINAL_COMMAND"\n')
    slow.chmod(0o755)
    sshd_option(f"ForceCommand {slow}\n")
    rack = once(lab, lab.config(), "--seconds", "6")
    assert {node["state"] for node in rack["nodes"].values()} == {"live"}


def test_one_session_is_enough(lab: Cluster, sshd_option) -> None:
    sshd_option("MaxSessions 1\n")
    assert once(lab, config_with(lab, "sessions.toml"))["nodes"]["spark1"]["state"] == "live"


def test_nothing_is_left_on_a_node_after_a_look(lab: Cluster) -> None:
    once(lab, lab.config())
    wait_for(lambda: not any(lab.probes(number) for number in range(1, 5)), what="the probes to end")


def test_config_init_writes_a_file_that_works(lab: Cluster, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    shutil.copy(lab.known_hosts, home / ".ssh" / "known_hosts")
    shutil.copy(lab.identity, home / ".ssh" / "id_ed25519")
    (home / ".ssh" / "id_ed25519").chmod(0o600)
    (home / ".ssh" / "config").write_text(
        f"Host one\n  HostName {lab.address(1)}\n  User root\nHost two\n  HostName {lab.address(2)}\n  User root\n"
    )
    path = home / "config.toml"
    from tests.real.conftest import command

    environment = {**os.environ, "HOME": str(home)}
    done = subprocess.run(
        lab.inside(MONITOR, "env", f"HOME={home}", *command(lab, "config", "init", "--config", str(path))[4:]),
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert path.read_text().count("name = ") == 2
