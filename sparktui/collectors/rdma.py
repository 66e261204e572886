"""RDMA ports from /sys/class/infiniband: RoCE bytes never appear in the netdev's counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.nic_counters import RDMA_HW_COUNTERS, RDMA_PORT_COUNTERS
from sparktui.collectors.plain import plain

INFINIBAND = "/sys/class/infiniband"

SETTLED_S = 30.0
"""How old what hardly moves while the state stays the same may get: rate, netdev, counters of a port that is down."""

TRAFFIC = ("port_rcv_data", "port_xmit_data", "port_rcv_packets", "port_xmit_packets")
WORD_BYTES = 4
"""port_rcv_data and port_xmit_data count 32-bit words."""


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """One port. `rx_bytes`/`tx_bytes` are port_rcv_data/port_xmit_data times 4; `counters` the named error counters.

    `state` and `phys_state` are the kernel's words without their numbers ("ACTIVE", "DOWN"; "LinkUp", "Disabled");
    `rate` is its text ("200 Gb/sec (4X HDR)"), which means nothing on a port that is down. None = not to be read.
    """

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


def parse_state(text: str) -> str:
    """The word of a text like "4: ACTIVE"."""
    return plain(text.rpartition(":")[2], 32)


class _Port:
    """One port between two samples. `sample` raises OSError when the port has gone."""

    __slots__ = ("_at", "_counters", "_device", "_facts", "_paths", "_port", "_reader", "_settled_at", "_state")

    def __init__(self, reader: Reader, device: str, port: int) -> None:
        self._reader = reader
        self._device = device
        self._port = port
        self._at = f"{INFINIBAND}/{device}/ports/{port}/"
        self._paths = self._find("counters", (*TRAFFIC, *RDMA_PORT_COUNTERS))
        self._paths |= self._find("hw_counters", RDMA_HW_COUNTERS)
        self._state = ""
        self._settled_at = 0.0
        self._facts: tuple[str | None, str, str] = (None, "", "")
        self._counters: dict[str, int] = {}

    def _find(self, folder: str, wanted: Iterable[str]) -> dict[str, str]:
        """Path by name of those counters that this adapter has: reading them all would be several times the work."""
        try:
            there = set(self._reader.names(self._at + folder))
        except OSError:
            return {}
        return {name: f"{self._at}{folder}/{name}" for name in wanted if name in there}

    def sample(self) -> RdmaPort:
        state = parse_state(self._reader.text(self._at + "state"))
        settled = state == self._state and self._reader.monotonic() - self._settled_at < SETTLED_S
        if not settled:
            self._state, self._settled_at = state, self._reader.monotonic()
            self._facts = (self._netdev(), parse_state(self._text("phys_state")), plain(self._text("rate"), 64))
        if not (state == "DOWN" and settled):
            self._counters = self._read_counters()
        netdev, phys_state, rate = self._facts
        counters = dict(self._counters)
        rx_words, tx_words, rx_packets, tx_packets = (counters.pop(name, None) for name in TRAFFIC)
        return RdmaPort(
            device=self._device,
            port=self._port,
            netdev=netdev,
            state=state,
            phys_state=phys_state,
            rate=rate,
            rx_bytes=None if rx_words is None else rx_words * WORD_BYTES,
            tx_bytes=None if tx_words is None else tx_words * WORD_BYTES,
            rx_packets=rx_packets,
            tx_packets=tx_packets,
            counters=counters,
        )

    def _read_counters(self) -> dict[str, int]:
        counters: dict[str, int] = {}
        for name, path in self._paths.items():
            try:
                counters[name] = int(self._reader.text(path))
            except (OSError, ValueError):
                continue
        return counters

    def _text(self, name: str) -> str:
        try:
            return self._reader.text(self._at + name)
        except OSError:
            return ""

    def _netdev(self) -> str | None:
        """The netdev this port belongs to: the device's only one, else the one that holds the port's first GID."""
        try:
            netdevs = self._reader.names(f"{INFINIBAND}/{self._device}/device/net")
        except OSError:
            netdevs = []
        return netdevs[0] if len(netdevs) == 1 else self._text("gid_attrs/ndevs/0").strip() or None


def _ports(reader: Reader, devices: Iterable[str]) -> list[_Port]:
    ports: list[_Port] = []
    for device in devices:
        try:
            numbers = [int(name) for name in reader.names(f"{INFINIBAND}/{device}/ports") if name.isdecimal()]
        except OSError:
            continue
        ports += [_Port(reader, device, number) for number in sorted(numbers)]
    return ports


def start(reader: Reader) -> Callable[[], RdmaSample]:
    """No /sys/class/infiniband = no port, which is healthy: an uncabled ConnectX may leave the bus to save power."""
    known: list[str] | None = None
    ports: list[_Port] = []

    def sample() -> RdmaSample:
        nonlocal known, ports
        try:
            devices = reader.names(INFINIBAND)
        except OSError:
            devices = []
        if devices != known:
            known, ports = devices, _ports(reader, devices)
        taken: list[RdmaPort] = []
        for port in ports:
            try:
                taken.append(port.sample())
            except OSError:
                known = None
        return RdmaSample(taken)

    return sample


COLLECTORS = (Collector("rdma", "fast", RdmaSample, start),)
