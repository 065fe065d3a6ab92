"""Values as codes: expressions that cannot fail whatever the data hold, and one whole-number formula in every engine.

A value v lies at code c = ⌊v/step + 1/2⌋: the nearest grid point, the upper one of two equally near. With step = p/q and
v = u/10^s that is

    c = b + ⌊(2uq + P − 2bP) / 2P⌋,   P = p·10^s,   b = low − 1,

where the numerator is not negative, so that every engine's division rounds the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...errors import TacitError
from ...sql_text import text_literal
from ..column import Column
from .layout import Layout

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
"""A text that is a number; anything else is a missing value, and so are NaN and infinity."""

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_FLOATING = ("FLOAT", "DOUBLE")
_HUGE = 2**126
_MOST = 18


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid of a column: first and last code, step, and up to which values the formula is needed at all."""

    low: int
    high: int
    step: Fraction

    @classmethod
    def of(cls, column: Column) -> Grid:
        """The grid of a declared column."""
        grid = cls(*Layout.code_range(column), column.step)
        if grid.digits < 6:
            raise TacitError(
                "has bounds too wide for its step", code="too_large", column=column.name, fix="declare nearer bounds"
            )
        return grid

    @property
    def max_value(self) -> int:
        """A value beyond ± this is beyond the bounds."""
        return int(2 * max(abs(self.low), abs(self.high), 1) * self.step) + 1

    @property
    def digits(self) -> int:
        """Decimals s that are kept of a value, so that 128 bits hold every term."""
        room = _HUGE // (10 * self.max_value * self.step.denominator)
        return min(_MOST, len(str(room)) - 1 if room else -1)

    def code_expression(self, units: str, digits: int, quotient: str) -> str:
        """The formula for u = ``units`` with s = ``digits``; ``quotient`` divides, e.g. ``"({} // {})"``. Not yet cut."""
        p, q = self.step.numerator * 10**digits, self.step.denominator
        start = self.low - 1
        return f"{start} + " + quotient.format(f"({units} * {2 * q} + {p - 2 * start * p})", 2 * p)

    def clip_expression(self, code: str) -> str:
        """A code within the bounds; a missing one stays missing."""
        return (
            f"CASE WHEN {code} < {self.low} THEN {self.low} WHEN {code} > {self.high} THEN {self.high} ELSE {code} END"
        )


def code_type(column: Column) -> str:
    """The smallest type that holds the codes of a column; a text is held as it is."""
    if column.kind == "text":
        return "VARCHAR"
    furthest = max(map(abs, Layout.code_range(column)))
    return "SMALLINT" if furthest < 2**15 else "INTEGER" if furthest < 2**31 else "BIGINT"


def code_of(column: Column, raw: str, kind: str) -> str:
    """The code of a raw value, given its name in SQL and the type that the file declares.

    Undeclared categories, texts that are no number, NaN, infinities and impossible dates are missing; numbers and dates
    outside the bounds are cut to them.
    """
    text = f"CAST({raw} AS VARCHAR)"
    if column.kind == "text":
        return text
    if column.kind == "category":
        listed = ", ".join(map(text_literal, column.values))
        found = f"enum_code(TRY_CAST({text} AS ENUM({listed})))"
    elif column.kind == "boolean":
        found = (
            f"CASE WHEN lower({text}) IN ('true', 't', '1') THEN 1 WHEN lower({text}) IN ('false', 'f', '0') THEN 0 END"
        )
    elif column.kind == "date":
        found = Grid.of(column).clip_expression(f"({_date_expression(raw, text, kind)})")
    else:
        found = _number_expression(Grid.of(column), raw, kind)
    return f"CAST({found} AS {code_type(column)})"


def _date_expression(raw: str, text: str, kind: str) -> str:
    day = (
        raw
        if kind == "DATE"
        else f"TRY_CAST(regexp_extract({text}, '^([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})([ T].*)?$', 1) AS DATE)"
    )
    return f"CASE WHEN {day} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {day} - DATE '1970-01-01' END"


def _number_expression(grid: Grid, raw: str, kind: str) -> str:
    if kind in _WHOLE:
        whole = f"CAST({raw} AS HUGEINT)"
        if grid.step == 1:
            return grid.clip_expression(whole)
        near = f"CASE WHEN {whole} BETWEEN {-grid.max_value} AND {grid.max_value} THEN {whole} END"
        return _bounded_expression(grid, whole, grid.code_expression(f"({near})", 0, "({} // {})"))
    text = f"trim(CAST({raw} AS VARCHAR))"
    size = raw if kind in _FLOATING else f"TRY_CAST({text} AS DOUBLE)"
    number = f"isfinite({raw})" if kind in _FLOATING else f"regexp_full_match({text}, '{NUMBER}')"
    units = f"TRY_CAST(replace(CAST(TRY_CAST({text} AS DECIMAL(38, {grid.digits})) AS VARCHAR), '.', '') AS HUGEINT)"
    near = f"CASE WHEN {size} BETWEEN {-grid.max_value} AND {grid.max_value} THEN {units} END"
    exact = _bounded_expression(grid, size, grid.code_expression(f"({near})", grid.digits, "({} // {})"))
    return f"CASE WHEN {number} THEN {_fast_expression(grid, raw, exact) if kind == 'DOUBLE' else exact} END"


def _fast_expression(grid: Grid, raw: str, exact: str) -> str:
    """Floating-point arithmetic where it cannot go wrong: below 2³¹ steps its error is below 2⁻²⁰ and no tie is near."""
    place = f"({raw} * {grid.step.denominator} / {grid.step.numerator})"
    sure = f"abs({place}) < {2**31} AND abs({place} - floor({place}) - 0.5) > 1e-5"
    return f"CASE WHEN {sure} THEN {grid.clip_expression(f'TRY_CAST(floor({place} + 0.5) AS BIGINT)')} ELSE {exact} END"


def _bounded_expression(grid: Grid, size: str, code: str) -> str:
    """Far values at the bounds without computing; near ones by the formula and then cut."""
    far = f"WHEN {size} < {-grid.max_value} THEN {grid.low} WHEN {size} > {grid.max_value} THEN {grid.high}"
    return f"CASE {far} ELSE {grid.clip_expression(f'({code})')} END"
