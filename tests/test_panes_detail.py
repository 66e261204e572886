"""A node's detail: what matters first, shares that nobody takes for loads, names that can be read."""

from __future__ import annotations

import re

import pytest

from sparktui.contract import Cpus, Irq, IrqVector, Node
from sparktui.panes.cpu_grid import class_words
from sparktui.panes.detail import node_detail
from tests.panes_drawn import PANES, made, text
from tests.panes_rack import replace, scene, spark


def detail(node: Node, width: int = 80) -> str:
    return text(node_detail(scene({"spark1": node}, {}, seconds=2).picture(width, 22), "spark1"))


def test_what_matters_comes_first_and_sysctl_last() -> None:
    page = text(node_detail(made("rx-loss").picture(80, 22), "spark1"))
    order = ["412 frames/s lost", "gpu0", "memory", "cpu", "enP7s7  10G", "interrupts", "sensors", "probe", "platform"]
    places = [page.index(f"\n {word}") if word != order[0] else page.index(word) for word in order]
    assert places == sorted(places)
    assert page.index("\n sysctl") > places[-1]
    assert page.rstrip().endswith("net.ipv4.tcp_sack 0")


@pytest.mark.parametrize(
    ("rates", "words"), [({"10": 22.0}, "all on cpu10 (A725)"), ({"0": 96.0, "7": 4.0}, "96 % of them on cpu0 (A725)")]
)
@pytest.mark.parametrize("width", [80, 120, 200])
def test_a_share_of_interrupts_is_no_load(rates: dict[str, float | None], words: str, width: int) -> None:
    lines = [IrqVector(9, "gpu", [int(cpu) for cpu in rates], list(rates.values()), 7)]
    page = detail(spark(1, irqs={"gpu": Irq(rates, 1, {}, 1.0, lines)}), width)
    assert words in page
    assert "busiest" not in page


def test_no_rate_yet_is_not_nothing() -> None:
    """After the first sample of a boot: neither a zero nor an idle vector is claimed."""
    lines = [IrqVector(9, "gpu", [3], [None], 7)]
    node = spark(1, irqs={"enP7s7": Irq({"3": None}, 1, {}, None, lines)})
    assert "nothing fires" not in detail(node)
    picture = scene({"spark1": node}, {}, seconds=0).picture(120, 38)
    page = text(PANES["irq"].view(picture))
    assert "no rate known yet" in page
    owner = next(line for line in page.splitlines() if "enP7s7" in line)
    assert "·" not in owner
    assert "vectors fire" not in page


def test_a_gb10_has_no_memory_of_its_own() -> None:
    assert "no memory of its own" in detail(spark(1))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Intel(R) Xeon(R) Platinum 8480+", "Intel Xeon Platinum 8480+"),
        ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel Xeon E5-2680 v4"),
        ("AMD EPYC 9654 96-Core Processor", "AMD EPYC 9654"),
        ("X925", "X925"),
        ("CPU", "CPU"),
        ("x" * 64, "x" * 32),
    ],
)
def test_a_class_of_cpus_has_a_name_that_can_be_read(name: str, words: str) -> None:
    assert class_words(name) == words


def test_a_long_class_name_is_whole() -> None:
    cpus = Cpus(4, {"Intel(R) Xeon(R) Platinum 8480+": [0, 1, 2, 3]}, [3.0] * 4, [0, 1, 2, 3], 6.0)
    page = detail(replace(spark(1), cpus=cpus))
    assert re.search(r"Intel Xeon Platinum 8480\+ +3%", page)
    assert "on cpu7 " not in page
    assert "(Intel" not in page
