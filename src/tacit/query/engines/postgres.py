"""PostgreSQL as the source: the data stay in the database, and every question reads the same snapshot of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError
from ..column import Schema
from .engine import Engine, failed, timed_out
from .fingerprint import version_of
from .layout import Layout
from .postgres_codes import PostgresSums
from .postgres_projected import digest, projected
from .statement import Statement

__all__ = ["Postgres"]


class Postgres(Engine):
    """A table (or view) of a PostgreSQL database, version 12 or later.

    Opening takes a snapshot and keeps it, in a read-only transaction that stays open, until :meth:`close`; every question
    is asked in a connection of its own that reads this snapshot. Changes of the table are noticed at the next opening, as
    another ``version``: a sum of digests of all rows' codes and units. While it is open the database keeps the old rows,
    and the table can be written to but not emptied, dropped or altered: those wait, for a snapshot would see them.

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

    dialect = PostgresSums()

    def __init__(
        self, schema: Schema, url: str, *, table: str, time_limit: float, joins: Mapping[str, str] | None = None
    ) -> None:
        self._url = url
        self._keeper = _connected(url, seconds=0)
        layout = Layout(schema)
        try:
            self._snapshot = str(self._keeper.execute("SELECT pg_export_snapshot()").fetchone()[0])
            self._relation = projected(self._keeper, layout, {schema.name: table, **(joins or {})})
            version = version_of(schema, {"rows": digest(self._keeper, layout, self._relation)})
        except BaseException:
            self._keeper.close()
            raise
        super().__init__(schema, version=version, time_limit=time_limit)

    def _written(self, asked: Statement, condition: str, bounded: bool) -> str:
        given = f"WITH rows AS ({self._relation})"
        if not bounded:
            return f"{given} {asked.grouped(f'rows WHERE {condition}')}"
        turn = f"row_number() OVER (PARTITION BY unit ORDER BY md5({self.layout.row_text()})) AS turn"
        some = f"(SELECT {asked.needed()}, {turn} FROM rows WHERE {condition}) AS chosen"
        return f"{given} {asked.grouped(f'{some} WHERE turn <= {self.schema.rows}')}"

    def _rows(self, sql: str, texts: list[str]) -> list[tuple[Any, ...]]:
        import psycopg

        try:
            with _connected(self._url, seconds=self.time_limit) as connection:
                connection.execute(f"SET TRANSACTION SNAPSHOT '{self._snapshot}'")
                return list(connection.execute(sql, texts).fetchall())
        except psycopg.errors.QueryCanceled:
            raise timed_out(self.time_limit) from None
        except (psycopg.Error, TacitError):
            raise failed() from None

    def _unit_rows(self, select: str) -> list[tuple[Any, ...]]:
        import psycopg

        named = "SELECT *, unit AS who" if self.schema.unit is not None else "SELECT *"
        try:
            return list(self._keeper.execute(f"{select} ({named} FROM ({self._relation}) AS one) AS rows").fetchall())
        except psycopg.Error:
            raise failed() from None

    def close(self) -> None:
        """Let go of the snapshot."""
        self._keeper.close()


def _connected(url: str, *, seconds: float) -> Any:
    """A read-only connection whose statements see one state of the data and end after some seconds (0: never)."""
    import psycopg

    settings = {
        "default_transaction_read_only": "on",
        "default_transaction_isolation": r"repeatable\ read",
        "statement_timeout": str(max(1, round(seconds * 1000)) if seconds else 0),
        "idle_in_transaction_session_timeout": "0",
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
