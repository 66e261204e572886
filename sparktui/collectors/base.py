"""What every collector is made of. Standard library only: this file also runs on the node (Python >= 3.10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class DriverInfo:
    """Answer of ETHTOOL_GDRVINFO. Empty strings where the driver says nothing."""

    driver: str
    version: str
    firmware: str
    bus: str


@dataclass(frozen=True, slots=True)
class Channels:
    """Answer of ETHTOOL_GCHANNELS: queues in use and the most the hardware takes."""

    rx: int
    tx: int
    combined: int
    max_rx: int
    max_tx: int
    max_combined: int


class Reader(Protocol):
    """Where a collector reads from: the live kernel, a folder of files, or a simulated node.

    Paths are absolute as on the node ("/proc/stat"). Every method raises OSError where the thing is not there.
    """

    def text(self, path: str) -> str:
        """The whole text of one file, undecodable bytes replaced."""
        ...

    def names(self, path: str) -> list[str]:
        """Sorted names in a directory."""
        ...

    def link(self, path: str) -> str:
        """Target of a symbolic link, as written."""
        ...

    def ethtool_driver(self, netdev: str) -> DriverInfo: ...

    def ethtool_stats(self, netdev: str) -> dict[str, int]: ...

    def ethtool_channels(self, netdev: str) -> Channels: ...

    def nvml(self) -> Any:
        """An object with the functions and constants of nvidia-ml-py's pynvml, nvmlInit already done.

        Raises OSError with a readable text where there is no NVIDIA driver.
        """
        ...

    def monotonic(self) -> float:
        """Seconds of the node's monotonic clock."""
        ...

    def wall(self) -> float:
        """Seconds since the epoch by the node's clock."""
        ...


Tier = Literal["fast", "slow"]


@dataclass(frozen=True, slots=True)
class Collector:
    """One source of samples. A collector file declares `COLLECTORS = (Collector(...), ...)`.

    `start(reader)` returns the sampling function, which may keep state (names found, last lines); each call returns one
    value of type `sample` (a frozen dataclass) or raises; what it raises becomes that collector's error and ends
    nothing else. `own_thread` is for calls that may hang: they run beside the others, with a deadline.
    """

    name: str
    tier: Tier
    sample: type
    start: Callable[[Reader], Callable[[], Any]]
    own_thread: bool = False
