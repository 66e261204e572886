"""What a Spark is made of: its CPUs, and its network devices with their names, cages and bus addresses."""

from __future__ import annotations

CPUS = 20
BIG = frozenset((*range(5, 10), *range(15, 20)))
"""CPUs 5-9 and 15-19 are Cortex-X925, the others Cortex-A725."""

RJ45, WIFI = "enP7s7", "wlP9s9"
HALVES = ("enp1s0f0np0", "enP2p1s0f0np0")
"""The two netdevs on the cable in a Spark's first cage."""

PORTS = {HALVES[0]: "p0", "enp1s0f1np1": "p1", HALVES[1]: "p0", "enP2p1s0f1np1": "p1"}
"""The ConnectX netdevs in the order of their bus addresses, and the cage of each. The second cage has no cable."""

NETDEVS = (RJ45, *PORTS, WIFI)
CX7_BUSES = ("0000:01:00.0", "0000:01:00.1", "0002:01:00.0", "0002:01:00.1")
RJ45_BUS, NVME_BUS, GPU_BUS, WIFI_BUS = "0007:01:00.0", "0004:01:00.0", "000f:01:00.0", "0009:01:00.0"
BUSES = {RJ45: RJ45_BUS, **dict(zip(PORTS, CX7_BUSES, strict=True)), WIFI: WIFI_BUS}
"""PCI address of every netdev."""

ROOT_PORTS = ("0000:00:00.0", "0002:00:00.0", "0004:00:00.0", "0007:00:00.0", "0009:00:00.0")


def mac(node: int, netdev: str) -> str:
    """The address of a netdev of the node with this number: a locally administered one."""
    return f"02:d5:90:00:{node + 1:02x}:{NETDEVS.index(netdev) + 1:02x}"


def rdma_device(netdev: str) -> str:
    """The RDMA device of a ConnectX netdev: enP2p1s0f0np0 -> roceP2p1s0f0."""
    return "roce" + netdev[2:].rpartition("np")[0]
