"""Files on Spark: the columns that both have come to one machine in row order, the pairs stay in Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl

from ...release.engines.table import ROW
from ...release.release import Release

__all__ = ["brought", "cleaned", "session_of"]

OURS = "__splink__"
"""How the names of all views begin that Splink makes, and those that are handed to it."""


def brought(release: Release, columns: Sequence[str]) -> Release:
    """A release on Spark as one in memory, cut to these columns; any other as it is.

    Claims name row numbers. Those on Spark are the numbers that the masking methods use, so that row i of a masked
    release is row i of its original; the columns are put into that order. O(n · columns) memory on the driver, which
    ``spark.driver.maxResultSize`` must allow.
    """
    if release.engine != "spark":
        return release
    numbered = release.scan(numbered=True).select(ROW, *columns).to_native()
    frame = pl.from_arrow(numbered.toArrow())
    assert isinstance(frame, pl.DataFrame)
    cut = release.selected(columns)
    return Release(frame.sort(ROW).drop(ROW)).described(
        roles=cut.roles,
        kinds=cut.declared_kinds,
        hierarchies=cut.hierarchies,
        levels=cut.levels,
        mixed=cut.mixed,
        missing=cut.missing,
    )


def session_of(*sides: Release) -> Any:
    """The Spark session of the first release that has one, or None."""
    found = next((side for side in sides if side.engine == "spark"), None)
    return None if found is None else found.scan().to_native().sparkSession


@contextmanager
def cleaned(session: Any) -> Iterator[None]:
    """Drops the views that Splink made meanwhile in a Spark session, and with them what they kept in memory."""
    if session is None:
        yield
        return
    before = _views(session)
    try:
        yield
    finally:
        for name in _views(session) - before:
            session.catalog.dropTempView(name)


def _views(session: Any) -> set[str]:
    return {table.name for table in session.catalog.listTables() if table.isTemporary and table.name.startswith(OURS)}
