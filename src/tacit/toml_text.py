"""Values as TOML writes them in one line, and back: plans, agreements and forms are written by these."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any


def to_inline_toml(value: Any) -> str:
    """A plain value as inline TOML; what is None in a table is left out, because TOML has no word for it.

    >>> to_inline_toml({"zip": 1, "a b": ["x", True], "none": None})
    '{ zip = 1, "a b" = ["x", true] }'
    """
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{toml_key(str(key))} = {to_inline_toml(part)}" for key, part in value.items() if part is not None
        )
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(to_inline_toml(part) for part in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(int(value) if isinstance(value, int) else float(value))
    return value.isoformat() if isinstance(value, date | datetime | time) else toml_string(str(value))


def from_inline_toml(text: str) -> Any:
    """The value that one line of TOML stands for; a ValueError when it is none, or more than one.

    >>> from_inline_toml("{ income = 5 }"), from_inline_toml("[1, 2]")
    ({'income': 5}, [1, 2])
    """
    try:
        found = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise ValueError("too many brackets") from None
    if set(found) != {"value"}:
        raise ValueError("more than one value")
    return found["value"]


def toml_string(text: str) -> str:
    r"""A TOML string: that of JSON, but for the one sign that TOML wants escaped and JSON does not.

    >>> print(toml_string('a "b"\n'))
    "a \"b\"\n"
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """A name as a key: bare where TOML allows it."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else toml_string(name)
