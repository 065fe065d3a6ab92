"""Groups of rows that may be one another: members assigned one to one, feasible pairs only, or at the least cost.

A group (a household) is a list of profiles: rows that look alike are one profile. Whether profile q of one side may be profile
p of the other is listed for each q. Sizes are those of households: the masks of feasible members have 64 bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from .point_distances import point_distance

LARGEST = 64
"""A group of more members is not matched as a whole."""

EQUAL, AT_LEAST, AT_MOST = 0, 1, 2
"""Sizes that a group may have: that of the other; no fewer members; fewer members, all of whom are among the other's."""

TIED = 1e-9


class Lists(NamedTuple):
    """List i is ``items[start[i]:start[i+1]]``."""

    start: np.ndarray
    items: np.ndarray

    @staticmethod
    def of(owner: np.ndarray, items: np.ndarray, count: int) -> Lists:
        """The items of each of ``count`` owners, in ascending order. O(n log n)."""
        order = np.lexsort((items, owner))
        start = np.append(0, np.cumsum(np.bincount(owner, minlength=count)))
        return Lists(start.astype(np.int64), items[order].astype(np.int64))


class Pairs(NamedTuple):
    """Groups that group h may be: ``groups[start[h]:start[h+1]]``, and for each member of h the members of that group.

    Pair p of group h has one mask for each member of h, from ``masks[first[p]]`` on: bit j stands for member j of the
    group that h may be.
    """

    start: np.ndarray
    groups: np.ndarray
    first: np.ndarray
    masks: np.ndarray


def feasible_groups(known: Lists, groups: Lists, fits: Lists, rule: int) -> Pairs:
    r"""For each known group the groups of the other side among whose members its own can be assigned, one to one.

    ``fits`` lists for each profile of the known side those that it may be. An edge (i, j) between a member and a member of the
    other group is feasible when some assignment of all uses it: given one assignment M, iff M uses it, j is free, or the
    member that has j can move on along an alternating path to i's place or to a free one (Berge). Groups of more than
    64 members are left out. Time O(pairs tried · s²·(s + log n)) for groups of s members, where the pairs tried share
    a feasible member; memory O(pairs).

    References
    ----------
    Berge (1957), Two theorems in graph theory, PNAS 43, 842–844.
    Tassa (2012), Finding all maximally-matchable edges in a bipartite graph, Theoretical Computer Science 423, 50–58.
    """
    count = len(groups.start) - 1
    size = np.diff(groups.start)
    owner = np.repeat(np.arange(count), size)
    kept = size[owner] <= LARGEST
    profiles = int(max(groups.items.max(initial=-1), fits.items.max(initial=-1))) + 1
    pairs = np.unique(np.column_stack([groups.items[kept], owner[kept]]), axis=0)
    holders = Lists.of(pairs[:, 0], pairs[:, 1], profiles)
    start, found, first, masks = _feasible_groups(*known, *groups, *fits, *holders, rule)
    return Pairs(start, found, first, masks)


@njit(cache=True, nogil=True)
def _feasible_groups(k_start, k_items, g_start, g_items, f_start, f_items, h_start, h_items, rule):
    known, groups = k_start.size - 1, g_start.size - 1
    many = np.zeros(f_start.size - 1, np.int64)
    for q in range(many.size):
        for at in range(f_start[q], f_start[q + 1]):
            many[q] += h_start[f_items[at] + 1] - h_start[f_items[at]]
    start = np.zeros(known + 1, np.int64)
    found, first = np.empty(1024, np.int64), np.empty(1024, np.int64)
    masks, total, filled = np.empty(4096, np.uint64), 0, 0
    seen = np.full(groups, -1, np.int64)
    work = np.zeros(LARGEST, np.uint64)
    edges = np.zeros(LARGEST, np.uint64)
    for h in range(known):
        size = k_start[h + 1] - k_start[h]
        start[h + 1] = total
        if size > LARGEST or size == 0:
            continue
        rarest = k_start[h]
        for at in range(k_start[h], k_start[h + 1]):
            if many[k_items[at]] < many[k_items[rarest]]:
                rarest = at
        low, high = (k_start[h], k_start[h + 1]) if rule == AT_MOST else (rarest, rarest + 1)
        for member in range(low, high):
            q = k_items[member]
            for at in range(f_start[q], f_start[q + 1]):
                for holder in range(h_start[f_items[at]], h_start[f_items[at] + 1]):
                    g = h_items[holder]
                    if seen[g] == h:
                        continue
                    seen[g] = h
                    other = g_start[g + 1] - g_start[g]
                    if (rule == EQUAL and other != size) or (rule == AT_LEAST and other < size):
                        continue
                    if rule == AT_MOST and other >= size:
                        continue
                    if not _feasible_edges(
                        k_items[k_start[h] : k_start[h + 1]],
                        g_items[g_start[g] : g_start[g + 1]],
                        f_start,
                        f_items,
                        work,
                        edges,
                    ):
                        continue
                    if total == found.size:
                        found = np.concatenate((found, np.empty(total, np.int64)))
                        first = np.concatenate((first, np.empty(total, np.int64)))
                    if filled + size > masks.size:
                        masks = np.concatenate((masks, np.empty(masks.size + size, np.uint64)))
                    found[total], first[total] = g, filled
                    masks[filled : filled + size] = edges[:size]
                    total, filled = total + 1, filled + size
        start[h + 1] = total
    return start, found[:total], first[:total], masks[:filled]


@njit(cache=True, nogil=True)
def _contains_sorted(items, low, high, wanted):
    """Whether a sorted stretch holds the item."""
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < items.size and items[low] == wanted


@njit(cache=True, nogil=True)
def _feasible_edges(mine, theirs, f_start, f_items, work, edges):
    """Whether the smaller side can be assigned into the larger; then ``edges[i]`` are the feasible members for my i."""
    one = np.uint64(1)
    m, s = mine.size, theirs.size
    turned = s < m
    left, right = (s, m) if turned else (m, s)
    work[:left] = np.uint64(0)
    for i in range(m):
        low, high = f_start[mine[i]], f_start[mine[i] + 1]
        fitting = False
        for j in range(s):
            end = high
            if low < end and _contains_sorted(f_items[:end], low, end, theirs[j]):
                fitting = True
                if turned:
                    work[j] |= one << np.uint64(i)
                else:
                    work[i] |= one << np.uint64(j)
        if not fitting and not turned:
            return False
    owner, partner = np.full(right, -1, np.int64), np.full(left, -1, np.int64)
    if not _augment_assignment(work, left, right, owner, partner):
        return False
    reach, free = _alternating_reach(work, left, right, owner)
    edges[:m] = np.uint64(0)
    for a in range(left):
        for b in range(right):
            if not (work[a] >> np.uint64(b)) & one:
                continue
            has = owner[b]
            if has < 0 or has == a or (reach[has] >> np.uint64(a)) & one or reach[has] & free:
                if turned:
                    edges[b] |= one << np.uint64(a)
                else:
                    edges[a] |= one << np.uint64(b)
    return True


@njit(cache=True, nogil=True)
def _augment_assignment(masks, left, right, owner, partner):
    """An assignment of every left node, by augmenting paths; False when there is none."""
    one = np.uint64(1)
    queue, via = np.empty(left, np.int64), np.empty(right, np.int64)
    for i in range(left):
        via[:] = -1
        queue[0], head, tail, end = i, 0, 1, -1
        while head < tail and end < 0:
            a = queue[head]
            head += 1
            for b in range(right):
                if via[b] >= 0 or not (masks[a] >> np.uint64(b)) & one:
                    continue
                via[b] = a
                if owner[b] < 0:
                    end = b
                    break
                queue[tail] = owner[b]
                tail += 1
        if end < 0:
            return False
        b = end
        while True:
            a = via[b]
            before = partner[a]
            partner[a], owner[b] = b, a
            if a == i:
                break
            b = before
    return True


@njit(cache=True, nogil=True)
def _alternating_reach(masks, left, right, owner):
    """Which left nodes can be reached from each along alternating paths, and which of them fit a free right node."""
    one = np.uint64(1)
    reach, free = np.zeros(left, np.uint64), np.uint64(0)
    for a in range(left):
        for b in range(right):
            if (masks[a] >> np.uint64(b)) & one:
                if owner[b] < 0:
                    free |= one << np.uint64(a)
                else:
                    reach[a] |= one << np.uint64(owner[b])
    for middle in range(left):
        for a in range(left):
            if (reach[a] >> np.uint64(middle)) & one:
                reach[a] |= reach[middle]
    return reach, free


def nearest_groups(
    known: Lists, groups: Lists, tried: Lists, points: np.ndarray, queries: np.ndarray, space: Any
) -> Pairs:
    r"""Of the groups ``tried`` for each known one those of the least cost of an assignment, and who is whom in it.

    .. math:: \min_\pi \sum_i d(q_i, p_{\pi(i)})

    over assignments π of the smaller group into the larger (Kuhn's Hungarian method); a member who is left over costs as much
    as the dearest pair. Costs within 1e-9 tie. Profiles are rows of ``queries`` and ``points``, whose distance is
    :func:`.apart.apart`. Time O(s³) for each pair tried; memory O(pairs).

    References
    ----------
    Kuhn (1955), The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2, 83–97.
    """
    return Pairs(*_nearest_groups(*known, *groups, *tried, points, queries, space))


@njit(cache=True, nogil=True)
def _nearest_groups(k_start, k_items, g_start, g_items, t_start, t_items, points, queries, space):
    known = k_start.size - 1
    start = np.zeros(known + 1, np.int64)
    found, first = np.empty(1024, np.int64), np.empty(1024, np.int64)
    masks, total, filled = np.empty(4096, np.uint64), 0, 0
    one = np.uint64(1)
    for h in range(known):
        size = k_start[h + 1] - k_start[h]
        best, begin, mask_begin = np.inf, total, filled
        for at in range(t_start[h], t_start[h + 1]):
            g = t_items[at]
            other = g_start[g + 1] - g_start[g]
            wide = max(size, other)
            if size > LARGEST or other > LARGEST or wide == 0:
                continue
            cost = np.zeros((wide, wide))
            dearest = 0.0
            for i in range(size):
                for j in range(other):
                    cost[i, j] = point_distance(
                        queries[k_items[k_start[h] + i]], points, g_items[g_start[g] + j], space
                    )
                    dearest = max(dearest, cost[i, j])
            if size != other:
                for i in range(wide):
                    for j in range(wide):
                        if i >= size or j >= other:
                            cost[i, j] = dearest
            total_cost, who = _least_cost(cost)
            if total_cost > best * (1.0 + TIED) + TIED:
                continue
            if total_cost < best * (1.0 - TIED) - TIED:
                total, filled = begin, mask_begin
                best = total_cost
            if total == found.size:
                found = np.concatenate((found, np.empty(total, np.int64)))
                first = np.concatenate((first, np.empty(total, np.int64)))
            if filled + size > masks.size:
                masks = np.concatenate((masks, np.empty(masks.size + size, np.uint64)))
            found[total], first[total] = g, filled
            for i in range(size):
                masks[filled + i] = np.uint64(0)
                j = who[i]
                if j < other:  # whoever has the same profile is as good
                    for same in range(other):
                        if g_items[g_start[g] + same] == g_items[g_start[g] + j]:
                            masks[filled + i] |= one << np.uint64(same)
            total, filled = total + 1, filled + size
        start[h + 1] = total
    return start, found[:total], first[:total], masks[:filled]


@njit(cache=True, nogil=True)
def _least_cost(cost):
    """The least cost of assigning rows to columns of a square matrix, and the column of each row (shortest augmenting paths)."""
    n = cost.shape[0]
    u, v = np.zeros(n + 1), np.zeros(n + 1)
    row_of, way = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for i in range(1, n + 1):
        row_of[0], j = i, 0
        least, used = np.full(n + 1, np.inf), np.zeros(n + 1, np.bool_)
        while True:
            used[j] = True
            row, delta, following = row_of[j], np.inf, 0
            for k in range(1, n + 1):
                if used[k]:
                    continue
                reduced = cost[row - 1, k - 1] - u[row] - v[k]
                if reduced < least[k]:
                    least[k], way[k] = reduced, j
                if least[k] < delta:
                    delta, following = least[k], k
            for k in range(n + 1):
                if used[k]:
                    u[row_of[k]] += delta
                    v[k] -= delta
                else:
                    least[k] -= delta
            j = following
            if row_of[j] == 0:
                break
        while j:
            row_of[j] = row_of[way[j]]
            j = way[j]
    who, total = np.empty(n, np.int64), 0.0
    for k in range(1, n + 1):
        who[row_of[k] - 1] = k - 1
        total += cost[row_of[k] - 1, k - 1]
    return total, who
