"""Taking part: one party's whole job, from its own file to the result that all get."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

import polars as pl

from ..errors import TacitError, check_int, suggest_alternative
from ..frozen import FrozenDict
from ..result import DisplayMixin, format_fact
from .agreement.agreement import Agreement
from .agreement.keys import Secret, public_keys
from .agreement.section import known_keys, one_of
from .faults import Contradiction, Fault, MissingParty
from .group import LONGEST, SIZE
from .learning.learn_task import LEARNERS, LearnTask
from .party import Party
from .protocols.protocol import PROTOCOLS, fits_into
from .protocols.set_intersection import common_count, set_intersection
from .protocols.set_union import set_union
from .ring import Ring
from .statistics.dp_sum_task import DpSumTask
from .statistics.statistic import STATISTICS
from .statistics.sum_task import SumTask
from .tasks.compare_task import CompareTask
from .tasks.items import items_of
from .tasks.message_task import MessageTask
from .tasks.outsource_task import OutsourceTask
from .tasks.retrieval_task import RetrievalTask
from .tasks.vertical_task import VerticalTask
from .wire.frame import Kind
from .wire.mesh import Mesh, open_mesh
from .wire.network_party import NetworkParty, ReceivedMessage, SentMessage

PROGRAMS = {
    ("set_intersection", "items"): set_intersection,
    ("set_intersection", "size"): common_count,
    ("set_union", "items"): set_union,
}


@dataclass(frozen=True, slots=True)
class SetTask:
    """Which items of a column all parties have (``set_intersection``), or any (``set_union``); or only how many all have.

    No party may bring more than ``rows`` items: each of them is a guess at what the others have.
    """

    protocol: str
    compute: str
    column: str
    parties: int
    most: int
    rows: int

    @classmethod
    def of(cls, agreement: Agreement) -> SetTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "column", "rows"))
        known = [compute for protocol, compute in PROGRAMS if protocol == agreement.protocol]
        compute, column = one_of(task, "compute", known), _column_name(task, "column")
        check_int("rows", task.get("rows"), least=1)
        return cls(agreement.protocol, compute, column, len(agreement.members), agreement.max_message, task["rows"])

    @property
    def drop_outs(self) -> bool:
        """Everybody's power is needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """All others together see the sizes of overlaps, and no more than that."""
        return self.parties

    @property
    def leakage(self) -> str | None:
        """Of two parties each knows whose the items of a union are."""
        said = "with two parties the union alone tells each of them all items of the other that it lacks itself"
        return said if self.protocol == "set_union" and self.parties == 2 else None

    def side_information(self, _me: str) -> None:
        """Sizes, and overlaps at the first party, are among the figures."""

    def check(self, agreement: Agreement) -> None:
        """Any two parties or more can do it."""

    def load_input(self, frame: pl.DataFrame, _me: str) -> list[str]:
        """The items of the own file, which must go into one message."""
        if frame.height > self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows, and at most {self.rows:,} a party are agreed on",
                code="out_of_range",
                fix="agree on more",
            )
        found = items_of(frame, self.column)
        fits_into(self.most, SIZE * len(found))
        long = next((row for row, item in enumerate(found, 1) if len(item.encode()) > LONGEST), None)
        if self.protocol == "set_union" and long is not None:
            raise TacitError(
                f"has an item of more than {LONGEST} bytes in row {long}",
                code="out_of_range",
                column=self.column,
                fix="use shorter codes",
            )
        return found

    async def run(self, seat: Party, own: list[str]) -> Mapping[str, Any]:
        """The items, or how many; and what was seen on the way."""
        found = await PROGRAMS[self.protocol, self.compute](seat, own, most=self.rows)
        seat.note_result(json.dumps([found.count, found.sizes, found.items]).encode())
        figures: dict[str, Any] = {"size": found.count, "sizes of the sets": found.sizes}
        if found.items is not None:
            figures["items"] = list(found.items)
        if found.overlaps is not None:
            seen = {" & ".join(names): count for names, count in found.overlaps.items()}
            figures["seen by the first party alone: items that exactly these have"] = seen
        return figures


def _column_name(task: Mapping[str, Any], key: str) -> str:
    if not isinstance(task.get(key), str):
        raise TacitError("no column is named", code="no_usable_column", fix=f'e.g. {key} = "id"', where=f"task.{key}")
    return str(task[key])


class Task(Protocol):
    """One kind of computation, made from the ``[task]`` of an agreement; faults of the file are told before anything is sent.

    ``reveals`` says what the output alone tells about the other parties, whatever the protocol; None when it tells no more
    than the name of the task says. A party must accept it.
    """

    @property
    def leakage(self) -> str | None:
        """What the output alone tells about others, if more than its name says."""

    @property
    def drop_outs(self) -> bool:
        """Whether the result stands although somebody went away before the end."""

    @property
    def collusion_threshold(self) -> int:
        """The smallest coalition that learns more than its own data and the output tell it; all parties when none does."""

    def side_information(self, me: str, /) -> str | None:
        """What this party sees on the way that its figures do not tell; None when there is nothing of that kind."""

    def check(self, agreement: Agreement) -> None:
        """Raise what makes the agreement impossible: too few parties, a modulus that the sum can exceed."""

    def load_input(self, frame: pl.DataFrame, me: str, /) -> Any:
        """What this party brings along, read from its own file; a file that does not suit its part is told here."""

    async def run(self, seat: Party, own: Any) -> Mapping[str, Any]:
        """The protocol, and the figures that follow from its output."""


def _over_sums(agreement: Agreement) -> Task:
    """A statistic from one sum, or a model from as many as it needs."""
    compute, known = agreement.task.get("compute"), [*STATISTICS, *LEARNERS]
    if compute not in known:
        fix = suggest_alternative(str(compute), known)
        raise TacitError(
            f"it is not known how to compute {compute!r}", code="unknown_name", fix=fix, where="task.compute"
        )
    return LearnTask.of(agreement) if compute in LEARNERS else SumTask.of(agreement)


TASKS: dict[str, Callable[[Agreement], Task]] = {
    **dict.fromkeys(PROTOCOLS, _over_sums),
    "dp_sum": DpSumTask.of,
    "set_intersection": SetTask.of,
    "set_union": SetTask.of,
    "scalar_product": VerticalTask.of,
    "millionaires": CompareTask.of,
    "dining_cryptographers": MessageTask.of,
    "retrieval": RetrievalTask.of,
    "outsourced": OutsourceTask.of,
}
"""Protocol in the agreement → how its task is made."""

MAY_BE_EMPTY = ("dining_cryptographers", "outsourced")
"""Where a file without rows is nothing special: who has no message sends none, and a server that only adds up brings nothing."""


def task_of(agreement: Agreement) -> Task:
    """What the agreement asks for, by its protocol."""
    if agreement.protocol in TASKS:
        return TASKS[agreement.protocol](agreement)
    fix = suggest_alternative(agreement.protocol, TASKS)
    raise TacitError(
        f"the protocol {agreement.protocol!r} is unknown", code="unknown_name", fix=fix, where="session.protocol"
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SessionResult(DisplayMixin):
    """What one party has after a session: the figures, and an account of all that it saw on the way.

    ``on_the_way`` says what follows from that beside the figures, ``accepted`` what the figures alone tell about the others.
    """

    session: str
    me: str
    figures: Mapping[str, Any]
    saw: tuple[ReceivedMessage, ...] = ()
    messages_sent: tuple[SentMessage, ...] = ()
    on_the_way: str | None = None
    accepted: str | None = None
    parties: int = 0
    breaks: int = 0
    sent: int = 0
    received: int = 0
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        for name, value in self.figures.items():
            yield name, format_fact(value)
        for step in dict.fromkeys(one.step for one in self.saw):
            seen = [one for one in self.saw if one.step == step]
            senders = ", ".join(dict.fromkeys(one.sender for one in seen))
            many = f"{len(seen)} message{'s' if len(seen) > 1 else ''}"
            yield "saw", f"{step}: {sum(one.size for one in seen):,} bytes in {many} from {senders}"
        yield "which tells", self._disclosure_note()
        if self.accepted is not None:
            yield "accepted", self.accepted
        yield "traffic", f"{self.sent:,} bytes sent, {self.received:,} received"
        yield from (("note", note) for note in self.notes)

    def _disclosure_note(self) -> str:
        """What follows from all messages; of two parties there is none to put them together with."""
        told = "no more than the figures"
        if self.on_the_way is not None:
            told = f"the figures, and beside them {self.on_the_way}; no more"
        if self.parties == 2:
            return f"{told}: there is no third party to put it together with"
        return f"{told}, unless {self.breaks} parties or more put together what they saw"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = {"session": self.session, "party": self.me, "figures": dict(self.figures), "notes": list(self.notes)}
        return plain | {
            "saw": [_describe_received(one) for one in self.saw],
            "sent": [{name: getattr(one, name) for name in SentMessage.__slots__} for one in self.messages_sent],
            "seen beside the figures": self.on_the_way,
            "accepted": self.accepted,
            "smallest coalition that learns more": self.breaks,
            "bytes sent": self.sent,
            "bytes received": self.received,
        }

    def transcript(self) -> list[dict[str, Any]]:
        """Every message that arrived, with its bytes in hexadecimal if they were kept."""
        return [_describe_received(one) | {"content": one.content.hex()} for one in self.saw]


def _describe_received(one: ReceivedMessage) -> dict[str, Any]:
    return {name: getattr(one, name) for name in ReceivedMessage.__slots__ if name != "content"}


def check_task(agreement: Agreement, *, accept_output_disclosure: bool = False) -> Task:
    """The task of an agreement, or why it cannot be done so; nothing has been sent then."""
    _in_force(agreement)
    task = task_of(agreement)
    task.check(agreement)
    stands = [name for name, one in PROTOCOLS.items() if one.malicious]
    if agreement.adversary == "malicious" and agreement.protocol not in stands:
        raise TacitError(
            f"{agreement.protocol} stands parties that follow the protocol and listen, not ones that break it",
            code="invalid_protocol_input",
            fix=f'use {" or ".join(stands)}, or adversary = "semi-honest" if that is so',
            where="session.adversary",
        )
    if task.leakage is not None and not accept_output_disclosure:
        raise TacitError(
            task.leakage, code="invalid_protocol_input", fix="say that you accept it: --accept-output-disclosure"
        )
    return task


def _own_keys(agreement: Agreement, secret: Secret) -> None:
    """With other keys than the agreement's the others could not read or believe this party, and one of them would be blamed."""
    member = agreement.member(secret.name)
    try:
        agreed = public_keys(secret) == (member.der, member.box_key, member.sign_key)
    except ValueError:
        agreed = False
    if not agreed:
        raise TacitError(
            f"the agreement has other keys for {secret.name!r}",
            code="invalid_protocol_input",
            fix="put the card of these keys into the agreement",
        )


def _in_force(agreement: Agreement) -> None:
    """An expired certificate would be refused by everybody: it is told before."""
    for one in agreement.members:
        if one.expires < datetime.now(UTC):
            raise TacitError(
                f"its certificate expired on {one.expires:%Y-%m-%d}",
                code="malformed_file",
                fix=f"let it make new keys (tacit party keys {one.name}), and put its card into everybody's agreement",
                where=f"party {one.name!r}",
            )


def _load_own_input(task: Task, agreement: Agreement, frame: pl.DataFrame, me: str, *, accept_empty: bool) -> Any:
    """What a party reads from its own file; what is wrong with it is told with the party's name."""
    try:
        if frame.is_empty() and not accept_empty and agreement.protocol not in MAY_BE_EMPTY:
            raise TacitError(
                "the file has no rows",
                code="too_few_records",
                fix="give another file, or say that it counts for nothing: --accept-empty",
            )
        return task.load_input(frame, me)
    except TacitError as problem:
        raise problem.with_location(f"party {me!r}" + (f", {problem.where}" if problem.where else "")) from None


def join(
    agreement: Agreement,
    secret: Secret,
    frame: pl.DataFrame,
    *,
    accept_output_disclosure: bool = False,
    accept_empty: bool = False,
    listen: str | None = None,
    transcript: bool = False,
) -> SessionResult:
    """Take part as the party whose keys these are; everybody gets the figures of all data together, and nothing else.

    What is wrong with the own file or the agreement is told before anything is sent; a file without rows has to be accepted. A party that is missing, silent or
    sends nonsense ends the session for all within the agreed times, by name (:mod:`tacit.multiparty.faults`). ``listen`` is
    the address to listen on where it is not the agreed one; ``transcript`` keeps the bytes of all that arrives.
    """
    part = taking_part(
        agreement,
        secret,
        frame,
        accept_output_disclosure=accept_output_disclosure,
        accept_empty=accept_empty,
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
    accept_empty: bool = False,
    listen: str | None = None,
    transcript: bool = False,
) -> SessionResult:
    """:func:`join` inside a running event loop."""
    _own_keys(agreement, secret)
    task = check_task(agreement, accept_output_disclosure=accept_output_disclosure)
    own = _load_own_input(task, agreement, frame, secret.name, accept_empty=accept_empty)
    async with open_mesh(agreement, secret, listen=listen) as mesh:
        seat = NetworkParty(mesh, Ring(agreement.modulus), transcript=transcript)
        figures = await task.run(seat, own)
        silent = await _confirm_done(mesh, seat.result_digest, drop_outs=task.drop_outs)
    links = mesh.links.values()
    return SessionResult(
        session=agreement.session,
        me=secret.name,
        figures=figures,
        saw=tuple(seat.saw),
        messages_sent=tuple(seat.sent),
        on_the_way=task.side_information(secret.name),
        accepted=task.leakage,
        parties=len(agreement.members),
        breaks=task.collusion_threshold,
        sent=sum(link.bytes_sent for link in links),
        received=sum(link.bytes_received for link in links),
        notes=tuple(f"party {name!r} did not confirm the end" for name in silent),
    )


async def _confirm_done(mesh: Mesh, result: bytes, *, drop_outs: bool) -> list[str]:
    """DONE to and from all: who does not confirm ends the session without a result, or is noted where that does not matter.

    A party that has already seen something wrong does not confirm: others would have a result that it refuses. DONE holds a digest
    of what all must have alike: figures that were announced differently to different parties are nobody's result.
    """
    for link in mesh.links.values():
        if link.fault is not None and not (drop_outs and isinstance(link.fault, MissingParty)):
            raise link.fault
    for link in mesh.links.values():
        link.send_nowait(Kind.DONE, "done", result)
    silent = []
    for name, link in mesh.links.items():
        if drop_outs and name in mesh.lost:
            silent.append(name)
            continue
        try:
            if await link.receive(Kind.DONE, "done", mesh.agreement.round_timeout) != result:
                raise Contradiction.seen_at("done", f"this party and party {name!r} were sent different figures")
        except Fault as fault:
            if fault.told_by is not None or not drop_outs or isinstance(fault, Contradiction):
                raise
            silent.append(name)
    return silent
