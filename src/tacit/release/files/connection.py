"""A private DuckDB database for one file."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from ...sql_text import text_literal
from ..scratch import make_scratch_folder, remove_private_folder

if TYPE_CHECKING:
    import duckdb


def open_connection() -> duckdb.DuckDBPyConnection:
    """A database in memory that spills to a folder of its own, which only the user can read and which goes with it.

    DuckDB would otherwise spill into the working folder, and fetch extensions from the network.
    """
    import duckdb

    folder = make_scratch_folder()
    settings: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(folder),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    connection = duckdb.connect(":memory:", config=settings)
    weakref.finalize(connection, remove_private_folder, folder)
    return connection


def scanned_path(path: Path) -> str:
    """A path as an SQL literal for a scan, its wildcard characters taken for themselves.

    >>> scanned_path(Path("a[1]*.csv"))
    "'a[[]1][*].csv'"
    """
    return text_literal("".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path)))
