"""One simple graph with given degrees, by Havel and Hakimi."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def degree_start(order, degrees):
    """The edges of a simple graph with these degrees, which must be graphical; ``order`` sorts them downwards.

    The node with most stubs left is joined with those that have most left after it. The nodes stay sorted, because of the
    last run of ties that is needed only in part its last ones are taken; ``upto[v]`` is the end of those with v stubs or
    more. O(n + m) time and memory.
    """
    left, nodes = degrees.copy(), order.copy()
    most = left[nodes[0]] if len(nodes) else 0
    edges = np.empty((left.sum() // 2, 2), np.int64)
    upto = np.zeros(most + 2, np.int64)
    for node in nodes:
        upto[left[node]] += 1
    for v in range(most - 1, -1, -1):
        upto[v] += upto[v + 1]
    made = 0
    for i in range(len(nodes)):
        need = left[nodes[i]]
        if need == 0:
            break
        least = left[nodes[i + need]]
        begin = max(upto[least + 1], i + 1)
        taken = i + 1 + need - begin
        for at in range(i + 1, begin):
            made = _join_nodes(edges, left, nodes[i], nodes[at], made)
        for at in range(upto[least] - taken, upto[least]):
            made = _join_nodes(edges, left, nodes[i], nodes[at], made)
        left[nodes[i]] = 0
        upto[least] -= taken
        for v in range(least + 1, need + 1):
            upto[v] = max(upto[v + 1], i + 1)
    return edges


@njit(cache=True, nogil=True)
def _join_nodes(edges, left, a, b, made):
    edges[made, 0], edges[made, 1] = a, b
    left[b] -= 1
    return made + 1
