"""A frame as a DuckDB relation, all in one database: to open one takes longer than most tests need it for."""

from __future__ import annotations

import atexit
from functools import cache

import duckdb
import polars as pl

__all__ = ["relation"]


@cache
def _database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


atexit.register(_database.cache_clear)  # what is still open when Python ends is called a leak


def relation(frame: pl.DataFrame) -> duckdb.DuckDBPyRelation:
    """The frame on a connection of its own, where nobody else's tables are."""
    connection = _database().cursor()
    connection.register("given", frame.to_arrow())
    return connection.sql("SELECT * FROM given")
