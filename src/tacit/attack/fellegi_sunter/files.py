"""Two files as distinct rows side by side: what is counted, compared and linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .comparison import Comparison

if TYPE_CHECKING:
    from ...kernels.agreement_scan import Pairs


@dataclass(frozen=True, eq=False)
class Files:
    """The comparisons of two files with one row for records that look alike.

    ``low`` and ``high`` are the ends of each released row, ``value`` the intruder's rows, one column for each level;
    ``records`` and ``people`` how many records each row stands for; ``group_of`` and ``claim_of`` the row of every
    record. Only rows of the same block are paired (``blocks`` has its number for each row of the release and of the
    intruder); ``begin`` and ``end`` delimit those of each of the intruder's. Rows stand in the order of their values, so
    that nothing depends on the order of a file.
    """

    comparisons: tuple[Comparison, ...]
    low: np.ndarray
    high: np.ndarray
    value: np.ndarray
    group_of: np.ndarray
    claim_of: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    blocks: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def record_counts(self) -> np.ndarray:
        """How many released records each row stands for."""
        return np.bincount(self.group_of, minlength=len(self.low))

    @cached_property
    def people_counts(self) -> np.ndarray:
        """How many of the intruder's records each of its rows stands for."""
        return np.bincount(self.claim_of, minlength=len(self.value))

    @property
    def columns(self) -> np.ndarray:
        """Where the levels of each comparison begin, and the end."""
        return np.cumsum([0, *(len(one.levels) for one in self.comparisons)]).astype(np.int64)

    @property
    def state_counts(self) -> tuple[int, ...]:
        """How many outcomes each comparison has."""
        return tuple(one.state_count for one in self.comparisons)

    @cached_property
    def pair_count(self) -> int:
        """How many pairs of records are compared."""
        below = np.append(0, np.cumsum(self.record_counts))
        return int((below[self.end] - below[self.begin]) @ self.people_counts)

    @cached_property
    def row_pairs(self) -> int:
        """How many pairs of distinct rows are compared."""
        return int((self.end - self.begin).sum())

    def scan_pairs(self) -> Pairs:
        """The pairs as the scanning kernels take them."""
        from ...kernels.agreement_scan import Pairs

        full = np.array([not one.unknown for one in self.comparisons], dtype=bool)
        own = any(one.own for one in self.comparisons)
        low, high = np.ascontiguousarray(self.low.T), np.ascontiguousarray(self.high.T)
        return Pairs(low, high, self.value, self.columns, full, own, self.begin, self.end)


def side_by_side(
    comparisons: Sequence[Comparison], *, sizes: tuple[int, int], blocks: tuple[np.ndarray, np.ndarray] | None = None
) -> Files:
    """The distinct rows of both files; ``blocks`` numbers the block of every record, negative in none. O(n·d·log n)."""
    levels = [level for one in comparisons for level in one.levels]
    theirs, mine = blocks if blocks is not None else (np.zeros(sizes[0]), np.zeros(sizes[1]))
    ends = [level.low for level in levels] + [level.high for level in levels if not level.is_equality]
    group_of, first = index_distinct_rows([theirs, *ends])
    claim_of, asked = index_distinct_rows([mine, *(level.value for level in levels)])
    theirs, mine = theirs[first], mine[asked]
    begin, end = (np.searchsorted(theirs, mine, side=side) for side in ("left", "right"))
    end[mine < 0] = begin[mine < 0]
    return Files(
        comparisons=tuple(comparisons),
        low=_stack_columns([level.low[first] for level in levels], len(first)),
        high=_stack_columns([level.high[first] for level in levels], len(first)),
        value=_stack_columns([level.value[asked] for level in levels], len(asked)),
        group_of=group_of,
        claim_of=claim_of,
        begin=begin.astype(np.int64),
        end=end.astype(np.int64),
        blocks=None if blocks is None else (theirs, mine),
    )


def _stack_columns(columns: list[np.ndarray], size: int) -> np.ndarray:
    return np.ascontiguousarray(np.column_stack(columns)) if columns else np.empty((size, 0))


def index_distinct_rows(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The number of each record's row, rows in the order of their values, and one record of each row."""
    from ...kernels.nearest import distinct_rows

    matrix = np.column_stack(columns)
    found, first = distinct_rows(matrix)
    order = np.lexsort(matrix[first].T[::-1])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[found], first[order]
