"""A column as the parties agreed on it: its bounds, and how finely it is counted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...errors import TacitError, typed, unknown_column

__all__ = ["Agreed", "agreed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """A number column: values from ``low`` to ``high``, counted in units of 10^−``decimals``.

    What lies between two units is rounded to the nearer one, so that sums are whole numbers, exact and equal in any order.
    """

    name: str
    low: float
    high: float
    decimals: int = 0

    @property
    def most(self) -> int:
        """The largest size of a value, in units."""
        return math.ceil(max(abs(self.low), abs(self.high)) * float(10**self.decimals))

    def units(self, frame: pl.DataFrame) -> list[int]:
        """The values of the own file in units; missing, text and values beyond the bounds are named by row."""
        if self.name not in frame.columns:
            raise unknown_column(self.name, frame.columns)
        series = frame[self.name]
        if series.is_empty():
            return []  # whatever kind a file without rows seems to have
        if not series.dtype.is_numeric():
            raise TacitError("holds no numbers", column=self.name, fix="give a file in which it does")
        values = series.cast(pl.Float64).to_numpy()
        self._refuse(np.isnan(values), "a missing value", "fill it in or leave the row out")
        self._refuse(
            (values < self.low) | (values > self.high),
            "a value beyond the agreed bounds",
            "correct it, or agree on others",
        )
        return [int(unit) for unit in np.rint(values * 10**self.decimals)]

    def _refuse(self, wrong: np.ndarray, kind: str, fix: str) -> None:
        if wrong.any():
            raise TacitError(f"has {kind} in row {int(np.argmax(wrong)) + 1}", column=self.name, fix=fix)


def agreed(name: object, given: object) -> Agreed:
    """A column of the section ``[task.columns]``."""
    if not isinstance(given, dict) or not {"low", "high"} <= set(given) <= {"low", "high", "decimals"}:
        raise TacitError("has no bounds", column=str(name), fix="e.g. age = { low = 0, high = 120, decimals = 0 }")
    low, high, decimals = given["low"], given["high"], given.get("decimals", 0)
    numbers = all(
        isinstance(end, int | float) and not isinstance(end, bool) and math.isfinite(end) for end in (low, high)
    )
    if not numbers or not low < high:
        raise TacitError(
            f"bounds {typed(low)} and {typed(high)} are no interval", column=str(name), fix="give low < high"
        )
    if not isinstance(decimals, int) or not 0 <= decimals <= 9:
        raise TacitError(f"decimals {typed(decimals)} is not from 0 to 9", column=str(name), fix="e.g. decimals = 2")
    return Agreed(name=str(name), low=low, high=high, decimals=decimals)
