"""Whether a node can be seen at all, and whether it is still the same boot."""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.contract import Node
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule

UNREACHABLE = {
    "unreachable": "does not answer",
    "auth_failed": "refuses the login",
    "host_key_unknown": "its SSH host key is not known here",
    "host_key_changed": "its SSH host key is not the one known here",
    "no_python": "has no python3 to run the probe",
    "probe_failed": "the probe does not run",
}
"""States of a node that nothing is read from. Its owner sees one rule whatever the reason; the state names it."""

REACH = "Ping it. If it answers: is sshd running there? If not: its power, its console, the switch port of its RJ45."
"""The next step for a node that does not answer. In every other state its error says what to do."""


class Age:
    """How long ago each node sent its last sample."""

    def __init__(self) -> None:
        self._samples: dict[str, tuple[Node, float]] = {}

    def of(self, moment: Moment) -> dict[str, float | None]:
        """Seconds since the last new view of a live node, for every node; None before the first."""
        for name, node in moment.live_nodes().items():
            if name not in self._samples or self._samples[name][0] is not node:
                self._samples[name] = node, moment.now
        return {
            name: round(moment.now - self._samples[name][1], 1) if name in self._samples else None
            for name in moment.nodes
        }


def make_stale(_: Mapping[str, float]) -> Evaluate:
    ages = Age()

    def evaluate(moment: Moment) -> list[Candidate]:
        age = ages.of(moment)
        return [
            Candidate(name, "", f"no new sample{_for(age[name])}: what is shown is old", {"age_s": age[name]})
            for name, node in moment.nodes.items()
            if node.state == "stale"
        ]

    return evaluate


def make_unreachable(_: Mapping[str, float]) -> Evaluate:
    ages = Age()

    def evaluate(moment: Moment) -> list[Candidate]:
        age = ages.of(moment)
        return [
            Candidate(
                name,
                "",
                node.error or UNREACHABLE[node.state],
                {"state": node.state, "age_s": age[name]},
                REACH if node.state == "unreachable" else None,
            )
            for name, node in moment.nodes.items()
            if node.state in UNREACHABLE
        ]

    return evaluate


def _for(seconds: float | None) -> str:
    return "" if seconds is None else f" for {seconds:.0f} s"


def make_rebooted(limits: Mapping[str, float]) -> Evaluate:
    last: dict[str, tuple[str, float]] = {}
    """Per node the boot id that was live last, and when."""
    rebooted: list[tuple[float, Candidate]] = []

    def evaluate(moment: Moment) -> list[Candidate]:
        for name, node in moment.live_nodes().items():
            if node.boot_id is None:
                continue
            boot_id, seen_at = last.get(name, (node.boot_id, moment.now))
            if boot_id != node.boot_id:
                rebooted.append((moment.now, _reboot(name, node.boot_id, boot_id, moment.now - seen_at)))
            last[name] = node.boot_id, moment.now
        rebooted[:] = [(at, one) for at, one in rebooted if moment.now - at < limits["shown_s"]]
        return [one for _, one in rebooted]

    return evaluate


def _reboot(name: str, boot_id: str, before: str, gone_s: float) -> Candidate:
    """Each boot is a finding of its own."""
    evidence = {"boot_id": boot_id, "boot_id_before": before, "gone_s": round(gone_s, 1)}
    return Candidate(name, boot_id, f"rebooted: another boot id after {gone_s:.0f} s out of sight", evidence)


RULES = (
    Rule(
        id="node.stale",
        severity="warn",
        why="Samples stopped coming although the connection stands: nothing on the screen is known to be so now.",
        make=make_stale,
        raise_after_s=0.0,
        clear_after_s=3.0,
        about="state",
    ),
    Rule(
        id="node.unreachable",
        severity="fail",
        why="Nothing can be read from the node: down, cut off, or closed to us.",
        make=make_unreachable,
        raise_after_s=0.0,
        clear_after_s=3.0,
        about="state",
    ),
    Rule(
        id="node.rebooted",
        severity="info",
        why="Counters began again, jobs on it ended, and settings that do not survive a reboot are gone.",
        make=make_rebooted,
        thresholds={"shown_s": 600.0},
        raise_after_s=0.0,
        clear_after_s=0.0,
        about="state",
    ),
)
