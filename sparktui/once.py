"""`sparktui once`: one look at the rack without the terminal program, as a table or as JSON."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Sequence

import msgspec

from sparktui.config import Settings
from sparktui.contract import Finding, Nic, Node, Rack, Switch, summed
from sparktui.monitor import Monitor, RackUnavailable


def look(settings: Settings, *, seconds: float, as_json: bool, demo: str | None) -> int:
    """Watch for `seconds`, print, and return the exit code: 0 good, 1 a `fail` finding is open, 2 nothing reached."""
    if sys.stderr.isatty():
        print(f"looking for {seconds:g} s ...", file=sys.stderr)
    try:
        rack = asyncio.run(watch(settings, seconds, demo))
    except RackUnavailable as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 2
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(rack), indent=1).decode())
    else:
        print("\n".join(table(rack)))
    return exit_code(rack)


def exit_code(rack: Rack) -> int:
    """2 where nothing at all answered, 1 while a `fail` finding is open, else 0."""
    states = {node.state for node in rack.nodes.values()} | {switch.state for switch in rack.switches.values()}
    if not states & {"live", "stale"}:
        return 2
    return 1 if any(finding.severity == "fail" and finding.until is None for finding in rack.findings) else 0


async def watch(settings: Settings, seconds: float, demo: str | None) -> Rack:
    """The rack after `seconds`, or a little later where a target has not given two samples yet (15 s more at most)."""
    monitor = Monitor(settings, demo=demo)
    try:
        await monitor.start()
        await asyncio.sleep(seconds)
        await monitor.until(complete, 15.0)
        return monitor.rack(with_ended=True)
    finally:
        await monitor.stop()


def complete(rack: Rack) -> bool:
    """Whether every target that can answer has given a rate."""
    nodes = all(
        node.state != "connecting" and (node.state != "live" or _has_rate(node)) for node in rack.nodes.values()
    )
    return nodes and all(
        switch.state != "connecting" and (switch.state != "live" or _ports_have_rates(switch))
        for switch in rack.switches.values()
    )


def _has_rate(node: Node) -> bool:
    return node.tcp is not None and node.tcp.retrans_per_s is not None


def _ports_have_rates(switch: Switch) -> bool:
    up = [port for port in switch.ports.values() if port.oper == "up"]
    return not up or any(port.rx_bps is not None for port in up)


def table(rack: Rack) -> list[str]:
    """The rack as lines of plain text: nodes, switches, findings."""
    lines = columns([NODE_HEAD, *(row for name, node in rack.nodes.items() for row in node_rows(name, node))])
    for name, switch in rack.switches.items():
        lines += ["", *switch_lines(name, switch)]
        lines += columns([PORT_HEAD, *port_rows(switch)]) if switch.ports else []
    lines.append("")
    for finding in rack.findings:
        ended = f" (ended {finding.until})" if finding.until else ""
        about = " ".join(filter(None, (finding.target, _part(finding))))
        lines.append(f"{finding.severity.upper():5} {finding.rule} {about}: {finding.text}{ended}")
        if finding.next:
            lines.append(f"      next: {finding.next}")
    if not rack.findings:
        lines.append("no findings")
    return lines


def _part(finding: Finding) -> str:
    """What of the target it is about: a GPU, a NIC, a port."""
    named = (finding.evidence.get(key) for key in ("gpu", "nic", "port", "device"))
    return next((part for part in named if isinstance(part, str)), "")


NODE_HEAD = [
    "node",
    "state",
    "util",
    "MHz",
    "C",
    "W",
    "P",
    "memory GiB",
    "mgmt rx/tx",
    "fabric rx/tx",
    "miss/s",
    "err/s",
]
PORT_HEAD = ["port", "oper", "speed", "node", "rx", "tx", "fcs/s", "drop/s"]


def node_rows(name: str, node: Node) -> list[list[str]]:
    """One row per GPU (one where there is none), then the error as a row of its own."""
    memory = "-"
    if node.memory:
        used = node.memory.total_bytes - node.memory.available_bytes
        memory = f"{used / 2**30:.0f}/{node.memory.total_bytes / 2**30:.0f}"
    network = [
        _pair(*_traffic(node, "management")),
        _pair(*_traffic(node, "fabric")),
        _number(summed([nic.rx_missed_per_s for nic in node.nics.values()])),
        _number(summed([nic.rx_errors_per_s for nic in node.nics.values()])),
    ]
    gpus = [
        [
            _number(gpu.utilization_percent, "%"),
            _number(gpu.sm_clock_mhz),
            _number(gpu.temperature_c),
            _number(gpu.power_w),
            gpu.pstate or "-",
        ]
        for gpu in node.gpus
    ] or [["-"] * 5]
    rows = [[name, node.state, *gpus[0], memory, *network]]
    rows += [["", f"gpu{index}", *gpu] for index, gpu in enumerate(gpus[1:], 1)]
    return rows + ([["", node.error]] if node.error else [])


def port_rows(switch: Switch) -> list[list[str]]:
    return [
        [
            name,
            port.oper,
            _number(port.speed_mbps and port.speed_mbps / 1000, "G"),
            port.node or port.neighbour or port.alias or "-",
            _bits(port.rx_bps),
            _bits(port.tx_bps),
            _number(port.rx_fcs_errors_per_s),
            _number(summed([port.rx_drops_per_s, port.tx_drops_per_s])),
        ]
        for name, port in switch.ports.items()
    ]


def switch_lines(name: str, switch: Switch) -> list[str]:
    if switch.error:
        return [f"{name}  {switch.state}  {switch.error}"]
    words = []
    for row in switch.health:
        word = {"ok": "ok", "not_ok": "NOT OK", "expected_absent": "absent (expected)"}.get(row.state or "")
        words.append(f"{row.name} {word or _number(row.value, ' ' + row.unit)}")
    head = f"{name}  {switch.state}  {switch.model or ''} {switch.version or ''}".rstrip()
    health = textwrap.wrap(", ".join(words), 108, break_on_hyphens=False)
    return [head, *(f"  {line}" for line in health)]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows aligned under each other; a row of two cells whose first is empty is a remark and runs on."""
    full = [row for row in rows if len(row) > 2]
    widths = [max(len(row[i]) for row in full if i < len(row)) for i in range(max(map(len, full), default=0))]
    lines = []
    for row in rows:
        cells = row if len(row) == 2 else [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _traffic(node: Node, plane: str) -> tuple[float | None, float | None]:
    """Bits per second of a plane: what the netdevs carried plus what went past them as RDMA."""
    nics = [nic for nic in node.nics.values() if nic.plane == plane]
    return (
        summed([rate for nic in nics for rate in (nic.rx_bps, _rdma(nic, "rx_bps"))]),
        summed([rate for nic in nics for rate in (nic.tx_bps, _rdma(nic, "tx_bps"))]),
    )


def _rdma(nic: Nic, field: str) -> float | None:
    return getattr(nic.rdma, field) if nic.rdma else None


def _pair(one: float | None, other: float | None) -> str:
    return f"{_bits(one)} / {_bits(other)}"


def _bits(rate: float | None) -> str:
    if rate is None:
        return "-"
    for unit in ("b/s", "kb/s", "Mb/s", "Gb/s"):
        if rate < 999.5 or unit == "Gb/s":
            return f"{rate:.3g} {unit}" if rate < 100 else f"{rate:.0f} {unit}"
        rate /= 1000
    return "-"


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return "-"
    return f"{value:.0f}{unit}" if value == int(value) or value >= 100 else f"{value:.1f}{unit}"
