"""A seat whose words travel over the mesh."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ..faults import Fault, MissingParty, PartyTimeout
from ..party import Judge
from ..ring import Ring, Words
from .frame import Kind
from .link import Link
from .mesh import Mesh

SEED_BYTES = 32
"""Bytes of a seed: the key of the cipher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedMessage:
    """One thing that a party saw: from whom, in which step, how many bytes, and their digest; the bytes only if asked for."""

    sender: str
    step: str
    size: int
    digest: str
    sealed: bool
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """One thing that a party sent: to whom, in which step, how many bytes, and their digest, before they were sealed."""

    to: str
    step: str
    size: int
    digest: str
    sealed: bool


class NetworkParty:
    """Sends and awaits words over TLS; every wait has the deadline of the agreement. ``saw`` is what arrived, ``sent`` what went out."""

    def __init__(self, mesh: Mesh, ring: Ring, *, transcript: bool = False) -> None:
        self.mesh, self.ring, self.me, self._kept = mesh, ring, mesh.me, transcript
        self.names: Sequence[str] = mesh.agreement.names
        self.saw: list[ReceivedMessage] = []
        self.sent: list[SentMessage] = []
        self._sums = 0
        self._results = hashlib.sha256()

    @property
    def others(self) -> list[str]:
        """All parties but me."""
        return self.mesh.others

    async def send(self, to: str, step: str, words: Words, *, sealed: bool = False) -> None:
        """Hand words to another party; after an abort nothing is sent."""
        payload = words.astype("<u8", copy=False).tobytes()
        sent = _sealed_box(self.mesh.agreement.member(to).box_key).encrypt(payload) if sealed else payload
        await self._send_payload(to, Kind.WORDS, step, sent)
        self._note_sent(to, step, payload, sealed=sealed)

    async def send_random(self, to: str, step: str, count: int) -> Words:
        """Fresh random words; the other party gets the seed that makes them."""
        seed = secrets.token_bytes(SEED_BYTES)
        await self.send_bytes(to, step, seed)
        return self.ring.uniform(count, keystream(seed))

    async def recv_random(self, sender: str, step: str, count: int) -> Words:
        """The random words that another party dealt."""
        return self.ring.uniform(count, keystream(await self.recv_bytes(sender, step, SEED_BYTES)))

    async def send_bytes(self, to: str, step: str, data: bytes) -> None:
        """Hand bytes to another party; after an abort nothing is sent."""
        await self._send_payload(to, Kind.BYTES, step, data)
        self._note_sent(to, step, data)

    def _note_sent(self, to: str, step: str, payload: bytes, *, sealed: bool = False) -> None:
        digest = hashlib.sha256(payload).hexdigest()
        self.sent.append(SentMessage(to=to, step=step, size=len(payload), digest=digest, sealed=sealed))

    async def _send_payload(self, to: str, kind: Kind, step: str, payload: bytes) -> None:
        if self.mesh.told is not None:
            raise self.mesh.told
        await self.mesh.links[to].send(kind, step, payload, self.mesh.agreement.round_timeout)

    async def receive(self, sender: str, step: str, count: int, *, sealed: bool = False) -> Words:
        """The words that another party sends in this step."""
        link = self.mesh.links[sender]
        payload = await link.receive(Kind.WORDS, step, self.mesh.agreement.round_timeout)
        if sealed:
            payload = self._unseal_payload(link, step, payload)
        if len(payload) != 8 * count:
            raise link.bad_message(step, f"sent a message of another length than {count} words")
        words = np.frombuffer(payload, dtype="<u8").astype(np.uint64, copy=False)
        if not self.ring.holds(words):
            raise link.bad_message(step, "sent words beyond the modulus")
        self._note_received(sender, step, payload, sealed=sealed)
        return words

    async def recv_bytes(self, sender: str, step: str, size: int | None = None) -> bytes:
        """The bytes that another party hands over in this step."""
        link = self.mesh.links[sender]
        payload = await link.receive(Kind.BYTES, step, self.mesh.agreement.round_timeout)
        if size is not None and len(payload) != size:
            raise link.bad_message(step, f"sent a message of another length than {size} bytes")
        self._note_received(sender, step, payload)
        return payload

    def _note_received(self, sender: str, step: str, payload: bytes, *, sealed: bool = False) -> None:
        digest = hashlib.sha256(payload).hexdigest()
        kept = payload if self._kept else b""
        self.saw.append(
            ReceivedMessage(sender=sender, step=step, size=len(payload), digest=digest, sealed=sealed, content=kept)
        )

    async def gather(self, step: str, count: int, *, least: int) -> dict[str, Words]:
        """What the others send in this step, without those who went away or are silent for longer than agreed."""
        found: dict[str, Words] = {}
        lost: Fault | None = None
        for other in self.others:
            try:
                found[other] = await self.receive(other, step, count)
            except (MissingParty, PartyTimeout) as fault:
                if fault.told_by is not None:
                    raise
                lost = fault
                self.mesh.lost.add(other)
        if lost is not None and len(found) < least:
            raise lost
        return found

    def next_sum(self) -> int:
        """The number of the sum that begins now."""
        self._sums += 1
        return self._sums

    def note_result(self, data: bytes) -> None:
        """Add to what all parties must have alike at the end."""
        self._results.update(len(data).to_bytes(8, "big") + data)

    @property
    def result_digest(self) -> bytes:
        """SHA-256 of all that was noted, good for this session only."""
        return hashlib.sha256(b"tacit result\0" + self.mesh.session + self._results.digest()).digest()

    def sign(self, step: str, data: bytes) -> bytes:
        """My signature under data of this step and session."""
        from nacl.signing import SigningKey

        key = SigningKey(bytes.fromhex(self.mesh.secret.sign))
        return bytes(key.sign(self._bind_to_session(step, data)).signature)

    def verify_signature(self, name: str, step: str, data: bytes, signature: bytes) -> bool:
        """Whether a party signed these data in this step of this session."""
        from nacl.exceptions import BadSignatureError
        from nacl.signing import VerifyKey

        try:
            VerifyKey(bytes.fromhex(self.mesh.agreement.member(name).sign_key)).verify(
                self._bind_to_session(step, data), signature
            )
        except (BadSignatureError, ValueError):
            return False
        return True

    def _bind_to_session(self, step: str, data: bytes) -> bytes:
        return b"\0".join([b"tacit", self.mesh.session, step.encode(), data])

    def require_proof(self, judge: Judge) -> None:
        """What an abort must prove from now on."""
        self.mesh.judge = judge

    def uniform(self, count: int) -> Words:
        """Fresh random words, from a fresh seed of the operating system."""
        return self.ring.uniform(count, keystream(secrets.token_bytes(SEED_BYTES)))

    def _unseal_payload(self, link: Link, step: str, payload: bytes) -> bytes:
        from nacl.exceptions import CryptoError
        from nacl.public import PrivateKey, SealedBox

        try:
            return bytes(SealedBox(PrivateKey(bytes.fromhex(self.mesh.secret.box))).decrypt(payload))
        except CryptoError:
            raise link.bad_message(step, "sent what is not sealed under this party's key") from None


def _sealed_box(key: str):  # type: ignore[no-untyped-def]
    from nacl.public import PublicKey, SealedBox

    return SealedBox(PublicKey(bytes.fromhex(key)))


def keystream(seed: bytes) -> Callable[[int], bytes]:
    """A source of bytes that looks random to whoever lacks the seed; a seed serves one vector. 2 GB a second.

    >>> first, again = keystream(bytes(32)), keystream(bytes(32))
    >>> first(5) + first(3) == again(8)
    True
    """
    cipher = Cipher(algorithms.AES256(seed), modes.CTR(bytes(16))).encryptor()
    return lambda count: cipher.update(bytes(count))
