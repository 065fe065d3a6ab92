"""Values as codes in DuckDB, by expressions that cannot fail whatever the file holds."""

from __future__ import annotations

from ..column import Column
from .decimals import NUMBER, Grid
from .layout import Layout

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_FLOATING = ("FLOAT", "DOUBLE")


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
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in column.values)
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
