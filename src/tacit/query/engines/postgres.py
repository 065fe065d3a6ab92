"""A PostgreSQL table as the source: its codes are copied once, in one transaction, and the connection is closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from ...errors import TacitError
from ..column import Schema
from .duckdb_codes import holding
from .duckdb_loaded import bound_rows
from .engine import Engine
from .fingerprint import version_of
from .layout import Layout
from .postgres_projected import digest, projected

__all__ = ["Postgres"]

BLOCK = 16_000_000
"""Bytes of copied rows that are taken over at once."""


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
        with _connected(url) as self._reading:
            try:
                self._relation = projected(self._reading, layout, {schema.name: table, **(joins or {})})
                version = version_of(schema, {"rows": digest(self._reading, layout, self._relation)})
                super().__init__(schema, version=version, time_limit=time_limit)
            except psycopg.Error:  # its text may show a value
                raise TacitError(
                    f"the table {table!r} cannot be read to its end", fix="check the database and its log"
                ) from None
        del self._reading

    def _load(self) -> None:
        names = [self.layout.code(name) for name in self.schema.columns]
        kinds = {self.layout.code(name): holding(column) for name, column in self.schema.columns.items()}
        for table in self.schema.joins:
            names.append(self.layout.found(table))
            kinds[names[-1]] = "BOOLEAN"
        wanted, target = [*names], "rows"
        if self.schema.unit is not None:
            wanted, target, kinds["who"] = [*names, "unit"], "given", "VARCHAR"
        self._connection.execute(f"CREATE TABLE {target} ({', '.join(f'{n} {k}' for n, k in kinds.items())})")
        for block in _copied(self._reading, f"SELECT {', '.join(wanted)} FROM ({self._relation}) AS one"):
            self._connection.register("block", _parsed(block, kinds))
            self._connection.execute(f"INSERT INTO {target} SELECT * FROM block")
            self._connection.unregister("block")
        if target == "given":
            bound_rows(self._connection, self.layout)


def _copied(connection: Any, select: str) -> Iterator[bytes]:
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


def _parsed(block: bytes, kinds: Mapping[str, str]) -> Any:
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


def _connected(url: str) -> Any:
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
        raise TacitError("the database cannot be reached", fix="check the url, and that the server runs") from None
