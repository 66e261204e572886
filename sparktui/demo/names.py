"""Names that drivers and the kernel give their counters, in their order."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


R8127 = words(
    """
    tx_packets rx_packets tx_errors rx_errors rx_missed align_errors tx_single_collisions tx_multi_collisions
    unicast broadcast multicast tx_aborted tx_underrun tx_octets rx_octets rx_multicast64 tx_unicast64
    tx_broadcast64 tx_multicast64 tx_pause_on tx_pause_off tx_pause_all tx_deferred tx_late_collision
    tx_all_collision tx_aborted32 align_errors32 rx_frame_too_long rx_runt rx_pause_on rx_pause_off rx_pause_all
    rx_unknown_opcode rx_mac_error tx_underrun32 rx_mac_missed rx_tcam_dropped tdu rdu
    """
)
"""`ethtool -S` of r8127, as its rtl8127_gstrings has them."""

MLX5 = words(
    """
    rx_packets rx_bytes tx_packets tx_bytes tx_tso_packets tx_tso_bytes tx_queue_stopped tx_queue_dropped
    tx_queue_wake tx_cqe_err rx_csum_none rx_csum_complete rx_wqe_err rx_oversize_pkts_sw_drop rx_buff_alloc_err
    rx_cache_full rx_out_of_buffer rx_if_down_packets rx_steer_missed_packets dev_internal_queue_oob
    rx_vport_unicast_packets rx_vport_unicast_bytes tx_vport_unicast_packets tx_vport_unicast_bytes
    rx_vport_rdma_unicast_packets rx_vport_rdma_unicast_bytes tx_vport_rdma_unicast_packets
    tx_vport_rdma_unicast_bytes tx_packets_phy rx_packets_phy rx_crc_errors_phy tx_bytes_phy rx_bytes_phy
    rx_in_range_len_errors_phy rx_out_of_range_len_phy rx_oversize_pkts_phy rx_symbol_err_phy rx_pause_ctrl_phy
    tx_pause_ctrl_phy rx_discards_phy tx_discards_phy tx_errors_phy rx_undersize_pkts_phy rx_fragments_phy
    rx_jabbers_phy rx_65_to_127_bytes_phy rx_4096_to_8191_bytes_phy link_down_events_phy rx_pcs_symbol_err_phy
    rx_corrected_bits_phy rx_err_lane_0_phy rx_err_lane_1_phy rx_err_lane_2_phy rx_err_lane_3_phy
    rx_buffer_passed_thres_phy rx_pci_signal_integrity tx_pci_signal_integrity outbound_pci_stalled_rd
    outbound_pci_stalled_wr outbound_pci_stalled_rd_events outbound_pci_stalled_wr_events
    outbound_pci_buffer_overflow rx_prio0_bytes rx_prio0_packets rx_prio0_discards tx_prio0_bytes tx_prio0_packets
    rx_prio3_bytes rx_prio3_packets rx_prio3_discards tx_prio3_bytes tx_prio3_packets rx_prio3_pause
    rx_prio3_pause_duration tx_prio3_pause tx_prio3_pause_duration rx_prio3_pause_transition rx_prio0_buf_discard
    rx_prio0_cong_discard rx_prio3_buf_discard rx_prio3_cong_discard rx_global_pause rx_global_pause_duration
    tx_global_pause tx_global_pause_duration tx_pause_storm_warning_events tx_pause_storm_error_events module_unplug
    module_bus_stuck module_high_temp module_bad_shorted
    """
)
"""`ethtool -S` of mlx5_core, without the counters per queue."""

STATISTICS = words(
    """
    collisions multicast rx_bytes rx_compressed rx_crc_errors rx_dropped rx_errors rx_fifo_errors rx_frame_errors
    rx_length_errors rx_missed_errors rx_nohandler rx_over_errors rx_packets tx_aborted_errors tx_bytes
    tx_carrier_errors tx_compressed tx_dropped tx_errors tx_fifo_errors tx_heartbeat_errors tx_packets
    tx_window_errors
    """
)
"""Files of /sys/class/net/X/statistics."""

PORT_COUNTERS = words(
    """
    VL15_dropped excessive_buffer_overrun_errors link_downed link_error_recovery local_link_integrity_errors
    multicast_rcv_packets multicast_xmit_packets port_rcv_constraint_errors port_rcv_data port_rcv_errors
    port_rcv_packets port_rcv_remote_physical_errors port_rcv_switch_relay_errors port_xmit_constraint_errors
    port_xmit_data port_xmit_discards port_xmit_packets port_xmit_wait symbol_error unicast_rcv_packets
    unicast_xmit_packets
    """
)
"""Files of an RDMA port's counters/."""

HW_COUNTERS = words(
    """
    duplicate_request implied_nak_seq_err lifespan local_ack_timeout_err np_cnp_sent np_ecn_marked_roce_packets
    out_of_buffer out_of_sequence packet_seq_err req_cqe_error req_cqe_flush_error req_remote_access_errors
    req_remote_invalid_request resp_cqe_error resp_cqe_flush_error resp_local_length_error resp_remote_access_errors
    rnr_nak_retry_err roce_adp_retrans roce_adp_retrans_to roce_slow_restart roce_slow_restart_cnps
    roce_slow_restart_trans rp_cnp_handled rp_cnp_ignored rx_atomic_requests rx_dct_connect rx_icrc_encapsulated
    rx_read_requests rx_write_requests
    """
)
"""Files of an RDMA port's hw_counters/ under mlx5_ib."""
