"""How much of a value must stay open to each side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...dp.cost import to_fraction
from ...errors import TacitError
from ..column import Column


@dataclass(frozen=True, slots=True)
class Band:
    """``absolute`` to each side of every value, in the units of the column.

    There is no band relative to the value: its width would tell the value to whoever knows how the intervals are made.
    """

    absolute: Fraction

    def __post_init__(self) -> None:
        if self.absolute <= 0:
            raise TacitError("a band is above 0", code="out_of_range", fix="e.g. absolute = 1000")

    @classmethod
    def of(cls, absolute: object) -> Band:
        """A band from a number or text."""
        return cls(to_fraction(absolute, "absolute"))

    def width(self, column: Column) -> int:
        """The band in whole grid units, rounded up; refused when the bounds have no room for it.

        >>> Band.of(3).width(Column(name="x", kind="number", low=0, high=10_000, step=Fraction(1, 10)))
        30
        """
        low, high = column.bounds()
        found = int(-(-self.absolute / column.step // 1))
        if 2 * found > high - low:
            raise TacitError(
                "has bounds that are nearer to each other than twice its band",
                code="conflicting_parameters",
                column=column.name,
                fix="declare a smaller band or wider bounds",
            )
        return found
