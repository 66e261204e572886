"""The switch: can it be seen, is its hardware well, do its ports count errors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sparktui.contract import Health, Port, Switch
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.stats import Growth, Watch

BROKEN = {
    "RxFCSError": "FCS errors",
    "RxAlignError": "alignment errors",
    "RxOverflow": "overflows",
    "RxTooLong": "too long frames",
}
"""What a port received and could not use; the sender's side of the cable, except for its own overflow."""

DROPPED = {"RxDrop": "drops of received frames", "TxDrop": "drops on the way out"}

REMEDIES = {
    "RxFCSError": "Reseat both plugs, then another cable; the frames broke between that node and this port.",
    "RxAlignError": "Reseat both plugs, then another cable; the frames broke between that node and this port.",
    "RxTooLong": "Raise the port's l2mtu: the sender's MTU is larger.",
    "RxOverflow": "More comes in than the switch takes: check pause / PFC on both ends.",
    "RxDrop": "Check l2mtu, VLAN filter and pause / PFC on both ends.",
    "TxDrop": "More is sent to this port than its link takes: check pause / PFC, ECN, and its speed.",
}

HOT = ("cpu-temperature", "switch-temperature")


def make_unreachable(_: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        return [
            Candidate(name, "", switch.error or "does not answer SNMP", {"state": switch.state})
            for name, switch in moment.switches.items()
            if switch.state == "unreachable"
        ]

    return evaluate


def make_health(limits: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        return [
            Candidate(name, row.name, text, _reading(row), next_step)
            for name, switch in moment.live_switches().items()
            for row in switch.health
            for text, next_step in ill(row, switch, limits)
        ]

    return evaluate


def _reading(row: Health) -> dict[str, object]:
    return {"sensor": row.name, "value": row.value, "unit": row.unit, "state": row.state}


def ill(row: Health, switch: Switch, limits: Mapping[str, float]) -> list[tuple[str, str | None]]:
    """What is wrong with one health row: (text, remedy), or nothing. What is expected to be absent is never ill."""
    if row.state == "not_ok":
        code = "" if row.value is None else f" (code {row.value:.0f})"
        supply = row.name.split("-")[0]
        remedy = (
            "Check its cord and feed, reseat it, then replace it. "
            f'Left out on purpose: expected_absent = ["{supply}"] in the switch\'s config.'
        )
        return [(f"{row.name} is not ok{code}", remedy if supply.startswith("psu") else None)]
    if row.state is not None or row.value is None:
        return []
    if row.unit == "C" and row.name in HOT and row.value >= limits["temperature_c"]:
        return [(f"{row.name} {row.value:.0f} C", "Check the fans, the room and what blows into its inlet.")]
    if row.unit == "rpm" and row.value == 0 and not _without_power(row, switch):
        turning = [one.value for one in switch.health if one.unit == "rpm" and one.value]
        if turning:
            others = f"{min(turning):.0f}-{max(turning):.0f} rpm"
            return [(f"{row.name} stands still while the others turn at {others}", "Replace the fan.")]
    return []


def _without_power(row: Health, switch: Switch) -> bool:
    """Whether the row belongs to a supply (psu2-fan-speed) that is itself not ok or expected to be absent."""
    owner = row.name.split("-")[0]
    return any(one.name == f"{owner}-state" and one.state != "ok" for one in switch.health)


def make_port_errors(limits: Mapping[str, float]) -> Evaluate:
    watch = Watch(limits["window_s"])

    def evaluate(moment: Moment) -> list[Candidate]:
        up = {
            # A link that came up again counts what it made of the silence: LinkDowns starts another window.
            (name, port_name, port.counters_total.get("LinkDowns")): port
            for name, switch in moment.live_switches().items()
            for port_name, port in switch.ports.items()
            if port.oper == "up"
        }
        things: dict[Hashable, tuple[object, Mapping[str, int]]] = {
            key: (port, totals(port)) for key, port in up.items()
        }
        growths = watch.look(moment.now, things)
        found: list[Candidate] = []
        for key, port in up.items():
            growth = growths[key]
            grown = {
                name: by for name in (*BROKEN, *DROPPED) if (by := growth.by(name)) and _enough(name, growth, limits)
            }
            if grown:
                found.append(_port_candidate(key[0], key[1], port, grown, growth))
        return found

    return evaluate


def totals(port: Port) -> dict[str, int]:
    """The port's error counters by their MIB names. Pause is flow control at work and none of them."""
    known = {
        "RxFCSError": port.rx_fcs_errors_total,
        "RxDrop": port.rx_drops_total,
        "TxDrop": port.tx_drops_total,
        **{name: port.counters_total.get(name) for name in ("RxAlignError", "RxOverflow", "RxTooLong")},
    }
    return {name: total for name, total in known.items() if total is not None}


def _enough(name: str, growth: Growth, limits: Mapping[str, float]) -> bool:
    limit = limits["errors"] if name in BROKEN else limits["drops"]
    return growth.by(name) >= limit and growth.active_s(name) >= limits["active_s"]


def _port_candidate(name: str, port_name: str, port: Port, grown: Mapping[str, int], growth: Growth) -> Candidate:
    words = {**BROKEN, **DROPPED}
    counted = ", ".join(f"{by:,} {words[counter]}" for counter, by in grown.items())
    end = f" (to {port.node})" if port.node else ""
    worst = max(grown, key=lambda counter: grown[counter])
    evidence = {
        "port": port_name,
        "node": port.node,
        "nics": port.nics,
        "grown": dict(grown),
        "window_s": round(growth.span_s, 1),
    }
    return Candidate(name, port_name, f"port{end} counts {counted} in {growth.span_s:.0f} s", evidence, REMEDIES[worst])


RULES = (
    Rule(
        id="switch.unreachable",
        severity="fail",
        why="Without the switch half of every cable is out of sight.",
        make=make_unreachable,
        raise_after_s=0.0,
        clear_after_s=3.0,
        about="state",
    ),
    Rule(
        id="switch.health",
        severity="fail",
        why="A failed supply or fan takes the whole rack down with the next one.",
        make=make_health,
        thresholds={"temperature_c": 85.0},
        raise_after_s=0.0,
        clear_after_s=30.0,
    ),
    Rule(
        id="switch.port_errors",
        severity="warn",
        why="The port sees the half of the cable that the node cannot: what broke or was dropped on the way from it.",
        make=make_port_errors,
        thresholds={"window_s": 60.0, "errors": 5.0, "drops": 10.0, "active_s": 3.0},
        raise_after_s=0.0,
        clear_after_s=30.0,
    ),
)
