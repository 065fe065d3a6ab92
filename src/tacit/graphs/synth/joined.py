"""The stubs of nodes on a map, joined to a simple graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...kernels.near_stubs import Near, Stubs

__all__ = ["Joined", "joined"]

ROUNDS, SWITCHES = 20, 1000
"""So often are the stubs left over paired anew, and so many switches may a pair take; what is left then is dropped."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The edges, and how they came about.

    ``drawn`` are the edges of the first round, node and partner, in the order of their making; ``repeated`` of their draws
    repeated an edge and were drawn again. It took ``switches`` to place the stubs left over; ``dropped`` edges are missing.
    """

    edges: np.ndarray
    drawn: np.ndarray
    repeated: int
    switches: int
    dropped: int


def joined(near: Near, degrees: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> Joined:
    """Join the stubs by nearness, switch what is left over into place, and drop what finds none."""
    from ...kernels.near_stubs import join_stubs, stubs_of, walk_stubs

    nodes = np.arange(len(degrees))
    stubs, order = stubs_of(degrees, near), rng.permutation(np.repeat(nodes, degrees))
    drawn = np.empty((len(order) // 2, 2), dtype=np.int64)
    made, repeated = join_stubs(near, stubs, order, rng, drawn)
    switches = 0
    for _ in range(ROUNDS):
        loose = np.repeat(nodes, stubs.free)
        if not len(loose):
            break
        switches += walk_stubs(near, stubs, loose[_strips(places[loose])], places, rng, SWITCHES)
    return Joined(_edges(stubs), drawn[:made], repeated, switches, int(stubs.free.sum()) // 2)


def _strips(places: np.ndarray) -> np.ndarray:
    """An order in which consecutive places are near: to and fro along strips about as wide as places lie apart."""
    low, high = places.min(axis=0), places.max(axis=0)
    strip = ((places[:, 1] - low[1]) / max(high[1] - low[1], 1e-300) * np.sqrt(len(places) / 2)).astype(np.int64)
    return np.lexsort((np.where(strip % 2, -places[:, 0], places[:, 0]), strip))


def _edges(stubs: Stubs) -> np.ndarray:
    """The edges by their neighbour lists, each once."""
    ends = np.repeat(np.arange(len(stubs.used)), stubs.used)
    within = np.arange(len(ends)) - np.repeat(np.cumsum(stubs.used) - stubs.used, stubs.used)
    others = stubs.held[stubs.first[ends] + within]
    pairs: np.ndarray = np.column_stack([ends, others])[ends < others]
    return pairs
