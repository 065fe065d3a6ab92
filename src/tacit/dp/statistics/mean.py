"""How much on average."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    r"""The mean of values cut to declared bounds, always within them (H-02, in its safe forms).

    With middle c of the bounds and :math:`S = \sum (x - c)`, the answer is :math:`c + \tilde S/\max(\tilde n, 1)`, cut to the
    bounds.

    * ``neighbours="replace"``: the number n = ``size`` is public, a promise that is checked; all ε goes to the sum, whose
      noise has scale (high − low)/ε.
    * ``neighbours="add_remove"``: n is private and gets noise of scale 2/ε; the sum about the middle moves by at most
      (high − low)/2 and gets (high − low)/ε.

    The empty database goes the same way as every other one: the answer is then noise about the middle, never an error, which
    would tell that nobody is there. A form that is often taught adds up values that are not cut
    and uses n as it is; it is not differentially private (:mod:`tacit.dp.teaching`). Time O(n).

    >>> from tacit.dp import Bounds
    >>> mean = Mean(bounds=Bounds(2000, 4000), epsilon=10**6, neighbours="replace", size=10)
    >>> salaries = [1000, 2000, 3000, 2000, 1000, 6000, 2000, 10000, 2000, 4000]
    >>> round(mean.release(salaries).value)
    2700
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
            bounds=self.bounds, epsilon=self.epsilon, neighbours=self.neighbours, size=self.size, squares=False
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
        """The mean, with noise."""
        number, deviations, _ = self.moments.release(data)
        half_step = self.bounds.step / 2

        def mean(deviation: Fraction) -> float:
            return self.bounds.within(self.bounds.middle + deviation * half_step)

        value = mean(deviations.value / max(number.value, Fraction(1)))
        low, high = ratio(deviations, number)
        return Estimate(
            name="mean",
            value=value,
            accuracy=outside(value, mean(low), mean(high)),
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity=_PROOF[self.neighbours],
            bounds=self.bounds,
        )


_PROOF: dict[Neighbours, str] = {
    "replace": "values are cut to the bounds and n is public, so one record changes the mean by at most (high − low)/n",
    "add_remove": "one record changes the sum about the middle by at most (high − low)/2 and the number by 1; ε is halved",
}
