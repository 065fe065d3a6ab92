"""Multiplication modulo the Mersenne prime 2⁶¹ − 1 on whole arrays, in 64-bit words without a division."""

from __future__ import annotations

import numpy as np

PRIME = 2**61 - 1
_BITS = np.uint64(61)
_ALL = np.uint64(PRIME)
_HALF = np.uint64(32)
_LOW = np.uint64(2**32 - 1)
_SHORT = np.uint64(29)
_LOW_SHORT = np.uint64(2**29 - 1)


def reduce_words(words: np.ndarray) -> np.ndarray:
    """The words modulo 2⁶¹ − 1: the bits above the 61st count as much as the lowest ones. O(n).

    >>> reduce_words(np.array([2**61, 2**64 - 1], dtype=np.uint64)).tolist()
    [1, 7]
    """
    once = (words & _ALL) + (words >> _BITS)
    return np.where(once >= _ALL, once - _ALL, once)


def multiply_words(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The products modulo 2⁶¹ − 1 of reduced words, by halves of 32 bits, none of whose products overflows. O(n).

    >>> multiply_words(np.array([2**60], dtype=np.uint64), np.array([6], dtype=np.uint64)).tolist()  # 6·2⁶⁰ = 3·2⁶¹ ≡ 3
    [3]
    """
    a, b = left >> _HALF, left & _LOW
    c, d = right >> _HALF, right & _LOW
    high = (a * c) << np.uint64(3)  # 2⁶⁴ ≡ 2³
    middle = reduce_words(a * d + b * c)
    shifted = (middle >> _SHORT) + ((middle & _LOW_SHORT) << _HALF)
    return reduce_words(reduce_words(high) + reduce_words(shifted) + reduce_words(b * d))
