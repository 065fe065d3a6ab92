"""An active attack: accounts that are planted in a network before it is released, to be found again in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb, log2
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_int
from ...seed import make_generator
from ..graph import Graph

if TYPE_CHECKING:
    from ...seed import Seed


EACH = 3
"""Planted accounts that each target is linked with."""


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """``graph`` is the network with the planted ``members``, the last of its nodes, linked with the ``targets``."""

    graph: Graph
    members: np.ndarray
    targets: np.ndarray


def plant(graph: Graph, *, targets: np.ndarray, size: int | None = None, outside: int = 4, seed: Seed) -> Planted:
    r"""A network into which an intruder has put accounts of its own, so as to find ``targets`` in the release.

    The accounts form a path, further links among them are drawn with chance one half, and every target is linked with a
    set of three of them that no other target has; up to ``outside`` links of each go to others at random, one each.
    With :math:`k = (2 + δ) \log_2 n` accounts the drawn graph is with high probability the only one of its kind in the
    whole network, whatever that is (``size`` None: δ = 1/2). The release is then attacked by
    :class:`.coalition.Coalition` with these members. Of a directed graph the accounts point at the others. The grown
    graph has neither names nor attributes. O(m + k²).

    References
    ----------
    Backstrom, Dwork and Kleinberg (2007), Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and
    structural steganography, WWW, 181–190.
    """
    aimed = np.unique(np.asarray(targets, dtype=np.int64))
    if not len(aimed) or aimed[0] < 0 or aimed[-1] >= graph.size:
        raise TacitError(
            "the targets are no nodes of the graph", code="wrong_type", fix=f"give numbers from 0 to {graph.size - 1}"
        )
    count = max(EACH + 1, ceil(2.5 * log2(graph.size + 1))) if size is None else size
    check_int("size", count, least=EACH)
    check_int("outside", outside, least=0)
    if comb(count, EACH) < len(aimed):
        raise TacitError(
            f"{count} accounts have fewer sets of three than there are targets",
            code="invalid_graph",
            fix="plant more, or aim at fewer",
        )
    rng = make_generator(seed)
    members = graph.size + np.arange(count)
    links = [graph.edges, _links_among_members(members, graph.directed, rng), _links_to_targets(members, aimed, rng)]
    links.append(_links_to_outsiders(members, np.setdiff1d(np.arange(graph.size), aimed), outside, rng))
    grown = Graph(size=graph.size + count, edges=np.concatenate(links), directed=graph.directed)
    return Planted(grown, members, aimed)


def _links_among_members(members: np.ndarray, directed: bool, rng: np.random.Generator) -> np.ndarray:
    """The path, and each other pair (of a directed graph in each direction) with chance one half."""
    first, second = np.triu_indices(len(members), 1)
    if directed:
        first, second = np.append(first, second), np.append(second, first)
    kept = (second == first + 1) | (rng.random(len(first)) < 0.5)
    return np.column_stack([members[first[kept]], members[second[kept]]])


def _links_to_targets(members: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three members for each target, for no two the same three."""
    used: set[tuple[int, ...]] = set()
    while len(used) < len(targets):
        used.add(tuple(sorted(rng.choice(members, EACH, replace=False).tolist())))
    chosen = np.array(sorted(used))[rng.permutation(len(targets))]
    return np.column_stack([chosen.ravel(), np.repeat(targets, EACH)])


def _links_to_outsiders(members: np.ndarray, free: np.ndarray, outside: int, rng: np.random.Generator) -> np.ndarray:
    """Links of the members to others, none of which gets two: so nobody else looks like a target."""
    wanted = np.repeat(members, rng.integers(0, outside + 1, len(members)))[: len(free)]
    return np.column_stack([wanted, rng.choice(free, len(wanted), replace=False)])
