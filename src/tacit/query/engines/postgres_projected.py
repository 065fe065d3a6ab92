"""A PostgreSQL table as a relation of codes: a SELECT that is put in front of every question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError, unknown_column
from ..column import Column
from .layout import Layout, quoted
from .postgres_codes import code_of

__all__ = ["digest", "projected"]


def projected(connection: Any, layout: Layout, tables: Mapping[str, str]) -> str:
    """The relation in SQL, once the columns of all tables and the keys of the joins have been looked at.

    Like the table that DuckDB makes of a file: codes, whether there is a partner in each joined table, and the unit.
    """
    schema = layout.schema
    known = _columns(connection, tables[schema.name])
    parts = [f"{_code(c, n, known)} AS {layout.code(n)}" for n, c in layout.own.items()]
    joins = ""
    for table, key in schema.joins.items():
        found = layout.found(table)
        parts.append(f"{found}.key IS NOT NULL AS {found}")
        parts += [f"{found}.{layout.code(column.name)}" for column in layout.of_join(table).values()]
        partners = _partners(connection, layout, table, tables)
        joins += f" LEFT JOIN ({partners}) AS {found} ON {found}.key = {_code(schema.column(key), key, known)}"
    source = f"FROM {_named(tables[schema.name])} AS own{joins}"
    if schema.unit is None:
        return f"SELECT {', '.join(parts)} {source}"
    who = _raw(schema.unit, known)
    return f"SELECT {', '.join([*parts, f'CAST({who} AS text) AS unit'])} {source} WHERE {who} IS NOT NULL"


def digest(connection: Any, layout: Layout, relation: str) -> str:
    """How many rows there are, and the sum of 60 bits of a digest of each one's codes and unit: no order matters."""
    unit = " || ',' || unit" if layout.schema.unit else ""
    part = f"CAST(CAST('x' || substr(md5({layout.row_text()}{unit}), 1, 15) AS bit(60)) AS bigint)"
    count, total = connection.execute(f"SELECT COUNT(*), SUM({part}) FROM ({relation}) AS rows").fetchone()
    return f"{count}:{total}"


def _partners(connection: Any, layout: Layout, table: str, tables: Mapping[str, str]) -> str:
    if table not in tables:
        raise TacitError(f"the joined table {table!r} is not given", fix=f"give joins={{{table!r}: name}}")
    key, known = layout.schema.joins[table], _columns(connection, tables[table])
    codes = [f"{_code(layout.schema.column(key), key, known)} AS key"]
    codes += [f"{_code(c, n, known)} AS {layout.code(c.name)}" for n, c in layout.of_join(table).items()]
    rows = f"SELECT * FROM (SELECT {', '.join(codes)} FROM {_named(tables[table])} AS own) AS own WHERE key IS NOT NULL"
    if connection.execute(f"SELECT 1 FROM ({rows}) AS p GROUP BY key HAVING COUNT(*) > 1 LIMIT 1").fetchone():
        raise TacitError(f"occurs more than once in {table!r}", column=key, fix="keep one row for each key")
    return rows


def _named(table: str) -> str:
    return ".".join(quoted(part) for part in table.split("."))


def _columns(connection: Any, table: str) -> list[str]:
    import psycopg

    try:
        cursor = connection.execute(f"SELECT * FROM {_named(table)} LIMIT 0")
    except psycopg.Error:
        raise TacitError(
            f"the table {table!r} cannot be read", fix="check its name and the rights of the role"
        ) from None
    return [column.name for column in cursor.description or ()]


def _raw(name: str, known: list[str]) -> str:
    if name not in known:
        raise unknown_column(name, known)
    return f"own.{quoted(name)}"


def _code(column: Column, name: str, known: list[str]) -> str:
    return code_of(column, _raw(name, known))
