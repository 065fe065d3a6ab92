"""Frames, in and out: an edge list with a column for each end and one for weights, and a list of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, check_columns, unknown_column
from ...release.release import Release
from ..graph import Graph
from .raw_graph import RawGraph

if TYPE_CHECKING:
    import polars as pl


ENDS = ("source", "target")
"""How the two columns are called when nobody says."""
LABELS = ("node", "label", "node_label")
"""What the column of labels is called: the first that is no attribute."""


def from_frame(frame: Any, *, ends: tuple[str, str] | None, weight: str | None) -> RawGraph:
    """The edges of a pandas, Polars, PyArrow, DuckDB or PySpark frame. O(m)."""
    table = frame if isinstance(frame, Release) else Release(frame)
    first, second = _end_columns(table, ends)
    if weight is not None and weight not in table.columns:
        raise unknown_column(weight, table.columns)
    used = {first, second, weight}
    return RawGraph(
        first=table.series(first),
        second=table.series(second),
        weights=None if weight is None else table.series(weight),
        unused=tuple(name for name in table.columns if name not in used),
    )


def _end_columns(table: Release, ends: tuple[str, str] | None) -> tuple[str, str]:
    if ends is None:
        ends = ENDS if set(ENDS) <= set(table.columns) else table.columns  # type: ignore[assignment]
        if len(ends) != 2:  # type: ignore[arg-type]
            raise TacitError(
                f"which of the columns {', '.join(table.columns[:30])} are the ends of an edge?",
                code="invalid_graph",
                fix="say ends=('source', 'target') with the names of two columns",
            )
    found = check_columns(ends, table.columns)
    if len(found) != 2:
        raise TacitError(
            f"an edge has two ends, not {len(found)}", code="invalid_graph", fix="e.g. ends=('source', 'target')"
        )
    return found[0], found[1]


def edge_frame(graph: Graph) -> pl.DataFrame:
    """The edges as a frame: source, target and, where edges have one, weight. O(m)."""
    import polars as pl

    labels = None if graph.names is None else np.asarray(graph.names, dtype=object)
    ends = {name: graph.edges[:, side] for side, name in enumerate(ENDS)}
    columns = {name: pl.Series(name, end if labels is None else list(labels[end])) for name, end in ends.items()}
    if graph.weights is not None:
        columns["weight"] = pl.Series("weight", graph.weights)
    return pl.DataFrame(columns)


def node_frame(graph: Graph) -> pl.DataFrame:
    """The nodes as a frame: the label, then the attributes. O(n)."""
    import polars as pl

    known = () if graph.attributes is None else graph.attributes.columns
    label = next((name for name in LABELS if name not in known), None)
    if label is None:
        raise TacitError(
            "leaves no name for the column of labels",
            code="unsuitable_column",
            column=LABELS[0],
            fix="rename that attribute",
        )
    columns = {label: pl.Series(label, np.arange(graph.size) if graph.names is None else list(graph.names))}
    if graph.attributes is not None:
        columns |= {name: graph.attributes.series(name) for name in known}
    return pl.DataFrame(columns)
