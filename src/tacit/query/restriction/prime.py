"""A prime that nobody can know beforehand.

The audit computes modulo a prime p and errs only when p divides a certain whole number that the questions decide (see
``sum_audit.md``). Whoever knew p could choose questions that make it do so; of a prime drawn by the operating system
among the 1.6·10¹³ between 2⁴⁹ and 2⁵⁰ nobody can.
"""

from __future__ import annotations

import secrets

__all__ = ["drawn_prime", "is_prime"]

BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def is_prime(number: int) -> bool:
    """Whether it is a prime: Miller and Rabin's test, which with these twelve bases is a proof below 3.1·10²³.

    References
    ----------
    Sorenson and Webster (2017), Strong pseudoprimes to twelve prime bases, Mathematics of Computation 86, 985–1003.

    >>> [n for n in range(30) if is_prime(n)], is_prime(2**61 - 1), is_prime(3215031751)
    ([2, 3, 5, 7, 11, 13, 17, 19, 23, 29], True, False)
    """
    if number < 2 or any(number % base == 0 for base in BASES):
        return number in BASES
    twos = ((number - 1) & -(number - 1)).bit_length() - 1
    return all(_passes(number, base, twos) for base in BASES)


def _passes(number: int, base: int, twos: int) -> bool:
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def drawn_prime() -> int:
    """A prime between 2⁴⁹ and 2⁵⁰, each as likely as any other, from the operating system's source."""
    while not is_prime(found := 2**49 + secrets.randbelow(2**49)):
        pass
    return found
