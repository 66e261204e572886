"""A small rack and two panes of its own for the tests of the frame; run as a script, it is the program on a terminal.

`python tests/tui_child.py FOLDER` leaves FOLDER/started and FOLDER/stopped when the callbacks have run. $TUI_CLOCK = N
makes the wall clock N times as fast; $TUI_FEED = SECONDS puts new values that often; with $TUI_HANG = SECONDS stopping
never ends, and the last resort comes that soon; with $TUI_BLOCK starting never ends; $TUI_NO_MOUSE leaves the mouse
alone.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from textual.content import Content

from sparktui.config import NodeConfig, RackConfig, Settings, UiConfig
from sparktui.contract import Finding, Gpu, Nic, Node, Port, Rdma, Softnet, Switch, Tcp
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.store import Store

NODES = ("spark1", "spark2", "spark3", "spark4")
WALL = 1_790_000_000.0


def gpu(mhz: int) -> Gpu:
    return Gpu(
        index=0,
        name="NVIDIA GB10",
        uuid="GPU-1",
        sm_clock_mhz=mhz,
        max_sm_clock_mhz=3003,
        temperature_c=70 + mhz % 7,
        power_w=30 + mhz % 10,
        power_limit_w=None,
        pstate="P0",
        utilization_percent=mhz % 100,
        memory_used_bytes=None,
        memory_total_bytes=None,
        process_memory_bytes=None,
        event_reasons=[],
        fan_percent=None,
    )


def nic(missed: int) -> Nic:
    return Nic(
        driver="r8127",
        driver_version="11.014.00-NAPI",
        plane="management",
        cage=None,
        operstate="up",
        speed_mbps=10000,
        mtu=1500,
        rx_bps=1.2e6,
        tx_bps=8e5,
        rx_packets_per_s=100.0,
        tx_packets_per_s=90.0,
        rx_missed_per_s=0.0,
        rx_errors_per_s=0.0,
        rx_missed_total=missed,
        rx_errors_total=0,
        counters_per_s={},
        rx_queues=1,
        tx_queues=1,
        rdma=Rdma("roce0", None, None, {}, {"out_of_sequence": 3}),
        switch_port=None,
        counters_total={"rx_mac_missed": missed},
    )


def node(mhz: int = 2400, missed: int = 7) -> Node:
    return Node(
        state="live",
        boot_id="1",
        gpus=[gpu(mhz)],
        nics={"enP7s7": nic(missed)},
        tcp=Tcp(0.0, {}, {"RetransSegs": 5}),
        softnet=Softnet(0.0, 0.0, dropped_total=2),
    )


def switch() -> Switch:
    port = Port("up", 10000, None, 1e6, 1e6, 0.0, 0.0, 0.0, 0.0, 0.0, "spark1", ["enP7s7"], 4.0)
    return Switch(state="live", ports={"sfp56-1": port})


def rack_store() -> Store:
    """Four live nodes and a switch, all with one sample taken at 100 s."""
    store = Store(list(NODES), ["crs812"])
    for number, name in enumerate(NODES):
        store.put_node(name, node(2400 + number), 100.0)
    store.put_switch("crs812", switch(), 100.0)
    return store


def settings(**changes: object) -> Settings:
    nodes = [NodeConfig(name=name, gpu_clock_cap_mhz=2400) for name in NODES]
    usual = {"nodes": nodes, "rack": RackConfig(name="rack-a"), "ui": UiConfig(start_pane="nodes")}
    return Settings(**{**usual, **changes})  # type: ignore[arg-type]


def finding(severity: str = "fail", until: str | None = None) -> Finding:
    return Finding("nic.rx_loss", severity, "spark2", "2026-09-21T12:00:00Z", until, "frames lost", {})  # type: ignore[arg-type]


def table(picture: Picture) -> Drawing:
    """A row per node with its clock; sorted by it where asked."""
    if picture.width < 3:
        raise ValueError("no room at all")
    rows = [(name, one.gpus[0].sm_clock_mhz or 0) for name, one in picture.rack.nodes.items() if one.gpus]
    rows = [row for row in rows if picture.filter in row[0]]
    if picture.sort == "clock":
        rows.sort(key=lambda row: -row[1])
    lines = [Content.styled(" node      MHz", "dim")]
    line_of = {}
    for name, mhz in rows:
        line_of[name] = len(lines)
        lines.append(Content.assemble(f" {name}  ", (f"{mhz:5}", "$ok"), "  NVIDIA GB10"))
    if picture.detail:
        return Drawing([Content.styled(f" detail of {picture.selected}", "$title"), Content(f" width {picture.width}")])
    if picture.mark is not None:
        lines.append(Content(f" since {picture.mark.label}"))
    return Drawing(lines, list(line_of), line_of, pinned=1)


def long(_picture: Picture) -> Drawing:
    """A hundred lines, every second one an item."""
    lines = [Content(f" line {number:3}") for number in range(100)]
    lines[0] = Content.styled(" a heading", "$title")
    line_of = {f"item {number}": number for number in range(2, 100, 2)}
    return Drawing(lines, list(line_of), line_of, pinned=1)


def broken(picture: Picture) -> Drawing:
    raise KeyError(f"no [b]such[/b] thing on {picture.width} cells")


PANES = (
    Pane("nodes", "1", "Nodes", "One row per node, with its clock.", table, sorts=("clock", "power")),
    Pane("long", "2", "Long", "More lines than fit.", long),
    Pane("broken", "3", "Broken", "A pane that fails.", broken),
)


def main(folder: Path) -> int:
    from sparktui.ui import run

    run.LAST_S = float(os.environ.get("TUI_HANG", run.LAST_S))
    store = rack_store()
    speed = float(os.environ.get("TUI_CLOCK", "1"))
    began = time.monotonic()
    feeding: list[asyncio.Task[None]] = []

    async def feed(seconds: float) -> None:
        for tick in range(10**9):
            await asyncio.sleep(seconds)
            for number, name in enumerate(NODES):
                store.put_node(name, node(2300 + (tick * 7 + number) % 100), time.monotonic() - began)

    async def start() -> None:
        if seconds := os.environ.get("TUI_FEED"):
            feeding.append(asyncio.create_task(feed(float(seconds))))
        (folder / "started").write_text("started")
        if "TUI_BLOCK" in os.environ:
            time.sleep(3600)  # noqa: ASYNC251 - what must not hold the program up

    async def stop() -> None:
        for task in feeding:
            task.cancel()
        (folder / "stopped").write_text("stopped")
        if "TUI_HANG" in os.environ:
            time.sleep(3600)  # noqa: ASYNC251 - what must not hold the program up

    return run.run_tui(
        store=store,
        settings=settings(),
        panes=PANES,
        start=start,
        stop=stop,
        set_fast=lambda _seconds: None,
        demo=os.environ.get("TUI_DEMO"),
        mouse="TUI_NO_MOUSE" not in os.environ,
        clock=lambda: time.monotonic() - began,
        wall=lambda: WALL + (time.monotonic() - began) * speed,
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
