"""SNMP values as plain Python, and the reading of them: every function takes whatever an agent may have sent."""

from __future__ import annotations

from collections.abc import Mapping

Oid = tuple[int, ...]
Plain = int | bytes | Oid
"""Number, octets or object identifier. An instance that the agent does not have is absent from its mapping."""


def number(plain: Plain | None) -> int | None:
    """The value if it is a number that SNMP has; anything else where a number belongs counts as absent."""
    return plain if isinstance(plain, int) and -(1 << 63) <= plain < 1 << 64 else None


def signed(plain: Plain | None) -> int | None:
    """A number that may be negative: agents send -1 as Gauge32 4294967295, so 2^31 and more is folded."""
    value = number(plain)
    if value is not None and 1 << 31 <= value < 1 << 32:
        return value - (1 << 32)
    return value


def text(plain: Plain | None, limit: int = 64) -> str | None:
    """Octets as one printable line of at most `limit` characters; None where there is nothing to read."""
    if not isinstance(plain, bytes):
        return None
    decoded = plain[: 4 * limit].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in decoded).split())[:limit] or None


def mac(octets: bytes | Oid) -> str | None:
    """Six octets as aa:bb:cc:dd:ee:ff; None for anything else."""
    if len(octets) != 6 or any(not 0 <= part <= 255 for part in octets):
        return None
    return ":".join(f"{part:02x}" for part in octets)


def column(values: Mapping[Oid, Plain], oid: Oid) -> dict[Oid, Plain]:
    """One table column out of a mapping: index (what follows `oid`) -> value."""
    size = len(oid)
    return {key[size:]: value for key, value in values.items() if key[:size] == oid and len(key) > size}
