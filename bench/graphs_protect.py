"""Protected networks: k-degree anonymity near its bound, with triangles kept, in time; and what the other promises cost."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
from bars import Bars, spent

from tacit.graphs import Graph, graph
from tacit.graphs.protect import KAutomorphism, KDegree
from tacit.graphs.protect.k_degree import anonymous_degrees

EXACT = {
    "karate_club": {2: (7, 5), 3: (15, 11), 4: (25, 17), 5: (25, 17)},
    "les_miserables": {2: (19, 18), 5: (86, 37), 10: (225, 64)},
}
"""Graph → k → distance of the nearest degrees with additions only, and both ways."""
PUBLIC = 197
"""Edges that the public Python tool changes on the graph of 1,000 nodes with k=5."""


def hubs(nodes: int, new: int) -> Graph:
    """The Barabási–Albert graph of the facts."""
    return graph(nx.barabasi_albert_graph(nodes, new, seed=1))


def anonymous(made: Graph, k: int) -> bool:
    """Whether every degree is that of k nodes or more, counted from the list of edges."""
    degrees = Counter(made.edges.ravel().tolist())
    return min(Counter(degrees.get(node, 0) for node in range(made.size)).values()) >= k


def transitivity(given: Graph) -> float:
    """As networkx counts it."""
    return nx.transitivity(nx.Graph(given.edges.tolist()))


def bars(bars: Bars) -> None:
    """The bars of this part."""
    for name, by_k in EXACT.items():
        degrees = np.array([degree for _, degree in getattr(nx, f"{name}_graph")().degree()])
        found = {k: tuple(anonymous_degrees(degrees, k, both=both)[1] for both in (False, True)) for k in by_k}
        bars.true(f"exact k-degree distances: {name}", found == by_k, k=list(by_k))
    small = hubs(1000, 3)
    made = KDegree(k=5).apply(small, seed=1)
    outcome = {name: one.value for name, one in made.trace[0].outcome.items()}
    bars.at_most("k-degree, 1,000 nodes, k=5: changed edges", outcome["changed"], 110, public=PUBLIC, **outcome)
    bars.true("k-degree, 1,000 nodes, k=5: anonymous", anonymous(made.graph, 5))
    made, before = KDegree(k=20).apply(small, seed=1), transitivity(small)
    off = abs(transitivity(made.graph) / before - 1)
    bars.at_most("k-degree, 1,000 nodes, k=20: transitivity off by", off, 0.2, before=before)
    bars.true("k-degree, 1,000 nodes, k=20: anonymous", anonymous(made.graph, 20))
    karate = graph(nx.karate_club_graph())
    changed = sum(one.value for one in KAutomorphism(k=2).apply(karate, seed=1).trace[0].outcome.values())
    bars.stated("2-automorphism of the karate club: changed edges", changed, of=karate.links)
    _large(bars)


def _large(bars: Bars) -> None:
    large = hubs(100_000, 5)
    degrees = large.degrees()
    anonymous_degrees(degrees[:99], 5, both=True)  # compiled before it is timed
    seconds, (_, distance) = spent(lambda: anonymous_degrees(degrees, 5, both=True))
    bars.at_most("nearest degrees of 100,000 nodes, k=5: CPU s", seconds, 2, at_scale=True, distance=distance)
    seconds, (_, distance) = spent(lambda: anonymous_degrees(degrees, 50, both=True))
    bars.at_most("nearest degrees of 100,000 nodes, k=50: CPU s", seconds, 2, at_scale=True, distance=distance)
    for k in (5, 20, 50):
        if bars.quick and k > 5:
            bars.skipped(f"k-degree, 100,000 nodes, k={k}: CPU s", "takes 10 CPU s and more")
            continue
        seconds, made = spent(lambda k=k: KDegree(k=k).apply(large, seed=1))
        outcome = {name: one.value for name, one in made.trace[0].outcome.items()}
        bars.at_most(f"k-degree, 100,000 nodes, k={k}: CPU s", seconds, 60, at_scale=True, **outcome)
        bars.true(f"k-degree, 100,000 nodes, k={k}: anonymous", anonymous(made.graph, k))
