"""The open findings as lines: what, where, since when."""

from __future__ import annotations

from sparktui.contract import Finding
from sparktui.panes import facts
from sparktui.panes.base import Picture
from sparktui.panes.cells import Piece, pad, width, wrap
from sparktui.panes.figures import age
from sparktui.panes.states import SEVERITY_STYLES, severity_glyph

SEVERITY_CELLS = 4
DURATION_CELLS = 5


def finding_lines(picture: Picture, found: list[Finding], most: int, cells: int) -> list[list[Piece]]:
    """Every finding in at most `most` lines of `cells`: glyph, severity, target, part, text, duration."""
    if not found:
        return []
    room = max(8, cells // 5)
    targets = min(room, max(width(finding.target) for finding in found))
    parts = min(room, max(width(facts.part_of(finding)) for finding in found))
    return [line for finding in found for line in one_finding(picture, finding, most, cells, targets, parts)]


def one_finding(
    picture: Picture, finding: Finding, most: int, cells: int, targets: int, parts: int
) -> list[list[Piece]]:
    glyphs = picture.glyphs
    style = SEVERITY_STYLES[finding.severity]
    head: list[Piece] = [(severity_glyph(finding.severity, glyphs), style), (" ", "")]
    if cells >= 90:
        head.append((pad(finding.severity, SEVERITY_CELLS) + " ", style))
    head.append((pad(finding.target, targets, ellipsis=glyphs.ellipsis) + " ", "bold"))
    if parts:
        head.append((pad(facts.part_of(finding), parts, ellipsis=glyphs.ellipsis) + " ", ""))
    indent = sum(width(text) for text, _ in head)
    room = max(10, cells - indent - DURATION_CELLS - 1)
    lines = worded(finding, room, most, glyphs.ellipsis)
    seconds = facts.seconds_between(finding.since, picture.rack.at)
    duration = age(None if seconds is None else max(0.0, seconds))
    rule = f"{finding.rule}:" if lines[0].startswith(f"{finding.rule}:") else ""
    said = pad(lines[0], room).removeprefix(rule)
    first: list[Piece] = [*head, (rule, "dim"), (said, ""), (" ", ""), (duration, "dim")]
    return [first, *([(" " * indent, ""), (line, "")] for line in lines[1:])]


def worded(finding: Finding, cells: int, most: int, ellipsis: str) -> list[str]:
    """The rule, which is what one mutes, the text, and what to do next where that fits too: half an advice is none."""
    text = f"{finding.rule}: {finding.text}"
    if finding.next:
        lines = wrap(f"{text.rstrip('.')}. Next: {finding.next}", cells, most + 1, ellipsis)
        if len(lines) <= most:
            return lines
    return wrap(text, cells, most, ellipsis)


def summary(found: list[Finding]) -> str:
    """ "1 fail, 2 warn" """
    counts = [(severity, sum(finding.severity == severity for finding in found)) for severity in facts.SEVERITIES]
    return ", ".join(f"{number} {severity}" for severity, number in counts if number)


def shown_findings(picture: Picture) -> list[Finding]:
    """The open findings that the filter lets through."""
    return [
        finding
        for finding in facts.open_findings(picture.rack)
        if facts.matches(picture.filter, finding.target, finding.rule, finding.text, facts.part_of(finding))
    ]
