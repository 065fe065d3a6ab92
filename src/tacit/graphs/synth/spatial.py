"""A network of nobody on a map: nodes from a density, edges by nearness, degrees as prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import whole
from ...progress import report
from ...release.trace import Finding, Trace
from ...seed import generator
from ..graph import Graph
from ..masked import MaskedGraph
from .degrees import Counted, Poisson, PowerLaw, degrees_of, drawn_degrees
from .density import DENSITIES, Density
from .joined import Joined, joined
from .near import candidates
from .nearness import NEARNESS, Nearness
from .part import part_of
from .places import lengths, placed

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed

__all__ = ["Spatial"]

NEAREST = 48
"""So many candidates for an edge: enough that few stubs find none free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial:
    r"""A simple graph on a map with prescribed degrees, whose edges are the likelier the shorter they are (K-03).

    1. Nodes are drawn from ``density``, so that none lies on an address.
    2. In random order each free stub draws a partner among the ``nearest`` nodes (a hub: twice its degree or more): node
       i takes j with chance

       .. math:: p_{ij} \propto f(|x_i - x_j|) \cdot \text{free stubs of } j,

       f being ``nearness``. A draw that repeats an edge is drawn again among those that i is not yet joined with, which is
       the same law without them.
    3. The stubs that find nothing free are paired, near with near, and walk towards each other: one takes a stub in use,
       drawn by the same law, and the neighbour that loses its edge goes on. These switches with near edges keep all
       degrees. Stubs that do not meet in 20 rounds are dropped, and the trace counts them.

    The graph is simple; degrees are exact but for the dropped edges. Nothing else of an original is captured. Time
    O(n · nearest · log n + m · nearest), memory O(n · nearest).
    """

    degrees: tuple[int, ...] | Counted | Poisson | PowerLaw
    density: Density
    nearness: Nearness
    nearest: int = NEAREST

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", degrees_of(self.degrees))
        object.__setattr__(self, "density", part_of(self.density, DENSITIES, "density"))
        object.__setattr__(self, "nearness", part_of(self.nearness, NEARNESS, "nearness"))
        whole("nearest", self.nearest, least=1)

    def made(self, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The network; ``x`` and ``y`` are attributes of its nodes, which are all invented."""
        rng = generator(seed)
        report(progress, "placing nodes", 0.0)
        degrees = drawn_degrees(self.degrees, rng)
        at = self.density.drawn(len(degrees), rng)
        report(progress, "finding the nearest", 0.1)
        near = candidates(at, degrees, self.nearness, self.nearest)
        report(progress, "joining stubs", 0.6)
        found = joined(near, degrees, at, rng)
        report(progress, "joining stubs", 1.0)
        graph = Graph(size=len(degrees), edges=found.edges, attributes=placed(at))
        outcome = {name: Finding(fact, publishable=True) for name, fact in _facts(graph, degrees, found).items()}
        return MaskedGraph(graph, (Trace.of(self, **outcome),), np.full(graph.size, -1))


def _facts(graph: Graph, degrees: np.ndarray, found: Joined) -> dict[str, object]:
    size, links = np.int64(graph.size), max(graph.links, 1)
    kept = np.isin(_keys(graph.edges, size), _keys(found.drawn, size)).sum()
    return {
        "nodes": graph.size,
        "edges": graph.links,
        "dropped edges": found.dropped,
        "degree error": int(np.abs(degrees - graph.degrees()).sum()),
        "share drawn again": found.repeated / links,
        "share switched": float(graph.links - kept) / links,
        "lengths": _spread(lengths(graph)),
        "captured": "degrees, but for the dropped edges; the density of the nodes",
        "not promised": "clustering, paths, communities, attributes, who is joined with whom",
    }


def _spread(values: np.ndarray) -> dict[str, float]:
    """The mean and three quantiles; of no values, nothing."""
    if not len(values):
        return {}
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95]).tolist()
    return {"mean": float(values.mean()), "5 %": low, "50 %": middle, "95 %": high}


def _keys(edges: np.ndarray, size: np.int64) -> np.ndarray:
    found: np.ndarray = edges.min(axis=1) * size + edges.max(axis=1)
    return found
