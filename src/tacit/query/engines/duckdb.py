"""A CSV or Parquet file as the source: its codes are read once, then DuckDB's way to the file system is closed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...errors import TacitError
from ..column import Schema
from .duckdb_load import load_rows
from .engine import Engine
from .fingerprint import content_of, version_of


class DuckDB(Engine):
    """A data set in a file.

    The file is read once, when the engine is opened: later changes of it are noticed at the next opening, as another
    ``version`` (SHA-256 of the content). Opening is O(rows); the projection to codes is paid there and not by the questions.

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

    def __init__(
        self, schema: Schema, path: str | Path, *, time_limit: float, joins: Mapping[str, str | Path] | None = None
    ) -> None:
        self._paths = {name: Path(one) for name, one in {schema.name: path, **(joins or {})}.items()}
        for one in self._paths.values():
            if set("*?[") & set(str(one)):
                raise TacitError(f"{str(one)!r} could mean several files", fix="give a path without *, ? and [")
            if not one.is_file():
                raise TacitError(f"there is no file {str(one)!r}", fix="give the path of a .csv or .parquet file")
        version = version_of(schema, {name: content_of(one) for name, one in self._paths.items()})
        super().__init__(schema, version=version, time_limit=time_limit)

    def _load_rows(self) -> None:
        load_rows(self._connection, self.layout, self._paths)
