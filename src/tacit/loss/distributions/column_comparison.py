"""One column before and after: how often each value or range occurs in either file, and what the numbers come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from ...errors import check_columns
from ...per_record import Histogram, PerRecord
from ...release.common_level import as_numbers
from ...release.pairs import numeric_columns
from .codings import comparable_series, date_columns, two_files

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


Figures: TypeAlias = tuple[tuple[str, float, float], ...]
MOST = 12
"""Categories that are told apart; the rarest are counted together."""
SHARES = (0.01, 0.25, 0.5, 0.75, 0.99)
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnComparison:
    """Records of the original (``before``) and of the masked file (``after``) under each label, and how many have no value.

    ``how`` says what the labels are: ranges of ``edges``, values, or labels of the level at which the masked column
    stands; ``other`` records have a rarer value. ``numbers`` are figures by name, before and after: mean, deviation, quantiles.
    """

    column: str
    how: Literal["ranges", "dates", "values", "level", "dropped"]
    labels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    other: tuple[int, int] = (0, 0)
    missing: tuple[int, int] = (0, 0)
    numbers: Figures = ()


def compare_column(release: Release | Masked, *, original: Release, column: str) -> ColumnComparison:
    """The distribution of a column in both files, under the same labels; each file is counted by itself.

    Amounts and dates of more than a few values are cut into twenty ranges of equal width over both files; everything
    else is counted value by value, the twelve most frequent of either file first told apart. O(n log n) time.

    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": sexes})) for sexes in (["f", "f", "m"], ["f", None, "m"]))
    >>> found = compare_column(m, original=r, column="sex")
    >>> found.labels, found.before, found.after, found.missing
    (('f', 'm'), (2, 1), (1, 1), (0, 1))
    """
    masked, original = two_files(release, original)
    check_columns(column, original.columns)
    if column not in masked.columns:
        return ColumnComparison(column=column, how="dropped")
    amounts, dates = column in numeric_columns(masked, original), column in date_columns(masked, original)
    figures: Figures = ()
    if amounts or dates:
        old, new = (as_numbers(side.series(column), column) for side in (original, masked))
        missing = int(np.isnan(old).sum()), int(np.isnan(new).sum())
        old, new = old[~np.isnan(old)], new[~np.isnan(new)]
        figures = _compare_figures(old, new) if amounts else ()
        if len(np.unique(np.concatenate([old, new]))) > MOST:
            return _by_ranges(column, old, new, missing, figures, dates=dates)
    after, before, how = comparable_series(masked, original, column)
    return _by_values(column, before, after, "level" if how == "level" else "values", figures)


def _by_ranges(
    column: str,
    old: np.ndarray,
    new: np.ndarray,
    missing: tuple[int, int],
    figures: Figures,
    *,
    dates: bool,
) -> ColumnComparison:
    edges = PerRecord(array=np.concatenate([old, new])).histogram().edges
    counts = [_bin_counts(numbers, edges) for numbers in (old, new)]
    return ColumnComparison(
        column=column,
        how="dates" if dates else "ranges",
        labels=_day_labels(edges) if dates else (),
        edges=edges,
        before=counts[0],
        after=counts[1],
        missing=missing,
        numbers=figures,
    )


def _bin_counts(numbers: np.ndarray, edges: tuple[float, ...]) -> tuple[int, ...]:
    found: Histogram = PerRecord(array=numbers).histogram(edges)
    return found.counts if len(numbers) else (0,) * (len(edges) - 1)


def _day_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Each range of days by its first."""
    return tuple((EPOCH + timedelta(days=edge)).isoformat() for edge in edges[:-1])


def _by_values(
    column: str,
    before: pl.Series,
    after: pl.Series,
    how: Literal["values", "level"],
    figures: Figures,
) -> ColumnComparison:
    counts = [_value_counts(side) for side in (before, after)]
    ranked = sorted({*counts[0], *counts[1]}, key=lambda value: -max(counts[0][value], counts[1][value]))
    told = sorted(ranked[:MOST], key=lambda value: (isinstance(value, str), value))
    rest = ranked[MOST:]
    return ColumnComparison(
        column=column,
        how=how,
        labels=tuple(map(str, told)),
        before=tuple(counts[0][value] for value in told),
        after=tuple(counts[1][value] for value in told),
        other=(sum(counts[0][value] for value in rest), sum(counts[1][value] for value in rest)),
        missing=(before.null_count(), after.null_count()),
        numbers=figures,
    )


def _value_counts(values: pl.Series) -> Counter[object]:
    found = values.drop_nulls().value_counts()
    plain = found[values.name].to_list()
    simple = [one if isinstance(one, int | float | str) else str(one) for one in plain]
    return Counter(dict(zip(simple, found["count"].to_list(), strict=True)))


def _compare_figures(old: np.ndarray, new: np.ndarray) -> Figures:
    if not len(old) or not len(new):
        return ()
    quantiles = [np.quantile(side, SHARES) for side in (old, new)]
    pairs = zip(SHARES, *quantiles, strict=True)
    return (
        ("mean", float(old.mean()), float(new.mean())),
        ("standard deviation", float(old.std()), float(new.std())),
        *((f"{share:.0%} quantile", float(low), float(high)) for share, low, high in pairs),
    )
