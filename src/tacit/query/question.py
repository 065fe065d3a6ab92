"""A question in the service's own form: what is left of the analyst's text once it has been understood.

    SELECT keys, aggregates FROM data set WHERE condition GROUP BY keys        → Question
    HAVING, ORDER BY, LIMIT, names of the answer's columns                     → After, applied to the noisy answer

Two texts that ask the same have the same :meth:`Question.digest`; the text itself goes no further than the parser.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from .condition import Condition

What = Literal["count", "units", "sum", "mean", "variance", "quantile"]


@dataclass(frozen=True, slots=True, order=True)
class Aggregate:
    """One figure per group: how many rows or units, or a statistic of a numeric column; ``share`` of a quantile."""

    what: What
    column: str = ""
    share: Fraction = Fraction(0)

    def as_json(self) -> list[str]:
        """Its parts as texts."""
        return [self.what, self.column, str(self.share)]


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A column to group by; a numeric or date one in bins of ``width`` grid units from its lower bound on (0: none)."""

    column: str
    width: int = 0

    def as_json(self) -> list[Any]:
        """Its parts."""
        return [self.column, self.width]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostProcessing:
    """What is done with the answer itself: the order of its columns and their names, and rows kept, sorted, cut.

    ``shown`` lists ``("key", i, name)`` and ``("aggregate", i, name)`` in the analyst's order, with i the place in the
    question's sorted tuples. ``having`` and ``order`` speak of those names. It costs nothing: it reads the noisy answer.
    """

    shown: tuple[tuple[Literal["key", "aggregate"], int, str], ...]
    having: tuple[tuple[str, Literal["<", "<=", ">", ">=", "=", "<>"], Fraction], ...] = ()
    order: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Aggregates over the rows of a data set that meet a condition, for each value of the keys."""

    dataset: str
    version: str
    aggregates: tuple[Aggregate, ...]
    where: Condition
    by: tuple[Key, ...] = ()
    joined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("aggregates", "by", "joined"):
            object.__setattr__(self, name, tuple(sorted(getattr(self, name))))

    def as_json(self) -> dict[str, Any]:
        """The question as the ledger keeps it; :meth:`from_json` gives it back."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "aggregates": [one.as_json() for one in self.aggregates],
            "where": self.where.as_json(),
            "by": [key.as_json() for key in self.by],
            "joined": list(self.joined),
        }

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Question:
        """The question that :meth:`as_json` wrote."""
        return cls(
            dataset=given["dataset"],
            version=given["version"],
            aggregates=tuple(Aggregate(w, c, Fraction(s)) for w, c, s in given["aggregates"]),
            where=Condition.from_json(given["where"]),
            by=tuple(Key(column, width) for column, width in given["by"]),
            joined=tuple(given["joined"]),
        )

    def digest(self, price: str = "") -> str:
        """A fingerprint of question and price: equal for every text that asks the same for the same price."""
        text = json.dumps([self.as_json(), price], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
