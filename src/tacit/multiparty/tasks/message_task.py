"""Anonymous messages between parties, as a task of a session.

Dining cryptographers: messages to all, and nobody learns who sent them.

each pair   agrees on a pad: X25519, then HKDF and ChaCha20
Pi → all    the digest of its announcement, signed; all compare what they have from everybody   (signed_echo.py)
Pi → all    its pads XORed together, and its message in a slot of its choice
all         the XOR of everything: pads cancel, messages stand in their slots; where two chose one slot, neither can be read
again       whoever's message was lost takes another slot, for the agreed number of rounds
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_int
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys
from ..party import Party
from ..protocols.commutative import bad_message
from ..protocols.signed_echo import DIGEST, SIGNATURE, Signing, compare_digests, two_versions, unproven_fault
from ..ring import Words
from .items import items_of

HEAD = 8 + 8 + 2
"""Bytes in front of a message: checksum, random bytes (or two equal messages in one slot would cancel unseen), length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTask:
    """At most one message a party, to all, by dining cryptographers: the one row of a file, or none."""

    column: str
    slots: int
    size: int
    rounds: int
    parties: int

    @classmethod
    def of(cls, agreement: Agreement) -> MessageTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("column", "slots", "size", "rounds"))
        for key in ("slots", "size", "rounds"):
            check_int(key, task.get(key), least=1)
        numbers = {key: task[key] for key in ("slots", "size", "rounds")}
        return cls(column=str(task.get("column", "message")), parties=len(agreement.members), **numbers)

    @property
    def leakage(self) -> str | None:
        """Of two parties each knows who sent what it did not."""
        return "with two parties each knows who sent what it did not send itself" if self.parties == 2 else None

    @property
    def drop_outs(self) -> bool:
        """Pads of who goes away do not cancel."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """All but one."""
        return self.parties - 1

    def side_information(self, _me: str) -> None:
        """Announcements that say nothing before they are put together."""

    def check(self, agreement: Agreement) -> None:
        """Pads are of whole words, and a message must fit a frame."""
        if agreement.modulus != 2**64:
            raise TacitError(
                "pads are of whole words",
                code="invalid_protocol_input",
                fix='modulus = "2^64"',
                where="session.modulus",
            )
        if self.size > 2**16 - 1 or self.slots * (self.size + 18) > agreement.max_message:
            raise TacitError(
                "the slots are larger than a message may be",
                code="out_of_range",
                fix="fewer or smaller ones",
                where="task",
            )

    def load_input(self, frame: pl.DataFrame, _me: str) -> bytes | None:
        """The own message."""
        found = [
            item.encode()
            for item in items_of(frame.cast({self.column: pl.String}) if frame.is_empty() else frame, self.column)
        ]
        if len(found) > 1:
            raise TacitError(
                f"has {len(found)} messages", code="unsuitable_column", column=self.column, fix="send one a session"
            )
        if found and len(found[0]) > self.size:
            raise TacitError(
                f"has a message of more than {self.size} bytes",
                code="out_of_range",
                column=self.column,
                fix="shorten it",
            )
        return found[0] if found else None

    async def run(self, seat: Party, own: bytes | None) -> Mapping[str, Any]:
        """The messages, and whether mine is among them."""
        heard = await dining_cryptographers(seat, own, slots=self.slots, size=self.size, rounds=self.rounds)
        seat.note_result(json.dumps([[one.hex() for one in heard.messages], heard.collisions]).encode())
        texts = [one.decode(errors="replace") for one in heard.messages]
        return {"messages": texts, "collisions": heard.collisions, "mine was heard": heard.delivered}


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastResult:
    """The messages of all rounds, how many slots were lost to collisions, and whether my own came through (None: I had none)."""

    messages: tuple[bytes, ...]
    collisions: int
    delivered: bool | None


async def dining_cryptographers(
    seat: Party, message: bytes | None, *, slots: int, size: int, rounds: int
) -> BroadcastResult:
    """All messages of up to ``size`` bytes, to all; see ``dining_cryptographers.md``.

    n(n − 1) messages of slots · (size + 18) bytes a round. k senders all get a slot of their own among s in one round with
    chance (1 − 1/s) ⋯ (1 − (k − 1)/s).

    References
    ----------
    Chaum (1988), The dining cryptographers problem: unconditional sender and recipient untraceability, Journal of Cryptology 1,
    65–75.
    """
    width = -(-(HEAD + size) // 8)
    shared = await agree_pads(seat, slots * width * rounds)
    heard: list[bytes] = []
    waiting, lost = message, 0
    for turn in range(rounds):
        words, slot = np.zeros((slots, width), np.uint64), secrets.randbelow(slots)
        if waiting is not None:
            words[slot] = frame_message(waiting, width)
        part = slice(turn * slots * width, (turn + 1) * slots * width)
        pads_of_turn = {name: pad[part] for name, pad in shared.items()}
        found = (await xor_words(seat, words.ravel(), pads_of_turn, bound=True)).reshape(slots, width)
        if waiting is not None and np.array_equal(found[slot], words[slot]):
            waiting = None
        read = [unframe_message(one) for one in found if one.any()]
        heard += [one for one in read if one is not None]
        lost += read.count(None)
    return BroadcastResult(
        messages=tuple(sorted(heard)), collisions=lost, delivered=None if message is None else waiting is None
    )


async def xor_words(seat: Party, words: Words, shared: Mapping[str, Words], *, bound: bool = False) -> Words:
    """The XOR of everybody's words, each hidden by the pads that it shares with the others.

    ``bound``: everybody first commits to its announcement, the same one to all.
    """
    mine = words
    for pad in shared.values():
        mine = mine ^ pad
    digests = await _exchange_digests(seat, mine) if bound else {}
    for other in seat.others:
        await seat.send(other, "announcement", mine)
    for other in seat.others:
        heard = await seat.receive(other, "announcement", len(words))
        if bound and _hash_words(heard) != digests[other]:
            raise bad_message(other, "announcement", "announced something else than it had committed to")
        mine = mine ^ heard
    return mine


async def _exchange_digests(seat: Party, mine: Words) -> dict[str, bytes]:
    """Everybody's digest of its announcement, signed and compared by all before any is shown.

    One who could announce differently to different parties would see from who sends again which of them had a message in that
    round. Pads make announcements uniform, so that their digests hide them.
    """
    signing, step = Signing(seat, seat.next_sum()), "commitments"
    seat.require_proof(lambda *told: two_versions(seat, *told))
    digests = {seat.me: _hash_words(mine)}
    signatures = {seat.me: signing.sign(step, digests[seat.me])}
    for other in seat.others:
        await seat.send_bytes(other, step, digests[seat.me] + signatures[seat.me])
    for other in seat.others:
        message = await seat.recv_bytes(other, step, DIGEST + SIGNATURE)
        digests[other], signatures[other] = message[:DIGEST], message[DIGEST:]
        if not signing.verify_signature(other, step, digests[other], signatures[other]):
            raise unproven_fault(other, step, "did not sign what it sent")
    await compare_digests(signing, digests, signatures)
    return digests


def _hash_words(words: Words) -> bytes:
    return hashlib.sha256(words.astype("<u8").tobytes()).digest()


async def agree_pads(seat: Party, count: int) -> dict[str, Words]:
    """A pad of so many words with each other party: fresh X25519 keys, HKDF over both, ChaCha20."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    key = X25519PrivateKey.generate()
    own = key.public_key().public_bytes_raw()
    for other in seat.others:
        await seat.send_bytes(other, "key of a pad", own)
    found = {}
    for other in seat.others:
        theirs = await seat.recv_bytes(other, "key of a pad", 32)
        try:
            shared = key.exchange(X25519PublicKey.from_public_bytes(theirs))
        except ValueError:
            raise bad_message(other, "key of a pad", "sent a point of small order") from None
        info = b"tacit pad" + b"".join(sorted([own, theirs]))
        made = HKDF(hashes.SHA256(), length=32, salt=None, info=info).derive(shared)
        stream = Cipher(algorithms.ChaCha20(made, bytes(16)), mode=None).encryptor()
        found[other] = np.frombuffer(stream.update(bytes(8 * count)), "<u8").astype(np.uint64)
    return found


def frame_message(message: bytes, width: int) -> Words:
    """A message with its length and a checksum, as so many words; never all 0."""
    body = secrets.token_bytes(8) + len(message).to_bytes(2, "big") + message.ljust(8 * width - HEAD, b"\0")
    return np.frombuffer(hashlib.sha256(body).digest()[:8] + body, "<u8").astype(np.uint64)


def unframe_message(words: Words) -> bytes | None:
    """The message, or None where several lie on top of each other: with chance 2^−64 that is not noticed.

    >>> (
    ...     unframe_message(frame_message(b"I paid", 4)),
    ...     unframe_message(frame_message(b"I paid", 4) ^ frame_message(b"so did I", 4)),
    ... )
    (b'I paid', None)
    """
    data = words.astype("<u8").tobytes()
    check, body = data[:8], data[8:]
    length = int.from_bytes(body[8:10], "big")
    if hashlib.sha256(body).digest()[:8] != check or length > len(body) - 10:
        return None
    return body[10 : 10 + length]
