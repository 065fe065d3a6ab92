"""Groups of records that cost little under common labels, from the bottom up, and the moves that make them better."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit

from .box_tree import cheapest_partner
from .rules import meets_rules
from .shapes import Shapes, group_states, joint_cost, state_width, widen_state

ROUNDING = 1e-9
GROWN = 0.3
"""How much each record of an unfinished cluster counts for its turn: those nearly finished go first, or the partners
that they need would be used up elsewhere."""
FINISHED = 5.0
"""Joining a finished cluster waits until it is so many times cheaper: its records lose, and the partner stays alone."""

SEEDS = 8
"""From so many of its cells the division of a cluster is tried."""


class Clusters(NamedTuple):
    """Cell i lies in cluster ``of[i]``. Cluster c costs ``cost[c]`` per record under its labels ``low[c]``, ``high[c]``.

    Its cells are ``first[c]``, then ``next`` of that, and so on to −1; ``last[c]`` is the end. ``safe[c]`` says that it
    meets the rules. A number without cells has size 0.
    """

    of: np.ndarray
    low: np.ndarray
    high: np.ndarray
    size: np.ndarray
    cost: np.ndarray
    first: np.ndarray
    last: np.ndarray
    next: np.ndarray
    safe: np.ndarray


class ClusterWorkspace(NamedTuple):
    """Arrays to work in: the boxes waiting in a search with their bounds, the clusters seen, cells, a state, and codes."""

    box: np.ndarray
    bound: np.ndarray
    mark: np.ndarray
    turn: np.ndarray
    cells: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tally: np.ndarray
    present: np.ndarray


def clusters_of(shapes: Shapes, values: np.ndarray, sizes: np.ndarray, of: np.ndarray) -> Clusters:
    """The clusters of given groups of cells, ``of[i]`` below the number of cells."""
    low, high, size, cost, first, last, after = _chain_clusters(shapes, values, sizes, of)
    return Clusters(of.copy(), low, high, size, cost, first, last, after, np.zeros(of.size, np.bool_))


@njit(cache=True, nogil=True)
def _chain_clusters(shapes, values, sizes, of):
    n = of.size
    low, high = group_states(shapes, values, of, n)
    size, cost = np.zeros(n, np.int64), np.zeros(n)
    first, last, after = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for cell in range(n):
        cluster = of[cell]
        if size[cluster] == 0:
            first[cluster] = cell
            for key in range(shapes.form.size):
                cost[cluster] += state_width(shapes, key, low[cluster, key], high[cluster, key])
        else:
            after[last[cluster]] = cell
        last[cluster] = cell
        size[cluster] += sizes[cell]
    return low, high, size, cost, first, last, after


def room_of(cells: int, keys: int, codes: int) -> ClusterWorkspace:
    """Room for so many cells, keys and codes of confidential columns."""
    whole = np.int64
    return ClusterWorkspace(
        np.zeros(2 * cells + 2, whole),
        np.zeros(2 * cells + 2),
        np.zeros(cells, whole),
        np.zeros(1, whole),
        np.zeros(cells, whole),
        np.zeros(keys, whole),
        np.zeros(keys, whole),
        np.zeros(max(1, codes), whole),
        np.zeros(max(1, codes), whole),
    )


@njit(cache=True, nogil=True)
def _list_cells(clusters, cluster, room):
    """Write the cells of a cluster into the room; how many there are."""
    cell, count = clusters.first[cluster], 0
    while cell >= 0:
        room.cells[count] = cell
        count += 1
        cell = clusters.next[cell]
    return count


@njit(cache=True, nogil=True)
def _meets_rules(rules, cells, count, room):
    """Whether the cells listed in the room meet the rules as one group."""
    return meets_rules(rules, cells, room.cells[:count], room.tally, room.present)


@njit(cache=True, nogil=True)
def _merge_clusters(clusters, shapes, cluster, into):
    """Move all cells of a cluster into another."""
    cell = clusters.first[cluster]
    while cell >= 0:
        clusters.of[cell] = into
        cell = clusters.next[cell]
    if clusters.size[into] == 0:
        clusters.first[into] = clusters.first[cluster]
        clusters.low[into], clusters.high[into] = clusters.low[cluster], clusters.high[cluster]
        clusters.cost[into] = clusters.cost[cluster]
    else:
        clusters.next[clusters.last[into]] = clusters.first[cluster]
        total = 0.0
        for key in range(shapes.form.size):
            low, high = widen_state(
                shapes,
                key,
                clusters.low[into, key],
                clusters.high[into, key],
                clusters.low[cluster, key],
                clusters.high[cluster, key],
            )
            clusters.low[into, key], clusters.high[into, key] = low, high
            total += state_width(shapes, key, low, high)
        clusters.cost[into] = total
    clusters.last[into] = clusters.last[cluster]
    clusters.size[into] += clusters.size[cluster]
    clusters.size[cluster], clusters.cost[cluster], clusters.first[cluster] = 0, 0.0, -1


@njit(cache=True, nogil=True)
def _merge_priority(increase, size, partner, safe):
    """When a merge is due: at a low increase per record, sooner for a cluster that is nearly finished."""
    return increase / (size + partner) * (FINISHED if safe else 1.0) - GROWN * size


@njit(cache=True, nogil=True)
def agglomerate_clusters(tree, shapes, rules, cells, clusters, room):
    """Merge every cluster that does not meet the rules with its cheapest partner, until all do.

    Whether the rules hold for all cells together must have been checked; then the loop ends, at the latest with one
    cluster. About 3 searches per cell, each of which looks at a part of the cells that shrinks with the number of keys
    that agree: between O(n log n) and O(n²).
    """
    n = clusters.of.size
    partner, version = np.full(n, -1), np.zeros(n, np.int64)
    seen = np.zeros(n, np.int64)
    queue = [(0.0, 0, 0)]
    queue.pop()
    for cluster in range(n):
        if clusters.size[cluster] == 0:
            continue
        clusters.safe[cluster] = _meets_rules(rules, cells, _list_cells(clusters, cluster, room), room)
    for cluster in range(n):
        if clusters.size[cluster] > 0 and not clusters.safe[cluster]:
            queue.append((_find_partner(tree, shapes, clusters, cluster, partner, room), cluster, 0))
    heapq.heapify(queue)
    while len(queue) > 0:
        _, cluster, known = heapq.heappop(queue)
        if version[cluster] != known or clusters.safe[cluster] or clusters.size[cluster] == 0:
            continue
        into = partner[cluster]
        if into < 0:
            break
        if version[into] != seen[cluster]:
            due = _find_partner(tree, shapes, clusters, cluster, partner, room)
            seen[cluster] = version[partner[cluster]]
            heapq.heappush(queue, (due, cluster, known))
            continue
        _merge_clusters(clusters, shapes, cluster, into)
        version[into] += 1
        version[cluster] += 1
        clusters.safe[into] = _meets_rules(rules, cells, _list_cells(clusters, into, room), room)
        if not clusters.safe[into]:
            due = _find_partner(tree, shapes, clusters, into, partner, room)
            if partner[into] >= 0:
                seen[into] = version[partner[into]]
            heapq.heappush(queue, (due, into, version[into]))


@njit(cache=True, nogil=True)
def _find_partner(tree, shapes, clusters, cluster, partner, room):
    """Note the cheapest partner of a cluster; when their merge is due."""
    increase, found = cheapest_partner(
        tree,
        shapes,
        clusters,
        clusters.low[cluster],
        clusters.high[cluster],
        clusters.size[cluster],
        clusters.cost[cluster],
        cluster,
        np.inf,
        room,
    )
    partner[cluster] = found
    if found < 0:
        return 0.0
    return _merge_priority(increase, clusters.size[cluster], clusters.size[found], clusters.safe[found])


@njit(cache=True, nogil=True)
def improve_clusters(tree, shapes, rules, cells, clusters, values, turns, room):
    """Move single cells to where they cost less, and divide clusters, as long as all of them meet the rules.

    At most ``turns`` rounds, each over the clusters that changed in the one before; the total cost falls with every
    move. Returns the number of moves.
    """
    n = clusters.of.size
    free = np.empty(n, np.int64)
    spare, moves = 0, 0
    for cluster in range(n):
        if clusters.size[cluster] == 0:
            free[spare] = cluster
            spare += 1
    touched = np.ones(n, np.bool_)
    for _ in range(turns):
        before = moves
        for cluster in range(n):
            if not touched[cluster]:
                continue
            touched[cluster] = False
            while clusters.cost[cluster] > 0.0:
                alone = free[spare - 1] if spare > 0 else -1
                to = _move_cell_out(tree, shapes, rules, cells, clusters, values, cluster, room, alone)
                if to < 0:
                    break
                if to == alone:
                    spare -= 1
                touched[cluster], touched[to] = True, True
                moves += 1
            alone = free[spare - 1] if spare > 0 else -1
            large = clusters.size[cluster] >= 2 * rules.least and clusters.cost[cluster] > 0.0
            if large and alone >= 0 and _divide_cluster(shapes, rules, cells, clusters, values, cluster, alone, room):
                touched[cluster], touched[alone] = True, True
                spare -= 1
                moves += 1
        if moves == before:
            break
    return moves


@njit(cache=True, nogil=True)
def _move_cell_out(tree, shapes, rules, cells, clusters, values, cluster, room, free):
    """Move one cell out of a cluster if that lowers the total cost; where it went, −1 when nothing moved.

    ``free`` is a number without cells, for a cell that may stand alone, or −1.
    """
    count = _list_cells(clusters, cluster, room)
    size, total = clusters.size[cluster], clusters.size[cluster] * clusters.cost[cluster]
    for place in range(count if count > 1 else 0):
        _list_cells(clusters, cluster, room)
        cell = room.cells[place]
        room.cells[place] = room.cells[count - 1]
        if not _meets_rules(rules, cells, count - 1, room):
            continue
        gain = total - (size - cells.size[cell]) * _cost_of(shapes, values, room.cells[: count - 1]) - ROUNDING
        if gain <= 0.0:
            continue
        point = values[cell]
        _, to = cheapest_partner(tree, shapes, clusters, point, point, cells.size[cell], 0.0, cluster, gain, room)
        if to < 0 or not _can_add_cell(rules, cells, clusters, cell, to, room):
            to = free
            if to < 0 or not _can_add_cell(rules, cells, clusters, cell, to, room):
                continue
        _shift_cell(clusters, shapes, values, cells.size, cell, to)
        return to
    return -1


@njit(cache=True, nogil=True)
def _cost_of(shapes, values, listed):
    """What the cells listed cost per record as one group."""
    total = 0.0
    for key in range(shapes.form.size):
        low, high = values[listed[0], key], values[listed[0], key]
        for place in range(1, listed.size):
            value = values[listed[place], key]
            low, high = widen_state(shapes, key, low, high, value, value)
        total += state_width(shapes, key, low, high)
    return total


@njit(cache=True, nogil=True)
def _divide_cluster(shapes, rules, cells, clusters, values, cluster, free, room):
    """Divide a cluster in two if that lowers the total cost; whether it did. One part gets the number ``free``."""
    count = _list_cells(clusters, cluster, room)
    total = clusters.size[cluster] * clusters.cost[cluster]
    listed = room.cells[:count].copy()
    for turn in range(min(count, SEEDS) if count > 1 else 0):
        seed = turn * count // min(count, SEEDS)
        listed[0], listed[seed] = listed[seed], listed[0]
        inside = _grow_front(shapes, rules, cells, values, listed, room)
        if inside == count or not meets_rules(rules, cells, listed[inside:], room.tally, room.present):
            continue
        size = 0
        for place in range(inside):
            size += cells.size[listed[place]]
        one, other = _cost_of(shapes, values, listed[:inside]), _cost_of(shapes, values, listed[inside:])
        if size * one + (clusters.size[cluster] - size) * other < total - ROUNDING:
            for place in range(inside):
                _shift_cell(clusters, shapes, values, cells.size, listed[place], free)
            return True
    return False


@njit(cache=True, nogil=True)
def _grow_front(shapes, rules, cells, values, listed, room):
    """Bring the cells that cost least together with the first one to the front, until they meet the rules; how many."""
    room.low[:], room.high[:] = values[listed[0]], values[listed[0]]
    inside = 1
    while inside < listed.size and not meets_rules(rules, cells, listed[:inside], room.tally, room.present):
        best, least = inside, np.inf
        for place in range(inside, listed.size):
            point = values[listed[place]]
            now = joint_cost(shapes, room.low, room.high, point, point, least)
            if now < least:
                best, least = place, now
        listed[inside], listed[best] = listed[best], listed[inside]
        for key in range(shapes.form.size):
            value = values[listed[inside], key]
            room.low[key], room.high[key] = widen_state(shapes, key, room.low[key], room.high[key], value, value)
        inside += 1
    return inside


@njit(cache=True, nogil=True)
def _can_add_cell(rules, cells, clusters, cell, to, room):
    """Whether a cluster meets the rules with one more cell."""
    count = _list_cells(clusters, to, room)
    room.cells[count] = cell
    return _meets_rules(rules, cells, count + 1, room)


@njit(cache=True, nogil=True)
def _shift_cell(clusters, shapes, values, sizes, cell, to):
    """Move a cell from its cluster to another, which may be without cells."""
    cluster = clusters.of[cell]
    before = clusters.first[cluster]
    if before == cell:
        clusters.first[cluster] = clusters.next[cell]
    else:
        while clusters.next[before] != cell:
            before = clusters.next[before]
        clusters.next[before] = clusters.next[cell]
        if clusters.last[cluster] == cell:
            clusters.last[cluster] = before
    clusters.size[cluster] -= sizes[cell]
    clusters.next[cell] = clusters.first[to] if clusters.size[to] > 0 else -1
    if clusters.size[to] == 0:
        clusters.last[to] = cell
    clusters.first[to] = cell
    clusters.size[to] += sizes[cell]
    clusters.of[cell] = to
    _measure_cluster(clusters, shapes, values, cluster)
    _measure_cluster(clusters, shapes, values, to)


@njit(cache=True, nogil=True)
def _measure_cluster(clusters, shapes, values, cluster):
    """Read the labels and the cost of a cluster off its cells."""
    first = clusters.first[cluster]
    total = 0.0
    for key in range(shapes.form.size):
        low, high = values[first, key], values[first, key]
        cell = clusters.next[first]
        while cell >= 0:
            low, high = widen_state(shapes, key, low, high, values[cell, key], values[cell, key])
            cell = clusters.next[cell]
        clusters.low[cluster, key], clusters.high[cluster, key] = low, high
        total += state_width(shapes, key, low, high)
    clusters.cost[cluster] = total
