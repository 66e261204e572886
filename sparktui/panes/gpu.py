"""GPUs: clock against its cap and maximum, what held it down, heat, power, load, memory, and who uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparktui.contract import Gpu, Node
from sparktui.panes import facts, figures
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.panes.cells import Piece, buckets, chart, clean, outlined, pad, spark, width
from sparktui.panes.detail import node_detail
from sparktui.panes.findings import finding_lines
from sparktui.panes.gpu_shares import share, span_words
from sparktui.panes.nodes import mark_cell
from sparktui.panes.reasons import (
    FAULTS,
    HARMLESS,
    SW_POWER_CAP,
    harmless,
    own_memory,
    power_range,
    reason_word,
)
from sparktui.panes.sheet import Sheet
from sparktui.panes.states import aged, figure, state_pieces
from sparktui.panes.table import fit, flow

HISTORY_S = 600.0
KEY_CELLS = 9
FIGURE_CELLS = 31
RANGE_CELLS = 12
SHOWN_PROCESSES = 4
NAME_CELLS = 32
CHART_ROWS = 5

HELP = """\
One block per GPU. "cap" is the clock limit that your config names, "max" what the chip can do. The reasons are the
driver's for holding the clock down, each with its share of the last minute: the software power cap's by the driver's
own counter of time, where it has one, the others' by samples. The charts show the last ten minutes in fixed ranges; a
blank is a gap. A GB10 has no memory of its own: its memory is the host's. Enter shows taller charts and every process.
"""


def view(picture: Picture) -> Drawing:
    if picture.detail and (detail := detail_of(picture)):
        return detail
    sheet = Sheet(picture)
    if any(harmless(SW_POWER_CAP, gpu.name) for node in picture.rack.nodes.values() for gpu in node.gpus):
        sheet.add((HARMLESS, "dim"))
    for name, node in picture.rack.nodes.items():
        whole = facts.matches(picture.filter, name)
        for gpu in node.gpus:
            if whole or passes(picture, gpu):
                sheet.blank()
                add_gpu(sheet, picture, name, gpu, 1)
        if not node.gpus and whole:
            add_blind(sheet, picture, name, node)
    if not sheet.items and picture.filter:
        sheet.add((f'no row holds "{picture.filter}"', "dim"))
    return sheet.drawing()


def detail_of(picture: Picture) -> Drawing | None:
    """All about the selected GPU, whatever the filter; about the node where it has none."""
    for name, node in picture.rack.nodes.items():
        for gpu in node.gpus:
            if item_of(name, gpu) == picture.selected:
                return gpu_detail(picture, name, gpu)
        if not node.gpus and picture.selected == f"node:{name}":
            return node_detail(picture, name)
    return None


def add_blind(sheet: Sheet, picture: Picture, name: str, node: Node) -> None:
    """A node of which no GPU is known, and why."""
    sheet.blank()
    why = node.collector_errors.get("gpu") or node.error or "no GPU read"
    state = state_pieces(node, picture.glyphs)
    sheet.item(f"node:{name}", ("  ", ""), (name, "bold"), (" ", ""), *state, (f"  {why}", "dim"))


def passes(picture: Picture, gpu: Gpu) -> bool:
    words = [word for one in gpu.processes for word in (one.name, one.container)]
    return facts.matches(picture.filter, f"gpu{gpu.index}", gpu.name, *words)


def item_of(name: str, gpu: Gpu) -> str:
    """A node's first GPU is the node: selected in the overview, it is selected here."""
    return f"node:{name}" if gpu.index == 0 else f"gpu:{name}:{gpu.index}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One charted figure: its series, its fixed range with unit, and what stands before the chart."""

    key: str
    series: str
    lo: float
    hi: float
    unit: str
    text: list[Piece]


def quantities(picture: Picture, name: str, gpu: Gpu) -> list[Quantity]:
    cap = gpu.clock_cap_mhz
    most = gpu.max_sm_clock_mhz or 3000
    slow = facts.has_finding(picture.rack, "gpu.low_clock_under_load", name)
    capped = "" if cap is None else f" cap {figures.whole(cap, 4).strip()}"
    limits = f" MHz{capped} max {figures.whole(gpu.max_sm_clock_mhz, 4).strip()}"
    return [
        Quantity("clock", "sm_clock_mhz", 0, most, "MHz", [
            figure(figures.whole(gpu.sm_clock_mhz, 5), "bold $fail" if slow else "bold"), (limits, "dim"),
        ]),
        Quantity("heat", "temperature_c", 20, 100, "C", [
            figure(figures.whole(gpu.temperature_c, 5)), (" C   fan ", "dim"),
            figure(figures.percent(gpu.fan_percent).strip()),
        ]),
        Quantity("power", "power_w", 0, power_range(gpu), "W", [
            figure(figures.watts(gpu.power_w)), (" W   limit ", "dim"),
            figure(figures.watts(gpu.power_limit_w).strip()),
        ]),
        Quantity("load", "utilization_percent", 0, 100, "%", [
            figure(figures.whole(gpu.utilization_percent, 5)), (" %   ", "dim"), *residency(picture, name, gpu),
        ]),
    ]  # fmt: skip


def residency(picture: Picture, name: str, gpu: Gpu) -> list[Piece]:
    """The P-state now, and its share of the last minute."""
    if gpu.pstate is None:
        return [("P-state n/a", "dim")]
    span = span_words(picture, name, gpu).split(" ", 1)[1].replace("minute", "min")
    return [
        (gpu.pstate, ""),
        (f" {figures.percent(share(picture, name, gpu, f'pstate.{gpu.pstate}')).strip()} of {span}", "dim"),
    ]


def add_gpu(sheet: Sheet, picture: Picture, name: str, gpu: Gpu, rows: int) -> None:
    """One GPU: a line per charted figure (`rows` lines in the detail), the axis, then reasons, memory and processes."""
    node = picture.rack.nodes[name]
    old = node.state != "live"
    mine = facts.findings_on(picture.rack, name, f"gpu{gpu.index}")
    cells = max(0, sheet.cells - 2 - KEY_CELLS - FIGURE_CELLS - RANGE_CELLS)
    head: list[Piece] = [
        (f"{name} gpu{gpu.index}", "bold"),
        (f"  {gpu.name}  ", ""),
        *state_pieces(node, picture.glyphs),
    ]
    axis = ("10 min ago" + "now".rjust(cells - 10)) if cells >= 16 else ""
    sheet.item(
        item_of(name, gpu),
        *fit(mark_cell(picture, mine[0].severity if mine else None), 2),
        *fit(head, KEY_CELLS + FIGURE_CELLS - 1, "left", picture.glyphs.ellipsis),
        (f" {axis}", "dim"),
    )
    for quantity in quantities(picture, name, gpu):
        for line in charted(picture, name, gpu, quantity, cells, rows):
            sheet.add(*aged(line, old))
        if rows > 1:
            sheet.blank()
    about = [
        *reason_lines(picture, name, gpu, sheet.cells - 2),
        *memory_lines(node, gpu),
        *process_lines(picture, gpu, rows > 1),
    ]
    for line in about:
        sheet.add(("  ", ""), *aged(line, old))


def charted(picture: Picture, name: str, gpu: Gpu, one: Quantity, cells: int, rows: int) -> list[list[Piece]]:
    """The figure, its history and the range of the chart."""
    values = buckets(
        facts.series_of(picture.store, name, f"gpu{gpu.index}.{one.series}").points, picture.now, HISTORY_S, cells
    )
    text = [("  ", ""), (pad(one.key, KEY_CELLS), "dim"), *fit(one.text, FIGURE_CELLS)]
    top, bottom = figures.plain(one.hi, 0), figures.plain(one.lo, 0)
    if rows == 1:
        bars = spark(values, one.lo, one.hi, cells, picture.glyphs)
        return [[*text, (bars, "$idle"), (f" {bottom}-{top} {one.unit}", "dim")]]
    blank: list[Piece] = [(" " * (2 + KEY_CELLS + FIGURE_CELLS), "")]
    labels = [f" {top} {one.unit}", *[""] * (rows - 2), f" {bottom}"]
    drawn_rows = chart(values, one.lo, one.hi, rows, picture.glyphs)
    return [
        [*(blank if index else text), *outlined(drawn_rows, index, picture.glyphs), (labels[index], "dim")]
        for index in range(rows)
    ]


def reason_lines(picture: Picture, name: str, gpu: Gpu, cells: int) -> list[list[Piece]]:
    """Every reason of the last minute with its share, those that hold now first."""
    key: Piece = (pad("reasons", KEY_CELLS), "dim")
    if gpu.event_reasons is None:
        return [[key, ("n/a", "dim")]]
    target = picture.store.nodes.get(name)
    prefix = f"gpu{gpu.index}.reason."
    seen = [series.removeprefix(prefix) for series in (target.series if target else {}) if series.startswith(prefix)]
    shares = {
        reason: share(picture, name, gpu, f"reason.{reason}") or 0.0
        for reason in {*seen, *gpu.event_reasons, SW_POWER_CAP}
    }
    held = sorted(
        (one for one in shares if shares[one] or one in gpu.event_reasons), key=lambda one: (-shares[one], one)
    )
    span = span_words(picture, name, gpu)
    live = picture.rack.nodes[name].state == "live"
    if not held:
        return [[key, (f"none in {span}", "dim")]]
    segments: list[list[Piece]] = []
    for reason in held:
        style = "bold $fail" if reason in FAULTS else ""
        now = "now, " if live and reason in gpu.event_reasons else ""
        amount = "< 1" if 0 < shares[reason] < 0.5 else f"{shares[reason]:.0f}"
        segments.append([(reason_word(reason), style), (f" {now}{amount} % of {span}", "dim")])
    lines = [line for one in segments for line in flow(split(one), cells - KEY_CELLS, 2, gap=1)]
    return [[key if index == 0 else (" " * KEY_CELLS, ""), *line] for index, line in enumerate(lines)]


def split(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Single words, so that a narrow pane breaks between them."""
    return [[(word, style)] for text, style in pieces for word in text.split()]


def memory_lines(node: Node, gpu: Gpu) -> list[list[Piece]]:
    """The GPU's own memory; a GB10 uses the host's."""
    key: Piece = (pad("memory", KEY_CELLS), "dim")
    if gpu.memory_total_bytes is not None:
        return [[key, (figures.memory_pair(gpu.memory_used_bytes, gpu.memory_total_bytes), "")]]
    used, total = facts.host_memory(node)
    by_processes = figures.gib(gpu.process_memory_bytes).strip() if gpu.processes else "none"
    return [[
        key, figure(by_processes), (" by processes; host ", "dim"), figure(figures.memory_pair(used, total).strip()),
        (f" in use; {own_memory(gpu)}", "dim"),
    ]]  # fmt: skip


def process_lines(picture: Picture, gpu: Gpu, all_of_them: bool) -> list[list[Piece]]:
    """The processes with the most memory first."""
    ordered = sorted(gpu.processes, key=lambda one: (-(one.memory_bytes or 0), one.pid))
    shown = ordered if all_of_them else ordered[:SHOWN_PROCESSES]
    names = min(NAME_CELLS, max((width(clean(one.name)) for one in shown), default=0))
    lines: list[list[Piece]] = [
        [
            (pad("process" if index == 0 else "", KEY_CELLS), "dim"),
            figure(figures.gib(one.memory_bytes)),
            (f" {one.pid:>8}  ", "dim"),
            (pad(one.name, names, ellipsis=picture.glyphs.ellipsis), ""),
            (f"  in {one.container}" if one.container else "", "dim"),
        ]
        for index, one in enumerate(shown)
    ]
    if len(shown) < len(ordered):
        lines.append([(" " * KEY_CELLS, ""), (f"{len(ordered) - len(shown)} more", "dim")])
    return lines or [[(pad("process", KEY_CELLS), "dim"), ("none", "dim")]]


def gpu_detail(picture: Picture, name: str, gpu: Gpu) -> Drawing:
    """One GPU with tall charts, every process, its ids and its findings."""
    sheet = Sheet(picture)
    add_gpu(sheet, picture, name, gpu, CHART_ROWS)
    if harmless(SW_POWER_CAP, gpu.name):
        sheet.add(("  " + " " * KEY_CELLS, ""), (HARMLESS, "dim"))
    sheet.add(("  ", ""), (pad("uuid", KEY_CELLS), "dim"), (gpu.uuid, ""))
    mine = facts.findings_on(picture.rack, name, f"gpu{gpu.index}")
    if mine:
        sheet.blank()
        sheet.title("findings")
        for line in finding_lines(picture, mine, 4, sheet.cells):
            sheet.add(*line)
    return Drawing(sheet.lines, pinned=1)


PANE = Pane("gpu", "2", "GPU", HELP, view)
