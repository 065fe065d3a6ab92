"""A simple graph drawn uniformly among all that have given degrees, and a given graph mixed by switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import check_int
from ...progress import report_progress
from ...seed import make_generator
from .graphical import some_graph

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


STEPS_PER_EDGE = 20
"""Steps of the chain for each edge; 10 to 20 is what is used in practice (Milo et al. 2003)."""
LEAST_STEPS = 2_000
"""Steps of the chain at least: small graphs are no excuse for few."""
BLOCK = 1 << 20


def sample_edges(
    degrees: np.ndarray, *, seed: Seed, steps_per_edge: int = STEPS_PER_EDGE, progress: Progress | None = None
) -> np.ndarray:
    """The edges (m×2) of a simple graph whose node i has ``degrees[i]`` edges, each such graph equally likely.

    One graph with these degrees (:func:`.graphical.some_graph`) is mixed by :func:`randomise_edges`. The law is uniform in the
    limit of many steps; how many suffice is known only for special sequences, so the number is a rule of thumb.
    O(n log n + steps) time, O(n + m) memory.

    >>> sample_edges(np.array([1, 1, 1, 1]), seed=7).tolist() in ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 3], [1, 2]])
    True
    """
    edges, _ = randomise_edges(
        some_graph(degrees), len(degrees), seed=seed, steps_per_edge=steps_per_edge, progress=progress
    )
    return edges


def randomise_edges(
    edges: np.ndarray,
    size: int,
    *,
    seed: Seed,
    steps_per_edge: int = STEPS_PER_EDGE,
    progress: Progress | None = None,
) -> tuple[np.ndarray, int]:
    """The edges after random switches that keep every degree and no loop or double edge, sorted; and how many took place.

    A step draws two edges and their directions uniformly and replaces a–b, c–d by a–d, c–b unless that makes a loop or a
    double edge; then it counts as a step in which nothing happened. So the chain is symmetric, it reaches every graph with
    these degrees, and as drawing one edge twice leaves the graph as it is, it has no period: its law at rest is uniform.
    ``edges`` is an undirected simple graph and is not changed. O(steps) time, O(m) memory.

    References
    ----------
    Taylor (1981), Constrained switchings in graphs, Combinatorial Mathematics VIII, LNM 884, 314–336 (it reaches all).
    Milo, Kashtan, Itzkovitz, Newman and Alon (2003), On the uniform generation of random graphs with prescribed degree
    sequences, arXiv cond-mat/0312028 (the number of steps).
    """
    from ...kernels.edge_set import edge_set
    from ...kernels.switches import switch_edges

    check_int("steps_per_edge", steps_per_edge, least=1)
    mixed = np.array(edges, dtype=np.int64).reshape(-1, 2)
    links, rng, changed = len(mixed), make_generator(seed), 0
    steps = max(steps_per_edge * links, LEAST_STEPS) if links > 1 else 0
    table = edge_set(mixed, size)
    for done in range(0, steps, BLOCK):
        report_progress(progress, "switching edges", done / steps)
        stubs = rng.integers(0, 2 * links, size=(min(BLOCK, steps - done), 2))
        changed += switch_edges(mixed, table, size, stubs)
    mixed.sort(axis=1)
    return mixed[np.lexsort((mixed[:, 1], mixed[:, 0]))], int(changed)
