"""Every physical network device: link, netdev statistics, and the driver's own counters by ioctl."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NicCounters:
    """One netdev, cumulative counters as the kernel gives them (not unwrapped).

    `counters` holds the counters of the driver that tell something (collectors/nic_counters.py) by their ethtool names;
    for drivers without statistics the netdev error counters by their sysfs names (rx_dropped, rx_missed_errors, ...).
    `speed_mbps` is None while the link is down or unknown; it and `mtu` are read again when the carrier changed.
    """

    name: str
    operstate: str
    carrier_changes: int
    speed_mbps: int | None
    mtu: int
    rx_bytes: int
    tx_bytes: int
    rx_packets: int
    tx_packets: int
    rx_errors: int
    tx_errors: int
    rx_dropped: int
    tx_dropped: int
    counters: dict[str, int]


@dataclass(frozen=True, slots=True)
class NicSample:
    nics: list[NicCounters]


@dataclass(frozen=True, slots=True)
class NicInfo:
    """What seldom changes. `bus` is the PCI address ("0000:01:00.0") or what stands for it; `mac` lower case."""

    name: str
    driver: str
    driver_version: str
    firmware: str
    bus: str
    mac: str
    phys_port_name: str | None
    phys_switch_id: str | None
    wireless: bool
    rx_queues: int | None
    tx_queues: int | None


@dataclass(frozen=True, slots=True)
class NicInfoSample:
    nics: list[NicInfo]
