"""Exact results as the numbers that a reader gets."""

from __future__ import annotations

from fractions import Fraction


def to_number(value: Fraction) -> float:
    """A whole number as it is, however large; anything else as the nearest float.

    >>> to_number(Fraction(2**60 + 2, 2)), to_number(Fraction(1, 4))
    (576460752303423489, 0.25)
    """
    return int(value) if value.denominator == 1 else float(value)
