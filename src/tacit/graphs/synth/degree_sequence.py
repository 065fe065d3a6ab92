"""A network of nobody with given degrees, each simple graph that has them equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import check_int
from ...release.trace import Finding, Trace
from ...seed import make_generator
from ..graph import Graph
from ..masked import MaskedGraph
from .degrees import DegreeCounts, Poisson, PowerLaw, degree_counts, degrees_of, drawn_degrees
from .graphical import some_graph
from .random_graph import STEPS_PER_EDGE, randomise_edges

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class DegreeSequence:
    """A simple graph drawn uniformly among all with given degrees.

    ``degrees`` is a sequence (node i has ``degrees[i]`` edges), :class:`.degrees.DegreeCounts`, or a model such as
    :class:`.degrees.Poisson`. The degrees are kept exactly; beyond them nothing of an original is captured: neither
    clustering nor paths, communities, attributes, nor who is joined with whom. What the degrees tell is told: the only
    node with 40 edges is found again by whoever knows that it has 40; give anonymous or noisy degrees where that matters.

    See :func:`.sampled.randomise_edges` for the chain and why its law is uniform. O(n log n + steps) time, O(n + m) memory.

    >>> made = DegreeSequence(degrees=(2, 2, 2, 1, 1)).generate(seed=7)
    >>> made.graph.degrees().tolist(), made.lineage.tolist()
    ([2, 2, 2, 1, 1], [-1, -1, -1, -1, -1])
    """

    degrees: tuple[int, ...] | DegreeCounts | Poisson | PowerLaw
    steps_per_edge: int = STEPS_PER_EDGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", degrees_of(self.degrees))
        check_int("steps_per_edge", self.steps_per_edge, least=1)

    def generate(self, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The network; all its nodes are invented."""
        rng = make_generator(seed)
        degrees = drawn_degrees(self.degrees, rng)
        edges, switches = randomise_edges(
            some_graph(degrees), len(degrees), seed=rng, steps_per_edge=self.steps_per_edge, progress=progress
        )
        graph = Graph(size=len(degrees), edges=edges)
        facts = {
            "nodes": graph.size,
            "edges": graph.links,
            "switches": switches,
            "captured": "degrees, exactly",
            "not promised": "clustering, paths, communities, attributes, who is joined with whom",
        }
        outcome = {name: Finding(fact, publishable=True) for name, fact in facts.items()}
        return MaskedGraph(graph, (Trace.of(self, **outcome),), np.full(graph.size, -1))


def with_degrees_of(graph: Graph) -> DegreeSequence:
    """The generator of networks with the degrees of this one, without saying whose they are.

    >>> with_degrees_of(Graph(size=4, edges=np.array([[0, 1], [0, 2], [0, 3]]))).generate(seed=7).graph.degrees().tolist()
    [3, 1, 1, 1]
    """
    return DegreeSequence(degrees=degree_counts(graph))
