"""Where the lines are kept: a database that can hold an exclusive transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..refusal import Refusal
from .entry import COLUMNS

TABLE = "tacit_ledger"
"""The table of lines."""

SECRET = "tacit_ledger_secret"
"""A table with one random text, which stays in the database: the key of fingerprints that analysts see."""


class Rows(Protocol):
    """An open transaction. Values stand for the question marks of the text."""

    def all(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows that a SELECT finds, as they are read."""
        ...

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement that gives no rows."""
        ...


class Store(Protocol):
    """SQLite or PostgreSQL."""

    def write_transaction(self) -> AbstractContextManager[Rows]:
        """A transaction that excludes every other writer of every process; committed and on disk when it ends well."""
        ...

    def read_transaction(self) -> AbstractContextManager[Rows]:
        """A transaction that sees one state of the lines and waits for nobody."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


def create_statements(number: str) -> tuple[str, ...]:
    """The statements that make the table; ``number`` is the type of whole numbers.

    The indexes lead to a stored answer, and to the last charge of a data set, an account or a project.
    """
    whole = ("number", "charge")
    columns = ", ".join(f"{name} {number if name in whole else 'TEXT'} NOT NULL" for name in COLUMNS)
    return (
        f"CREATE TABLE IF NOT EXISTS {TABLE} ({columns}, PRIMARY KEY (number))",
        f"CREATE TABLE IF NOT EXISTS {SECRET} (secret TEXT NOT NULL)",
        f"CREATE INDEX IF NOT EXISTS {TABLE}_digest ON {TABLE} (digest, kind)",
        f"CREATE INDEX IF NOT EXISTS {TABLE}_dataset ON {TABLE} (dataset, kind, number)",
        f"CREATE INDEX IF NOT EXISTS {TABLE}_account ON {TABLE} (account, dataset, kind, number)",
        f"CREATE INDEX IF NOT EXISTS {TABLE}_project ON {TABLE} (project, dataset, kind, number)",
        f"CREATE INDEX IF NOT EXISTS {TABLE}_charge ON {TABLE} (charge)",
    )


def busy_error() -> Refusal:
    """The refusal for a database that cannot be had now."""
    return Refusal("busy", "the ledger cannot be written now, so nothing was answered", fix="ask again in a moment")


def replaced_error() -> Refusal:
    """The refusal when lines that this process has seen are gone: it must not go on with an older state."""
    return Refusal(
        "busy",
        "the ledger was replaced or set back while the service ran, so nothing is answered",
        fix="tell the owner of the data, who restores the ledger and starts the service anew",
    )


def changed_error() -> Refusal:
    """The refusal when a line that a decision needs is not what was written."""
    return Refusal(
        "busy",
        "a line of the ledger was changed after it was written, so nothing is answered",
        fix="tell the owner of the data, who finds the line with: tacit serve SERVICE.toml --verify",
    )
