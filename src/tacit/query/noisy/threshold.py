"""Keys without a public list: a group is shown when its noisy number of units is above a threshold (``threshold.md``)."""

from __future__ import annotations

from fractions import Fraction

from .law import Law
from .promise import Promise

__all__ = ["threshold"]


def threshold(law: Law, delta: Fraction, promise: Promise) -> int:
    """The τ such that the groups of one unit alone show up with a chance of at most δ.

    A unit alone makes at most k groups of one unit each (2k where one takes another's place), and shows one if
    1 + Z > τ, that is Z ≥ τ: so k·P(Z ≥ τ) ≤ δ.

    >>> threshold(Law("epsilon", 1.0), Fraction(1, 10**6), Promise(unit="epsilon", neighbours="add_remove", rows=1))
    14
    """
    alone = promise.rows if promise.neighbours == "add_remove" else 2 * promise.rows
    return law.rarely(float(delta / alone))
