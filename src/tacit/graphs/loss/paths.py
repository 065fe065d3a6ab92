"""What became of the distances between people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_int
from ...result import Result
from ...seed import DEFAULT_SEED, child_seed, make_generator
from .graph_pair import GraphPair, loss_result, pair_graphs

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


TOGETHER = 64
"""Sources that are followed at once: one bit of a word each."""


def paths(
    masked: Graph | MaskedGraph,
    *,
    original: Graph,
    lineage: np.ndarray | None = None,
    sources: int = 64,
    seed: int | bytes = DEFAULT_SEED,
) -> Result:
    r"""The Kolmogorov–Smirnov distance between the lengths of shortest paths before and after.

    Paths start at ``sources`` nodes drawn by ``seed``, the same people in both networks (in a synthetic network as many
    of its own), and lead to all others; one that does not exist is longer than any. With at least as many sources as
    nodes the figure is exact. The facts tell mean lengths, the length that 90 % of the paths stay within, and the share of
    pairs without a path.

    Utility, measured. O(sources · (n + m) · diameter / 64) word operations, O(n + m) memory.
    """
    check_int("sources", sources, least=1)
    pair = pair_graphs(masked, original, lineage)
    drawn = _sample_sources(pair, sources, seed)
    tallies = [_tally_path_lengths(graph, nodes) for graph, nodes in zip((pair.before, pair.after), drawn, strict=True)]
    width = max(len(tally) for tally in tallies)
    # The last place of a tally is for pairs without a path, whatever its width.
    shares = [np.concatenate([one[:-1], np.zeros(width - len(one)), one[-1:]]) for one in tallies]
    shares = [share / max(share.sum(), 1) for share in shares]
    facts: dict[str, object] = {}
    for name, tally in zip(("before", "after"), tallies, strict=True):
        facts |= _path_facts(name, tally)
    facts["sources"] = len(drawn[0])
    return loss_result("path lengths", np.abs(np.cumsum(shares[0]) - np.cumsum(shares[1])).max(initial=0.0), facts)


def _sample_sources(pair: GraphPair, count: int, seed: int | bytes) -> tuple[np.ndarray, np.ndarray]:
    try:
        common = pair.common
    except TacitError:
        draws = [make_generator(child_seed(seed, "sources", place)) for place in (0, 1)]
        sizes = (pair.before.size, pair.after.size)
        first, second = (
            rng.choice(size, min(count, size), replace=False) for rng, size in zip(draws, sizes, strict=True)
        )
        return first, second
    people = np.sort(pair.origin[common])
    chosen = np.sort(make_generator(child_seed(seed, "sources")).choice(people, min(count, len(people)), replace=False))
    place = np.full(pair.before.size, -1)
    place[pair.origin[common]] = common
    return chosen, place[chosen]


def _tally_path_lengths(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """How many pairs are 1, 2, … links apart, and at the end how many have no path."""
    found = distance_counts(graph, sources)[:, 1:].sum(axis=0)
    return np.append(found, len(sources) * (graph.size - 1) - found.sum())


def _path_facts(name: str, tally: np.ndarray) -> dict[str, object]:
    reached, lengths = tally[:-1], np.arange(1, len(tally))
    total = int(reached.sum())
    facts: dict[str, object] = {f"without a path {name}": float(tally[-1] / tally.sum()) if tally.sum() else 0.0}
    if total:
        within = int(lengths[np.searchsorted(np.cumsum(reached), 0.9 * total)])
        facts |= {f"mean length {name}": float((reached * lengths).sum() / total), f"90 % within {name}": within}
    return facts


def distance_counts(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """The counts of nodes at each distance from each source, itself left out: one row per source, column d for distance d.

    What is missing to n − 1 in a row cannot be reached. Breadth-first from 64 sources at once: each node has a word whose
    bits say which sources reached it, and takes over those of its neighbours round by round. O(64⁻¹ · sources · (n + m) ·
    diameter) word operations; O(n + m) memory.
    """
    parts = [
        _breadth_first_counts(graph, sources[first : first + TOGETHER]) for first in range(0, len(sources), TOGETHER)
    ]
    width = max(part.shape[1] for part in parts)
    return np.vstack([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])


def _breadth_first_counts(graph: Graph, sources: np.ndarray) -> np.ndarray:
    incoming = graph.adjacency().T.tocsr() if graph.directed else graph.adjacency()
    reached = np.zeros(graph.size, dtype=np.uint64)
    bits = np.uint64(1) << np.arange(len(sources), dtype=np.uint64)
    np.bitwise_or.at(reached, sources, bits)
    linked = np.flatnonzero(np.diff(incoming.indptr))
    starts = incoming.indptr[linked]
    counts = [np.zeros(len(sources), dtype=np.int64)]
    while len(linked):
        gained = np.bitwise_or.reduceat(reached[incoming.indices], starts) & ~reached[linked]
        changed = np.flatnonzero(gained)
        if not len(changed):
            break
        reached[linked[changed]] |= gained[changed]
        counts.append(np.array([int(((gained[changed] & bit) != 0).sum()) for bit in bits]))
    return np.column_stack(counts)
