"""Frames that reached a NIC and were lost on its receive side, with what the switch port that sent them says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparktui.contract import Nic, Port
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.cables import cable, far_end, nics, once_per_cable, port_evidence
from sparktui.verdicts.stats import number, percent

RSS_REMEDY = (
    "r8127 11.016.00-NAPI-RSS with 8 receive queues on several CPUs cured this on a DGX Spark; EEE off eases it. "
    "To rule the cable out: the same cable on another port."
)
CABLE_REMEDY = "The same cable on another port, then another cable on the same port."
HOST_REMEDY = "More receive queues or a larger ring (ethtool -L, -G), and their interrupts on several CPUs."


RECEIVE_SIDE_SHARE = 0.01


def make(limits: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        found: list[tuple[float, Candidate]] = []
        for node, _, netdev, nic in nics(moment.live_nodes()):
            lost, received = lost_per_s(nic), received_per_s(nic)
            if not lost or received is None or lost < limits["frames_per_s"]:
                continue
            share = 100.0 * lost / (lost + received)
            if share >= limits["share_percent"]:
                found.append((lost, _candidate(node, netdev, nic, share, far_end(nic, moment.switches))))
        return once_per_cable(found)

    return evaluate


def lost_per_s(nic: Nic) -> float | None:
    """Frames lost per second on the receive side, at least; None while that is not known, 0 while nothing shows it.

    On the r8127 rx_mac_error rises with such a loss and counts more of it than rx_mac_missed (36,012 lost with a clean
    switch port: 35,988 and 1,204). Whether one frame can be in both is not known, so they are not added.
    """
    missed = nic.rx_missed_per_s
    return None if missed is None else max(missed, errors_of_loss(nic))


def errors_of_loss(nic: Nic) -> float:
    """rx_mac_error per second where it counts the loss of the receive side, 0 where it does not."""
    errors = nic.counters_per_s.get("rx_mac_error") or 0.0
    receive_side = max(nic.rx_missed_per_s or 0.0, nic.counters_per_s.get("rdu") or 0.0)
    return errors if moves_with(receive_side, errors) else 0.0


def moves_with(receive_side: float, errors: float) -> bool:
    """Whether rx_mac_error counts the same loss as the receive side (frames missed, moments without a descriptor).

    In the field 3 frames were missed per 100 errors; a few missed beside the errors of a bad cable are another matter.
    """
    return receive_side > 0 and receive_side >= RECEIVE_SIDE_SHARE * errors


def received_per_s(nic: Nic) -> float | None:
    """Frames received per second. A ConnectX port counts RDMA frames too, which its netdev never sees."""
    known = [rate for rate in (nic.rx_packets_per_s, nic.counters_per_s.get("rx_packets_phy")) if rate is not None]
    return max(known, default=None)


def _candidate(node: str, netdev: str, nic: Nic, share: float, port: Port | None) -> Candidate:
    lost = lost_per_s(nic) or 0.0
    evidence: dict[str, Any] = {
        "nic": netdev,
        "driver": f"{nic.driver} {nic.driver_version}".strip(),
        "lost_per_s": round(lost, 1),
        "share_percent": round(share, 4),
        "rx_missed_per_s": nic.rx_missed_per_s,
        "rx_mac_error_per_s": nic.counters_per_s.get("rx_mac_error"),
        "rdu_per_s": nic.counters_per_s.get("rdu"),
        "rx_packets_per_s": nic.rx_packets_per_s,
        "rx_queues": nic.rx_queues,
        "far_end": port_evidence(nic, port),
    }
    text = f"{number(lost)} frames/s ({percent(share)}) lost at the NIC's receive side"
    if errors_of_loss(nic):
        text += " (rx_mac_error rises with it: the same loss, no proof of a bad cable)"
    text += f"; {_far_end_says(nic, port)}"
    return Candidate(node, cable(netdev, nic), text, evidence, _remedy(nic))


def _far_end_says(nic: Nic, port: Port | None) -> str:
    if port is None:
        return "the switch's end of the cable cannot be seen"
    name = f"port {nic.switch_port}"
    if port.rx_fcs_errors_per_s is None or port.tx_drops_per_s is None:
        return f"what {name} counts is not known yet"
    if port.tx_drops_per_s:
        return f"{name} drops {number(port.tx_drops_per_s)} frames/s on the way out too: more comes than the link takes"
    if port.rx_fcs_errors_per_s:
        return (
            f"{name} receives {number(port.rx_fcs_errors_per_s)} broken frames/s from here: suspect the cable as well"
        )
    sent = f"{name} sent them, shows no FCS errors and no drops"
    if nic.counters_per_s.get("rx_mac_error"):
        return f"{sent}: lost at the NIC or on the last metre"
    return f"{sent}: lost at the NIC, for want of receive buffers"


def _remedy(nic: Nic) -> str:
    if nic.driver == "r8127" and nic.rx_queues == 1:
        return RSS_REMEDY
    return CABLE_REMEDY if nic.counters_per_s.get("rx_mac_error") else HOST_REMEDY


RULES = (
    Rule(
        id="nic.rx_loss",
        severity="fail",
        why="The frames crossed the cable and were thrown away by the receiver: TCP stalls, UDP has holes.",
        make=make,
        thresholds={"frames_per_s": 1.0, "share_percent": 0.01},
    ),
)
