"""How much may be spent, by whom, on which data set; checked in exact fractions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ...dp.cost import Cost
from ..refusal import Refusal
from .store import TABLE, Rows

__all__ = ["NOTHING", "Cap", "Scope", "added", "check", "spent"]

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


def spent(rows: Rows, dataset: str, scope: Scope, name: str) -> Cost:
    """The running total after the last charge, of all versions of the data set. One look into an index: O(log n)."""
    more = "" if scope == "dataset" else f"AND {scope} = ? "
    sql = f"SELECT totals FROM {TABLE} WHERE dataset = ? AND kind = 'charge' {more}ORDER BY number DESC LIMIT 1"
    values = (dataset,) if scope == "dataset" else (dataset, name)
    found = next(rows.all(sql, *values), None)
    return NOTHING if found is None else Cost.from_json(json.loads(found[0])[scope])


def added(used: Cost, cost: Cost) -> Cost:
    """Both together; nothing spent is nothing in either unit."""
    if used == NOTHING:
        return cost
    return used if cost.amount == cost.delta == 0 else used + cost


def check(rows: Rows, dataset: str, cost: Cost, caps: Iterable[Cap]) -> None:
    """Refuse a cost that does not fit under every cap."""
    for cap in caps:
        used = spent(rows, dataset, cap.scope, cap.name)
        if not added(used, cost) <= cap.limit:
            left = cap.limit - used if used != NOTHING else cap.limit
            whose = f"the {cap.scope} {cap.name!r} has" if cap.scope != "account" else "this account has"
            raise Refusal(
                "budget",
                f"{whose} {left} left on {dataset!r}, and this costs {cost}",
                fix="spend less on it, or ask the owner; answers that were paid for can be read again for nothing",
            )
