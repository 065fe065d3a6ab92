"""How spread out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..bounds import Bounds
from ..cost import Cost, positive
from ..event import Event
from ..neighbours import Neighbours
from .estimate import Estimate
from .moments import Moments, declared_size, outside, ratio

__all__ = ["Variance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance:
    r"""The variance (division by n) of values cut to declared bounds, between 0 and (high − low)²/4 (H-03).

    :math:`\tilde Q/\tilde n - (\tilde S/\tilde n)^2` from the noisy sums of deviations from the middle of the bounds and of
    their squares, and from the number of records as in :class:`~tacit.dp.Mean`; ε is shared equally. Time O(n).
    """

    bounds: Bounds
    epsilon: Fraction
    neighbours: Neighbours
    size: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        declared_size(self.neighbours, self.size)

    @property
    def moments(self) -> Moments:
        """The noisy figures behind it."""
        return Moments(
            bounds=self.bounds, epsilon=self.epsilon, neighbours=self.neighbours, size=self.size, squares=True
        )

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        return self.moments.events

    @property
    def cost(self) -> Cost:
        """ε."""
        return Cost(self.epsilon)

    def release(self, data: Iterable[object]) -> Estimate:
        """The variance, with noise."""
        moments = self.moments
        number, deviations, squares = moments.release(data)
        most = (self.bounds.high - self.bounds.low) ** 2 / 4

        def variance(square: Fraction, mean_squared: Fraction) -> float:
            found = (square * moments.unit - mean_squared) * self.bounds.step**2 / 4
            return float(max(Fraction(0), min(most, found)))

        least = max(number.value, Fraction(1))
        value = variance(squares.value / least, (deviations.value / least) ** 2)
        (low, high), (left, right) = ratio(squares, number), ratio(deviations, number)
        nearest = Fraction(0) if left <= 0 <= right else min(left**2, right**2)
        return Estimate(
            name="variance",
            value=value,
            accuracy=outside(value, variance(low, max(left**2, right**2)), variance(high, nearest)),
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity="values are cut to the bounds, so one record changes the sum of squares about the middle by at "
            "most (high − low)²/4, and sum and number as in a mean; ε is shared",
            bounds=self.bounds,
        )
