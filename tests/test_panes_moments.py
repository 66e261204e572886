"""What the panes say at special moments: before there are rates, after a mark, and when polls are missing."""

from __future__ import annotations

import re

import pytest

from sparktui.contract import Node
from sparktui.panes import figures
from sparktui.store import POLLS
from tests.panes_drawn import PANES, draw, row, text
from tests.panes_rack import NOW, WALL, Scene, crs812, replace, scene
from tests.panes_scenes import mark_at, rack_of


@pytest.mark.parametrize("pane", ["overview", "network"])
def test_what_is_not_known_yet_is_not_what_the_hardware_lacks(pane: str) -> None:
    """After one sample there are no rates: that is no "n/a", and nothing is called good."""
    known = {name: first_sample(node) for name, node in rack_of(4).items()}
    base = crs812()
    ports_seen = {name: replace(port, rx_bps=None, tx_bps=None) for name, port in base.ports.items()}
    page = text(PANES[pane].view(scene(known, {"crs812": replace(base, ports=ports_seen)}, seconds=1).picture()))
    assert figures.NA not in page
    assert "none open" not in page
    assert pane != "overview" or page.count("waiting for the first samples") == 2


def first_sample(node: Node) -> Node:
    assert node.cpus is not None
    nics = {
        name: replace(
            nic,
            rx_bps=None,
            tx_bps=None,
            rx_missed_per_s=None,
            rx_errors_per_s=None,
            rdma=nic.rdma and replace(nic.rdma, rx_bps=None, tx_bps=None),
        )
        for name, nic in node.nics.items()
    }
    return replace(node, gpus=[], nics=nics, cpus=replace(node.cpus, busy_percent=[]), tcp=None)


def test_the_rows_under_the_nodes_stay_where_they_are() -> None:
    full, few, starting = (draw(name, "overview").splitlines() for name in ("healthy", "unreachable", "starting"))
    assert full[6].split()[0] == few[6].split()[0] == "spread"
    assert len([line for line in starting if line.split()[:1] == ["spread"]]) == 1


@pytest.mark.parametrize(("age_s", "old"), [(9.0, False), (11.0, True)])
def test_the_switch_end_is_old_when_two_polls_are_missing(age_s: float, old: bool) -> None:
    one = scene(rack_of(4), {"crs812": crs812()}, seconds=2)
    target = one.store.switches["crs812"]
    target.series.clear()
    for at in range(5):
        target.add(POLLS, NOW - age_s - 20 + 5 * at, 1.0)
    target.taken_at = NOW - age_s
    page = text(PANES["network"].view(Scene(one.store.rack(NOW, WALL), one.store).picture()))
    assert "rates: node's over 1 s, switch's over 5 s" in page
    assert ("old: polls are missing" in page) == old


@pytest.mark.parametrize("width", [80, 120, 200])
def test_losses_are_counted_since_the_mark(width: int) -> None:
    totals = {
        "spark1": {("enP7s7", "rx_missed"): 36_000, ("enP7s7", "rx_errors"): 35_000},
        "crs812": {("sfp56-1", "RxFCSError"): 0, ("sfp56-1", "RxDrop"): 0, ("sfp56-1", "TxDrop"): 0},
    }
    page = draw("rx-loss", "overview", width, 57, mark=mark_at(30, totals))
    assert re.search(r" 12! +118! ", row(page, "✗ spark1 ●") + " ")
    assert "losses are counts since 22:10:03" in page
    assert "412/s" not in row(page, "✗ spark1 ●")
    assert re.search(r"sfp56-1 +↔ spark1 enP7s7 +10G .* 0 +0 ", row(page, "sfp56-1 "))
    assert "losses are counts" not in draw("rx-loss", "overview", width, 57)
