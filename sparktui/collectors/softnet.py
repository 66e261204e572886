"""The network softirq: /proc/net/softnet_stat and the NET_RX / NET_TX rows of /proc/softirqs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SoftnetSample:
    """Cumulative counts per CPU, `cpu[i]` being the CPU's number; net_rx / net_tx from /proc/softirqs, same order."""

    cpu: list[int]
    processed: list[int]
    dropped: list[int]
    time_squeeze: list[int]
    net_rx: list[int]
    net_tx: list[int]
