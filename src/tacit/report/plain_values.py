"""Any value of a result or trace as plain JSON values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any


def to_plain_values(value: Any) -> Any:
    """Numbers, text, lists and tables only; arrays become lists, what has no JSON form becomes its text.

    >>> to_plain_values({"a": (1, float("inf")), "b": {2}})
    {'a': [1, 'inf'], 'b': [2]}
    """
    if isinstance(value, Mapping):
        return {str(name): to_plain_values(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain_values(part) for part in value]
    if hasattr(value, "tolist"):
        return to_plain_values(value.tolist())
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def as_text(value: Any) -> str:
    """The JSON text of a file."""
    return json.dumps(to_plain_values(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
