"""For whom a predicate holds: rows by value, so that a rare condition is looked up and only its rows are tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

Allowed: TypeAlias = tuple[int, int] | np.ndarray
"""The codes that a condition allows: those from the first number up to but not the second, or the ones listed."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnIndex:
    """A column's ``codes``, with the ``rows`` of code c from ``start[c]`` to ``start[c+1]``."""

    codes: np.ndarray
    rows: np.ndarray
    start: np.ndarray

    def count(self, allowed: Allowed) -> int:
        """How many rows have one of the codes."""
        if isinstance(allowed, tuple):
            return int(self.start[allowed[1]] - self.start[allowed[0]])
        return int((self.start[allowed + 1] - self.start[allowed]).sum())

    def rows_with(self, allowed: Allowed) -> np.ndarray:
        """The rows that have one of the codes."""
        if isinstance(allowed, tuple):
            return self.rows[self.start[allowed[0]] : self.start[allowed[1]]]
        parts = [self.rows[self.start[code] : self.start[code + 1]] for code in allowed]
        return np.concatenate([self.rows[:0], *parts])

    def filter_rows(self, rows: np.ndarray, allowed: Allowed) -> np.ndarray:
        """Those of the rows that have one of the codes."""
        codes = self.codes[rows]
        plain = isinstance(allowed, tuple)
        has = (codes >= allowed[0]) & (codes < allowed[1]) if plain else np.isin(codes, allowed)
        found: np.ndarray = rows[has]
        return found


def index_column(codes: np.ndarray, count: int) -> ColumnIndex:
    """The index of a column with ``count`` codes; a row with a code beyond them, or below 0, has no value. O(n log n)."""
    whole = codes.astype(np.int64)
    order = np.argsort(whole, kind="stable")
    start = np.searchsorted(whole[order], np.arange(count + 1), side="left")
    return ColumnIndex(whole, order, start)


def match_predicates(
    columns: Sequence[ColumnIndex], predicates: Iterable[Sequence[tuple[int, Allowed]]]
) -> tuple[np.ndarray, np.ndarray]:
    """For how many rows each predicate holds, and for which, when it is one (else −1).

    A predicate is a list of conditions (number of the column, allowed codes). Costs for each the rows of its rarest
    condition.

    >>> zip_, sex = index_column(np.array([0, 0, 1]), 2), index_column(np.array([0, 1, 1]), 2)
    >>> counts, rows = match_predicates([zip_, sex], [[(0, (0, 1)), (1, (1, 2))], [(1, (1, 2))]])
    >>> counts.tolist(), rows.tolist()
    ([1, 2], [1, -1])
    """
    counts, one = [], []
    for conditions in predicates:
        ordered = sorted(conditions, key=lambda condition: columns[condition[0]].count(condition[1]))
        rows = columns[ordered[0][0]].rows_with(ordered[0][1])
        for column, allowed in ordered[1:]:
            if not len(rows):
                break
            rows = columns[column].filter_rows(rows, allowed)
        counts.append(len(rows))
        one.append(int(rows[0]) if len(rows) == 1 else -1)
    return np.array(counts, dtype=np.int64), np.array(one, dtype=np.int64)
