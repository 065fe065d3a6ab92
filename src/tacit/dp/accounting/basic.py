"""Costs that add up exactly: one after the other, and side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...errors import TacitError
from ..cost import Cost, total
from ..event import Event
from ..neighbours import one_kind

__all__ = ["basic", "parallel"]


def basic(events: Sequence[Event]) -> Cost:
    """The sum of all costs: of ε and δ, or of ρ.

    References
    ----------
    Dwork, Kenthapadi, McSherry, Mironov, Naor (2006), Our data, ourselves, EUROCRYPT. Bun, Steinke (2016) for ρ.
    """
    one_kind(event.neighbours for event in events)
    return total((event.cost for event in events), events[0].cost.unit)


def parallel(parts: Sequence[Sequence[Event]]) -> Cost:
    """The cost of answers about disjoint parts of the data: that of the dearest part (H-04).

    A person who is added or removed is in one part only. A person who is *replaced* may leave one part and enter another, so
    that the two dearest parts count; the mechanisms of a part are then those for adding and removing, told for replacement.

    References
    ----------
    McSherry (2009), Privacy integrated queries, SIGMOD.
    """
    neighbours = one_kind(event.neighbours for part in parts for event in part)
    costs = [basic(part) for part in parts if part]
    if len({cost.unit for cost in costs}) > 1:
        raise TacitError("ε and ρ cannot be compared", fix="convert one of them first")
    touched = 2 if neighbours == "replace" else 1
    return Cost(
        _largest((cost.amount for cost in costs), touched),
        _largest((cost.delta for cost in costs), touched),
        costs[0].unit,
    )


def _largest(amounts: Iterable[Fraction], count: int) -> Fraction:
    return sum(sorted(amounts, reverse=True)[:count], Fraction(0))
