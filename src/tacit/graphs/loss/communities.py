"""Whether the same people are still found together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import check_int
from ...result import Result
from ...seed import DEFAULT_SEED, child_seed, make_generator
from ..forms.library import load_library
from .graph_pair import loss_result, pair_graphs

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


def communities(
    masked: Graph | MaskedGraph,
    *,
    original: Graph,
    lineage: np.ndarray | None = None,
    upto: int = 5000,
    seed: int | bytes = DEFAULT_SEED,
) -> Result:
    r"""One minus the normalised mutual information between the communities found before and after: 1 − NMI.

    Communities are those of the Louvain method (Blondel et al. 2008; networkx) with the same seed in both networks and
    nodes in the same order, so that equal networks lose nothing. Of more than ``upto`` people only so many are looked at,
    those nearest to one who is drawn by ``seed``, with the links among them; the fact ``nodes`` tells how many.

    .. math:: NMI = \frac{2\, I(C; C')}{H(C) + H(C')}

    Utility, measured. About O(m log n) for the links looked at.
    """
    check_int("upto", upto, least=2)
    pair = pair_graphs(masked, original, lineage)
    people = np.sort(pair.origin[pair.common])
    if len(people) > upto:
        people = _breadth_first_sample(pair.before, people, upto, seed)
    number = int.from_bytes(child_seed(seed, "louvain")[:4], "little")
    before, after = (detect_communities(graph, people, number) for graph in (pair.before, pair.in_original_numbers()))
    facts = {
        "communities before": int(before.max()) + 1,
        "communities after": int(after.max()) + 1,
        "nodes": len(people),
    }
    return loss_result("communities", 1 - shared_information(before, after), facts)


def _breadth_first_sample(graph: Graph, people: np.ndarray, count: int, seed: int | bytes) -> np.ndarray:
    """So many of the people, in breadth-first order from one that is drawn, and further ones where its part ends."""
    from scipy.sparse.csgraph import breadth_first_order

    allowed = np.zeros(graph.size, dtype=bool)
    allowed[people] = True
    found: list[np.ndarray] = []
    for start in make_generator(child_seed(seed, "around")).permutation(people):
        if allowed[start]:
            order = breadth_first_order(graph.adjacency(), start, directed=False, return_predecessors=False)
            found.append(order[allowed[order]])
            allowed[order] = False
        if sum(map(len, found)) >= count:
            break
    return np.sort(np.concatenate(found)[:count])


def detect_communities(graph: Graph, people: np.ndarray, seed: int) -> np.ndarray:
    """The number of the community of each of the people, by Louvain on the links among them; direction is left out."""
    networkx = load_library("networkx")
    place = np.full(graph.size, -1)
    place[people] = np.arange(len(people))
    edges = place[graph.edges]
    made = networkx.Graph()
    made.add_nodes_from(range(len(people)))
    made.add_edges_from(edges[(edges >= 0).all(axis=1)].tolist())
    found = np.empty(len(people), dtype=np.int64)
    for number, members in enumerate(networkx.community.louvain_communities(made, seed=seed)):
        found[list(members)] = number
    return found


def shared_information(first: np.ndarray, second: np.ndarray) -> float:
    """The normalised mutual information of two partitions; 1 where both are one whole. O(n log n).

    >>> shared_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    width = int(second.max()) + 1
    one, two, both = np.bincount(first), np.bincount(second), np.unique(first * width + second, return_counts=True)[1]
    entropies = [_count_entropy(counts) for counts in (one, two, both)]
    total = entropies[0] + entropies[1]
    if not total:
        return 1.0
    return float(np.clip(2 * (total - entropies[2]) / total, 0, 1))


def _count_entropy(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())
