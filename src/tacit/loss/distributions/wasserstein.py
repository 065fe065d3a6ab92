"""Wasserstein distance: how far the numbers of each column must be carried to be those of the original again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...release.common_level import as_numbers
from ...release.pairs import numeric_columns
from ...result import Result, Results
from .codings import two_files

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def wasserstein(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:  # noqa: ARG001
    r"""The distance between the two distributions of each numeric column, in units of the original's spread.

    .. math:: \frac{W_1(F, F')}{D}, \qquad W_1 = \int_0^1 |F^{-1}(u) - F'^{-1}(u)|\,du, \qquad
              D = \frac1n \sum_i |x_i - \mathrm{median}|

    :math:`W_1` is the mean way that the values go when one distribution is made into the other with least carrying. 0
    when both are the same; 1 when every value is replaced by the median. The result without a column is the mean over
    the columns, each counting at most 1. Exact, also for files of different size. No records are paired, so that
    swapping costs nothing. Over the values that each file has; a column without a value in one of them is left out, and
    one that is constant in the original is measured in units of its value, or of 1 where that is 0. Unweighted.

    Utility, measured. O(n log n) time per column, O(n) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 3.0, 6.0], [2.0, 2.0, 3.0, 3.0]))
    >>> round(wasserstein(m, original=r)["pay"].value, 3)
    0.667

    References
    ----------
    Panaretos and Zemel (2019), Statistical aspects of Wasserstein distances, Annual Review of Statistics and Its
    Application 6, 405–431.
    """
    masked, original = two_files(release, original)
    parts = [
        part for column in numeric_columns(masked, original) if (part := _column_distance(masked, original, column))
    ]
    if not parts:
        raise TacitError(
            "no column holds numbers in both files", code="no_usable_column", fix="measure hellinger instead"
        )
    mean = sum(min(1.0, part.value) for part in parts) / len(parts)
    facts = {"columns": len(parts), "at most 1 counted of each": True}
    whole = Result(name="wasserstein distance", value=mean, worse="high", about="utility", facts=facts)
    return Results((whole, *parts))


def _column_distance(masked: Release, original: Release, column: str) -> Result | None:
    before, after = (_sorted_numbers(side, column) for side in (original, masked))
    if not len(before) or not len(after):
        return None
    # Scaled first, so that no sum of large numbers overflows.
    scale = max(float(np.abs(before).max()), float(np.abs(after).max())) or 1.0
    deviation = float(np.abs(before / scale - np.median(before / scale)).mean()) if before[0] != before[-1] else 0.0
    unit = deviation or abs(float(before[0])) / scale or 1.0 / scale
    way = _transport_distance(before / scale, after / scale)
    return Result(
        name="wasserstein distance",
        column=column,
        value=min(way / unit, float(np.finfo(float).max)),
        worse="high",
        about="utility",
        facts={
            "unit": "mean deviation from the median" if deviation else "the constant value",
            "records": (len(before), len(after)),
        },
    )


def _sorted_numbers(side: Release, column: str) -> np.ndarray:
    numbers = as_numbers(side.series(column), column)
    return np.sort(numbers[~np.isnan(numbers)])


def _transport_distance(before: np.ndarray, after: np.ndarray) -> float:
    """The area between the two distribution functions of sorted values: that between the quantile functions."""
    if len(before) == len(after):
        return float(np.abs(before - after).mean())
    every = np.sort(np.concatenate([before, after]))
    shares = (np.searchsorted(side, every[:-1], side="right") / len(side) for side in (before, after))
    below, below_masked = shares
    return float((np.abs(below - below_masked) * np.diff(every)).sum())
