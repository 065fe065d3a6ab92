"""Whole numbers modulo m, as arrays of 64-bit words: what parties add, share and send."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import TacitError, format_value
from ..kernels.mersenne import PRIME, multiply_words

Words = npt.NDArray[np.uint64]

WHOLE = 2**64
LARGEST = 2**63
"""Two words below it add up without overflow; 2⁶⁴ itself wraps around by nature."""


@dataclass(frozen=True, slots=True)
class Ring:
    """The whole numbers modulo ``modulus``: 2⁶⁴, or anything from 2 to 2⁶³.

    A number between −m/2 and m/2 stands for itself (:meth:`signed`), so that sums may be negative.

    >>> ring = Ring(7)
    >>> ring.to_signed(ring.plus(ring.words([3, -1]), ring.words([2, -2])))
    [-2, -3]
    """

    modulus: int

    def __post_init__(self) -> None:
        whole = isinstance(self.modulus, int) and not isinstance(self.modulus, bool)
        if not whole or not (2 <= self.modulus <= LARGEST or self.modulus == WHOLE):
            raise TacitError(
                f"modulus {format_value(self.modulus)} is neither 2^64 nor a whole number from 2 to 2^63",
                code="not_whole_number",
                fix='e.g. "2^64"',
            )

    def words(self, numbers: Iterable[int]) -> Words:
        """Whole numbers of any sign, reduced."""
        return np.array([int(number) % self.modulus for number in numbers], dtype=np.uint64)

    def to_signed(self, words: Words) -> list[int]:
        """The numbers nearest to 0 that the words stand for."""
        numbers = (int(word) for word in words)
        return [number if number <= (self.modulus - 1) // 2 else number - self.modulus for number in numbers]

    def plus(self, left: Words, right: Words) -> Words:
        """The sums. O(n)."""
        return self._reduce_words(left + right)

    def minus(self, left: Words, right: Words) -> Words:
        """The differences. O(n)."""
        if self.modulus == WHOLE:
            return left - right
        return self._reduce_words(left + (np.uint64(self.modulus) - right))

    def times(self, left: Words, right: Words) -> Words:
        """The products, for moduli whose products are exact in words: 2⁶⁴, 2⁶¹ − 1, or up to 2³². O(n)."""
        if self.modulus == PRIME:
            return multiply_words(left, right)
        if self.modulus != WHOLE and self.modulus > 2**32:
            raise TacitError(
                f"numbers modulo {self.modulus} cannot be multiplied exactly",
                code="invalid_protocol_input",
                fix='use "2^61-1"',
            )
        return self._reduce_words(left * right)

    def total(self, parts: Sequence[Words]) -> Words:
        """The sum of several vectors."""
        found = parts[0].copy()
        for part in parts[1:]:
            found += part
            if self.modulus != WHOLE:
                found %= np.uint64(self.modulus)
        return found

    def _reduce_words(self, words: Words) -> Words:
        return words if self.modulus == WHOLE else words % np.uint64(self.modulus)

    def uniform(self, count: int, source: Callable[[int], bytes] | None = None) -> Words:
        """Evenly distributed words from the operating system's source; those in the last, cut-off round are drawn again.

        Without that a modulus that does not divide 2⁶⁴ would favour small words. O(n) expected.
        """
        draw = secrets.token_bytes if source is None else source
        if self.modulus == WHOLE:
            return np.frombuffer(draw(8 * count), dtype=np.uint64)
        rounds = WHOLE // self.modulus * self.modulus
        found = np.empty(0, dtype=np.uint64)
        while len(found) < count:
            drawn = np.frombuffer(draw(8 * (count - len(found))), dtype=np.uint64)
            kept = drawn if rounds == WHOLE else drawn[drawn < np.uint64(rounds)]
            found = np.concatenate([found, kept % np.uint64(self.modulus)])
        return found

    def holds(self, words: Words) -> bool:
        """Whether all words are reduced: what came over the wire may be anything."""
        return self.modulus == WHOLE or bool((words < np.uint64(self.modulus)).all())
