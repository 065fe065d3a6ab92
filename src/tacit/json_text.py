"""The one JSON encoder: whatever a result, a trace or an outcome holds, as plain values and as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isfinite, isinf
from pathlib import PurePath
from typing import Any

AS_TEXT = (date, time, timedelta, Decimal, Fraction, PurePath)
"""Types whose text is their JSON form; a datetime is a date."""


def to_plain_values(value: Any, *, describe: Callable[[Any], Any] | None = None) -> Any:
    """Convert a value into what JSON can say: numbers, text, lists and dictionaries.

    Arrays, series, tuples and sets become lists, scalars of numpy become numbers, dates become ISO text.
    ``describe`` converts dataclasses; without it they are refused. NaN and infinity are refused everywhere, because JSON
    has no form for them; the error names the key that holds one. Where infinity is a right answer, :func:`spell_infinity`.

    >>> from tacit.frozen import FrozenDict
    >>> to_plain_values({"a": (1, 2.5), "b": {2}, 3: FrozenDict(day=date(2024, 2, 29))})
    {'a': [1, 2.5], 'b': [2], '3': {'day': '2024-02-29'}}
    >>> to_plain_values({"risk": [0.5, float("nan")]})
    Traceback (most recent call last):
    ValueError: risk[1] is nan, which JSON cannot hold
    """
    return _convert(value, describe, "")


def spell_infinity(value: Any) -> Any:
    """Write infinite numbers as text, in mappings and lists too: a measure may be unbounded, and its reader must see it.

    >>> spell_infinity({"value": float("inf"), "interval": (0.5, float("inf"))})
    {'value': 'inf', 'interval': (0.5, 'inf')}
    """
    if isinstance(value, Mapping):
        return {key: spell_infinity(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([spell_infinity(part) for part in value])
    return str(float(value)) if isinstance(value, float) and isinf(value) else value


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """The JSON text of a value, without a line end; what :func:`to_plain_values` refuses, it refuses.

    >>> json_text({"größe": (1, 2)}, indent=None)
    '{"größe": [1, 2]}'
    """
    return json.dumps(to_plain_values(value), ensure_ascii=False, indent=indent, allow_nan=False)


def _convert(value: Any, describe: Callable[[Any], Any] | None, place: str) -> Any:
    if value is None or isinstance(value, str | bool | int) and not isinstance(value, Enum):
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{place or 'the value'} is {value}, which JSON cannot hold")
        return value
    if isinstance(value, Mapping):
        return {str(key): _convert(part, describe, f"{place}.{key}".lstrip(".")) for key, part in value.items()}
    if isinstance(value, list | tuple | range):
        return [_convert(part, describe, f"{place}[{number}]") for number, part in enumerate(value)]
    if isinstance(value, set | frozenset):
        return _convert(sorted(value, key=lambda part: (type(part).__name__, part)), describe, place)
    if isinstance(value, Enum):
        return _convert(value.value, describe, place)
    if isinstance(value, AS_TEXT):
        return value.isoformat() if isinstance(value, date | time) else str(value)
    for method in ("tolist", "to_list"):  # numpy and pyarrow, polars
        if hasattr(value, method):
            return _convert(getattr(value, method)(), describe, place)
    if describe is not None and is_dataclass(value) and not isinstance(value, type):
        return _convert(describe(value), describe, place)
    raise TypeError(f"{place or 'the value'} is of type {type(value).__name__}, which has no JSON form")
