"""What can be wrong in the simulated rack: each scenario is data, and names the findings it is there to raise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktui.demo.physics import GpuTraits

NODES = ("spark1", "spark2", "spark3", "spark4")
"""From the bottom of the rack to its top."""

SWITCH = "crs812"


@dataclass(frozen=True, slots=True)
class Software:
    """Versions of one node. The ConnectX driver is the kernel's own, so it carries the kernel's version."""

    os: str = "7.6.0"
    kernel: str = "7.0.0-1019-nvidia"
    nvidia_driver: str = "580.178.04"


@dataclass(frozen=True, slots=True)
class NicDriver:
    """A build of r8127. The version says what is in it: without -RSS there is one receive queue."""

    version: str
    rx_queues: int
    tx_queues: int
    max_rx: int
    max_tx: int


RSS = NicDriver("11.016.00-NAPI-RSS", 8, 8, 8, 8)
STOCK = NicDriver("11.014.00-NAPI", 1, 1, 4, 2)


@dataclass(frozen=True, slots=True)
class Bulk:
    """A transfer between the storage host on the switch and one node's RJ45: bits per second, octets per frame."""

    node: str
    to_node_bps: float
    from_node_bps: float
    octets: int


@dataclass(frozen=True, slots=True)
class ReceiveLoss:
    """Shares of the frames that reach this node's RJ45 and are lost there: `missed` for want of a descriptor."""

    node: str
    missed: float
    mac_error: float


@dataclass(frozen=True, slots=True)
class BadCable:
    """Share of the frames of one node's RJ45 cable that arrive broken, per direction, from `after_s` on."""

    node: str
    to_switch: float
    to_node: float
    after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Outage:
    """A node answers nothing from `start_s` to `end_s`, and is back then as freshly booted."""

    node: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """`raises`: the (rule, target) pairs it is there to raise; no other of severity fail or warn comes with them."""

    name: str
    about: str
    raises: frozenset[tuple[str, str]] = frozenset()
    gpus: Mapping[str, GpuTraits] = field(default_factory=dict)
    software: Mapping[str, Software] = field(default_factory=dict)
    nic_driver: NicDriver = RSS
    bulk: Bulk | None = None
    receive_loss: ReceiveLoss | None = None
    bad_cable: BadCable | None = None
    outage: Outage | None = None
    psu2_fails_s: float | None = None


SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("healthy", "Four equal nodes under a load that comes and goes."),
        Scenario(
            "rx-loss",
            "Stock 10GbE driver: spark1 loses received frames in its one queue, on CPU 0; cable and switch are clean.",
            frozenset({("nic.rx_loss", "spark1"), ("irq.rx_one_cpu", "spark1")}),
            nic_driver=STOCK,
            bulk=Bulk("spark1", 5.4e9, 4e6, 1512),
            receive_loss=ReceiveLoss("spark1", missed=9.2e-4, mac_error=8.6e-4),
        ),
        Scenario(
            "hot-node",
            "spark2 runs ten degrees above the rack at the same load, without losing clocks.",
            frozenset({("gpu.hotter_than_peers", "spark2")}),
            gpus={"spark2": GpuTraits(heat_c_per_w=0.41)},
        ),
        Scenario(
            "pd-wedge",
            "spark4 is stuck at 721 MHz under load and gives no reason: its USB-PD supply is latched.",
            frozenset({("gpu.low_clock_under_load", "spark4")}),
            gpus={"spark4": GpuTraits(clock_mhz=721.0, power_w=10.2, wedged=True)},
        ),
        Scenario(
            "drift",
            "spark3 missed an update: another kernel and NVIDIA driver than its peers.",
            frozenset({("platform.differs", "spark3")}),
            software={"spark3": Software("7.5.0", "6.17.0-1032-nvidia", "580.159.03")},
        ),
        Scenario(
            "dead-node",
            "spark3 falls silent as if its cable were cut, and comes back rebooted.",
            frozenset({("node.stale", "spark3"), ("node.unreachable", "spark3"), ("node.rebooted", "spark3")}),
            outage=Outage("spark3", 5.0, 20.0),
        ),
        Scenario(
            "switch-fault",
            "The switch's second power supply fails, and its port to spark3's RJ45 receives broken frames.",
            frozenset({("switch.health", SWITCH), ("switch.port_errors", SWITCH)}),
            bad_cable=BadCable("spark3", to_switch=0.03, to_node=0.0, after_s=4.0),
            psu2_fails_s=4.0,
        ),
        Scenario(
            "cable-loss",
            "spark2's RJ45 cable is bad: frames break in both directions, and both ends count them.",
            frozenset({("nic.line_errors", "spark2"), ("switch.port_errors", SWITCH)}),
            bulk=Bulk("spark2", 240e6, 200e6, 1514),
            bad_cable=BadCable("spark2", to_switch=1.2e-3, to_node=1.4e-3),
        ),
    )
}
