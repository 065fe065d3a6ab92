"""From when on a pattern counts as found: support as a share or a number, confidence as a share, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from ...errors import TacitError, format_value
from ..parameters import is_number

FINEST = 10_000
"""Shares are read as the nearest fraction with a denominator up to here: 0.7 is 7/10, 1/3 a third."""


def share_of(value: object, name: str, *, zero: bool) -> Fraction:
    """A share as a fraction, from 0 (or above it) to 1."""
    if not is_number(value) or not 0 <= value <= 1 or (value == 0 and not zero):  # type: ignore[operator]
        raise TacitError(
            f"{name}={format_value(value)} is no share {'from' if zero else 'above'} 0 to 1",
            code="out_of_range",
            parameter=name,
            fix=f"e.g. {name}=0.3 for 30 %",
        )
    found = Fraction(value).limit_denominator(FINEST)  # type: ignore[call-overload]
    return found if found or zero else Fraction(1, FINEST)


def least_count(minsup: object, size: int) -> int:
    """The number of transactions from which on a set is frequent: ``minsup`` itself if whole, its share else.

    >>> least_count(3, 10), least_count(0.25, 10), least_count(1.0, 10)
    (3, 3, 10)
    """
    if isinstance(minsup, int) and not isinstance(minsup, bool):
        if not 1 <= minsup <= max(size, 1):
            raise TacitError(
                f"minsup={minsup} is no number of transactions from 1 to {size}",
                code="wrong_kind",
                parameter="minsup",
                fix="a whole number counts transactions; for a share write e.g. minsup=0.05",
            )
        return minsup
    return max(1, ceil(share_of(minsup, "minsup", zero=False) * size))


def parse_confidence(minconf: object) -> Fraction:
    """The least confidence, as a fraction."""
    return share_of(minconf, "minconf", zero=False)
