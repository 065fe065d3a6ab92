"""What the kernels are told of a family of distances, and of the two sides that it compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .nearest import Costs


WEIGHTED, ORDERED, BILINEAR, CHOQUET, MOEBIUS = range(5)
"""Terms: the differences; those sorted; their products; the steps between them; the smallest of each set of columns."""


class Form(NamedTuple):
    """How terms come from differences.

    Of ``MOEBIUS``, term t is the smaller of term ``parent[t]`` (−1: none) and of the difference in column ``last[t]``.
    """

    code: int
    parent: np.ndarray
    last: np.ndarray


class QueryPoints(NamedTuple):
    """Seekers (row by row) and places (column by column), and what a difference of theirs is (``squared``: of numbers)."""

    seekers: np.ndarray
    places: np.ndarray
    kind: np.ndarray
    weight: np.ndarray
    missing: np.ndarray
    both: np.ndarray
    gaps: np.ndarray
    squared: bool


def form_of(code: int, sets: np.ndarray) -> Form:
    """The form of a family; ``sets`` are the columns of each term as bits, smaller sets first (``MOEBIUS`` alone).

    >>> form_of(MOEBIUS, np.array([0b01, 0b10, 0b11])).parent.tolist()
    [-1, -1, 0]
    """
    last = np.array([int(one).bit_length() - 1 for one in sets], dtype=np.int64)
    place = {int(one): number for number, one in enumerate(sets)}
    rest = [int(one) & ~(1 << int(bit)) for one, bit in zip(sets, last, strict=True)]
    return Form(code, np.array([place[one] if one else -1 for one in rest], dtype=np.int64), last)


def sides_of(seekers: np.ndarray, places: np.ndarray, costs: Costs, *, squared: bool) -> QueryPoints:
    """Both sides as the kernels read them; O((n + m)·d) time and memory.

    Squared differences are the costs of the columns, the others their roots, those of numbers with the sign of
    x − y.
    """
    gaps = np.isnan(seekers).any(0) | np.isnan(places).any(0)
    weight, missing, both = (
        np.ascontiguousarray(part if squared else np.sqrt(part), dtype=np.float64)
        for part in (costs.weight, costs.missing, costs.both)
    )
    rows, columns = np.ascontiguousarray(seekers, dtype=np.float64), np.ascontiguousarray(places.T, dtype=np.float64)
    kind = np.ascontiguousarray(costs.kind, dtype=np.int64)
    return QueryPoints(rows, columns, kind, weight, missing, both, gaps, squared)
