"""Measures what sparktui costs and how quick it is: `make bench`, or python -m tests.bench [--json FILE] [--only PART].

On four hosts with a real sshd, in network namespaces of this machine and with the files of a DGX Spark, and on the
simulated rack. The cluster needs root; where it cannot be built, its figures are left out and said to be.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import cut, figures, keys, lab, parts, stalls, start, steady
from tests.bench.figures import Figure
from tests.real.cluster import missing

README = Path(__file__).parents[2] / "README.md"
PARTS = ("start", "steady", "cut", "rack", "stalls", "parts")


def main() -> int:
    """Print the table; the exit code is 1 where something is over its limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part; may be repeated")
    parser.add_argument("--readme", action="store_true", help="put what has a limit into README.md")
    options = parser.parse_args()
    chosen = options.only or PARTS
    about, began = figures.machine(), time.monotonic()
    print(about, file=sys.stderr)
    found = measure(chosen)
    print(f"\n{figures.table(found)}\n\n{about}; {time.monotonic() - began:.0f} s")
    if options.json:
        data = {"machine": about, "figures": [figure.data() for figure in found]}
        options.json.write_text(json.dumps(data, indent=1) + "\n")
    if options.readme:
        write_readme([figure for figure in found if figure.limit is not None], about)
    return int(any(figure.over for figure in found))


def write_readme(limited: list[Figure], about: str) -> None:
    """Replace the table between its two marks."""
    before, mark, rest = README.read_text().partition("<!-- bench -->\n")
    _, end, after = rest.partition("<!-- /bench -->")
    README.write_text(f"{before}{mark}{figures.table(limited)}\n\n{about}.\n{end}{after}")


def measure(chosen: tuple[str, ...]) -> list[Figure]:
    found: list[Figure] = []

    def note(name: str, part: Callable[[], list[Figure]]) -> None:
        if name in chosen:
            began = time.monotonic()
            found.extend(part())
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)

    lacking = missing()
    if lacking:
        print(f"without the cluster of real sshds: this machine lacks {', '.join(lacking)}", file=sys.stderr)
    with contextlib.nullcontext() if lacking or not {"start", "steady", "cut"} & {*chosen} else lab.lab() as made:
        note("start", start.version)
        note("start", lambda: start.starts(made))
        if made is not None:
            note("steady", lambda: steady.cluster(made))
            note("cut", lambda: cut.cuts(made))
    note("rack", rack)
    note("stalls", stalls.stalls)
    note("parts", parts.parts)
    return found


def rack() -> list[Figure]:
    """One run on the simulated rack: under load, at rest, and at the keyboard."""
    with start.demo() as terminal:
        terminal.wait_for_text("4/4 live")
        terminal.wait_for_text("crs812 live")
        watched = steady.Rack(terminal)
        return [*watched.under_load(), *watched.at_rest(), *keys.keys(terminal)]


if __name__ == "__main__":
    sys.exit(main())
