"""Values as they stand in a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def to_inline_toml(value: Any) -> str:
    """A value as inline TOML; what is None is left out.

    >>> to_inline_toml({"zip": 1, "a b": ["x", True]})
    '{ zip = 1, "a b" = ["x", true] }'
    """
    if isinstance(value, Mapping):
        inside = (f"{_format_key(key)} = {to_inline_toml(part)}" for key, part in value.items() if part is not None)
        return "{ " + ", ".join(inside) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(to_inline_toml(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def step_lines(section: str, given: Mapping[str, Any], *, without: Iterable[str] = ()) -> list[str]:
    """The lines of a step of a plan.

    >>> step_lines("protect", {"method": "suppress_records", "k": 3})
    ['[[protect]]', 'method = "suppress_records"', 'k = 3']
    """
    kept = {key: value for key, value in given.items() if value is not None and key not in set(without)}
    return [f"[[{section}]]", *(f"{key} = {to_inline_toml(value)}" for key, value in kept.items())]


def _format_key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key, ensure_ascii=False)
