r"""Commitments to numbers that hide them and cannot be changed: x·G + r·H on Ed25519's group of prime order (Pedersen).

G is the group's base, H a point that nobody knows the logarithm of: it is the hash of a text. Whoever could open one
commitment in two ways would know that logarithm. Points and their sums are the library's; numbers are modulo the group's order.

References
----------
Pedersen (1992), Non-interactive and information-theoretic secure verifiable secret sharing, CRYPTO, LNCS 576, 129–140.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

__all__ = ["ORDER", "SIZE", "added", "at", "committed"]

ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group: a prime."""
SIZE = 32
"""Bytes of a point, and of a number modulo the order."""
NOTHING = bytes([1]) + bytes(31)
"""The neutral point."""


SHIFT = 2**128
"""Added to a number and taken off again as a point: the library takes no multiple of 0, and a short cut for it would be seen."""


@cache
def _shifted_by() -> bytes:
    return _times(SHIFT, None)


@cache
def _second_base() -> bytes:
    from nacl.bindings import crypto_core_ed25519_from_uniform

    return bytes(crypto_core_ed25519_from_uniform(hashlib.sha256(b"tacit second base of commitments").digest()))


def _times(number: int, point: bytes | None) -> bytes:
    """A multiple of a point, or of the base. The library refuses points outside the group, and a neutral result."""
    from nacl.bindings import crypto_scalarmult_ed25519_base_noclamp, crypto_scalarmult_ed25519_noclamp

    if number % ORDER == 0 or point == NOTHING:
        return NOTHING
    scalar = (number % ORDER).to_bytes(SIZE, "little")
    if point is None:
        return bytes(crypto_scalarmult_ed25519_base_noclamp(scalar))
    return bytes(crypto_scalarmult_ed25519_noclamp(scalar, point))


def added(left: bytes, right: bytes) -> bytes:
    """The sum of two points: the commitment to the sums of what they hold."""
    from nacl.bindings import crypto_core_ed25519_add

    return bytes(crypto_core_ed25519_add(left, right))


def committed(number: int, blind: int) -> bytes:
    """The commitment to a number under a random blind; 0 takes as long as any other number.

    >>> added(committed(3, 10), committed(4, 20)) == committed(7, 30)
    True
    """
    from nacl.bindings import crypto_core_ed25519_sub

    shifted = bytes(crypto_core_ed25519_sub(_times(number + SHIFT, None), _shifted_by()))
    return added(shifted, _times(blind, _second_base()))


def at(place: int, coefficients: Sequence[bytes]) -> bytes:
    """What the commitments to a polynomial's coefficients say of its value at a place, by Horner.

    >>> at(2, [committed(5, 1), committed(3, 1)]) == committed(11, 3)
    True
    """
    found = NOTHING
    for coefficient in reversed(coefficients):
        found = added(_times(place, found), coefficient)
    return found
