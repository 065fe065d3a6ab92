"""Declared bounds and the grid between them: how a value becomes a whole number before anything is added up.

Bounds are public and declared, never read off the data: the largest salary would give away whose it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..errors import TacitError, format_value
from .cost import check_positive, to_fraction

if TYPE_CHECKING:
    import numpy as np


MOST_STEPS = 2**53
"""Up to here every whole number is a floating-point number, so that codes are exact."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Values from ``low`` to ``high`` in steps of ``step``; both ends lie on the grid.

    Whatever a record holds becomes a place on this grid by a rule about that record alone: a number outside is cut to the
    nearer bound (±∞ too), a number between two places goes to the nearer, and what is no number (NaN, missing, text) is
    missing. Statistics of neighbours by adding and removing leave a missing value out; those of neighbours by replacement
    put it in the middle.

    >>> Bounds(0, 100, step="0.5").codes([3.2, 1e300, "x", None])[0].tolist()
    [6, 200]
    """

    low: Fraction
    high: Fraction
    step: Fraction

    def __init__(self, low: object, high: object, step: object = 1) -> None:
        parts = to_fraction(low, "low"), to_fraction(high, "high"), check_positive(step, "step")
        for name, part in zip(("low", "high", "step"), parts, strict=True):
            object.__setattr__(self, name, part)
        if self.low >= self.high:
            raise TacitError(
                f"low={format_value(low)} is not below high={format_value(high)}",
                code="out_of_range",
                parameter="low",
                fix="declare what values can be, low first",
            )
        if any((bound / self.step).denominator != 1 for bound in (self.low, self.high)):
            raise TacitError(
                f"low={format_value(low)} and high={format_value(high)} are not multiples of step={format_value(step)}",
                code="wrong_type",
                parameter="low",
                fix="declare bounds on the grid",
            )
        if max(abs(self.low), abs(self.high)) / self.step > MOST_STEPS:
            raise TacitError(
                "the bounds are more than 2**53 steps from 0", code="out_of_range", fix="declare a coarser step"
            )

    @property
    def first(self) -> int:
        """The lower bound in steps."""
        return int(self.low / self.step)

    @property
    def last(self) -> int:
        """The upper bound in steps."""
        return int(self.high / self.step)

    @property
    def width(self) -> int:
        """How many steps the bounds are apart."""
        return self.last - self.first

    @property
    def middle(self) -> Fraction:
        """Half way between the bounds."""
        return (self.low + self.high) / 2

    def clip_value(self, value: Fraction) -> float:
        """A value cut to the bounds (post-processing)."""
        return float(max(self.low, min(self.high, value)))

    def codes(self, data: Iterable[object]) -> tuple[np.ndarray, int]:
        """The known values in steps, each cut to the bounds, and how many values are missing. O(n)."""
        import numpy as np

        numbers = _to_floats(data)
        known = numbers[~np.isnan(numbers)]
        steps = np.floor(np.clip(known, float(self.low), float(self.high)) / float(self.step) + 0.5)
        return np.clip(steps, self.first, self.last).astype(np.int64), len(numbers) - len(known)

    def __str__(self) -> str:
        return f"{float(self.low):g} to {float(self.high):g} in steps of {float(self.step):g}"


def _to_floats(data: Any) -> np.ndarray:
    """Each record as a floating-point number, NaN where it holds none; a huge whole number is infinite."""
    import numpy as np

    if isinstance(data, str | bytes) or not isinstance(data, Iterable) or getattr(data, "ndim", 1) != 1:
        raise TacitError(
            "the data are not a list of values", code="wrong_type", fix="give one column, e.g. frame['age']"
        )
    if isinstance(data, np.ma.MaskedArray):
        data = data.tolist()
    if hasattr(data, "dtype"):
        array = np.asarray(data)
        if array.dtype.kind in "fiub":
            return array.astype(np.float64)
        data = array.tolist()
    return np.fromiter((_to_float(value) for value in data), np.float64)


def _to_float(value: object) -> float:
    if not isinstance(value, Real | Decimal):
        return float("nan")
    try:
        return float(value)
    except ValueError:  # a signalling NaN
        return float("nan")
    except OverflowError:
        return float("inf") if value > Fraction(0) else float("-inf")


def whole_sum(codes: np.ndarray) -> int:
    """The exact sum of 64-bit whole numbers, however many: high and low halves are added apart. O(n).

    >>> import numpy as np
    >>> whole_sum(np.array([2**62, 2**62, 2**62]))
    13835058055282163712
    """
    return (int((codes >> 26).sum()) << 26) + int((codes & (2**26 - 1)).sum())
