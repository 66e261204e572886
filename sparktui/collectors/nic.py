"""Every physical network device: link, netdev statistics, and the driver's own counters by ioctl."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, DriverInfo, Reader
from sparktui.collectors.nic_counters import keep, netdev_names
from sparktui.collectors.plain import plain

NET = "/sys/class/net"

SETTLED_S = 30.0
"""How old what hardly moves while the link stays as it is may get: speed, and the counters of a link that is down."""


@dataclass(frozen=True, slots=True)
class NicCounters:
    """One netdev, cumulative counters as the kernel gives them (not unwrapped).

    `counters` holds the counters of the driver that tell something (collectors/nic_counters.py) by their ethtool names;
    for drivers without statistics the netdev error counters by their sysfs names (rx_dropped, rx_missed_errors, ...).
    `speed_mbps` is None while the link is down or unknown; it is read again when operstate or carrier changed, or 30 s
    later. `rx_dropped` holds the missed frames too, of which an r8127 or r8169 knows the last 16 bits: it may fall.
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


NetDev = tuple[int, int, int, int, int, int, int, int]
"""rx bytes, packets, errors, dropped; tx bytes, packets, errors, dropped. rx dropped holds the missed frames too."""


def parse_net_dev(text: str) -> dict[str, NetDev]:
    """The rows of /proc/net/dev by netdev; a row that is cut or no row is left out."""
    rows: dict[str, NetDev] = {}
    for line in text.splitlines():
        name, colon, fields = line.rpartition(":")
        numbers = fields.split()
        if not colon or len(numbers) < 16:
            continue
        try:
            rx, tx = [int(n) for n in numbers[:4]], [int(n) for n in numbers[8:12]]
        except ValueError:
            continue
        rows[name.strip()] = (rx[0], rx[1], rx[2], rx[3], tx[0], tx[1], tx[2], tx[3])
    return rows


def physical(reader: Reader, names: Iterable[str]) -> list[str]:
    """The netdevs with a device behind them; where there is none at all (a network namespace), the veth."""
    names = list(names)
    return [name for name in names if "device" in _entries(reader, name)] or [
        name for name in names if _driver(reader, name).driver == "veth"
    ]


def _entries(reader: Reader, name: str) -> list[str]:
    try:
        return reader.names(f"{NET}/{name}")
    except OSError:
        return []


def _driver(reader: Reader, name: str) -> DriverInfo:
    """What the driver says of itself; its name from sysfs where it says nothing."""
    try:
        return reader.ethtool_driver(name)
    except OSError:
        return DriverInfo(_basename(reader, f"{NET}/{name}/device/driver"), "", "", "")


def _basename(reader: Reader, path: str) -> str:
    try:
        return reader.link(path).rstrip("/").rpartition("/")[2]
    except OSError:
        return ""


def _optional(reader: Reader, path: str) -> str | None:
    """One word of a file that many drivers do not answer."""
    try:
        return plain(reader.text(path), 64) or None
    except OSError:
        return None


class _Nic:
    """One netdev between two samples. Every method raises OSError or ValueError when the netdev goes away meanwhile."""

    __slots__ = ("_counters", "_keep", "_link", "_netdev_names", "_reader", "_settled_at", "_speed", "name")

    def __init__(self, reader: Reader, name: str) -> None:
        self.name = name
        self._reader = reader
        driver = _driver(reader, name).driver
        try:
            self._keep = keep(driver, reader.ethtool_stats(name))
        except (OSError, ValueError):
            self._keep = ()
        self._netdev_names = netdev_names(driver) if self._keep else netdev_names("")
        self._link = ("", -1)
        self._settled_at = 0.0
        self._speed: int | None = None
        self._counters: dict[str, int] = {}

    def sample(self, row: NetDev) -> NicCounters:
        reader, at = self._reader, f"{NET}/{self.name}/"
        operstate = reader.text(at + "operstate").strip()
        link = (operstate, int(reader.text(at + "carrier_changes")))
        down = operstate in ("down", "lowerlayerdown", "notpresent")
        settled = link == self._link and reader.monotonic() - self._settled_at < SETTLED_S
        if not settled:
            self._link, self._settled_at = link, reader.monotonic()
            self._speed = None if down else self._read_speed()
        if not (down and settled):
            self._counters = self._read_counters()
        rx_bytes, rx_packets, rx_errors, rx_dropped, tx_bytes, tx_packets, tx_errors, tx_dropped = row
        return NicCounters(
            name=self.name,
            operstate=operstate,
            carrier_changes=link[1],
            speed_mbps=self._speed,
            mtu=int(reader.text(at + "mtu")),
            rx_bytes=rx_bytes,
            tx_bytes=tx_bytes,
            rx_packets=rx_packets,
            tx_packets=tx_packets,
            rx_errors=rx_errors,
            tx_errors=tx_errors,
            rx_dropped=rx_dropped,
            tx_dropped=tx_dropped,
            counters=self._counters,
        )

    def _read_speed(self) -> int | None:
        """Mb/s. Asked for seldom: it takes the kernel's network lock and, of an mlx5, a question to the adapter."""
        try:
            speed = int(self._reader.text(f"{NET}/{self.name}/speed"))
        except (OSError, ValueError):
            return None
        return speed if speed > 0 else None

    def _read_counters(self) -> dict[str, int]:
        """Asked of a link that is down only seldom: an mlx5 answers with some thirty questions to the adapter."""
        counters: dict[str, int] = {}
        if self._keep:
            stats = self._reader.ethtool_stats(self.name)
            counters = {name: stats[name] for name in self._keep if name in stats}
        for name in self._netdev_names:
            counters[name] = int(self._reader.text(f"{NET}/{self.name}/statistics/{name}"))
        return counters


def start(reader: Reader) -> Callable[[], NicSample]:
    """The list of netdevs is made again when /proc/net/dev names others, or a carrier changed (a driver was reloaded).

    /proc/net/dev is read exactly once per sample and no netdev statistic of an r8127 at all: each reading makes it dump
    its counters over the bus.
    """
    names: list[str] | None = None
    nics: list[_Nic] = []
    carrier_changes: int | None = None

    def sample() -> NicSample:
        nonlocal names, nics, carrier_changes
        rows = parse_net_dev(reader.text("/proc/net/dev"))
        if list(rows) != names:
            names, nics = list(rows), [_Nic(reader, name) for name in physical(reader, rows)]
        taken: list[NicCounters] = []
        for nic in nics:
            try:
                taken.append(nic.sample(rows[nic.name]))
            except (OSError, ValueError):
                continue
        changes = sum(nic.carrier_changes for nic in taken)
        if carrier_changes not in (None, changes):
            names = None
        carrier_changes = changes
        return NicSample(taken)

    return sample


def start_info(reader: Reader) -> Callable[[], NicInfoSample]:
    def sample() -> NicInfoSample:
        taken: list[NicInfo] = []
        for name in physical(reader, reader.names(NET)):
            try:
                taken.append(_info(reader, name))
            except OSError:
                continue
        return NicInfoSample(taken)

    return sample


def _info(reader: Reader, name: str) -> NicInfo:
    info, entries = _driver(reader, name), _entries(reader, name)
    rx_queues, tx_queues = _queues(reader, name)
    return NicInfo(
        name=name,
        driver=plain(info.driver, 32),
        driver_version=plain(info.version, 32),
        firmware=plain(info.firmware, 32),
        bus=plain(info.bus, 32) or _basename(reader, f"{NET}/{name}/device"),
        mac=plain(reader.text(f"{NET}/{name}/address"), 64).lower(),
        phys_port_name=_optional(reader, f"{NET}/{name}/phys_port_name"),
        phys_switch_id=_optional(reader, f"{NET}/{name}/phys_switch_id"),
        wireless="wireless" in entries or "phy80211" in entries,
        rx_queues=rx_queues,
        tx_queues=tx_queues,
    )


def _queues(reader: Reader, name: str) -> tuple[int | None, int | None]:
    """Receive and transmit queues in use. A combined channel is one of each."""
    try:
        channels = reader.ethtool_channels(name)
        return channels.rx + channels.combined, channels.tx + channels.combined
    except OSError:
        pass
    try:
        queues = reader.names(f"{NET}/{name}/queues")
    except OSError:
        return None, None
    return sum(q.startswith("rx-") for q in queues), sum(q.startswith("tx-") for q in queues)


COLLECTORS = (
    Collector("nic", "fast", NicSample, start),
    Collector("nic_info", "slow", NicInfoSample, start_info),
)
