"""One coding common to both files: every value of original and masked as a category, so that they can be counted alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from ...errors import TacitError, format_value
from ...release.codes import encode_column
from ...release.common_level import as_numbers, at_one_level
from ...release.masked import release_of
from ...release.pairs import NOT_AMOUNTS, numeric_columns

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


How: TypeAlias = Literal["values", "bins", "level", "nothing"]
DATED = ("date", "datetime")


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """Row i of the original has the category ``before[i]``, row j of the masked file ``after[j]``; ``count`` in all.

    ``how`` says what a category is: a value, a bin of numbers or dates, or a label of the hierarchy; nothing, where the
    masked file no longer has the column. Missing has the last category.
    """

    column: str
    before: np.ndarray
    after: np.ndarray
    count: int
    how: How


def two_files(release: Release | Masked, original: Release) -> tuple[Release, Release]:
    """Both releases, masked first; refuses files without rows, of which nothing can be said."""
    masked, original = release_of(release), release_of(original)
    for side, name in ((masked, "masked file"), (original, "original")):
        if not side.size:
            raise TacitError(
                f"the {name} has no rows", code="too_few_records", fix="check the file or the filter that made it"
            )
    return masked, original


def common_columns(masked: Release, original: Release) -> tuple[str, ...]:
    """The columns of both files that are no names of people or households."""
    found = tuple(c for c in original.columns if c in masked.columns and original.roles[c] not in NOT_AMOUNTS)
    if not found:
        raise TacitError(
            "no column but identifiers is in both files",
            code="no_usable_column",
            fix="give the masked file and the original it was made from",
        )
    return found


def common_codings(release: Release | Masked, original: Release, *, bins: int) -> tuple[Coding, ...]:
    """Every column of the original in one coding with the masked file's; one that was dropped counts as missing there.

    Numbers and dates are cut at the original's quantiles into at most ``bins`` bins (numbers declared to be codes are
    categories). A column that stands at a level of its hierarchy in the masked file is brought to that level in the
    original too. Everything else is compared value by value, as text where the types differ. O(n log n) time per
    column, four bytes per cell.
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2:
        raise TacitError(
            f"numbers cannot be cut into {format_value(bins)} bins",
            code="not_applicable",
            fix="give a whole number from 2 on, e.g. 10",
        )
    masked, original = two_files(release, original)
    amounts = {*numeric_columns(masked, original), *date_columns(masked, original)}
    both = common_columns(masked, original)
    found = []
    for column in common_columns(original, original):
        if column not in both:
            found.append(_dropped_column_coding(masked, original, column, bins))
        elif column in amounts:
            found.append(_by_bins(masked, original, column, bins))
        else:
            found.append(by_values(masked, original, column))
    return tuple(found)


def date_columns(masked: Release, original: Release) -> tuple[str, ...]:
    """The columns that hold dates in both files."""
    return tuple(
        column
        for column, type in original.types.items()
        if type in DATED and masked.types.get(column) == type and original.roles[column] not in NOT_AMOUNTS
    )


def bin_numbers(before: np.ndarray, after: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The bin of each number, NaN in the last one, and how many there are.

    The upper ends of the bins are values of the original: every value when there are at most ``bins``, else its
    quantiles. What lies below or above all values of the original has a bin of its own.

    >>> before, after, count = bin_numbers(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 3.5, 9.0, np.nan]), 2)
    >>> before.tolist(), after.tolist(), count
    ([1, 1, 2, 2], [0, 2, 3, 4], 5)
    """
    known = np.sort(before[~np.isnan(before)])
    lowest = known[0] if len(known) else np.inf
    ends = np.unique(known)
    if len(ends) > bins:
        places = np.ceil(np.arange(1, bins + 1) * len(known) / bins).astype(np.int64) - 1
        ends = np.unique(known[places])

    def bin_of(numbers: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.searchsorted(ends, numbers, side="left").astype(np.int32) + 1
        found[numbers < lowest] = 0
        found[np.isnan(numbers)] = len(ends) + 2
        return found

    return bin_of(before), bin_of(after), len(ends) + 3


def _by_bins(masked: Release, original: Release, column: str, bins: int) -> Coding:
    before, after = (as_numbers(side.series(column), column) for side in (original, masked))
    return Coding(column, *bin_numbers(before, after, bins), "bins")


def by_values(masked: Release, original: Release, column: str) -> Coding:
    """A column value by value, or label by label of the level at which the masked one stands."""
    after, before, how = comparable_series(masked, original, column)
    codes = encode_column(pl.concat([before, after]).rechunk())
    both = codes.codes.astype(np.int32)
    return Coding(column, both[: len(before)], both[len(before) :], len(codes.dictionary) + 1, how)


def _dropped_column_coding(masked: Release, original: Release, column: str, bins: int) -> Coding:
    """The original's own coding, and nothing but missing in the masked file."""
    if column in (*numeric_columns(original, original), *date_columns(original, original)):
        before = as_numbers(original.series(column), column)
        return Coding(column, *bin_numbers(before, np.full(masked.size, np.nan), bins), "nothing")
    codes = encode_column(original.series(column))
    missing = len(codes.dictionary)
    after = np.full(masked.size, missing, dtype=np.int32)
    return Coding(column, codes.codes.astype(np.int32), after, missing + 1, "nothing")


def comparable_series(masked: Release, original: Release, column: str) -> tuple[pl.Series, pl.Series, How]:
    """The column of masked and original, of one type, and at one level where only one of them was generalised."""
    levels = masked.levels.get(column, 0), original.levels.get(column, 0)
    if levels[0] and not levels[1] and column in masked.hierarchies:
        return *at_one_level(masked, original, column), "level"
    after, before = masked.series(column), original.series(column)
    if before.dtype != after.dtype:
        # Codes that became 1.0, because a file with blanks was read so, are still those that were 1.
        common = pl.Float64 if before.dtype.is_numeric() and after.dtype.is_numeric() else pl.String
        before, after = before.cast(common), after.cast(common)
    return after, before, "values"
