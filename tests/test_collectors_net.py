"""NICs: on each fixture machine, while netdevs come and go, on broken input, and on the live kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import nic
from sparktui.collectors.folder import TextReader
from sparktui.collectors.nic import NicCounters, NicInfo
from sparktui.collectors.nic_counters import netdev_names
from tests.fixture_node import H200, NET, SPARK, STOCK, VM, Node, files_of

CX7 = ["enp1s0f0np0", "enp1s0f1np1", "enP2p1s0f0np0", "enP2p1s0f1np1"]


def nics_of(sample: nic.NicSample) -> dict[str, NicCounters]:
    return {one.name: one for one in sample.nics}


def infos_of(machine: str) -> dict[str, NicInfo]:
    return {one.name: one for one in nic.start_info(Node(machine))().nics}


# --- NICs of the fixture machines


def test_rj45_of_a_spark_with_the_driver_that_loses_frames() -> None:
    assert nic.start(Node(STOCK))().nics[0] == NicCounters(
        name="enP7s7",
        operstate="up",
        carrier_changes=2,
        speed_mbps=10000,
        mtu=1500,
        rx_bytes=89_866_254_653,
        tx_bytes=2_237_632_076,
        rx_packets=61_988_270,
        tx_packets=18_204_011,
        rx_errors=0,
        tx_errors=0,
        rx_dropped=38_204,
        tx_dropped=0,
        counters={
            "tx_packets": 18_204_011,
            "rx_packets": 61_988_270,
            "tx_errors": 0,
            "rx_errors": 0,
            "rx_missed": 38_204,
            "align_errors": 0,
            "tx_aborted": 0,
            "tx_underrun": 0,
            "tx_pause_on": 0,
            "tx_pause_off": 0,
            "tx_aborted32": 0,
            "align_errors32": 0,
            "rx_frame_too_long": 0,
            "rx_runt": 0,
            "rx_pause_on": 3,
            "rx_pause_off": 0,
            "rx_unknown_opcode": 0,
            "rx_mac_error": 36_117,
            "tx_underrun32": 0,
            "rx_mac_missed": 103_740,
            "rx_tcam_dropped": 207,
            "tdu": 6_204_118,
            "rdu": 41_906,
        },
    )


@pytest.mark.parametrize(
    ("machine", "speeds"),
    [
        (SPARK, {"enP7s7": 10000, CX7[0]: 200000, CX7[1]: None, CX7[2]: 200000, CX7[3]: None, "wlP9s9": None}),
        (STOCK, {"enP7s7": 10000, **dict.fromkeys(CX7), "wlP9s9": None}),
        (VM, {"eth0": None}),
        (H200, {"ens7np0": 400000}),
    ],
)
def test_the_physical_netdevs_and_their_speed(machine: str, speeds: dict[str, int | None]) -> None:
    """Neither lo nor docker0; "-1" and an unreadable file are no speed."""
    assert {one.name: one.speed_mbps for one in nic.start(Node(machine))().nics} == speeds


def test_counters_of_a_connectx_half_and_of_what_has_only_netdev_statistics() -> None:
    found = nics_of(nic.start(Node(SPARK))())
    lit = found["enp1s0f0np0"].counters
    assert (lit["rx_bytes_phy"], lit["rx_out_of_buffer"], lit["rx_pause_ctrl_phy"]) == (361_890_114_220_718, 5, 14_022)
    assert found["enp1s0f0np0"].rx_bytes == 61_204_477
    assert "rx_packets" not in lit
    assert found["wlP9s9"].counters == {
        "rx_dropped": 14,
        "rx_missed_errors": 0,
        "rx_fifo_errors": 0,
        "rx_errors": 0,
        "rx_crc_errors": 0,
        "rx_frame_errors": 0,
        "rx_length_errors": 0,
        "tx_errors": 0,
        "tx_dropped": 3,
    }
    guest = nics_of(nic.start(Node(VM))())["eth0"].counters
    assert (guest["rx_drops"], guest["rx_dropped"], guest["tx_tx_timeouts"]) == (9, 211, 0)


def test_info_of_a_sparks_nics() -> None:
    infos = infos_of(SPARK)
    assert infos["enP7s7"] == NicInfo(
        name="enP7s7",
        driver="r8127",
        driver_version="11.016.00-NAPI-RSS",
        firmware="",
        bus="0007:01:00.0",
        mac="02:4b:b4:10:00:01",
        phys_port_name=None,
        phys_switch_id=None,
        wireless=False,
        rx_queues=8,
        tx_queues=8,
    )
    assert infos["enP2p1s0f1np1"] == NicInfo(
        name="enP2p1s0f1np1",
        driver="mlx5_core",
        driver_version="7.0.0-1019-nvidia",
        firmware="28.45.4028 (NVD0000000087)",
        bus="0002:01:00.1",
        mac="02:4b:b4:10:00:13",
        phys_port_name="p1",
        phys_switch_id="5c25730300a1c07e",
        wireless=False,
        rx_queues=20,
        tx_queues=20,
    )
    assert [infos[name].phys_port_name for name in CX7] == ["p0", "p1", "p0", "p1"]
    assert [name for name, info in infos.items() if info.wireless] == ["wlP9s9"]
    assert (infos["wlP9s9"].rx_queues, infos["wlP9s9"].tx_queues) == (1, 4)


def test_info_of_the_stock_driver_and_of_a_guest() -> None:
    stock = infos_of(STOCK)["enP7s7"]
    assert (stock.driver_version, stock.rx_queues, stock.tx_queues) == ("11.014.00-NAPI", 1, 1)
    guest = infos_of(VM)["eth0"]
    assert (guest.driver, guest.bus, guest.mac, guest.rx_queues) == (
        "virtio_net",
        "0000:00:03.0",
        "52:54:00:6b:11:a7",
        2,
    )


def test_a_driver_that_answers_no_ethtool_is_named_by_its_link() -> None:
    node = Node(STOCK)
    for name in ("driver", "stats", "channels"):
        del node.files[f"/ethtool/enP7s7/{name}"]
    node.files[f"{NET}/enP7s7/queues/rx-0/rps_cpus"] = "00000\n"
    info = {one.name: one for one in nic.start_info(node)().nics}["enP7s7"]
    assert (info.driver, info.driver_version, info.bus) == ("r8127", "", "0007:01:00.0")
    assert (info.rx_queues, info.tx_queues) == (1, 0)


# --- NICs over time


def test_proc_net_dev_is_read_once_per_sample_and_no_statistic_of_an_r8127_at_all() -> None:
    node = Node(SPARK)
    take, info = nic.start(node), nic.start_info(node)
    for _ in range(3):
        take()
    info()
    assert node.count("/proc/net/dev") == 3
    assert node.count("enP7s7/statistics") == 0
    assert node.count(f"{CX7[0]}/statistics") == 0


def test_speed_is_read_when_the_link_changed_or_is_half_a_minute_old() -> None:
    node = Node(STOCK)
    take = nic.start(node)
    take()
    node.at = 29.0
    take()
    assert node.count("enP7s7/speed") == 1
    node.at = 31.0
    take()
    assert node.count("enP7s7/speed") == 2
    node.files |= {f"{NET}/enP7s7/operstate": "down\n", f"{NET}/enP7s7/carrier_changes": "3\n"}
    assert take().nics[0].speed_mbps is None
    node.files |= {
        f"{NET}/enP7s7/operstate": "up\n",
        f"{NET}/enP7s7/carrier_changes": "4\n",
        f"{NET}/enP7s7/speed": "2500\n",
    }
    assert take().nics[0].speed_mbps == 2500


def test_mtu_is_read_anew() -> None:
    node = Node(STOCK)
    take = nic.start(node)
    take()
    node.files[f"{NET}/enP7s7/mtu"] = "9000\n"
    assert take().nics[0].mtu == 9000


def test_counters_of_a_link_that_is_down_are_asked_for_seldom_and_when_it_changes() -> None:
    node = Node(STOCK)
    take, stats = nic.start(node), f"/ethtool/{CX7[0]}/stats"
    take()
    first = node.count(stats)
    for second in range(1, 30):
        node.at = float(second)
        take()
    assert node.count(stats) == first
    node.at = 30.0
    take()
    assert node.count(stats) == first + 1
    node.files[f"{NET}/{CX7[0]}/operstate"] = "up\n"
    node.files[stats] = node.files[stats].replace("rx_discards_phy: 0", "rx_discards_phy: 77")
    assert nics_of(take())[CX7[0]].counters["rx_discards_phy"] == 77


@pytest.mark.parametrize("part", ["operstate", "carrier_changes", "mtu"])
def test_a_netdev_that_goes_meanwhile_costs_no_other(part: str) -> None:
    node = Node(SPARK)
    take = nic.start(node)
    take()
    node.gone.add(f"{CX7[2]}/{part}")
    assert list(nics_of(take())) == ["enP7s7", CX7[0], CX7[1], CX7[3], "wlP9s9"]
    node.gone.clear()
    assert len(take().nics) == 6


def test_a_netdev_whose_statistics_fail_costs_no_other() -> None:
    node = Node(SPARK)
    take = nic.start(node)
    take()
    node.gone.add("/ethtool/enP7s7")
    assert list(nics_of(take())) == [*CX7, "wlP9s9"]


def test_netdevs_that_come_back_are_found_again() -> None:
    """Plugging a ConnectX cable tears down all four functions and makes them anew."""
    node = Node(SPARK)
    take = nic.start(node)
    take()
    whole = node.files["/proc/net/dev"]
    node.files["/proc/net/dev"] = "".join(line for line in whole.splitlines(True) if "np" not in line)
    node.gone.update(CX7)
    assert list(nics_of(take())) == ["enP7s7", "wlP9s9"]
    node.files["/proc/net/dev"] = whole
    node.gone.clear()
    assert list(nics_of(take())) == ["enP7s7", *CX7, "wlP9s9"]


def test_a_driver_reloaded_between_two_samples_is_found_by_the_carrier() -> None:
    node = Node(STOCK)
    take = nic.start(node)
    assert "rx_mac_missed" in take().nics[0].counters
    node.files |= {
        "/ethtool/enP7s7/driver": "driver: r8169\n",
        "/ethtool/enP7s7/stats": "NIC statistics:\n     rx_missed: 3\n     unicast: 9\n",
        f"{NET}/enP7s7/carrier_changes": "1\n",
    }
    take()
    assert take().nics[0].counters == {"rx_missed": 3}


def test_in_a_namespace_without_devices_the_veths_count() -> None:
    node = TextReader(
        {
            "/proc/net/dev": "Inter-|\n face |\n    lo: 1 2 0 0 0 0 0 0 1 2 0 0 0 0 0 0\n"
            "  veth0: 700 7 0 1 0 0 0 0 800 8 0 2 0 0 0 0\n  br0: 5 5 0 0 0 0 0 0 5 5 0 0 0 0 0 0\n",
            **{f"{NET}/{name}/operstate": "up\n" for name in ("lo", "veth0", "br0")},
            f"{NET}/veth0/carrier_changes": "2\n",
            f"{NET}/veth0/mtu": "1500\n",
            f"{NET}/veth0/speed": "10000\n",
            **{f"{NET}/veth0/statistics/{name}": "4\n" for name in netdev_names("veth")},
            "/ethtool/veth0/driver": "driver: veth\nversion: 1.0\n",
            "/ethtool/veth0/stats": "NIC statistics:\n     peer_ifindex: 5\n     rx_queue_0_drops: 6\n",
            "/ethtool/br0/driver": "driver: bridge\nversion: 2.3\n",
        }
    )
    (only,) = nic.start(node)().nics
    assert (only.name, only.speed_mbps, only.rx_bytes, only.tx_dropped) == ("veth0", 10000, 700, 2)
    assert only.counters == dict.fromkeys(netdev_names("veth"), 4)


# --- /proc/net/dev


def test_net_dev_of_names_that_touch_their_numbers() -> None:
    text = "enP2p1s0f1np1:91 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
    assert nic.parse_net_dev(text) == {"enP2p1s0f1np1": (91, 2, 3, 4, 9, 10, 11, 12)}


NUMBERS = st.lists(st.integers(0, 2**64 - 1), min_size=16, max_size=16)


@given(st.dictionaries(st.from_regex(r"[a-zA-Z0-9._-]{1,15}", fullmatch=True), NUMBERS))
def test_net_dev_reads_what_the_kernel_writes(rows: dict[str, list[int]]) -> None:
    form = "%6s: %7d %7d %4d %4d %4d %5d %10d %9d %8d %7d %4d %4d %4d %5d %7d %10d\n"
    text = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n"
    text += "".join(form % (name, *numbers) for name, numbers in rows.items())
    assert nic.parse_net_dev(text) == {name: (*n[:4], *n[8:12]) for name, n in rows.items()}


@given(st.text() | st.text(alphabet="eth0123456789: \n-x"), st.integers(0, 2000))
def test_net_dev_takes_any_text_and_any_part_of_a_good_one(text: str, length: int) -> None:
    nic.parse_net_dev(text)
    whole = files_of(SPARK)["/proc/net/dev"]
    parsed = nic.parse_net_dev(whole[:length])
    complete = nic.parse_net_dev(whole)
    assert all(complete[name][:7] == row[:7] for name, row in parsed.items())


# --- broken input


@pytest.mark.parametrize("machine", [SPARK, VM])
@pytest.mark.parametrize("broken", ["", "\n", "\x1b[2J\x00\ufffd" * 40, "1 2 3\n" * 50, ":::::\n", "half", None])
def test_a_broken_file_costs_at_most_its_own_netdev(machine: str, broken: str | None) -> None:
    """Every file that is read, each broken alone (None: gone)."""
    whole = Node(machine)
    complete = nics_of(nic.start(whole)())
    infos = infos_of(machine)
    for path in set(whole.asked) & whole.files.keys() - {"/proc/net/dev"}:
        node = Node(machine)
        node.files.pop(path)
        if broken is not None:
            node.files[path] = files_of(machine)[path][:20] if broken == "half" else broken
        (owner,) = (name for name in complete if f"/{name}/" in path)
        found = nics_of(nic.start(node)())
        assert {name: one for name, one in found.items() if name != owner} == {
            name: one for name, one in complete.items() if name != owner
        }, path
        assert set(infos) - {owner} <= {one.name for one in nic.start_info(node)().nics}


@pytest.mark.parametrize("broken", ["", "\x1b[2J\x00" * 40, "enP7s7: 1 2\n", "enP7s7: " + "9" * 5000 + " 1" * 15])
def test_a_broken_net_dev_is_no_netdev(broken: str) -> None:
    node = Node(SPARK)
    node.files["/proc/net/dev"] = broken
    assert nic.start(node)().nics == []


# --- the live kernel


IN_NAMESPACE = """if True:
    import json, subprocess
    from dataclasses import asdict
    from sparktui.collectors import nic
    from sparktui.collectors.kernel import KernelReader
    def ip(*words): return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
    ip("link", "add", "v0", "mtu", "1400", "address", "02:00:00:00:00:0a", "type", "veth", "peer", "name", "v1")
    ip("link", "add", "br0", "type", "bridge")
    take, info = nic.start(KernelReader()), nic.start_info(KernelReader())
    seen = [asdict(take())]
    for netdev in ("lo", "v0", "v1"):
        ip("link", "set", netdev, "up")
    ip("addr", "add", "10.9.0.1/24", "dev", "v0")
    seen += [asdict(take()), asdict(info()), json.loads(ip("-s", "-j", "link", "show", "v0"))]
    ip("link", "del", "v0")
    seen.append(asdict(take()))
    ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
    seen.append(asdict(take()))
    print(json.dumps(seen))
"""


@pytest.mark.real
def test_veths_of_a_namespace_by_the_live_kernel() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root for a network namespace")
    inside = f'mount -t sysfs sysfs /sys && exec "{sys.executable}" -c "$0"'
    argv = ["unshare", "--net", "--mount", "sh", "-c", inside, IN_NAMESPACE]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    before, after, info, (link,), gone, back = json.loads(done.stdout)

    def v0(sample: Any) -> Any:
        return next(one for one in sample["nics"] if one["name"] == "v0")

    assert {one["name"] for one in before["nics"]} == {"v0", "v1"}
    assert (v0(before)["operstate"], v0(before)["speed_mbps"], v0(before)["mtu"]) == ("down", None, 1400)
    assert (v0(after)["operstate"], v0(after)["speed_mbps"]) == ("up", 10000)
    assert v0(after)["carrier_changes"] > v0(before)["carrier_changes"]
    assert 0 <= v0(after)["tx_bytes"] <= link["stats64"]["tx"]["bytes"]
    assert v0(after)["counters"]["rx_missed_errors"] == 0
    assert v0(info) | {"driver_version": ""} == {
        "name": "v0",
        "driver": "veth",
        "driver_version": "",
        "firmware": "",
        "bus": "",
        "mac": "02:00:00:00:00:0a",
        "phys_port_name": None,
        "phys_switch_id": None,
        "wireless": False,
        "rx_queues": 1,
        "tx_queues": 1,
    }
    assert gone["nics"] == []
    assert v0(back)["mtu"] == 1500
