"""Engines that count and sum: DuckDB over files, PostgreSQL where the data are.

Both first turn every column into whole numbers by expressions that cannot fail, then aggregate these; one generator
writes the SQL, from declared names and codes alone.
"""

from .duckdb import DuckDB
from .postgres import Postgres

__all__ = ["DuckDB", "Postgres"]
