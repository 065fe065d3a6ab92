"""Questions and charges for the tests of the ledger and of the desk."""

from __future__ import annotations

import json

from tacit.dp.cost import Cost
from tacit.query.answer import Answer
from tacit.query.condition import Condition
from tacit.query.ledger import Cap, Entry, Ledger, LedgerSubject
from tacit.query.question import Aggregate, Question

__all__ = ["ANSWER", "asked", "caps", "pay", "question"]

ANSWER = Answer(keys=((),), figures=((42,),), accuracy=((3.0,),))


def question(name: str = "count") -> Question:
    return Question(dataset="d", version="1", aggregates=(Aggregate(name),), where=Condition.everything())


def asked(account: str = "ana", project: str = "", dataset: str = "d", digest: str = "x") -> LedgerSubject:
    text = json.dumps(question().as_json())
    return LedgerSubject(
        account=account, project=project, dataset=dataset, version="1", mode="dp", digest=digest, question=text
    )


def caps(limit: object, account: object = 100, delta: object = 0) -> tuple[Cap, ...]:
    return Cap("dataset", "d", Cost.of(limit, delta)), Cap("account", "ana", Cost.of(account, delta))


def pay(ledger: Ledger, amount: object, limit: object = 100, *, settle: bool = True, **who: str) -> Entry:
    """Charge and answer."""
    with ledger.transaction() as turn:
        charge = turn.charge(asked(**who), Cost.of(amount), caps(limit))
    if settle:
        ledger.settle(charge.number, ANSWER)
    return charge
