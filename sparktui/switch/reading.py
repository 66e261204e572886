"""What one poll of a switch gives: decoded, not yet compared with the poll before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparktui.contract import Health, Optic
from sparktui.switch.neighbours import Neighbours
from sparktui.switch.ports import Interface
from sparktui.switch.system import System


@dataclass(frozen=True, slots=True)
class Counted:
    """Counters of one port as the switch said them at `at` (seconds of the monotonic clock here), by MIB name."""

    at: float
    raw: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything known of a switch after one poll; what is read less often is the latest of its kind.

    `epoch` changes when the switch restarted: counters of different epochs have nothing to do with each other.
    `traffic` and `errors` hold only what this poll has read, `errors` of ports that are up.
    """

    at: float
    epoch: int
    uptime_s: float | None
    system: System
    ports: Mapping[str, Interface]
    traffic: Mapping[str, Counted]
    errors: Mapping[str, Counted]
    health: list[Health]
    load_percent: list[int]
    optics: Mapping[str, Optic]
    neighbours: Neighbours | None
    notes: list[str]
