"""From files to a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...release.files import load
from ...release.read import read
from ..build import graph
from ..graph import Graph
from .graphml import SUFFIXES, load_graphml


def read_graph(
    path: str | Path,
    *,
    nodes: Any = None,
    label: str | None = None,
    ends: tuple[str, str] | None = None,
    weight: str | None = None,
    directed: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Graph:
    """A graph from an edge list (.csv, .tsv, .parquet, .arrow, .xlsx …) or a GraphML file (.graphml).

    ``nodes`` is the file of nodes, one row each, or a Release read from it with its roles
    (``tacit.read("people.csv", identifier="name", quasi="age")``). ``separator`` and ``encoding`` are those
    of CSV files, of the edges and of a file of nodes. The rest is as for :func:`.build.graph`.
    """
    try:
        if Path(path).suffix.lower() in SUFFIXES:
            source: Any = load_graphml(path)
        else:
            source = load(path, separator=separator, encoding=encoding).frame
        text = isinstance(nodes, str | Path)
        held = read(nodes, separator=separator, encoding=encoding) if text else nodes
        return graph(source, nodes=held, label=label, ends=ends, weight=weight, directed=directed)
    except TacitError as problem:
        raise problem if problem.where else problem.with_location(str(path)) from None
