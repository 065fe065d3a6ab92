"""Exact results as the numbers that a reader gets."""

from __future__ import annotations

from fractions import Fraction


def number(value: Fraction) -> float:
    """A whole number as it is, however large; anything else as the nearest float.

    >>> number(Fraction(2**60 + 2, 2)), number(Fraction(1, 4))
    (576460752303423489, 0.25)
    """
    return int(value) if value.denominator == 1 else float(value)
