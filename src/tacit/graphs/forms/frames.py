"""An edge list: a frame with a column for each end, and one for weights."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError, names, unknown_column
from ...release.release import Release
from .given import Given

__all__ = ["ENDS", "from_frame"]

ENDS = ("source", "target")
"""How the two columns are called when nobody says."""


def from_frame(frame: Any, *, ends: tuple[str, str] | None, weight: str | None) -> Given:
    """The edges of a pandas, Polars, PyArrow, DuckDB or PySpark frame. O(m)."""
    table = frame if isinstance(frame, Release) else Release(frame)
    first, second = _ends(table, ends)
    if weight is not None and weight not in table.columns:
        raise unknown_column(weight, table.columns)
    used = {first, second, weight}
    return Given(
        first=table.series(first),
        second=table.series(second),
        weights=None if weight is None else table.series(weight),
        unused=tuple(name for name in table.columns if name not in used),
    )


def _ends(table: Release, ends: tuple[str, str] | None) -> tuple[str, str]:
    if ends is None:
        ends = ENDS if set(ENDS) <= set(table.columns) else table.columns  # type: ignore[assignment]
        if len(ends) != 2:  # type: ignore[arg-type]
            raise TacitError(
                f"which of the columns {', '.join(table.columns[:30])} are the ends of an edge?",
                fix="say ends=('source', 'target') with the names of two columns",
            )
    found = names(ends, table.columns)
    if len(found) != 2:
        raise TacitError(f"an edge has two ends, not {len(found)}", fix="e.g. ends=('source', 'target')")
    return found[0], found[1]
