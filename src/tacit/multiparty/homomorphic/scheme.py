"""What an encryption must offer so that a server can compute under it: an owner's side, and a server's without the secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Owner", "Server", "joined", "split"]


class Owner(Protocol):
    """Has the secret key; ``public`` is all that the server needs."""

    @property
    def public(self) -> bytes:
        """Keys without the secret one."""

    def encrypted(self, values: Sequence[float]) -> list[bytes]:
        """A column, many rows in a ciphertext."""

    def decrypted(self, ciphertexts: Sequence[bytes], count: int) -> list[float]:
        """The first values of a result."""


class Server(Protocol):
    """Computes; it is made from public keys alone, and refuses a secret one. ValueError for what is no ciphertext."""

    def added(self, column: Sequence[bytes]) -> bytes:
        """All ciphertexts of a column in one: the owner adds up its places."""

    def scored(self, columns: Sequence[Sequence[bytes]], weights: Sequence[float], intercept: float) -> list[bytes]:
        """Row by row, the weighted sum of the columns."""


def joined(parts: Sequence[bytes]) -> bytes:
    """Several pieces in one message, each behind its length.

    >>> split(joined([b"ab", b"", b"c"]))
    [b'ab', b'', b'c']
    """
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def split(data: bytes) -> list[bytes]:
    """The pieces of a message; ValueError when lengths do not fit."""
    parts, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        parts.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    if at != len(data):
        raise ValueError("lengths do not fit")
    return parts
