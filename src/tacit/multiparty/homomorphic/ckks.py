"""Fractions under encryption: CKKS, by TenSEAL; sums and products are right to about six digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SMALL, LARGE = (8_192, (60, 40, 40, 60)), (16_384, (60, 40, 40, 40, 40, 40, 60))
"""Size of the ring and bits of its primes: for sums and scores, and for the five products of a logistic curve. 128 bits of security."""
SCALE = 2.0**40
LARGEST = 1e15
"""Values and scores beyond it come too near to the modulus, at which they would wrap around."""
REACH = 8.0
"""How far from 0 the curve is one."""
CURVE = (0.5, 1.73496 / 8, 0.0, -4.19407 / 8**3, 0.0, 5.43402 / 8**5, 0.0, -2.50739 / 8**7)
"""1/(1 + e^−x) for x from −8 to 8 to within 0.033 (Kim, Song, Wang, Xia and Jiang 2018); beyond them it is nonsense."""


class CkksOwner:
    """Makes the keys, encrypts and decrypts; ``deep``: with room for a logistic curve.

    >>> owner = CkksOwner()
    >>> server = CkksServer(owner.public)
    >>> column = owner.encrypt([1.5, 2.0, -0.25])
    >>> [round(value, 4) for value in owner.decrypt(server.score_rows([column], [2.0], 1.0), 3)]
    [4.0, 5.0, 0.5]

    References
    ----------
    Cheon, Kim, Kim and Song (2017), Homomorphic encryption for arithmetic of approximate numbers, ASIACRYPT, LNCS 10624, 409–437.
    """

    def __init__(self, *, deep: bool = False) -> None:
        import tenseal

        size, primes = LARGE if deep else SMALL
        self._context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, size, coeff_mod_bit_sizes=list(primes))
        self._context.global_scale = SCALE
        self.places = size // 2

    @property
    def public(self) -> bytes:
        """All keys but the secret one, and none for rotations: 2 MB, or 11 MB with room for a curve."""
        return bytes(self._context.serialize(save_secret_key=False, save_galois_keys=False))

    def encrypt(self, values: Sequence[float]) -> list[bytes]:
        """As many values in a ciphertext as it holds, the last filled up with 0."""
        import tenseal

        chunks = [list(values[at : at + self.places]) for at in range(0, len(values), self.places)]
        filled = [chunk + [0.0] * (self.places - len(chunk)) for chunk in chunks]
        return [tenseal.ckks_vector(self._context, chunk).serialize() for chunk in filled]

    def decrypt(self, ciphertexts: Sequence[bytes], count: int) -> list[float]:
        """The values. They are for the owner: a decryption that is shown to the server tells it the key, bit by bit."""
        found = [value for one in _load_ciphertexts(self._context, ciphertexts) for value in one.decrypt()]
        if len(found) != self.places * len(ciphertexts):
            raise ValueError("no ciphertexts")
        return found[:count]


class CkksServer:
    """Computes under public keys; a context that holds a secret key is refused."""

    def __init__(self, public: bytes) -> None:
        import tenseal

        try:
            self._context = tenseal.context_from(public)
        except Exception:  # whatever the library's parser raises
            raise ValueError("no keys") from None
        if self._context.is_private():
            raise ValueError("a secret key")

    def sum_column(self, column: Sequence[bytes]) -> bytes:
        """The sum of the ciphertexts of a column."""
        first, *rest = _load_ciphertexts(self._context, column)
        for one in rest:
            first = first + one
        return bytes(first.serialize())

    def score_rows(self, columns: Sequence[Sequence[bytes]], weights: Sequence[float], intercept: float) -> list[bytes]:
        """Σ weight · column + intercept."""
        read = [_load_ciphertexts(self._context, column) for column in columns]
        found = []
        for chunks in zip(*read, strict=True):
            total = chunks[0] * weights[0]
            for chunk, weight in zip(chunks[1:], weights[1:], strict=True):
                total = total + chunk * weight
            found.append(bytes((total + intercept).serialize()))
        return found

    def logistic(self, scores: Sequence[bytes]) -> list[bytes]:
        """The curve by a polynomial of degree 7."""
        return [bytes(one.polyval(list(CURVE)).serialize()) for one in _load_ciphertexts(self._context, scores)]


def _load_ciphertexts(context: Any, ciphertexts: Sequence[bytes]) -> list[Any]:
    """The library takes some nonsense for a vector of no values."""
    import tenseal

    try:
        found = [tenseal.ckks_vector_from(context, one) for one in ciphertexts]
    except Exception:  # the library raises whatever its own parser does
        raise ValueError("no ciphertexts") from None
    if len({one.size() for one in found} | {0}) != 2:
        raise ValueError("no ciphertexts")
    return found
