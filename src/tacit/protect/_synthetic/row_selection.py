"""Which records of a release get new values: all, or those with chosen values in chosen columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, check_columns, format_value
from ...frozen import FrozenDict

if TYPE_CHECKING:
    from ...release.release import Release


Where = Mapping[str, Any]
"""Column → a value or several: the records that have one of them in every such column."""


def checked_where(given: object, columns: Sequence[str] | None) -> FrozenDict[str, tuple[Any, ...]]:
    """Column → values, as typed: a column that chooses the records is not made anew in them."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"where={format_value(given)} does not say which records",
            code="invalid_parameter",
            parameter="where",
            fix="e.g. where={'region': ['north', 'east']}",
        )
    found: dict[str, tuple[Any, ...]] = {}
    for column, said in given.items():
        values = tuple(said) if isinstance(said, list | tuple | set | frozenset) else (said,)
        plain = tuple(value.isoformat() if isinstance(value, date) else value for value in values)
        if not plain or not all(isinstance(value, str | int | float) for value in plain):
            raise TacitError(
                f"chooses records by {format_value(said)}",
                code="unsuitable_column",
                column=str(column),
                fix=f"give the values to choose: where={{{str(column)!r}: ['a', 'b']}}; dates as 'YYYY-MM-DD'",
            )
        if columns is not None and column in columns:
            raise TacitError(
                "chooses the records and is made anew",
                code="unsuitable_column",
                column=str(column),
                fix="leave it out of the columns: all the chosen records have the value that chose them",
            )
        found[str(column)] = plain
    return FrozenDict(found)


def chosen_rows(release: Release, where: Where) -> np.ndarray:
    """The numbers of the records that have one of the values in every column of ``where``; O(n) per column.

    A value that no record has is refused: there is nobody to learn from, and it is more likely a slip of the pen.
    """
    chosen = np.ones(release.size, dtype=bool)
    for column, values in where.items():
        check_columns(column, release.columns)
        codes = release.codes(column)
        number = {_as_typed(value): code for code, value in enumerate(codes.dictionary)}
        for value in values:
            if _as_typed(value) not in number:
                raise TacitError(
                    f"has no record with {format_value(value)}",
                    code="too_few_records",
                    column=column,
                    fix="check the spelling of the value, or its type",
                )
        chosen &= np.isin(codes.codes, [number[_as_typed(value)] for value in values])
    rows = np.flatnonzero(chosen)
    if not len(rows):
        raise TacitError(
            "no record has these values together", code="too_few_records", fix="choose by fewer columns, or more values"
        )
    return rows


def _as_typed(value: Any) -> Any:
    """A value as it is typed: dates as text."""
    return value.isoformat() if isinstance(value, date) else value
