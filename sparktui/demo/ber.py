"""SNMP v2c messages in BER (RFC 3416, X.690): what an agent has to read and to write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Oid = tuple[int, ...]
Plain = int | bytes | Oid

INTEGER: Final = 0x02
OCTETS: Final = 0x04
NULL: Final = 0x05
OBJECT_ID: Final = 0x06
SEQUENCE: Final = 0x30
IP_ADDRESS: Final = 0x40
COUNTER32: Final = 0x41
GAUGE32: Final = 0x42
TICKS: Final = 0x43
COUNTER64: Final = 0x46
NO_SUCH_OBJECT: Final = 0x80
NO_SUCH_INSTANCE: Final = 0x81
END_OF_MIB: Final = 0x82
GET: Final = 0xA0
GET_NEXT: Final = 0xA1
RESPONSE: Final = 0xA2
SET: Final = 0xA3
GET_BULK: Final = 0xA5

V2C: Final = 1


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `first` and `second`: non-repeaters and max-repetitions of a GETBULK, else 0."""

    version: int
    community: bytes
    kind: int
    id: int
    first: int
    second: int
    oids: tuple[Oid, ...]


def decode_request(data: bytes) -> Request:
    """A request out of a datagram. Raises ValueError for anything that is none."""
    version, community, (kind, body) = _parts(_only(data, SEQUENCE), 3)
    if kind not in (GET, GET_NEXT, SET, GET_BULK):
        raise ValueError(f"not a request: {kind:#x}")
    request_id, first, second, bindings = _parts(body, 4)
    oids = tuple(_oid(_parts(binding, 2)[0]) for _, binding in _items(_content(bindings, SEQUENCE)))
    return Request(
        _integer(version),
        _content(community, OCTETS),
        kind,
        _integer(request_id),
        _integer(first),
        _integer(second),
        oids,
    )


def encode_response(request: Request, status: int, index: int, bindings: Iterable[bytes]) -> bytes:
    """The answer to a request; `bindings` come from `encode_binding`."""
    body = _tlv(INTEGER, _signed(request.id)) + _tlv(INTEGER, _signed(status)) + _tlv(INTEGER, _signed(index))
    pdu = _tlv(RESPONSE, body + _tlv(SEQUENCE, b"".join(bindings)))
    return _tlv(SEQUENCE, _tlv(INTEGER, _signed(request.version)) + _tlv(OCTETS, request.community) + pdu)


def encode_binding(oid: Oid, tag: int, plain: Plain) -> bytes:
    """An OID and its value; `plain` counts for nothing with a tag that says it all."""
    if isinstance(plain, bytes):
        content = plain
    elif isinstance(plain, tuple):
        content = _encode_oid(plain)
    else:
        content = b"" if tag in (NULL, NO_SUCH_OBJECT, NO_SUCH_INSTANCE, END_OF_MIB) else _signed(plain)
    return _tlv(SEQUENCE, _tlv(OBJECT_ID, _encode_oid(oid)) + _tlv(tag, content))


Item = tuple[int, bytes]


def _items(data: bytes) -> list[Item]:
    """The (tag, content) pairs that fill `data` exactly."""
    found: list[Item] = []
    at = 0
    while at < len(data):
        if at + 2 > len(data):
            raise ValueError("cut off")
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            more = size & 0x7F
            if not 0 < more <= 4 or at + more > len(data):
                raise ValueError("bad length")
            size, at = int.from_bytes(data[at : at + more], "big"), at + more
        if at + size > len(data):
            raise ValueError("cut off")
        found.append((tag, data[at : at + size]))
        at += size
    return found


def _parts(data: bytes, count: int) -> list[Item]:
    found = _items(data)
    if len(found) != count:
        raise ValueError(f"{len(found)} parts instead of {count}")
    return found


def _only(data: bytes, tag: int) -> bytes:
    return _content(_parts(data, 1)[0], tag)


def _content(item: Item, tag: int) -> bytes:
    if item[0] != tag:
        raise ValueError(f"tag {item[0]:#x} instead of {tag:#x}")
    return item[1]


def _integer(item: Item) -> int:
    return int.from_bytes(_content(item, INTEGER), "big", signed=True)


def _oid(item: Item) -> Oid:
    content = _content(item, OBJECT_ID)
    numbers: list[int] = []
    number = 0
    for octet in content:
        number = number << 7 | octet & 0x7F
        if not octet & 0x80:
            numbers.append(number)
            number = 0
    if not numbers or content[-1] & 0x80:
        raise ValueError("bad object identifier")
    first = min(numbers[0] // 40, 2)
    return (first, numbers[0] - 40 * first, *numbers[1:])


def _encode_oid(oid: Sequence[int]) -> bytes:
    if len(oid) < 2:
        oid = (*oid, 0, 0)[:2]
    encoded = bytearray()
    for number in (oid[0] * 40 + oid[1], *oid[2:]):
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        encoded += bytes(reversed(groups))
    return bytes(encoded)


def _signed(number: int) -> bytes:
    """Two's complement in as few octets as hold it: an unsigned counter with its top bit set takes one more."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)


def _tlv(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content
