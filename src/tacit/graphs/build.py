"""From any form of a network to a :class:`Graph`: labels numbered, loops and repeated edges dropped, all of it stated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TacitError, check_columns, format_value, unknown_column
from ..release.release import Release
from .forms.frames import from_frame
from .forms.networkx import from_networkx
from .forms.raw_graph import RawGraph
from .forms.rustworkx import from_rustworkx
from .forms.sparse import from_sparse
from .graph import Graph
from .simple import SimpleEdges, simplify_edges

if TYPE_CHECKING:
    import polars as pl


def graph(
    source: Any,
    *,
    nodes: Any = None,
    label: str | None = None,
    ends: tuple[str, str] | None = None,
    weight: str | None = None,
    directed: bool | None = None,
) -> Graph:
    """A graph from an edge list (a frame), a networkx or rustworkx graph, or a SciPy sparse matrix.

    ``ends`` names the two columns of an edge list (when nobody says source and target, or the only two), ``weight`` the column or edge
    attribute of weights; without it edges have none. ``nodes`` is a frame, or a Release with its roles, that has one row per
    node; ``label`` names its column of labels (the identifier of a Release when nobody says). Nodes without an edge are
    kept. ``directed=None`` takes what the source says; an edge list is undirected.

    Loops are dropped, and so are repeated edges, of which the largest weight is kept; ``notes`` of the graph counts them.
    Nodes stand in the order of ``nodes`` or of the source; those of an edge list alone are sorted. O((n + m) log m).

    >>> import polars as pl
    >>> g = graph(pl.DataFrame({"source": ["ann", "bob", "ann"], "target": ["bob", "ann", "ann"]}))
    >>> g, g.names, g.notes
    (Graph of 2 nodes and 1 edges, ['ann', 'bob'], ('1 loop was dropped', '1 repeated edge was dropped'))
    """
    own = label if nodes is None else None
    given = _read_source(source, label=own, ends=ends, weight=weight, directed=directed)
    labels, attributes = label_nodes(given, nodes, label)
    edges, weights = number_edge_ends(given, labels, listed=nodes is not None), _edge_weights(given)
    way = directed if directed is not None else bool(given.directed)
    found = simplify_edges(edges, weights, size=len(labels), directed=way)
    return Graph(
        size=len(labels),
        edges=found.edges,
        weights=found.weights,
        directed=way,
        names=_node_names(labels),
        attributes=attributes,
        notes=tuple(_build_notes(given, found, way)),
    )


def with_roles(
    graph: Graph,
    *,
    identifier: str | Iterable[str] | None = None,
    quasi: str | Iterable[str] | None = None,
    confidential: str | Iterable[str] | None = None,
    unrestricted: str | Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    missing: str | None = None,
) -> Graph:
    """The graph with roles, and kinds and hierarchies where they are declared, given to its node attributes, as for microdata.

    Identifiers are left out.
    """
    held = graph.attributes
    known = () if held is None else held.columns
    if held is None:
        if identifier or quasi or confidential or unrestricted or hierarchies:
            fix = "give nodes=… with a row per node, or leave the roles out"
            raise TacitError("the nodes have no attributes that could have a role", code="invalid_graph", fix=fix)
        return graph
    named, keys, kept = (
        check_columns(identifier, known),
        check_columns(quasi, known),
        check_columns(confidential, known),
    )
    left = [column for column in known if column not in named]
    declared = {name: kind for name, kind in {**held.declared_kinds, **(kinds or {})}.items() if name not in named}
    ladders = {
        name: ladder for name, ladder in {**held.hierarchies, **(hierarchies or {})}.items() if name not in named
    }
    described = None
    if left:
        described = Release(
            held.select(left).to_native(),
            quasi=keys,
            confidential=kept,
            unrestricted=check_columns(unrestricted, known),
            kinds=declared,
            hierarchies=ladders,
            missing=missing,
        )
        described = described.with_metadata(shuffled=held.shuffled)
    return Graph(
        size=graph.size,
        edges=graph.edges,
        directed=graph.directed,
        weights=graph.weights,
        names=graph.names,
        attributes=described,
        notes=graph.notes,
        shuffled=graph.shuffled,
    )


def _read_source(
    source: Any, *, label: str | None, ends: tuple[str, str] | None, weight: str | None, directed: bool | None
) -> RawGraph:
    library, kind = type(source).__module__.split(".")[0], type(source).__name__
    if hasattr(source, "is_directed") and hasattr(source, "edges") and hasattr(source, "nodes"):
        return from_networkx(source, label=label, weight=weight)
    if library == "rustworkx" and kind in ("PyGraph", "PyDiGraph"):
        return from_rustworkx(source, label=label, weight=weight)
    if library == "scipy":
        return from_sparse(source, weight=weight, directed=directed)
    if isinstance(source, np.ndarray | list | tuple | str | dict):
        raise TacitError(
            f"a graph cannot be made from {format_value(source)}",
            code="cannot_write",
            fix="give a frame of edges, a networkx or rustworkx graph or a sparse matrix; a file is read by read_graph",
        )
    if label is not None:
        raise TacitError(
            "label= names a column of a node file, and none is given",
            code="invalid_parameter",
            parameter="label",
            fix="give nodes=…, or leave label= out",
        )
    return from_frame(source, ends=ends, weight=weight)


def _edge_weights(given: RawGraph) -> np.ndarray | None:
    import polars as pl

    if given.weights is None:
        return None
    name = given.weights.name
    if len(given.weights) and not given.weights.dtype.is_numeric():
        raise TacitError(
            "is the weight of an edge but holds no numbers",
            code="wrong_kind",
            column=name,
            fix="name a column of numbers",
        )
    found = given.weights.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    bad = ~np.isfinite(found)
    if bad.any():
        raise TacitError(
            f"is the weight of an edge and is missing or infinite in {int(bad.sum())} rows, the first of them row {int(bad.argmax()) + 1}",
            code="missing_values",
            column=name,
            fix="fill in the weights, remove these edges, or leave weight= out",
        )
    return found


def _node_names(labels: pl.Series) -> list[str] | None:
    """The labels, or None where they are nothing but the numbers 0 to n−1 in order."""
    held = labels.to_list()
    return None if held == [str(number) for number in range(len(held))] else held


def _build_notes(given: RawGraph, found: SimpleEdges, directed: bool) -> Iterable[str]:
    if found.loops:
        yield _count_phrase(found.loops, "loop", "dropped")
    if found.repeated:
        yield _count_phrase(found.repeated, "repeated edge", "dropped")
    if found.unequal:
        yield f"{_count_phrase(found.unequal, 'repeated edge', 'of another weight')}; the largest is kept"
    if given.directed and not directed:
        yield "the source is directed; the direction of its edges was left out"
    if found.isolated:
        yield _count_phrase(found.isolated, "node", "without an edge and kept")
    if given.unused:
        yield f"left out: {', '.join(given.unused[:30])}"


def _count_phrase(count: int, what: str, done: str) -> str:
    return f"{count} {what} was {done}" if count == 1 else f"{count:,} {what}s were {done}"


def label_nodes(given: RawGraph, nodes: Any, label: str | None) -> tuple[pl.Series, Release | None]:
    """The labels of all nodes, as text, in order, with their attributes."""
    import polars as pl

    for place, end in enumerate((given.first, given.second), start=1):
        if end.null_count():
            row = int(end.is_null().arg_max() or 0)
            raise TacitError(
                f"end {place} of an edge has no label in {end.null_count()} rows, the first of them row {row + 1}",
                code="missing_values",
                fix="remove these edges or fill in the labels",
            )
    if nodes is not None:
        return _read_node_file(nodes, label)
    if given.labels is not None:
        found = given.labels
    else:
        ends = [end if end.dtype.is_integer() else end.cast(pl.String) for end in (given.first, given.second)]
        same = ends[0].dtype == ends[1].dtype
        both = [end.rename("label") if same else end.cast(pl.String).rename("label") for end in ends]
        found = pl.concat(both).unique().sort()
    if not len(found):
        raise TacitError(
            "the graph is empty: it has no node",
            code="invalid_graph",
            fix="check the file, or give the nodes with nodes=…",
        )
    return found.cast(pl.String), given.attributes


def _read_node_file(nodes: Any, label: str | None) -> tuple[pl.Series, Release | None]:
    """The nodes of a node file: one row each, known by the column of labels, which is no attribute."""
    import polars as pl

    held = nodes if isinstance(nodes, Release) else Release(nodes)
    if label is None:
        label = held.identifiers[0] if len(held.identifiers) == 1 else held.columns[0]
    if label not in held.columns:
        raise unknown_column(label, held.columns)
    labels = held.series(label).cast(pl.String)
    if not len(labels):
        raise TacitError(
            "the graph is empty: the node file has no row", code="invalid_graph", fix="check the node file"
        )
    lacking, doubled = labels.null_count(), len(labels) - labels.n_unique()
    if lacking:
        row = int(labels.is_null().arg_max() or 0)
        fix = "fill in the labels of these nodes or remove them"
        raise TacitError(
            f"has no label in {lacking} rows, the first of them row {row + 1}",
            code="missing_values",
            column=label,
            fix=fix,
        )
    if doubled:
        row = int((~labels.is_first_distinct()).arg_max() or 0)
        fix = "keep one row for each node, or name the right column with label=…"
        what = f"names a node a second time in {doubled} rows, the first of them row {row + 1}"
        raise TacitError(what, code="unsuitable_column", column=label, fix=fix)
    kept = [name for name in held.columns if name != label]
    return labels, held.select(kept) if kept else None


def number_edge_ends(given: RawGraph, labels: pl.Series, *, listed: bool) -> np.ndarray:
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
            code="missing_values",
            fix="add a row for each of them, or remove their edges; check that both files spell the labels alike",
        )
    return np.column_stack([end["node"].to_numpy() for end in ends]).astype(np.int64)
