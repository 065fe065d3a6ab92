"""Pictures of networks as inline SVG: small ones laid out by springs, those on a map where their nodes lie."""

from __future__ import annotations

from html import escape

import numpy as np

from ..graphs.forms.library import library
from ..graphs.forms.networkx import to_networkx
from ..graphs.graph import Graph
from ..graphs.loss.triangles import both_ways
from ..seed import generator
from .charts import BEFORE, NOW

__all__ = ["DRAWN", "drawn_edges", "laid_out_nodes", "on_a_map", "picture", "pictured"]

LARGEST = 500
"""Nodes of a network that is laid out by springs; more are a ball of wool."""
DRAWN = 4000
"""Links of a map that are drawn; of more, so many at random."""
SIDE, MARGIN = 360, 12


def pictured(graph: Graph) -> bool:
    """Whether a picture of the network tells anything."""
    return graph.size <= LARGEST or on_a_map(graph)


def on_a_map(graph: Graph) -> bool:
    """Whether the nodes have places: the attributes x and y, both numbers and none missing."""
    held = graph.attributes
    if held is None or not {"x", "y"} <= set(held.columns):
        return False
    return all(held.types[name] in ("integer", "number") and bool(held.valid(name).all()) for name in ("x", "y"))


def laid_out_nodes(graph: Graph) -> np.ndarray:
    """A place for each node, n×2: its own on a map, else by springs, always the same for the same network."""
    if on_a_map(graph):
        assert graph.attributes is not None
        return np.column_stack([graph.attributes.floats("x"), graph.attributes.floats("y")])
    bare = Graph(size=graph.size, edges=both_ways(graph))  # two people who link each other are one line
    places = library("networkx").spring_layout(to_networkx(bare), seed=7, iterations=80, method="force")
    return np.array([places[node] for node in range(graph.size)])


def drawn_edges(graph: Graph) -> np.ndarray:
    """The edges that a picture shows: all, or of many a part drawn at random."""
    if graph.links <= DRAWN:
        return graph.edges
    return graph.edges[np.sort(generator(0).choice(graph.links, DRAWN, replace=False))]


def picture(
    graph: Graph, places: np.ndarray, *, label: str, added: np.ndarray | None = None, removed: np.ndarray | None = None
) -> str:
    """The network as SVG; ``added`` links are blue, ``removed`` ones dashed. Nodes are the larger the more links they have."""
    at, height = _scaled(places)
    changed = {} if added is None else {tuple(edge) for edge in added.tolist()}
    kept = np.array([edge for edge in drawn_edges(graph).tolist() if tuple(edge) not in changed], dtype=np.int64)
    parts = [_lines(at, kept.reshape(-1, 2), 'stroke="currentColor" stroke-opacity="0.35"')]
    if removed is not None and len(removed):
        parts.append(_lines(at, removed, f'stroke="{BEFORE}" stroke-dasharray="3 3"'))
    if added is not None and len(added):
        parts.append(_lines(at, added, f'stroke="{NOW}" stroke-width="2"'))
    parts.append(_dots(at[: graph.size], graph.degrees()))
    head = f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {SIDE} {height:g}" width="{SIDE}" height="{height:g}">'
    return f"{head}{''.join(parts)}</svg>"


def _scaled(places: np.ndarray) -> tuple[np.ndarray, float]:
    """Places inside the picture, one scale for both directions, north above, and how high the picture is."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max()) or 1.0
    scaled = (places - (low + high) / 2) / span * (SIDE - 2 * MARGIN)
    height = round(float(np.ptp(scaled[:, 1])) + 2 * MARGIN, 1)
    return np.column_stack([SIDE / 2 + scaled[:, 0], height / 2 - scaled[:, 1]]).round(1), height


def _lines(at: np.ndarray, edges: np.ndarray, style: str) -> str:
    ends = np.column_stack([at[edges[:, 0]], at[edges[:, 1]]]).tolist()
    path = "".join(f"M{x:g} {y:g}L{u:g} {v:g}" for x, y, u, v in ends)
    return f'<path fill="none" {style} d="{path}"/>'


def _dots(at: np.ndarray, degrees: np.ndarray) -> str:
    base = 1.2 if len(at) > LARGEST else 2.5
    sizes = base + (4.5 if len(at) <= LARGEST else 1.5) * np.sqrt(degrees / max(int(degrees.max(initial=0)), 1))
    dots = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{size:.1f}"/>' for (x, y), size in zip(at.tolist(), sizes, strict=True)
    )
    return f'<g fill="{NOW}">{dots}</g>'
