"""The top line: how the rack is, and how this program is looking at it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from textual.content import Content

from sparktui.contract import Rack
from sparktui.panes.cells import clean
from sparktui.panes.glyphs import Glyphs
from sparktui.panes.states import SEVERITY_STYLES, WORDS, glyph_of, severity_glyph, state_style
from sparktui.ui.fit import Part, fit

NAMED_NODES = 2
"""Nodes that are called by name in the top line when they are not live; more are only counted."""

NAME, INTERVAL, SAID, QUIET, CLOCK, DEMO, WELL, AWAY, ILL, NODES, ALWAYS = range(10, -1, -1)
"""What gives way, in this order: the rack's name, the interval, words beside DEMO and PAUSED, what only confirms, the
clock, DEMO itself, what is well, which nodes are away, lesser findings and ill switches, the count of nodes; the worst
findings and PAUSED stay longest."""

WIDE = 100
"""From this width on there is room for a word that only explains."""

URGENCY = ("connecting", "stale", *(state for state in WORDS if state not in ("live", "connecting", "stale")))
"""States other than live, the ones that ask for somebody last."""


@dataclass(frozen=True, slots=True)
class Status:
    """What the top line tells. `paused` and `clock` are wall times as text; `demo` is the scenario's name."""

    rack_name: str
    rack: Rack
    interval_s: float
    clock: str
    paused: str | None = None
    read_only: bool = False
    demo: str | None = None


def header(status: Status, width: int, glyphs: Glyphs) -> Content:
    """The line, at most `width` cells; what matters least is left out first."""
    left = [
        Part(NAME, (Content.styled(clean(status.rack_name), "$title"),)),
        nodes(status.rack, glyphs),
        *switches(status.rack, glyphs),
        findings(status.rack, glyphs),
    ]
    right = [
        *modes(status),
        Part(INTERVAL, (Content.styled(f"{'every ' if width >= WIDE else ''}{status.interval_s:g} s", "$idle"),)),
        Part(CLOCK, (Content.styled(status.clock, "$title"),)),
    ]
    return fit(left, right, width)


def nodes(rack: Rack, glyphs: Glyphs) -> Part:
    """Nodes live of all, and which are not."""
    away = {name: node.state for name, node in rack.nodes.items() if node.state != "live"}
    count = f" {len(rack.nodes) - len(away)}/{len(rack.nodes)} live"
    if not away:
        return Part(NODES, (Content.assemble((glyphs.live, "$ok"), count),))
    worst = max(away.values(), key=URGENCY.index)
    short = Content.styled(glyph_of(worst, glyphs) + count, state_style(worst))
    if len(away) <= NAMED_NODES:
        said = ", ".join(f"{clean(name)} {WORDS[state]}" for name, state in away.items())
    else:
        said = ", ".join(f"{number} {WORDS[state]}" for state, number in Counter(away.values()).items())
    return Part(AWAY, (short + Content.styled(f", {said}", state_style(worst)), short), NODES)


def switches(rack: Rack, glyphs: Glyphs) -> list[Part]:
    """Every switch with its state."""
    parts: list[Part] = []
    for name, switch in rack.switches.items():
        style = state_style(switch.state)
        short = Content.assemble((glyph_of(switch.state, glyphs), style), f" {clean(name)}")
        word = Content.styled(f" {WORDS[switch.state]}", "" if switch.state == "live" else style)
        ranks = (QUIET, WELL) if switch.state == "live" else (AWAY, ILL)
        parts.append(Part(ranks[0], (short + word, short), ranks[1]))
    return parts


def findings(rack: Rack, glyphs: Glyphs) -> Part:
    """How many findings are open, by severity."""
    counts = Counter(finding.severity for finding in rack.findings if finding.until is None)
    if not counts and not any(node.state == "live" for node in rack.nodes.values()):
        return Part(WELL, (Content(""),))
    if not counts:
        return Part(WELL, (Content.styled("no findings", "$idle"),))
    said = [
        Content.styled(f"{severity_glyph(severity, glyphs)} {counts[severity]} {severity}", style)
        for severity, style in SEVERITY_STYLES.items()
        if counts[severity]
    ]
    return Part(ILL, tuple(Content("  ").join(said[:kept]) for kept in range(len(said), 0, -1)), ALWAYS)


def modes(status: Status) -> list[Part]:
    """What makes this picture another one than the rack at this moment."""
    parts: list[Part] = []
    if status.demo is not None:
        forms = (f"DEMO {status.demo}", "DEMO")
        parts.append(Part(SAID, tuple(Content.styled(form, "bold $accent") for form in forms), DEMO))
    if status.read_only:
        parts.append(Part(QUIET, (Content.styled("READ-ONLY", "bold"),)))
    if status.paused is not None:
        forms = (f" PAUSED {status.paused} ", " PAUSED ")
        parts.append(Part(SAID, tuple(Content.styled(form, "reverse bold $warn") for form in forms), ALWAYS))
    return parts
