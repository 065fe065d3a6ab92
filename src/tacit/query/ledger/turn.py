"""What can be done while no other question is decided: look up, decide, charge, refuse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...dp.cost import Cost
from ..answer import Answer
from ..mode import Past
from ..question import Question
from ..refusal import Refusal
from .caps import NOTHING, Cap, Scope, added, check, spent
from .entry import COLUMNS, START, Asked, Entry, Kind, canonical, now
from .store import TABLE, Rows

__all__ = ["SELECT", "Turn", "append"]

SELECT = f"SELECT {', '.join(COLUMNS)} FROM {TABLE}"
"""The beginning of every SELECT of whole lines."""

_INSERT = f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


def append(
    rows: Rows, asked: Asked, kind: Kind, *, cost: Cost = NOTHING, totals: str = "", answer: str = "", charge: int = 0
) -> Entry:
    """Write the next line of the chain."""
    last = next(rows.all(f"SELECT number, hash FROM {TABLE} ORDER BY number DESC LIMIT 1"), (0, START))
    draft = Entry(
        number=last[0] + 1,
        time=now(),
        kind=kind,
        **{name: getattr(asked, name) for name in Asked.__slots__},
        cost=canonical(cost.as_json()),
        totals=totals,
        answer=answer,
        charge=charge,
        previous=last[1],
    )
    entry = replace(draft, hash=draft.computed())
    rows.run(_INSERT, *entry.values())
    return entry


@dataclass(frozen=True, slots=True)
class _Past:
    rows: Rows
    dataset: str
    account: str

    def since(self, number: int) -> Iterator[tuple[int, str, Question]]:
        sql = f"SELECT number, account, question FROM {TABLE} WHERE dataset = ? AND kind = 'charge' AND number > ? ORDER BY number"
        for found, account, question in self.rows.all(sql, self.dataset, number):
            yield int(found), account, Question.from_json(json.loads(question))


@dataclass(frozen=True, slots=True)
class Turn:
    """An exclusive transaction of the ledger; what was written counts when the turn ends without an error."""

    rows: Rows

    def stored(self, asked: Asked, *, own: bool = False) -> tuple[Entry, Answer] | None:
        """The first answer to the same question at the same price, of the same version in the same mode.

        Whoever asked, or with ``own`` this account alone.
        """
        where = "digest = ? AND kind = 'answer' AND dataset = ? AND version = ? AND mode = ?"
        values = [asked.digest, asked.dataset, asked.version, asked.mode]
        if own:
            where, values = f"{where} AND account = ?", [*values, asked.account]
        found = next(self.rows.all(f"{SELECT} WHERE {where} ORDER BY number LIMIT 1", *values), None)
        if found is None:
            return None
        entry = Entry.of(found)
        return entry, Answer.from_json(json.loads(entry.answer))

    def past(self, dataset: str, account: str) -> Past:
        """The earlier charges, for the mode to decide by, and who asks now."""
        return _Past(self.rows, dataset, account)

    def spent(self, dataset: str, scope: Scope = "dataset", name: str = "") -> Cost:
        """What was charged so far."""
        return spent(self.rows, dataset, scope, name)

    def charge(self, asked: Asked, cost: Cost, caps: Iterable[Cap]) -> Entry:
        """Take the cost, if every cap covers it; else a refusal, and nothing is written."""
        check(self.rows, asked.dataset, cost, caps)
        return append(self.rows, asked, "charge", cost=cost, totals=canonical(self._totals(asked, cost)))

    def _totals(self, asked: Asked, cost: Cost) -> dict[str, Any]:
        scopes: tuple[tuple[Scope, str], ...] = (
            ("dataset", ""),
            ("project", asked.project),
            ("account", asked.account),
        )
        return {scope: added(self.spent(asked.dataset, scope, name), cost).as_json() for scope, name in scopes}

    def refuse(self, asked: Asked, refusal: Refusal) -> Entry:
        """Write down that the question was refused, and why; it costs nothing."""
        return append(self.rows, asked, "refusal", answer=canonical(refusal.as_json()))
