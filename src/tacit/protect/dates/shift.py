"""The shifts of dates: which there are, which a person may get, and the row kernel that moves the dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
import polars as pl

from ...errors import TacitError
from ...seed import drawn
from ..keyed import of_values

Step = Literal["day", "week", "year"]
STEPS: dict[Step, int] = {"day": 1, "week": 7, "year": 364}
"""Days of a step; a year of 52 whole weeks keeps the day of the week."""
YEARS = (1, 9999)
NANOSECOND_YEARS = (1678, 2261)
"""Whole years that a moment in nanoseconds can be in."""
EPOCH = date(1970, 1, 1).toordinal()
NEVER = 1 << 40
"""More steps than any date is away."""


@dataclass(frozen=True, slots=True)
class Law:
    """Uniform on the multiples of ``step`` days from ``least`` to ``most`` steps; 0 only if it is said."""

    step: int
    least: int
    most: int
    zero: bool

    def moments(self) -> dict[str, Any]:
        """What an analyst may know of the shifts."""
        steps = np.arange(self.least, self.most + 1)
        shifts = (steps if self.zero else steps[steps != 0]) * self.step
        return {
            "least": int(shifts.min()),
            "most": int(shifts.max()),
            "every": self.step,
            "zero": bool((shifts == 0).any()),
            "mean": float(shifts.mean()),
            "variance": float(shifts.var()),
        }

    def drawn(self, uniform: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Days for each row, uniform on the shifts from ``low`` to ``high`` steps too; and which rows have none left."""
        low, high = np.maximum(low, self.least), np.minimum(high, self.most)
        holed = (low <= 0) & (high >= 0) & (not self.zero)
        count = high - low + 1 - holed
        step = low + (uniform * np.maximum(count, 1)).astype(np.int64)
        step += holed & (step >= 0)
        return step * self.step, count < 1


@dataclass(frozen=True)
class ShiftRows:
    """The row kernel: moves ``columns`` by one shift for each ``person`` (each row without one).

    ``bounds`` has column → lowest and highest day, each a day number, the name of a column of dates, or None; persons
    with several rows are kept within them only if all their rows are in the batch.
    """

    columns: tuple[str, ...]
    types: Mapping[str, Any]
    person: str | None
    bounds: Mapping[str, tuple[int | str | None, int | str | None]]
    law: Law
    seed: int | bytes

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The moved columns of the batch."""
        low, high = self._room(batch)
        shift, none = self.law.drawn(self._uniform(batch, start), low, high)
        self._checked(none, start)
        return pl.DataFrame([self._moved(batch[column], shift, start) for column in self.columns])

    def cut(self, batch: pl.DataFrame) -> np.ndarray:
        """The rows whose choice is narrowed by the bounds."""
        low, high = self._room(batch)
        found: np.ndarray = (low > self.law.least) | (high < self.law.most)
        return found

    def _uniform(self, batch: pl.DataFrame, start: int) -> np.ndarray:
        alone = drawn(self.seed, start, batch.height, lambda rng, n: rng.random(n))
        if self.person is None:
            return alone
        keyed = of_values(self.seed, batch[self.person])[:, 0]
        return np.where(np.isnan(keyed), alone, keyed)

    def _room(self, batch: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """The fewest and most steps that keep all dates of the row, and of the other rows of its person, in bounds."""
        low, high = np.full(batch.height, -NEVER), np.full(batch.height, NEVER)
        for column, (lowest, highest) in self.bounds.items():
            least, most = self._steps(batch[column], _bound(batch, lowest), _bound(batch, highest))
            low, high = np.fmax(low, least), np.fmin(high, most)
        if self.bounds and self.person is not None:
            low, high = _of_person(batch[self.person], low, high)
        return low.astype(np.int64), high.astype(np.int64)

    def _steps(self, dates: pl.Series, lowest: np.ndarray, highest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The fewest and most steps that keep each date in its bounds, NaN where nothing does."""
        day, step = _days(dates), self.law.step
        low, high = np.ceil((lowest - day) / step), np.floor((highest - day) / step)
        if getattr(dates.dtype, "time_zone", None) is None:
            return low, high
        # Clocks that change on the way can carry a moment near midnight into the next day, or into the one before.
        first, last = (
            _days(_after(dates, np.clip(np.nan_to_num(end), self.law.least, self.law.most) * step))
            for end in (low, high)
        )
        return low + (first < lowest), high - (last > highest)

    def _checked(self, none: np.ndarray, start: int) -> None:
        if none.any():
            raise TacitError(
                f"leaves no shift within the bounds in {int(none.sum())} rows, the first of them row {start + int(none.argmax()) + 1}",
                fix="widen the bounds, move the dates by more days, or allow a shift of 0 with zero=True",
                column=next(iter(self.bounds)),
            )

    def _moved(self, dates: pl.Series, shift: np.ndarray, start: int) -> pl.Series:
        first, last = NANOSECOND_YEARS if getattr(dates.dtype, "time_unit", None) == "ns" else YEARS
        day = _days(dates) + shift + EPOCH
        beyond = (day < date(first, 1, 1).toordinal()) | (day > date(last, 12, 31).toordinal())
        if beyond.any():
            raise TacitError(
                f"leaves the years {first} to {last} in row {start + int(beyond.argmax()) + 1}",
                column=dates.name,
                fix="correct the date: codes such as 9999-12-31 stand for a missing one (missing_values=…)",
            )
        return _after(dates, shift).cast(self.types[dates.name]).alias(dates.name)


def _days(dates: pl.Series) -> np.ndarray:
    """Days since 1970 as floats, those of the calendar of its time zone for a moment, missing as NaN."""
    return dates.dt.date().to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _after(dates: pl.Series, days: np.ndarray) -> pl.Series:
    """Dates and moments so many whole days of 24 hours later."""
    return dates + pl.Series(days.astype(np.int64)) * pl.Series([86_400_000_000]).cast(pl.Duration("us"))


def _bound(batch: pl.DataFrame, bound: int | str | None) -> np.ndarray:
    """A bound for each row; NaN, which bounds nothing, where there is none."""
    if isinstance(bound, str):
        return _days(batch[bound])
    return np.full(batch.height, np.nan if bound is None else float(bound))


def _of_person(person: pl.Series, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The room that all rows of a person have; rows without one stand alone."""
    rows = pl.DataFrame({"person": person, "low": low, "high": high})
    alone = person.is_null().to_numpy()
    shared = rows.select(pl.col("low").max().over("person"), pl.col("high").min().over("person"))
    return np.where(alone, low, shared["low"].to_numpy()), np.where(alone, high, shared["high"].to_numpy())
