"""Which rows a question is about, in one form for all texts that mean the same.

A condition is a reduced ordered decision diagram (Bryant 1986; here with many-valued nodes): columns are asked in the
order of their names, at each one the values branch into disjoint sets, sets that lead to the same rest are one branch,
and a column whose branches all lead to the same rest is not asked. Over fixed domains there is exactly one such diagram
for each set of rows, so ``a AND b``, ``b AND a``, ``NOT NOT …``, ``x > 2`` and ``x >= 3`` on whole numbers or
``… OR 1 = 0`` are equal objects with equal fingerprints (attack 6: averaging over paraphrases).

SQL's third truth value is gone here: a row is in or out. Whoever builds a condition takes NOT down to the leaves, where
the complement of a comparison leaves the missing value out as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .column import Column
from .refusal import Refusal
from .value_set import Codes, Values, column_domain, values_from_json

LARGEST = 5_000
"""The largest written-out condition: intervals and texts over all its paths."""

DEEPEST = 50
"""The most columns that one condition may ask."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A set of rows: all or none of them (``met``), or a column and what follows from its values.

    Make one with :meth:`of` and combine with ``&`` and ``|``.

    >>> age = Column(name="age", kind="integer", low=0, high=110)
    >>> young = Condition.of(age, Codes.of([(0, 17)]))
    >>> old = Condition.of(age, Codes.of([(18, 110)]))
    >>> (young | old).columns, young & old == Condition.nothing()
    (('age',), True)

    The first still asks whether the age is known.
    """

    column: str = ""
    branches: tuple[tuple[Values, Condition], ...] = ()
    met: bool = False
    size: int = field(init=False, compare=False, repr=False, default=1)
    _depth: int = field(init=False, compare=False, repr=False, default=0)
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        size = sum(len(values) + then.size for values, then in self.branches) or 1
        depth = 1 + max((then._depth for _, then in self.branches), default=-1)
        if size > LARGEST or depth > DEEPEST:
            raise Refusal(
                "too_complex",
                f"the condition is longer than {LARGEST} pieces or asks more than {DEEPEST} columns when written out",
                fix="ask with fewer alternatives, e.g. ranges (BETWEEN) in place of lists",
            )
        for name, value in (("size", size), ("_depth", depth), ("_hash", hash((self.column, self.branches, self.met)))):
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    @classmethod
    def everything(cls) -> Condition:
        """All rows."""
        return cls(met=True)

    @classmethod
    def nothing(cls) -> Condition:
        """No row."""
        return cls()

    @classmethod
    def of(cls, column: Column, values: Values) -> Condition:
        """The rows whose value of the column is in the set; what lies outside the declared domain is not."""
        rest = cast(Any, column_domain(column))
        inside = rest & values
        return _merge_branches(column.name, [(inside, cls.everything()), (rest - inside, cls.nothing())])

    def __and__(self, other: Condition) -> Condition:
        """The rows that meet both. O(size of either · size of the other) at the worst."""
        return _combine_conditions(self, other, False, {})

    def __or__(self, other: Condition) -> Condition:
        """The rows that meet one of the two."""
        return _combine_conditions(self, other, True, {})

    @property
    def is_constant(self) -> bool:
        """Whether it asks no column."""
        return not self.branches

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns on which it depends, in the order of their names."""
        return tuple(sorted(_collect_columns(self, set(), set())))

    def holds(self, codes: Mapping[str, npt.NDArray[np.int64]]) -> npt.NDArray[np.bool_]:
        """Which rows meet it, from the codes of its columns (NULL for missing); all arrays of one length.

        O(branches · n). A text without a list has no codes: such a condition is refused.
        """
        length = max((len(array) for array in codes.values()), default=0)
        return _evaluate_condition(self, codes, length, {})

    def as_json(self) -> dict[str, Any]:
        """Nested plain values; equal conditions give equal ones."""
        if self.is_constant:
            return {"met": self.met}
        return {
            "column": self.column,
            "branches": [values.as_json() | {"then": then.as_json()} for values, then in self.branches],
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Condition:
        """The condition that :meth:`as_json` wrote."""
        if "met" in given:
            return cls(met=bool(given["met"]))
        pairs = [(values_from_json(one), cls.from_json(one["then"])) for one in given["branches"]]
        return _merge_branches(str(given["column"]), pairs)


def _merge_branches(column: str, branches: Iterable[tuple[Values, Condition]]) -> Condition:
    merged: dict[Condition, Any] = {}
    for values, then in branches:
        if len(values):
            merged[then] = merged[then] | values if then in merged else values
    if len(merged) == 1:
        return next(iter(merged))
    return Condition(column, tuple(sorted(((v, then) for then, v in merged.items()), key=lambda one: one[0].sort_key)))


def _combine_conditions(
    one: Condition, other: Condition, settles: bool, done: dict[tuple[int, int], tuple[Condition, ...]]
) -> Condition:
    """Both conditions at once; a constant equal to ``settles`` decides the whole (False for AND, True for OR)."""
    if one.is_constant or other.is_constant:
        fixed, free = (one, other) if one.is_constant else (other, one)
        return fixed if fixed.met is settles else free
    place = id(one), id(other)
    if place not in done:
        column = min(one.column, other.column)
        found = _merge_branches(column, _cross_branches(one, other, settles, done))
        done[place] = found, one, other  # the two are kept alive, so that their ids stay theirs
    return done[place][0]


def _cross_branches(
    one: Condition, other: Condition, settles: bool, done: dict[tuple[int, int], tuple[Condition, ...]]
) -> list[tuple[Values, Condition]]:
    if one.column != other.column:
        first, second = (one, other) if one.column < other.column else (other, one)
        return [(values, _combine_conditions(then, second, settles, done)) for values, then in first.branches]
    pairs = ((cast(Any, v) & w, x, y) for v, x in one.branches for w, y in other.branches)
    return [(values, _combine_conditions(x, y, settles, done)) for values, x, y in pairs if len(values)]


def _collect_columns(condition: Condition, found: set[str], seen: set[int]) -> set[str]:
    if not condition.is_constant and id(condition) not in seen:
        seen.add(id(condition))
        found.add(condition.column)
        for _, then in condition.branches:
            _collect_columns(then, found, seen)
    return found


def _evaluate_condition(
    condition: Condition,
    codes: Mapping[str, npt.NDArray[np.int64]],
    length: int,
    done: dict[Condition, npt.NDArray[np.bool_]],
) -> npt.NDArray[np.bool_]:
    if condition.is_constant:
        return np.full(length, condition.met)
    if condition not in done:
        found = np.zeros(length, dtype=bool)
        for values, then in condition.branches:
            if then.is_constant and not then.met:
                continue
            if not isinstance(values, Codes):
                raise Refusal(
                    "mode",
                    "has no declared list, so which rows it means cannot be told without the data",
                    column=condition.column,
                    fix="ask with columns whose values or bounds are declared",
                )
            found |= values.holds(codes[condition.column]) & _evaluate_condition(then, codes, length, done)
        done[condition] = found
    return done[condition]
