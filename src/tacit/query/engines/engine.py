"""A data set as a table of codes inside DuckDB, ready to be counted, with every failure turned into a refusal.

Where the data come from is the business of a subclass, which fills the table ``rows`` (see :mod:`.duckdb_loaded`) when it is
opened. After that nothing outside can be read, written or attached, no setting changed, and the source is not asked again.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from ..column import NULL, Schema
from ..condition import Condition
from ..question import Key
from ..refusal import Refusal
from ..tally import Measure, Tally
from ..units import Units
from .layout import Layout
from .statement import Statement

__all__ = ["Engine"]

LOG = logging.getLogger("tacit.query")

_MISSING = f"CAST('{NULL}' AS bigint)"


class Engine(ABC):
    """A data set held as codes in memory, spilled to a private folder when there are too many; many threads may ask at once.

    ``version`` is the owner's word and a fingerprint of content and declarations; ``schema`` carries it.
    """

    def __init__(self, schema: Schema, *, version: str, time_limit: float) -> None:
        self.schema = replace(schema, version=version)
        self.version = version
        self.time_limit = time_limit
        self.layout = Layout(self.schema)
        self._folder = tempfile.TemporaryDirectory(prefix="tacit-")
        self._connection = _open_memory(self._folder.name)
        try:
            self._load()
        except BaseException:
            self.close()
            raise
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    @abstractmethod
    def _load(self) -> None:
        """Fill the table ``rows``; an error tells the owner what is wrong and shows no value."""

    def tally(
        self,
        where: Condition,
        by: tuple[Key, ...],
        measures: tuple[Measure, ...],
        *,
        joined: tuple[str, ...] = (),
        bounded: bool = True,
    ) -> Tally:
        """Exact aggregates; ``bounded``: of every unit at most the declared number of rows that meet the condition.

        Rows without a unit are left out. Which rows of a unit count is decided by a digest of their codes: the same for
        any order of the file, and no leaning towards small values. Missing values add nothing to a sum.
        """
        asked = Statement(layout=self.layout, where=where, by=by, measures=measures, joined=joined)
        condition = asked.condition()
        return asked.tally(self._rows(self._written(asked, condition, bounded and bool(self.schema.unit)), asked.texts))

    def units(self, columns: tuple[str, ...]) -> Units:
        """The codes of the columns, row by row, and whose row each is. O(rows), read once by modes that need it."""
        codes = [f"CAST(coalesce({self.layout.code(name)}, {_MISSING}) AS bigint)" for name in columns]
        named = self.schema.unit is not None
        joined = " JOIN units USING (unit) ORDER BY who" if named else ""
        rows = self._run(f"SELECT {', '.join(['who' if named else _NOBODY, *codes])} FROM rows{joined}", [])
        found = {name: np.array([row[place] for row in rows], np.int64) for place, name in enumerate(columns, 1)}
        return Units(size=len(rows), names=tuple(row[0] for row in rows) if named else (), codes=found)

    def value_digest(self, column: str) -> str:
        """How many values a column has, and the sum of their hashes: equal for equal values in any order. O(rows)."""
        code = f"CAST({self.layout.code(column)} AS VARCHAR)"
        [(count, total)] = self._run(f"SELECT COUNT({code}), SUM(CAST(hash({code}) AS HUGEINT)) FROM rows", [])
        return f"{count}:{total}"

    def _written(self, asked: Statement, condition: str, bounded: bool) -> str:
        """The whole SQL of a question: rows of units with few rows, and of the others the first that count."""
        if not bounded:
            return asked.grouped(f"rows WHERE {condition}")
        few = asked.grouped(f"rows WHERE NOT many AND {condition}", alone=self.schema.rows == 1)
        turn = "row_number() OVER (PARTITION BY unit ORDER BY place) AS turn"
        some = f"(SELECT {asked.needed()}, {turn} FROM rows WHERE many AND {condition}) AS chosen"
        return f"{few} UNION ALL {asked.grouped(f'{some} WHERE turn <= {self.schema.rows}')}"

    def _rows(self, sql: str, texts: list[str]) -> list[tuple[Any, ...]]:
        started = time.monotonic()
        rows = self._run(sql, texts, seconds=self.time_limit)
        if time.monotonic() - started > self.time_limit:  # an interruption before the first step is not felt
            raise _timed_out(self.time_limit)
        return rows

    def _run(self, sql: str, texts: list[str], *, seconds: float | None = None) -> list[tuple[Any, ...]]:
        """What DuckDB answers. Its errors are an incident: the log has their kind, never the SQL or what DuckDB said."""
        import duckdb

        cursor = self._connection.cursor()
        timer = threading.Timer(seconds or 0, cursor.interrupt)
        if seconds is not None:
            timer.start()
        try:
            return list(cursor.execute(sql, texts).fetchall())
        except duckdb.InterruptException:
            raise _timed_out(self.time_limit) from None
        except duckdb.Error as problem:
            LOG.error("the engine of data set %s failed with %s", self.schema.name, type(problem).__name__)
            raise Refusal(
                "failed", "the engine could not answer", fix="tell the owner of the data; the question was charged"
            ) from None
        finally:
            if seconds is not None:
                timer.cancel()
                timer.join()
            cursor.close()

    def close(self) -> None:
        """Forget the codes and remove the folder."""
        self._connection.close()
        self._folder.cleanup()


_NOBODY = "''"


def _timed_out(seconds: float) -> Refusal:
    """The refusal of what takes too long; it is charged, for how long it takes may depend on the data."""
    return Refusal(
        "time_out", f"the answer took longer than {seconds:g} s", fix="ask for fewer groups or a smaller part"
    )


def _open_memory(folder: str) -> Any:
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        },
    )
