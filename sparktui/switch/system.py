"""What the switch is: model, software, uptime, and what that software cannot tell or do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparktui.switch import oids
from sparktui.switch.values import Oid, Plain, number, text

SYSTEM_OBJECTS: Final[tuple[Oid, ...]] = (
    oids.SYS_DESCR,
    oids.SYS_OBJECT_ID,
    oids.ROUTEROS_VERSION,
    oids.FIRMWARE_CURRENT,
    oids.FIRMWARE_UPGRADE,
    oids.BOARD_NAME,
    oids.PHYSICAL_DESCR,
)

QOS_SINCE: Final = (7, 23)
"""First RouterOS with ECN and PFC in the hardware of CRS8xx switches (its release notes)."""

LLDP_BY_INTERFACE_SINCE: Final = (7, 7)
"""First RouterOS whose lldpRemTable is indexed by the local interface."""

UPTIME_SLACK_S: Final = 10.0
UPTIME_SLACK_SHARE: Final = 0.05
"""sysUpTime goes in whole seconds, and an answer may come seconds after the question."""


@dataclass(frozen=True, slots=True)
class System:
    """`version` is RouterOS's, None on other systems. `firmware_pending`: the RouterBOOT version that waits, if any."""

    model: str | None = None
    version: str | None = None
    is_routeros: bool = False
    firmware_pending: str | None = None

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers, () where unknown: "7.24.1" and "7.24rc2" are (7, 24, 1) and (7, 24)."""
        match = re.match(r"\d+(\.\d+)*", self.version or "")
        return tuple(int(part) for part in match[0].split(".")) if match else ()

    def notes(self) -> list[str]:
        """What there is to know about this software."""
        found = []
        if (self.model or "").startswith("CRS8") and () < self.release < QOS_SINCE:
            found.append(
                f"RouterOS {self.version} has no PFC and ECN in CRS8xx hardware (7.23 has): RoCE can lose frames"
            )
        if self.is_routeros:
            found.append("per-priority pause, queue drops and FEC are not in RouterOS's SNMP")
        if self.firmware_pending is not None:
            found.append(f"RouterBOOT upgrade to {self.firmware_pending} is pending (/system routerboard upgrade)")
        return found


def decode_system(values: Mapping[Oid, Plain]) -> System:
    """RouterOS says its board in several places, all of which some version or a user leaves empty or changes."""
    described = text(values.get(oids.PHYSICAL_DESCR), 128) or ""
    physical = re.fullmatch(r"RouterOS (\S+).* on (\S+)", described)
    description = text(values.get(oids.SYS_DESCR), 128)
    model = text(values.get(oids.BOARD_NAME))
    if model is None and description is not None and description.startswith("RouterOS "):
        model = description.removeprefix("RouterOS ")
    if model is None:
        model = physical[2] if physical else (description or "")[:64] or None
    version = text(values.get(oids.ROUTEROS_VERSION)) or (physical[1] if physical else None)
    current, upgrade = text(values.get(oids.FIRMWARE_CURRENT)), text(values.get(oids.FIRMWARE_UPGRADE))
    return System(
        model=model,
        version=version,
        is_routeros=version is not None or values.get(oids.SYS_OBJECT_ID) == oids.ROUTEROS,
        firmware_pending=upgrade if current and upgrade and current != upgrade else None,
    )


def decode_processor_load(loads: Mapping[Oid, Plain]) -> list[int]:
    """Per core in the order of their index, in percent, out of hrProcessorLoad's rows."""
    return [load for _, value in sorted(loads.items()) if (load := number(value)) is not None and 0 <= load <= 100]


class Uptime:
    """Watches sysUpTime against the clock here: whether what was counted before can be compared with what is now."""

    __slots__ = ("_at", "_ticks")

    def __init__(self) -> None:
        self._ticks: int | None = None
        self._at = 0.0

    def broke(self, ticks: int | None, at: float) -> bool:
        """Whether the switch restarted since the last look, or time stood still here (a suspended laptop).

        `ticks` is sysUpTime in 1/100 s, which wraps after 497 days; `at` is in seconds of the monotonic clock.
        """
        before, since = self._ticks, self._at
        self._ticks, self._at = ticks, at
        if before is None or ticks is None:
            return False
        elapsed = at - since
        slack = UPTIME_SLACK_S + UPTIME_SLACK_SHARE * elapsed
        # Modulo the wrap, and centred: a small step back is a large negative number, not a huge one forward.
        gone = (ticks - before + (1 << 31)) % (1 << 32) - (1 << 31)
        return gone < 0 or abs(gone / 100 - elapsed) > slack
