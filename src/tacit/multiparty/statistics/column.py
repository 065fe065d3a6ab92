"""A column as the parties agreed on it: its bounds, and how finely it is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from ...errors import TacitError, format_value, unknown_column

EXACT = 2**53
"""Up to here every whole number is a float."""
SLIGHT = 1e-6
"""Of a unit: so much a float may be off it, as 0.1 + 0.2 is off 0.3."""
WIDEST = 1e100
"""No bound lies beyond it: far more than any modulus holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericColumn:
    """A number column: values from ``low`` to ``high``, counted in units of 10^−``decimals``.

    Sums are then whole numbers, exact and equal in any order. What lies between two units is refused, or, where the parties agreed to
    ``may_round``, rounded to the nearer one. Whole numbers are never made floats on the way, however large.
    """

    name: str
    low: float
    high: float
    decimals: int = 0
    may_round: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        """The bounds, in units."""
        return self._nearest_unit(self.low), self._nearest_unit(self.high)

    @property
    def max_size(self) -> int:
        """The largest size of a value, in units."""
        return max(map(abs, self.ends))

    def units(self, frame: pl.DataFrame) -> list[int]:
        """The values of the own file in units; missing, text and values beyond the bounds are named by row."""
        if self.name not in frame.columns:
            raise unknown_column(self.name, frame.columns)
        series = frame[self.name]
        if series.is_empty():
            return []  # whatever kind a file without rows seems to have
        if not series.dtype.is_numeric():
            raise TacitError(
                "holds no numbers", code="wrong_kind", column=self.name, fix="give a file in which it does"
            )
        values = series.to_list()
        if series.dtype.is_decimal():
            values = [None if value is None else Fraction(value) for value in values]
        self._refuse_row((v is None or v != v for v in values), "a missing value", "fill it in or leave the row out")
        self._refuse_row(
            (not self.low <= v <= self.high for v in values),
            "a value beyond the agreed bounds",
            "correct it, or agree on others",
        )
        if not self.may_round:
            self._refuse_finer(values)
        return [self._nearest_unit(value) for value in values]

    def _refuse_finer(self, values: Sequence[float | Fraction]) -> None:
        """Rounding unseen would make another figure of the sums: five times 0.4 in whole units is 0."""
        finer = [row for row, value in enumerate(values, 1) if not self._is_unit(value)]
        if finer:
            raise TacitError(
                f"has {len(finer):,} of {len(values):,} values with more than the agreed {self.decimals} decimals, "
                f"the first in row {finer[0]}",
                code="out_of_range",
                column=self.name,
                fix="agree on more decimals, or on rounding each value: { low = …, high = …, round = true }",
            )

    def _is_unit(self, value: float | Fraction) -> bool:
        """Whether a value is a whole number of units, but for the last digits of a float: from 2⁵³ units on it has no finer ones."""
        near = value * int(10**self.decimals)
        if isinstance(near, float):
            return abs(near) >= EXACT or abs(near - round(near)) <= SLIGHT
        return near.denominator == 1

    def _nearest_unit(self, value: float | Fraction) -> int:
        """The nearest unit; from 2⁵³ units on a float would skip some, so it is counted in fractions there."""
        scale = int(10**self.decimals)
        near = value * scale
        return round(Fraction(value) * scale if isinstance(near, float) and abs(near) >= EXACT else near)

    def _refuse_row(self, wrong: Iterable[bool], kind: str, fix: str) -> None:
        row = next((row for row, one in enumerate(wrong, 1) if one), None)
        if row is not None:
            raise TacitError(f"has {kind} in row {row}", code="unsuitable_column", column=self.name, fix=fix)


def parse_column(name: object, given: object) -> NumericColumn:
    """A column of the section ``[task.columns]``."""
    if not isinstance(given, dict) or not {"low", "high"} <= set(given) <= {"low", "high", "decimals", "round"}:
        raise TacitError(
            "has no bounds",
            code="out_of_range",
            column=str(name),
            fix="e.g. age = { low = 0, high = 120, decimals = 0 }",
        )
    low, high, decimals = given["low"], given["high"], given.get("decimals", 0)
    numbers = all(
        isinstance(end, int | float) and not isinstance(end, bool) and abs(end) <= WIDEST for end in (low, high)
    )
    if not numbers or not low < high:
        raise TacitError(
            f"bounds {format_value(low)} and {format_value(high)} are no interval",
            code="out_of_range",
            column=str(name),
            fix="give low < high",
        )
    if not isinstance(decimals, int) or isinstance(decimals, bool) or not 0 <= decimals <= 9:
        raise TacitError(
            f"decimals {format_value(decimals)} is not from 0 to 9",
            code="out_of_range",
            column=str(name),
            fix="e.g. decimals = 2",
        )
    if not isinstance(given.get("round", False), bool):
        raise TacitError(
            f"round {format_value(given['round'])} is not true or false",
            code="not_boolean",
            column=str(name),
            fix="e.g. round = true",
        )
    made = NumericColumn(name=str(name), low=low, high=high, decimals=decimals, may_round=given.get("round", False))
    if made.ends[0] == made.ends[1]:
        raise TacitError(
            f"bounds {low!r} and {high!r} are the same to {decimals} decimals",
            code="unsuitable_column",
            column=str(name),
            fix="agree on more decimals, or on wider bounds",
        )
    return made
