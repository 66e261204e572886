"""A fixture machine whose files can be changed under a collector, for tests of what collectors read and when."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from sparktui.collectors.folder import FolderReader, TextReader

NODES = Path(__file__).parent / "fixtures" / "nodes"
SPARK, STOCK, VM, H200 = "gb10-dgxos-7.6.0", "gb10-dgxos-7.3.1-stock", "x86-virtio-kvm", "h200-x86"
NET, INFINIBAND = "/sys/class/net", "/sys/class/infiniband"


@functools.cache
def files_of(machine: str) -> Mapping[str, str]:
    return FolderReader(NODES / machine).kept().files


class Node(TextReader):
    """`files` may be changed; `asked` notes what was read ("path/" for a listing); paths with a name in `gone` fail."""

    files: dict[str, str]

    def __init__(self, machine: str) -> None:
        super().__init__(dict(files_of(machine)))
        self.asked: list[str] = []
        self.gone: set[str] = set()

    def text(self, path: str) -> str:
        self.asked.append(path)
        if any(name in path for name in self.gone):
            raise OSError(19, "No such device")
        return super().text(path)

    def names(self, path: str) -> list[str]:
        self.asked.append(f"{path}/")
        return super().names(path)

    def count(self, path: str) -> int:
        """How often a file or listing was asked for whose path holds `path`."""
        return sum(path in asked for asked in self.asked)
