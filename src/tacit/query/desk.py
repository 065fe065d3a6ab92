"""The desk: where a question is read, priced, charged and answered, in this order. No HTTP here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .account import Account
from .answer import Answer, Quote
from .laid_out import laid_out
from .ledger import Asked, Cap, Entry, Ledger, Turn
from .ledger.caps import NOTHING, check
from .ledger.entry import canonical
from .mode import Mode
from .question import After, Question
from .refusal import Refusal
from .reply import Preview, Reply, kinds
from .request import Request
from .room import Room
from .service import Service
from .sql import parse

__all__ = ["Desk", "Pending"]

LOG = logging.getLogger("tacit.query")


@dataclass(frozen=True, slots=True)
class _Read:
    """A question that was understood, and where it is asked."""

    room: Room
    project: str
    question: Question
    after: After
    caps: tuple[Cap, ...]
    audited_alone: bool

    def asked(self, account: Account, digest: str = "") -> Asked:
        return Asked(
            account=account.name,
            project=self.project,
            dataset=self.question.dataset,
            version=self.question.version,
            mode=self.room.mode.name,
            digest=digest,
            question=canonical(self.question.as_json()),
        )


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that is charged and whose answer, or failure, is not yet in the ledger."""

    read: _Read
    quote: Quote
    charge: Entry
    outcome: Answer | Refusal


class Desk:
    """Every question takes the same way: read → price → (in the ledger's turn) stored? decide, charge → answer → settle."""

    def __init__(self, service: Service, ledger: Ledger, rooms: Mapping[str, Room]) -> None:
        self.service, self.ledger, self.rooms = service, ledger, rooms

    def cost(self, account: Account, request: Request) -> Preview:
        """What the question would cost and how good its answer would be; nothing is spent and no data are read.

        Whether it would be refused is told too: the decision depends on earlier questions alone.
        """
        read = self._read(account, request)
        quote = read.room.mode.quote(read.question, request.spend)
        with self.ledger.turn() as turn:
            stored = turn.stored(read.asked(account, quote.digest), own=read.audited_alone)
            refusal = None if stored else _objection(turn, read, quote, account)
            used = tuple((cap, turn.spent(read.question.dataset, cap.scope, cap.name)) for cap in read.caps)
        return Preview(
            mode=read.room.mode.name,
            quote=quote,
            after=read.after,
            caps=used,
            repeated=stored is not None,
            refusal=refusal,
        )

    def query(self, account: Account, request: Request) -> Reply:
        """The answer, charged; or a refusal, which is written down."""
        found = self.ask(account, request)
        return found if isinstance(found, Reply) else self.settle(found)

    def ask(self, account: Account, request: Request) -> Pending | Reply:
        """Charge and compute; an answer that was given before comes at once and costs nothing."""
        asked = Asked(account=account.name, project="", dataset="", version="", mode="", digest="", question="")
        try:
            read = self._read(account, request)
            asked = read.asked(account)
            quote = read.room.mode.quote(read.question, request.spend)
            asked = replace(asked, digest=quote.digest)
            with self.ledger.turn() as turn:
                stored = turn.stored(asked, own=read.audited_alone)
                if stored is None:
                    read.room.mode.decide(read.question, turn.past(asked.dataset, account.name))
                    charge = turn.charge(asked, quote.cost, read.caps)
        except Refusal as refusal:
            self._note(asked, refusal)
            raise
        if stored is not None:
            return _reply(read, quote, stored[0], stored[1])
        return Pending(read, quote, charge, _computed(read.room.mode, quote, charge.number))

    def settle(self, pending: Pending) -> Reply:
        """Write the outcome down and give it; a failure is a refusal that was charged. What is not kept is not given."""
        try:
            self.ledger.settle(pending.charge.number, pending.outcome)
        except Refusal:
            fix = "tell the owner of the data; asking again is charged again"
            raise Refusal("failed", "the answer cannot be kept now, and is not given", fix=fix) from None
        if isinstance(pending.outcome, Refusal):
            raise pending.outcome
        return _reply(pending.read, pending.quote, pending.charge, pending.outcome)

    def dummy(self, account: Account, request: Request) -> Reply:
        """The same question on made-up data within the declared bounds: no charge, no line in the ledger."""
        read = self._read(account, request)
        quote, answer = _rehearsed(read, request)
        return Reply(
            dataset=read.question.dataset,
            version=read.question.version,
            mode=read.room.mode.name,
            table=laid_out(answer, read.after),
            kinds=kinds(read.after),
            cost=quote.cost,
            charged=replace(NOTHING, unit=quote.cost.unit),
            number=0,
            time="",
            notes=(
                "DUMMY: made-up data within the declared bounds; these figures say nothing of anybody",
                *answer.notes,
            ),
            dummy=True,
        )

    def _read(self, account: Account, request: Request) -> _Read:
        if not account.asks:
            raise Refusal(
                "not_allowed", f"the role {account.role!r} asks no questions", fix="ask with an analyst's key"
            )
        project = self.service.project_of(account, request.project)
        seen = {name: self.rooms[name].schema for name in self.service.open_to(account)}
        question, after = parse(request.sql, seen)
        caps = self.service.caps(account, project, question.dataset)
        alone = self.service.datasets[question.dataset].audited_alone
        return _Read(self.rooms[question.dataset], project, question, after, caps, alone)

    def _note(self, asked: Asked, refusal: Refusal) -> None:
        """Write a refusal into the history, unless the ledger itself is what cannot be had."""
        if refusal.code != "busy":
            with self.ledger.turn() as turn:
                turn.refuse(asked, refusal)

    def close(self) -> None:
        """Let go of data and ledger."""
        for room in self.rooms.values():
            room.close()
        self.ledger.close()


def _objection(turn: Turn, read: _Read, quote: Quote, account: Account) -> Refusal | None:
    """Why the question would be refused now, if it would."""
    try:
        read.room.mode.decide(read.question, turn.past(read.question.dataset, account.name))
        check(turn.rows, read.question.dataset, quote.cost, read.caps)
    except Refusal as refusal:
        return refusal
    return None


def _rehearsed(read: _Read, request: Request) -> tuple[Quote, Answer]:
    try:
        return read.room.rehearsed(read.question, request.spend)
    except Refusal as refusal:
        if refusal.code not in ("time_out", "failed"):
            raise
        fix = "ask a simpler question; nothing was charged"
        raise Refusal(refusal.code, "made-up data could not answer it either", fix=fix) from None


def _computed(mode: Mode, quote: Quote, number: int) -> Answer | Refusal:
    """The answer; whatever goes wrong now happens after the charge, and its text may quote data."""
    try:
        return mode.answer(quote)
    except Refusal as refusal:
        if refusal.code in ("time_out", "failed"):
            return refusal
        LOG.error("charge %d: refused with %s after the charge", number, refusal.code)
    except Exception as problem:
        LOG.error("charge %d: the engine failed with %s", number, type(problem).__name__)
    return Refusal("failed", "the engine failed; the question is charged", fix="tell the owner of the data")


def _reply(read: _Read, quote: Quote, line: Entry, answer: Answer) -> Reply:
    repeated = line.kind == "answer"
    return Reply(
        dataset=read.question.dataset,
        version=read.question.version,
        mode=read.room.mode.name,
        table=laid_out(answer, read.after),
        kinds=kinds(read.after),
        cost=quote.cost,
        charged=replace(NOTHING, unit=quote.cost.unit) if repeated else quote.cost,
        number=line.charge if repeated else line.number,
        time=line.time,
        notes=answer.notes,
        repeated=repeated,
    )
