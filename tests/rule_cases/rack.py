"""A healthy rack as literal views, and how a rule is shown a course of moments.

Figures of GB10 machines and of the switch are those that owners published for a rack in order; nothing here comes from
the simulated rack, so that the rules are not tested against what was written to satisfy them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from sparktui.contract import (
    Cpus,
    Gpu,
    Health,
    Irq,
    IrqVector,
    Memory,
    Nic,
    Node,
    Platform,
    Port,
    Rdma,
    Softnet,
    Switch,
    Tcp,
    Udp,
)
from sparktui.verdicts.base import Candidate, Moment
from sparktui.verdicts.registry import rules

GIB = 2**30
NODES = ("spark1", "spark2", "spark3", "spark4")
MEM_TOTAL = 127_600_748 * 1024
X925, A725 = [5, 6, 7, 8, 9, 15, 16, 17, 18, 19], [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]

Course = Iterable[tuple[float, Mapping[str, Node], Mapping[str, Switch]]]


def gpu(**changed: Any) -> Gpu:
    """A GB10 in a rack-wide GEMM: 2380 MHz, 88 W, 96 %, 77 C; the power cap's reason comes and goes on healthy ones."""
    return replace(
        Gpu(
            index=0,
            name="NVIDIA GB10",
            uuid="GPU-00000000-0000-0000-0000-000000000001",
            sm_clock_mhz=2380,
            max_sm_clock_mhz=3003,
            temperature_c=77,
            power_w=88.0,
            power_limit_w=None,
            pstate="P0",
            utilization_percent=96,
            memory_used_bytes=None,
            memory_total_bytes=None,
            process_memory_bytes=93_400_000_000,
            event_reasons=["sw_power_cap"],
            fan_percent=None,
        ),
        **changed,
    )


def r8127(**changed: Any) -> Nic:
    """The RJ45 with the driver that cured it: 8 queues, traffic of a 5.4 Gb/s UDP run, no loss."""
    return replace(
        Nic(
            driver="r8127",
            driver_version="11.016.00-NAPI-RSS",
            plane="management",
            cage=None,
            operstate="up",
            speed_mbps=10_000,
            mtu=1500,
            rx_bps=5.38e9,
            tx_bps=4.0e6,
            rx_packets_per_s=464_000.0,
            tx_packets_per_s=900.0,
            rx_missed_per_s=0.0,
            rx_errors_per_s=0.0,
            rx_missed_total=48,
            rx_errors_total=0,
            counters_per_s={"rx_mac_missed": 0.0, "rx_mac_error": 0.0, "rdu": 0.0, "align_errors32": 0.0},
            rx_queues=8,
            tx_queues=8,
            rdma=None,
            switch_port="sfp56-1",
            switch="crs812",
            counters_total={"rx_mac_missed": 48, "rx_mac_error": 0, "rdu": 51, "align_errors32": 0},
            carrier_changes=3,
        ),
        **changed,
    )


def stock(**changed: Any) -> Nic:
    """The RJ45 with the driver a Spark ships with: one queue."""
    return r8127(driver_version="11.014.00-NAPI", rx_queues=1, tx_queues=1, **changed)


def rdma(device: str, **changed: Any) -> Rdma:
    """A port under all_reduce: congestion notices and flushed completions rise on a healthy fabric, losses do not."""
    totals = {"out_of_sequence": 0, "packet_seq_err": 0, "local_ack_timeout_err": 0, "np_cnp_sent": 9_000}
    totals |= {"rp_cnp_handled": 8_800, "resp_cqe_flush_error": 512, "req_cqe_flush_error": 512}
    return replace(Rdma(device, 90.5e9, 90.5e9, dict.fromkeys(totals, 0.0), totals, state="ACTIVE"), **changed)


def connectx(name: str, up: bool = True, **changed: Any) -> Nic:
    """One half of a ConnectX-7 cage. Both halves report the port's counters; FEC-corrected bits rise in order."""
    cage = "p0" if "f0np0" in name else "p1"
    twin = name.replace("enP2p", "enp") if name.startswith("enP2p") else name.replace("enp", "enP2p")
    totals = {"rx_crc_errors_phy": 0, "rx_symbol_err_phy": 0, "rx_discards_phy": 0, "rx_out_of_buffer": 0}
    totals |= {"rx_corrected_bits_phy": 7_000_000, "rx_packets_phy": 10**12}
    device = "roce" + name.removeprefix("en").removesuffix("np0").removesuffix("np1")
    return replace(
        Nic(
            driver="mlx5_core",
            driver_version="7.0.0-1019-nvidia",
            plane="fabric",
            cage=cage,
            operstate="up" if up else "down",
            speed_mbps=200_000 if up else None,
            mtu=9000,
            rx_bps=1200.0,
            tx_bps=1200.0,
            rx_packets_per_s=2.0,
            tx_packets_per_s=2.0,
            rx_missed_per_s=0.0,
            rx_errors_per_s=0.0,
            rx_missed_total=0,
            rx_errors_total=0,
            counters_per_s={**dict.fromkeys(totals, 0.0), "rx_packets_phy": 5_500_000.0 if up else 0.0},
            rx_queues=15,
            tx_queues=15,
            rdma=rdma(device) if up else None,
            switch_port="qsfp56-dd-1-1" if up else None,
            switch="crs812" if up else None,
            counters_total=totals,
            carrier_changes=1,
            firmware="28.45.4028 (NVD0000000087)",
            twin=twin,
        ),
        **changed,
    )


def rss_interrupts() -> Irq:
    """Eight receive vectors on eight big cores, and the transmit vectors above them."""
    rx = [IrqVector(390 + n, f"enP7s7-{n}", [X925[n]], [1500.0 + n], 10**6, str(X925[n])) for n in range(8)]
    tx = [IrqVector(398, "enP7s7-8", [5], [700.0], 10**6, "5")]
    return Irq({str(X925[n]): 1500.0 + n for n in range(8)}, 32, {}, 0.14, rx + tx)


def platform(**changed: Any) -> Platform:
    """The software baseline of the reference rack."""
    return replace(
        Platform(
            os="DGX OS 7.6.0",
            kernel="7.0.0-1019-nvidia",
            nvidia_driver="580.178.04",
            ec="3.13.7",
            uefi="2.158.15",
            usb_pd="0.5.25",
            sysctl={"net.ipv4.tcp_sack": "0", "net.core.rmem_max": "67108864"},
            architecture="aarch64",
            vendor="NVIDIA",
            product="NVIDIA_DGX_Spark",
            bios_version="5.36_0ACUM023",
            uptime_s=270_000.0,
        ),
        **changed,
    )


def node(**changed: Any) -> Node:
    """A healthy Spark under full load, with one 200G cable in cage p0 and none in p1."""
    return replace(
        Node(
            state="live",
            boot_id="11111111-0000-4000-8000-000000000001",
            gpus=[gpu()],
            memory=Memory(MEM_TOTAL, 28 * GIB, 300_000, 16 * GIB),
            cpus=Cpus(20, {"X925": X925, "A725": A725}, [40.0] * 20, list(range(20)), 3.0, ["performance"]),
            nics={
                "enP7s7": r8127(),
                "enp1s0f0np0": connectx("enp1s0f0np0"),
                "enP2p1s0f0np0": connectx("enP2p1s0f0np0"),
                "enp1s0f1np1": connectx("enp1s0f1np1", up=False),
                "enP2p1s0f1np1": connectx("enP2p1s0f1np1", up=False),
            },
            irqs={"enP7s7": rss_interrupts()},
            softnet=Softnet(0.0, 0.0),
            tcp=Tcp(0.0),
            udp=Udp(0.0),
            platform=platform(),
        ),
        **changed,
    )


def with_nic(view: Node, name: str, **changed: Any) -> Node:
    return replace(view, nics={**view.nics, name: replace(view.nics[name], **changed)})


def port(**changed: Any) -> Port:
    return replace(
        Port(
            oper="up",
            speed_mbps=10_000,
            alias=None,
            rx_bps=4.0e6,
            tx_bps=5.4e9,
            rx_fcs_errors_per_s=0.0,
            rx_drops_per_s=0.0,
            tx_drops_per_s=0.0,
            rx_pause_per_s=0.0,
            tx_pause_per_s=0.0,
            node="spark1",
            nics=["enP7s7"],
            learnt_age_s=3.0,
            tx_packets_per_s=464_000.0,
            rx_fcs_errors_total=3,
            rx_drops_total=0,
            tx_drops_total=12,
            counters_total={"RxAlignError": 0, "RxOverflow": 0, "RxTooLong": 0},
        ),
        **changed,
    )


def health() -> list[Health]:
    """The reference rack's readings: PSU2 has no input on purpose, and its owner says so."""
    temperatures = {"cpu-temperature": 38.0, "switch-temperature": 44.0, "phy-temperature": 37.0}
    temperatures |= {"sfp-temperature": 68.0, "board-temperature1": 30.0, "psu1-temperature": 27.0}
    fans = {"fan1-speed": 6630.0, "fan2-speed": 6990.0, "fan3-speed": 7080.0, "fan4-speed": 7230.0}
    return [
        *(Health(name, value, "C", None) for name, value in temperatures.items()),
        *(Health(name, value, "rpm", None) for name, value in fans.items()),
        Health("psu1-power", 49.8, "W", None),
        Health("psu1-input-voltage", 234.2, "V", None),
        Health("fan-state", 0.0, "", "ok"),
        Health("psu1-state", 0.0, "", "ok"),
        Health("psu2-state", 4.0, "", "expected_absent"),
        Health("psu2-power", 0.0, "W", None),
    ]


def switch(**changed: Any) -> Switch:
    ports = {"sfp56-1": port(), "qsfp56-dd-1-1": port(speed_mbps=200_000, tx_packets_per_s=5.5e6)}
    ports["qsfp56-dd-1-2"] = port(oper="down", speed_mbps=None, node=None, nics=[])
    return replace(Switch("live", version="7.23.1", uptime_s=1e6, health=health(), ports=ports), **changed)


def rack() -> dict[str, Node]:
    """Four equal nodes, 2 C apart."""
    return {name: node(gpus=[gpu(temperature_c=76 + n // 2)]) for n, name in enumerate(NODES)}


def show(rule_id: str, course: Course, order: tuple[str, ...] = ()) -> list[Candidate]:
    """What a rule says at the last moment of a course of (now, nodes, switches)."""
    rule = next(rule for rule in rules() if rule.id == rule_id)
    evaluate = rule.make(rule.thresholds)
    said: list[Candidate] = []
    for now, nodes, switches in course:
        said = evaluate(Moment(now, nodes, switches, order))
    return said


def once(rule_id: str, *views: Node, switches: Mapping[str, Switch] | None = None) -> list[Candidate]:
    """What a rule says at a single moment of nodes spark1, spark2, ..."""
    return show(rule_id, [(0.0, dict(zip(NODES, views, strict=False)), switches or {})])


def steady(
    nodes: Mapping[str, Node], seconds: float, switches: Mapping[str, Switch] | None = None, every_s: float = 1.0
) -> list[tuple[float, dict[str, Node], dict[str, Switch]]]:
    """The same picture as new samples for so long."""
    moments = int(seconds / every_s) + 1
    return [
        (
            n * every_s,
            {name: replace(view) for name, view in nodes.items()},
            {name: replace(view) for name, view in (switches or {}).items()},
        )
        for n in range(moments)
    ]
