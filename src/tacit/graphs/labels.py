"""The labels of a network's nodes, from the edges or from a node file, and the numbers that stand for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TacitError, unknown_column
from ..release.release import Release
from .forms.given import Given

if TYPE_CHECKING:
    import polars as pl

__all__ = ["labelled", "numbered"]


def labelled(given: Given, nodes: Any, label: str | None) -> tuple[pl.Series, Release | None]:
    """The labels of all nodes, as text, in order, with their attributes."""
    import polars as pl

    for place, end in enumerate((given.first, given.second), start=1):
        if end.null_count():
            row = int(end.is_null().arg_max() or 0)
            raise TacitError(
                f"end {place} of an edge has no label in {end.null_count()} rows, the first of them row {row + 1}",
                fix="remove these edges or fill in the labels",
            )
    if nodes is not None:
        return _listed(nodes, label)
    if given.labels is not None:
        found = given.labels
    else:
        ends = [end if end.dtype.is_integer() else end.cast(pl.String) for end in (given.first, given.second)]
        same = ends[0].dtype == ends[1].dtype
        both = [end.rename("label") if same else end.cast(pl.String).rename("label") for end in ends]
        found = pl.concat(both).unique().sort()
    if not len(found):
        raise TacitError("the graph is empty: it has no node", fix="check the file, or give the nodes with nodes=…")
    return found.cast(pl.String), given.attributes


def _listed(nodes: Any, label: str | None) -> tuple[pl.Series, Release | None]:
    """The nodes of a node file: one row each, known by the column of labels, which is no attribute."""
    import polars as pl

    held = nodes if isinstance(nodes, Release) else Release(nodes)
    if label is None:
        label = held.identifiers[0] if len(held.identifiers) == 1 else held.columns[0]
    if label not in held.columns:
        raise unknown_column(label, held.columns)
    labels = held.series(label).cast(pl.String)
    if not len(labels):
        raise TacitError("the graph is empty: the node file has no row", fix="check the node file")
    lacking, doubled = labels.null_count(), len(labels) - labels.n_unique()
    if lacking:
        row = int(labels.is_null().arg_max() or 0)
        fix = "fill in the labels of these nodes or remove them"
        raise TacitError(f"has no label in {lacking} rows, the first of them row {row + 1}", column=label, fix=fix)
    if doubled:
        row = int((~labels.is_first_distinct()).arg_max() or 0)
        fix = "keep one row for each node, or name the right column with label=…"
        what = f"names a node a second time in {doubled} rows, the first of them row {row + 1}"
        raise TacitError(what, column=label, fix=fix)
    kept = [name for name in held.columns if name != label]
    return labels, held.selected(kept) if kept else None


def numbered(given: Given, labels: pl.Series, *, listed: bool) -> np.ndarray:
    """The ends of each edge as numbers of nodes. O(m)."""
    import polars as pl

    known = pl.DataFrame({"label": labels, "node": np.arange(len(labels))})
    ends = [
        pl.DataFrame({"label": end.cast(pl.String)}).join(known, on="label", how="left", maintain_order="left")
        for end in (given.first, given.second)
    ]
    lost = pl.concat([end.filter(pl.col("node").is_null())["label"] for end in ends])
    if len(lost):
        where = "the node file" if listed else "the list of nodes"
        raise TacitError(
            f"{lost.n_unique()} nodes of the edges are missing in {where}, which lists {len(labels)}",
            fix="add a row for each of them, or remove their edges; check that both files spell the labels alike",
        )
    return np.column_stack([end["node"].to_numpy() for end in ends]).astype(np.int64)
