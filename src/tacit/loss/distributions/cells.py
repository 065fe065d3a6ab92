"""The cells of contingency tables in both files: which tables are taken, and how often each cell occurs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod

import numpy as np
import polars as pl

from ...errors import TacitError, format_value
from ...seed import DEFAULT_SEED, make_generator
from .codings import Coding

FEW_CELLS = 1 << 16
"""Tables up to this size, or up to the number of records, are counted in an array; larger ones by the cells that occur."""


def checked_limit(limit: int) -> None:
    """Refuses a number of tables that is none."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise TacitError(
            f"limit={format_value(limit)} tables cannot be counted",
            code="invalid_parameter",
            parameter="limit",
            fix="give a whole number from 1 on, e.g. 300",
        )


def tables_of(columns: int, order: int, limit: int) -> list[tuple[int, ...]]:
    """The tables of ``order`` of the columns 0, 1, …: all of them, or ``limit`` drawn with a fixed seed, so that any two
    releases of a file are compared by the same tables.

    >>> tables_of(4, 3, 10)
    [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    >>> len(set(tables_of(1000, 3, 5)))
    5
    """
    every = comb(columns, order)
    if every <= limit:
        return list(combinations(range(columns), order))
    drawn = np.sort(make_generator(DEFAULT_SEED).choice(every, limit, replace=False))
    return [_nth_table(int(place), columns, order) for place in drawn]


def _nth_table(place: int, columns: int, order: int) -> tuple[int, ...]:
    """The table at a place of the list of all, which may be too long to be made."""
    found: list[int] = []
    first = 0
    for more in range(order - 1, -1, -1):
        while place >= (starting_here := comb(columns - first - 1, more)):
            place -= starting_here
            first += 1
        found.append(first)
        first += 1
    return tuple(found)


def cell_counts(table: Sequence[Coding]) -> tuple[np.ndarray, np.ndarray]:
    """How often the original and the masked file have each cell; in an order that depends on neither's rows."""
    shape = [one.count for one in table]
    rows = len(table[0].before) + len(table[0].after)
    if prod(shape) <= max(FEW_CELLS, rows):
        return _count_cells(shape, [one.before for one in table]), _count_cells(shape, [one.after for one in table])
    masked = np.repeat([False, True], [len(table[0].before), len(table[0].after)])
    codes = {str(place): np.concatenate([one.before, one.after]) for place, one in enumerate(table)}
    cells = pl.DataFrame({**codes, "masked": masked}).group_by(list(codes)).agg(pl.len(), pl.col("masked").sum())
    cells = cells.sort(list(codes))
    after = cells["masked"].to_numpy().astype(np.int64)
    return cells["len"].to_numpy().astype(np.int64) - after, after


def _count_cells(shape: list[int], codes: list[np.ndarray]) -> np.ndarray:
    place = codes[0].astype(np.int64)
    for count, code in zip(shape[1:], codes[1:], strict=True):
        place = place * count + code
    return np.bincount(place, minlength=prod(shape))
