"""Lines of the probe to typed messages: what a node says is data, checked, cleaned and bounded here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from sparktui.collectors.plain import plain as plain
from sparktui.probe.loop import discover
from sparktui.probe.payload import collector_modules

MAX_LINE = 2 << 20
"""Bytes of a line; the probe's own limit is half of it."""
MAX_TEXT = 1024
MAX_ERRORS = 64

COLLECTORS, COLLECTOR_FAULTS = discover(collector_modules())
"""All collectors of this installation, and which of their modules cannot be imported."""

_TYPES = {collector.name: collector.sample for collector in COLLECTORS}

if TYPE_CHECKING:
    Readings = Any
else:
    Readings = msgspec.defstruct(
        "Readings",
        [(collector.name, collector.sample | None, None) for collector in COLLECTORS],
        frozen=True,
        module=__name__,
        namespace={
            "__doc__": "One attribute per collector, of its sample type; None where the line had nothing of it."
        },
    )


class LineError(ValueError):
    """A line that is none of ours. Its text is safe to show."""


class Hello(Struct, frozen=True, tag_field="type", tag="hello"):
    version: str
    python: str
    boot_id: str | None


class Sample(Struct, frozen=True, tag_field="type", tag="sample"):
    """`mono` and `wall`: seconds of the node's clocks, read beside the counters; `cpu_ms` since the last line.

    `errors` are all that stand, `s` is what was read since the last line.
    """

    seq: int
    mono: float
    wall: float
    cpu_ms: float
    fast_s: float
    s: Readings
    errors: dict[str, str]


class Beat(Struct, frozen=True, tag_field="type", tag="beat"):
    """The answer to beat `n`: when it was received, by the node's clocks in seconds."""

    n: int
    mono: float
    wall: float


class ErrorLine(Struct, frozen=True, tag_field="type", tag="error"):
    """Why the probe cannot work."""

    text: str


Message = Hello | Sample | Beat | ErrorLine
_decoder = msgspec.json.Decoder(Message)


def decode(line: bytes) -> Message:
    """One line without its line break. Raises LineError for whatever is not a message of the probe.

    All text that comes out is printable. Only a line with escapes or bytes beyond ASCII is looked through for that:
    a raw control byte is no JSON anyway.
    """
    if len(line) > MAX_LINE:
        raise LineError(f"a line of {len(line)} bytes")
    try:
        if line.isascii() and b"\\" not in line and b"\x7f" not in line:
            try:
                message = _decoder.decode(line)
            except msgspec.ValidationError:
                message = _salvaged(msgspec.json.decode(line))
        else:
            message = _salvaged(_cleaned(msgspec.json.decode(line)))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LineError(plain(str(error), 200)) from None
    if isinstance(message, Sample) and len(message.errors) > MAX_ERRORS:
        raise LineError(f"errors of {len(message.errors)} collectors")
    return message


def _salvaged(value: Any) -> Message:
    """A message from decoded JSON. A collector's sample that is not of its type becomes that collector's error."""
    match value:
        case {"type": "sample", "s": dict(samples), "errors": dict(errors)}:
            good: dict[str, Any] = {}
            for name, sample in samples.items():
                try:
                    good[name] = msgspec.convert(sample, _TYPES.get(name, Any))
                except msgspec.ValidationError as error:
                    errors[name] = plain(f"unreadable sample: {error}", 200)
            value = value | {"s": good}
    message: Message = msgspec.convert(value, Message)
    return message


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isprintable() else plain(value, MAX_TEXT)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return value
