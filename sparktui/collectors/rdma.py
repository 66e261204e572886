"""RDMA ports from /sys/class/infiniband: RoCE bytes never appear in the netdev's counters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """One port. `rx_bytes`/`tx_bytes` are port_rcv_data/port_xmit_data times 4; `counters` the named error counters."""

    device: str
    port: int
    netdev: str | None
    state: str
    phys_state: str
    rate: str
    rx_bytes: int | None
    tx_bytes: int | None
    rx_packets: int | None
    tx_packets: int | None
    counters: dict[str, int]


@dataclass(frozen=True, slots=True)
class RdmaSample:
    ports: list[RdmaPort]
