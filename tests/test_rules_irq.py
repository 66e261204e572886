"""All receive interrupts on one CPU: when that is a fault, and when it is one flow or nothing at all."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sparktui.contract import Irq, IrqVector, Node
from tests.rule_cases.rack import (
    connectx,
    node,
    once,
    r8127,
    rss_interrupts,
    stock,
)

IRQ = "irq.rx_one_cpu"


def one_vector(cpu: int = 0, share: float = 1.0, per_s: float = 12_000.0) -> Irq:
    """The stock r8127: receive on vector 0, transmit on vector 8."""
    rx = IrqVector(390, "enP7s7-0", [cpu, cpu + 1], [per_s * share, per_s * (1 - share)], 10**6, "0-19")
    return Irq({}, 32, {"390": "0-19"}, 0.9, [rx, IrqVector(398, "enP7s7-8", [4], [9000.0], 10**6)])


def test_one_queue_on_one_cpu() -> None:
    (found,) = once(IRQ, node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector()}))
    assert "all receive interrupts of enP7s7 on CPU 0 (A725): one queue (464,000 frames/s)" in found.text
    assert (found.evidence["cpu"], found.evidence["share"], found.evidence["vectors"]) == (0, 1.0, 1)


def meeting(busy: float | None, cpus: list[int]) -> Node:
    """Eight queues whose interrupts go to these CPUs; CPU 0 is as busy as that."""
    lines = [IrqVector(390 + n, f"enP7s7-{n}", [cpu], [1500.0], 10**6) for n, cpu in enumerate(cpus)]
    view = node(irqs={"enP7s7": Irq({}, 32, {}, None, lines)})
    assert view.cpus is not None
    return replace(view, cpus=replace(view.cpus, busy_percent=[busy, *view.cpus.busy_percent[1:]]))


@pytest.mark.parametrize(
    ("view", "there"),
    [
        pytest.param(node(irqs={"enP7s7": rss_interrupts()}), False, id="eight queues on eight cores"),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=300.0)}, irqs={"enP7s7": one_vector()}), False, id="idle"
        ),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=5e4)}, irqs={"enP7s7": one_vector()}), True, id="gate"
        ),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=49_999.0)}, irqs={"enP7s7": one_vector()}),
            False,
            id="below gate",
        ),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(share=0.90)}), True, id="90 % on one"),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(share=0.89)}), False, id="89 % on one"),
        pytest.param(
            node(nics={"enP7s7": stock()}, irqs={"enP7s7": one_vector(per_s=199.0)}), False, id="few interrupts"
        ),
        pytest.param(
            node(nics={"enP7s7": r8127()}, irqs={"enP7s7": one_vector()}), False, id="one flow in one of 8 queues"
        ),
        pytest.param(meeting(92.0, [0] * 8), True, id="eight queues on one busy CPU"),
        pytest.param(meeting(69.9, [0] * 8), False, id="eight queues on one CPU that has time"),
        pytest.param(meeting(None, [0] * 8), False, id="how busy is not known"),
        pytest.param(meeting(92.0, [0] * 4 + [5] * 4), False, id="on two CPUs"),
        pytest.param(node(nics={"enP7s7": stock()}, irqs={}), False, id="interrupts not known"),
        pytest.param(
            node(nics={"enP7s7": stock(rx_packets_per_s=None)}, irqs={"enP7s7": one_vector()}),
            False,
            id="rate not known",
        ),
        pytest.param(
            node(
                nics={"enp1s0f0np0": connectx("enp1s0f0np0", rx_packets_per_s=4e5, rx_queues=1)},
                irqs={"enp1s0f0np0": Irq({}, 1, {}, 1.0, [IrqVector(9, "mlx5_comp0", [0], [9e3], 10**6)])},
            ),
            False,
            id="fabric with RDMA",
        ),
    ],
)
def test_when_one_cpu_is_too_few(view: Node, there: bool) -> None:
    assert bool(once(IRQ, view)) == there
