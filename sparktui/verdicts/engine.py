"""From what the rules see at each moment to findings that open and end once: evidence over time, not single samples.

A candidate opens a finding when it was there for the rule's `raise_after_s` within twice that time, and the finding
ends when it was absent for `clear_after_s` without a break: whatever its rhythm, it opens at most once per
`clear_after_s`. Time counts only between samples that were new and live. While a target is away its findings about
values stand as they were, neither confirmed nor cleared.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sparktui.config import FindingConfig
from sparktui.contract import Finding, Node, Severity, Switch, iso
from sparktui.verdicts import registry
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule

SEVERITIES: tuple[Severity, ...] = ("fail", "warn", "info")
ENDED_KEPT = 200
TEXT_LENGTH = 400

Part = tuple[str, str]
"""(target, part) of a candidate."""


def validate(findings: Mapping[str, FindingConfig], rules: Sequence[Rule] | None = None) -> list[str]:
    """What is wrong with the [findings] tables: rules and thresholds that do not exist, values that are no limits."""
    by_id = {rule.id: rule for rule in (registry.rules() if rules is None else rules)}
    problems: list[str] = []
    for rule_id, config in findings.items():
        where = f'findings."{rule_id}"'
        rule = by_id.get(rule_id)
        if rule is None:
            problems.append(f"{where}: no such rule{_meant(rule_id, list(by_id))}; the rules are: {', '.join(by_id)}")
            continue
        names = list(rule.thresholds)
        for name, value in config.thresholds.items():
            if name not in rule.thresholds:
                valid = f"its thresholds are: {', '.join(names)}" if names else "it has none"
                problems.append(f"{where}.thresholds.{name}: no such threshold{_meant(name, names)}; {valid}")
            elif not math.isfinite(value) or value < 0:
                problems.append(f"{where}.thresholds.{name}: must be a number of 0 or more, not {value}")
    return problems


def _meant(name: str, valid: list[str]) -> str:
    close = difflib.get_close_matches(name, valid, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


@dataclass(slots=True)
class _Seen:
    """When each target was last seen, to tell how much time a new sample speaks for."""

    views: dict[str, tuple[Node | Switch, float | None]] = field(default_factory=dict)
    at: float | None = None

    def values(self, moment: Moment) -> dict[str, float | None]:
        """Per live target with a new sample the seconds since its last one, 0 after an absence; None for one away."""
        found: dict[str, float | None] = {}
        for name, view in _targets(moment).items():
            last, at = self.views.get(name, (None, None))
            if view.state != "live":
                found[name] = None
                self.views[name] = view, None
            elif view is not last:
                found[name] = 0.0 if at is None else moment.now - at
                self.views[name] = view, moment.now
        return found

    def states(self, moment: Moment) -> dict[str, float | None]:
        """Per target the seconds since the last moment. One that is being connected to says nothing of its state."""
        elapsed = 0.0 if self.at is None else moment.now - self.at
        self.at = moment.now
        return {name: elapsed for name, view in _targets(moment).items() if view.state != "connecting"}


def _targets(moment: Moment) -> dict[str, Node | Switch]:
    return {**moment.nodes, **moment.switches}


@dataclass(slots=True)
class _Track:
    """What was seen of one candidate: when it was there, since when it is absent, and the finding if one is open."""

    seen: deque[tuple[float, float, float]] = field(default_factory=deque)
    """(now, seconds it stands for, wall time) of each sample with the candidate."""
    absent: tuple[float, float] | None = None
    """(now, wall time) of the first sample without it."""
    finding: Finding | None = None

    def there(self, rule: Rule, candidate: Candidate, elapsed: float, now: float, wall: float) -> None:
        self.absent = None
        self.seen.append((now, elapsed, wall))
        while self.seen[0][0] < now - 2 * rule.raise_after_s:
            self.seen.popleft()
        if self.finding is None and sum(seconds for _, seconds, _ in self.seen) < rule.raise_after_s:
            return
        self.finding = Finding(
            rule=rule.id,
            severity=candidate.severity or rule.severity,
            target=candidate.target,
            since=self.finding.since if self.finding else iso(self.seen[0][2]),
            until=None,
            text=_plain(candidate.text),
            evidence=candidate.evidence,
            next=None if candidate.next is None else _plain(candidate.next),
        )

    def missing(self, rule: Rule, now: float, wall: float) -> Finding | None:
        """Take a sample without the candidate; the finding, with its end, if that ends it."""
        self.absent = self.absent or (now, wall)
        if self.finding is None or now - self.absent[0] < rule.clear_after_s:
            return None
        ended, self.finding = replace(self.finding, until=iso(self.absent[1])), None
        self.seen.clear()
        return ended

    def idle(self, rule: Rule, now: float) -> bool:
        """Whether nothing depends on it any more."""
        return self.finding is None and (not self.seen or self.seen[-1][0] < now - 2 * rule.raise_after_s)


@dataclass(slots=True)
class _Watched:
    """One rule at work. `muted` = targets that are not reported."""

    rule: Rule
    evaluate: Evaluate
    muted: frozenset[str]
    tracks: dict[Part, _Track] = field(default_factory=dict)


class Engine:
    """Runs all rules at every moment and keeps the open findings and those that ended lately.

    `findings` is the config: muted rules and targets, and thresholds. Raises ValueError where `validate` objects.
    `rack_order` is for moments that bring none, and puts findings of equal severity and age in the order of the rack.
    """

    def __init__(
        self, rules: Sequence[Rule], findings: Mapping[str, FindingConfig] | None = None, rack_order: Sequence[str] = ()
    ) -> None:
        configs = findings or {}
        if problems := validate(configs, rules):
            raise ValueError("; ".join(problems))
        self._order = tuple(rack_order)
        self._seen = _Seen()
        self._ended: deque[Finding] = deque(maxlen=ENDED_KEPT)
        self._watched: list[_Watched] = []
        for rule in rules:
            config = configs.get(rule.id, FindingConfig())
            if config.muted is not True:
                muted = frozenset(config.muted or ())
                self._watched.append(_Watched(rule, rule.make({**rule.thresholds, **config.thresholds}), muted))

    def update(self, moment: Moment, wall: float) -> list[Finding]:
        """Judge a moment; `wall` is its time in seconds since the epoch. Returns `open`."""
        moment = moment if moment.rack_order else dataclasses.replace(moment, rack_order=self._order)
        elapsed = {"values": self._seen.values(moment), "state": self._seen.states(moment)}
        for watched in self._watched:
            self._judge(watched, elapsed[watched.rule.about], moment, wall)
        return self.open

    @property
    def open(self) -> list[Finding]:
        """Findings that have not ended: the worst first, then the oldest."""
        found = [
            (finding, part)
            for watched in self._watched
            for (_, part), track in watched.tracks.items()
            if (finding := track.finding) is not None
        ]
        found.sort(key=lambda item: (*self._rank(item[0]), item[1]))
        return [finding for finding, _ in found]

    @property
    def ended(self) -> list[Finding]:
        """The last 200 findings that ended, oldest first, each with its `until`."""
        return list(self._ended)

    def _rank(self, finding: Finding) -> tuple[int, str, int, str, str]:
        position = self._order.index(finding.target) if finding.target in self._order else len(self._order)
        return SEVERITIES.index(finding.severity), finding.since, position, finding.target, finding.rule

    def _judge(self, watched: _Watched, elapsed: Mapping[str, float | None], moment: Moment, wall: float) -> None:
        rule, tracks, now = watched.rule, watched.tracks, moment.now
        there = {(one.target, one.part): one for one in watched.evaluate(moment) if one.target not in watched.muted}
        for part in there.keys() | tracks.keys():
            if part[0] not in elapsed:
                continue
            seconds = elapsed[part[0]]
            if seconds is None:
                if part in tracks:
                    tracks[part].absent = None
                continue
            track = tracks.setdefault(part, _Track())
            if part in there:
                track.there(rule, there[part], seconds, now, wall)
            elif ended := track.missing(rule, now, wall):
                self._ended.append(ended)
            if part not in there and track.idle(rule, now):
                del tracks[part]


def _plain(text: str) -> str:
    """Versions, errors and names in a text come from the node: no control bytes, bounded."""
    return "".join(char if char.isprintable() else " " for char in text)[:TEXT_LENGTH]
