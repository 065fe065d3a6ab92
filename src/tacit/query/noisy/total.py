"""Noisy sums of a column."""

from __future__ import annotations

from dataclasses import dataclass

from ..column import Column
from .figure import Drawn, Laws
from .part import Part, total

__all__ = ["Total"]


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the values, each cut to the declared bounds, plus noise (H-03); missing values bring nothing."""

    column: Column
    part: Part

    @classmethod
    def of(cls, column: Column) -> Total:
        """The noisy sum of a column with declared bounds."""
        return cls(column, total(column, centred=False))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The sum alone."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy sum, a whole number of steps of the declared grid."""
        return self.column.number(drawn[self.part] * self.part.grain)

    def width(self, laws: Laws) -> float:
        """The noise's own quantile, and the rounding to grains where there is one."""
        grain = self.part.grain
        return float(self.column.number(laws[self.part].half_width() * grain + (grain - 1)))

    def width_after(self, drawn: Drawn, laws: Laws) -> float:  # noqa: ARG002  the noise does not depend on the figure
        """As before."""
        return self.width(laws)

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Bounds are part of the question."""
        low, high = (self.column.shown(end) for end in self.column.bounds())
        return f"values of {self.column.name!r} count as {low} to {high}"
