"""DuckDB over a CSV or Parquet file: the codes are read once, then the door to the file system is shut."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ..column import Schema
from .duckdb_codes import DuckDBSums
from .duckdb_loaded import load
from .engine import Engine, failed, timed_out
from .fingerprint import content_of, version_of
from .statement import Statement

__all__ = ["DuckDB"]


class DuckDB(Engine):
    """A data set in a file, held as codes in memory (spilled to a private folder when there are too many).

    The file is read once, when the engine is opened: later changes of it are noticed at the next opening, as another
    ``version`` (SHA-256 of the content). After that nothing outside can be read, written or attached, and no setting
    changed. Opening is O(rows); the projection to codes is paid there and not by the questions.

    Parameters
    ----------
    schema
        What the owner declares.
    path
        A ``.csv`` file with a header, in which an empty field is missing, or a ``.parquet`` file.
    joins
        For each declared join, the file of the other table; a key may occur once in it.
    time_limit
        Seconds after which a question is stopped and refused.
    """

    dialect = DuckDBSums()

    def __init__(
        self, schema: Schema, path: str | Path, *, time_limit: float, joins: Mapping[str, str | Path] | None = None
    ) -> None:
        paths = {name: Path(one) for name, one in {schema.name: path, **(joins or {})}.items()}
        for one in paths.values():
            if set("*?[") & set(str(one)):
                raise TacitError(f"{str(one)!r} could mean several files", fix="give a path without *, ? and [")
            if not one.is_file():
                raise TacitError(f"there is no file {str(one)!r}", fix="give the path of a .csv or .parquet file")
        version = version_of(schema, {name: content_of(one) for name, one in paths.items()})
        super().__init__(schema, version=version, time_limit=time_limit)
        self._folder = tempfile.TemporaryDirectory(prefix="tacit-")
        self._connection = _opened(self._folder.name)
        try:
            load(self._connection, self.layout, paths)
        except BaseException:
            self.close()
            raise
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def _written(self, asked: Statement, condition: str, bounded: bool) -> str:
        if not bounded:
            return asked.grouped(f"rows WHERE {condition}")
        few = asked.grouped(f"rows WHERE NOT many AND {condition}", alone=self.schema.rows == 1)
        turn = "row_number() OVER (PARTITION BY unit ORDER BY place) AS turn"
        some = f"(SELECT {asked.needed()}, {turn} FROM rows WHERE many AND {condition}) AS chosen"
        return f"{few} UNION ALL {asked.grouped(f'{some} WHERE turn <= {self.schema.rows}')}"

    def _rows(self, sql: str, texts: list[str]) -> list[tuple[Any, ...]]:
        import duckdb

        cursor = self._connection.cursor()
        timer = threading.Timer(self.time_limit, cursor.interrupt)
        started = time.monotonic()
        timer.start()
        try:
            rows = list(cursor.execute(sql, texts).fetchall())
        except duckdb.InterruptException:
            raise timed_out(self.time_limit) from None
        except duckdb.Error:
            raise failed() from None
        finally:
            timer.cancel()
            timer.join()
            cursor.close()
        if time.monotonic() - started > self.time_limit:  # an interruption before the first step is not felt
            raise timed_out(self.time_limit)
        return rows

    def _unit_rows(self, select: str) -> list[tuple[Any, ...]]:
        import duckdb

        named = " JOIN units USING (unit) ORDER BY who" if self.schema.unit is not None else ""
        cursor = self._connection.cursor()
        try:
            return list(cursor.execute(f"{select} rows{named}").fetchall())
        except duckdb.Error:
            raise failed() from None
        finally:
            cursor.close()

    def close(self) -> None:
        """Forget the codes and remove the folder."""
        self._connection.close()
        self._folder.cleanup()


def _opened(folder: str) -> Any:
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
