"""How much in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..bounds import Bounds, whole_sum
from ..cost import Cost
from ..event import Event
from ..mechanisms.laplace import Laplace
from ..neighbours import Neighbours
from .estimate import Estimate

__all__ = ["Sum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """The sum of values cut to declared bounds (H-03).

    A record that is added or removed changes it by at most max(|low|, |high|), a record that is replaced by high − low. It
    is added up in whole steps of the grid, exactly, in any order of the records. Time O(n).

    >>> Sum(bounds=Bounds(0, 10), epsilon=1000, neighbours="replace").release([3, 99, -5, float("nan")]).value
    18
    """

    bounds: Bounds
    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", self.noise.epsilon)

    @property
    def noise(self) -> Laplace:
        """The mechanism."""
        low, high = self.bounds.low, self.bounds.high
        furthest = high - low if self.neighbours == "replace" else max(abs(low), abs(high))
        return Laplace(sensitivity=furthest, epsilon=self.epsilon, neighbours=self.neighbours, step=self.bounds.step)

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        return (self.noise.event,)

    @property
    def cost(self) -> Cost:
        """ε."""
        return self.noise.cost

    def release(self, data: Iterable[object]) -> Estimate:
        """The sum, with noise; under replacement a missing value counts as the middle of the bounds, else as nothing."""
        codes, gaps = self.bounds.codes(data)
        middle = (self.bounds.first + self.bounds.last) // 2 if self.neighbours == "replace" else 0
        exact = (whole_sum(codes) + gaps * middle) * self.bounds.step
        furthest = "high − low" if self.neighbours == "replace" else "max(|low|, |high|)"
        return Estimate(
            name="sum",
            value=self.noise.release(exact),
            accuracy=self.noise.half_width(),
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity=f"values are cut to the bounds, so one record changes the sum by at most {furthest}",
            bounds=self.bounds,
        )
