"""The desk: where a question is read, priced, charged and answered, in this order. No HTTP here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from .account import Account
from .answer import Answer, Quote
from .answer_table import laid_out
from .dataset import Dataset
from .ledger import Cap, Entry, Ledger, LedgerSubject, LedgerTransaction
from .ledger.caps import NOTHING, check_caps
from .ledger.entry import canonical_json
from .mode import Mode
from .question import PostProcessing, Question
from .refusal import Refusal
from .reply import Preview, Reply, column_kinds
from .request import Request
from .service import Service
from .sql import parse

LOG = logging.getLogger("tacit.query")


@dataclass(frozen=True, slots=True)
class _ParsedQuery:
    """A question that was understood, and where it is asked."""

    room: Dataset
    project: str
    question: Question
    after: PostProcessing
    caps: tuple[Cap, ...]
    audited_alone: bool

    def same_as(self, asked: LedgerSubject) -> tuple[str, ...]:
        """What two questions have in common that get one answer."""
        alone = asked.account if self.audited_alone else ""
        return asked.digest, asked.dataset, asked.version, asked.mode, alone

    def ledger_subject(self, account: Account, digest: str = "") -> LedgerSubject:
        return LedgerSubject(
            account=account.name,
            project=self.project,
            dataset=self.question.dataset,
            version=self.question.version,
            mode=self.room.mode.name,
            digest=digest,
            question=canonical_json(self.question.as_json()),
        )


Flight = Future["Refusal | None"]
"""A question that is being answered: done when its outcome is in the ledger, with the refusal if there is no answer."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that is charged and whose answer, or failure, is not yet in the ledger."""

    read: _ParsedQuery
    quote: Quote
    charge: Entry
    outcome: Answer | Refusal
    same: tuple[str, ...]


class QueryService:
    """Every question takes the same way: read → price → (in the ledger's turn) stored? decide, charge → answer → settle.

    A question that is asked while the same one is being answered waits for that answer, and is not charged.
    """

    def __init__(self, service: Service, ledger: Ledger, rooms: Mapping[str, Dataset]) -> None:
        self.service, self.ledger, self.rooms = service, ledger, rooms
        self._flights: dict[tuple[str, ...], Flight] = {}

    def cost(self, account: Account, request: Request) -> Preview:
        """What the question would cost and how good its answer would be; nothing is spent and no data are read.

        Whether it would be refused is told too: the decision depends on earlier questions alone. That somebody else asked
        the same is not told: only what this account has already counts as free.
        """
        read = self._parse_request(account, request)
        quote = read.room.mode.quote(read.question, request.spend)
        with self.ledger.transaction() as turn:
            held = turn.find_delivered(read.ledger_subject(account, quote.digest))
            refusal = None if held else _find_refusal(turn, read, quote, account)
            used = tuple((cap, turn.spent(read.question.dataset, cap.scope, cap.name)) for cap in read.caps)
        return Preview(
            mode=read.room.mode.name,
            quote=quote,
            after=read.after,
            caps=used,
            repeated=held is not None,
            refusal=refusal,
        )

    def query(self, account: Account, request: Request) -> Reply:
        """The answer, charged; or a refusal, which is written down."""
        while True:
            found = self.ask(account, request)
            if isinstance(found, Pending):
                return self.settle(found)
            if isinstance(found, Reply):
                return found
            self.join_outcome(account, request, found.result())

    def join_outcome(self, account: Account, request: Request, outcome: Refusal | None) -> None:
        """After the same question was answered for another: its refusal is this one's too, uncharged; else ask again."""
        if outcome is not None:
            read = self._parse_request(account, request)
            quote = read.room.mode.quote(read.question, request.spend)
            self._record_refusal(read.ledger_subject(account, quote.digest), outcome)
            raise outcome

    def ask(self, account: Account, request: Request) -> Pending | Reply | Flight:
        """Charge and compute; an answer that was given before comes at once and costs nothing.

        If the same question is being answered now, that flight: wait for it without holding a thread, then ask again.
        """
        asked = LedgerSubject(account=account.name, project="", dataset="", version="", mode="", digest="", question="")
        taken: tuple[str, ...] | None = None
        try:
            read = self._parse_request(account, request)
            asked = read.ledger_subject(account)
            quote = read.room.mode.quote(read.question, request.spend)
            asked = replace(asked, digest=quote.digest)
            with self.ledger.transaction() as turn:
                stored = turn.find_answer(asked, own=read.audited_alone)
                if stored is not None:
                    line = turn.record_repeat(asked, stored[0])
                elif (flight := self._flights.get(read.same_as(asked))) is not None:
                    return flight
                else:
                    turn.check_open(asked.dataset)
                    read.room.mode.decide(read.question, turn.past_queries(asked.dataset, account.name))
                    charge = turn.charge(asked, quote.cost, read.caps)
                    taken = read.same_as(asked)
                    self._flights[taken] = Future()  # in the turn: nobody else asks meanwhile
        except Refusal as refusal:
            if taken is not None:  # the charge could not be committed
                self._finish_flight(taken, refusal)
            self._record_refusal(asked, refusal)
            raise
        if stored is not None:
            return _make_reply(read, quote, line, stored[1], repeated=True)
        outcome = _compute_answer(read.room.mode, quote, asked.dataset, charge.number)
        return Pending(read, quote, charge, outcome, read.same_as(asked))

    def settle(self, pending: Pending) -> Reply:
        """Write the outcome down and give it; a failure is a refusal that was charged. What is not kept is not given."""
        try:
            self.ledger.settle(pending.charge.number, pending.outcome)
        except Refusal:
            self.abandon(pending)
            raise _not_kept() from None
        self._finish_flight(pending.same, pending.outcome if isinstance(pending.outcome, Refusal) else None)
        if isinstance(pending.outcome, Refusal):
            raise pending.outcome
        return _make_reply(pending.read, pending.quote, pending.charge, pending.outcome, repeated=False)

    def abandon(self, pending: Pending) -> None:
        """Let those go who wait for an outcome that will not be written down."""
        self._finish_flight(pending.same, _not_kept())

    def _finish_flight(self, same: tuple[str, ...], outcome: Refusal | None) -> None:
        flight = self._flights.pop(same, None)
        if flight is not None:
            flight.set_result(outcome)

    def dummy(self, account: Account, request: Request) -> Reply:
        """The same question on made-up data within the declared bounds: no charge, no line in the ledger."""
        read = self._parse_request(account, request)
        quote, answer = _dry_run(read, request)
        return Reply(
            dataset=read.question.dataset,
            version=read.question.version,
            mode=read.room.mode.name,
            table=laid_out(answer, read.after),
            kinds=column_kinds(read.after),
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

    def _parse_request(self, account: Account, request: Request) -> _ParsedQuery:
        if not account.may_ask:
            raise Refusal(
                "not_allowed", f"the role {account.role!r} asks no questions", fix="ask with an analyst's key"
            )
        project = self.service.project_of(account, request.project)
        seen = {name: self.rooms[name].schema for name in self.service.open_to(account)}
        question, after = parse(request.sql, seen)
        caps = self.service.caps(account, project, question.dataset)
        alone = self.service.datasets[question.dataset].audited_alone
        return _ParsedQuery(self.rooms[question.dataset], project, question, after, caps, alone)

    def _record_refusal(self, asked: LedgerSubject, refusal: Refusal) -> None:
        """Write a refusal into the history, unless the ledger itself is what cannot be had."""
        if refusal.code != "busy":
            with self.ledger.transaction() as turn:
                turn.record_refusal(asked, refusal)

    def close(self) -> None:
        """Let go of data and ledger."""
        for room in self.rooms.values():
            room.close()
        self.ledger.close()


def _find_refusal(turn: LedgerTransaction, read: _ParsedQuery, quote: Quote, account: Account) -> Refusal | None:
    """Why the question would be refused now, if it would."""
    try:
        turn.check_open(read.question.dataset)
        read.room.mode.decide(read.question, turn.past_queries(read.question.dataset, account.name))
        check_caps(turn.rows, read.question.dataset, quote.cost, read.caps)
    except Refusal as refusal:
        return refusal
    return None


def _dry_run(read: _ParsedQuery, request: Request) -> tuple[Quote, Answer]:
    try:
        return read.room.dry_run(read.question, request.spend)
    except Refusal as refusal:
        if refusal.code not in ("time_out", "failed"):
            raise
        fix = "ask a simpler question; nothing was charged"
        raise Refusal(refusal.code, "made-up data could not answer it either", fix=fix) from None


def _compute_answer(mode: Mode, quote: Quote, dataset: str, number: int) -> Answer | Refusal:
    """The answer; whatever goes wrong now happens after the charge, and its text may quote data.

    Every failure is an incident, and leaves its kind in the log; neither the question nor what the engine said.
    """
    try:
        return mode.answer(quote)
    except Refusal as refusal:
        LOG.error("incident: data set %s, charge %d: %s after the charge", dataset, number, refusal.code)
        if refusal.code in ("time_out", "failed"):
            return refusal
    except Exception as problem:
        LOG.error("incident: data set %s, charge %d: failed with %s", dataset, number, type(problem).__name__)
    return Refusal("failed", "the engine failed; the question is charged", fix="tell the owner of the data")


def _not_kept() -> Refusal:
    fix = "tell the owner of the data; asking again is charged again"
    return Refusal("failed", "the answer cannot be kept now, and is not given", fix=fix)


def _make_reply(read: _ParsedQuery, quote: Quote, line: Entry, answer: Answer, *, repeated: bool) -> Reply:
    return Reply(
        dataset=read.question.dataset,
        version=read.question.version,
        mode=read.room.mode.name,
        table=laid_out(answer, read.after),
        kinds=column_kinds(read.after),
        cost=quote.cost,
        charged=replace(NOTHING, unit=quote.cost.unit) if repeated else quote.cost,
        number=line.charge if line.kind == "answer" else line.number,
        time=line.time,
        notes=answer.notes,
        repeated=repeated,
    )
