"""How the switch is asked, whatever carries the question: GETs and table walks cut to sizes that RouterOS answers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from sparktui.switch.values import Oid, Plain

GET_LIMIT: Final = 40
BULK_LIMIT: Final = 60
"""Values per request. With more, a CRS305 answers tooBig, even to a GETBULK, which by RFC 3416 it should cut short."""

ROWS_AT_FIRST: Final = 12
"""Rows asked of a table whose size is not known yet."""


Row = tuple[Oid, Plain | None]


class SnmpError(Exception):
    """The switch could not be asked; the text says why and what to do."""


class NoAnswer(SnmpError):
    """Nothing came back in time: down, unreachable, SNMP off, or a wrong community, which no agent answers."""


class TooBig(SnmpError):
    """The answer would not have fitted."""


class Getter(Protocol):
    """One SNMP request each. Both raise SnmpError, and NoAnswer and TooBig where it is that."""

    async def get(self, oids: Sequence[Oid]) -> dict[Oid, Plain]:
        """GET: the instances that exist, by their OID."""
        ...

    async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
        """GETBULK: for each start the instances that follow it, `repetitions` at most, fewer where the answer was cut.

        A value of None marks the end of everything that the agent has.
        """
        ...


class TableGetter:
    """Answers from a table in this process, as an agent would: for simulations and tests.

    `table()` returns what the agent has now; it is sorted again only when it returns another object.
    """

    def __init__(self, table: Callable[[], Mapping[Oid, Plain]]) -> None:
        self._table = table
        self._last: Mapping[Oid, Plain] = {}
        self._sorted: list[Oid] = []

    async def get(self, oids: Sequence[Oid]) -> dict[Oid, Plain]:
        table = self._table()
        return {oid: table[oid] for oid in oids if oid in table}

    async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
        table = self._table()
        if table is not self._last:
            self._last, self._sorted = table, sorted(table)
        answers: list[list[Row]] = []
        for start in starts:
            first = bisect_right(self._sorted, start)
            rows: list[Row] = [(oid, table[oid]) for oid in self._sorted[first : first + repetitions]]
            answers.append(rows if len(rows) == repetitions else [*rows, (start, None)])
        return answers


class Asker:
    """Asks for any number of instances or whole columns, in requests that stay small enough for the switch.

    tooBig halves the size of every later request to this switch. Table sizes are remembered, so that a table which was
    read before, or found absent, is read again with as few values beyond its end as possible.
    """

    def __init__(self, getter: Getter) -> None:
        self._getter = getter
        self._get_limit = GET_LIMIT
        self._bulk_limit = BULK_LIMIT
        self._rows: dict[Oid, int] = {}

    @property
    def get_limit(self) -> int:
        """Instances that fit into one GET at present: for callers whose values belong together."""
        return self._get_limit

    async def get(self, oids: Sequence[Oid]) -> dict[Oid, Plain]:
        """Those of `oids` that exist."""
        found: dict[Oid, Plain] = {}
        first = 0
        while first < len(oids):
            part = oids[first : first + self._get_limit]
            try:
                found |= await self._getter.get(part)
            except TooBig:
                self._get_limit = _halved(len(part))
                continue
            first += len(part)
        return found

    async def walk(self, columns: Sequence[Oid], max_rows: int = 512) -> dict[Oid, Plain]:
        """Every instance below each of `columns` (of one table), `max_rows` per column at most.

        The columns are read side by side and end independently: an agent may have fewer rows in one than in another,
        and runs past the end of each into whatever follows.
        """
        found: dict[Oid, Plain] = {}
        expected = self._rows.get(columns[0], ROWS_AT_FIRST)
        after = {column: column for column in columns}
        rows_of = dict.fromkeys(columns, 0)
        while after:
            batch = list(after)[: self._bulk_limit]
            most = max(rows_of.values())
            wanted = expected + 1 - most if most <= expected else max_rows
            repetitions = max(1, min(self._bulk_limit // len(batch), wanted))
            try:
                answers = await self._getter.bulk([after[column] for column in batch], repetitions)
            except TooBig:
                self._bulk_limit = _halved(len(batch) * repetitions)
                continue
            moved, open_before = False, len(after)
            for column, answer in zip(batch, answers, strict=True):
                rows = _below(column, after[column], answer, max_rows - rows_of[column])
                found |= rows
                rows_of[column] += len(rows)
                if len(rows) < len(answer) or rows_of[column] >= max_rows:
                    del after[column]
                elif rows:
                    after[column], moved = max(rows), True
            if not moved and len(after) == open_before:
                break  # an agent that answers nothing at all
        self._rows[columns[0]] = max(rows_of.values())
        return found


def _below(column: Oid, after: Oid, answer: Sequence[Row], limit: int) -> dict[Oid, Plain]:
    """The leading part of an answer that is in `column` and goes forward: a walk of a faulty agent must end, too."""
    rows: dict[Oid, Plain] = {}
    for oid, value in answer[:limit]:
        if value is None or oid[: len(column)] != column or oid <= after:
            break
        rows[oid] = value
        after = oid
    return rows


def _halved(size: int) -> int:
    """Half the size that was too big. One value that is too big cannot be made smaller."""
    if size <= 1:
        raise SnmpError("the switch answers tooBig to a request for a single value")
    return size // 2
