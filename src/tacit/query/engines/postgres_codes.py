"""Values as codes in PostgreSQL, by expressions that cannot fail whatever the table holds."""

from __future__ import annotations

from ..column import Column
from .decimals import NUMBER, Grid
from .statement import Term

__all__ = ["PostgresSums", "code_of"]

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


class PostgresSums:
    """Sums of 64-bit numbers are of type numeric, which does not end."""

    def total(self, code: str, centre: int, furthest: int) -> list[Term]:
        """Σ (code − centre)."""
        return [(1, f"SUM({_wide(code, centre, 2 * furthest)})")]

    def squares(self, code: str, centre: int, furthest: int) -> list[Term]:
        """Σ (code − centre)²."""
        one = _wide(code, centre, 4 * furthest * furthest)
        return [(1, f"SUM({one} * {one})")]


def _wide(code: str, centre: int, largest: int) -> str:
    kind = "bigint" if largest < 2**63 else "numeric"
    return f"(CAST({code} AS {kind}) - CAST({centre} AS {kind}))"
