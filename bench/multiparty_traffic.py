"""Rounds, messages and bytes of every protocol, counted as it runs at one table.

A round is a message that waits for another: the number of rounds is the longest chain of messages from the start to the last
result. Bytes are those of the contents; over a wire each message has 10 to 40 more, and TLS its own.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from bars import Bars, spent
from multiparty_sessions import SESSIONS, Session

from tacit.multiparty.local_network import LocalNetwork, LocalParty, run_protocol
from tacit.multiparty.ring import Ring, Words
from tacit.multiparty.session import check_task
from tacit.multiparty.wire.network_party import SEED_BYTES

SEAL = 48
"""Bytes that sealing adds: a fresh public key and a tag."""


class Traffic:
    """What went over the table, and the longest chain that each party has been through."""

    def __init__(self) -> None:
        self.messages = self.bytes = self.rounds = 0
        self.depth: dict[str, int] = {}
        self.under_way: dict[tuple[str, str, str], deque[int]] = {}

    def sent(self, sender: str, to: str, step: str, size: int) -> None:
        """A message that waits for all that its sender has received."""
        depth = self.depth.get(sender, 0) + 1
        self.under_way.setdefault((sender, to, step), deque()).append(depth)
        self.messages, self.bytes, self.rounds = self.messages + 1, self.bytes + size, max(self.rounds, depth)

    def received(self, sender: str, to: str, step: str) -> None:
        """It has arrived."""
        self.depth[to] = max(self.depth.get(to, 0), self.under_way[sender, to, step].popleft())


class Counted:
    """A seat at the table whose messages are counted."""

    def __init__(self, seat: LocalParty, traffic: Traffic) -> None:
        self.seat, self.traffic = seat, traffic

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seat, name)

    async def send(self, to: str, step: str, words: Words, *, sealed: bool = False) -> None:
        """Eight bytes a word."""
        self.traffic.sent(self.seat.me, to, step, 8 * len(words) + SEAL * sealed)
        await self.seat.send(to, step, words)

    async def send_bytes(self, to: str, step: str, data: bytes) -> None:
        """Bytes as they are."""
        self.traffic.sent(self.seat.me, to, step, len(data))
        await self.seat.send_bytes(to, step, data)

    async def send_random(self, to: str, step: str, count: int) -> Words:
        """A seed."""
        self.traffic.sent(self.seat.me, to, step, SEED_BYTES)
        return await self.seat.send_random(to, step, count)

    async def receive(self, sender: str, step: str, count: int, *, sealed: bool = False) -> Words:
        """Words that were sent."""
        words = await self.seat.receive(sender, step, count, sealed=sealed)
        self.traffic.received(sender, self.seat.me, step)
        return words

    async def recv_random(self, sender: str, step: str, count: int) -> Words:
        """Words that were dealt."""
        return await self.receive(sender, step, count)

    async def recv_bytes(self, sender: str, step: str, size: int | None = None) -> bytes:
        """Bytes that were handed over."""
        data = await self.seat.recv_bytes(sender, step, size)
        self.traffic.received(sender, self.seat.me, step)
        return data

    async def gather(self, step: str, count: int, *, least: int) -> dict[str, Words]:
        """Words from everybody."""
        found = await self.seat.gather(step, count, least=least)
        for sender in found:
            self.traffic.received(sender, self.seat.me, step)
        return found


def bars(bars: Bars) -> None:
    """All lines of this part; the issue sets no bar on them, so they are stated."""
    for name, session in SESSIONS.items():
        seconds, traffic = spent(lambda session=session: counted(session))  # type: ignore[misc]
        facts = {"parties": len(session.frames), "messages": traffic.messages, "bytes": traffic.bytes}
        bars.stated(f"{name}: rounds", traffic.rounds, **facts, cpu=seconds)


def counted(session: Session) -> Traffic:
    """The traffic of one session."""
    agreement, _ = session.agreed()
    task, traffic = check_task(agreement, accept_output_disclosure=True), Traffic()
    table = LocalNetwork(agreement.names, Ring(session.modulus))
    table.seats = {name: Counted(seat, traffic) for name, seat in table.seats.items()}  # type: ignore[misc]
    own = {name: task.load_input(frame, name) for name, frame in session.frames.items()}
    run_protocol(task.run, own, table)  # type: ignore[arg-type]
    return traffic
