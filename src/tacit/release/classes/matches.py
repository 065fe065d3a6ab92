"""Match sets when a missing key matches anything: the wildcard counts behind k, ℓ and t under ``missing="any"``.

Two records match when they agree on every key that both have. Matching is not transitive, so there are no classes;
records with the same keys (missing in the same places) share one match set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from .arrays import ArrayClasses
from .spread import WHOLE_NUMBERS, number_of
from .statistic import ArrayStatistic

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from ..codes import Codes
    from .spread import Spread


class Matches:
    """The match sets of the exact classes of an in-memory release.

    The classes are split by which keys they lack. For two such parts A and B, the classes of A meet those of B that
    are equal on the keys both have: one grouping of A ∪ B on these keys. O(parts² · c) time for c classes, where
    parts is the number of different patterns of missing keys, usually a handful.
    """

    def __init__(self, keys: list[Codes], size: int, column: Callable[[str], Codes]) -> None:
        self._exact = ArrayClasses(keys, size, column)
        self._column = column
        self._keys = keys

    @property
    def of_record(self) -> np.ndarray:
        """The exact class of each record."""
        return self._exact.of_record

    @property
    def count(self) -> int:
        """How many exact classes there are."""
        return self._exact.count

    def _pair_parts(self, keys: list[Codes]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]]:
        """For each pair of parts: their classes, the group of each on the common keys, and the number of groups."""
        from ...kernels.groups import group_rows

        codes = np.column_stack([key.codes[self._exact.first] for key in keys])
        lacks = [codes[:, j] == (-1 if key.missing is None else key.missing) for j, key in enumerate(keys)]
        of_class, count = group_rows([lack.astype(np.int32) for lack in lacks], [2] * len(lacks))
        parts = [np.flatnonzero(of_class == place) for place in range(count)]
        patterns = np.column_stack(lacks)[[part[0] for part in parts]]
        spans = [key.count for key in keys]
        for a, here in enumerate(parts):
            for b, there in enumerate(parts):
                common = np.flatnonzero(~patterns[a] & ~patterns[b])
                both = np.concatenate([here, there])
                columns = [np.ascontiguousarray(codes[both, j]) for j in common]
                groups, count = (
                    group_rows(columns, [spans[j] for j in common]) if columns else (np.zeros(len(both), int), 1)
                )
                yield here, there, groups[: len(here)], groups[len(here) :], count

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many records match those of each class, themselves included."""
        return self._count_matches(self._keys)

    def _count_matches(self, keys: list[Codes]) -> np.ndarray:
        matched = np.zeros(self.count, dtype=np.int64)
        for here, there, group_here, group_there, count in self._pair_parts(keys):
            total = np.bincount(group_there, weights=self._exact.sizes[there], minlength=count)
            matched[here] += total[group_here].astype(np.int64)
        return matched

    def totals(self, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights in the match set of each class."""
        exact, matched = self._exact.totals(weights), np.zeros(self.count)
        for here, there, group_here, group_there, count in self._pair_parts(self._keys):
            matched[here] += np.bincount(group_there, weights=exact[there], minlength=count)[group_here]
        return matched

    @cached_property
    def has_missing_key(self) -> np.ndarray:
        """Which records lack a key."""
        lacks = [key.codes == (-1 if key.missing is None else key.missing) for key in self._keys]
        return np.asarray(np.logical_or.reduce(lacks))

    def superset_totals(self, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights over the records that have all known keys of each class, and perhaps more."""
        exact, inside = self._exact.totals(weights), np.zeros(self.count)
        known = np.column_stack(
            [key.codes[self._exact.first] != (-1 if key.missing is None else key.missing) for key in self._keys]
        )
        for here, there, group_here, group_there, count in self._pair_parts(self._keys):
            if (known[there[0]] | ~known[here[0]]).all():
                inside[here] += np.bincount(group_there, weights=exact[there], minlength=count)[group_here]
        return inside

    def size(self) -> ArrayStatistic:
        """The size of each match set."""
        return self._make_statistic(self.sizes)

    def sizes_on(self, subsets: Sequence[Sequence[str]]) -> ArrayStatistic:
        """How many records match each class on some of its keys: the fewest over the subsets."""
        matched = [self._count_matches([self._column(name) for name in subset]) for subset in subsets]
        return self._make_statistic(np.minimum.reduce(matched))

    def spread(self, column: str, kind: Spread, extra: float = 0.0, tree: np.ndarray | None = None) -> ArrayStatistic:
        """How the known values of the column spread within each match set: a number of the kind."""
        from ...kernels.class_spread import whole_of
        from ...kernels.diversity import spreads_of_counts

        counts = self._value_counts(column)
        whole = np.bincount(self._column(column).codes, minlength=counts.shape[1])[: counts.shape[1]]
        cells = (part.astype(np.int64) for part in (counts.indptr, counts.indices, counts.data))
        numbers = spreads_of_counts(*cells, number_of(kind), float(extra), whole_of(whole, tree))
        return self._make_statistic(numbers.astype(np.int64) if kind in WHOLE_NUMBERS else numbers)

    def histogram(self, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The counts of the column's known values per match set, sparse: class, code and count of each pair that occurs."""
        counts = self._value_counts(column)
        counts.sort_indices()
        return np.repeat(np.arange(self.count), np.diff(counts.indptr)), counts.indices.astype(np.int64), counts.data

    def _value_counts(self, column: str) -> csr_matrix:
        """Counts of the known values of the column per match set: match sets × values, sparse."""
        from scipy.sparse import csr_matrix

        codes = self._column(column)
        if not len(codes.dictionary):
            raise TacitError(
                "has no value at all",
                code="missing_values",
                column=column,
                fix="leave it out of the confidential columns",
            )
        exact_class, value, number = self._exact.histogram(column)
        known = value < len(codes.dictionary)
        shape = (self.count, len(codes.dictionary))
        exact = csr_matrix((number[known], (exact_class[known], value[known])), shape=shape)
        total = csr_matrix(shape, dtype=np.int64)
        for here, there, group_here, group_there, count in self._pair_parts(self._keys):
            ones = np.ones(len(there), dtype=np.int64)
            gather = csr_matrix((ones, (group_there, there)), shape=(count, self.count))
            spread = csr_matrix((np.ones(len(here), dtype=np.int64), (here, group_here)), shape=(self.count, count))
            total = total + spread @ (gather @ exact)
        return csr_matrix(total)

    def _make_statistic(self, per_class: np.ndarray) -> ArrayStatistic:
        return ArrayStatistic(per_class, self._exact.sizes, self._exact.of_record)
