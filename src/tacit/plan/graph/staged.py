"""The files of a released network: written, read again as a receiver would, and kept byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...graphs.files.graphml import SUFFIXES
from ...graphs.files.read import read_graph
from ...graphs.files.write import write_graph
from ...graphs.graph import Graph
from ...release.files import writable_name
from ...release.kinds import fits
from ...release.release import Release
from ...release.scratch import make_scratch_folder, remove_private_folder
from .loaded import LoadedGraphPlan

__all__ = ["Staged", "staged"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Staged:
    """``files`` are what would be published, by name; ``graph`` is what a receiver reads from them."""

    files: Mapping[str, bytes]
    graph: Graph


def staged(loaded: LoadedGraphPlan, graph: Graph) -> Staged:
    """Write the graph in the format that the plan asks for, and read it back."""
    edges, nodes = _names(loaded, graph)
    place = make_scratch_folder()
    try:
        write_graph(graph, place / edges, nodes=None if nodes is None else place / nodes)
        read = read_graph(place / edges, nodes=None if nodes is None else place / nodes, directed=graph.directed)
        files = {name: (place / name).read_bytes() for name in (edges, nodes) if name is not None}
    finally:
        remove_private_folder(place)
    return Staged(files=files, graph=replace(read, attributes=_described(read.attributes, graph.attributes)))


def _described(again: Release | None, released: Release | None) -> Release | None:
    """The attributes as they were read, under the description of the released ones, which no file holds."""
    if again is None or released is None:
        return again
    there = set(again.columns)
    kinds = {name: kind for name, kind in released.kinds.items() if name in there and fits(kind, again.types[name])}
    return again.described(
        roles={name: role for name, role in released.roles.items() if name in there},
        hierarchies={name: tree for name, tree in released.hierarchies.items() if name in there},
        levels={name: level for name, level in released.levels.items() if name in there},
        mixed=tuple(name for name in released.mixed if name in there),
        kinds=kinds,
        missing=released.missing,
    )


def _names(loaded: LoadedGraphPlan, graph: Graph) -> tuple[str, str | None]:
    """What the files are called; none for the nodes where the edges hold them."""
    output = loaded.plan.output
    wanted = output.file or loaded.edges_path.name
    if Path(wanted).suffix.lower() in SUFFIXES:
        return wanted, None
    edges = writable_name(wanted)
    if graph.attributes is None and not graph.isolated and output.nodes is None:
        return edges, None
    own = None if loaded.plan.graph.nodes is None else writable_name(Path(loaded.plan.graph.nodes).name)
    return edges, output.nodes or own or f"nodes{Path(edges).suffix}"
