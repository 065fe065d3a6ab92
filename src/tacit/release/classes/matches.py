"""Match sets when a missing key matches anything: the wildcard counts behind k, ℓ and t under ``missing="any"``.

Two records match when they agree on every key that both have. Matching is not transitive, so there are no classes;
records with the same keys (missing in the same places) share one match set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from .arrays import ArrayClasses
from .statistic import ArrayStatistic

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from ..codes import Codes
    from .arrays import Distance

__all__ = ["Matches"]


class Matches:
    """The match sets of the exact classes of an in-memory release.

    The classes are split by which keys they lack. For two such parts A and B, the classes of A meet those of B that
    are equal on the keys both have: one grouping of A ∪ B on these keys. O(parts² · c) time for c classes, where
    parts is the number of different patterns of missing keys, usually a handful.
    """

    def __init__(self, keys: list[Codes], size: int, column: Callable[[str], Codes]) -> None:
        self._exact = ArrayClasses(keys, size, column)
        self._column = column
        first = np.zeros(self._exact.count, dtype=np.int64)
        first[self._exact.of_record] = np.arange(size)
        self._codes = np.column_stack([key.codes[first] for key in keys])
        lacks = [key.codes[first] == (-1 if key.missing is None else key.missing) for key in keys]
        self._lacks = np.column_stack(lacks)

    @property
    def of_record(self) -> np.ndarray:
        """The exact class of each record."""
        return self._exact.of_record

    @property
    def count(self) -> int:
        """How many exact classes there are."""
        return self._exact.count

    def _meetings(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]]:
        """For each pair of parts: their classes, the group of each on the common keys, and the number of groups."""
        from ...kernels.groups import group_rows

        patterns, of_class = np.unique(self._lacks, axis=0, return_inverse=True)
        parts = [np.flatnonzero(of_class.ravel() == place) for place in range(len(patterns))]
        spans = [int(column.max(initial=0)) + 1 for column in self._codes.T]
        for a, here in enumerate(parts):
            for b, there in enumerate(parts):
                common = np.flatnonzero(~patterns[a] & ~patterns[b])
                both = np.concatenate([here, there])
                columns = [np.ascontiguousarray(self._codes[both, j]) for j in common]
                groups, count = (
                    group_rows(columns, [spans[j] for j in common]) if columns else (np.zeros(len(both), int), 1)
                )
                yield here, there, groups[: len(here)], groups[len(here) :], count

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many records match those of each class, themselves included."""
        matched = np.zeros(self.count, dtype=np.int64)
        for here, there, group_here, group_there, count in self._meetings():
            total = np.bincount(group_there, weights=self._exact.sizes[there], minlength=count)
            matched[here] += total[group_here].astype(np.int64)
        return matched

    def size(self) -> ArrayStatistic:
        """The size of each match set."""
        return self._statistic(self.sizes)

    def distinct(self, column: str) -> ArrayStatistic:
        """How many values of the column occur in each match set; a missing value counts for none."""
        counts = self._values(column)
        return self._statistic(np.diff(counts.indptr))

    def distance(self, column: str, form: Distance) -> ArrayStatistic:
        """How far the column's distribution in each match set lies from that of the file, over the known values."""
        counts = self._values(column)
        known = np.asarray(counts.sum(axis=1)).ravel()
        whole = np.bincount(self._column(column).codes, minlength=counts.shape[1])[: counts.shape[1]].astype(float)
        whole /= max(1.0, whole.sum())
        share = counts.multiply(1.0 / np.maximum(known, 1.0)[:, None]).tocsr()
        if form == "variational":
            share.data = np.abs(share.data - whole[share.indices]) - whole[share.indices]
            distance = 0.5 * (np.asarray(share.sum(axis=1)).ravel() + 1.0)
        else:
            distance = np.array([_ordered(share, row, whole) for row in range(self.count)])
        return self._statistic(np.where(known > 0, distance, 0.0))

    def _values(self, column: str) -> csr_matrix:
        """Counts of the known values of the column per match set: match sets × values, sparse."""
        from scipy.sparse import csr_matrix

        codes = self._column(column)
        if not len(codes.dictionary):
            raise TacitError("has no value at all", column=column, fix="leave it out of the confidential columns")
        exact_class, value, number = self._exact.histogram(column)
        known = value < len(codes.dictionary)
        shape = (self.count, len(codes.dictionary))
        exact = csr_matrix((number[known], (exact_class[known], value[known])), shape=shape)
        total = csr_matrix(shape, dtype=np.int64)
        for here, there, group_here, group_there, count in self._meetings():
            ones = np.ones(len(there), dtype=np.int64)
            gather = csr_matrix((ones, (group_there, there)), shape=(count, self.count))
            spread = csr_matrix((np.ones(len(here), dtype=np.int64), (here, group_here)), shape=(self.count, count))
            total = total + spread @ (gather @ exact)
        return csr_matrix(total)

    def _statistic(self, per_class: np.ndarray) -> ArrayStatistic:
        return ArrayStatistic(per_class, self._exact.sizes, self._exact.of_record)


def _ordered(share: csr_matrix, row: int, whole: np.ndarray) -> float:
    """1/(m−1) Σ |P_i − Q_i| of one match set; O(m)."""
    cells = slice(share.indptr[row], share.indptr[row + 1])
    apart = -whole
    np.add.at(apart, share.indices[cells], share.data[cells])
    return float(np.abs(np.cumsum(apart)).sum() / max(1, len(whole) - 1))
