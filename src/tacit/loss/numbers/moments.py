"""Means, variances and correlations: what a masked file still says about the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import narwhals as nw

from ...errors import TacitError
from ...registry import Tags, describe
from ...release.engines.table import few_rows
from ...release.masked import release_of
from ...release.pairs import numeric_columns
from ...result import Result, Results
from .standardised import drop_rounding

if TYPE_CHECKING:
    import numpy as np

    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def moments(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:  # noqa: ARG001
    r"""Change of the mean and the variance of each numeric column, and of their correlations.

    .. math:: \frac{|\bar x' - \bar x|}{s}, \qquad \left|\frac{s'^2}{s^2} - 1\right|, \qquad
              \frac{2}{m(m-1)} \sum_{i<j} |\rho'_{ij} - \rho_{ij}|

    Each file is summed up by itself, over the values that it has (correlations: over the records that have both), so
    no records are paired. A column that is constant in the original is measured in units of its value, or of 1 where
    that is 0. A column without a value in one of the files, and a correlation with a constant, is left out. Unweighted.

    Utility, measured. One aggregate per file on every engine, O(n · m²) time for m columns.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]))
    >>> round(moments(m, original=r).of("pay")[0].value, 3)
    1.225

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata, in Doyle et al.,
    Confidentiality, Disclosure and Data Access, 91–110.
    """
    parts = moments_of(release_of(release), release_of(original))
    if not parts:
        raise TacitError(
            "no column holds numbers in both files",
            code="no_usable_column",
            fix="measure generalisation or suppressed cells instead",
        )
    return Results(parts)


def moments_of(masked: Release, original: Release) -> tuple[Result, ...]:
    """The results; none when no column is numeric in both files."""
    columns = numeric_columns(masked, original)
    before, after = _column_moments(original, columns), _column_moments(masked, columns)
    both = [column for column in columns if column in before and column in after]
    parts = [part for column in both for part in _moment_changes(column, before[column], after[column])]
    varied = [column for column in both if before[column].variance > 0 and after[column].variance > 0]
    old, new = _pairwise_correlations(original, varied), _pairwise_correlations(masked, varied)
    changes = {pair: abs(new[pair] - old[pair]) for pair in old if pair in new}
    if changes:
        facts = {"pairs of columns": len(changes), "largest change": max(changes.values())}
        mean = sum(changes.values()) / len(changes)
        parts.append(Result(name="correlations", value=drop_rounding(mean), worse="high", about="utility", facts=facts))
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class _Moments:
    mean: float
    variance: float

    @property
    def scale(self) -> float:
        return sqrt(self.variance) or abs(self.mean) or 1.0


def _column_moments(release: Release, columns: Sequence[str]) -> dict[str, _Moments]:
    """Mean and population variance of each column with finite values."""
    if not columns:
        return {}
    numbers = [nw.col(column).cast(nw.Float64) for column in columns]
    means = [number.mean().alias(f"mean {place}") for place, number in enumerate(numbers)]
    variances = [number.var(ddof=0).alias(f"variance {place}") for place, number in enumerate(numbers)]
    # The variance of a constant comes out as rounding, so that only its extremes tell.
    spreads = [(number.max() - number.min()).alias(f"spread {place}") for place, number in enumerate(numbers)]
    row = few_rows(release.scan().select(*means, *variances, *spreads))[0]
    size = len(columns)
    return {
        column: _Moments(float(mean), max(0.0, float(variance)) if spread else 0.0)
        for column, mean, variance, spread in zip(
            columns, row[:size], row[size : 2 * size], row[2 * size :], strict=True
        )
        if mean is not None and variance is not None and isfinite(mean) and isfinite(variance)
    }


def _moment_changes(column: str, before: _Moments, after: _Moments) -> tuple[Result, Result]:
    shift = abs(after.mean - before.mean) / before.scale
    shifted = Result(
        name="mean shift",
        column=column,
        value=drop_rounding(shift),
        worse="high",
        about="utility",
        facts={"unit": "standard deviations" if before.variance > 0 else "the constant value"},
    )
    ratio = after.variance / before.variance if before.variance > 0 else 1.0 + after.variance / before.scale**2
    changed = Result(
        name="variance change",
        column=column,
        value=drop_rounding(abs(ratio - 1.0)),
        worse="high",
        about="utility",
        facts={"variance ratio": ratio},
    )
    return shifted, changed


def _pairwise_correlations(release: Release, columns: Sequence[str]) -> dict[tuple[str, str], float]:
    """Pearson's correlation of each pair of columns that has one."""
    pairs = list(combinations(columns, 2))
    if not pairs:
        return {}
    numbers = release.scan().select(*(nw.col(column).cast(nw.Float64) for column in columns))
    asked = (nw.corr(one, other).alias(f"pair {place}") for place, (one, other) in enumerate(pairs))
    found = zip(pairs, few_rows(numbers.select(*asked))[0], strict=True)
    return {pair: float(value) for pair, value in found if value is not None and isfinite(value)}
