"""A column in the forms in which it can be matched: numbers, dates as days, values as text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ...release.codes import Codes, encode_column
from ...release.kinds import ORDERED
from ...release.release import Release
from .numbers import Quantiles, cell_quantiles

FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%d")
DAY = 86_400_000_000
"""Microseconds."""
FEW = 12
"""Whole numbers with at most so many values are taken for codes too."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ColumnView:
    """``numbers`` and each of ``dates`` (one for each way to read it) are known cells in row order, NaN where missing."""

    column: str
    numbers: np.ndarray | None
    dates: dict[str, np.ndarray]
    values: Codes | None
    quantiles: Quantiles | None
    date_quantiles: dict[str, Quantiles]

    @property
    def known_count(self) -> int:
        """How many cells are not missing."""
        cells = self.numbers if self.numbers is not None else next(iter(self.dates.values()), None)
        if cells is not None:
            return int((~np.isnan(cells)).sum())
        return 0 if self.values is None else int((self.values.codes < len(self.values.dictionary)).sum())

    @property
    def has_few_values(self) -> bool:
        """Whether it has so few values that their order need not mean anything."""
        return self.values is not None and len(self.values.dictionary) <= FEW

    def ordered_cells(self) -> np.ndarray | None:
        """The cells as numbers whose order means something, if any."""
        if self.has_few_values:
            return None
        return self.numbers if self.numbers is not None else next(iter(self.dates.values()), None)


def view_column(side: Release, column: str) -> ColumnView:
    """All forms of a column. Text that reads as numbers or dates throughout is taken for them too. O(n log n)."""
    series = side.series(column)
    coarse = bool(side.levels.get(column)) or column in side.mixed
    ordered = side.kinds.get(column, "continuous") in ORDERED
    numbers, dates = None, {}
    if series.dtype.is_numeric() and ordered:
        numbers = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    elif series.dtype == pl.String and not coarse:
        numbers = _require_all_read(series, series.cast(pl.Float64, strict=False))
    if series.dtype in (pl.Date, pl.Datetime):
        dates["as it is"] = _dates_to_days(series)
    elif not coarse and (series.dtype == pl.String or series.dtype.is_integer()):
        dates = _parse_dates(series.cast(pl.String))
    text = None
    if series.dtype in (pl.String, pl.Boolean) or (series.dtype.is_numeric() and side.distinct(column) <= 20):
        text = encode_column(series.cast(pl.String).str.strip_chars().str.to_lowercase())
    finite = None if numbers is None else np.where(np.isfinite(numbers), numbers, np.nan)
    return ColumnView(
        column=column,
        numbers=finite,
        dates=dates,
        values=text,
        quantiles=None if finite is None else cell_quantiles(finite),
        date_quantiles={form: found for form, days in dates.items() if (found := cell_quantiles(days)) is not None},
    )


def _parse_dates(text: pl.Series) -> dict[str, np.ndarray]:
    found = {}
    for form in FORMATS:
        days = _require_all_read(text, text.str.to_date(form, strict=False))
        if days is not None:
            found[form] = days
    return found


def _require_all_read(text: pl.Series, read: pl.Series) -> np.ndarray | None:
    """What was read when every cell that is there could be; dates as days."""
    if read.null_count() > text.null_count() or read.null_count() == len(read):
        return None
    return _dates_to_days(read) if read.dtype == pl.Date else read.fill_null(float("nan")).to_numpy()


def _dates_to_days(dates: pl.Series) -> np.ndarray:
    days = dates.dt.epoch("us") / DAY if dates.dtype == pl.Datetime else dates.to_physical()
    found: np.ndarray = days.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found
