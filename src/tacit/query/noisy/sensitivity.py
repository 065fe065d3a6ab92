"""What differential privacy is promised about, and how far one unit can move the figures of all groups together.

The argument is in ``sensitivity.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ...dp.cost import Unit
from ...dp.mechanisms.noise_distribution import Sensitivity
from ...dp.neighbours import Neighbours, check_neighbours
from ...errors import TacitError, check_int, suggest_alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyDefinition:
    """Unit of account, neighbours, how many rows of a unit count, and the number of units where it is public.

    One data set has one promise: losses under different neighbours cannot be added up. ``size`` belongs to ``replace``,
    under which all neighbours are of one size; otherwise it would tell whether somebody is there.
    """

    unit: Unit
    neighbours: Neighbours
    rows: int
    size: int | None = None

    def __post_init__(self) -> None:
        if self.unit not in get_args(Unit):
            raise TacitError(
                f"unit = {self.unit!r} is not counted",
                code="wrong_type",
                parameter="unit",
                fix=suggest_alternative(str(self.unit), get_args(Unit)),
            )
        check_neighbours(self.neighbours)
        check_int("rows_per_unit", self.rows, least=1)
        if self.size is not None:
            check_int("size", self.size, least=1)
            if self.neighbours != "replace":
                raise TacitError(
                    "a public size and neighbours = 'add_remove' cannot be: the size tells whether one is there",
                    code="invalid_service",
                    fix="leave size out, or set neighbours = 'replace'",
                )


def of_rows(low: int, high: int, *, groups: int | None, promise: PrivacyDefinition) -> Sensitivity:
    """The reach of sums to which each row brings a whole number from ``low`` to ``high``, or nothing at all.

    With k rows per unit, w = max(|low|, |high|) and h = max(high, 0) − min(low, 0)::

        add/remove             Δ₁ = k·w     Δ₂² = (k·w)²
        replace, one group     Δ₁ = k·h     Δ₂² = (k·h)²
        replace, more groups   Δ₁ = 2k·w    Δ₂² = k²·max(h², 2w²)

    ``groups`` is None where their number is not known. A column that cannot vary counts as one that can, by one step.

    >>> of_rows(0, 1, groups=1, promise=PrivacyDefinition(unit="epsilon", neighbours="add_remove", rows=3))
    Sensitivity(l1=3, l2_squared=9)
    """
    k, w = promise.rows, max(abs(low), abs(high), 1)
    if promise.neighbours == "add_remove":
        return Sensitivity(k * w, (k * w) ** 2)
    h = max(high, 0) - min(low, 0)
    if groups == 1:
        return Sensitivity(k * max(h, 1), (k * max(h, 1)) ** 2)
    return Sensitivity(2 * k * w, k * k * max(h * h, 2 * w * w))


def of_units(*, groups: int | None, promise: PrivacyDefinition) -> Sensitivity:
    """The reach of the numbers of units per group: a unit is in at most k groups, with one in each.

    Add/remove: m = min(k, groups) figures move by one; replace: at most min(2m, groups). Δ₁ = Δ₂² = that number.
    """
    known = max(groups, 1) if groups is not None else 2 * promise.rows
    once = min(promise.rows, known)
    moved = once if promise.neighbours == "add_remove" else min(2 * once, known)
    return Sensitivity(moved, moved)
