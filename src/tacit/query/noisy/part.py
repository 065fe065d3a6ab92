"""A part of an answer to which noise is added: one whole number per group, a sum over its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...dp.mechanisms.noise_distribution import Sensitivity
from ..column import Column
from ..tally import Measure
from .sensitivity import PrivacyDefinition, of_rows, of_units

WIDEST = 2**32
"""A row brings at most about so many grains; sums over two thousand million rows then fit into 64 bits."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Rows, units, known values, or a sum (of squares) about ``centre``, of which ``middle`` is taken per known value.

    A row brings a whole number of ``grain`` from ``low`` to ``high``; a sum is rounded down to whole grains before the
    noise. Parts that several aggregates need are drawn once.
    """

    what: Literal["rows", "units", "present", "sum", "squares"]
    column: str = ""
    centre: int = 0
    middle: int = 0
    low: int = 0
    high: int = 1
    grain: int = 1

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the engine is asked for.

        Known values are counted as the difference of two sums whose centres are one apart.
        """
        if self.what in ("rows", "units"):
            return (Measure(self.what),)
        pair = Measure("sum", self.column, self.centre), Measure("sum", self.column, self.centre - 1)
        if self.what == "sum":
            return pair[:1]
        return pair if self.what == "present" else (Measure("squares", self.column, self.centre), *pair)

    def exact_value(self, tallied: Mapping[Measure, int]) -> int:
        """The true number of grains of a group."""
        figures = [tallied[measure] for measure in self.measures]
        if self.what == "present":
            return figures[1] - figures[0]
        if self.what == "squares":
            return (figures[0] - self.middle * (figures[2] - figures[1])) // self.grain
        return figures[0] // self.grain

    def sensitivity(self, *, groups: int | None, promise: PrivacyDefinition) -> Sensitivity:
        """How far one unit can move it."""
        if self.what == "units":
            return of_units(groups=groups, promise=promise)
        return of_rows(self.low, self.high, groups=groups, promise=promise)


def row_count() -> Part:
    """The number of rows."""
    return Part("rows")


def unit_count(promise: PrivacyDefinition) -> Part:
    """The number of units; where one row of a unit counts, it is the number of rows."""
    return Part("units") if promise.rows > 1 else row_count()


def known_count(column: Column) -> Part:
    """The number of known values of a column."""
    return Part("present", column.name, centre=_bounds_middle(column))


def column_sum(column: Column, *, centred: bool) -> Part:
    """The sum of a column, about the middle of its bounds or as it is."""
    low, high = column.bounds()
    centre = _bounds_middle(column) if centred else 0
    return _with_grain(Part("sum", column.name, centre=centre, low=low - centre, high=high - centre))


def sum_of_squares(column: Column) -> Part:
    """The sum of (v − c)² − m, with c and m in the middle of what values and squares can be: the least reach."""
    low, high = column.bounds()
    centre = _bounds_middle(column)
    most = max(high - centre, centre - low) ** 2
    middle = most // 2
    return _with_grain(Part("squares", column.name, centre=centre, middle=middle, low=-middle, high=most - middle))


def _bounds_middle(column: Column) -> int:
    low, high = column.bounds()
    return (low + high) // 2


def _with_grain(part: Part) -> Part:
    """The same in coarser grains where the numbers are large: rounding moves a sum by less than a 2³²th of one row."""
    grain = max(1, max(abs(part.low), abs(part.high)) // WIDEST)
    return Part(part.what, part.column, part.centre, part.middle, part.low // grain, -(-part.high // grain), grain)
