"""The types of `once --json`: what the tool knows about a rack, in the names and units that scripts rely on.

They are the tool's own types inside too: the deriver makes them, the store keeps them, rules and panes read them.
None = the hardware does not have it, or it is not known yet. Rates are None until two samples of one boot exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import Struct, field

SCHEMA = 1


def iso(wall: float) -> str:
    """Seconds since the epoch as ISO 8601 UTC with milliseconds."""
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


NodeState = Literal[
    "live",
    "stale",
    "connecting",
    "unreachable",
    "auth_failed",
    "host_key_unknown",
    "host_key_changed",
    "no_python",
    "probe_failed",
]
SwitchState = Literal["live", "stale", "connecting", "unreachable"]
Plane = Literal["management", "fabric", "other"]
Severity = Literal["fail", "warn", "info"]


def summed(values: Iterable[float | None]) -> float | None:
    """Sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


class GpuProcess(Struct, frozen=True):
    pid: int
    name: str
    container: str | None
    memory_bytes: int | None


class Gpu(Struct, frozen=True):
    """`process_memory_bytes` = sum over processes whose memory is known, None where none is."""

    index: int
    name: str
    uuid: str
    sm_clock_mhz: int | None
    max_sm_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    power_limit_w: float | None
    pstate: str | None
    utilization_percent: int | None
    memory_used_bytes: int | None
    memory_total_bytes: int | None
    process_memory_bytes: int | None
    event_reasons: list[str] | None
    fan_percent: int | None
    clock_cap_mhz: int | None = None
    sw_power_cap_percent: float | None = None
    processes: list[GpuProcess] = field(default_factory=list)


class Memory(Struct, frozen=True):
    total_bytes: int
    available_bytes: int
    swap_used_bytes: int
    swap_total_bytes: int = 0
    cma_total_bytes: int | None = None
    cma_free_bytes: int | None = None
    hugepages_total: int = 0
    hugepages_free: int = 0
    hugepage_bytes: int = 0


class Cpus(Struct, frozen=True):
    """`busy_percent[i]` belongs to CPU `numbers[i]`."""

    count: int
    classes: dict[str, list[int]]
    busy_percent: list[float | None]
    numbers: list[int] = field(default_factory=list)
    load1: float | None = None
    governors: list[str] = field(default_factory=list)


class Rdma(Struct, frozen=True):
    device: str
    rx_bps: float | None
    tx_bps: float | None
    counters_per_s: dict[str, float | None]
    counters_total: dict[str, int] = field(default_factory=dict)
    state: str = ""
    rate: str = ""
    port: int = 1


class Nic(Struct, frozen=True):
    """`*_total` and `counters_total` are unwrapped within a boot; bps are bits per second.

    rx_missed = frames the receive side dropped, rx_errors = broken frames, each from the counters that this driver
    really feeds (collectors/nic_counters.py). rx_bps / tx_bps are the netdev's: RDMA bytes are in `rdma`.
    """

    driver: str
    driver_version: str
    plane: Plane
    cage: str | None
    operstate: str
    speed_mbps: int | None
    mtu: int
    rx_bps: float | None
    tx_bps: float | None
    rx_packets_per_s: float | None
    tx_packets_per_s: float | None
    rx_missed_per_s: float | None
    rx_errors_per_s: float | None
    rx_missed_total: int | None
    rx_errors_total: int | None
    counters_per_s: dict[str, float | None]
    rx_queues: int | None
    tx_queues: int | None
    rdma: Rdma | None
    switch_port: str | None
    switch: str | None = None
    counters_total: dict[str, int] = field(default_factory=dict)
    carrier_changes: int = 0
    firmware: str = ""
    mac: str = ""
    bus: str = ""
    twin: str | None = None
    """The other half of the same ConnectX cage, where there is one."""


class IrqVector(Struct, frozen=True):
    """`per_s[i]` belongs to CPU `cpus[i]`."""

    irq: int
    label: str
    cpus: list[int]
    per_s: list[float | None]
    total: int
    affinity: str | None = None
    effective: str | None = None


class Irq(Struct, frozen=True):
    """`imbalance` = share of the busiest CPU in all interrupts of this owner, 0..1; None while nothing fires."""

    per_s_by_cpu: dict[str, float | None]
    vectors: int
    affinity: dict[str, str]
    imbalance: float | None
    lines: list[IrqVector] = field(default_factory=list)


class Softnet(Struct, frozen=True):
    dropped_per_s: float | None
    time_squeeze_per_s: float | None
    numbers: list[int] = field(default_factory=list)
    net_rx_per_s_by_cpu: list[float | None] = field(default_factory=list)
    dropped_per_s_by_cpu: list[float | None] = field(default_factory=list)
    time_squeeze_per_s_by_cpu: list[float | None] = field(default_factory=list)
    dropped_total: int | None = None


class Tcp(Struct, frozen=True):
    retrans_per_s: float | None
    counters_per_s: dict[str, float | None] = field(default_factory=dict)
    counters_total: dict[str, int] = field(default_factory=dict)


class Udp(Struct, frozen=True):
    rcvbuf_errors_per_s: float | None
    counters_per_s: dict[str, float | None] = field(default_factory=dict)
    counters_total: dict[str, int] = field(default_factory=dict)


class Sensor(Struct, frozen=True):
    chip: str
    label: str
    value: float
    unit: str


class Platform(Struct, frozen=True):
    """`ec`, `uefi` and `usb_pd` are firmware versions; they stay None until something reads them."""

    os: str | None
    kernel: str
    nvidia_driver: str | None
    ec: str | None
    uefi: str | None
    usb_pd: str | None
    sysctl: dict[str, str]
    hostname: str = ""
    architecture: str = ""
    vendor: str | None = None
    product: str | None = None
    bios_version: str | None = None
    uptime_s: float | None = None


class Probe(Struct, frozen=True):
    """`cpu_ms_per_sample` = CPU time of the probe on the node per fast sample, slow tier and GPU thread included."""

    cpu_ms_per_sample: float | None
    version: str | None
    python: str | None = None
    bytes_per_sample: float | None = None
    fast_s: float | None = None


class Node(Struct, frozen=True):
    """One node. Every part is None until its collector has answered; `error` is one readable line with the remedy."""

    state: NodeState
    error: str | None = None
    age_s: float | None = None
    boot_id: str | None = None
    clock_offset_ms: float | None = None
    clock_error_ms: float | None = None
    collector_errors: dict[str, str] = field(default_factory=dict)
    probe: Probe | None = None
    gpus: list[Gpu] = field(default_factory=list)
    memory: Memory | None = None
    cpus: Cpus | None = None
    nics: dict[str, Nic] = field(default_factory=dict)
    irqs: dict[str, Irq] = field(default_factory=dict)
    softnet: Softnet | None = None
    tcp: Tcp | None = None
    udp: Udp | None = None
    platform: Platform | None = None
    sensors: list[Sensor] = field(default_factory=list)


class Health(Struct, frozen=True):
    """One health row of a switch. `unit` is C, rpm, V, A, W, or "" for states (`value` is then the raw code)."""

    name: str
    value: float | None
    unit: str
    state: Literal["ok", "not_ok", "expected_absent"] | None


class Optic(Struct, frozen=True):
    """Digital diagnostics of a plugged module; all None for a passive cable (it has no sensor)."""

    temperature_c: float | None
    supply_v: float | None
    tx_bias_ma: float | None
    tx_power_dbm: float | None
    rx_power_dbm: float | None
    wavelength_nm: float | None
    vendor: str | None = None


class Port(Struct, frozen=True):
    """One switch port. `rx_*` is what the port received (node -> switch).

    `counters_per_s` / `counters_total`: every further counter read, by its MIB name (ifInErrors, RxAlignError, ...).
    `learnt_age_s` = seconds since the MAC table or LLDP last confirmed `nics`; None where the config says it.
    """

    oper: str
    speed_mbps: int | None
    alias: str | None
    rx_bps: float | None
    tx_bps: float | None
    rx_fcs_errors_per_s: float | None
    rx_drops_per_s: float | None
    tx_drops_per_s: float | None
    rx_pause_per_s: float | None
    tx_pause_per_s: float | None
    node: str | None
    nics: list[str]
    learnt_age_s: float | None
    cage: str | None = None
    admin: str | None = None
    rx_packets_per_s: float | None = None
    tx_packets_per_s: float | None = None
    rx_fcs_errors_total: int | None = None
    rx_drops_total: int | None = None
    tx_drops_total: int | None = None
    counters_per_s: dict[str, float | None] = field(default_factory=dict)
    counters_total: dict[str, int] = field(default_factory=dict)
    optic: Optic | None = None
    neighbour: str | None = None
    """What LLDP or the neighbour table names on this port, where it is not one of our nodes."""


class Switch(Struct, frozen=True):
    state: SwitchState
    error: str | None = None
    age_s: float | None = None
    model: str | None = None
    version: str | None = None
    uptime_s: float | None = None
    health: list[Health] = field(default_factory=list)
    ports: dict[str, Port] = field(default_factory=dict)
    cpu_load_percent: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What this switch's software cannot tell or do, in words (too old for its QoS, no statistics table, ...)."""


class Finding(Struct, frozen=True):
    """`evidence` holds the numbers; `since` / `until` are ISO 8601 UTC; `next` what to do, where known."""

    rule: str
    severity: Severity
    target: str
    since: str
    until: str | None
    text: str
    evidence: dict[str, Any]
    next: str | None = None


class Rack(Struct, frozen=True, kw_only=True):
    """All there is at one moment. `at` is ISO 8601 UTC; `interval_s` the fast tier's."""

    schema: int = SCHEMA
    at: str
    interval_s: float
    nodes: dict[str, Node]
    switches: dict[str, Switch]
    findings: list[Finding]
