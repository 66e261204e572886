"""A measured figure with its limit, and the table of them."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.process import others_percent


@dataclass(frozen=True, slots=True)
class Figure:
    """`values` are repetitions of one measurement; the limit is for their median, or with `worst` for their largest."""

    name: str
    unit: str
    values: Sequence[float]
    limit: float | None = None
    worst: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def over(self) -> bool:
        return self.limit is not None and (max(self.values) if self.worst else self.median) > self.limit

    def row(self) -> list[str]:
        """Name, limit, median with the spread, verdict."""
        measured = shown(self.median)
        if len(self.values) > 1:
            measured += f" ({shown(min(self.values))}-{shown(max(self.values))})"
        bound = "" if self.limit is None else f"{'never > ' if self.worst else '<= '}{self.limit:g} {self.unit}"
        verdict = "" if self.limit is None else "over" if self.over else "ok"
        return [self.name, bound, f"{measured} {self.unit}", verdict]

    def data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit,
            "limit": self.limit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "n": len(self.values),
            "over": self.over,
        }


def shown(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(figures: Sequence[Figure]) -> str:
    """A Markdown table."""
    rows = [["figure", "limit", "median (min-max)", ""], *(figure.row() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def machine() -> str:
    """What the figures were measured on, in one line."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = next((line.split(":", 1)[1].strip() for line in cpuinfo.splitlines() if line.startswith("model name")), "")
    return (
        f"{model or platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}, "
        f"Python {platform.python_version()}; before the start {others_percent():.0f} % busy with other things"
    )
