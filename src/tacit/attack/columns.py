"""Two files side by side: each common column as numbers or codes that can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ..release.hierarchy.ladder import labels
from ..release.release import Release

__all__ = ["Compared", "compared"]

NUMBERS = ("integer", "number")
DATES = ("date", "datetime")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A column of both files: floats, NaN where missing; of codes (``nominal``) only equality counts."""

    release: np.ndarray
    intruder: np.ndarray
    nominal: bool

    def usual_difference(self) -> float:
        """The mean difference of a random pair, one record from each file: what a missing cell is taken to differ by."""
        a, b = (side[~np.isnan(side)] for side in (self.release, self.intruder))
        if not len(a) or not len(b):
            return 0.0
        if not self.nominal:
            return float(((a - a.mean()) ** 2).mean() + ((b - b.mean()) ** 2).mean() + (a.mean() - b.mean()) ** 2)
        size = int(max(a.max(), b.max())) + 1
        shares = [np.bincount(side.astype(int), minlength=size) / len(side) for side in (a, b)]
        return float(1 - (shares[0] * shares[1]).sum())


def compared(release: Release, file: Release, column: str) -> Compared:
    """One common column of both files.

    A column that the release generalised is compared at its level: hierarchy and level are public, so the intruder
    brings the own value to it first. Numbers are compared as numbers, dates as days, all else as equal or not.
    """
    level = release.levels.get(column)
    mine = file.series(column)
    if level and column in release.hierarchies:
        mine = file.replaced({column: labels(release.hierarchies[column], column, level)}).series(column)
    theirs = release.series(column)
    for types, numbers in ((NUMBERS, _floats), (DATES, _days)):
        if release.types[column] in types and file.types[column] in types and not level:
            return Compared(numbers(theirs), numbers(mine), nominal=False)
    texts = [side.cast(pl.String) for side in (theirs, mine)]
    known = pl.concat(texts).drop_nulls().unique().sort()
    return Compared(_coded(texts[0], known), _coded(texts[1], known), nominal=True)


def _coded(texts: pl.Series, known: pl.Series) -> np.ndarray:
    codes = texts.replace_strict(
        known, pl.Series(range(len(known)), dtype=pl.Float64), default=None, return_dtype=pl.Float64
    )
    return _floats(codes)


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _days(values: pl.Series) -> np.ndarray:
    return _floats(values.cast(pl.Date).to_physical())
