"""Whole numbers under encryption: Paillier, several rows in a ciphertext; exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..paillier import BITS, PublicKey, new_key


class PackedOwner:
    """Makes the key; every result lies between −``most`` and ``most``, so that rows have room for it.

    >>> owner = PackedOwner(most=1000)
    >>> server = PackedServer(owner.public, most=1000)
    >>> column = owner.encrypted([7, 0, 31])
    >>> owner.decrypted(server.scored([column], [-3], 5), 3), sum(owner.decrypted([server.added(column)], owner.places))
    ([-16, 5, -88], 38)
    """

    def __init__(self, *, most: int) -> None:
        self._key, self._most, self._width = new_key(), most, _width(most)
        self.places = (BITS - 2) // self._width

    @property
    def public(self) -> bytes:
        """The modulus."""
        return self._key.public.n.to_bytes(BITS // 8, "big")

    def encrypted(self, values: Sequence[float]) -> list[bytes]:
        """Rows from 0 on, so many in a ciphertext. 12 ms a ciphertext."""
        chunks = [values[at : at + self.places] for at in range(0, len(values), self.places)]
        numbers = [sum(int(v) << self._width * place for place, v in enumerate(chunk)) for chunk in chunks]
        return [self._key.public.packed([self._key.public.encrypted(number)]) for number in numbers]

    def decrypted(self, ciphertexts: Sequence[bytes], count: int) -> list[float]:
        """The values, the server's shift by ``most`` taken off."""
        found: list[float] = []
        for one in ciphertexts:
            number = self._key.decrypted(self._key.public.unpacked(one)[0])
            places = [(number >> self._width * place) % (1 << self._width) for place in range(self.places)]
            found += [value - self._most for value in places]
        return found[:count]


class PackedServer:
    """Computes under the public modulus; there is nothing else that it could hold."""

    def __init__(self, public: bytes, *, most: int) -> None:
        if len(public) != BITS // 8 or int.from_bytes(public, "big").bit_length() != BITS:
            raise ValueError("no key")
        self._public, self._width = PublicKey(int.from_bytes(public, "big")), _width(most)
        self._shift = sum(most << self._width * place for place in range((BITS - 2) // self._width))

    def added(self, column: Sequence[bytes]) -> bytes:
        """The product of the ciphertexts of a column."""
        return self._shown([self._read(one) for one in column], [1] * len(column), 0)

    def scored(self, columns: Sequence[Sequence[bytes]], weights: Sequence[float], intercept: float) -> list[bytes]:
        """Σ weight · column + intercept, all whole numbers."""
        ones = sum(1 << self._width * place for place in range((BITS - 2) // self._width))
        numbers = [int(weight) for weight in weights]
        rows = zip(*columns, strict=True)
        return [self._shown([self._read(one) for one in row], numbers, int(intercept) * ones) for row in rows]

    def _read(self, data: bytes) -> Any:
        (one,) = self._public.unpacked(data)
        return one

    def _shown(self, ciphertexts: Sequence[Any], weights: Sequence[int], plus: int) -> bytes:
        """Shifted up, so that no place is negative, by a fresh encryption, which hides the weights in the mask too."""
        total = self._public.weighted(ciphertexts, weights, bits=self._width)
        return self._public.packed([self._public.plus(self._public.encrypted(self._shift + plus), total)])


def _width(most: int) -> int:
    return (2 * most).bit_length() + 1
