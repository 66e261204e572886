"""Reads recorded SNMP agents: lines of OID|type|value as snmpsim writes them."""

from __future__ import annotations

from pathlib import Path

from sparktui.demo.agent import Value
from sparktui.demo.ber import OBJECT_ID, OCTETS
from sparktui.switch.values import Oid, Plain

FIXTURES = Path(__file__).parent / "fixtures" / "switch"


def load(name: str) -> dict[Oid, Value]:
    """One recording, as the typed table that an agent serves."""
    table: dict[Oid, Value] = {}
    for line in (FIXTURES / f"{name}.snmprec").read_text().splitlines():
        key, kind, value = line.split("|", 2)
        table[numbers(key)] = typed(kind, value)
    return table


def typed(kind: str, value: str) -> Value:
    tag = int(kind.rstrip("x"))
    if tag == OBJECT_ID:
        return Value(tag, numbers(value))
    if tag == OCTETS:
        return Value(tag, bytes.fromhex(value) if kind.endswith("x") else value.encode())
    return Value(tag, int(value))


def numbers(dotted: str) -> Oid:
    return tuple(int(part) for part in dotted.split("."))


def plain(table: dict[Oid, Value]) -> dict[Oid, Plain]:
    """The table as a decoder sees it."""
    return {key: value.plain for key, value in table.items()}
