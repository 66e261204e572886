"""RDMA ports: on each fixture machine, while devices come and go, and on broken input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import rdma
from sparktui.collectors.nic_counters import RDMA_HW_COUNTERS, RDMA_PORT_COUNTERS
from sparktui.collectors.rdma import RdmaPort
from tests.fixture_node import H200, INFINIBAND, SPARK, STOCK, VM, Node


def ports_of(sample: rdma.RdmaSample) -> dict[str, RdmaPort]:
    return {port.device: port for port in sample.ports}


def test_rdma_ports_of_a_spark_with_one_cable() -> None:
    ports = ports_of(rdma.start(Node(SPARK))())
    assert ports["rocep1s0f0"] == RdmaPort(
        device="rocep1s0f0",
        port=1,
        netdev="enp1s0f0np0",
        state="ACTIVE",
        phys_state="LinkUp",
        rate="200 Gb/sec (4X HDR)",
        rx_bytes=180_911_047_220_116,
        tx_bytes=180_070_114_402_224,
        rx_packets=44_190_004_112,
        tx_packets=43_981_777_220,
        counters={
            **dict.fromkeys((*RDMA_PORT_COUNTERS, *RDMA_HW_COUNTERS), 0),
            "port_xmit_wait": 2_204,
            "out_of_sequence": 31,
            "packet_seq_err": 4,
            "np_cnp_sent": 61_204,
            "np_ecn_marked_roce_packets": 88_117,
            "rp_cnp_handled": 59_003,
            "duplicate_request": 7,
            "req_cqe_error": 96,
            "req_cqe_flush_error": 96,
            "resp_cqe_error": 1_152,
            "resp_cqe_flush_error": 1_152,
        },
    )
    assert {port.device: (port.netdev, port.state) for port in ports.values()} == {
        "roceP2p1s0f0": ("enP2p1s0f0np0", "ACTIVE"),
        "roceP2p1s0f1": ("enP2p1s0f1np1", "DOWN"),
        "rocep1s0f0": ("enp1s0f0np0", "ACTIVE"),
        "rocep1s0f1": ("enp1s0f1np1", "DOWN"),
    }


def test_rdma_of_older_kernels_and_of_an_infiniband_port_without_netdev() -> None:
    ports = ports_of(rdma.start(Node(H200))())
    assert "req_transport_retries_exceeded" not in ports["mlx5_0"].counters
    assert ports["mlx5_1"].netdev is None
    assert ports["mlx5_1"].rx_bytes == 3_524_816_468_880


def test_a_node_without_rdma_is_healthy() -> None:
    assert rdma.start(Node(VM))().ports == []


def test_a_device_of_several_netdevs_belongs_to_the_one_with_its_first_gid() -> None:
    node = Node(SPARK)
    node.files[f"{INFINIBAND}/rocep1s0f0/device/net/enp1s0f0npf0vf0/ifindex"] = "9\n"
    assert ports_of(rdma.start(node)())["rocep1s0f0"].netdev == "enp1s0f0np0"


def test_hw_counters_are_listed_once_and_only_named_ones_are_read() -> None:
    node = Node(SPARK)
    take = rdma.start(node)
    for _ in range(5):
        take()
    assert [asked for asked in node.asked if asked.endswith("rocep1s0f0/ports/1/hw_counters/")] == [
        f"{INFINIBAND}/rocep1s0f0/ports/1/hw_counters/"
    ]
    assert node.count("lifespan") == node.count("rx_write_requests") == node.count("VL15_dropped") == 0


def test_a_port_that_is_down_is_asked_for_little_until_it_changes() -> None:
    node = Node(STOCK)
    take, data = rdma.start(node), f"{INFINIBAND}/rocep1s0f0/ports/1/counters/port_rcv_data"
    take()
    node.files[data] = "25\n"
    node.at = 29.0
    assert ports_of(take())["rocep1s0f0"].rx_bytes == 0
    node.at = 30.0
    assert ports_of(take())["rocep1s0f0"].rx_bytes == 100
    node.files |= {data: "26\n", f"{INFINIBAND}/rocep1s0f0/ports/1/state": "4: ACTIVE\n"}
    assert ports_of(take())["rocep1s0f0"].rx_bytes == 104
    node.files[data] = "27\n"
    assert ports_of(take())["rocep1s0f0"].rx_bytes == 108


def test_rdma_devices_that_go_and_come_back() -> None:
    node = Node(SPARK)
    take = rdma.start(node)
    assert len(take().ports) == 4
    node.gone.add("roceP2p1s0f0")
    assert list(ports_of(take())) == ["roceP2p1s0f1", "rocep1s0f0", "rocep1s0f1"]
    node.gone.clear()
    assert len(take().ports) == 4
    kept = {path: text for path, text in node.files.items() if not path.startswith(INFINIBAND)}
    node.files = kept
    assert take().ports == []


def test_a_counter_the_adapter_does_not_have_is_left_out() -> None:
    node = Node(SPARK)
    node.files[f"{INFINIBAND}/rocep1s0f0/ports/1/counters/port_xmit_wait"] = "N/A (no PMA)\n"
    node.gone.add("rocep1s0f0/ports/1/counters/port_rcv_data")
    port = ports_of(rdma.start(node)())["rocep1s0f0"]
    assert "port_xmit_wait" not in port.counters
    assert port.rx_bytes is None
    assert port.tx_bytes == 180_070_114_402_224


@given(st.text())
def test_a_ports_state_is_printable_and_bounded(text: str) -> None:
    state = rdma.parse_state(text)
    assert state.isprintable()
    assert len(state) <= 32


@pytest.mark.parametrize("broken", ["", "\n", "\x1b[2J\x00\ufffd" * 40, "1 2 3\n" * 50, ":::::\n", None])
def test_a_broken_file_costs_at_most_its_own_port(broken: str | None) -> None:
    """Every file that is read, each broken alone (None: gone)."""
    whole = Node(SPARK)
    complete = ports_of(rdma.start(whole)())
    for path in set(whole.asked) & whole.files.keys():
        node = Node(SPARK)
        node.files.pop(path)
        if broken is not None:
            node.files[path] = broken
        (owner,) = (device for device in complete if f"/{device}/" in path)
        found = ports_of(rdma.start(node)())
        assert {device: port for device, port in found.items() if device != owner} == {
            device: port for device, port in complete.items() if device != owner
        }, path
