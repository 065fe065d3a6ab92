"""Paillier's encryption: who has the public key can add under it, and multiply by plain numbers; argued in ``paillier.md``.

Own code on gmpy2's arithmetic; the primes are the library's, the randomness the operating system's.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import gcd
from typing import Any

from ..errors import TacitError

BITS = 2048
"""Bits of the modulus: 112 bits of security; an encryption takes 12 ms, 3072 bits four times that."""
SMALL, ROOTS = 2**16, 8
"""No prime factor of a modulus is below SMALL; then a wrong one passes each root with a chance of 1/SMALL at most."""


@dataclass(frozen=True)
class PublicKey:
    r"""The modulus n. A number m is encrypted as :math:`(1 + n)^m r^n \bmod n^2` with a fresh random r.

    >>> key = PrivateKey(7, 11)
    >>> both = key.public.plus(key.public.encrypt(30), key.public.encrypt(12))
    >>> key.decrypt(both), key.decrypt(key.public.times(both, 3))
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

    def encrypt(self, number: int, mask: int | None = None) -> Any:
        """A ciphertext of a number modulo n; ``mask`` is r, for known-answer tests."""
        from gmpy2 import powmod

        r = self._random_unit() if mask is None else mask
        return (1 + number % self.n * self.n) * powmod(r, self.n, self.square) % self.square

    def plus(self, left: Any, right: Any) -> Any:
        """A ciphertext of the sum."""
        return left * right % self.square

    def times(self, ciphertext: Any, number: int) -> Any:
        """A ciphertext of the product with a plain number, which the time it takes tells: secret ones need :meth:`weighted`.

        Add an encryption of 0 before showing it to the key's owner.
        """
        from gmpy2 import powmod

        return powmod(ciphertext, number, self.square)

    def weighted_sum(self, ciphertexts: Sequence[Any], numbers: Sequence[int], *, bits: int) -> Any:
        r"""A ciphertext of the sum of products with plain numbers, in a time that does not depend on them.

        Each number w, between −2^bits and 2^bits, is raised to :math:`w + 2^{bits}`, always of the same length, by a power that
        takes the same steps for all exponents of a length; what that is too much is taken off for all ciphertexts at once.

        >>> key = PrivateKey(7, 11)
        >>> key.decrypt(key.public.weighted_sum([key.public.encrypt(3), key.public.encrypt(5)], [4, -2], bits=3))
        2
        """
        from gmpy2 import invert, mpz, powmod, powmod_sec

        shift = 1 << bits
        if any(not -shift < number < shift for number in numbers):
            raise ValueError(f"a factor of more than {bits} bits")
        product, found = mpz(1), mpz(1)
        for ciphertext, number in zip(ciphertexts, numbers, strict=True):
            product = product * ciphertext % self.square
            found = found * powmod_sec(ciphertext, number + shift, self.square) % self.square
        return found * powmod(invert(product, self.square), shift, self.square) % self.square

    def check_modulus(self, roots: Sequence[int]) -> None:
        r"""ValueError unless these are a :meth:`PrivateKey.coprime_proof`: n is coprime to φ(n), or the maker had luck of 2^−128.

        Otherwise :math:`r^n` would not hide what it masks: modulo a power of 3 it is often 1.

        References
        ----------
        Goldberg, Reyzin, Sagga and Baldimtsi (2019), Efficient noninteractive certification of RSA moduli and beyond, ASIACRYPT,
        LNCS 11923, 700–727.
        """
        from gmpy2 import gcd as common
        from gmpy2 import is_power, mpz, powmod

        n = mpz(self.n)
        if n < 2 or common(n, _small_primes()) != 1 or is_power(n):
            raise ValueError("a modulus with a small factor, or a power")
        if len(roots) != ROOTS or any(
            powmod(root, n, n) != challenge or not 0 < root < n
            for root, challenge in zip(roots, self._proof_challenges(), strict=True)
        ):
            raise ValueError("a modulus without a proof that it is coprime to φ(n)")

    def _proof_challenges(self) -> list[int]:
        """Numbers modulo n that nobody can choose."""
        size = self.n.bit_length() // 8 + 17
        text = b"tacit paillier modulus\0" + self.n.to_bytes(size, "big")
        made = (hashlib.shake_256(text + bytes([place])).digest(size) for place in range(ROOTS))
        return [int.from_bytes(one, "big") % self.n for one in made]

    def pack_ciphertexts(self, ciphertexts: list[Any]) -> bytes:
        """Ciphertexts as bytes, all of one size."""
        return b"".join(int(one).to_bytes(self.size, "big") for one in ciphertexts)

    def unpack_ciphertexts(self, data: bytes) -> list[Any]:
        """The ciphertexts in bytes; ValueError for what is none."""
        from gmpy2 import mpz

        found = [mpz(int.from_bytes(data[at : at + self.size], "big")) for at in range(0, len(data), self.size)]
        if len(data) % self.size or any(not 0 < one < self.square or gcd(int(one), self.n) != 1 for one in found):
            raise ValueError("no ciphertexts")
        return found

    def _random_unit(self) -> int:
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
            raise TacitError("these primes make no key", code="invalid_protocol_input", fix="make a new one")

    @cached_property
    def public(self) -> PublicKey:
        """What others encrypt under."""
        return PublicKey(self.p * self.q)

    def decrypt(self, ciphertext: Any) -> int:
        r"""The number, from 0 to n − 1: modulo p and modulo q by :math:`L(c^{p-1} \bmod p^2) h_p`, then joined."""
        return self._combine_remainders([self._decrypt_modulo(ciphertext, prime) for prime in (self.p, self.q)])

    def coprime_proof(self) -> list[int]:
        """n-th roots of hashed numbers: who cannot take them all has a modulus that is not coprime to φ(n). 40 ms at 2048 bits."""
        exponents = [(prime, pow(self.public.n, -1, prime - 1)) for prime in (self.p, self.q)]
        return [
            self._combine_remainders([pow(one, power, prime) for prime, power in exponents])
            for one in self.public._proof_challenges()
        ]

    def _combine_remainders(self, parts: Sequence[int]) -> int:
        """The number from 0 to n − 1 with these remainders modulo p and q."""
        return int((parts[0] + (parts[1] - parts[0]) * pow(self.p, -1, self.q) % self.q * self.p) % self.public.n)

    def _decrypt_modulo(self, ciphertext: Any, prime: int) -> int:
        from gmpy2 import powmod

        h = pow((self._l_function(powmod(1 + self.public.n, prime - 1, prime * prime), prime)), -1, prime)
        return self._l_function(powmod(ciphertext, prime - 1, prime * prime), prime) * h % prime

    @staticmethod
    def _l_function(power: Any, prime: int) -> int:
        return int((power - 1) // prime)


def new_key(bits: int = BITS) -> PrivateKey:
    """A fresh key; the two primes are made by the library, as for RSA."""
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

    primes = generate_private_key(65_537, bits).private_numbers()
    return PrivateKey(primes.p, primes.q)


@cache
def _small_primes() -> Any:
    """The product of all primes below :data:`SMALL`."""
    from gmpy2 import primorial

    return primorial(SMALL)
