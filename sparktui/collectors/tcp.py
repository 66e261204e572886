"""TCP and UDP counters of /proc/net/snmp and /proc/net/netstat that tell of trouble."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader

TCP = (
    "InSegs",
    "OutSegs",
    "RetransSegs",
    "InErrs",
    "InCsumErrors",
    "AttemptFails",
    "EstabResets",
)
TCP_EXT = (
    "TCPLostRetransmit",
    "TCPTimeouts",
    "TCPFastRetrans",
    "TCPSlowStartRetrans",
    "TCPSynRetrans",
    "TCPRetransFail",
    "TCPSpuriousRTOs",
    "TCPSACKReneging",
    "TCPOFOQueue",
    "TCPBacklogDrop",
    "TCPRcvQDrop",
    "TCPZeroWindowDrop",
    "TCPAbortOnTimeout",
    "PruneCalled",
    "ListenOverflows",
    "ListenDrops",
)
UDP = (
    "InDatagrams",
    "OutDatagrams",
    "NoPorts",
    "InErrors",
    "RcvbufErrors",
    "SndbufErrors",
    "InCsumErrors",
    "MemErrors",
)


@dataclass(frozen=True, slots=True)
class TcpSample:
    """Cumulative counters by the kernel's own names (RetransSegs, OutSegs, RcvbufErrors, TCPTimeouts, ...)."""

    tcp: dict[str, int]
    udp: dict[str, int]


def parse_counters(text: str, protocol: str, wanted: Iterable[str]) -> dict[str, int]:
    """The `wanted` counters of `protocol` ("Tcp", "TcpExt"); those that this kernel does not have are left out.

    The kernel prints two lines per protocol, names and values; positions differ from kernel to kernel. Raises
    ValueError where the protocol is missing or the lines do not pair.
    """
    prefix = protocol + ": "
    lines = [line.split() for line in text.splitlines() if line.startswith(prefix)]
    if len(lines) != 2 or len(lines[0]) != len(lines[1]):
        raise ValueError(f"no pair of {protocol} lines")
    values = dict(zip(*lines, strict=True))
    return {name: int(values[name]) for name in wanted if name in values}


def start(reader: Reader) -> Callable[[], TcpSample]:
    def sample() -> TcpSample:
        snmp, netstat = reader.text("/proc/net/snmp"), reader.text("/proc/net/netstat")
        tcp = parse_counters(snmp, "Tcp", TCP) | parse_counters(netstat, "TcpExt", TCP_EXT)
        return TcpSample(tcp, parse_counters(snmp, "Udp", UDP))

    return sample


COLLECTORS = (Collector("tcp", "fast", TcpSample, start),)
