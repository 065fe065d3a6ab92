"""The groups that an answer shows when its keys are declared: all of them, whatever the data hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, cast

from ..bins import group_starts
from ..column import Schema
from ..condition import Condition
from ..question import Key, Question
from ..refusal import Refusal
from ..tally import Code
from ..value_set import Codes, Values, column_domain

MOST_GROUPS = 10_000
"""An answer has at most so many rows."""


def declared_groups(question: Question, schema: Schema) -> tuple[tuple[Code, ...], ...] | None:
    """All combinations of the keys' values that the condition allows; None if a key has neither list nor bounds.

    A missing value is a group of its own. A group is left out only where the question itself says that it is empty
    (``WHERE sex = 'f' GROUP BY sex``): which groups there are never depends on the data. O(groups).
    """
    if not all(schema.column(key.column).has_public_domain for key in question.by):
        return None
    keys = [_KeyGroups.of(key, question.where, schema) for key in question.by]
    number = prod(len(key) for key in keys)
    if number > MOST_GROUPS:
        raise Refusal(
            "too_complex",
            f"the keys have {number} groups, more than {MOST_GROUPS}",
            fix="group by fewer keys, by wider bins, or ask about fewer values",
        )
    return tuple(product(*keys))


@dataclass(frozen=True, slots=True)
class _KeyGroups:
    """The groups of one key: which of its bins, and whether missing values are one."""

    starts: range
    bins: Codes
    null: bool

    @classmethod
    def of(cls, key: Key, where: Condition, schema: Schema) -> _KeyGroups:
        column = schema.column(key.column)
        allowed = cast(Codes, feasible_values(where, key.column, column_domain(column)))
        codes = group_starts(key, column)
        bins = [
            ((first - codes.start) // codes.step, (last - codes.start) // codes.step)
            for first, last in allowed.without_null.intervals
        ]
        return cls(codes, Codes.of(bins), allowed.has_null)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.bins.intervals) + self.null

    def __iter__(self) -> Iterator[Code]:
        if self.null:
            yield None
        for first, last in self.bins.intervals:
            yield from self.starts[first : last + 1]


def feasible_values(where: Condition, column: str, whole: Values) -> Values:
    """The values of a column that a row which meets the condition can have, as far as the condition tells.

    The union over all ways through the condition: O(size of the condition).
    """
    return cast(Values, _feasible_values(where, column, whole, {}))


def _feasible_values(where: Condition, column: str, whole: Values, done: dict[Condition, Any]) -> Any:
    if where.is_constant or where.column > column:
        # Columns are asked in the order of their names, and every part of a reduced diagram can be met but "nothing".
        return whole if where != Condition.nothing() else whole - cast(Any, whole)
    if where not in done:
        found: Any = whole - cast(Any, whole)
        for values, then in where.branches:
            if then != Condition.nothing():
                rest = values if where.column == column else _feasible_values(then, column, whole, done)
                found = found | rest
        done[where] = found & whole
    return done[where]
