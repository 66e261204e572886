"""A node's network as the kernel shows it: /proc/net, /sys/class/net, the statistics of r8127 and mlx5_core by name."""

from __future__ import annotations

from dataclasses import dataclass

from sparktui.collectors.base import Channels, DriverInfo
from sparktui.demo.hardware import BUSES, CPUS, NETDEVS, PORTS, RJ45, WIFI
from sparktui.demo.names import MLX5, R8127
from sparktui.demo.node import DemoNode, Half
from sparktui.demo.traffic import FCS_OCTETS, Wire

FIRMWARE = "28.45.4028 (NVD0000000087)"
WIFI_FIRMWARE = "____000000-20260318114017"
W16, W32 = 1 << 16, 1 << 32
NEAR_WRAP = W32 - 300


@dataclass(frozen=True, slots=True)
class Netdev:
    """The software counters of one netdev. `rx_missed` as its driver fills it in: 16 bits of it in an r8127."""

    rx: Wire
    tx: Wire
    rx_missed: int = 0


NOTHING = Netdev(Wire(), Wire())
LOOPBACK = Netdev(Wire(91_022, 48_117_204), Wire(91_022, 48_117_204))
NET_DEV_HEAD = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast"
    "|bytes    packets errs drop fifo colls carrier compressed\n"
)


class NodeNetwork:
    """The network of one node. `near_wrap` starts the narrow error counters of its RJ45 just below their limits."""

    def __init__(self, node: DemoNode, near_wrap: bool = False) -> None:
        self._node = node
        self._offset = NEAR_WRAP if near_wrap else 0
        self._halves: dict[str, Half] = {half.netdev: half for half in node.halves}

    def netdev(self, name: str) -> Netdev:
        """The software counters now."""
        node = self._node
        if name == RJ45:
            rx = self._delivered()
            return Netdev(rx, node.rj45.sent(), self._narrow(node.missed, W16))
        if name in self._halves:
            half = self._halves[name]
            return Netdev(half.eth.received(), half.eth.sent())
        return NOTHING

    def _delivered(self) -> Wire:
        """What came up from the RJ45: all that arrived, less what broke on the cable or was lost in the NIC."""
        node = self._node
        came = node.rj45.received()
        lost = came.broken + node.missed + node.garbled
        return Wire(came.frames - lost, came.octets - came.broken_octets - node.lost_octets)

    def _narrow(self, count: int, limit: int) -> int:
        return (count + (0 if self._node.boots else self._offset)) % limit

    def driver(self, name: str) -> DriverInfo:
        """What ETHTOOL_GDRVINFO answers."""
        if name == RJ45:
            return DriverInfo("r8127", self._node.driver.version, "", BUSES[name])
        if name in PORTS:
            return DriverInfo("mlx5_core", self._node.software.kernel, FIRMWARE, BUSES[name])
        if name == WIFI:
            return DriverInfo("mt7925e", self._node.software.kernel, WIFI_FIRMWARE, BUSES[name])
        raise OSError(95, "Operation not supported", name)

    def channels(self, name: str) -> Channels:
        """What ETHTOOL_GCHANNELS answers."""
        if name == RJ45:
            build = self._node.driver
            return Channels(build.rx_queues, build.tx_queues, 0, build.max_rx, build.max_tx, 0)
        if name in PORTS:
            return Channels(0, 0, CPUS, 0, 0, CPUS)
        raise OSError(95, "Operation not supported", name)

    def stats(self, name: str) -> dict[str, int]:
        """What ETHTOOL_GSTATS answers, in the driver's order."""
        if name == RJ45:
            return self._r8127()
        if name in PORTS:
            return self._mlx5(self._halves.get(name))
        raise OSError(95, "Operation not supported", name)

    def _r8127(self) -> dict[str, int]:
        node = self._node
        rx, tx = self._delivered(), node.rj45.sent()
        broken = node.rj45.received().broken
        stats = dict.fromkeys(R8127, 0)
        stats |= {
            "tx_packets": tx.frames,
            "rx_packets": rx.frames,
            "rx_missed": self._narrow(node.missed, W16),
            "align_errors": broken // 9 % W16,
            "unicast": rx.frames,
            "tx_octets": tx.octets,
            "rx_octets": rx.octets,
            "tx_unicast64": tx.frames,
            "align_errors32": broken // 9 % W32,
            "rx_mac_error": self._narrow(broken + node.garbled, W32),
            "rx_mac_missed": self._narrow(node.missed, W32),
            "tdu": tx.frames // 3 % W32,
            "rdu": self._narrow(node.missed + node.missed // 4, W32),
        }
        return stats

    def _mlx5(self, half: Half | None) -> dict[str, int]:
        stats = dict.fromkeys(MLX5, 0)
        if half is None:
            return stats
        for way, eth, rdma in (
            ("rx", half.eth.received(), half.rdma.received()),
            ("tx", half.eth.sent(), half.rdma.sent()),
        ):
            frames = eth.frames + rdma.frames
            octets = eth.octets + rdma.octets + FCS_OCTETS * frames
            stats |= {
                f"{way}_packets": eth.frames,
                f"{way}_bytes": eth.octets,
                f"{way}_vport_unicast_packets": eth.frames,
                f"{way}_vport_unicast_bytes": eth.octets,
                f"{way}_vport_rdma_unicast_packets": rdma.frames,
                f"{way}_vport_rdma_unicast_bytes": rdma.octets,
                f"{way}_packets_phy": frames,
                f"{way}_bytes_phy": octets,
                f"{way}_prio0_packets": eth.frames,
                f"{way}_prio0_bytes": eth.octets,
                f"{way}_prio3_packets": rdma.frames,
                f"{way}_prio3_bytes": rdma.octets,
            }
            if way == "rx":
                stats |= {
                    "rx_csum_complete": eth.frames,
                    "rx_65_to_127_bytes_phy": eth.frames,
                    "rx_4096_to_8191_bytes_phy": rdma.frames,
                    "rx_corrected_bits_phy": octets // 40_000_000,
                }
        return stats

    def rdma(self, netdev: str) -> tuple[Wire, Wire] | None:
        """(received, sent) as RDMA since boot, None where no cable is in."""
        half = self._halves.get(netdev)
        return (half.rdma.received(), half.rdma.sent()) if half else None

    def proc_net_dev(self) -> str:
        """/proc/net/dev. Its drop column holds the missed frames too."""
        rows = [NET_DEV_HEAD, net_dev_row("lo", LOOPBACK)]
        rows += [net_dev_row(name, self.netdev(name)) for name in NETDEVS]
        rows.append(net_dev_row("docker0", NOTHING))
        return "".join(rows)

    def softnet_stat(self) -> str:
        """/proc/net/softnet_stat: fifteen columns, the CPU's number in the thirteenth."""
        node = self._node
        none = " 00000000" * 9
        return "".join(
            f"{int(node.processed[cpu]) % W32:08x} 00000000 {int(node.squeezed[cpu]) % W32:08x}{none} {cpu:08x}"
            " 00000000 00000000\n"
            for cpu in range(CPUS)
        )

    def snmp(self) -> str:
        """/proc/net/snmp."""
        node = self._node
        rx, tx = self._delivered(), node.rj45.sent()
        datagrams = int(node.udp_in)
        segments = rx.frames - datagrams
        return (
            "Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors InDelivers OutRequests\n"
            f"Ip: 1 64 {rx.frames} 0 0 {rx.frames} {tx.frames}\n"
            "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs"
            " OutSegs RetransSegs InErrs OutRsts InCsumErrors\n"
            f"Tcp: 1 200 120000 -1 1804 2207 31 12 9 {segments} {tx.frames} {int(node.retransmitted)} 0 44 0\n"
            "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti"
            " MemErrors\n"
            f"Udp: {datagrams + 40112} 21 0 39870 0 0 0 377 0\n"
        )

    def netstat(self) -> str:
        """/proc/net/netstat."""
        lost = int(self._node.retransmitted)
        return (
            "TcpExt: SyncookiesSent PruneCalled ListenOverflows ListenDrops TCPLostRetransmit TCPFastRetrans"
            " TCPSlowStartRetrans TCPTimeouts TCPBacklogDrop TCPRcvQDrop TCPSynRetrans TCPOFOQueue TCPSpuriousRTOs\n"
            f"TcpExt: 0 0 0 0 {lost // 50} {lost * 3 // 4} 0 {lost // 12} 0 0 3 {lost // 4} 0\n"
            "IpExt: InNoRoutes InTruncatedPkts InMcastPkts\nIpExt: 0 0 377\n"
        )


def net_dev_row(name: str, one: Netdev) -> str:
    return (
        f"{name:>6}: {one.rx.octets:7d} {one.rx.frames:7d}    0 {one.rx_missed:4d}    0     0          0"
        f"         0 {one.tx.octets:8d} {one.tx.frames:7d}    0    0    0     0       0          0\n"
    )
