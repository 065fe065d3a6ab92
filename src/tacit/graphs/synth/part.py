"""A part of a generator (its degrees, density or nearness), given as a value or as a plan writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError, format_value, suggest_alternative
from ...registry import build_from_params


def part_of(given: Any, kinds: Mapping[str, type], what: str) -> Any:
    """The part itself, or the one that ``{"model": name, …}`` describes: a trace read back makes the same generator.

    >>> from .spatial import NEARNESS
    >>> part_of({"model": "exponential", "length": 2.0}, NEARNESS, "nearness")
    Exponential(length=2.0)
    """
    if isinstance(given, tuple(kinds.values())):
        return given
    name = given.get("model") if isinstance(given, Mapping) else None
    if name is None:
        example = next(iter(kinds))
        raise TacitError(
            f"{what}={format_value(given)} is none of {', '.join(kinds)}",
            code="wrong_type",
            parameter=what,
            fix=f'e.g. {what} = {{ model = "{example}", … }}',
        )
    if name not in kinds:
        raise TacitError(
            f"{what} has no model {format_value(name)}",
            code="invalid_graph",
            fix=suggest_alternative(str(name), list(kinds)),
        )
    return build_from_params(str(name), kinds[name], {key: value for key, value in given.items() if key != "model"})
