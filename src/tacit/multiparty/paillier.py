"""Paillier's encryption: who has the public key can add under it, and multiply by plain numbers; argued in ``paillier.md``.

Own code on gmpy2's arithmetic; the primes are the library's, the randomness the operating system's.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any

from ..errors import TacitError

__all__ = ["BITS", "PrivateKey", "PublicKey", "new_key"]

BITS = 2048
"""Bits of the modulus: 112 bits of security; an encryption takes 12 ms, 3072 bits four times that."""


@dataclass(frozen=True)
class PublicKey:
    r"""The modulus n. A number m is encrypted as :math:`(1 + n)^m r^n \bmod n^2` with a fresh random r.

    >>> key = PrivateKey(7, 11)
    >>> both = key.public.plus(key.public.encrypted(30), key.public.encrypted(12))
    >>> key.decrypted(both), key.decrypted(key.public.times(both, 3))
    (42, 49)
    """

    n: int

    @cached_property
    def square(self) -> Any:
        """The modulus of ciphertexts."""
        from gmpy2 import mpz

        return mpz(self.n) ** 2

    @property
    def size(self) -> int:
        """Bytes of a ciphertext."""
        return (2 * self.n.bit_length() + 7) // 8

    def encrypted(self, number: int, mask: int | None = None) -> Any:
        """A ciphertext of a number modulo n; ``mask`` is r, for known-answer tests."""
        from gmpy2 import powmod

        r = self._mask() if mask is None else mask
        return (1 + number % self.n * self.n) * powmod(r, self.n, self.square) % self.square

    def plus(self, left: Any, right: Any) -> Any:
        """A ciphertext of the sum."""
        return left * right % self.square

    def times(self, ciphertext: Any, number: int) -> Any:
        """A ciphertext of the product with a plain number; add an encryption of 0 before showing it to the key's owner."""
        from gmpy2 import powmod

        return powmod(ciphertext, number, self.square)

    def packed(self, ciphertexts: list[Any]) -> bytes:
        """Ciphertexts as bytes, all of one size."""
        return b"".join(int(one).to_bytes(self.size, "big") for one in ciphertexts)

    def unpacked(self, data: bytes) -> list[Any]:
        """The ciphertexts in bytes; ValueError for what is none."""
        from gmpy2 import mpz

        found = [mpz(int.from_bytes(data[at : at + self.size], "big")) for at in range(0, len(data), self.size)]
        if len(data) % self.size or any(not 0 < one < self.square or gcd(int(one), self.n) != 1 for one in found):
            raise ValueError("no ciphertexts")
        return found

    def _mask(self) -> int:
        while True:
            r = secrets.randbelow(self.n)
            if gcd(r, self.n) == 1:
                return r


@dataclass(frozen=True)
class PrivateKey:
    """The primes. Nothing prints them."""

    p: int = field(repr=False)
    q: int = field(repr=False)

    def __post_init__(self) -> None:
        if self.p == self.q or gcd(self.p * self.q, (self.p - 1) * (self.q - 1)) != 1:
            raise TacitError("these primes make no key", fix="make a new one")

    @cached_property
    def public(self) -> PublicKey:
        """What others encrypt under."""
        return PublicKey(self.p * self.q)

    def decrypted(self, ciphertext: Any) -> int:
        r"""The number, from 0 to n − 1: modulo p and modulo q by :math:`L(c^{p-1} \bmod p^2) h_p`, then joined."""
        parts = [self._modulo(ciphertext, prime) for prime in (self.p, self.q)]
        return int((parts[0] + (parts[1] - parts[0]) * pow(self.p, -1, self.q) % self.q * self.p) % self.public.n)

    def _modulo(self, ciphertext: Any, prime: int) -> int:
        from gmpy2 import powmod

        h = pow((self._l(powmod(1 + self.public.n, prime - 1, prime * prime), prime)), -1, prime)
        return self._l(powmod(ciphertext, prime - 1, prime * prime), prime) * h % prime

    @staticmethod
    def _l(power: Any, prime: int) -> int:
        return int((power - 1) // prime)


def new_key(bits: int = BITS) -> PrivateKey:
    """A fresh key; the two primes are made by the library, as for RSA."""
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

    primes = generate_private_key(65_537, bits).private_numbers()
    return PrivateKey(primes.p, primes.q)
