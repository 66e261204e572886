"""The health of a switch: temperatures, fans, supplies, as rows of mtxrGaugeTable.

Rows are known by their names and units, never by their index, which differs between models and versions. The older
scalars are not read: on many models they miss sensors or say the opposite (1 = ok).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sparktui.contract import Health
from sparktui.switch.values import Oid, Plain, number, signed, text

STATE: Final = 6
UNITS: Final = {1: ("C", 1), 2: ("rpm", 1), 3: ("V", 10), 4: ("A", 10), 5: ("W", 10)}
"""mtxrGaugeUnit -> unit and divisor: whole degrees and rpm, tenths of volts, amperes and watts (MIKROTIK-MIB)."""


def decode_health(
    names: Mapping[Oid, Plain],
    values: Mapping[Oid, Plain],
    units: Mapping[Oid, Plain],
    expected_absent: Iterable[str] = (),
) -> list[Health]:
    """The rows in the order of their index; each argument is one column, index -> value.

    A state is ok when it is 0: the codes of the others (fail, no input, not present) are not documented. What
    `expected_absent` names ("psu2": psu2-state and every other psu2 row) is "expected_absent" instead of "not_ok", as
    long as it really is absent.
    """
    rows = [
        _row(name, signed(values.get(index)), number(units.get(index)))
        for index, value in sorted(names.items())
        if (name := text(value)) is not None
    ]
    for part in expected_absent:
        mine = [at for at, row in enumerate(rows) if row.name == part or row.name.startswith(f"{part}-")]
        if any(rows[at].state == "ok" for at in mine):
            continue
        for at in mine:
            rows[at] = Health(rows[at].name, rows[at].value, rows[at].unit, "expected_absent")
    return rows


def _row(name: str, value: int | None, unit: int | None) -> Health:
    if unit == STATE:
        return Health(name, value, "", None if value is None else "ok" if value == 0 else "not_ok")
    label, divisor = UNITS.get(unit or 0, ("", 1))
    return Health(name, None if value is None else value / divisor, label, None)
