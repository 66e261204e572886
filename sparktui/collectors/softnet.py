"""The network softirq: /proc/net/softnet_stat and the NET_RX / NET_TX rows of /proc/softirqs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparktui.collectors.base import Collector, Reader

CPU_COLUMN = 12
"""Column of softnet_stat that holds the CPU's number, since Linux 5.14."""


@dataclass(frozen=True, slots=True)
class SoftnetSample:
    """Cumulative counts per CPU, `cpu[i]` being the CPU's number; net_rx / net_tx from /proc/softirqs, same order."""

    cpu: list[int]
    processed: list[int]
    dropped: list[int]
    time_squeeze: list[int]
    net_rx: list[int]
    net_tx: list[int]


def parse_softnet(text: str) -> list[tuple[int, int, int, int]]:
    """(CPU, processed, dropped, time_squeeze) per row of /proc/net/softnet_stat; offline CPUs have no row.

    Kernels that do not print the CPU's number print the online CPUs in order: there the row's number is the CPU's.
    """
    rows: list[tuple[int, int, int, int]] = []
    for line in text.splitlines():
        columns = line.split()
        cpu = int(columns[CPU_COLUMN], 16) if len(columns) > CPU_COLUMN else len(rows)
        processed, dropped, squeezed = (int(column, 16) for column in columns[:3])
        rows.append((cpu, processed, dropped, squeezed))
    if not rows:
        raise ValueError("/proc/net/softnet_stat is empty")
    return rows


def parse_softirqs(text: str) -> dict[str, dict[int, int]]:
    """Counts of NET_RX and NET_TX by CPU number, columns by the header. Raises ValueError where a row is missing."""
    header, _, body = text.partition("\n")
    cpus = [int(name.removeprefix("CPU")) for name in header.split()]
    rows: dict[str, dict[int, int]] = {}
    for line in body.splitlines():
        name, _, counts = line.partition(":")
        if (name := name.strip()) in ("NET_RX", "NET_TX"):
            rows[name] = dict(zip(cpus, map(int, counts.split()), strict=True))
    if len(rows) != 2:
        raise ValueError("/proc/softirqs has no NET_RX and NET_TX")
    return rows


def start(reader: Reader) -> Callable[[], SoftnetSample]:
    def sample() -> SoftnetSample:
        rows = parse_softnet(reader.text("/proc/net/softnet_stat"))
        softirqs = parse_softirqs(reader.text("/proc/softirqs"))
        cpus = [row[0] for row in rows]
        return SoftnetSample(
            cpu=cpus,
            processed=[row[1] for row in rows],
            dropped=[row[2] for row in rows],
            time_squeeze=[row[3] for row in rows],
            net_rx=[softirqs["NET_RX"].get(cpu, 0) for cpu in cpus],
            net_tx=[softirqs["NET_TX"].get(cpu, 0) for cpu in cpus],
        )

    return sample


COLLECTORS = (Collector("softnet", "fast", SoftnetSample, start),)
