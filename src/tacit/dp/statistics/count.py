"""How many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..cost import Cost
from ..event import Event
from ..keys import entries, missing
from ..mechanisms.laplace import Laplace
from ..neighbours import Neighbours
from .estimate import Estimate

__all__ = ["Count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many records: those that hold a value, of truth values those that are true (H-03).

    One record changes a count by at most 1, added, removed or replaced, so that Laplace noise of scale 1/ε is enough. A
    count below 0 is shown as 0. Time O(n).

    >>> Count(epsilon=1000, neighbours="add_remove").release([True, False, True, None]).value
    2
    """

    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", self.noise.epsilon)

    @property
    def noise(self) -> Laplace:
        """The mechanism."""
        return Laplace(sensitivity=Fraction(1), epsilon=self.epsilon, neighbours=self.neighbours)

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        return (self.noise.event,)

    @property
    def cost(self) -> Cost:
        """ε."""
        return self.noise.cost

    def release(self, data: Iterable[object]) -> Estimate:
        """The count, with noise."""
        exact = sum(not missing(value) and value is not False for value in entries(data))
        return Estimate(
            name="count",
            value=max(0, int(self.noise.release(exact))),
            accuracy=self.noise.half_width(),
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity="one record changes a count by at most 1",
        )
