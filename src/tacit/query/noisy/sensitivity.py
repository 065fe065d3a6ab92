"""How far one unit can move the figures of all groups together; the argument is in ``sensitivity.md``."""

from __future__ import annotations

from dataclasses import dataclass

from .privacy_definition import PrivacyDefinition


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest change of a vector of group figures: sum of the absolute changes, and sum of their squares.

    Laplace noise answers for the first (Δ₁), Gaussian noise for the second (Δ₂²).
    """

    l1: int
    l2_squared: int


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
