"""Data kinds: what the values of a column mean, where the type alone does not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from ..errors import TacitError, suggest_alternative, unknown_column
from .engines.table import Type

Kind: TypeAlias = Literal["continuous", "ordinal", "nominal", "date", "code", "geographic"]
ORDERED: frozenset[str] = frozenset({"continuous", "ordinal", "date"})
"""Kinds whose values have an order."""
FEW = 20
"""A whole-number column with at most so many values may be a number or a code: the user is asked."""

BY_TYPE: Mapping[Type, Kind] = {
    "number": "continuous",
    "integer": "continuous",
    "text": "nominal",
    "boolean": "nominal",
    "date": "date",
    "datetime": "date",
}


def can_have_kind(kind: str, type: Type) -> bool:
    """Whether values of a type can be of a kind: amounts are numbers, dates are dates, all else may be anything."""
    needed: Mapping[str, tuple[Type, ...]] = {"continuous": ("number", "integer"), "date": ("date", "datetime")}
    return type in needed.get(kind, (type,))


def check_kinds(kinds: Mapping[str, str] | None, types: Mapping[str, Type]) -> dict[str, Kind]:
    """The kinds that the user declared, each of a known column and fitting its type."""
    found: dict[str, Kind] = {}
    for column, kind in (kinds or {}).items():
        if column not in types:
            raise unknown_column(column, list(types))
        if kind not in get_args(Kind):
            raise TacitError(
                f"has the unknown kind {kind!r}",
                code="unknown_name",
                column=column,
                fix=suggest_alternative(str(kind), get_args(Kind)),
            )
        if kind == "continuous" and not can_have_kind(kind, types[column]):
            raise TacitError(
                f"is declared continuous but holds {types[column]}",
                code="kind_not_continuous",
                column=column,
                fix="convert it to numbers, or declare it nominal or ordinal",
            )
        if kind == "date" and not can_have_kind(kind, types[column]):
            raise TacitError(
                f"is declared a date but holds {types[column]}",
                code="kind_not_date",
                column=column,
                fix="write dates as YYYY-MM-DD, or declare it nominal",
            )
        found[column] = kind  # type: ignore[assignment]
    return found
