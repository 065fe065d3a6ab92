"""A value in one line as it stands in a plan, and back."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any


def inline(value: Any) -> str:
    """A plain value as inline TOML; what is None in a table is left out, because TOML has no word for it.

    >>> inline({"zip": 1, "a b": ["x", True], "none": None})
    '{ zip = 1, "a b" = ["x", true] }'
    """
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(str(key))} = {inline(part)}" for key, part in value.items() if part is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(inline(part) for part in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value.isoformat() if isinstance(value, date | datetime | time) else _quoted(str(value))


def uninlined(text: str) -> Any:
    """The value that one line of TOML stands for; a ValueError when it is none, or more than one.

    >>> uninlined("{ income = 5 }"), uninlined("[1, 2]")
    ({'income': 5}, [1, 2])
    """
    try:
        found = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise ValueError("too many brackets") from None
    if set(found) != {"value"}:
        raise ValueError("more than one value")
    return found["value"]


def _quoted(text: str) -> str:
    """A TOML string: that of JSON, but for the one sign that TOML wants escaped and JSON does not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quoted(name)
