"""The one generator of SQL: which rows, which keys, which sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..condition import Condition
from ..question import Key
from ..tally import Code, Measure, Tally
from .layout import Layout
from .predicate import predicate

__all__ = ["Dialect", "Statement"]

Term = tuple[int, str]
"""A factor and an aggregate in SQL; a measure is a sum of such terms."""


class Dialect(Protocol):
    """How an engine sums whole numbers without ever wrapping around."""

    def total(self, code: str, centre: int, furthest: int) -> list[Term]:
        """Σ (code − centre), where no difference is beyond ``furthest``."""
        ...

    def squares(self, code: str, centre: int, furthest: int) -> list[Term]:
        """Σ (code − centre)²."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A question to an engine: its SQL over any relation of codes, and the tally of what comes back."""

    layout: Layout
    dialect: Dialect
    where: Condition
    by: tuple[Key, ...]
    measures: tuple[Measure, ...]
    joined: tuple[str, ...] = ()
    texts: list[str] = field(default_factory=list)

    def condition(self) -> str:
        """The rows that meet the condition and have a partner in every joined table."""
        self.texts.clear()
        found = [self.layout.found(table) for table in self.joined]
        return " AND ".join([predicate(self.where, self.layout, self.texts), *found])

    def needed(self) -> str:
        """The columns that keys and measures read, for the rows between."""
        names = [key.column for key in self.by] + [one.column for one in self.measures if one.column]
        codes = [self.layout.code(name) for name in dict.fromkeys(names)]
        return ", ".join([*codes, "unit"] if self.layout.schema.unit else codes) or "TRUE"

    def grouped(self, relation: str, *, alone: bool = False) -> str:
        """Keys and sums over a relation, e.g. ``rows WHERE …``; ``alone``: no unit has two of its rows."""
        keys = [self._key(key) for key in self.by]
        sums = [text for one in self.measures for _, text in self._terms(one, alone)]
        end = f" GROUP BY {', '.join(str(place + 1) for place in range(len(keys)))}" if keys else ""
        return f"SELECT {', '.join([*keys, *sums])} FROM {relation}{end}"

    def tally(self, rows: Iterable[tuple[Any, ...]]) -> Tally:
        """What the rows of one or more such SELECTs add up to; parts with disjoint units may be added."""
        groups: dict[tuple[Code, ...], list[int]] = {} if self.by else {(): [0] * len(self.measures)}
        for row in rows:
            sums = groups.setdefault(tuple(row[: len(self.by)]), [0] * len(self.measures))
            place = len(self.by)
            for number, one in enumerate(self.measures):
                for factor, _ in self._terms(one, False):
                    sums[number] += factor * int(row[place] or 0)
                    place += 1
        order = sorted(groups, key=lambda codes: [(code is not None, code) for code in codes])
        found = {one: tuple(groups[codes][i] for codes in order) for i, one in enumerate(self.measures)}
        return Tally(groups=tuple(order), measures=found)

    def _key(self, key: Key) -> str:
        code = self.layout.code(key.column)
        if not key.width:
            return code
        low, _ = self.layout.schema.column(key.column).bounds()
        return f"{code} - ({code} - {low}) % {key.width}"

    def _terms(self, one: Measure, alone: bool) -> list[Term]:
        if one.what == "rows":
            return [(1, "COUNT(*)")]
        if one.what == "units":
            return [(1, "COUNT(*)" if alone or not self.layout.schema.unit else "COUNT(DISTINCT unit)")]
        low, high = self.layout.schema.column(one.column).bounds()
        furthest = max(abs(low - one.centre), abs(high - one.centre), abs(low), abs(high), abs(one.centre))
        sums = self.dialect.total if one.what == "sum" else self.dialect.squares
        return sums(self.layout.code(one.column), one.centre, furthest)
