"""How much may be spent, by whom, on which data set; checked in exact fractions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ...dp.cost import Cost
from ..refusal import Refusal
from .lines import SELECT, read_line
from .store import Rows

GRID = 10**9
"""Amounts are charged in whole multiples of 1/GRID."""

Scope = Literal["dataset", "project", "account"]
"""Whose spending is counted: everybody's, a project's, or an account's, always on one data set."""

NOTHING = Cost(Fraction(0))
"""What was spent before the first charge."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be spent on a data set by all, by a project or by an account."""

    scope: Scope
    name: str
    limit: Cost

    def as_json(self, used: Cost) -> dict[str, Any]:
        """Limit, spent and left."""
        left = self.limit - used if used != NOTHING else self.limit
        return {
            "scope": self.scope,
            "name": self.name,
            "limit": self.limit.as_json(),
            "spent": used.as_json() | {"unit": self.limit.unit},
            "left": left.as_json(),
            "text": f"{left} of {self.limit} left",
        }


def total_spent(rows: Rows, dataset: str, scope: Scope, name: str) -> Cost:
    """The running total after the last charge, of all versions of the data set. Two looks into an index: O(log n).

    The total is on the grid: an older ledger may hold other fractions, whose sums would grow with every denominator.
    """
    more = "" if scope == "dataset" else f"AND {scope} = ? "
    sql = f"{SELECT} WHERE dataset = ? AND kind = 'charge' {more}ORDER BY number DESC LIMIT 1"
    values = (dataset,) if scope == "dataset" else (dataset, name)
    found = read_line(rows, sql, *values)
    return NOTHING if found is None else on_grid(Cost.from_json(json.loads(found.totals)[scope]))


def on_grid(cost: Cost) -> Cost:
    """The cost with its amount rounded up to a multiple of 10⁻⁹, so that totals stay short whatever was spent.

    >>> on_grid(Cost.of("1/3")).amount, on_grid(Cost.of("0.25")).amount
    (Fraction(166666667, 500000000), Fraction(1, 4))
    """
    return Cost(Fraction(-(-cost.amount * GRID // 1), GRID), cost.delta, cost.unit)


def add_costs(used: Cost, cost: Cost) -> Cost:
    """Both together; nothing spent is nothing in either unit."""
    if used == NOTHING:
        return cost
    return used if cost.amount == cost.delta == 0 else used + cost


def check_caps(rows: Rows, dataset: str, cost: Cost, caps: Iterable[Cap]) -> None:
    """Refuse a cost that does not fit under every cap."""
    for cap in caps:
        used = total_spent(rows, dataset, cap.scope, cap.name)
        if not add_costs(used, cost) <= cap.limit:
            left = cap.limit - used if used != NOTHING else cap.limit
            whose = f"the {cap.scope} {cap.name!r} has" if cap.scope != "account" else "this account has"
            raise Refusal(
                "budget",
                f"{whose} {left} left on {dataset!r}, and this costs {cost}",
                fix="spend less on it, or ask the owner; answers that were paid for can be read again for nothing",
            )
