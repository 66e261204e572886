"""The files of a DGX Spark for the hosts of the test cluster: laid over their own, and counting on while a probe reads.

What cannot be laid over stays the host's own: /proc/net (its netdevs are veths with the Spark's names), NVML.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path

from tests.real.cluster import Host
from tests.real.space import run

FIXTURE = Path(__file__).parents[1] / "fixtures" / "nodes" / "gb10-dgxos-7.6.0"
LAID_OVER = ("sys", "proc/stat", "proc/interrupts", "proc/softirqs", "proc/cpuinfo", "proc/meminfo", "proc/irq")
QUEUES = {"enP7s7": 8, "enp1s0f0np0": 64, "enp1s0f1np1": 64, "enP2p1s0f0np0": 64, "enP2p1s0f1np1": 64}
"""Netdevs, with as many queues as make a veth's ethtool statistics as long as the Spark's: 577 for an mlx5_core."""

WITH_STATISTICS = "wlP9s9"

STEP_S = 0.25


def make(folder: Path) -> Path:
    """Copy the fixture's files, with real symbolic links in place of .link files."""
    root = folder / "spark"
    shutil.copytree(FIXTURE, root, symlinks=True)
    for note in sorted(root.rglob("*.link"), key=lambda path: len(path.parts)):
        target = note.read_text().strip()
        note.unlink()
        link = note.with_suffix("")
        place = Path(os.path.normpath(link.parent / target))
        place.parent.mkdir(parents=True, exist_ok=True)
        if link.is_dir():
            for moved in list(link.iterdir()):
                place.mkdir(exist_ok=True)
                moved.rename(place / moved.name)
            link.rmdir()
        link.symlink_to(target)
    for name in QUEUES:
        # Not read of a Spark's drivers, whose own counters tell all; of a veth they are.
        shutil.copytree(root / f"sys/class/net/{WITH_STATISTICS}/statistics", root / f"sys/class/net/{name}/statistics")
    return root


def dress(host: Host, root: Path) -> None:
    """Give a running host the files and the netdevs of a Spark; sessions that are opened from now on see them."""
    for name, queues in QUEUES.items():
        many = ("numrxqueues", str(queues), "numtxqueues", str(queues))
        host.space.ip("link", "add", name, *many, "type", "veth", "peer", "name", f"{name}-x"[-15:])
    pid = str(host.space.pids[0])
    for path in LAID_OVER:
        run("nsenter", "--target", pid, "--mount", "mount", "--bind", str(root / path), f"/{path}")


class Counting:
    """Interrupts and softirqs of the laid-over files go up for the time of a with block.

    Written in place and at equal length: the files are mounted elsewhere, and a reader must never find one cut.
    """

    def __init__(self, root: Path) -> None:
        self._paths = [root / "proc/interrupts", root / "proc/softirqs"]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._count, daemon=True)

    def __enter__(self) -> Counting:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _count(self) -> None:
        files = {path: path.read_text() for path in self._paths}
        while not self._ended.wait(STEP_S):
            for path, text in files.items():
                files[path] = raised(text)
                with path.open("r+") as file:
                    file.write(files[path])


def raised(text: str) -> str:
    """Every count of a NIC's line one higher where it has so many digits again."""
    lines = text.split("\n")
    for at in counted(lines):
        counts, chip, rest = lines[at].partition(" ITS-")
        lines[at] = re.sub(r"(?<= )[1-9][0-9]*(?= |$)", _next, counts) + chip + rest
    return "\n".join(lines)


def counted(lines: list[str]) -> Iterable[int]:
    for at, line in enumerate(lines):
        if "enP7s7" in line or "mlx5_comp" in line or line.strip().startswith("NET_"):
            yield at


def _next(found: re.Match[str]) -> str:
    number = str(int(found[0]) + 1)
    return number if len(number) == len(found[0]) else found[0]
