"""What the counters of each driver mean, how wide they are, and which of them make rx_missed and rx_errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.collectors import nic_counters
from sparktui.collectors.folder import FolderReader, parse_stats
from sparktui.collectors.nic_counters import RDMA_HW_COUNTERS, RDMA_PORT_COUNTERS, RDMA_WIDTHS
from sparktui.rates import CounterGroup

NODES = Path(__file__).parent / "fixtures" / "nodes"
STOCK = FolderReader(NODES / "gb10-dgxos-7.3.1-stock")
SPARK = FolderReader(NODES / "gb10-dgxos-7.6.0")
H200 = FolderReader(NODES / "h200-x86")

R8127_KEPT = [
    "tx_packets",
    "rx_packets",
    "tx_errors",
    "rx_errors",
    "rx_missed",
    "align_errors",
    "tx_aborted",
    "tx_underrun",
    "tx_pause_on",
    "tx_pause_off",
    "tx_aborted32",
    "align_errors32",
    "rx_frame_too_long",
    "rx_runt",
    "rx_pause_on",
    "rx_pause_off",
    "rx_unknown_opcode",
    "rx_mac_error",
    "tx_underrun32",
    "rx_mac_missed",
    "rx_tcam_dropped",
    "tdu",
    "rdu",
]


def test_r8127_keeps_what_tells_something_in_the_drivers_order() -> None:
    assert nic_counters.keep("r8127", STOCK.ethtool_stats("enP7s7")) == tuple(R8127_KEPT)


def test_r8127_widths_are_those_of_the_chips_tally() -> None:
    widths = nic_counters.widths("r8127")
    assert {name for name in R8127_KEPT if widths.get(name) == 16} == {
        "rx_missed",
        "align_errors",
        "tx_aborted",
        "tx_underrun",
    }
    assert {name for name in R8127_KEPT if name not in widths} == {"tx_packets", "rx_packets", "tx_errors"}
    assert widths["rx_mac_missed"] == widths["rdu"] == widths["rx_mac_error"] == widths["rx_errors"] == 32


def test_mlx5_counters_that_the_firmware_counts_in_32_bits() -> None:
    assert set(nic_counters.widths("mlx5_core")) == {
        "rx_out_of_buffer",
        "rx_if_down_packets",
        "dev_internal_queue_oob",
        "link_down_events_phy",
        "rx_pci_signal_integrity",
        "tx_pci_signal_integrity",
        "outbound_pci_stalled_rd_events",
        "outbound_pci_stalled_wr_events",
    }


def test_mlx5_keeps_no_queue_no_gauge_and_nothing_twice() -> None:
    kept = nic_counters.keep("mlx5_core", SPARK.ethtool_stats("enp1s0f0np0"))
    assert not {"rx0_packets", "ch_events", "rx_vport_unicast_bytes", "outbound_pci_stalled_wr"} & set(kept)
    assert not {"rx_prio0_discards", "rx_global_pause", "rx_err_lane_0_phy"} & set(kept)
    assert {"rx_prio0_buf_discard", "rx_prio7_cong_discard", "outbound_pci_stalled_wr_events"} < set(kept)


def test_mlx5_pause_per_priority_is_kept_where_flow_control_per_priority_is_on(samples: Path) -> None:
    stats = parse_stats((samples / "spark/ethtool-S-mlx5-pfc-grep.txt").read_text())
    kept = nic_counters.keep("mlx5_core", stats)
    assert {"rx_prio3_pause", "rx_prio3_pause_duration", "tx_prio3_pause", "tx_prio3_pause_duration"} < set(kept)
    assert "rx_prio3_packets" not in kept


@pytest.mark.parametrize(
    ("driver", "name", "kind"),
    [
        ("r8127", "rx_mac_missed", "drop"),
        ("r8127", "rdu", "drop"),
        ("r8127", "tdu", "info"),
        ("r8127", "rx_mac_error", "line"),
        ("r8127", "rx_pause_on", "pause"),
        ("r8169", "rx_missed", "drop"),
        ("mlx5_core", "rx_discards_phy", "drop"),
        ("mlx5_core", "outbound_pci_buffer_overflow", "drop"),
        ("mlx5_core", "rx_symbol_err_phy", "line"),
        ("mlx5_core", "rx_corrected_bits_phy", "fec"),
        ("mlx5_core", "rx_steer_missed_packets", "info"),
        ("mlx5_core", "tx_discards_phy", "tx_drop"),
        ("mlx5_core", "rx_packets_phy", "traffic"),
        ("veth", "rx_dropped", "drop"),
        ("igc", "rx_dropped", "info"),
        ("igc", "rx_missed_errors", "drop"),
        ("igc", "rx_crc_errors", "line"),
        ("igc", "of a later version", "info"),
    ],
)
def test_kinds(driver: str, name: str, kind: str) -> None:
    assert nic_counters.kind(driver, name) == kind


NETDEV = nic_counters.netdev_names("igc")


@pytest.mark.parametrize(
    ("driver", "names", "missed", "errors"),
    [
        ("r8127", R8127_KEPT, ("rx_mac_missed",), ("rx_mac_error",)),
        ("r8169", ["rx_missed", "rx_errors", "align_errors"], ("rx_missed",), ("rx_errors",)),
        ("mlx5_core", H200.ethtool_stats("ens7np0"), ("rx_out_of_buffer", "rx_discards_phy"), ("rx_crc_errors_phy",)),
        ("mlx5_core", ["rx_out_of_buffer"], ("rx_out_of_buffer",), ()),
        ("virtio_net", ["rx_drops", *NETDEV], ("rx_drops",), ("rx_errors",)),
        ("virtio_net", ["rx_queue_0_drops", "rx_queue_1_drops"], ("rx_queue_0_drops", "rx_queue_1_drops"), ()),
        ("veth", NETDEV, ("rx_dropped",), ("rx_errors",)),
        ("igc", NETDEV, ("rx_missed_errors", "rx_fifo_errors"), ("rx_errors",)),
        ("mlx5_core", NETDEV, ("rx_missed_errors", "rx_fifo_errors"), ("rx_errors",)),
        ("igc", [], (), ()),
    ],
)
def test_what_makes_rx_missed_and_rx_errors(
    driver: str, names: list[str], missed: tuple[str, ...], errors: tuple[str, ...]
) -> None:
    assert nic_counters.missed_counters(driver, names) == missed
    assert nic_counters.error_counters(driver, names) == errors


def test_a_broken_frame_is_one_error_though_two_counters_see_it(samples: Path) -> None:
    stats = parse_stats((samples / "spark/ethtool-S-mlx5-full-100g.txt").read_text())
    assert stats["rx_crc_errors_phy"] == stats["rx_symbol_err_phy"] == 386
    assert sum(stats[name] for name in nic_counters.error_counters("mlx5_core", stats)) == 386


@pytest.mark.parametrize("driver", ["r8127", "r8169", "mlx5_core"])
def test_no_netdev_statistic_is_read_where_the_driver_tells_all(driver: str) -> None:
    assert nic_counters.netdev_names(driver) == ()


def test_counters_of_the_common_port_are_not_to_be_added() -> None:
    kept = nic_counters.keep("mlx5_core", SPARK.ethtool_stats("enp1s0f0np0"))
    own = {name for name in kept if not nic_counters.per_cable("mlx5_core", name)}
    assert {"rx_out_of_buffer", "rx_prio0_buf_discard", "tx_queue_dropped"} < own
    assert not {"rx_discards_phy", "rx_crc_errors_phy", "tx_global_pause_duration", "module_high_temp"} & own
    assert not nic_counters.per_cable("r8127", "rx_pause_on")


def test_r8127_losses_are_the_same_by_both_counters_though_one_wraps() -> None:
    before = STOCK.ethtool_stats("enP7s7")
    now = before | {"rx_missed": (38_204 + 31_417) % 65_536, "rx_mac_missed": 103_740 + 31_417, "rdu": 41_906 + 12_003}
    group = CounterGroup(nic_counters.widths("r8127"))
    group.update({name: before[name] for name in R8127_KEPT}, at=10.0)
    group.update({name: now[name] for name in R8127_KEPT}, at=12.0)
    assert now["rx_missed"] == 4_085
    assert group.per_s["rx_missed"] == group.per_s["rx_mac_missed"] == 15_708.5
    assert group.per_s["rx_mac_error"] == 0.0
    assert group.totals["rx_mac_missed"] == 135_157
    assert group.totals["rx_missed"] == 38_204 + 31_417


def test_mlx5_out_of_buffer_wraps_at_32_bits_and_resets_nothing() -> None:
    before = H200.ethtool_stats("ens7np0")
    kept = nic_counters.keep("mlx5_core", before)
    group = CounterGroup(nic_counters.widths("mlx5_core"))
    group.update({name: before[name] for name in kept}, at=1.0)
    group.update({name: before[name] for name in kept} | {"rx_out_of_buffer": 12}, at=2.0)
    assert before["rx_out_of_buffer"] == 4_294_967_290
    assert group.per_s["rx_out_of_buffer"] == 18.0
    assert group.per_s["rx_discards_phy"] == 0.0


# --- RDMA


def test_rdma_errors_are_those_that_mean_lost_or_repeated_frames() -> None:
    names = [*RDMA_HW_COUNTERS, *RDMA_PORT_COUNTERS]
    assert {name for name in names if nic_counters.rdma_kind(name) == "error"} == {
        "out_of_sequence",
        "packet_seq_err",
        "local_ack_timeout_err",
        "rnr_nak_retry_err",
        "roce_adp_retrans",
        "roce_adp_retrans_to",
        "req_transport_retries_exceeded",
        "req_rnr_retries_exceeded",
        "rx_icrc_encapsulated",
        "port_rcv_errors",
        "port_xmit_discards",
    }
    assert {name for name in names if nic_counters.rdma_kind(name) == "congestion"} == {
        "np_cnp_sent",
        "np_ecn_marked_roce_packets",
        "rp_cnp_handled",
        "rp_cnp_ignored",
        "roce_slow_restart",
        "roce_slow_restart_cnps",
        "roce_slow_restart_trans",
        "port_xmit_wait",
    }
    for benign in ("req_cqe_flush_error", "resp_cqe_flush_error", "resp_cqe_error", "lifespan"):
        assert nic_counters.rdma_kind(benign) == "info"


def test_rdma_queue_counters_have_32_bits_and_congestion_counters_64() -> None:
    assert RDMA_WIDTHS["out_of_sequence"] == RDMA_WIDTHS["local_ack_timeout_err"] == 32
    assert not {"np_cnp_sent", "rx_icrc_encapsulated", *RDMA_PORT_COUNTERS} & set(RDMA_WIDTHS)
    assert "lifespan" not in RDMA_HW_COUNTERS
