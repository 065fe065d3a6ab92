"""A party's place in a protocol: whom it sits with, what it sends and awaits, and where its randomness comes from.

Protocols are written against this and nothing else, so that the same lines run over TLS between hosts and, in one process,
through every random tape there is (``tests/multiparty``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from .ring import Ring, Words

Judge = Callable[[str, str, bytes], bool]
"""Whether a proof holds against an accused party, in a step."""


class Party(Protocol):
    """What a protocol sees of the world.

    ``names`` are all parties in the order of the agreement, ``me`` is one of them. Whatever is sent has a ``step``, the
    name of that line of the protocol; what arrives under another step, in another size or out of range is a bad message
    of its sender and ends the session.
    """

    me: str
    names: Sequence[str]
    ring: Ring

    async def send(self, to: str, step: str, words: Words, *, sealed: bool = False) -> None:
        """Hand words to another party; ``sealed``: under its public key as well, so that no relay can read them."""

    async def receive(self, sender: str, step: str, count: int, *, sealed: bool = False) -> Words:
        """The ``count`` words that another party sends in this step."""

    async def send_random(self, to: str, step: str, count: int) -> Words:
        """Fresh random words that another party gets in this step; over a wire they travel as the seed that makes them."""

    async def recv_random(self, sender: str, step: str, count: int) -> Words:
        """The random words that another party dealt in this step."""

    async def send_bytes(self, to: str, step: str, data: bytes) -> None:
        """Hand bytes to another party: points of a curve, ciphertexts."""

    async def recv_bytes(self, sender: str, step: str, size: int | None = None) -> bytes:
        """The bytes that another party hands over in this step: so many, or any number up to the agreed limit."""

    async def gather(self, step: str, count: int, *, least: int) -> dict[str, Words]:
        """What the others send in this step, without those who went away or fell silent; fewer than ``least`` are too few."""

    def uniform(self, count: int) -> Words:
        """Fresh random words, evenly distributed."""

    def next_sum(self) -> int:
        """The number of the sum that begins now, from 1 on in every session; all parties count alike."""

    def note_result(self, data: bytes) -> None:
        """Add to what all parties must have alike: they compare digests of it at the end, before there is a result."""

    def sign(self, step: str, data: bytes) -> bytes:
        """My signature under data of this step, good for this session only."""

    def verify_signature(self, name: str, step: str, data: bytes, signature: bytes) -> bool:
        """Whether a party signed these data in this step of this session."""

    def require_proof(self, judge: Judge) -> None:
        """From now on an abort that accuses somebody of cheating is believed if its proof holds, and only then."""

    @property
    def others(self) -> list[str]:
        """All parties but me."""
