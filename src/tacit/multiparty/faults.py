"""What ends a session before its result: each fault names the party and the step, and has an exit code of its own.

    TacitError
    └── Fault
        ├── MissingParty   10   it never came, or went away
        │   └── Ended      10   it ended with an error of its own, and said so
        ├── BadMessage     11   it sent what the protocol does not allow
        ├── Cheated        12   a proof that it broke the protocol
        ├── Overdue        13   it is there, and silent for too long
        └── Contradiction  14   what was opened cannot be true, and nobody can see whose fault it is

A fault tells what was awaited from whom, never a share or a word of the data.
"""

from __future__ import annotations

from typing import ClassVar

from ..errors import TacitError


class Fault(TacitError):
    """A session that cannot go on because of ``party``, at ``step``; ``told_by`` another party, or seen here.

    ``party`` is empty where nobody can see who is at fault.
    """

    word: ClassVar[str]
    """Its name on the wire."""

    def __init__(self, party: str, step: str, what: str, *, fix: str, told_by: str | None = None) -> None:
        self.party, self.step, self.told_by, self.said = party, step, told_by, what
        heard = f" (told by party {told_by!r})" if told_by else ""
        whose = f"party {party!r} " if party else ""
        said = f"{whose}{what}, at {step!r}{heard}; there is no result"
        super().__init__(said, code=self.word.replace(" ", "_"), fix=fix, fields={"party": party, "step": step})


class MissingParty(Fault):
    """A party that never came, or went away."""

    exit_code = 10
    word = "missing"


class PartyAborted(MissingParty):
    """A party that cannot go on for a reason of its own and says so; the reason is told there alone, as it may be in its data."""

    word = "ended"

    @classmethod
    def by_itself(cls, party: str) -> PartyAborted:
        """What a party says of itself; whoever hears it from that party has seen it."""
        said = "could not go on: it ended with an error of its own"
        return cls(party, "its own part", said, fix="ask there what was wrong, then start all parties again")


class BadMessage(Fault):
    """A message that the protocol does not allow: another step, size, order or range."""

    exit_code = 11
    word = "bad message"


class ProtocolViolation(Fault):
    """A proof, by signed messages, that a party broke the protocol; the proof goes out with the abort."""

    exit_code = 12
    word = "cheated"

    def __init__(
        self, party: str, step: str, what: str, *, fix: str, told_by: str | None = None, proof: bytes = b""
    ) -> None:
        self.proof = proof
        super().__init__(party, step, what, fix=fix, told_by=told_by)


class PartyTimeout(Fault):
    """A party that is connected and sent nothing in time."""

    exit_code = 13
    word = "overdue"


class Contradiction(Fault):
    """What was opened lies beyond the agreed bounds, or differs between parties; it names nobody, as nobody can see who did it."""

    exit_code = 14
    word = "contradiction"

    @classmethod
    def seen_at(cls, step: str, what: str) -> Contradiction:
        """Some party brought numbers that the agreement does not allow, or changed a message: which one is not known."""
        fix = "let every party check its file and its version; one that will not is the one to start again without"
        return cls("", step, what, fix=fix)


KINDS = (MissingParty, PartyAborted, BadMessage, ProtocolViolation, PartyTimeout, Contradiction)
FAULTS: dict[str, type[Fault]] = {kind.word: kind for kind in KINDS}
"""What an abort on the wire may say."""
