"""The ledger in PostgreSQL: the same lines, writers excluded by a lock on the table."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import TacitError
from .store import TABLE, Rows, busy_error, create_statements

MAKING = 7_220_318
"""The advisory lock under which the table is made: two services may start at once."""

GUARDS = (
    f"CREATE OR REPLACE FUNCTION {TABLE}_kept() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$",
    f"CREATE OR REPLACE TRIGGER {TABLE}_no_change BEFORE UPDATE OR DELETE ON {TABLE} "
    f"FOR EACH ROW EXECUTE FUNCTION {TABLE}_kept()",
    f"CREATE OR REPLACE TRIGGER {TABLE}_no_truncate BEFORE TRUNCATE ON {TABLE} "
    f"FOR EACH STATEMENT EXECUTE FUNCTION {TABLE}_kept()",
)


class _Rows:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql.replace("?", "%s"), values))

    def run(self, sql: str, *values: Any) -> None:
        self._connection.execute(sql.replace("?", "%s") if values else sql, values or None)


class Postgres:
    """A ledger table in the database that a ``postgresql://`` address names.

    A writer locks the table against other writers of all processes, reads and appends, and commits; a connection that
    breaks releases the lock and undoes what was not committed.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._turn = threading.Lock()
        self._writer: Any = None
        import psycopg

        try:
            with self._open_connection() as connection:
                connection.execute(f"SELECT pg_advisory_xact_lock({MAKING})")
                rows = _Rows(connection)
                if next(rows.all("SELECT to_regclass(?)", TABLE))[0] is None:
                    for statement in (*create_statements("BIGINT"), *GUARDS):
                        rows.run(statement)
        except psycopg.Error:
            raise TacitError(
                "the ledger's PostgreSQL database cannot be used",
                code="invalid_service",
                fix="check that the address is right, the server runs, and the account may create a table there",
            ) from None

    def _open_connection(self) -> Any:
        import psycopg

        return psycopg.connect(self._url, connect_timeout=10)

    @contextmanager
    def write_transaction(self) -> Iterator[Rows]:
        """The exclusive transaction; a broken connection is made anew the next time."""
        import psycopg

        with self._turn:
            try:
                if self._writer is None or self._writer.closed:
                    self._writer = self._open_connection()
                with self._writer.transaction():
                    self._writer.execute(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
                    yield _Rows(self._writer)
            except psycopg.OperationalError:
                self._close_writer()
                raise busy_error() from None

    @contextmanager
    def read_transaction(self) -> Iterator[Rows]:
        """One state of the lines, on a connection of its own."""
        import psycopg

        try:
            with self._open_connection() as connection:
                connection.isolation_level, connection.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
                yield _Rows(connection)
        except psycopg.OperationalError:
            raise busy_error() from None

    def close(self) -> None:
        """Close the connection."""
        with self._turn:
            self._close_writer()

    def _close_writer(self) -> None:
        """Close at once: what the garbage collector closes keeps its lock and snapshot until then."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
