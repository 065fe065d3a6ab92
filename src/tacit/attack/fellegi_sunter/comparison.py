"""One common column of two files and the levels at which its values may agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.codes import encode_column
from ...release.hierarchy.base import label_expression
from ...release.release import Release
from .._columns import ColumnPair, compare_column

if TYPE_CHECKING:
    from ...kernels.agreement_scan import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A way to agree: the intruder's ``value`` lies between a record's ``low`` and ``high``; NaN where missing.

    Equal values, equal prefixes and equal labels are codes, with ``low`` and ``high`` the same array.
    """

    name: str
    low: np.ndarray
    high: np.ndarray
    value: np.ndarray

    @property
    def is_equality(self) -> bool:
        """Whether agreeing is being equal, so that records fall into classes."""
        return self.low is self.high


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A column and its levels, each stricter than the one before; below all of them, the values differ.

    A missing cell makes the column ``unknown`` for that pair, which speaks neither for nor against; when missing is a
    category of its ``own``, two missing cells agree at every level.
    """

    column: str
    levels: tuple[Level, ...]
    unknown: bool
    own: bool

    @property
    def state_count(self) -> int:
        """How many outcomes the comparison of two cells has."""
        return len(self.levels) + 1 + self.unknown

    def level_names(self) -> tuple[str, ...]:
        """The names of the outcomes from level 0 on, missing aside."""
        return ("different", *(level.name for level in self.levels))


def build_comparison(
    release: Release, file: Release, column: str, *, partial: tuple[float, ...] = (), near: tuple[float, ...] = ()
) -> Comparison | None:
    """The comparison of a common column, or None when the column tells nobody in the release apart.

    ``partial`` gives levels between exact and different, the finest first: for numbers and dates how far they may lie
    apart (in units, in days), for columns with a hierarchy its levels, for other text how many first characters are
    equal. Numbers and dates without them are ``near`` when at most that share of the released records lies between.
    """
    sides = compare_column(release, file, column, units=True)
    if not sides or sides[0].usual <= 0:
        return None
    own = release.missing == "own"
    unknown = bool(np.isnan(sides[0].release).any() or np.isnan(sides[0].intruder).any())
    if len(sides) == 2:
        low, high = sides
        covered = Level("covered", low.release, -high.release, low.intruder)
        return Comparison(column, (covered,), unknown, own)
    exact = Level("exact", sides[0].release, sides[0].release, sides[0].intruder)
    if sides[0].kind == "number":
        between = _tolerance_levels(exact, partial, column) if partial else _rank_levels(exact, near)
    else:
        between = _generalised_levels(release, file, column, partial)
    return Comparison(column, (*between, exact), unknown, own)


def _tolerance_levels(exact: Level, partial: tuple[float, ...], column: str) -> tuple[Level, ...]:
    if any(reach <= 0 for reach in partial):
        raise TacitError(
            "has a tolerance that is not above 0",
            code="out_of_range",
            column=column,
            fix="e.g. partial={'age': [1, 5]}",
        )
    return tuple(
        Level(f"within {reach:g}", exact.low - reach, exact.low + reach, exact.value)
        for reach in sorted(partial, reverse=True)
    )


def _rank_levels(exact: Level, near: tuple[float, ...]) -> tuple[Level, ...]:
    """Near in ranks: the share of released values below each value, ties counting half, at most so far apart."""
    known = np.sort(exact.low[~np.isnan(exact.low)])
    rank, mine = (_relative_ranks(known, side) for side in (exact.low, exact.value))
    return tuple(
        Level(f"within {reach:.3g} of the ranks", rank - reach, rank + reach, mine)
        for reach in sorted(near, reverse=True)
    )


def _relative_ranks(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    below = np.searchsorted(known, values, side="left") + np.searchsorted(known, values, side="right")
    found: np.ndarray = np.where(np.isnan(values), np.nan, below / (2.0 * len(known)))
    return found


def _generalised_levels(release: Release, file: Release, column: str, partial: tuple[float, ...]) -> tuple[Level, ...]:
    if not partial:
        return ()
    if release.levels.get(column, 0) or file.levels.get(column, 0):
        raise TacitError(
            "was generalised already and is compared at its level",
            code="already_masked",
            column=column,
            fix="leave it out of partial",
        )
    if any(step != int(step) or step < 1 for step in partial):
        raise TacitError(
            "has a partial level that is not a whole number from 1 on",
            code="not_whole_number",
            column=column,
            fix="levels of its hierarchy, else numbers of first characters, e.g. partial={'zip': [3]}",
        )
    ladder = release.hierarchies.get(column) or file.hierarchies.get(column)
    if ladder is None:
        steps = sorted({int(step) for step in partial})
        texts = [side.series(column).cast(pl.String) for side in (release, file)]
        shown = [(f"first {step}", [text.str.slice(0, step) for text in texts]) for step in steps]
    else:
        shown = []
        for step in sorted({int(step) for step in partial}, reverse=True):
            raised = [
                side.select(column)
                .with_columns({column: label_expression(ladder, column, step)})
                .series(column)
                .cast(pl.String)
                for side in (release, file)
            ]
            shown.append((f"level {step}", raised))
    return tuple(_equality_level(name, *both) for name, both in shown)


def _equality_level(name: str, theirs: pl.Series, mine: pl.Series) -> Level:
    both = encode_column(pl.concat([theirs, mine]))
    codes = both.codes.astype(float)
    codes[both.codes == len(both.dictionary)] = np.nan
    low = codes[: len(theirs)]
    return Level(name, low, low, codes[len(theirs) :])


def exact_codes(release: Release, file: Release, column: str) -> ColumnPair:
    """A column of both files of which only equality counts."""
    sides = compare_column(release, file, column, units=True)
    if len(sides) != 1:
        raise TacitError(
            "was recoded locally, so that its labels overlap",
            code="already_masked",
            column=column,
            fix="block on other columns",
        )
    return sides[0]


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
