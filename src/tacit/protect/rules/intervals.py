"""Numbers as intervals between declared cuts: what makes an item of an amount."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, names
from ...frozen import FrozenDict
from ..parameters import number

if TYPE_CHECKING:
    import polars as pl

__all__ = ["binned", "checked_cuts"]


def checked_cuts(given: Mapping[str, Sequence[float]], columns: Sequence[str]) -> FrozenDict[str, tuple[float, ...]]:
    """Column → ascending cuts, each column one of the table."""
    names(list(given), columns)
    for column, cuts in given.items():
        fine = isinstance(cuts, Sequence) and not isinstance(cuts, str) and len(cuts) and all(map(number, cuts))
        if not fine or list(cuts) != sorted(set(cuts)):
            raise TacitError("has cuts that are no ascending numbers", column=column, fix="e.g. [18, 30, 65]")
    return FrozenDict({column: tuple(cuts) for column, cuts in given.items()})


def binned(values: pl.Series, cuts: Sequence[float]) -> pl.Series:
    """The interval of each number, closed on the left, as text; missing stays missing.

    >>> import polars as pl
    >>> binned(pl.Series([29, 30, None]), [30, 40]).to_list()
    ['[..30)', '[30..40)', None]
    """
    import polars as pl

    if not values.dtype.is_numeric():
        raise TacitError("has cuts and holds no numbers", column=values.name, fix="leave its cuts out")
    ends = ["", *(f"{cut:g}" for cut in cuts), ""]
    labels = [f"[{low}..{high})" for low, high in zip(ends, ends[1:], strict=False)]
    place = np.searchsorted(
        np.asarray(cuts, dtype=float), values.cast(pl.Float64).fill_null(0).to_numpy(), side="right"
    )
    found = pl.Series(values.name, np.array(labels, dtype=object)[place].tolist(), dtype=pl.String)
    return found.to_frame().select(pl.when(pl.lit(values.is_not_null())).then(pl.first())).to_series()
