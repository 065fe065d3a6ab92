r"""A mean that is taught and is *not* differentially private: never use it, see why the auditor rejects it.

The recipe for values from low to high: add Laplace noise of scale (high − low)/(nε) to the mean of the n records, and cut the
*output* to the bounds; with no record, answer low or high with chance :math:`\tfrac12 e^{-\varepsilon/2}` each, else any value
between. It looks right and fails twice.

1. The *inputs* are not cut. One salary of 1 000 replaced by 100 000 moves the mean of ten by 9 900, which is 49.5 scales of the
   noise for values from 2 000 to 4 000 and ε = 1: the chance to answer 2 000 changes by a factor of :math:`e^{49.5}`.
2. The number of records is used *as it is*. Even with inputs cut, {0} and {0, 1} with bounds 0 and 1 have densities at ½ that
   differ by a factor of :math:`2e^{\varepsilon/2}`, 3.30 at ε = 1, where e is allowed.

:class:`tacit.dp.Mean` is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from .bounds import Bounds, whole_sum
from .cost import check_positive
from .keys import column_values
from .mechanisms.choice import PermuteAndFlip
from .mechanisms.on_grid import in_steps
from .noise import laplace_scale, with_laplace

BETWEEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TextbookMean:
    """The recipe; ``cut`` cuts the inputs to the bounds, which mends the first failure and not the second."""

    bounds: Bounds
    epsilon: Fraction
    cut: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check_positive(self.epsilon, "epsilon"))

    def draw_answers(self, data: Iterable[object], runs: int) -> list[float]:
        """So many independent answers about the same data."""
        values = column_values(data)
        first, last = self.bounds.first, self.bounds.last
        noisy = with_laplace([self._centre_in_steps(values)] * runs, self._noise_scale(len(values)))
        answers = [max(first, min(last, step)) for step in noisy]
        if not values:
            answers = [step if step in (first, last) else self._random_step() for step in answers]
        step = float(self.bounds.step)
        return [answer * step for answer in answers]

    def end_chances(self, data: Iterable[object]) -> tuple[float, float]:
        """The chances to answer exactly low and exactly high, for continuous noise and a mean within the bounds."""
        values = column_values(data)
        centre, scale = self._centre_in_steps(values), self._noise_scale(len(values))
        low, high = (centre - self.bounds.first) / scale, (self.bounds.last - centre) / scale
        return math.exp(-low) / 2, math.exp(-high) / 2

    def _centre_in_steps(self, values: list[object]) -> int:
        if not values:
            return in_steps(self.bounds.middle, self.bounds.step)
        if self.cut:
            return in_steps(whole_sum(self.bounds.codes(values)[0]) * self.bounds.step / len(values), self.bounds.step)
        return in_steps(sum(Fraction(str(value)) for value in values) / len(values), self.bounds.step)

    def _noise_scale(self, size: int) -> float:
        return laplace_scale(Fraction(self.bounds.width, max(size, 1)), self.epsilon)

    def _random_step(self) -> int:
        """Any place between the bounds: a choice among equal scores."""
        equal = PermuteAndFlip(sensitivity=Fraction(1), epsilon=Fraction(1), neighbours="replace")
        return self.bounds.first + (1 + equal.release([0] * (BETWEEN - 1))) * self.bounds.width // BETWEEN


def empty_chances(epsilon: object) -> tuple[float, float, float]:
    r"""The chances of low, of high and of a value between when there is no record: :math:`\tfrac12 e^{-\varepsilon/2}` twice.

    >>> [round(chance, 4) for chance in empty_chances(1)]
    [0.3033, 0.3033, 0.3935]
    """
    end = math.exp(-float(check_positive(epsilon, "epsilon")) / 2) / 2
    return end, end, 1 - 2 * end
