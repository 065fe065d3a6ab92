"""What the published figures leave open: the unknown cells, the sums that bind them, and their bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..published import Published

NOISE = 1e-9
"""The share of the largest range by which the ends that a solver finds may be wrong, in binary fractions."""
LOST = 1e-11
"""The share of the figures of an equation that sums of binary fractions may lose."""
LARGEST = 2.0**44
"""Figures of more units than this are not counted in whole units: products of them would not be exact."""
FINEST = 6
"""Figures with more decimals than this are taken as binary fractions, not as exact decimal numbers."""


class Contradiction(Exception):
    """An equation that no choice of the unknown cells meets, and by how much it misses (in the units of the table)."""

    def __init__(self, row: int, miss: float) -> None:
        super().__init__(row, miss)
        self.row, self.miss = row, miss


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class System:
    r"""All tables that agree with the publication: :math:`\{x : A x = b,\ l \le x \le h\}` over the unknown cells.

    Known cells have moved into b. Figures are held in units of the last decimal (``per`` units make 1): where all of them are
    decimal numbers and the coefficients ±1 (``exact``), every sum, difference and comparison of them is then a calculation
    with whole numbers below 2⁵³, so nothing is lost to rounding. Elsewhere an equation may miss by ``slack`` and a cell be
    wrong by ``noise``, by the size of the published figures that went into it. ``rows`` and ``cells`` keep the numbers of
    the whole table.
    """

    cells: np.ndarray
    rows: np.ndarray
    matrix: Any
    constants: np.ndarray
    low: np.ndarray
    high: np.ndarray
    per: float
    exact: bool
    slack: np.ndarray
    noise: np.ndarray

    @classmethod
    def of(cls, published: Published) -> System:
        """The whole table as a system, in units; nothing is left out yet."""
        matrix, constants = published.equations.matrix, published.equations.constants
        per = _units_per_one(published)
        exact = per is not None and bool((np.abs(matrix.data) == 1).all())
        low, high, right = published.low, published.high, constants
        if per is not None and exact:
            low, high, right = (np.rint(figures * per) for figures in (low, high, right))
        sizes = np.maximum(_finite_sizes(low), _finite_sizes(high))
        least = min(1.0, float(sizes.max(initial=0.0)))
        slack = LOST * (0.0 if exact else 1.0) * (least + abs(matrix) @ sizes + np.abs(right))
        return cls(
            cells=np.arange(len(low)),
            rows=np.arange(len(constants)),
            matrix=matrix,
            constants=right,
            low=low,
            high=high,
            per=per if per is not None and exact else 1.0,
            exact=exact,
            slack=slack,
            noise=_largest_slack(matrix, slack),
        )

    def without_known(self) -> System:
        """The same without the cells that are known (to within arithmetic) and the equations that bind no other."""
        known = self.high - self.low <= self.noise
        if not known.any():
            return self
        values = np.zeros(len(known))
        values[known] = self.low[known] + (self.high[known] - self.low[known]) / 2
        constants = self.constants - self.matrix @ values
        open_columns = np.flatnonzero(~known)
        matrix = self.matrix[:, open_columns]
        bound = np.diff(matrix.indptr) > 0
        misses = np.where(bound, 0.0, np.abs(constants) - self.slack)
        if (misses > 0).any():
            worst = int(misses.argmax())
            raise Contradiction(int(self.rows[worst]), float(abs(constants[worst])) / self.per)
        kept = np.flatnonzero(bound)
        return replace(
            self,
            cells=self.cells[open_columns],
            rows=self.rows[kept],
            matrix=matrix[kept],
            constants=constants[kept],
            low=self.low[open_columns],
            high=self.high[open_columns],
            slack=self.slack[kept],
            noise=self.noise[open_columns],
        )

    def components(self) -> list[System]:
        """The parts that share no equation; in the order of their first cell. O(entries of the matrix)."""
        count_rows, count = self.matrix.shape
        joined = sp.bmat([[None, self.matrix.T], [self.matrix, None]], format="csr") if count_rows else None
        if joined is None:
            return [self._select_part(np.array([place]), np.zeros(0, dtype=np.int64)) for place in range(count)]
        parts, which = sp.csgraph.connected_components(joined, directed=False)
        columns, rows = which[:count], which[count:]
        by_column, by_row = np.argsort(columns, kind="stable"), np.argsort(rows, kind="stable")
        ends = np.cumsum(np.bincount(columns, minlength=parts)), np.cumsum(np.bincount(rows, minlength=parts))
        pieces = zip(np.split(by_column, ends[0][:-1]), np.split(by_row, ends[1][:-1]), strict=True)
        return [self._select_part(column, row) for column, row in pieces]

    def _select_part(self, columns: np.ndarray, rows: np.ndarray) -> System:
        return replace(
            self,
            cells=self.cells[columns],
            rows=self.rows[rows],
            matrix=self.matrix[rows][:, columns],
            constants=self.constants[rows],
            low=self.low[columns],
            high=self.high[columns],
            slack=self.slack[rows],
            noise=self.noise[columns],
        )

    @property
    def is_forest(self) -> bool:
        """Whether cells and equations form no circle; of a connected part: a tree."""
        return int(self.matrix.nnz) == len(self.cells) + len(self.rows) - 1

    def with_known(self, places: np.ndarray, values: np.ndarray) -> System:
        """The same for somebody who knows some of the cells."""
        low, high = self.low.copy(), self.high.copy()
        low[places] = high[places] = np.rint(values * self.per) if self.exact else values
        return replace(self, low=low, high=high)


def _finite_sizes(figures: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(figures) & (np.abs(figures) < LARGEST**2), np.abs(figures), 0.0)


def _units_per_one(published: Published) -> float | None:
    """How many units make 1: the power of ten that makes all figures whole, None when there is none.

    A bound that is far beyond all figures may be left out of this, a known figure may not.
    """
    known = published.low == published.high
    fixed = np.concatenate([published.low[known], published.equations.constants])
    figures = np.concatenate([fixed, published.low[~known], published.high[~known]])
    figures = figures[np.isfinite(figures) & (np.abs(figures) < LARGEST)]
    largest = float(np.abs(figures).max(initial=0.0))
    if np.abs(fixed).max(initial=0.0) >= LARGEST:
        return None
    for decimals in range(FINEST + 1):
        units, most = figures * 10.0**decimals, largest * 10.0**decimals
        if most > LARGEST:
            return None
        # A small figure is not taken for 0 unless it is what a sum of the largest ones may have lost.
        near = 1e-5 * np.minimum(1.0, np.abs(units)) + 1e-15 * (np.abs(units) + most)
        if (np.abs(units - np.rint(units)) <= near).all():
            return 10.0**decimals
    return None


def _largest_slack(matrix: Any, slack: np.ndarray) -> np.ndarray:
    """For each cell the largest slack of its equations."""
    found = np.zeros(matrix.shape[1])
    np.maximum.at(found, matrix.indices, np.repeat(slack, np.diff(matrix.indptr)))
    return found
