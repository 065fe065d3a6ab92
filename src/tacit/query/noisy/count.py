"""Noisy numbers of rows, of units, or of known values of a column."""

from __future__ import annotations

from dataclasses import dataclass

from .figure import Drawn, Laws
from .part import Part

__all__ = ["Count"]


@dataclass(frozen=True, slots=True)
class Count:
    """A number plus noise (H-03). It may be negative: cutting at 0 would bias sums of small groups."""

    part: Part

    @property
    def parts(self) -> tuple[Part, ...]:
        """The number itself."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> int:
        """The noisy number."""
        return drawn[self.part]

    def width(self, laws: Laws) -> float:
        """The noise's own quantile."""
        return float(laws[self.part].half_width())

    def width_after(self, drawn: Drawn, laws: Laws) -> float:  # noqa: ARG002  the noise does not depend on the figure
        """As before."""
        return self.width(laws)

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Counts may be negative."""
        return "counts carry noise and may be negative"
