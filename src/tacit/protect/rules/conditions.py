"""Conditions on columns, as a declared rule or a path of a decision tree has them: a value, one of several, an interval."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...errors import TacitError, typed
from ...frozen import FrozenDict
from ..parameters import number

if TYPE_CHECKING:
    import polars as pl

    from ...release.release import Release


Condition: TypeAlias = Any
"""A value, a tuple of values, or a mapping with ``from`` (at least) and ``below`` (less than)."""
ENDS = ("from", "below")
FIX = "a value ('F'), several (['F', 'M']), or an interval ({'from': 30, 'below': 40})"


def checked_condition(column: str, given: object) -> Condition:
    """A condition as a value that can be compared and saved."""
    if isinstance(given, Mapping):
        if not given or not set(given) <= set(ENDS):
            raise TacitError("has an interval without from and below", column=column, fix=FIX)
        ends = {end: _scalar(column, given[end]) for end in ENDS if end in given}
        if len(ends) == 2 and not ends["from"] < ends["below"]:
            raise TacitError("has an interval that is empty", column=column, fix=FIX)
        return FrozenDict(ends)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if not given:
            raise TacitError("has a list without a value", column=column, fix=FIX)
        return tuple(_scalar(column, one) for one in given)
    return _scalar(column, given)


def _scalar(column: str, given: object) -> Any:
    if isinstance(given, str | bool | dt.date) or number(given):
        return given.isoformat() if isinstance(given, dt.date) else given
    raise TacitError(f"has a condition that is {typed(given)}", column=column, fix=FIX)


def fitting(release: Release, column: str, condition: Condition) -> np.ndarray:
    """The records whose value meets the condition; each different value is looked at once. O(n).

    A condition that no record meets is an error: a misspelt value would hide nothing, and nobody would know.
    """
    codes = release.codes(column)
    values = codes.dictionary.to_list()
    ask = _asked(column, condition, release.types[column])
    meets = np.array([_meets(value, ask) for value in values] + [False], dtype=bool)
    found: np.ndarray = meets[codes.codes]
    if not found.any():
        raise TacitError(
            "has no value that meets the condition on it",
            column=column,
            fix="check its spelling, or leave the rule out",
        )
    return found


def _meets(value: Any, ask: Condition) -> bool:
    if isinstance(ask, Mapping):
        return ("from" not in ask or value >= ask["from"]) and ("below" not in ask or value < ask["below"])
    return value in ask


def _asked(column: str, condition: Condition, type_: str) -> Any:
    """The condition in values of the column's type."""
    if isinstance(condition, Mapping):
        if type_ in ("text", "boolean"):
            raise TacitError(f"has an interval and holds {type_}", column=column, fix="name the values instead")
        return {end: _as(column, one, type_) for end, one in condition.items()}
    listed = condition if isinstance(condition, tuple) else (condition,)
    return tuple(_as(column, one, type_) for one in listed)


def _as(column: str, value: Any, type_: str) -> Any:
    fits = {
        "text": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": number(value),
        "number": number(value),
    }.get(type_, isinstance(value, str))
    if fits and type_ in ("date", "datetime"):
        try:
            return (dt.date if type_ == "date" else dt.datetime).fromisoformat(value)
        except ValueError:
            fits = False
    if not fits:
        raise TacitError(
            f"holds {type_}, and the condition is {typed(value)}", column=column, fix="give a value of its type"
        )
    return value


def expression(column: str, condition: Condition, type_: str) -> pl.Expr:
    """The condition for Polars: another way than :func:`fitting`, for the check afterwards; missing does not meet it."""
    import polars as pl

    ask, held = _asked(column, condition, type_), pl.col(column)
    if not isinstance(ask, Mapping):
        return held.is_in(list(ask)).fill_null(False)
    whole = pl.lit(True)
    if "from" in ask:
        whole = whole & (held >= ask["from"])
    if "below" in ask:
        whole = whole & (held < ask["below"])
    return whole.fill_null(False)


def fitting_values(condition: Condition) -> str:
    """The condition as text, for internal pages."""
    if isinstance(condition, Mapping):
        return f"[{condition.get('from', '')}..{condition.get('below', '')})"
    return " or ".join(map(str, condition)) if isinstance(condition, tuple) else str(condition)
