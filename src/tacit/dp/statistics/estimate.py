"""What a statistic answers: the noisy value, how good it is, and what it is a promise of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...result import DisplayMixin, format_fact
from ..bounds import Bounds
from ..cost import Cost, check_positive
from ..event import Event
from ..mechanisms.choice import PermuteAndFlip
from ..mechanisms.laplace import Laplace
from ..neighbours import Neighbours, check_neighbours

WORDS = {"add_remove": "one record added or removed", "replace": "one record replaced"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(DisplayMixin):
    """A value that may be published, with what is needed to read it.

    ``accuracy`` is the half width of an interval around ``value`` that holds the exact answer with a chance of at least
    95 %, computed from what may be published alone (None where it has no meaning: see ``notes``). ``sensitivity`` says in
    one sentence why one person cannot move the answer further.

    >>> print(
    ...     Estimate(
    ...         name="count",
    ...         value=12,
    ...         accuracy=6,
    ...         cost=Cost.of("0.5"),
    ...         neighbours="add_remove",
    ...         sensitivity="one record changes a count by at most 1",
    ...     )
    ... )
    count        12 ± 6
    cost         ε = 0.5
    neighbours   one record added or removed
    sensitivity  one record changes a count by at most 1
    """

    name: str
    value: Any
    accuracy: float | None
    cost: Cost
    neighbours: Neighbours
    sensitivity: str
    bounds: Bounds | None = None
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        value = self.value if isinstance(self.value, Mapping) else {self.name: self.value}
        around = f" ± {format_fact(self.accuracy)}" if self.accuracy is not None else ""
        for name, part in value.items():
            one = part.value if isinstance(part, Estimate) else part
            width = (
                f" ± {format_fact(part.accuracy)}"
                if isinstance(part, Estimate) and part.accuracy is not None
                else around
            )
            yield str(name), format_fact(one) + width
        yield "cost", str(self.cost)
        yield "neighbours", WORDS[self.neighbours]
        yield "sensitivity", self.sensitivity
        if self.bounds is not None:
            yield "bounds", str(self.bounds)
        yield from (("note", note) for note in self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateStatistic:
    """A statistic of one column for a declared ε: its mechanisms, its price, and the form of its answer."""

    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check_positive(self.epsilon, "epsilon"))
        check_neighbours(self.neighbours)
        _ = self.mechanisms  # refuses a sensitivity of 0

    @property
    def mechanisms(self) -> tuple[Laplace | PermuteAndFlip, ...]:
        """What draws the noise, one after the other."""
        raise NotImplementedError

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        return tuple(mechanism.event for mechanism in self.mechanisms)

    @property
    def cost(self) -> Cost:
        """ε."""
        return Cost(self.epsilon)

    def _estimate(
        self, name: str, value: Any, accuracy: float | None, sensitivity: str, *, notes: tuple[str, ...] = ()
    ) -> Estimate:
        return Estimate(
            name=name,
            value=value,
            accuracy=accuracy,
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity=sensitivity,
            bounds=getattr(self, "bounds", None),
            notes=notes,
        )
