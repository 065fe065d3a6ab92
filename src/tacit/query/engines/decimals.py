"""Numbers to grid units without rounding errors: the same whole-number formula in every engine.

A value v lies at code c = ⌊v/step + 1/2⌋: the nearest grid point, the upper one of two equally near. With step = p/q and
v = u/10^s that is

    c = b + ⌊(2uq + P − 2bP) / 2P⌋,   P = p·10^s,   b = low − 1,

where the numerator is not negative, so that every engine's division rounds the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...errors import TacitError
from ..column import Column
from .layout import Layout

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
"""A text that is a number; anything else is a missing value, and so are NaN and infinity."""

_HUGE = 2**126
_MOST = 18


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid of a column: first and last code, step, and up to which values the formula is needed at all."""

    low: int
    high: int
    step: Fraction

    @classmethod
    def of(cls, column: Column) -> Grid:
        """The grid of a declared column."""
        grid = cls(*Layout.code_range(column), column.step)
        if grid.digits < 6:
            raise TacitError("has bounds too wide for its step", column=column.name, fix="declare nearer bounds")
        return grid

    @property
    def max_value(self) -> int:
        """A value beyond ± this is beyond the bounds."""
        return int(2 * max(abs(self.low), abs(self.high), 1) * self.step) + 1

    @property
    def digits(self) -> int:
        """Decimals s that are kept of a value, so that 128 bits hold every term."""
        room = _HUGE // (10 * self.max_value * self.step.denominator)
        return min(_MOST, len(str(room)) - 1 if room else -1)

    def code_expression(self, units: str, digits: int, quotient: str) -> str:
        """The formula for u = ``units`` with s = ``digits``; ``quotient`` divides, e.g. ``"({} // {})"``. Not yet cut."""
        p, q = self.step.numerator * 10**digits, self.step.denominator
        start = self.low - 1
        return f"{start} + " + quotient.format(f"({units} * {2 * q} + {p - 2 * start * p})", 2 * p)

    def clip_expression(self, code: str) -> str:
        """A code within the bounds; a missing one stays missing."""
        return (
            f"CASE WHEN {code} < {self.low} THEN {self.low} WHEN {code} > {self.high} THEN {self.high} ELSE {code} END"
        )
