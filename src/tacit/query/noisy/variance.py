"""Noisy variances, from noisy squares, sum and number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..column import Column
from .figure import Drawn, Laws
from .mean import Mean
from .part import Part, squares
from .ratio import ratio, ratio_error

__all__ = ["Variance"]


@dataclass(frozen=True, slots=True)
class Variance:
    """The sample variance Ñ/(Ñ − 1)·(m + Q̃/Ñ − (S̃/Ñ)²), with Q = Σ((v − c)² − m) and S = Σ(v − c).

    The part before the factor is cut to 0 … (high − low)²/4, the most that values within the bounds can have.
    """

    mean: Mean
    square: Part

    @classmethod
    def of(cls, column: Column, size: int | None) -> Variance:
        """The noisy variance of a column with declared bounds; it shares the parts of the mean."""
        return cls(Mean.of(column, size), squares(column))

    @property
    def column(self) -> Column:
        """The column."""
        return self.mean.column

    @property
    def parts(self) -> tuple[Part, ...]:
        """Squares, sum, and the number unless it is public."""
        return (self.square, *self.mean.parts)

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy variance, in squared units."""
        low, high = self.column.bounds()
        number = max(self.mean.number(drawn), 2)
        raw = self.square.middle + self._squares(drawn) - self.mean.offset(drawn) ** 2
        cut = max(Fraction(0), min(Fraction((high - low) ** 2, 4), raw))
        return self.column.number(cut * Fraction(number, number - 1) * self.column.step)

    def width(self, laws: Laws) -> None:  # noqa: ARG002
        """Not known beforehand: it depends on the number of rows and on the mean."""
        return

    def width_after(self, drawn: Drawn, laws: Laws) -> float:
        """|Ṽ − V| ≤ e_Q + e_S·(2|S̃/Ñ| + e_S), a third of the 5 % for each part; of the factor, its share of it."""
        miss = 0.05 / 3
        number, offset = self.mean.number(drawn), self.mean.offset(drawn)
        of_mean = self.mean.error(drawn, laws, miss=miss)
        square = self.square
        of_squares = ratio_error(
            self._squares(drawn),
            number,
            of_total=(laws[square].half_width(miss) + 1) * square.grain,
            of_number=self.mean.number_error(laws, miss),
            most=square.high * square.grain,
        )
        factor = Fraction(max(number, 2), max(number, 2) - 1)
        return float((of_squares + of_mean * (2 * abs(offset) + of_mean)) * factor * self.column.step**2)

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Variances need many rows."""
        return f"the variance of {self.column.name!r} is known better the larger the group; of small groups it is noise"

    def _squares(self, drawn: Drawn) -> Fraction:
        return ratio(drawn[self.square] * self.square.grain, self.mean.number(drawn))
