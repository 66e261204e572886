"""An SNMP v2c agent on UDP that serves a table: the simulated switch's, and a faulty one's in tests."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from sparktui.demo import ber
from sparktui.demo.ber import Oid, Plain, Request

MAX_OCTETS: Final = 1472
"""Of one answer: what an Ethernet frame takes. A GETBULK is cut there, anything else is tooBig (RFC 3416)."""

TOO_BIG, NOT_WRITABLE = 1, 17


class Value(NamedTuple):
    """A value with its BER tag, as the constructors below make it."""

    tag: int
    plain: Plain


def integer(number: int) -> Value:
    return Value(ber.INTEGER, number)


def text(content: str | bytes) -> Value:
    return Value(ber.OCTETS, content.encode() if isinstance(content, str) else content)


def oid(numbers: Oid) -> Value:
    return Value(ber.OBJECT_ID, numbers)


def gauge(number: int) -> Value:
    """Gauge32. A negative number becomes its two's complement, which is what RouterOS sends."""
    return Value(ber.GAUGE32, number & 0xFFFFFFFF)


def ticks(hundredths: int) -> Value:
    """TimeTicks, in 1/100 s; wraps after 497 days."""
    return Value(ber.TICKS, hundredths & 0xFFFFFFFF)


def counter32(number: int) -> Value:
    """Wraps at 2^32, as an agent's own counter does."""
    return Value(ber.COUNTER32, number & 0xFFFFFFFF)


def counter64(number: int) -> Value:
    return Value(ber.COUNTER64, number & 0xFFFFFFFFFFFFFFFF)


ABSENT: Final = Value(ber.NO_SUCH_INSTANCE, 0)
END: Final = Value(ber.END_OF_MIB, 0)


@dataclass(slots=True)
class Faults:
    """What is wrong with the agent; all off at first, and changed at any time.

    `dead`: no request is answered. `drop`: the next so many are not. `delay_s`: every answer is late. `too_big_above`:
    more values than that get tooBig, a GETBULK too, as on a CRS305. `error_status`: answered instead of values.
    `garbage`: the answer is not BER at all.
    """

    dead: bool = False
    drop: int = 0
    delay_s: float = 0.0
    too_big_above: int | None = None
    error_status: int = 0
    garbage: bool = False


class SnmpAgent(asyncio.DatagramProtocol):
    """Answers GET, GETNEXT and GETBULK from `table()`; refuses SET; is silent to a wrong community, as agents are.

    `table()` returns what there is now. It is asked once per request and sorted again only when it returns another
    object, so it should return the same one until something changed. `seen` is called with every request understood.
    """

    def __init__(
        self,
        table: Callable[[], Mapping[Oid, Value]],
        community: str = "public",
        seen: Callable[[Request], None] | None = None,
    ) -> None:
        self.faults = Faults()
        self.port = 0
        self._table = table
        self._community = community.encode()
        self._seen = seen
        self._last: Mapping[Oid, Value] = {}
        self._sorted: list[Oid] = []
        self._transport: asyncio.DatagramTransport | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Start; returns the port."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(host, port))
        self.port = int(self._transport.get_extra_info("sockname")[1])
        return self.port

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        try:
            request = ber.decode_request(data)
        except ValueError:
            return
        if request.version != ber.V2C or request.community != self._community:
            return
        if self._seen is not None:
            self._seen(request)
        if self.faults.dead:
            return
        if self.faults.drop:
            self.faults.drop -= 1
            return
        answer = bytes(range(64)) if self.faults.garbage else self._answer(request)
        if self.faults.delay_s:
            asyncio.get_running_loop().call_later(self.faults.delay_s, self._send, answer, address)
        else:
            self._send(answer, address)

    def _send(self, answer: bytes, address: tuple[str, int]) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(answer, address)

    def _answer(self, request: Request) -> bytes:
        if self.faults.error_status:
            return ber.encode_response(request, self.faults.error_status, 1, ())
        if request.kind == ber.SET:
            return ber.encode_response(request, NOT_WRITABLE, 1, ())
        table = self._table()
        if table is not self._last:
            self._last, self._sorted = table, sorted(table)
        bulk = request.kind == ber.GET_BULK
        values = len(request.oids) * max(1, request.second if bulk else 1)
        if self.faults.too_big_above is not None and values > self.faults.too_big_above:
            return ber.encode_response(request, TOO_BIG, 0, ())
        bindings: list[bytes] = []
        size = 0
        for at, value in self._bindings(request, table):
            binding = ber.encode_binding(at, *value)
            size += len(binding)
            if size > MAX_OCTETS - 64:
                if bulk and bindings:
                    break
                return ber.encode_response(request, TOO_BIG, 0, ())
            bindings.append(binding)
        return ber.encode_response(request, 0, 0, bindings)

    def _bindings(self, request: Request, table: Mapping[Oid, Value]) -> Iterator[tuple[Oid, Value]]:
        if request.kind == ber.GET:
            for key in request.oids:
                yield key, table.get(key, ABSENT)
            return
        single = len(request.oids) if request.kind == ber.GET_NEXT else max(0, request.first)
        for key in request.oids[:single]:
            yield self._after(key, table)
        repeated = list(request.oids[single:])
        for _ in range(max(0, request.second) if repeated else 0):
            for at, key in enumerate(repeated):
                repeated[at], value = self._after(key, table)
                yield repeated[at], value

    def _after(self, key: Oid, table: Mapping[Oid, Value]) -> tuple[Oid, Value]:
        at = bisect_right(self._sorted, key)
        if at == len(self._sorted):
            return key, END
        return self._sorted[at], table[self._sorted[at]]
