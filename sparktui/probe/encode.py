"""Samples to JSON, cheaply. Standard library only: this file runs on the node (Python >= 3.10)."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

_FIELDS: dict[type, tuple[str, ...]] = {}


def as_dict(value: Any) -> dict[str, Any]:
    """One dataclass as a dict of its fields, nested ones left as they are. Raises TypeError for anything else.

    dataclasses.asdict copies every list and dict on its way: ten times the cost of a whole tick.
    """
    names = _FIELDS.get(type(value))
    if names is None:
        if not is_dataclass(value) or isinstance(value, type):
            raise TypeError(f"{type(value).__name__} has no form in JSON")
        names = _FIELDS[type(value)] = tuple(field.name for field in fields(value))
    return {name: getattr(value, name) for name in names}


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=as_dict)


def encode(value: Any) -> str:
    """Compact JSON on one line; numbers that are not finite are null. Raises TypeError, ValueError, RecursionError."""
    try:
        return _encoder.encode(value)
    except ValueError:
        return _encoder.encode(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if is_dataclass(value):
        return _finite(as_dict(value))
    return value
