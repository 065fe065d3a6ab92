"""What two rows are apart, and the least that a row and a box can be: the sums that every search by distance makes."""

from __future__ import annotations

from numba import njit

TIED = 1e-12


@njit(cache=True, nogil=True)
def limit_of(distance, space):
    """Up to where a distance is the same but for rounding."""
    return distance * (1.0 + TIED) + space.grain


@njit(cache=True, nogil=True)
def numbers_apart(query, points, i, space):
    """What the numbers without gaps add to the distance of point i."""
    total = 0.0
    for j in range(space.ends[0]):
        apart = query[j] - points[i, j]
        total += space.weight[j] * (apart * apart)
    return total


@njit(cache=True, nogil=True)
def codes_apart(query, points, i, weight, ends):
    """What the codes without gaps add."""
    total = 0.0
    for j in range(ends[0], ends[1]):
        if query[j] != points[i, j]:
            total += weight[j]
    return total


@njit(cache=True, nogil=True)
def gaps_apart(query, points, i, space):
    """What the columns with gaps, and floors, add."""
    total = 0.0
    for j in range(space.ends[1], query.size):
        x, y = query[j], points[i, j]
        if x != x or y != y:
            total += space.both[j] if x != x and y != y else space.missing[j]
        elif j >= space.ends[3]:
            total += space.weight[j] if x < y else 0.0
        elif j >= space.ends[2]:
            total += space.weight[j] if x != y else 0.0
        else:
            total += space.weight[j] * ((x - y) * (x - y))
    return total


@njit(cache=True, nogil=True)
def least_numbers(query, v, tree, space):
    """The least that :func:`numbers_apart` gives for a point of node v: the same sum, so that rounding keeps it below."""
    total = 0.0
    for j in range(space.ends[0]):
        x = query[j]
        if x < tree.low[v, j]:
            apart = tree.low[v, j] - x
            total += space.weight[j] * (apart * apart)
        elif x > tree.high[v, j]:
            apart = x - tree.high[v, j]
            total += space.weight[j] * (apart * apart)
    return total


@njit(cache=True, nogil=True)
def least_codes(query, low, high, v, weight, ends):
    """The least that :func:`codes_apart` gives for a point of node v."""
    total = 0.0
    for j in range(ends[0], ends[1]):
        if query[j] < low[v, j] or query[j] > high[v, j]:
            total += weight[j]
    return total


@njit(cache=True, nogil=True)
def least_gaps(query, v, tree, space):
    """The least that :func:`gaps_apart` gives for a point of node v."""
    total = 0.0
    for j in range(space.ends[1], query.size):
        x, low, high = query[j], tree.low[v, j], tree.high[v, j]
        if x != x:
            total += space.both[j] if tree.gaps[v, j] else space.missing[j]
        elif low > high:
            total += space.missing[j]
        else:
            apart = max(low - x, x - high if j < space.ends[3] else 0.0, 0.0)
            least = space.weight[j] * (apart * apart if j < space.ends[2] else (1.0 if apart > 0.0 else 0.0))
            total += min(least, space.missing[j]) if tree.gaps[v, j] else least
    return total


@njit(cache=True, nogil=True)
def point_distance(query, points, i, space):
    """The distance of point i."""
    total = numbers_apart(query, points, i, space) + codes_apart(query, points, i, space.weight, space.ends)
    return total + gaps_apart(query, points, i, space)


@njit(cache=True, nogil=True)
def least_node_distance(query, v, tree, space):
    """The least distance that a point of node v can have."""
    total = least_numbers(query, v, tree, space)
    if space.ends[0] < space.ends[1]:
        total += least_codes(query, tree.low, tree.high, v, space.weight, space.ends)
    if space.ends[1] < query.size:
        total += least_gaps(query, v, tree, space)
    return total
