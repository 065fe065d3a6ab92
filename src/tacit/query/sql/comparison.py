"""A comparison of a column with literals as a set of its values; a number between two grid points is met exactly."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction
from typing import TypeVar

from ...errors import suggest_alternative
from ..column import EPOCH, Column
from ..refusal import Refusal
from ..value_set import FURTHEST, Codes, Texts, Values
from .literal import Literal, day_of
from .unsupported import unsupported_error

OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
"""The operator when both sides change places."""

T = TypeVar("T")

_WORDS = {"category": "a declared text", "text": "a text", "boolean": "TRUE or FALSE", "date": "a date"}


def matching_values(column: Column, operator: str, value: Literal) -> Values:
    """The known values v of the column with ``v operator value``.

    On a grid with step s, v = s·c: so c > value/s is c ≥ ⌊value/s⌋ + 1, and c ≥ value/s is c ≥ ⌈value/s⌉.
    """
    if operator in ("=", "<>"):
        return one_of(column, [value], among=operator == "=")
    if column.kind in ("category", "text", "boolean"):
        raise unsupported_error(
            f"{operator!r} does not go with {column.name!r}, which is {_WORDS[column.kind]}", "use =, <> or IN"
        )
    place = _grid_position(column, value)
    below, above = math.floor(place), math.ceil(place)
    first = {">": below + 1, ">=": above}.get(operator, -FURTHEST)
    last = {"<": above - 1, "<=": below}.get(operator, FURTHEST)
    return Codes.of([(max(first, -FURTHEST), min(last, FURTHEST))])


def one_of(column: Column, values: list[Literal], *, among: bool = True) -> Values:
    """The known values of the column that are (``among``) or are not in the list."""
    if column.kind == "text":
        texts = Texts.of(_require_text(column, value) for value in values)
        return texts if among else (~texts).without_null
    codes = Codes.of((code, code) for code in (_grid_code(column, value) for value in values) if code is not None)
    return codes if among else (Codes(((-FURTHEST, FURTHEST),)) - codes)


def _grid_code(column: Column, value: Literal) -> int | None:
    if column.kind == "boolean":
        return int(_require_kind(column, value, bool))
    if column.kind == "category":
        text = _require_text(column, value)
        if text not in column.values:
            raise Refusal(
                "unknown_value",
                f"has no value {text[:40]!r} in its declared list",
                column=column.name,
                fix=suggest_alternative(text, column.values[:20]),
            )
        return column.values.index(text)
    place = _grid_position(column, value)
    return int(place) if place.denominator == 1 and abs(place) <= FURTHEST else None


def _grid_position(column: Column, value: Literal) -> Fraction:
    if column.kind == "date":
        day = day_of(value) if isinstance(value, str) else _require_kind(column, value, date)
        return Fraction((day - EPOCH).days)
    if isinstance(value, Fraction):
        return value / column.step
    raise _wrong_kind(column, value)


def _require_text(column: Column, value: Literal) -> str:
    return _require_kind(column, value, str)


def _require_kind(column: Column, value: Literal, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise _wrong_kind(column, value)
    return value


def _wrong_kind(column: Column, value: Literal) -> Refusal:
    names = {Fraction: "a number", str: "a text", bool: "TRUE or FALSE", date: "a date"}
    wanted = _WORDS.get(column.kind, "a number")
    examples = {
        "boolean": "TRUE",
        "date": "DATE '2026-01-31'",
        "category": "'text' in quotes",
        "text": "'text' in quotes",
    }
    return Refusal(
        "unknown_value",
        f"is {wanted} and is compared with {names[type(value)]}",
        column=column.name,
        fix=f"compare it with {examples.get(column.kind, 'a plain number')}",
    )
