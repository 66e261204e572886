"""Readers over texts instead of a kernel: a folder that looks like a node, a mapping of paths. Not used on nodes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from sparktui.collectors.base import Channels, DriverInfo
from sparktui.collectors.nvml_values import NvmlValues

LINK_SUFFIX = ".link"


class TextReader:
    """A base.Reader over a mapping from absolute path to text, read anew at each call.

    What is no file on a node is text here too: /ethtool/NETDEV/driver, stats and channels as `ethtool -i`, `-S` and
    `-l` print them, /nvml.json (see nvml_values), /containers.json ({id: name}), and PATH.link for the target of a
    symbolic link. `at` is the monotonic clock in seconds, moved by whoever holds the reader; the wall clock is `epoch`
    later.
    """

    def __init__(self, files: Mapping[str, str], at: float = 0.0, epoch: float = 0.0) -> None:
        self.files = files
        self.at = at
        self.epoch = epoch

    def text(self, path: str) -> str:
        try:
            return self.files[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    def names(self, path: str) -> list[str]:
        below = path.rstrip("/") + "/"
        found = {name[len(below) :].partition("/")[0] for name in self.files if name.startswith(below)}
        if not found:
            raise FileNotFoundError(path)
        return sorted(name.removesuffix(LINK_SUFFIX) for name in found)

    def link(self, path: str) -> str:
        return self.text(path + LINK_SUFFIX).strip()

    def ethtool_driver(self, netdev: str) -> DriverInfo:
        return parse_driver(self.text(f"/ethtool/{netdev}/driver"))

    def ethtool_stats(self, netdev: str) -> dict[str, int]:
        return parse_stats(self.text(f"/ethtool/{netdev}/stats"))

    def ethtool_channels(self, netdev: str) -> Channels:
        return parse_channels(self.text(f"/ethtool/{netdev}/channels"))

    def nvml(self) -> Any:
        try:
            values = json.loads(self.text("/nvml.json"))
        except FileNotFoundError:
            raise OSError("no NVIDIA driver: no /nvml.json") from None
        return NvmlValues(lambda: values)

    def container_name(self, container_id: str) -> str | None:
        try:
            name = json.loads(self.text("/containers.json")).get(container_id)
        except FileNotFoundError:
            return None
        return None if name is None else str(name)

    def monotonic(self) -> float:
        return self.at

    def wall(self) -> float:
        return self.epoch + self.at


class FolderReader(TextReader):
    """A TextReader over the files under the folder `root`; symbolic links there may be real ones or .link files."""

    def __init__(self, root: str | os.PathLike[str], at: float = 0.0, epoch: float = 0.0) -> None:
        super().__init__({}, at, epoch)
        self.root = os.fspath(root)

    def text(self, path: str) -> str:
        with open(self.root + path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()

    def names(self, path: str) -> list[str]:
        return sorted({name.removesuffix(LINK_SUFFIX) for name in os.listdir(self.root + path)})

    def link(self, path: str) -> str:
        try:
            return os.readlink(self.root + path)
        except OSError:
            return super().link(path)

    def kept(self) -> TextReader:
        """The same node with every text read once, for measuring what parsing alone costs."""
        files: dict[str, str] = {}
        for folder, folders, names in os.walk(self.root):
            inside = folder[len(self.root) :]
            for path in (f"{inside}/{name}" for name in (*folders, *names)):
                if os.path.islink(self.root + path):
                    files[path + LINK_SUFFIX] = self.link(path)
                elif os.path.isfile(self.root + path):
                    files[path] = self.text(path)
        return TextReader(files, self.at, self.epoch)


def _pairs(text: str) -> list[tuple[str, str]]:
    """(name, value) of each "name: value" line; a counter's name may hold colons, its value none."""
    pairs = (line.rpartition(":") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in pairs if colon]


def parse_driver(text: str) -> DriverInfo:
    """What `ethtool -i` prints. A bus address has colons: here the name is what stands before the first."""
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
    if "driver" not in fields:
        raise OSError("ethtool names no driver")
    return DriverInfo(
        fields["driver"], fields.get("version", ""), fields.get("firmware-version", ""), fields.get("bus-info", "")
    )


def parse_stats(text: str) -> dict[str, int]:
    """What `ethtool -S` prints."""
    return {name: int(value) for name, value in _pairs(text) if value}


def parse_channels(text: str) -> Channels:
    """What `ethtool -l` prints: the most the hardware takes, then what is in use; "n/a" is 0, as the kernel says it."""
    maximum, heading, current = text.partition("Current hardware settings:")
    if not heading:
        raise OSError("ethtool prints no channels")
    most, used = (
        {name: int(value) for name, value in _pairs(part) if value.isdecimal()} for part in (maximum, current)
    )
    return Channels(
        rx=used.get("RX", 0),
        tx=used.get("TX", 0),
        combined=used.get("Combined", 0),
        max_rx=most.get("RX", 0),
        max_tx=most.get("TX", 0),
        max_combined=most.get("Combined", 0),
    )
