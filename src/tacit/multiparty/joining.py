"""Taking part: one party's whole job, from its own file to the result that all get."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ..errors import TacitError
from ..frozen import FrozenDict
from ..result import Shown, shown
from .agreement.agreement import Agreement
from .agreement.keys import Secret
from .faults import Fault
from .protocols.protocol import PROTOCOLS
from .ring import Ring
from .task import Task
from .tasks.every import task_of
from .wire.frame import Kind
from .wire.mesh import Mesh, opened
from .wire.seat import Saw, WireSeat

__all__ = ["Joined", "checked", "join", "taking_part"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Joined(Shown):
    """What one party has after a session: the figures, and an account of all that it saw on the way."""

    session: str
    me: str
    figures: Mapping[str, Any]
    saw: tuple[Saw, ...] = ()
    breaks: int = 0
    sent: int = 0
    received: int = 0
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        for name, value in self.figures.items():
            yield name, shown(value)
        for step in dict.fromkeys(one.step for one in self.saw):
            seen = [one for one in self.saw if one.step == step]
            senders = ", ".join(dict.fromkeys(one.sender for one in seen))
            yield "saw", f"{step}: {sum(one.size for one in seen):,} bytes in {len(seen)} messages from {senders}"
        yield (
            "which tells",
            f"no more than the figures, unless {self.breaks} parties or more put together what they saw",
        )
        yield "traffic", f"{self.sent:,} bytes sent, {self.received:,} received"
        yield from (("note", note) for note in self.notes)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = {"session": self.session, "party": self.me, "figures": dict(self.figures), "notes": list(self.notes)}
        return plain | {
            "saw": [_told(one) for one in self.saw],
            "smallest coalition that learns more": self.breaks,
            "bytes sent": self.sent,
            "bytes received": self.received,
        }

    def transcript(self) -> list[dict[str, Any]]:
        """Every message that arrived, with its bytes in hexadecimal if they were kept."""
        return [_told(one) | {"content": one.content.hex()} for one in self.saw]


def _told(one: Saw) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Saw.__slots__ if name != "content"}


def checked(agreement: Agreement, *, accept_output_disclosure: bool = False) -> Task:
    """The task of an agreement, or why it cannot be done so; nothing has been sent then."""
    task = task_of(agreement)
    task.check(agreement)
    stands = [name for name, one in PROTOCOLS.items() if one.malicious]
    if agreement.adversary == "malicious" and agreement.protocol not in stands:
        raise TacitError(
            f"{agreement.protocol} stands parties that follow the protocol and listen, not ones that break it",
            fix=f'use {" or ".join(stands)}, or adversary = "semi-honest" if that is so',
            where="session.adversary",
        )
    if task.reveals is not None and not accept_output_disclosure:
        raise TacitError(task.reveals, fix="say that you accept it: --accept-output-disclosure")
    return task


def join(
    agreement: Agreement,
    secret: Secret,
    frame: pl.DataFrame,
    *,
    accept_output_disclosure: bool = False,
    listen: str | None = None,
    transcript: bool = False,
) -> Joined:
    """Take part as the party whose keys these are; everybody gets the figures of all data together, and nothing else.

    What is wrong with the own file or the agreement is told before anything is sent. A party that is missing, silent or
    sends nonsense ends the session for all within the agreed times, by name (:mod:`tacit.multiparty.faults`). ``listen`` is
    the address to listen on where it is not the agreed one; ``transcript`` keeps the bytes of all that arrives.
    """
    part = taking_part(
        agreement,
        secret,
        frame,
        accept_output_disclosure=accept_output_disclosure,
        listen=listen,
        transcript=transcript,
    )
    return asyncio.run(part)


async def taking_part(
    agreement: Agreement,
    secret: Secret,
    frame: pl.DataFrame,
    *,
    accept_output_disclosure: bool = False,
    listen: str | None = None,
    transcript: bool = False,
) -> Joined:
    """:func:`join` inside a running event loop."""
    if agreement.member(secret.name).der != ssl.PEM_cert_to_DER_cert(secret.certificate):
        raise TacitError(
            f"the agreement has other keys for {secret.name!r}", fix="put the card of these keys into the agreement"
        )
    task = checked(agreement, accept_output_disclosure=accept_output_disclosure)
    own = task.own(frame)
    async with opened(agreement, secret, listen=listen) as mesh:
        seat = WireSeat(mesh, Ring(agreement.modulus), transcript=transcript)
        figures = await task.run(seat, own)
        silent = await _done(mesh, drop_outs=task.drop_outs)
    links = mesh.links.values()
    return Joined(
        session=agreement.session,
        me=secret.name,
        figures=figures,
        saw=tuple(seat.saw),
        breaks=task.breaks,
        sent=sum(link.bytes_sent for link in links),
        received=sum(link.bytes_received for link in links),
        notes=tuple(f"party {name!r} did not confirm the end" for name in silent),
    )


async def _done(mesh: Mesh, *, drop_outs: bool) -> list[str]:
    """DONE to and from all: who does not confirm ends the session without a result, or is noted where that does not matter."""
    for link in mesh.links.values():
        await link.send(Kind.DONE, "done")
    silent = []
    for name, link in mesh.links.items():
        try:
            await link.receive(Kind.DONE, "done", mesh.agreement.round_timeout)
        except Fault as fault:
            if fault.told_by is not None or not drop_outs:
                raise
            silent.append(name)
    return silent
