"""Declared rules in a table of records: what a hiding method is asked, and the count that checks its answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...errors import TacitError, check_columns, format_value
from ...frozen import FrozenDict
from ..parameters import is_number
from .baskets import Cells
from .problem import Limit, Problem, SensitivePattern

if TYPE_CHECKING:
    import polars as pl

    from ...release.release import Release

Condition: TypeAlias = Any
"""A value, a tuple of values, or a mapping with ``from`` (at least) and ``below`` (less than)."""

ENDS = ("from", "below")

CONDITIONS_FIX = "a value ('F'), several (['F', 'M']), or an interval ({'from': 30, 'below': 40})"


def checked_condition(column: str, given: object) -> Condition:
    """A condition as a value that can be compared and saved."""
    if isinstance(given, Mapping):
        if not given or not set(given) <= set(ENDS):
            raise TacitError(
                "has an interval without from and below", code="missing_parameter", column=column, fix=CONDITIONS_FIX
            )
        ends = {end: _check_scalar(column, given[end]) for end in ENDS if end in given}
        if len(ends) == 2 and not ends["from"] < ends["below"]:
            raise TacitError(
                "has an interval that is empty", code="unsuitable_column", column=column, fix=CONDITIONS_FIX
            )
        return FrozenDict(ends)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if not given:
            raise TacitError("has a list without a value", code="missing_parameter", column=column, fix=CONDITIONS_FIX)
        return tuple(_check_scalar(column, one) for one in given)
    return _check_scalar(column, given)


def _check_scalar(column: str, given: object) -> Any:
    if isinstance(given, str | bool | dt.date) or is_number(given):
        return given.isoformat() if isinstance(given, dt.date) else given
    raise TacitError(
        f"has a condition that is {format_value(given)}", code="unsuitable_column", column=column, fix=CONDITIONS_FIX
    )


def matching_records(release: Release, column: str, condition: Condition) -> np.ndarray:
    """The records whose value meets the condition; each different value is looked at once. O(n).

    A condition that no record meets is an error: a misspelt value would hide nothing, and nobody would know.
    """
    codes = release.codes(column)
    values = codes.dictionary.to_list()
    ask = _typed_condition(column, condition, release.types[column])
    meets = np.array([_meets_condition(value, ask) for value in values] + [False], dtype=bool)
    found: np.ndarray = meets[codes.codes]
    if not found.any():
        raise TacitError(
            "has no value that meets the condition on it",
            code="missing_values",
            column=column,
            fix="check its spelling, or leave the rule out",
        )
    return found


def _meets_condition(value: Any, ask: Condition) -> bool:
    if isinstance(ask, Mapping):
        return ("from" not in ask or value >= ask["from"]) and ("below" not in ask or value < ask["below"])
    return value in ask


def _typed_condition(column: str, condition: Condition, type_: str) -> Any:
    """The condition in values of the column's type."""
    if isinstance(condition, Mapping):
        if type_ in ("text", "boolean"):
            raise TacitError(
                f"has an interval and holds {type_}", code="wrong_kind", column=column, fix="name the values instead"
            )
        return {end: _cast_value(column, one, type_) for end, one in condition.items()}
    listed = condition if isinstance(condition, tuple) else (condition,)
    return tuple(_cast_value(column, one, type_) for one in listed)


def _cast_value(column: str, value: Any, type_: str) -> Any:
    fits = {
        "text": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_number(value),
        "number": is_number(value),
    }.get(type_, isinstance(value, str))
    if fits and type_ in ("date", "datetime"):
        try:
            return (dt.date if type_ == "date" else dt.datetime).fromisoformat(value)
        except ValueError:
            fits = False
    if not fits:
        raise TacitError(
            f"holds {type_}, and the condition is {format_value(value)}",
            code="wrong_kind",
            column=column,
            fix="give a value of its type",
        )
    return value


def condition_expression(column: str, condition: Condition, type_: str) -> pl.Expr:
    """The condition for Polars: another way than :func:`matching_records`, for the check afterwards; missing does not meet it."""
    import polars as pl

    ask, held = _typed_condition(column, condition, type_), pl.col(column)
    if not isinstance(ask, Mapping):
        return held.is_in(list(ask)).fill_null(False)
    whole = pl.lit(True)
    if "from" in ask:
        whole = whole & (held >= ask["from"])
    if "below" in ask:
        whole = whole & (held < ask["below"])
    return whole.fill_null(False)


def fitting_values(condition: Condition) -> str:
    """The condition as text, for internal pages."""
    if isinstance(condition, Mapping):
        return f"[{condition.get('from', '')}..{condition.get('below', '')})"
    return " or ".join(map(str, condition)) if isinstance(condition, tuple) else str(condition)


FIX = '{"given": {"sex": "F"}, "then": {"diagnosis": "I21.4"}}; without "then" the records that meet "given" are to be few'


@dataclass(frozen=True, slots=True)
class DeclaredRule:
    """A rule on records: whoever meets all of ``given`` meets all of ``then``."""

    given: Mapping[str, Condition]
    then: Mapping[str, Condition]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of both sides."""
        return (*self.given, *self.then)

    def __str__(self) -> str:
        sides = [
            ", ".join(f"{column}={fitting_values(one)}" for column, one in side.items())
            for side in (self.given, self.then)
        ]
        return " -> ".join(side for side in sides if side)


def parse_rule(given: object) -> DeclaredRule:
    """A rule as a plan has it."""
    if not isinstance(given, Mapping) or not {"given"} <= set(given) <= {"given", "then"}:
        raise TacitError("a rule has given and then, and nothing else", code="invalid_parameter", fix=f"e.g. {FIX}")
    sides = []
    for name in ("given", "then"):
        side = given.get(name, {})
        if not isinstance(side, Mapping) or (name == "given" and not side):
            raise TacitError(f"a rule's {name} names no columns", code="no_usable_column", fix=f"e.g. {FIX}")
        check_columns(list(side))
        sides.append(FrozenDict({column: checked_condition(column, one) for column, one in side.items()}))
    both = set(sides[0]) & set(sides[1])
    if both:
        raise TacitError("is on both sides of a rule", code="duplicate", column=min(both), fix="leave it out of one")
    return DeclaredRule(sides[0], sides[1])


class Records:
    """The rules on one release: units are columns, and a blank ends every rule that reads the cell."""

    def __init__(self, release: Release, rules: Sequence[DeclaredRule], *, ignored: bool) -> None:
        self._ignored = ignored
        self.columns = check_columns(
            list(dict.fromkeys(column for rule in rules for column in rule.columns)), release.columns
        )
        self._release, self._rules = release, rules
        self._fits = [
            {column: matching_records(release, column, one) for column, one in {**rule.given, **rule.then}.items()}
            for rule in rules
        ]
        self._filled = np.stack([release.valid(column) for column in self.columns])

    def problem(self, cells: Cells, limits: Sequence[Limit], least: int) -> Problem:
        """What is left to do when cells (row, place of the column) are blank."""
        filled = self._filled.copy()
        filled[cells.codes, cells.rows] = False
        sought = tuple(
            self._find_rule(rule, fits, limit, filled)
            for rule, fits, limit in zip(self._rules, self._fits, limits, strict=True)
        )
        return Problem(size=self._release.size, lengths=filled.sum(axis=0), least=least, sought=sought)

    def _find_rule(
        self, rule: DeclaredRule, fits: Mapping[str, np.ndarray], limit: Limit, filled: np.ndarray
    ) -> SensitivePattern:
        unit = {column: self.columns.index(column) for column in rule.columns}
        now = {column: fits[column] & filled[unit[column]] for column in rule.columns}
        # Whoever ignores blanks does not count a record of the body whose head is blank.
        read = [filled[unit[column]] for column in rule.then] if self._ignored else []
        body = np.logical_and.reduce([*(now[column] for column in rule.given), *read])
        whole = np.logical_and.reduce([body, *(now[column] for column in rule.then)])
        return SensitivePattern(
            units=tuple(sorted(unit.values())),
            victims=tuple(unit[column] for column in rule.then or rule.given),
            rows=np.flatnonzero(whole),
            limit=limit,
            often={unit[column]: int(now[column].sum()) for column in rule.columns},
            body_units=tuple(unit[column] for column in (rule.columns if self._ignored else rule.given))
            if rule.then
            else (),
            body_rows=np.flatnonzero(body) if rule.then else None,
        )

    def similar_records(self, row: int, unit: int) -> np.ndarray:
        """The records that look like one whose cell is blanked: they meet the rest of a rule of its, and not that cell's."""
        column = self.columns[unit]
        for rule, fits in zip(self._rules, self._fits, strict=True):
            if column in rule.columns and all(fits[one][row] for one in rule.columns):
                rest = [fits[one] for one in rule.columns if one != column]
                free = self._filled[unit] & ~fits[column]
                return np.flatnonzero(np.logical_and.reduce([free, *rest]))
        return np.zeros(0, np.int64)

    def count_rules(self, masked: Release) -> list[dict[str, object]]:
        """Support and confidence of each rule in a release, and the most that blanks leave possible; by Polars alone."""
        import polars as pl

        frame = pl.DataFrame({column: masked.series(column) for column in self.columns})
        found = []
        for rule in self._rules:
            met = {
                column: condition_expression(column, one, masked.types[column])
                for column, one in {**rule.given, **rule.then}.items()
            }
            read = [pl.col(column).is_not_null() for column in rule.then] if self._ignored else []
            body = pl.all_horizontal([*(met[column] for column in rule.given), *read])
            may = pl.all_horizontal([one | pl.col(column).is_null() for column, one in met.items()])
            counts = frame.select(
                body=body.sum(), both=pl.all_horizontal(list(met.values())).sum(), most=may.sum()
            ).row(0)
            found.append({"rule": str(rule), "body": counts[0], "support": counts[1], "most": counts[2]})
        return found
