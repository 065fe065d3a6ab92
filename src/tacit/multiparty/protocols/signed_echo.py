"""The same to all: everybody signs the digest of what it sends, and tells all others what it has from everybody.

Pi → all  d_i = SHA-256 of what it sends, signed
Pj → all  all d_i, with the signatures         two signed versions of one prove its sender

A signature says of which session it is, of which sum or round in it, and of which step; so nothing that was signed elsewhere counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..faults import BadMessage, ProtocolViolation
from ..party import Party

DIGEST, SIGNATURE = 32, 64
VERSIONS = re.compile(r"sum [0-9]+: commitments")
"""The steps in which two signed versions are a proof."""


@dataclass(frozen=True, slots=True)
class Signing:
    """What is signed in one sum of a session: a message of another one, however right it was there, is no evidence here."""

    seat: Party
    number: int

    def step(self, name: str) -> str:
        """The step with the number of the sum, as it is signed."""
        return f"sum {self.number}: {name}"

    def sign(self, name: str, data: bytes) -> bytes:
        """My signature in this sum."""
        return self.seat.sign(self.step(name), data)

    def verify_signature(self, party: str, name: str, data: bytes, signature: bytes) -> bool:
        """Whether a party signed it in this sum."""
        return self.seat.verify_signature(party, self.step(name), data, signature)

    def violation_fault(self, party: str, name: str, what: str, proof: bytes) -> ProtocolViolation:
        """A fault with its proof."""
        fix = "its signed message is the proof: talk to it, and start again without it"
        return ProtocolViolation(party, self.step(name), what, fix=fix, proof=proof)


async def compare_digests(signing: Signing, digests: Mapping[str, bytes], signatures: Mapping[str, bytes]) -> None:
    """Everybody tells everybody what it has from everybody: two signed versions of one are a proof against its sender."""
    seat = signing.seat
    mine = b"".join(digests[name] + signatures[name] for name in seat.names)
    for other in seat.others:
        await seat.send_bytes(other, "echo", mine)
    for other in seat.others:
        told = await seat.recv_bytes(other, "echo", len(mine))
        for number, name in enumerate(seat.names):
            part = told[number * (DIGEST + SIGNATURE) :][: DIGEST + SIGNATURE]
            digest, signature = part[:DIGEST], part[DIGEST:]
            if digest == digests[name]:
                continue
            if not signing.verify_signature(name, "commitments", digest, signature):
                raise unproven_fault(other, "echo", "echoed what nobody signed")
            proof = digests[name] + signatures[name] + part
            raise signing.violation_fault(name, "commitments", "signed two versions of its commitments", proof)


def two_versions(seat: Party, accused: str, step: str, proof: bytes) -> bool:
    """Whether a proof shows two digests that the accused signed for one step: nobody honest does, in whatever sum."""
    if VERSIONS.fullmatch(step) is None or accused not in seat.names:
        return False
    one, other = proof[: DIGEST + SIGNATURE], proof[DIGEST + SIGNATURE :]
    return one[:DIGEST] != other[:DIGEST] and all(
        seat.verify_signature(accused, step, part[:DIGEST], part[DIGEST:]) for part in (one, other)
    )


def unproven_fault(party: str, step: str, what: str) -> BadMessage:
    """A message that no honest party sends, without a proof."""
    return BadMessage(party, step, what, fix="ask it why, and start again without it if it will not say")
