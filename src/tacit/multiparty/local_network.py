"""All parties of a protocol at one table in one process: for trying, teaching and testing; no secret is safe here.

Every seat keeps its view: its own randomness and what it received. Random words can come from given tapes, so that a test
can run through all of them.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import coroutine
from typing import Any

import numpy as np

from ..errors import TacitError
from .party import Judge
from .ring import Ring, Words

Program = Callable[["LocalParty", Words], Coroutine[Any, Any, Words]]
Draw = Callable[[str, int], Words]
"""Whose words, and how many."""


class LocalNetwork:
    """The queues between all parties; those in ``gone`` leave after they have sent so many messages."""

    def __init__(
        self, names: Sequence[str], ring: Ring, draw: Draw | None = None, gone: Mapping[str, int] | None = None
    ):
        self.ring, self.gone = ring, dict(gone or {})
        self.queues: dict[tuple[str, str, str], deque[Words]] = {}
        self.left: set[str] = set()
        drawn = draw if draw is not None else lambda _, count: ring.uniform(count)
        self.seats = {name: LocalParty(name, tuple(names), self, drawn) for name in names}

    def queue(self, sender: str, to: str, step: str) -> deque[Words]:
        """What one party has sent another in a step."""
        return self.queues.setdefault((sender, to, step), deque())


class _PartyLeft(Exception):
    """A party went away."""


@dataclass(slots=True)
class LocalParty:
    """A seat at the table; ``view`` is all that it saw, in order."""

    me: str
    names: Sequence[str]
    table: LocalNetwork
    draw: Draw
    view: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)
    sent: int = 0
    sums: int = 0
    results: list[bytes] = field(default_factory=list)

    @property
    def ring(self) -> Ring:
        """What is computed in."""
        return self.table.ring

    @property
    def others(self) -> list[str]:
        """All parties but me."""
        return [name for name in self.names if name != self.me]

    async def send(self, to: str, step: str, words: Words, *, sealed: bool = False) -> None:  # noqa: ARG002 - nobody listens here
        """Hand words to another party."""
        if self.sent == self.table.gone.get(self.me):
            self.table.left.add(self.me)
            raise _PartyLeft
        self.sent += 1
        self.table.queue(self.me, to, step).append(words)

    async def receive(self, sender: str, step: str, count: int | None, *, sealed: bool = False) -> Words:  # noqa: ARG002
        """The words that another party sends in this step."""
        queue = self.table.queue(sender, self.me, step)
        while not queue and sender not in self.table.left:
            await _yield_turn()
        if not queue:
            raise TacitError(
                f"party {sender!r} went away before {step!r}",
                code="invalid_protocol_input",
                fix="start again without it",
            )
        words = queue.popleft()
        if count is not None and len(words) != count:
            raise TacitError(
                f"party {sender!r} sent {len(words)} words in {step!r}, not {count}",
                code="invalid_protocol_input",
                fix="agree on the task",
            )
        self.view.append((sender, step, tuple(words.tolist())))
        return words

    async def send_random(self, to: str, step: str, count: int) -> Words:
        """Fresh random words, for another party too."""
        words = self.uniform(count)
        await self.send(to, step, words)
        return words

    async def recv_random(self, sender: str, step: str, count: int) -> Words:
        """The random words that another party dealt."""
        return await self.receive(sender, step, count)

    async def send_bytes(self, to: str, step: str, data: bytes) -> None:
        """Hand bytes to another party."""
        await self.send(to, step, np.frombuffer(data, np.uint8))

    async def recv_bytes(self, sender: str, step: str, size: int | None = None) -> bytes:
        """The bytes that another party hands over in this step."""
        return (await self.receive(sender, step, size)).astype(np.uint8).tobytes()

    async def gather(self, step: str, count: int, *, least: int) -> dict[str, Words]:
        """What the others send in this step, without those who went away."""
        found = {}
        for other in self.others:
            try:
                found[other] = await self.receive(other, step, count)
            except TacitError:
                continue
        if len(found) < least:
            raise TacitError(
                f"{len(found)} parties are left in {step!r}, {least} are needed",
                code="too_few_records",
                fix="start again",
            )
        return found

    def next_sum(self) -> int:
        """The number of the sum that begins now."""
        self.sums += 1
        return self.sums

    def note_result(self, data: bytes) -> None:
        """What all must have alike."""
        self.results.append(data)

    def sign(self, step: str, data: bytes) -> bytes:
        """At one table a mark is as good as a signature: nobody forges here."""
        return hashlib.sha512(b"\0".join([self.me.encode(), step.encode(), data])).digest()

    def verify_signature(self, name: str, step: str, data: bytes, signature: bytes) -> bool:
        """Whether the mark is that of the party."""
        return signature == hashlib.sha512(b"\0".join([name.encode(), step.encode(), data])).digest()

    def require_proof(self, judge: Judge) -> None:
        """Nobody aborts at the table."""

    def uniform(self, count: int) -> Words:
        """Fresh random words; part of the view."""
        words = self.draw(self.me, count)
        self.view.append((self.me, "own randomness", tuple(words.tolist())))
        return words


def run_protocol(program: Program, inputs: Mapping[str, Words], table: LocalNetwork) -> dict[str, Words]:
    """Everybody's output, without those who went away.

    >>> from tacit.multiparty.protocols.additive_sum import additive_sum
    >>> ring = Ring(100)
    >>> table = LocalNetwork(["A", "B", "C"], ring)
    >>> outputs = run_protocol(
    ...     additive_sum, {name: ring.words([age]) for name, age in [("A", 30), ("B", 41), ("C", 20)]}, table
    ... )
    >>> outputs["B"].tolist()
    [91]
    """

    outputs: dict[str, Words] = {}
    running = {name: program(table.seats[name], words) for name, words in inputs.items()}
    try:
        while running:
            for name in list(running):
                try:
                    running[name].send(None)
                except StopIteration as done:
                    outputs[name] = done.value
                    del running[name]
                except _PartyLeft:
                    del running[name]
    finally:
        for other in running.values():
            other.close()
    return {name: outputs[name] for name in inputs if name in outputs}


@coroutine
def _yield_turn() -> Generator[None, None, None]:
    """It is the others' turn."""
    yield
