"""Engines that count and sum: DuckDB over the codes of a file, or over those of a PostgreSQL table.

Every column is first turned into whole numbers by expressions that cannot fail, then these are aggregated; one generator
writes the SQL, from declared names and codes alone.
"""

from .duckdb import DuckDB
from .postgres import Postgres

__all__ = ["DuckDB", "Postgres"]
