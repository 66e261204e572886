"""Which counters of a network driver tell something, what each means, and how wide it is. Shared by node and client.

Sources: mlx5_core - the kernel's Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst for the
meanings, en_stats.c / en_stats.h for the widths; mlx5_ib - drivers/infiniband/hw/mlx5/counters.c; r8169 - its struct
rtl8169_counters; r8127 - the vendor's struct rtl8127_counters; netdev - the comments of struct rtnl_link_stats64.
Gauges among the statistics (outbound_pci_stalled_rd is a percentage, veth's peer_ifindex an index) are never kept: a
number that falls would read as a reset of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

Kind = Literal["drop", "line", "pause", "tx_drop", "fec", "info", "traffic"]
"""drop = frames lost on the receive side with the line in order; line = frames or symbols that came broken;
pause = flow control, frames or microseconds; tx_drop = frames not sent; fec = bits the receiver put right, which is
normal at 50 Gb/s per lane; info = tells something and is no loss by itself; traffic = frames and bytes."""

RdmaKind = Literal["error", "congestion", "info"]
"""error = growth means frames lost or sent again; congestion = ECN and CNP at work; info = rises in normal use too."""

Table = Mapping[str, tuple[Kind, int]]
"""Name -> (kind, width in bits)."""

# rx_missed and rx_mac_missed count the same frames, the first in 16 bits. rx_mac_error means CRC or symbol errors by
# its name, yet it also rises under host-side loss with a clean switch port: by itself it cannot tell cable from NIC.
# rdu counts moments without a receive descriptor, not frames; tdu is the same for transmit: the end of every burst.
_R8127: Table = {
    "rx_packets": ("traffic", 64),
    "tx_packets": ("traffic", 64),
    "rx_missed": ("drop", 16),
    "rx_mac_missed": ("drop", 32),
    "rdu": ("drop", 32),
    "rx_frame_too_long": ("drop", 32),
    "rx_mac_error": ("line", 32),
    "rx_errors": ("line", 32),
    "align_errors": ("line", 16),
    "align_errors32": ("line", 32),
    "rx_runt": ("line", 32),
    "rx_pause_on": ("pause", 32),
    "rx_pause_off": ("pause", 32),
    "tx_pause_on": ("pause", 32),
    "tx_pause_off": ("pause", 32),
    "tx_errors": ("tx_drop", 64),
    "tx_aborted": ("tx_drop", 16),
    "tx_aborted32": ("tx_drop", 32),
    "tx_underrun": ("tx_drop", 16),
    "tx_underrun32": ("tx_drop", 32),
    "tdu": ("info", 32),
    "rx_tcam_dropped": ("info", 32),
    "rx_unknown_opcode": ("info", 32),
}

_R8169: Table = {
    "rx_packets": ("traffic", 64),
    "tx_packets": ("traffic", 64),
    "rx_missed": ("drop", 16),
    "rx_errors": ("line", 32),
    "align_errors": ("line", 16),
    "tx_errors": ("tx_drop", 64),
    "tx_aborted": ("tx_drop", 16),
    "tx_underrun": ("tx_drop", 16),
}

# rx_prioN_discards add up to rx_discards_phy, rx_global_pause is rx_pause_ctrl_phy again: left out. buf_discard and
# cong_discard are per host of a NIC shared by several (a Spark's has two), not known to be part of rx_discards_phy.
# outbound_pci_buffer_overflow: more came than the PCIe lanes take. rx_oversize_pkts_* and rx_out_of_range_len_phy: the
# peer has a larger MTU. rx_steer_missed_packets: no rule wanted the frame.
_MLX5: Table = {
    "rx_packets_phy": ("traffic", 64),
    "tx_packets_phy": ("traffic", 64),
    "rx_bytes_phy": ("traffic", 64),
    "tx_bytes_phy": ("traffic", 64),
    "rx_out_of_buffer": ("drop", 32),
    "rx_discards_phy": ("drop", 64),
    "rx_buff_alloc_err": ("drop", 64),
    "rx_wqe_err": ("drop", 64),
    "rx_oversize_pkts_phy": ("drop", 64),
    "rx_out_of_range_len_phy": ("drop", 64),
    "rx_oversize_pkts_buffer": ("drop", 64),
    "rx_oversize_pkts_sw_drop": ("drop", 64),
    "dev_internal_queue_oob": ("drop", 32),
    "outbound_pci_buffer_overflow": ("drop", 64),
    **{f"rx_prio{p}_{what}_discard": ("drop", 64) for p in range(8) for what in ("buf", "cong")},
    "rx_crc_errors_phy": ("line", 64),
    "rx_symbol_err_phy": ("line", 64),
    "rx_pcs_symbol_err_phy": ("line", 64),
    "rx_in_range_len_errors_phy": ("line", 64),
    "rx_undersize_pkts_phy": ("line", 64),
    "rx_fragments_phy": ("line", 64),
    "rx_jabbers_phy": ("line", 64),
    "rx_corrected_bits_phy": ("fec", 64),
    "rx_pause_ctrl_phy": ("pause", 64),
    "tx_pause_ctrl_phy": ("pause", 64),
    "rx_global_pause_duration": ("pause", 64),
    "tx_global_pause_duration": ("pause", 64),
    **{f"{way}_prio{p}_pause": ("pause", 64) for p in range(8) for way in ("rx", "tx")},
    **{f"{way}_prio{p}_pause_duration": ("pause", 64) for p in range(8) for way in ("rx", "tx")},
    "tx_pause_storm_warning_events": ("pause", 64),
    "tx_pause_storm_error_events": ("pause", 64),
    "tx_discards_phy": ("tx_drop", 64),
    "tx_errors_phy": ("tx_drop", 64),
    "tx_queue_dropped": ("tx_drop", 64),
    "tx_cqe_err": ("tx_drop", 64),
    "rx_steer_missed_packets": ("info", 64),
    "rx_if_down_packets": ("info", 32),
    "rx_buffer_passed_thres_phy": ("info", 64),
    "link_down_events_phy": ("info", 32),
    "module_bus_stuck": ("info", 64),
    "module_high_temp": ("info", 64),
    "module_bad_shorted": ("info", 64),
    "rx_pci_signal_integrity": ("info", 32),
    "tx_pci_signal_integrity": ("info", 32),
    "outbound_pci_stalled_rd_events": ("info", 32),
    "outbound_pci_stalled_wr_events": ("info", 32),
}

# Older kernels have no sum over the queues, only a counter for each.
_VIRTIO: Table = {
    "rx_drops": ("drop", 64),
    **{f"rx_queue_{queue}_drops": ("drop", 64) for queue in range(64)},
    "tx_tx_timeouts": ("tx_drop", 64),
}

# No statistics worth keeping by ethtool; what its receiver's backlog refused is in the netdev's rx_dropped.
_VETH: Table = {"rx_dropped": ("drop", 64)}

# /sys/class/net/X/statistics. rx_dropped is no loss by itself: it also counts frames of protocols that nobody on this
# machine speaks, so it ticks under any switch that sends LLDP.
_NETDEV: Table = {
    "rx_dropped": ("info", 64),
    "rx_missed_errors": ("drop", 64),
    "rx_fifo_errors": ("drop", 64),
    "rx_errors": ("line", 64),
    "rx_crc_errors": ("line", 64),
    "rx_frame_errors": ("line", 64),
    "rx_length_errors": ("info", 64),
    "tx_errors": ("tx_drop", 64),
    "tx_dropped": ("tx_drop", 64),
}

_DRIVERS: Mapping[str, Table] = {
    "r8127": _R8127,
    "r8169": _R8169,
    "mlx5_core": _MLX5,
    "virtio_net": _VIRTIO,
    "veth": _VETH,
}
_OWN_COUNTERS_TELL_ALL = frozenset({"r8127", "r8169", "mlx5_core"})
_EMPTY: Table = {}


def keep(driver: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of a driver's ethtool statistics that tell something, in the driver's order; none of an unknown driver."""
    table = _DRIVERS.get(driver, _EMPTY)
    return tuple(name for name in names if name in table)


def netdev_names(driver: str) -> tuple[str, ...]:
    """The files of /sys/class/net/X/statistics to read for this driver.

    None where the driver's own counters tell all: an r8127 answers every one of these files with a dump of its
    counters over the bus, never feeds rx_errors and rx_dropped, and gives rx_missed_errors in 16 bits.
    """
    return () if driver in _OWN_COUNTERS_TELL_ALL else tuple(_NETDEV)


def kind(driver: str, name: str) -> Kind:
    """What a counter in NicCounters.counters means; "info" for one that is in no table."""
    entry = _DRIVERS.get(driver, _EMPTY).get(name) or _NETDEV.get(name)
    return entry[0] if entry else "info"


def line_counters(driver: str) -> frozenset[str]:
    """The names that are of kind "line"; a rule looks for them among all counters of a rack every second."""
    return _LINE.get(driver, _LINE[""])


_LINE: Mapping[str, frozenset[str]] = {
    driver: frozenset(name for name in {*_NETDEV, *_DRIVERS.get(driver, ())} if kind(driver, name) == "line")
    for driver in ("", *_DRIVERS)
}


def widths(driver: str) -> Mapping[str, int]:
    """Width in bits of every counter of NicCounters.counters that has fewer than 64, by name."""
    return _WIDTHS.get(driver, {})


_WIDTHS: Mapping[str, Mapping[str, int]] = {
    driver: {name: bits for name, (_, bits) in table.items() if bits < 64} for driver, table in _DRIVERS.items()
}


def missed_counters(driver: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of a NIC's counters whose sum is the frames lost on its receive side (contract rx_missed); none = unknown.

    mlx5_core: rx_out_of_buffer are frames that found no buffer of the host's, rx_discards_phy those that found no room
    in the port; the second is the whole cage's. r8169: 16 bits, so a lower bound under heavy loss.
    """
    return _there(_MISSED.get(driver, ()), names) or _there(("rx_missed_errors", "rx_fifo_errors"), names)


_MISSED: Mapping[str, tuple[str, ...]] = {
    "r8127": ("rx_mac_missed",),
    "r8169": ("rx_missed",),
    "mlx5_core": ("rx_out_of_buffer", "rx_discards_phy"),
    "virtio_net": tuple(name for name, (meaning, _) in _VIRTIO.items() if meaning == "drop"),
    "veth": ("rx_dropped",),
}


def error_counters(driver: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of a NIC's counters whose sum is the frames that came broken (contract rx_errors); none = unknown.

    mlx5_core: not rx_symbol_err_phy as well, since a symbol error makes the same frame fail its CRC.
    """
    return _there(_ERRORS.get(driver, ()), names) or _there(("rx_errors",), names)


_ERRORS: Mapping[str, tuple[str, ...]] = {"r8127": ("rx_mac_error",), "mlx5_core": ("rx_crc_errors_phy",)}


def _there(wanted: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    there = frozenset(names)
    return tuple(name for name in wanted if name in there)


def per_cable(driver: str, name: str) -> bool:
    """Whether both halves of a ConnectX cage report this counter, being their common port's: it is not to be added."""
    return driver == "mlx5_core" and (name.endswith("_phy") or "pause" in name or name.startswith("module_"))


# Of /sys/class/infiniband/DEV/ports/N: hw_counters (the adapter's queue counters have 32 bits, the congestion counters
# 64) and counters (they stick at their maximum instead of wrapping). cqe_error holds the flush errors too, and those
# rise whenever a queue pair is torn down.
_RDMA: Mapping[str, tuple[RdmaKind, int]] = {
    "out_of_sequence": ("error", 32),
    "packet_seq_err": ("error", 32),
    "local_ack_timeout_err": ("error", 32),
    "rnr_nak_retry_err": ("error", 32),
    "roce_adp_retrans": ("error", 32),
    "roce_adp_retrans_to": ("error", 32),
    "req_transport_retries_exceeded": ("error", 32),
    "req_rnr_retries_exceeded": ("error", 32),
    "rx_icrc_encapsulated": ("error", 64),
    "np_cnp_sent": ("congestion", 64),
    "np_ecn_marked_roce_packets": ("congestion", 64),
    "rp_cnp_handled": ("congestion", 64),
    "rp_cnp_ignored": ("congestion", 64),
    "roce_slow_restart": ("congestion", 32),
    "roce_slow_restart_cnps": ("congestion", 32),
    "roce_slow_restart_trans": ("congestion", 32),
    "out_of_buffer": ("info", 32),
    "implied_nak_seq_err": ("info", 32),
    "duplicate_request": ("info", 32),
    "req_cqe_error": ("info", 32),
    "resp_cqe_error": ("info", 32),
    "req_cqe_flush_error": ("info", 32),
    "resp_cqe_flush_error": ("info", 32),
    "req_remote_access_errors": ("info", 32),
    "req_remote_invalid_request": ("info", 32),
    "resp_remote_access_errors": ("info", 32),
    "resp_local_length_error": ("info", 32),
    "port_rcv_errors": ("error", 64),
    "port_xmit_discards": ("error", 64),
    "port_xmit_wait": ("congestion", 64),
}

RDMA_PORT_COUNTERS = ("port_rcv_errors", "port_xmit_discards", "port_xmit_wait")
"""Read from counters/; every one is a question to the adapter."""

RDMA_HW_COUNTERS = tuple(name for name in _RDMA if name not in RDMA_PORT_COUNTERS)
"""Read from hw_counters/; the kernel asks the adapter for all of them at once and keeps the answer for 10 ms."""

RDMA_WIDTHS: Mapping[str, int] = {name: bits for name, (_, bits) in _RDMA.items() if bits < 64}
"""As `widths`, for RdmaPort.counters."""


def rdma_kind(name: str) -> RdmaKind:
    """What a counter in RdmaPort.counters means; "info" for one that is in no table."""
    entry = _RDMA.get(name)
    return entry[0] if entry else "info"


RDMA_ERRORS = frozenset(name for name in _RDMA if rdma_kind(name) == "error")
