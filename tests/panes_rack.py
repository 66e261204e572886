"""What hand-built racks are made of: GB10 nodes, an x86 node, a CRS812, put into a real Store second by second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sin
from typing import Any

import msgspec

from sparktui.contract import (
    Cpus,
    Finding,
    Gpu,
    GpuProcess,
    Health,
    Irq,
    IrqVector,
    Memory,
    Nic,
    Node,
    Optic,
    Platform,
    Port,
    Probe,
    Rack,
    Rdma,
    Sensor,
    Softnet,
    Switch,
    Tcp,
    Udp,
    iso,
)
from sparktui.panes.base import Picture
from sparktui.panes.glyphs import UNICODE, Glyphs
from sparktui.store import Store

NOW = 10_000.0
WALL = 1_790_000_000.0
GIB = 1 << 30
A725 = [*range(5), *range(10, 15)]
X925 = [*range(5, 10), *range(15, 20)]
FOUR = ("spark1", "spark2", "spark3", "spark4")
replace = msgspec.structs.replace


@dataclass(frozen=True, slots=True)
class Scene:
    """A rack at one moment, with the store that it came from."""

    rack: Rack
    store: Store

    def picture(self, width: int = 120, height: int = 40, glyphs: Glyphs = UNICODE, **more: Any) -> Picture:
        return Picture(self.rack, self.store, NOW, width, height, glyphs, **more)


def gpu(clock: int = 2391, load: int = 96, temp: int = 76, power: float = 88.1, **more: Any) -> Gpu:
    values: dict[str, Any] = {
        "index": 0,
        "name": "NVIDIA GB10",
        "uuid": "GPU-5c1e",
        "sm_clock_mhz": clock,
        "max_sm_clock_mhz": 3003,
        "temperature_c": temp,
        "power_w": power,
        "power_limit_w": None,
        "pstate": "P0",
        "utilization_percent": load,
        "memory_used_bytes": None,
        "memory_total_bytes": None,
        "process_memory_bytes": 87 * GIB,
        "event_reasons": ["sw_power_cap"] if load > 50 else [],
        "fan_percent": None,
        "clock_cap_mhz": 2400,
        "sw_power_cap_percent": 46.0 if load > 50 else 0.0,
        "processes": [GpuProcess(41127, "python3", "vllm_node", 87 * GIB), GpuProcess(2210, "Xorg", None, 43 << 20)],
    }
    return Gpu(**(values | more))


def h200(index: int = 0) -> Gpu:
    return gpu(
        1980,
        99,
        61,
        688.4,
        index=index,
        name="NVIDIA H200",
        max_sm_clock_mhz=1980,
        power_limit_w=700.0,
        memory_used_bytes=131 * GIB,
        memory_total_bytes=140 * GIB,
        event_reasons=[],
        clock_cap_mhz=None,
        sw_power_cap_percent=0.0,
        processes=[GpuProcess(900, "python", None, 131 * GIB)],
    )


def r8127(port: str | None = "sfp56-1", **more: Any) -> Nic:
    values: dict[str, Any] = {
        "driver": "r8127",
        "driver_version": "11.016.00-NAPI-RSS",
        "plane": "management",
        "cage": None,
        "operstate": "up",
        "speed_mbps": 10_000,
        "mtu": 1500,
        "rx_bps": 1.2e6,
        "tx_bps": 8.1e5,
        "rx_packets_per_s": 310.0,
        "tx_packets_per_s": 280.0,
        "rx_missed_per_s": 0.0,
        "rx_errors_per_s": 0.0,
        "rx_missed_total": 0,
        "rx_errors_total": 0,
        "counters_per_s": {"rx_mac_missed": 0.0, "rx_mac_error": 0.0, "rdu": 0.0},
        "counters_total": {"rx_mac_missed": 0, "rx_mac_error": 0, "rdu": 0},
        "rx_queues": 8,
        "tx_queues": 8,
        "rdma": None,
        "switch_port": port,
        "switch": "crs812" if port else None,
        "mac": "4c:bb:47:10:20:01",
        "bus": "0007:01:00.0",
    }
    return Nic(**(values | more))


def half(cage: str, twin: str, bus: str, device: str, up: bool, port: str | None, load_bps: float) -> Nic:
    """One half of a ConnectX-7 cage; `load_bps` is its own RDMA traffic, each way."""
    rdma = Rdma(
        device,
        load_bps if up else 0.0,
        load_bps if up else 0.0,
        {"out_of_sequence": 0.0, "packet_seq_err": 0.0, "np_cnp_sent": 12.0 if up else 0.0},
        {"out_of_sequence": 0, "packet_seq_err": 0, "np_cnp_sent": 5210 if up else 0},
        "ACTIVE" if up else "DOWN",
        "200 Gb/sec" if up else "",
    )
    return Nic(
        driver="mlx5_core",
        driver_version="7.0.0-1019-nvidia",
        plane="fabric",
        cage=cage,
        operstate="up" if up else "down",
        speed_mbps=200_000 if up else None,
        mtu=9000 if up else 1500,
        rx_bps=2.1e5 if up else 0.0,
        tx_bps=1.9e5 if up else 0.0,
        rx_packets_per_s=30.0 if up else 0.0,
        tx_packets_per_s=28.0 if up else 0.0,
        rx_missed_per_s=0.0,
        rx_errors_per_s=0.0,
        rx_missed_total=0,
        rx_errors_total=0,
        counters_per_s={"rx_out_of_buffer": 0.0, "rx_discards_phy": 0.0, "rx_crc_errors_phy": 0.0},
        rx_queues=20,
        tx_queues=20,
        rdma=rdma,
        switch_port=port,
        switch="crs812" if port else None,
        counters_total={"rx_out_of_buffer": 0, "rx_discards_phy": 0, "rx_crc_errors_phy": 0},
        firmware="28.45.4028 (NVD0000000087)",
        bus=bus,
        twin=twin,
    )


def nics(number: int, load_bps: float, switched: bool = True) -> dict[str, Nic]:
    """All six netdevs of a Spark; the one fabric cable sits in cage p0."""
    dd = f"qsfp56-dd-{(number + 1) // 2}-{1 if number % 2 else 5}"
    found = {"enP7s7": r8127(f"sfp56-{number}" if switched and number <= 8 else None)}
    for function, cage, up in ((0, "p0", True), (1, "p1", False)):
        one, two = f"enp1s0f{function}np{function}", f"enP2p1s0f{function}np{function}"
        port = dd if up and switched and number <= 4 else None
        found[one] = half(cage, two, f"0000:01:00.{function}", f"rocep1s0f{function}", up, port, load_bps / 2)
        found[two] = half(cage, one, f"0002:01:00.{function}", f"roceP2p1s0f{function}", up, port, load_bps / 2)
    found["wlP9s9"] = r8127(
        None,
        driver="mt7925e",
        driver_version="",
        plane="other",
        operstate="down",
        speed_mbps=None,
        rx_bps=0.0,
        tx_bps=0.0,
    )
    return found


def spread_irq(nic: str, first: int, queues: int, per_s: float) -> Irq:
    """One vector per queue, each on a CPU of its own."""
    lines = [
        IrqVector(first + q, f"{nic}-{q}", [q, q + 5], [per_s * (1 + q / 9), 0.0], 91_000 + q, str(q), str(q))
        for q in range(queues)
    ]
    by_cpu: dict[str, float | None] = {}
    for line in lines:
        for cpu, rate in zip(line.cpus, line.per_s, strict=True):
            by_cpu[str(cpu)] = (by_cpu.get(str(cpu)) or 0.0) + (rate or 0.0)
    busiest = max(rate or 0.0 for rate in by_cpu.values()) / sum(rate or 0.0 for rate in by_cpu.values())
    return Irq(by_cpu, 32, {str(line.irq): line.affinity or "" for line in lines}, busiest, lines)


def one_cpu_irq(per_s: float = 21_300.0) -> Irq:
    """The stock r8127: one receive queue, on CPU 0."""
    lines = [
        IrqVector(396, "enP7s7-0", [0], [per_s], 88_412_001, "0-19", "0"),
        IrqVector(404, "enP7s7-8", [0, 3], [12.0, 0.0], 10_233, "0-19", "0"),
        IrqVector(425, "enP7s7-29", [0], [0.0], 4, "0-19", "0"),
    ]
    return Irq({"0": per_s + 12, "3": 0.0}, 32, {"396": "0-19", "404": "0-19", "425": "0-19"}, 1.0, lines)


def softnet(net_rx: Mapping[int, float], dropped: float = 0.0) -> Softnet:
    numbers = list(range(20))
    return Softnet(
        dropped,
        0.0,
        numbers,
        [net_rx.get(cpu, 0.0) for cpu in numbers],
        [dropped if cpu == 0 else 0.0 for cpu in numbers],
        [0.0] * 20,
        int(dropped) * 60,
    )


def spark(number: int, load: int = 96, **more: Any) -> Node:
    """A healthy loaded GB10 node; nodes differ by a little, as real ones do."""
    values: dict[str, Any] = {
        "state": "live",
        "boot_id": f"0f3d6a1e-{number:04d}",
        "clock_offset_ms": 0.8 - number / 10,
        "clock_error_ms": 0.3,
        "probe": Probe(0.94, "0.1.0", "3.12.3", 2810.0, 1.0),
        "gpus": [gpu(2388 + number, load, 75 + number % 3, 87.9 + number / 5)],
        "memory": Memory(int(119.6 * GIB), 26 * GIB, 300 << 20, 16 * GIB, 128 << 20, 90 << 20),
        "cpus": Cpus(
            20, {"X925": X925, "A725": A725}, [12.0 + cpu % 7 for cpu in range(20)], [*range(20)], 3.4, ["performance"]
        ),
        "nics": nics(number, 181e9 if load > 50 else 0.0),
        "irqs": {"enP7s7": spread_irq("enP7s7", 396, 8, 60.0), "enp1s0f0np0": spread_irq("mlx5_comp", 500, 12, 900.0)},
        "softnet": softnet({0: 800.0, 1: 620.0, 2: 410.0, 3: 90.0, 4: 12.0}),
        "tcp": Tcp(0.0, {"RetransSegs": 0.0, "OutSegs": 410.0}, {"RetransSegs": 210, "OutSegs": 9_812_001}),
        "udp": Udp(0.0, {"RcvbufErrors": 0.0}, {"RcvbufErrors": 0}),
        "platform": Platform(
            "DGX OS 7.6.0", "7.0.0-1019-nvidia", "580.178.04", "3.13.7", "2.158.15", "0.5.25",
            {"net.ipv4.tcp_sack": "0"}, f"spark{number}", "aarch64",
            "NVIDIA", "NVIDIA_DGX_Spark", "5.36_0ACUM023", 271_000.0,
        ),
        "sensors": [
            Sensor("acpitz", "TSOC", 71.0, "C"),
            Sensor("acpitz", "TGPU", 76.0, "C"),
            Sensor("nvme", "Composite", 48.9, "C"),
            Sensor("mlx5", "asic", 62.0, "C"),
        ],
    }  # fmt: skip
    return Node(**(values | more))


def port(node: str | None, names: list[str], speed: int | None, rx: float, tx: float, **more: Any) -> Port:
    """A port that is up, with clean counters."""
    values: dict[str, Any] = {
        "oper": "up" if speed else "down",
        "speed_mbps": speed,
        "alias": node,
        "rx_bps": rx,
        "tx_bps": tx,
        "rx_fcs_errors_per_s": 0.0,
        "rx_drops_per_s": 0.0,
        "tx_drops_per_s": 0.0,
        "rx_pause_per_s": 0.0,
        "tx_pause_per_s": 0.0,
        "node": node,
        "nics": names,
        "learnt_age_s": 12.0 if node else None,
        "rx_fcs_errors_total": 0,
        "rx_drops_total": 0,
        "tx_drops_total": 0,
        "counters_per_s": {"ifInErrors": 0.0, "RxAlignError": 0.0, "LinkDowns": 0.0},
        "counters_total": {"ifInErrors": 0, "RxAlignError": 0, "LinkDowns": 2},
    }
    return Port(**(values | more))


def health(**more: tuple[float | None, str, str | None]) -> list[Health]:
    rows: dict[str, tuple[float | None, str, str | None]] = {
        "cpu-temperature": (38, "C", None),
        "switch-temperature": (44, "C", None),
        "phy-temperature": (37, "C", None),
        "sfp-temperature": (68, "C", None),
        "board-temperature1": (30, "C", None),
        "board-temperature2": (35, "C", None),
        "board-temperature3": (40, "C", None),
        "fan1-speed": (6630, "rpm", None),
        "fan2-speed": (6870, "rpm", None),
        "fan3-speed": (7110, "rpm", None),
        "fan4-speed": (7230, "rpm", None),
        "fan-state": (0, "", "ok"),
        "psu1-state": (0, "", "ok"),
        "psu1-power": (49.8, "W", None),
        "psu1-temperature": (27, "C", None),
        "psu1-input-voltage": (234.2, "V", None),
        "psu2-state": (4, "", "expected_absent"),
    }
    return [Health(name, value, unit, state) for name, (value, unit, state) in (rows | more).items()]  # type: ignore[arg-type]


def crs812(nodes: int = 4, load_bps: float = 181e9, **more: Any) -> Switch:
    """Two 400G cages broken out to 2x200G each, the nodes' RJ45 in sfp56-N, an uplink in ether1."""
    ports = {
        "ether1": port(None, [], 1_000, 3.1e4, 9e3, alias="uplink", neighbour="gateway"),
        "ether2": port(None, [], None, 0.0, 0.0, cage=None),
    }
    for number in range(1, 9):
        name = f"spark{number}" if number <= nodes else None
        ports[f"sfp56-{number}"] = port(
            name, ["enP7s7"] if name else [], 10_000 if name else None, 8.1e5, 1.2e6, cage=f"sfp56-{number}",
            optic=Optic(61.0, 3.31, None, None, None, None, "MikroTik") if name else None,
        )  # fmt: skip
    for cage in (1, 2):
        for lane in range(1, 9):
            number = cage * 2 - 1 if lane == 1 else cage * 2
            here = lane in (1, 5) and number <= nodes
            ports[f"qsfp56-dd-{cage}-{lane}"] = port(
                f"spark{number}" if here else None, ["enp1s0f0np0", "enP2p1s0f0np0"] if here else [],
                200_000 if here else None, load_bps if here else 0.0, load_bps if here else 0.0,
                cage=f"qsfp56-dd-{cage}", optic=Optic(None, None, None, None, None, None, "MikroTik") if here else None,
            )  # fmt: skip
    values: dict[str, Any] = {
        "state": "live",
        "model": "CRS812-8DS-2DQ-2DDQ",
        "version": "7.23.1",
        "uptime_s": 1_901_000.0,
        "health": health(),
        "ports": ports,
        "cpu_load_percent": [4, 2, 9, 3],
        "notes": ["Per-priority pause, queue drops and FEC counters are not in SNMP."],
    }
    return Switch(**(values | more))


def finding(rule: str, severity: Any, target: str, text: str, ago: float, part: str = "", **more: Any) -> Finding:
    evidence = {"part": part} if part else {}
    return Finding(rule, severity, target, iso(WALL - ago), None, text, evidence, **more)


def scene(
    nodes: Mapping[str, Node | Callable[[float], Node]],
    switches: Mapping[str, Switch],
    findings: tuple[Finding, ...] = (),
    ages: Mapping[str, float] | None = None,
    seconds: int = 90,
) -> Scene:
    """Fill a store second by second up to NOW; a target in `ages` had its last sample that long before."""
    ages = ages or {}
    store = Store(list(nodes), list(switches))
    for second in range(seconds, -1, -1):
        for name, view in nodes.items():
            if second >= ages.get(name, 0.0) and not (isinstance(view, Node) and view.state == "connecting"):
                now = view(NOW - second) if callable(view) else wobbling(view, NOW - second)
                store.put_node(name, now, NOW - second)
        if second % 5 == 0:
            for name, switch in switches.items():
                if second >= ages.get(name, 0.0):
                    store.put_switch(name, switch, NOW - second)
    store.set_findings(list(findings))
    return Scene(store.rack(NOW, WALL), store)


def wobbling(node: Node, at: float) -> Node:
    """The same node with a clock and temperature that move a little, except at the end."""
    if at >= NOW or not node.gpus:
        return node
    shift = round(40 * sin(at / 7))
    moved = [
        replace(one, sm_clock_mhz=one.sm_clock_mhz + shift, temperature_c=(one.temperature_c or 0) + shift // 20)
        if one.sm_clock_mhz is not None
        else one
        for one in node.gpus
    ]
    return replace(node, gpus=moved)
