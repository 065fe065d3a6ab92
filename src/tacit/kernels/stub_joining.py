"""Stubs of nodes on a map joined by nearness, and those left over walking until they meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

TINY = 1e-280
"""Chances in all below this are none: they could no longer be told apart."""


class NearCandidates(NamedTuple):
    """The candidates of node i are ``node[start[i]:start[i+1]]``, with the chances ``weight`` up to a factor."""

    start: np.ndarray
    node: np.ndarray
    weight: np.ndarray


class Stubs(NamedTuple):
    """How many stubs of each node are ``free``; its neighbours so far are ``held[first[i] : first[i] + used[i]]``."""

    free: np.ndarray
    used: np.ndarray
    first: np.ndarray
    held: np.ndarray
    sums: np.ndarray


def stubs_of(degrees: np.ndarray, near: NearCandidates) -> Stubs:
    """All stubs free; ``sums`` is room for the chances of one node's candidates."""
    first = np.cumsum(degrees) - degrees
    most = int(np.diff(near.start).max(initial=0))
    used, held = np.zeros(len(degrees), dtype=np.int64), np.empty(int(degrees.sum()), dtype=np.int32)
    return Stubs(degrees.astype(np.int64), used, first, held, np.empty(most))


@njit(cache=True, nogil=True)
def join_stubs(near, stubs, order, rng, joins):
    """Let each node of ``order`` with a free stub draw a partner, and join them; how many edges, how many repeats.

    Node i draws j among its candidates with chance ∝ weight · free stubs of j. A draw that repeats an edge is drawn again
    among the candidates that i is not yet joined with; without any, the stub stays free. ``joins`` gets the edges in the
    order of their making. O(candidates) time a draw.
    """
    made = repeated = 0
    for i in order:
        if stubs.free[i] == 0:
            continue
        j = _draw_candidate(near, stubs, i, stubs.free, False, rng)
        if j >= 0 and _are_joined(stubs, i, j):
            repeated += 1
            j = _draw_candidate(near, stubs, i, stubs.free, True, rng)
        if j >= 0:
            _join_nodes(stubs, i, j)
            joins[made, 0], joins[made, 1] = i, j
            made += 1
    return made, repeated


@njit(cache=True, nogil=True)
def walk_stubs(near, stubs, loose, places, rng, most):
    """Let the stubs left over, two and two in the order of ``loose``, walk towards each other; how many switches.

    A stub of a that finds no free stub near takes one in use, of c, drawn by nearness among those that a is not joined
    with: c lets go the neighbour d that lies nearest to b, the edge c–d becomes a–c, and the free stub is now at d. Then it
    is the turn of b. Degrees are kept, and no edge is doubled. A pair gives up after ``most`` switches, or when neither end
    has a candidate left. O(candidates) time a switch.
    """
    switches = 0
    for pair in range(len(loose) // 2):
        switches += _walk_together(near, stubs, loose[2 * pair], loose[2 * pair + 1], places, rng, most)
    return switches


@njit(cache=True, nogil=True)
def _walk_together(near, stubs, a, b, places, rng, most):
    switches = idle = 0
    while stubs.free[a] > 0 and stubs.free[b] > 0 and switches < most and idle < 2:
        j = _draw_candidate(near, stubs, a, stubs.free, True, rng)
        if j >= 0:
            _join_nodes(stubs, a, j)
            break
        c = _draw_candidate(near, stubs, a, stubs.used, True, rng)
        if c < 0:
            a, b, idle = b, a, idle + 1
            continue
        d = _neighbour_towards(stubs, c, places, b)
        _part_nodes(stubs, c, d)
        _join_nodes(stubs, a, c)
        a, b, idle, switches = b, d, 0, switches + 1
    return switches


@njit(cache=True, nogil=True)
def _neighbour_towards(stubs, c, places, goal):
    """The neighbour of c that lies nearest to the goal."""
    best, least = np.int64(-1), np.inf
    for at in range(stubs.first[c], stubs.first[c] + stubs.used[c]):
        d = np.int64(stubs.held[at])
        far = (places[d, 0] - places[goal, 0]) ** 2 + (places[d, 1] - places[goal, 1]) ** 2
        if far < least:
            best, least = d, far
    return best


@njit(cache=True, nogil=True)
def _draw_candidate(near, stubs, i, stock, apart, rng):
    """A candidate with chance ∝ weight · stock, of those not joined with i if ``apart``; −1 if none has a chance."""
    begin, end = near.start[i], near.start[i + 1]
    total = 0.0
    for at in range(begin, end):
        j = np.int64(near.node[at])
        if stock[j] > 0 and not (apart and _are_joined(stubs, i, j)):
            total += near.weight[at] * stock[j]
        stubs.sums[at - begin] = total
    if total < TINY:
        return np.int64(-1)
    chosen = np.searchsorted(stubs.sums[: end - begin], (1.0 - rng.random()) * total)
    return np.int64(near.node[begin + chosen])


@njit(cache=True, nogil=True)
def _are_joined(stubs, a, b):
    """Whether there is an edge: looked for among the neighbours of the end that has fewer."""
    if stubs.used[a] > stubs.used[b]:
        a, b = b, a
    there = False
    for at in range(stubs.first[a], stubs.first[a] + stubs.used[a]):
        there |= stubs.held[at] == b
    return there


@njit(cache=True, nogil=True)
def _join_nodes(stubs, a, b):
    for one, other in ((a, b), (b, a)):
        stubs.held[stubs.first[one] + stubs.used[one]] = other
        stubs.used[one] += 1
        stubs.free[one] -= 1


@njit(cache=True, nogil=True)
def _part_nodes(stubs, a, b):
    """The last neighbour takes the place of the one that leaves."""
    for one, other in ((a, b), (b, a)):
        at, last = stubs.first[one], stubs.first[one] + stubs.used[one] - 1
        while stubs.held[at] != other:
            at += 1
        stubs.held[at] = stubs.held[last]
        stubs.used[one] -= 1
        stubs.free[one] += 1
