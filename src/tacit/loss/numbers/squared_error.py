"""Squared error: how far the masked numbers lie from the original ones, record by record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...release.pairs import Pairs, numeric_columns, pair_records
from ...result import Result, Results

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def squared_error(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""The squared error of each numeric column as a share of its own spread, and their mean.

    .. math:: \frac{SSE}{SST} = \frac{\sum_i (x'_i - x_i)^2}{\sum_i (x_i - \bar x)^2}

    0 when nothing is changed, 1 when every value is replaced by the mean. The mean over the columns, in the result
    without a column, is SSE/SST of the standardised columns, by which microaggregation is compared (there in per cent).
    Over the records that have both values; a column that is constant in the original is left out.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 10.0, 12.0], [1.5, 1.5, 11.0, 11.0]))
    >>> round(squared_error(m, original=r)["pay"].value, 3)
    0.027

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control,
    IEEE TKDE 14, 189–201.
    """
    parts = squared_error_of(pair_records(release, original, lineage))
    if not parts:
        raise TacitError(
            "no column holds varying numbers in both files",
            code="no_usable_column",
            fix="measure generalisation or suppressed cells instead",
        )
    return Results(parts)


def squared_error_of(pairs: Pairs) -> tuple[Result, ...]:
    """The results; none when no column is numeric in both files."""
    shares = {column: _error_share(pairs, column) for column in numeric_columns(pairs.masked, pairs.original)}
    known = {column: share for column, share in shares.items() if share is not None}
    if not known:
        return ()
    mean = sum(known.values()) / len(known)
    facts = {"columns": len(known)}
    whole = Result(name="squared error", value=mean, worse="high", about="utility", facts=facts)
    each = (Result(name="squared error", column=c, value=v, worse="high", about="utility") for c, v in known.items())
    return (whole, *each)


def _error_share(pairs: Pairs, column: str) -> float | None:
    before = pairs.original.floats(column)[pairs.of_original]
    after = pairs.masked.floats(column)[pairs.of_masked]
    both = np.isfinite(before) & np.isfinite(after)
    before, after = before[both], after[both]
    if not len(before) or before.min() == before.max():
        return None
    scale = np.abs(before).max()
    before, after = before / scale, after / scale
    return float(((after - before) ** 2).sum() / ((before - before.mean()) ** 2).sum())
