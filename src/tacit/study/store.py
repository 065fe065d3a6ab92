"""What was found out about candidates, in an embedded database: a study that was cut short goes on where it was."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from ..errors import TacitError
from .candidate import Candidate
from .evaluation import Evaluation

APPLICATION = 0x7AC17
"""Marks our files among those of SQLite, so that another one is not written to."""


class Store:
    """Evaluations by content: by the digest of the task (data, intruder, attacks, measures, seed) and the steps.

    A change of the data or of the plan therefore finds nothing, and what did not change is not computed again. There are
    figures in it and parameters, no records. Each evaluation is written as soon as it is there.
    """

    def __init__(self, path: str | Path, *, task: str) -> None:
        self._path, self._task = Path(path), task
        with self._translate_errors():
            if str(path) != ":memory:":
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.touch(mode=0o600)
            self._base = sqlite3.connect(str(path), isolation_level=None)
            self._check_database()
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute(f"PRAGMA application_id = {APPLICATION}")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS evaluation (key TEXT PRIMARY KEY, steps TEXT NOT NULL, found TEXT NOT NULL)"
            )

    def of(self, task: str) -> Store:
        """The same database for another task."""
        other = copy(self)
        other._task = task
        return other

    def get(self, candidate: Candidate) -> Evaluation | None:
        """What is known of a candidate."""
        with self._translate_errors():
            row = self._base.execute(
                "SELECT found FROM evaluation WHERE key = ?", (self._row_key(candidate),)
            ).fetchone()
        return None if row is None else Evaluation.of_json(json.loads(row[0]))

    def put(self, candidate: Candidate, found: Evaluation) -> None:
        """Keep what was found out, in place of less that was known before; what may be another time is not kept."""
        if not found.is_reproducible:
            return
        row = (self._row_key(candidate), candidate.key, json.dumps(found.as_json()))
        more = "" if found.state != "stopped" else "WHERE json_extract(found, '$.state') = 'stopped'"
        with self._translate_errors():
            self._base.execute(
                "INSERT INTO evaluation VALUES (?, ?, ?) "
                f"ON CONFLICT (key) DO UPDATE SET steps = excluded.steps, found = excluded.found {more}",
                row,
            )

    def close(self) -> None:
        """Put everything into the one file."""
        self._base.close()

    def _check_database(self) -> None:
        """Refuses a database that is not ours."""
        mark = self._base.execute("PRAGMA application_id").fetchone()[0]
        tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and mark != APPLICATION:
            raise TacitError(
                f"{str(self._path)!r} is a database of something else",
                code="invalid_plan",
                fix="choose another name for it",
            )

    def _row_key(self, candidate: Candidate) -> str:
        return hashlib.blake2b(f"{self._task}\n{candidate.key}".encode(), digest_size=16).hexdigest()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """SQLite's errors in our words; what was written before stays."""
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            full = "full" in str(problem) or getattr(problem, "errno", None) == 28
            said = getattr(problem, "strerror", None) or str(problem)
            what = "the disk is full" if full else f"cannot be written or read ({said})"
            raise TacitError(
                f"the study's file {str(self._path)!r}: {what}",
                code="invalid_plan",
                fix="make room and run the same command again; what was found so far is kept"
                if full
                else "choose another place for it, or remove it when it is damaged",
            ) from None
