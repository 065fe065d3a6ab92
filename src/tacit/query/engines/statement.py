"""The one generator of SQL: which rows, which keys, which sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..condition import Condition
from ..question import Key
from ..tally import Code, Measure, Tally
from .layout import Layout
from .predicate import predicate

__all__ = ["Statement", "bin_start", "squares", "total"]

_SPLIT = 2**60

Term = tuple[int, str]
"""A factor and an aggregate in SQL; a measure is a sum of such terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A question to an engine: its SQL over any relation of codes, and the tally of what comes back."""

    layout: Layout
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
        return bin_start(code, self.layout.schema.column(key.column).bounds(), key.width) if key.width else code

    def _terms(self, one: Measure, alone: bool) -> list[Term]:
        if one.what == "rows":
            return [(1, "COUNT(*)")]
        if one.what == "units":
            return [(1, "COUNT(*)" if alone or not self.layout.schema.unit else "COUNT(DISTINCT unit)")]
        low, high = self.layout.schema.column(one.column).bounds()
        furthest = max(abs(low - one.centre), abs(high - one.centre), abs(low), abs(high), abs(one.centre))
        sums = total if one.what == "sum" else squares
        return sums(self.layout.code(one.column), one.centre, furthest)


# Codes are cut to the declared bounds when the data are read, and held in the smallest type that fits them. Every expression
# that computes with a code casts it first to a type that holds all intermediate values for *any* code within the bounds:
# the engine would raise an error on an overflow, and an error that depends on the data is an answer (`overflow.md`).


def bin_start(code: str, bounds: tuple[int, int], width: int) -> str:
    """The first code of the bin in which a code lies.

    >>> bin_start("c0", (-18263, 20088), 3650)
    '(CAST(c0 AS BIGINT) - (CAST(c0 AS BIGINT) - (-18263)) % 3650)'
    """
    low, high = bounds
    wide = f"CAST({code} AS {_wide(max(abs(low), abs(high), high - low, width))})"
    return f"({wide} - ({wide} - ({low})) % {width})"


def total(code: str, centre: int, furthest: int) -> list[Term]:
    """Σ (code − centre), where no difference is beyond ``furthest``; a sum of 64-bit numbers is 128 bits wide."""
    return [(1, f"SUM(CAST({code} AS {_wide(2 * furthest)}) - ({centre}))")]


def squares(code: str, centre: int, furthest: int) -> list[Term]:
    """Σ (code − centre)²; squares beyond 64 bits are summed in two halves."""
    one = f"(CAST({code} AS {_wide(4 * furthest * furthest)}) - ({centre}))"
    if furthest < 2**30:
        return [(1, f"SUM({one} * {one})")]
    return [(_SPLIT, f"SUM({one} * {one} // {_SPLIT})"), (1, f"SUM({one} * {one} % {_SPLIT})")]


def _wide(largest: int) -> str:
    return "BIGINT" if largest < 2**62 else "HUGEINT"
