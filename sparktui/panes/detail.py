"""Everything known about one node: what it is, how the probe fares, and what every collector last said."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.contract import Cpus, Gpu, Memory, Node, Platform, Probe, Sensor
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Picture
from sparktui.panes.cells import Piece, bar, clean, content, pad, spark, width, wrap
from sparktui.panes.cpu_grid import class_words
from sparktui.panes.detail_network import (
    KEY_CELLS,
    interrupt_lines,
    keyed,
    listed,
    network_lines,
    protocol_lines,
    words,
)
from sparktui.panes.findings import finding_lines
from sparktui.panes.glyphs import Glyphs
from sparktui.panes.reasons import own_memory, reason_words
from sparktui.panes.sheet import Sheet, is_ascii
from sparktui.panes.states import TITLE, aged, figure, state_pieces
from sparktui.panes.table import flow, side_by_side

Line = list[Piece]

TWO_COLUMNS_FROM = 116
SENSOR_NAME_CELLS = 30


def node_detail(picture: Picture, name: str) -> Drawing:
    """All collectors of a node; where it is not live, first since when, why, and what to do."""
    node = picture.rack.nodes[name]
    sheet = Sheet(picture)
    age = "" if node.age_s is None else f"last sample {figures.age(node.age_s).strip()} ago"
    sheet.title(name, *state_pieces(node, picture.glyphs), right=age)
    for line in trouble_lines(picture, name, node, sheet.cells):
        sheet.add(*line)
    old = node.state != "live"
    both = picture.width >= TWO_COLUMNS_FROM
    cells = (sheet.cells - 3) // 2 if both else sheet.cells
    host, network = host_blocks(picture, node), network_blocks(picture, name, node, cells)
    last = background_blocks(picture, node, cells)
    columns = ([*host, *last], network) if both else ([*host, *network, *last],)
    drawn = [[line for block in blocks for line in [[], *block]] for blocks in columns]
    ascii_only = is_ascii(picture.glyphs)
    made = [[content(((" ", ""), *(aged(line, old))), cells + 1, ascii_only) for line in lines] for lines in drawn]
    sheet.lines += side_by_side(made, cells + 1, 2)
    return sheet.drawing(pinned=1)


def host_blocks(picture: Picture, node: Node) -> list[list[Line]]:
    """What works: GPUs, memory, CPUs."""
    blocks = [gpu_lines(gpu) for gpu in node.gpus]
    if node.memory is not None:
        blocks.append(memory_lines(node.memory, picture.glyphs))
    if node.cpus is not None:
        blocks.append(cpu_lines(node.cpus, picture.glyphs))
    return blocks


def background_blocks(picture: Picture, node: Node, cells: int) -> list[list[Line]]:
    """What one looks up: sensors, the cost of watching, what the machine is, and last its kernel's settings."""
    blocks = [probe_lines(node), platform_lines(node, cells), sysctl_lines(node, cells)]
    if node.sensors:
        blocks.insert(0, sensor_lines(node.sensors, cells, picture.glyphs.ellipsis))
    return [block for block in blocks if block]


def network_blocks(picture: Picture, name: str, node: Node, cells: int) -> list[list[Line]]:
    blocks = [
        network_lines(picture, name, node, cells),
        interrupt_lines(picture, node, cells),
        protocol_lines(picture, name, node, cells),
    ]
    return [block for block in blocks if block]


def trouble_lines(picture: Picture, name: str, node: Node, cells: int) -> list[Line]:
    """Since when a node is away and what to do, what its collectors complain of, and its open findings."""
    lines: list[Line] = []
    if node.state not in ("live", "connecting") and node.age_s is not None:
        since = facts.clock_time(picture.rack.at, node.age_s)
        lines.append([(f"nothing heard since {since}, {figures.long_age(node.age_s)}: ", "$warn")])
        lines[-1].append(("what follows is old", "$warn"))
    if node.error:
        lines += [[(text, "bold $fail")] for text in wrap(node.error, cells, 4, picture.glyphs.ellipsis)]
    for collector, error in node.collector_errors.items():
        lines += listed(collector, error.split(), cells, "$warn", gap=1)[:3]
    mine = facts.findings_on(picture.rack, name)
    return lines + finding_lines(picture, mine, 4, cells)


def platform_lines(node: Node, cells: int) -> list[Line]:
    """What the machine is, one known fact per line."""
    about: Platform | None = node.platform
    if about is None:
        return []
    firmware = (("EC", about.ec), ("UEFI", about.uefi), ("USB-PD", about.usb_pd), ("BIOS", about.bios_version))
    rows: dict[str, list[str | None]] = {
        "host": [about.hostname, about.architecture],
        "os": [about.os],
        "kernel": [about.kernel],
        "driver": [f"NVIDIA {about.nvidia_driver}" if about.nvidia_driver else None],
        "firmware": [f"{name} {version}" for name, version in firmware if version],
        "board": [about.vendor, about.product],
        "up": [figures.long_age(about.uptime_s) if about.uptime_s is not None else None],
        "boot id": [node.boot_id],
    }
    lines = [line for key, texts in rows.items() if any(texts) for line in listed(key, texts, cells)]
    return [[("platform", TITLE)], *lines]


def sysctl_lines(node: Node, cells: int) -> list[Line]:
    """The settings that matter to a network, as many on a line as fit."""
    if node.platform is None or not node.platform.sysctl:
        return []
    segments: list[Line] = [[(f"{name} ", "dim"), (value, "")] for name, value in node.platform.sysctl.items()]
    return [[("sysctl", TITLE)], *flow(segments, max(8, cells), 0)]


def probe_lines(node: Node) -> list[Line]:
    """What watching costs the node, and how far its clock is off."""
    lines: list[Line] = [[("probe", TITLE)]]
    probe: Probe | None = node.probe
    if probe is not None:
        if probe.cpu_ms_per_sample is not None:
            share = "" if not probe.fast_s else f", {probe.cpu_ms_per_sample / 10 / probe.fast_s:.2f} % of one core"
            lines.append(keyed("cost", (f"{probe.cpu_ms_per_sample:.2f} ms CPU per sample{share}", "")))
        if probe.bytes_per_sample is not None:
            lines.append(keyed("traffic", (f"{probe.bytes_per_sample / 1000:.1f} kB per sample", "")))
        python = f"Python {probe.python}" if probe.python else None
        lines.append(keyed("version", (words(probe.version, python), "")))
    if node.clock_offset_ms is not None:
        error = f" (known to {node.clock_error_ms:.1f} ms)" if node.clock_error_ms is not None else ""
        lines.append(keyed("clock", (f"{node.clock_offset_ms:+.1f} ms off this machine's{error}", "")))
    return lines if len(lines) > 1 else []


def gpu_lines(gpu: Gpu) -> list[Line]:
    """One GPU; "n/a" is what this hardware does not have."""
    cap = "" if gpu.clock_cap_mhz is None else f"  cap {gpu.clock_cap_mhz}"
    most = "" if gpu.max_sm_clock_mhz is None else f"  max {gpu.max_sm_clock_mhz}"
    used, total = figures.gib(gpu.memory_used_bytes).strip(), figures.gib(gpu.memory_total_bytes).strip()
    own = own_memory(gpu) if gpu.memory_total_bytes is None else f"{used} of {total}"
    limit = figures.watts(gpu.power_limit_w).strip()
    rows: list[Line] = [
        keyed("clock", (figures.whole(gpu.sm_clock_mhz, 4), "bold"), (" MHz", "dim"), (cap + most, "dim")),
        keyed("load", (figures.percent(gpu.utilization_percent), ""), (f"  {gpu.pstate or 'P-state n/a'}", "")),
        keyed(
            "heat",
            (figures.whole(gpu.temperature_c, 4), ""),
            (" C  fan ", "dim"),
            figure(figures.percent(gpu.fan_percent).strip()),
        ),
        keyed("power", (figures.watts(gpu.power_w), ""), (" W  limit ", "dim"), figure(limit)),
        keyed("memory", (own, "" if gpu.memory_total_bytes is not None else "dim")),
        keyed("reasons", (reason_words(gpu.event_reasons, gpu.name), "")),
    ]
    for process in gpu.processes:
        size = (figures.gib(process.memory_bytes), "")
        rows.append(keyed("process", size, (f"  {process.pid}  {words(process.name, process.container)}", "")))
    return [[(f"gpu{gpu.index}", TITLE), ("  ", ""), (gpu.name, "")], *rows]


def memory_lines(memory: Memory, glyphs: Glyphs) -> list[Line]:
    used = memory.total_bytes - memory.available_bytes
    full, empty = bar(used / memory.total_bytes if memory.total_bytes else None, 20, glyphs)
    rows = [
        keyed(
            "used", (figures.memory_pair(used, memory.total_bytes), ""), ("  ", ""), (full, "$accent"), (empty, "dim")
        )
    ]
    rows.append(
        keyed(
            "swap",
            (f"{figures.gib(memory.swap_used_bytes).strip()} of {figures.gib(memory.swap_total_bytes).strip()}", ""),
        )
    )
    if memory.cma_total_bytes is not None:
        free, total = figures.gib(memory.cma_free_bytes).strip(), figures.gib(memory.cma_total_bytes).strip()
        rows.append(keyed("CMA free", (f"{free} of {total}", "")))
    if memory.hugepages_total:
        pages = f"{memory.hugepages_free} of {memory.hugepages_total} free, {memory.hugepage_bytes >> 20} MiB each"
        rows.append(keyed("huge pages", (pages, "")))
    return [[("memory", TITLE)], *rows]


def cpu_lines(cpus: Cpus, glyphs: Glyphs) -> list[Line]:
    """Load per core class: the mean, and a bar per CPU."""
    busy = dict(zip(cpus.numbers, cpus.busy_percent, strict=False))
    names = {name: class_words(clean(name)) for name in cpus.classes}
    longest = max([KEY_CELLS, *map(width, names.values())])
    rows: list[Line] = []
    for name, members in cpus.classes.items():
        known = [value for cpu in members if (value := busy.get(cpu)) is not None]
        mean = sum(known) / len(known) if known else None
        bars = spark([busy.get(cpu) for cpu in members], 0, 100, min(40, len(members)), glyphs)
        key: Line = [(pad(names[name], longest), "dim"), (" ", "")]
        rows.append(
            [*key, (figures.percent(mean), ""), ("  ", ""), (bars, "$accent"), (f"  {len(members)} CPUs", "dim")]
        )
    load = f"load {figures.plain(cpus.load1)}" if cpus.load1 is not None else None
    rows.append([(pad("all", longest + 1), "dim"), (words(f"{cpus.count} CPUs", load, *cpus.governors), "")])
    return [[("cpu", TITLE)], *rows]


def sensor_lines(sensors: Sequence[Sensor], cells: int, ellipsis: str) -> list[Line]:
    """Sensors in their own order, down and then across, as many side by side as fit."""
    names = [f"{one.chip} {one.label}" for one in sensors]
    longest = min(SENSOR_NAME_CELLS, max(width(clean(name)) for name in names))
    across = max(1, cells // (longest + 14))
    shown: list[Line] = [
        [
            (pad(name, longest, ellipsis=ellipsis), "dim"),
            (figures.reading(one.value, one.unit)[:6].rjust(7), ""),
            (f" {pad(one.unit, 6)}", "dim"),
        ]
        for name, one in zip(names, sensors, strict=True)
    ]
    rows = -(-len(shown) // across)
    return [[("sensors", TITLE)], *([piece for line in shown[row::rows] for piece in line] for row in range(rows))]
