"""The ledger in a file: SQLite with a write-ahead log, every commit on disk before it is believed."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ...errors import TacitError
from .store import TABLE, Rows, busy, made, replaced

__all__ = ["SQLite"]

PATIENCE = 30.0
"""Seconds that a writer waits for another process."""

LAST = f"(SELECT coalesce(max(number), 0) + 1 FROM {TABLE})"
GUARDS = (
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_no_update BEFORE UPDATE ON {TABLE} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_no_delete BEFORE DELETE ON {TABLE} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_in_order BEFORE INSERT ON {TABLE} WHEN NEW.number <> {LAST} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
)


class _Rows:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql, values))

    def run(self, sql: str, *values: Any) -> None:
        self._connection.execute(sql, values)


class SQLite:
    """A ledger file, readable by its owner only.

    Writers of all processes take turns (``BEGIN IMMEDIATE``); readers see the last commit and wait for nobody. With
    ``synchronous = FULL`` a commit survives the loss of power.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._turn = threading.Lock()
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = _identity(self.path)
            self._writer = self._connected()
            self._writer.execute("PRAGMA journal_mode = WAL")
            with self.writing() as rows:
                for statement in (*made("INTEGER"), *GUARDS):
                    rows.run(statement)
        except (OSError, sqlite3.DatabaseError):
            raise TacitError(
                f"the ledger {str(self.path)!r} cannot be opened as a SQLite file",
                fix="give the path of a ledger, or of a new file in a folder that can be written",
            ) from None

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def writing(self) -> Iterator[Rows]:
        """The exclusive transaction."""
        with self._turn:
            self._check_file()
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                yield _Rows(self._writer)
                self._writer.execute("COMMIT")
            except BaseException as problem:
                with suppress(sqlite3.OperationalError):  # SQLite has rolled back by itself, or did not begin
                    self._writer.execute("ROLLBACK")
                if isinstance(problem, sqlite3.OperationalError):  # no room on the disk, or another process is at it
                    raise busy() from None
                raise

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """One state of the lines, on a connection of its own."""
        self._check_file()
        with closing(self._connected()) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")
            yield _Rows(connection)

    def _check_file(self) -> None:
        """Refuse to write into a file that was deleted or replaced: what is charged there would be forgotten."""
        if _identity(self.path) != self._file:
            raise replaced()

    def close(self) -> None:
        """Close the file."""
        with self._turn:
            self._writer.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file from another of its name; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
