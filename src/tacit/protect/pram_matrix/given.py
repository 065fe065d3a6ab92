"""A transition matrix as the user types it: ``{"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.2, "M": 0.8}}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, typed
from ...frozen import FrozenDict
from ..parameters import number
from .categories import written

if TYPE_CHECKING:
    from .categories import Categories

__all__ = ["Rows", "checked_matrices", "matrix_for"]

Rows = Mapping[str, Mapping[str, float]]
TOLERANCE = 1e-9
"""So far may a row that was typed be from one."""
EXAMPLE = "e.g. matrix={'sex': {'F': {'F': 0.9, 'M': 0.1}, 'M': {'F': 0.1, 'M': 0.9}}}"


def checked_matrices(given: object, columns: Sequence[str]) -> FrozenDict[str, Rows]:
    """A matrix for every column: entries are probabilities, and every row sums to one."""
    if not isinstance(given, Mapping):
        raise TacitError(f"matrix={typed(given)} is not given by column", fix=EXAMPLE)
    for column in columns:
        if column not in given:
            raise TacitError("has no matrix", column=column, fix=f"by column, then from → to: {EXAMPLE}; or use stay=")
    for column in given:
        if column not in columns:
            raise TacitError("has a matrix and is not among the columns", column=str(column), fix="name it there")
    return FrozenDict({column: _checked_rows(column, given[column]) for column in columns})


def _checked_rows(column: str, given: object) -> Rows:
    if not isinstance(given, Mapping) or not given:
        raise TacitError("has a matrix without rows", column=column, fix=EXAMPLE)
    found: dict[str, FrozenDict[str, float]] = {}
    for category, row in given.items():
        if not isinstance(row, Mapping) or not all(number(entry) for entry in row.values()):
            raise TacitError(f"has a row {category!r} that is no mapping to numbers", column=column, fix=EXAMPLE)
        wrong = next((to for to, entry in row.items() if entry < 0), None)
        if wrong is not None:
            raise TacitError(
                f"goes from {category!r} to {wrong!r} with the probability {row[wrong]!r}",
                column=column,
                fix="probabilities are not negative",
            )
        total = sum(row.values())
        if abs(total - 1) > TOLERANCE:
            raise TacitError(
                f"has a row {category!r} that sums to {total:.10g}", column=column, fix="make every row sum to 1"
            )
        found[written(category)] = FrozenDict({written(to): float(entry) for to, entry in row.items()})
    return FrozenDict(found)


def matrix_for(categories: Categories, rows: Rows) -> np.ndarray:
    """The matrix in the order of the categories; refuses what one of the two has and the other lacks.

    Categories that the user typed are shown; those that only the data have are counted.
    """
    known = {name: place for place, name in enumerate(categories.written)}
    strange = next((name for row in ({**rows}, *rows.values()) for name in row if name not in known), None)
    if strange is not None:
        raise TacitError(
            f"has no value {strange!r}, which the matrix names",
            column=categories.column,
            fix="write categories as they stand in the file, and leave out those that do not occur",
        )
    lacking = sum(name not in rows for name in known)
    if lacking:
        raise TacitError(
            f"has {lacking} categories without a row in the matrix",
            column=categories.column,
            fix="give each category a row; {'X': {'X': 1}} leaves it as it is",
        )
    found = np.zeros((len(known), len(known)))
    for name, row in rows.items():
        for to, entry in row.items():
            found[known[name], known[to]] = entry
    found /= found.sum(axis=1, keepdims=True)
    return found
