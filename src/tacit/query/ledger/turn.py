"""What can be done while no other question is decided: look up, decide, charge, refuse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...dp.cost import Cost
from ..answer import Answer
from ..mode import Past
from ..question import Question
from ..refusal import Refusal
from .caps import Cap, Scope, added, check, on_grid, spent
from .entry import Asked, Entry, canonical
from .incidents import check_open
from .lines import SELECT, append, read_line
from .store import TABLE, Rows


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
        entry = self._line("kind = 'answer'", asked, asked.account if own else None)
        return None if entry is None else (entry, Answer.from_json(json.loads(entry.answer)))

    def held(self, asked: Asked) -> Entry | None:
        """The line by which this account has the answer already: its own, or that of a repeat."""
        return self._line("kind IN ('answer', 'repeat')", asked, asked.account)

    def repeat(self, asked: Asked, answered: Entry) -> Entry:
        """Write down that an account gets an answer that another one paid for; once."""
        return self.held(asked) or append(self.rows, asked, "repeat", charge=answered.charge)

    def _line(self, kinds: str, asked: Asked, account: str | None) -> Entry | None:
        where = f"{SELECT} WHERE digest = ? AND {kinds} AND dataset = ? AND version = ? AND mode = ?"
        values = [asked.digest, asked.dataset, asked.version, asked.mode]
        if account is not None:
            where, values = f"{where} AND account = ?", [*values, account]
        return read_line(self.rows, f"{where} ORDER BY number LIMIT 1", *values)

    def check_open(self, dataset: str) -> None:
        """Refuse a data set that was closed after failures."""
        check_open(self.rows, dataset)

    def past(self, dataset: str, account: str) -> Past:
        """The earlier charges, for the mode to decide by, and who asks now."""
        return _Past(self.rows, dataset, account)

    def spent(self, dataset: str, scope: Scope = "dataset", name: str = "") -> Cost:
        """What was charged so far."""
        return spent(self.rows, dataset, scope, name)

    def charge(self, asked: Asked, cost: Cost, caps: Iterable[Cap]) -> Entry:
        """Take the cost, if every cap covers it; else a refusal, and nothing is written."""
        cost = on_grid(cost)
        check(self.rows, asked.dataset, cost, caps)
        totals = canonical(self._totals(asked, cost))
        return append(self.rows, asked, "charge", cost=canonical(cost.as_json()), totals=totals)

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
