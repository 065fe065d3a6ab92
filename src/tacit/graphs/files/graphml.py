"""GraphML, through networkx."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...files import atomic_write, check_source_path
from ..forms.library import load_library
from ..forms.networkx import to_networkx
from ..graph import Graph

SUFFIXES = (".graphml", ".xml")


def load_graphml(path: str | Path) -> Any:
    """The networkx graph in a GraphML file; what the library says against it is told without its content."""
    file = check_source_path(path)
    networkx = load_library("networkx")
    try:
        return networkx.read_graphml(file)
    except Exception as problem:
        what = f"cannot be read as GraphML ({type(problem).__name__})"
        raise TacitError(
            what, code="cannot_read", where=str(file), fix="open it in the program that wrote it and export it again"
        ) from None


def save_graphml(graph: Graph, path: str | Path) -> None:
    """Write a graph as GraphML into a new file; dates become ISO text, missing attributes are left out."""
    networkx = load_library("networkx")
    made = to_networkx(graph)
    for _, row in made.nodes(data=True):
        row.update({name: value.isoformat() for name, value in row.items() if isinstance(value, date | datetime)})
    with atomic_write(path) as draft:
        networkx.write_graphml(made, draft)
