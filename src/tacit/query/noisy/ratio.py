"""The error of a noisy sum divided by a noisy number, from noisy values alone."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["ratio", "ratio_error"]


def ratio(total: int, number: int) -> Fraction:
    """S/N, and 0 where the noisy number is below one: there is nothing to divide by, and nothing may fail."""
    return Fraction(total, number) if number >= 1 else Fraction(0)


def ratio_error(found: Fraction, number: int, *, of_total: int, of_number: int, most: int) -> Fraction:
    """A bound e on |S̃/Ñ − S/N| when |S̃ − S| ≤ ``of_total``, |Ñ − N| ≤ ``of_number`` and |S/N| ≤ ``most``.

    S̃/Ñ − S/N = (S̃ − S − (S/N)(Ñ − N))/Ñ, so e ≤ (s + |S/N|·n)/Ñ. Either |S/N| is taken at its most, or from
    |S/N| ≤ |S̃/Ñ| + e, which gives e ≤ (s + |S̃/Ñ|·n)/(Ñ − n). The smaller of the two, and never more than the whole range.
    """
    whole = Fraction(2 * most)
    if number < 1:
        return whole
    found_error = Fraction(of_total + most * of_number, number)
    if number > of_number:
        found_error = min(found_error, (of_total + abs(found) * of_number) / (number - of_number))
    return min(found_error, whole)
