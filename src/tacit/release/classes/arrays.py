"""Classes in memory: one pass gives every record its class; everything else is read off it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .spread import WHOLE_NUMBERS, number_of
from .statistic import ArrayStatistic

if TYPE_CHECKING:
    from ..codes import Codes
    from .spread import Spread


class ArrayClasses:
    """Exact equivalence classes of an in-memory release; a missing key is a category of its own.

    A missing value of another column is one too, unless ``known_only``: then it counts for nothing (``missing="any"``).

    ``of_record`` gives the class of each record, ``sizes`` the records of each class. Building costs O(n·m) time and
    O(n) memory for m columns; each confidential column adds one sweep of O(n).
    """

    def __init__(
        self, keys: list[Codes], size: int, column: Callable[[str], Codes], *, known_only: bool = False
    ) -> None:
        from ...kernels.groups import group_rows

        self._column, self._known_only = column, known_only
        self._diversity: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        if keys:
            self.of_record, self.count = group_rows([key.codes for key in keys], [key.count for key in keys])
        else:
            self.of_record, self.count = np.zeros(size, dtype=np.int32), min(1, size)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Records in each class."""
        return np.bincount(self.of_record, minlength=self.count)

    @cached_property
    def _class_members(self) -> tuple[np.ndarray, np.ndarray]:
        from ...kernels.groups import group_members

        start, rows = group_members(self.of_record, self.count)
        return start, rows

    def size(self) -> ArrayStatistic:
        """The size of each class."""
        return self._make_statistic(self.sizes)

    def sizes_on(self, subsets: Sequence[Sequence[str]]) -> ArrayStatistic:
        """How many records share some of the keys of each class: the fewest over the subsets; O(subsets · classes)."""
        from ...kernels.groups import group_rows

        first = self.first
        fewest = np.full(self.count, self.of_record.size)
        for subset in subsets:
            keys = [self._column(name) for name in subset]
            groups, count = group_rows([key.codes[first] for key in keys], [key.count for key in keys])
            shared = np.bincount(groups, weights=self.sizes, minlength=count).astype(np.int64)
            fewest = np.minimum(fewest, shared[groups])
        return self._make_statistic(fewest)

    @cached_property
    def first(self) -> np.ndarray:
        """A record of each class."""
        first = np.zeros(self.count, dtype=np.int64)
        first[self.of_record] = np.arange(self.of_record.size)
        return first

    def totals(self, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights in each class."""
        return np.bincount(self.of_record, weights=weights, minlength=self.count)

    def spread(self, column: str, kind: Spread, extra: float = 0.0, tree: np.ndarray | None = None) -> ArrayStatistic:
        """How the values of the column spread within each class: a number of the kind, one sweep over the records.

        ``extra`` and ``tree`` are what some kinds need (see :mod:`tacit.kernels.class_spread`).
        """
        if kind in ("distinct", "variational"):
            return self._make_statistic(self._distinct_and_variation(column)[kind == "variational"])
        from ...kernels.class_spread import whole_of
        from ...kernels.diversity import group_spreads

        start, rows, codes, count = self._class_layout(column)
        whole = whole_of(np.bincount(codes, minlength=count), tree, known=len(self._column(column).dictionary))
        numbers = group_spreads(start, rows, codes, number_of(kind), float(extra), whole)
        return self._make_statistic(numbers.astype(np.int64) if kind in WHOLE_NUMBERS else numbers)

    def histogram(self, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The column's value counts per class, sparse: class, code and count of each pair that occurs."""
        codes = self._column(column)
        pair = self.of_record.astype(np.int64) * codes.count + codes.codes
        found, counts = np.unique(pair, return_counts=True)
        return found // codes.count, found % codes.count, counts

    def _distinct_and_variation(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Distinct values and variational distance, which every report asks for, from one sweep."""
        from ...kernels.diversity import distinct_and_variational

        if column not in self._diversity:
            self._diversity[column] = distinct_and_variational(*self._class_layout(column))
        return self._diversity[column]

    def _class_layout(self, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """The members of each class, the column's codes and their number, without missing ones when they do not count."""
        from ...kernels.groups import group_members

        codes = self._column(column)
        if not (self._known_only and codes.has_missing):
            return (*self._class_members, codes.codes, codes.count)
        known = codes.codes < len(codes.dictionary)
        start, rows = group_members(self.of_record[known], self.count)
        return start, rows, codes.codes[known], len(codes.dictionary)

    def _make_statistic(self, per_class: np.ndarray) -> ArrayStatistic:
        return ArrayStatistic(per_class, self.sizes, self.of_record)
