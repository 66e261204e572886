"""What every rule is made of: pure, evidence in, candidate findings out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sparktui.contract import Node, Severity, Switch


@dataclass(frozen=True, slots=True)
class Moment:
    """What a rule sees: the latest view of every target at `now` (monotonic seconds, injected).

    `nodes` / `switches` hold all targets, also those that are stale or unreachable: their values are old, so a rule
    about values looks only at targets whose state is "live". The views are the store's own objects, not aged copies:
    the same object again is the same sample again, not a second one. `rack_order` is the order of the nodes from top to
    bottom, where the config gives it.
    """

    now: float
    nodes: Mapping[str, Node]
    switches: Mapping[str, Switch] = field(default_factory=dict)
    rack_order: tuple[str, ...] = ()

    def live_nodes(self) -> dict[str, Node]:
        return {name: node for name, node in self.nodes.items() if node.state == "live"}

    def live_switches(self) -> dict[str, Switch]:
        return {name: switch for name, switch in self.switches.items() if switch.state == "live"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something a rule sees at this moment. `part` tells apart two of one rule on one target (gpu0, a NIC, a port)."""

    target: str
    part: str
    text: str
    evidence: dict[str, Any]
    next: str | None = None
    severity: Severity | None = None


Evaluate = Callable[[Moment], list[Candidate]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. A rule file declares `RULES = (Rule(...), ...)`.

    `make(thresholds)` returns the evaluating function, which may remember earlier moments. `thresholds` are the rule's
    own names with their defaults, overridable in the config as findings.RULE.thresholds. The engine raises a candidate
    that was there for `raise_after_s` within twice that time, and ends it when it was absent for `clear_after_s`.
    `why` is one sentence on why it matters, for the help and the docs. A rule `about` values is judged only on new
    samples of a live target and stands still in between; one about a target's state is judged at every moment.
    """

    id: str
    severity: Severity
    why: str
    make: Callable[[Mapping[str, float]], Evaluate]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    raise_after_s: float = 3.0
    clear_after_s: float = 10.0
    about: Literal["values", "state"] = "values"
