"""Noisy means: a noisy sum about the middle of the bounds, over a noisy or a public number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..column import Column
from .figure import Drawn, Laws
from .part import Part, present, total
from .ratio import ratio, ratio_error

__all__ = ["Mean"]


@dataclass(frozen=True, slots=True)
class Mean:
    """c + S̃/Ñ cut to the bounds, with S = Σ(v − c) and c the middle of the bounds (H-02, H-03).

    Any number of rows will do, none included: the answer is then the middle, or near it. With a public ``size`` nothing
    is spent on the number, and a missing value counts as the middle.
    """

    column: Column
    size: int | None
    total: Part
    known: Part

    @classmethod
    def of(cls, column: Column, size: int | None) -> Mean:
        """The noisy mean of a column with declared bounds."""
        return cls(column, size, total(column, centred=True), present(column))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The centred sum, and the number of known values unless it is public."""
        return (self.total,) if self.size is not None else (self.total, self.known)

    @property
    def most(self) -> int:
        """How far from the middle a mean can be."""
        return max(abs(self.total.low), self.total.high) * self.total.grain

    def offset(self, drawn: Drawn) -> Fraction:
        """The noisy mean about the middle, cut to the bounds."""
        low, high = self.column.bounds()
        raw = ratio(drawn[self.total] * self.total.grain, self.number(drawn))
        return max(Fraction(low - self.total.centre), min(Fraction(high - self.total.centre), raw))

    def number(self, drawn: Drawn) -> int:
        """The public number of rows, or the noisy one."""
        return self.size if self.size is not None else drawn[self.known]

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy mean."""
        return self.column.number(self.total.centre + self.offset(drawn))

    def width(self, laws: Laws) -> float | None:
        """Known beforehand where the number is public."""
        if self.size is None:
            return None
        return float(Fraction(self._total_error(laws, 0.05), self.size) * self.column.step)

    def width_after(self, drawn: Drawn, laws: Laws) -> float:
        """From the noisy sum and number of the group; half of the 5 % for each."""
        return float(self.error(drawn, laws, miss=0.025) * self.column.step)

    def error(self, drawn: Drawn, laws: Laws, *, miss: float) -> Fraction:
        """The half-width in steps, each part missing its own with a chance of ``miss``."""
        of_total, of_number = self._total_error(laws, miss), self.number_error(laws, miss)
        return ratio_error(
            self.offset(drawn), self.number(drawn), of_total=of_total, of_number=of_number, most=self.most
        )

    def number_error(self, laws: Laws, miss: float) -> int:
        """The half-width of the number of rows; 0 where it is public."""
        return 0 if self.size is not None else laws[self.known].half_width(miss)

    def note(self, laws: Laws) -> str:
        """The error of a group of n rows at the worst."""
        if self.size is not None:
            return f"the mean of {self.column.name!r} is over {self.size} rows; a missing value counts as the middle"
        worst = self._total_error(laws, 0.025) + self.most * self.number_error(laws, 0.025)
        shown = float(worst * self.column.step)
        return (
            f"the mean of {self.column.name!r} over n rows is off by at most about {shown:.4g}/n in 95 of 100 answers"
        )

    def _total_error(self, laws: Laws, miss: float) -> int:
        return laws[self.total].half_width(miss) * self.total.grain + self.total.grain - 1
