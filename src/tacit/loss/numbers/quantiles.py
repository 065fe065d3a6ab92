"""Quantiles: what a masked file still says about the shape of each column of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...registry import Tags, describe
from ...result import Result, Results
from .standardised import numbers_apart

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


POINTS = (1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
"""The deciles, and one per cent from either end, in per cent."""


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def quantiles(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:  # noqa: ARG001
    r"""How far the deciles, the 1 % and the 99 % point of each numeric column move, in units of the column's spread.

    .. math:: \frac{1}{11} \sum_{p} \min\left(1, \frac{|q'_p - q_p|}{q_{.99} - q_{.01}}\right), \qquad
              p = .01, .1, .2, \dots, .9, .99

    0 when no quantile moves; 1 when each lies farther off than 98 % of the original's values are wide. The spread is
    that of the original between its 1 % and 99 % points, which no single outlier stretches; where these coincide, that
    of all its values. The fact *largest shift* is that of one point, before it is cut to 1. The first result is the
    mean over the columns.

    Each file is summed up by itself over the values that it has, so no records are paired; between two values, quantiles
    are interpolated. A column that is constant in the original is left out; one that has no number left counts 1.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": range(101)}))
    >>> m = Release(pl.DataFrame({"pay": [min(pay, 90) for pay in range(101)]}))
    >>> print(quantiles(m, original=r)["pay"])
    quantiles of pay  0.008349
    largest shift     0.09184

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    numbers = numbers_apart(release, original)
    parts = [
        _column_shift(column, numbers.before[:, at], numbers.after[:, at]) for at, column in enumerate(numbers.columns)
    ]
    mean = float(np.mean([part.value for part in parts]))
    facts = {"columns": len(parts)}
    return Results((Result(name="quantiles", value=mean, worse="high", about="utility", facts=facts), *parts))


def _column_shift(column: str, before: np.ndarray, after: np.ndarray) -> Result:
    before, after = before[np.isfinite(before)], after[np.isfinite(after)]
    if not len(after):
        return Result(name="quantiles", column=column, value=1.0, worse="high", about="utility", facts={"values": 0})
    shares = np.array(POINTS) / 100
    old, new = np.quantile(before, shares), np.quantile(after, shares)
    spread = old[-1] - old[0] or before.max() - before.min()
    shifts = np.abs(new - old) / spread
    return Result(
        name="quantiles",
        column=column,
        value=float(np.minimum(shifts, 1.0).mean()),
        worse="high",
        about="utility",
        facts={"largest shift": float(shifts.max())},
    )
