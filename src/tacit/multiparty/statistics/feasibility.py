r"""What sums over agreed columns can be: figures beyond it are refused before anybody uses them.

Every party subtracts its own numbers from an opened sum and checks the rest, which the others brought together. For n rows of a
column with values from l to h, in units:

.. math:: n \le \text{parties} \cdot \text{rows}, \quad n l \le \sum x \le n h, \quad
          (\sum x)^2 \le n \sum x^2, \quad \sum (x - l)(h - x) \ge 0, \quad |r_{xy}| \le 1.

All in whole numbers, exactly. They bound what the others brought *together*: one party may still use up what all others left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

from ..faults import Contradiction
from .column import NumericColumn

Check = Callable[[list[int], int], None]
"""Raises :class:`InfeasibleSums` for sums that so many parties cannot have brought together."""


class InfeasibleSums(ValueError):
    """Sums that the agreed bounds and rows do not allow; the text says which, without a number."""


def check_others(sums: Sequence[int], own: Sequence[int], others: int, check: Check, *, step: str) -> None:
    """Raise :class:`Contradiction` unless what the others brought together is within the agreed bounds."""
    try:
        check([total - mine for total, mine in zip(sums, own, strict=True)], others)
    except InfeasibleSums as problem:
        raise Contradiction.seen_at(step, f"{problem}, so some party did not keep to them") from None


def check_rows(rows: int, most: int) -> None:
    """So many rows may be brought together."""
    check_count(rows, most, "the number of rows is beyond the agreed rows")


def check_count(count: int, most: int, what: str) -> None:
    """A count from 0 to ``most``."""
    if not 0 <= count <= most:
        raise InfeasibleSums(what)


def check_total(column: NumericColumn, rows: int, total: int) -> None:
    """A sum of so many values within the bounds: the mean is within them.

    >>> age = NumericColumn(name="age", low=0, high=120)
    >>> check_total(age, 3, 360)
    >>> check_total(age, 3, 361)
    Traceback (most recent call last):
    ...
    tacit.multiparty.statistics.feasibility.InfeasibleSums: the sum of column 'age' is beyond its agreed bounds
    """
    low, high = column.ends
    if not rows * low <= total <= rows * high:
        raise InfeasibleSums(f"the sum of column {column.name!r} is beyond its agreed bounds")


def check_square(column: NumericColumn, rows: int, total: int, square: int) -> None:
    """A sum of squares that goes with the sum: no negative variance, and none beyond that of values at both bounds."""
    low, high = column.ends
    if rows * square < total * total or square < 0 or (low + high) * total - rows * low * high < square:
        raise InfeasibleSums(f"the variance of column {column.name!r} is negative or beyond its agreed bounds")


def check_moments(columns: Sequence[NumericColumn], rows: int, totals: Sequence[int], products: Sequence[int]) -> None:
    """Sums, and sums of products of all pairs in the order of ``pairs``: means within bounds, variances, |r| ≤ 1."""
    places = range(len(columns))
    product = dict(zip(combinations_with_replacement(places, 2), products, strict=True))
    for a in places:
        check_total(columns[a], rows, totals[a])
        check_square(columns[a], rows, totals[a], product[a, a])
    for a, b in product:
        centred = rows * product[a, b] - totals[a] * totals[b]
        spread = [rows * product[c, c] - totals[c] ** 2 for c in (a, b)]
        most = rows * columns[a].max_size * columns[b].max_size
        if centred**2 > spread[0] * spread[1] or abs(product[a, b]) > most:
            names = f"{columns[a].name!r} and {columns[b].name!r}"
            raise InfeasibleSums(f"the covariance of columns {names} is beyond their variances")
