"""A budget in memory that cannot be overspent: exact fractions, one neighbour relation, charged before the answer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Protocol

from ..errors import TacitError
from .accounting.zcdp import brought_delta
from .cost import Cost, sum_costs
from .event import Event
from .neighbours import Neighbours, check_neighbours, one_kind
from .statistics.estimate import Estimate


class Statistic(Protocol):
    """Whatever knows its price and neighbours before it is asked."""

    @property
    def neighbours(self) -> Neighbours:
        """For whom the price holds."""
        ...

    @property
    def cost(self) -> Cost:
        """The price."""
        ...

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        ...

    def release(self, *data: object) -> Estimate:
        """The answer."""
        ...


@dataclass(frozen=True, slots=True)
class Charge:
    """One line of a ledger."""

    cost: Cost
    what: str


class Ledger:
    """A budget of ε (or ρ) and δ for one data set, and what was charged to it.

    Sums are of exact fractions: ten times 0.1 is 1, and 1.0000000000000002 is more. A charge that does not fit is refused
    and changes nothing; none is ever taken back, because whether an answer failed may depend on the data.

    >>> ledger = Ledger(Cost.of(1), neighbours="add_remove")
    >>> for _ in range(10):
    ...     _ = ledger.charge(Cost.of("0.1"), neighbours="add_remove")
    >>> ledger.spent == Cost.of(1), str(ledger.left)
    (True, 'ε = 0')
    """

    __slots__ = ("_charges", "_lock", "budget", "neighbours")

    def __init__(self, budget: Cost, *, neighbours: Neighbours) -> None:
        check_neighbours(neighbours)
        if not isinstance(budget, Cost) or not budget.amount:
            raise TacitError(
                "a ledger has a budget above 0",
                code="out_of_range",
                fix="e.g. Ledger(Cost.of(1), neighbours='add_remove')",
            )
        self.budget, self.neighbours = budget, neighbours
        self._charges: tuple[Charge, ...] = ()
        self._lock = Lock()

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Every charge, the oldest first."""
        return self._charges

    @property
    def spent(self) -> Cost:
        """The sum of all charges."""
        return sum_costs((charge.cost for charge in self._charges), self.budget.unit)

    @property
    def left(self) -> Cost:
        """What can still be charged."""
        return self.budget - self.spent

    def charge(self, cost: Cost, *, neighbours: Neighbours, what: str = "") -> Charge:
        """Charge a cost, or refuse it; two threads never spend the same rest."""
        one_kind((self.neighbours, neighbours))
        with self._lock:
            if not self.spent + cost <= self.budget:
                raise TacitError(
                    f"it costs {cost}, and {self.left} is left",
                    code="too_few_records",
                    fix="ask for less, or ask the owner",
                )
            charged = Charge(cost, what)
            self._charges = (*self._charges, charged)
        return charged

    def price(self, statistic: Statistic) -> Cost:
        """What a statistic costs here: as declared, or as ρ where the budget is one."""
        if self.budget.unit == "rho" and statistic.cost.unit == "epsilon":
            rho = sum((event.rho for event in statistic.events), Fraction(0))
            return Cost(rho, brought_delta(statistic.events), "rho")
        return statistic.cost

    def answer(self, statistic: Statistic, *data: object) -> Estimate:
        """Charge a statistic, then release it."""
        self.charge(self.price(statistic), neighbours=statistic.neighbours, what=type(statistic).__name__)
        return statistic.release(*data)

    def __repr__(self) -> str:
        return f"<Ledger {self.left} of {self.budget} left, {self.neighbours}>"
