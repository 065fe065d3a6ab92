"""Sets of columns whose counts are to be kept together, as typed."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TacitError, check_columns, format_value, suggest_alternative


def checked_sets(given: object, columns: Sequence[str] | None = None) -> tuple[tuple[str, ...], ...] | None:
    """Sets of two or more column names each; None where the method is to choose."""
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not given or not all(isinstance(one, list | tuple) for one in given):
        raise TacitError(
            f"sets={format_value(given)} are no sets of columns",
            code="wrong_type",
            parameter="sets",
            fix="e.g. sets=[['age', 'sex'], ['sex', 'income']]",
        )
    found = tuple(check_columns(one) for one in given)
    for one in found:
        if len(one) < 2:
            raise TacitError(
                f"a set of {len(one)} columns joins nothing",
                code="invalid_parameter",
                fix="name two or more; single columns are counted anyway",
            )
        for column in one:
            if columns is not None and column not in columns:
                raise TacitError(
                    "is in a set and not among the columns",
                    code="column_not_chosen",
                    column=column,
                    fix=suggest_alternative(column, columns),
                )
    return found


def sets_of(given: Sequence[Sequence[str]], columns: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The sets by the places of their columns."""
    for one in given:
        check_columns(one, columns)
    return tuple(tuple(columns.index(column) for column in one) for one in given)
