"""Frames that came broken from the cable: CRC, symbol and alignment errors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sparktui.collectors import nic_counters
from sparktui.contract import Nic, Port
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.cables import cable, far_end, nics, once_per_cable, port_evidence
from sparktui.verdicts.nic_loss import moves_with
from sparktui.verdicts.stats import Growth, Watch

AMBIGUOUS = frozenset({"rx_mac_error", "rx_errors"})
"""Rise with a loss inside the NIC too: line errors only while no receive-side counter moves (see nic.rx_loss)."""

MISSED = "rx_missed"

SHOWN = 3
"""Counters named in the text, the most moved first."""


def make(limits: Mapping[str, float]) -> Evaluate:
    watch = Watch(limits["window_s"])

    def evaluate(moment: Moment) -> list[Candidate]:
        up = {
            # A link that came up again counts what it made of the silence: carrier_changes starts another window.
            # So does a driver that becomes known: before, there is no telling which counters are of broken frames.
            (node, netdev, view.boot_id, nic.carrier_changes, nic.driver): nic
            for node, view, netdev, nic in nics(moment.live_nodes())
            if nic.operstate == "up"
        }
        things: dict[Hashable, tuple[object, Mapping[str, int]]] = {key: (nic, totals(nic)) for key, nic in up.items()}
        growths = watch.look(moment.now, things)
        found: list[tuple[float, Candidate]] = []
        for key, nic in up.items():
            growth, grown = growths[key], broken(nic, growths[key])
            if not grown:
                continue
            worst = max(grown, key=lambda counter: grown[counter])
            if grown[worst] >= limits["errors"] and growth.active_s(worst) >= limits["active_s"]:
                port = far_end(nic, moment.switches)
                found.append((grown[worst], _candidate(key[0], key[1], nic, grown, growth, port)))
        return once_per_cable(found)

    return evaluate


def totals(nic: Nic) -> dict[str, int]:
    """The counters that this rule follows: those of broken frames, and those that say the receive side lost some."""
    line = nic_counters.line_counters(nic.driver)
    followed = {name: total for name, total in nic.counters_total.items() if name in line or name == "rdu"}
    return followed if nic.rx_missed_total is None else {**followed, MISSED: nic.rx_missed_total}


def broken(nic: Nic, growth: Growth) -> dict[str, int]:
    """How far each counter of broken frames grew. FEC's corrected bits are none: they rise on a healthy 200G link."""
    line = nic_counters.line_counters(nic.driver)
    grown = {name: by for name in nic.counters_total if name in line and (by := growth.by(name))}
    missed = max(growth.by(MISSED), growth.by("rdu"))
    return {name: by for name, by in grown.items() if name not in AMBIGUOUS or not moves_with(missed, by)}


def _candidate(
    node: str, netdev: str, nic: Nic, grown: Mapping[str, int], growth: Growth, port: Port | None
) -> Candidate:
    """Counters are not added: a symbol error fails the same frame's CRC, align_errors is align_errors32 again."""
    told = sorted((name for name in grown if f"{name}32" not in grown), key=lambda name: -grown[name])
    counted = ", ".join(f"{name} {grown[name]:,}" for name in told[:SHOWN])
    doubt = " (CRC or symbol errors by its name, no proof of a bad cable)" if set(grown) <= AMBIGUOUS else ""
    if port is None or port.rx_fcs_errors_per_s is None:
        far = "what the switch's end of the cable counts cannot be seen"
    elif port.rx_fcs_errors_per_s:
        far = f"port {nic.switch_port} receives broken frames from here as well: the cable or a plug"
    else:
        far = f"port {nic.switch_port} cannot see this direction, and receives clean frames from here"
    evidence = {
        "nic": netdev,
        "driver": f"{nic.driver} {nic.driver_version}".strip(),
        "window_s": round(growth.span_s, 1),
        "grown": dict(grown),
        "rx_missed_grown": growth.by(MISSED),
        "far_end": port_evidence(nic, port),
    }
    text = f"frames come broken: {counted} in {growth.span_s:.0f} s{doubt}; {far}"
    next_step = "Reseat both plugs; then another cable on the same ports; then the same cable on other ports."
    return Candidate(node, cable(netdev, nic), text, evidence, next_step)


RULES = (
    Rule(
        id="nic.line_errors",
        severity="fail",
        why="A link in order delivers no broken frames; each costs a retransmission, on RoCE of all that followed it.",
        make=make,
        thresholds={"window_s": 30.0, "errors": 10.0, "active_s": 3.0},
        raise_after_s=0.0,
    ),
)
