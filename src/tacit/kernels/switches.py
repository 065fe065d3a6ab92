"""Degree-preserving switches of a simple graph: the steps of a Markov chain whose law at rest is uniform."""

from __future__ import annotations

from numba import njit

from .edge_set import add_edge, has_edge, key_of, remove_edge


@njit(cache=True, nogil=True)
def switch_edges(edges, table, size, stubs):
    """Take one step for each pair of ``stubs``, in place; how many of them changed the graph.

    A pair of stubs in [0, 2m) names two edges and, by its low bits, their directions: a–b and c–d become a–d and c–b. A
    step that would make a loop or an edge twice is taken too, and leaves all as it was: drawing another instead would
    favour graphs with few legal switches. O(1) expected time a step.
    """
    changed = 0
    for step in range(len(stubs)):
        first, second = stubs[step, 0] >> 1, stubs[step, 1] >> 1
        turned, other = stubs[step, 0] & 1, stubs[step, 1] & 1
        a, b = edges[first, turned], edges[first, 1 - turned]
        c, d = edges[second, other], edges[second, 1 - other]
        if a in (c, d) or b in (c, d):
            continue
        if has_edge(table, key_of(a, d, size)) or has_edge(table, key_of(c, b, size)):
            continue
        remove_edge(table, key_of(a, b, size))
        remove_edge(table, key_of(c, d, size))
        add_edge(table, key_of(a, d, size))
        add_edge(table, key_of(c, b, size))
        edges[first, turned], edges[first, 1 - turned] = a, d
        edges[second, other], edges[second, 1 - other] = c, b
        changed += 1
    return changed
