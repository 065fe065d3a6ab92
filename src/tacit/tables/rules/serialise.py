"""Rules as plain data and back: what a plan and a JSON file hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ...errors import TacitError, suggest_alternative
from ...registry import build_from_params
from .registry import ALL
from .rule import Rule


def to_json(rule: Rule) -> dict[str, Any]:
    """A rule as plain data: its plan name under ``method``, and its parameters.

    >>> from .p_percent import PPercent
    >>> to_json(PPercent(10))
    {'method': 'p_percent', 'p': 10, 'n': 1}
    """
    name = next(name for name, entry in ALL.items() if entry.call is type(rule))
    plain = {field.name: getattr(rule, field.name) for field in fields(rule)}  # type: ignore[arg-type]
    return {"method": name} | {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}


def from_json(given: Mapping[str, Any]) -> Rule:
    """The rule that plain data describe; equal to the one that :func:`to_json` wrote.

    >>> from_json({"method": "dominance", "n": 2, "k": 85})
    Dominance(n=2, k=85)
    """
    name = given.get("method")
    if not isinstance(name, str) or name not in ALL:
        what = "a rule has no method" if name is None else f"the rule {name!r} is unknown"
        raise TacitError(what, code="unknown_name", fix=suggest_alternative(str(name), ALL))
    found: Rule = build_from_params(
        name, ALL[name].call, {key: value for key, value in given.items() if key != "method"}
    )
    return found
