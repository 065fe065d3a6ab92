"""How much of a value must stay open to each side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ...dp.cost import exact
from ...errors import TacitError
from ..column import Column

__all__ = ["Band"]


@dataclass(frozen=True, slots=True)
class Band:
    """max(``absolute``, ``relative`` · |value|) to each side of a value, in the units of the column.

    There is no relative band alone: it would leave nothing open of a value of 0.
    """

    absolute: Fraction
    relative: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.absolute <= 0 or self.relative < 0:
            raise TacitError(
                "a band has an absolute part above 0 and a relative part from 0 on",
                fix="e.g. absolute = 1000, relative = 0.1",
            )

    @classmethod
    def of(cls, absolute: object, relative: object = 0) -> Band:
        """A band from numbers or texts."""
        return cls(exact(absolute, "absolute"), exact(relative, "relative"))

    def widths(self, codes: npt.NDArray[np.int64], column: Column) -> npt.NDArray[np.int64]:
        """The band of each value in whole grid units, rounded up; refused when the bounds have no room for it.

        >>> column = Column(name="x", kind="number", low=0, high=10_000, step=Fraction(1, 10))
        >>> Band.of(3, "0.01").widths(np.array([0, 5000]), column).tolist()
        [30, 50]
        """
        low, high = column.bounds()
        if 2 * self._width(max(abs(low), abs(high)), column) > high - low:
            raise TacitError(
                "has bounds that are nearer to each other than twice its band",
                column=column.name,
                fix="declare a smaller band or wider bounds",
            )
        values, place = np.unique(codes, return_inverse=True)
        return np.array([self._width(abs(int(value)), column) for value in values], np.int64)[place]

    def _width(self, size: int, column: Column) -> int:
        absolute, relative = self.absolute / column.step, self.relative * size
        return -(-max(absolute, relative) // 1)
