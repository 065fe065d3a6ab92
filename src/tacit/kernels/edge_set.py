"""A set of edges by open addressing: asked, entered and left in O(1), so that no n×n array is needed."""

from __future__ import annotations

import numpy as np
from numba import njit

MIX = np.uint64(11400714819323198485)
"""An odd constant near 2⁶⁴/φ: multiplying by it spreads neighbouring keys (Knuth's multiplicative hashing)."""
EMPTY = np.int64(-1)


def edge_set(edges: np.ndarray, size: int) -> np.ndarray:
    """The table of an undirected simple graph's edges, at most half full. O(m) time and memory."""
    table = np.full(1 << (2 * len(edges) + 2).bit_length(), EMPTY)
    _fill_table(table, np.ascontiguousarray(edges, dtype=np.int64), size)
    return table


@njit(cache=True, nogil=True)
def _fill_table(table, edges, size):
    for i in range(len(edges)):
        add_edge(table, key_of(edges[i, 0], edges[i, 1], size))


@njit(cache=True, nogil=True)
def key_of(a, b, size):
    """The number of an undirected edge: smaller end · size + larger end."""
    return min(a, b) * size + max(a, b)


@njit(cache=True, nogil=True)
def _home_slot(key, slots):
    """Where a key is looked for first: the high bits of its product, because they depend on all of its bits."""
    mixed = np.uint64(key) * MIX
    return np.int64((mixed >> np.uint64(20)) & np.uint64(slots - 1))


@njit(cache=True, nogil=True)
def has_edge(table, key):
    """Whether the edge is in the set. O(1) expected."""
    at = _home_slot(key, table.size)
    while table[at] != EMPTY:
        if table[at] == key:
            return True
        at = (at + 1) & (table.size - 1)
    return False


@njit(cache=True, nogil=True)
def add_edge(table, key):
    """Add an edge that is not in the set. O(1) expected."""
    at = _home_slot(key, table.size)
    while table[at] != EMPTY:
        at = (at + 1) & (table.size - 1)
    table[at] = key


@njit(cache=True, nogil=True)
def remove_edge(table, key):
    """Remove an edge that is in the set; those behind it move up, so that no grave is left that would slow later looks."""
    last = table.size - 1
    hole = _home_slot(key, table.size)
    while table[hole] != key:
        hole = (hole + 1) & last
    at = (hole + 1) & last
    while table[at] != EMPTY:
        home = _home_slot(table[at], table.size)
        if ((at - home) & last) >= ((at - hole) & last):
            table[hole] = table[at]
            hole = at
        at = (at + 1) & last
    table[hole] = EMPTY
