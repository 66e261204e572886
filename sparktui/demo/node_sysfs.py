"""A node's /sys/class/net and /sys/class/infiniband."""

from __future__ import annotations

from collections.abc import Callable

from sparktui.demo.hardware import BUSES, CPUS, NETDEVS, PORTS, RJ45, WIFI, mac, rdma_device
from sparktui.demo.names import HW_COUNTERS, PORT_COUNTERS, STATISTICS
from sparktui.demo.node import DemoNode
from sparktui.demo.node_net import NodeNetwork
from sparktui.demo.traffic import Wire

Render = Callable[[], str]

NET, RDMA = "/sys/class/net", "/sys/class/infiniband"
FRAMES_PER_WRITE = 128
"""A 512 KiB RDMA write in frames of 4096."""


def static_files(node: DemoNode, network: NodeNetwork) -> dict[str, str]:
    """Path to text of what stays the same while the node is up."""
    files: dict[str, str] = {}
    for at, name in enumerate(NETDEVS, 2):
        files |= {f"{NET}/{name}/{entry}": text + "\n" for entry, text in _netdev(node, network, name, at).items()}
    for name in ("lo", "docker0"):
        files |= {f"{NET}/{name}/operstate": "unknown\n" if name == "lo" else "down\n", f"{NET}/{name}/mtu": "1500\n"}
    for name in PORTS:
        cabled = network.rdma(name) is not None
        port = f"{RDMA}/{rdma_device(name)}/ports/1"
        files |= {
            f"{RDMA}/{rdma_device(name)}/hca_type": "MT4129\n",
            f"{RDMA}/{rdma_device(name)}/fw_ver": "28.45.4028\n",
            f"{port}/state": "4: ACTIVE\n" if cabled else "1: DOWN\n",
            f"{port}/phys_state": "5: LinkUp\n" if cabled else "3: Disabled\n",
            f"{port}/rate": "200 Gb/sec (4X HDR)\n" if cabled else "40 Gb/sec (4X QDR)\n",
            f"{port}/link_layer": "Ethernet\n",
            f"{port}/gid_attrs/ndevs/0": name + "\n",
            f"{RDMA}/{rdma_device(name)}/device/net/{name}/mtu": "9000\n",
        }
        files |= {f"{port}/counters/{counter}": "0\n" for counter in PORT_COUNTERS}
        files |= {f"{port}/hw_counters/{counter}": "0\n" for counter in HW_COUNTERS}
        files[f"{port}/hw_counters/lifespan"] = "10\n"
    return files


def _netdev(node: DemoNode, network: NodeNetwork, name: str, index: int) -> dict[str, str]:
    up = name == RJ45 or network.rdma(name) is not None
    entries = {
        "ifindex": str(index),
        "type": "1",
        "address": mac(node.index, name),
        "operstate": "up" if up else "down",
        "carrier_changes": "2" if up else "1",
        "mtu": "9000" if name in PORTS else "1500",
    }
    if name == WIFI:
        return entries | {"phy80211/name": "phy0"}
    entries |= {"carrier": str(int(up)), "speed": ("10000" if name == RJ45 else "200000") if up else "-1"}
    rx, tx = (node.driver.rx_queues, node.driver.tx_queues) if name == RJ45 else (CPUS, CPUS)
    entries |= {f"queues/rx-{queue}/rps_cpus": "00000" for queue in range(rx)}
    entries |= {f"queues/tx-{queue}/xps_cpus": "00000" for queue in range(tx)}
    if name in PORTS:
        entries |= {"phys_port_name": PORTS[name], "phys_switch_id": f"02d59003{node.index + 1:08x}"}
    return entries


def links(network: NodeNetwork) -> dict[str, str]:
    """The devices' links in sysfs."""
    found: dict[str, str] = {}
    for name in NETDEVS:
        found[f"{NET}/{name}/device"] = f"../../../{BUSES[name]}"
        found[f"{NET}/{name}/device/driver"] = f"../../../../bus/pci/drivers/{network.driver(name).driver}"
        if name in PORTS:
            found[f"{RDMA}/{rdma_device(name)}/device"] = f"../../../{BUSES[name]}"
    return found


def live_files(network: NodeNetwork) -> dict[str, Render]:
    """Path to renderer of what changes."""
    files: dict[str, Render] = {
        "/proc/net/dev": network.proc_net_dev,
        "/proc/net/softnet_stat": network.softnet_stat,
        "/proc/net/snmp": network.snmp,
        "/proc/net/netstat": network.netstat,
    }
    for name in NETDEVS:
        files |= {f"{NET}/{name}/statistics/{entry}": _statistic(network, name, entry) for entry in STATISTICS}
    for name in PORTS:
        if network.rdma(name) is not None:
            port = f"{RDMA}/{rdma_device(name)}/ports/1"
            files |= {f"{port}/counters/{entry}": _rdma(network, name, entry) for entry in TRAFFIC}
            files[f"{port}/hw_counters/rx_write_requests"] = _rdma(network, name, "rx_write_requests")
    return files


def _statistic(network: NodeNetwork, name: str, entry: str) -> Render:
    def render() -> str:
        one = network.netdev(name)
        values = {
            "rx_bytes": one.rx.octets,
            "rx_packets": one.rx.frames,
            "rx_missed_errors": one.rx_missed,
            "tx_bytes": one.tx.octets,
            "tx_packets": one.tx.frames,
        }
        return f"{values.get(entry, 0)}\n"

    return render


TRAFFIC: dict[str, Callable[[Wire, Wire], int]] = {
    "port_rcv_data": lambda rx, _: rx.octets // 4,
    "port_rcv_packets": lambda rx, _: rx.frames,
    "unicast_rcv_packets": lambda rx, _: rx.frames,
    "port_xmit_data": lambda _, tx: tx.octets // 4,
    "port_xmit_packets": lambda _, tx: tx.frames,
    "unicast_xmit_packets": lambda _, tx: tx.frames,
}
"""The port counters that move, of (received, sent); data in words of four octets."""


def writes(rx: Wire, _: Wire) -> int:
    return rx.frames // FRAMES_PER_WRITE


def _rdma(network: NodeNetwork, name: str, entry: str) -> Render:
    value = TRAFFIC.get(entry, writes)

    def render() -> str:
        passed = network.rdma(name)
        return f"{value(*passed)}\n" if passed else "0\n"

    return render
