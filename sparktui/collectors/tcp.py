"""TCP and UDP counters of /proc/net/snmp and /proc/net/netstat that tell of trouble."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TcpSample:
    """Cumulative counters by the kernel's own names (RetransSegs, OutSegs, RcvbufErrors, TCPTimeouts, ...)."""

    tcp: dict[str, int]
    udp: dict[str, int]
