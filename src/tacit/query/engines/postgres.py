"""A PostgreSQL table as the source: its codes are copied once, in one transaction, and the connection is closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from ...errors import TacitError, unknown_column
from ...sql_text import quote_identifier, text_literal
from ..column import Column, Schema
from .codes import NUMBER, Grid, code_type
from .duckdb import bound_rows
from .engine import Engine, version_of
from .layout import Layout

BLOCK = 16_000_000
"""Bytes of copied rows that are taken over at once."""

_DAY = "^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T].*)?$"


class Postgres(Engine):
    """A table (or view) of a PostgreSQL database, version 12 or later.

    PostgreSQL turns the values into codes, and the service keeps these: no question reaches the database, so that none
    waits for it, fails with it, or meets another state of the data. Changes of the table are noticed at the next opening,
    as another ``version``: a sum of digests of all rows' codes and units. Opening is O(rows).

    Parameters
    ----------
    schema
        What the owner declares.
    url
        ``postgresql://…``; give it a role that may read the tables and nothing else.
    table
        The name of the table, with its schema where needed: ``"public.patients"``.
    joins
        For each declared join, the other table in the same database; a key may occur once in it.
    time_limit
        Seconds after which a question is stopped and refused.
    """

    def __init__(
        self, schema: Schema, url: str, *, table: str, time_limit: float, joins: Mapping[str, str] | None = None
    ) -> None:
        import psycopg

        layout = Layout(schema)
        with _open_connection(url) as self._reading:
            try:
                self._relation = projected_relation(self._reading, layout, {schema.name: table, **(joins or {})})
                version = version_of(schema, {"rows": relation_digest(self._reading, layout, self._relation)})
                super().__init__(schema, version=version, time_limit=time_limit)
            except psycopg.Error:  # its text may show a value
                raise TacitError(
                    f"the table {table!r} cannot be read to its end",
                    code="cannot_read",
                    fix="check the database and its log",
                ) from None
        del self._reading

    def _load_rows(self) -> None:
        names = [self.layout.code(name) for name in self.schema.columns]
        kinds = {self.layout.code(name): code_type(column) for name, column in self.schema.columns.items()}
        for table in self.schema.joins:
            names.append(self.layout.join_flag(table))
            kinds[names[-1]] = "BOOLEAN"
        wanted, target = [*names], "rows"
        if self.schema.unit is not None:
            wanted, target, kinds["who"] = [*names, "unit"], "given", "VARCHAR"
        self._connection.execute(f"CREATE TABLE {target} ({', '.join(f'{n} {k}' for n, k in kinds.items())})")
        for block in _copy_blocks(self._reading, f"SELECT {', '.join(wanted)} FROM ({self._relation}) AS one"):
            self._connection.register("block", _parse_block(block, kinds))
            self._connection.execute(f"INSERT INTO {target} SELECT * FROM block")
            self._connection.unregister("block")
        if target == "given":
            bound_rows(self._connection, self.layout)


def _copy_blocks(connection: Any, select: str) -> Iterator[bytes]:
    """What a SELECT finds, as blocks of whole lines of CSV: PostgreSQL sends one line in each message."""
    block = bytearray()
    with connection.cursor() as cursor, cursor.copy(f"COPY ({select}) TO STDOUT (FORMAT csv)") as copy:
        for line in copy:
            block += line
            if len(block) > BLOCK:
                yield bytes(block)
                block.clear()
    if block:
        yield bytes(block)


def _parse_block(block: bytes, kinds: Mapping[str, str]) -> Any:
    """Lines of CSV as an Arrow table; an empty field is missing, an empty text is quoted."""
    import pyarrow as pa
    from pyarrow import csv

    types = {"VARCHAR": pa.string(), "BOOLEAN": pa.bool_()}
    return csv.read_csv(
        BytesIO(block),
        read_options=csv.ReadOptions(column_names=list(kinds), use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types={name: types.get(kind, pa.int64()) for name, kind in kinds.items()},
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _open_connection(url: str) -> Any:
    """A read-only connection whose statements see one state of the data."""
    import psycopg

    settings = {
        "default_transaction_read_only": "on",
        "default_transaction_isolation": r"repeatable\ read",
        "statement_timeout": "0",
        "datestyle": "ISO",
        "timezone": "UTC",
        "extra_float_digits": "1",
    }
    try:
        return psycopg.connect(
            url,
            options=" ".join(f"-c {name}={value}" for name, value in settings.items()),
            cursor_factory=psycopg.RawCursor,
            connect_timeout=10,
        )
    except psycopg.Error:  # its text may show the address and the user
        raise TacitError(
            "the database cannot be reached", code="cannot_be_met", fix="check the url, and that the server runs"
        ) from None


def projected_relation(connection: Any, layout: Layout, tables: Mapping[str, str]) -> str:
    """The relation in SQL, once the columns of all tables and the keys of the joins have been looked at.

    Like the table that DuckDB makes of a file: codes, whether there is a partner in each joined table, and the unit.
    """
    schema = layout.schema
    known = _table_columns(connection, tables[schema.name])
    parts = [f"{_code_expression(c, n, known)} AS {layout.code(n)}" for n, c in layout.own_columns.items()]
    joins = ""
    for table, key in schema.joins.items():
        found = layout.join_flag(table)
        parts.append(f"{found}.key IS NOT NULL AS {found}")
        parts += [f"{found}.{layout.code(column.name)}" for column in layout.of_join(table).values()]
        partners = _partner_relation(connection, layout, table, tables)
        joins += (
            f" LEFT JOIN ({partners}) AS {found} ON {found}.key = {_code_expression(schema.column(key), key, known)}"
        )
    source = f"FROM {_quote_table(tables[schema.name])} AS own{joins}"
    if schema.unit is None:
        return f"SELECT {', '.join(parts)} {source}"
    who = _raw_column(schema.unit, known)
    return f"SELECT {', '.join([*parts, f'CAST({who} AS text) AS unit'])} {source} WHERE {who} IS NOT NULL"


def relation_digest(connection: Any, layout: Layout, relation: str) -> str:
    """How many rows there are, and the sum of 60 bits of a digest of each one's codes and unit: no order matters."""
    unit = " || ',' || unit" if layout.schema.unit else ""
    part = f"CAST(CAST('x' || substr(md5({layout.row_text()}{unit}), 1, 15) AS bit(60)) AS bigint)"
    count, total = connection.execute(f"SELECT COUNT(*), SUM({part}) FROM ({relation}) AS rows").fetchone()
    return f"{count}:{total}"


def _partner_relation(connection: Any, layout: Layout, table: str, tables: Mapping[str, str]) -> str:
    if table not in tables:
        raise TacitError(
            f"the joined table {table!r} is not given", code="missing_parameter", fix=f"give joins={{{table!r}: name}}"
        )
    key, known = layout.schema.joins[table], _table_columns(connection, tables[table])
    codes = [f"{_code_expression(layout.schema.column(key), key, known)} AS key"]
    codes += [f"{_code_expression(c, n, known)} AS {layout.code(c.name)}" for n, c in layout.of_join(table).items()]
    rows = f"SELECT * FROM (SELECT {', '.join(codes)} FROM {_quote_table(tables[table])} AS own) AS own WHERE key IS NOT NULL"
    if connection.execute(f"SELECT 1 FROM ({rows}) AS p GROUP BY key HAVING COUNT(*) > 1 LIMIT 1").fetchone():
        raise TacitError(
            f"occurs more than once in {table!r}", code="duplicate", column=key, fix="keep one row for each key"
        )
    return rows


def _quote_table(table: str) -> str:
    return ".".join(quote_identifier(part) for part in table.split("."))


def _table_columns(connection: Any, table: str) -> list[str]:
    import psycopg

    try:
        cursor = connection.execute(f"SELECT * FROM {_quote_table(table)} LIMIT 0")
    except psycopg.Error:
        raise TacitError(
            f"the table {table!r} cannot be read", code="cannot_read", fix="check its name and the rights of the role"
        ) from None
    return [column.name for column in cursor.description or ()]


def _raw_column(name: str, known: list[str]) -> str:
    if name not in known:
        raise unknown_column(name, known)
    return f"own.{quote_identifier(name)}"


def _code_expression(column: Column, name: str, known: list[str]) -> str:
    return code_of(column, _raw_column(name, known))


def code_of(column: Column, raw: str) -> str:
    """The code of a raw value, given its name in SQL; the same as in DuckDB, by way of the value's text."""
    text = f"CAST({raw} AS text)"
    if column.kind == "text":
        return text
    if column.kind == "category":
        listed = ", ".join(map(text_literal, column.values))
        return f"CAST(array_position(ARRAY[{listed}]::text[], {text}) - 1 AS bigint)"
    if column.kind == "boolean":
        return f"CASE WHEN lower({text}) IN ('true', 't', '1') THEN 1::bigint WHEN lower({text}) IN ('false', 'f', '0') THEN 0 END"
    grid = Grid.of(column)
    if column.kind == "date":
        return f"(SELECT CAST({grid.clip_expression('d')} AS bigint) FROM ({_date_expression(text)}) AS one)"
    number = f"SELECT CASE WHEN btrim({text}) ~ '^{NUMBER}$' THEN CAST(btrim({text}) AS numeric) END AS v"
    units = f"SELECT v, {grid.code_expression('v', 0, 'div({}, {})')} AS c FROM ({number}) AS one"
    far = f"WHEN v < {-grid.max_value} THEN {grid.low} WHEN v > {grid.max_value} THEN {grid.high}"
    return f"(SELECT CAST(CASE {far} ELSE {grid.clip_expression('c')} END AS bigint) FROM ({units}) AS two)"


def _date_expression(text: str) -> str:
    """Days since 1970; the first of the month is always a date, and a day past its end shows in the month."""
    first = f"CAST(left({text}, 7) || '-01' AS date)"
    day = f"SELECT CASE WHEN {text} ~ '{_DAY}' THEN {first} + CAST(substr({text}, 9, 2) AS int) - 1 END AS day"
    same = f"to_char(day, 'YYYY-MM') = left({text}, 7)"
    return f"SELECT CASE WHEN {same} THEN day - DATE '1970-01-01' END AS d FROM ({day}) AS zero"
