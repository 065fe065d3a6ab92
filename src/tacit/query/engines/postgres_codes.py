"""Values as codes in PostgreSQL, by expressions that cannot fail whatever the table holds."""

from __future__ import annotations

from ..column import Column
from .decimals import NUMBER, Grid

__all__ = ["code_of"]

_DAY = "^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T].*)?$"


def code_of(column: Column, raw: str) -> str:
    """The code of a raw value, given its name in SQL; the same as in DuckDB, by way of the value's text."""
    text = f"CAST({raw} AS text)"
    if column.kind == "text":
        return text
    if column.kind == "category":
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in column.values)
        return f"CAST(array_position(ARRAY[{listed}]::text[], {text}) - 1 AS bigint)"
    if column.kind == "boolean":
        return f"CASE WHEN lower({text}) IN ('true', 't', '1') THEN 1::bigint WHEN lower({text}) IN ('false', 'f', '0') THEN 0 END"
    grid = Grid.of(column)
    if column.kind == "date":
        return f"(SELECT CAST({grid.cut('d')} AS bigint) FROM ({_days(text)}) AS one)"
    number = f"SELECT CASE WHEN btrim({text}) ~ '^{NUMBER}$' THEN CAST(btrim({text}) AS numeric) END AS v"
    units = f"SELECT v, {grid.code('v', 0, 'div({}, {})')} AS c FROM ({number}) AS one"
    far = f"WHEN v < {-grid.reach} THEN {grid.low} WHEN v > {grid.reach} THEN {grid.high}"
    return f"(SELECT CAST(CASE {far} ELSE {grid.cut('c')} END AS bigint) FROM ({units}) AS two)"


def _days(text: str) -> str:
    """Days since 1970; the first of the month is always a date, and a day past its end shows in the month."""
    first = f"CAST(left({text}, 7) || '-01' AS date)"
    day = f"SELECT CASE WHEN {text} ~ '{_DAY}' THEN {first} + CAST(substr({text}, 9, 2) AS int) - 1 END AS day"
    same = f"to_char(day, 'YYYY-MM') = left({text}, 7)"
    return f"SELECT CASE WHEN {same} THEN day - DATE '1970-01-01' END AS d FROM ({day}) AS zero"
