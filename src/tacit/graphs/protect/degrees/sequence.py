"""The nearest degrees in which every value is shared by k nodes or more, and which a simple graph can have."""

from __future__ import annotations

import numpy as np

from ...synth.graphical import graphical

__all__ = ["anonymous", "anonymous_degrees", "wanted_degrees"]


def anonymous(degrees: np.ndarray, k: int) -> bool:
    """Whether every degree that occurs is that of k nodes or more. O(n)."""
    counts = np.bincount(degrees) if len(degrees) else np.zeros(0, dtype=np.int64)
    return not ((counts > 0) & (counts < k)).any()


def anonymous_degrees(degrees: np.ndarray, k: int, *, both: bool) -> tuple[np.ndarray, int]:
    r"""The k-anonymous sequence nearest to the degrees, for each node, and how far it is (L1).

    With the degrees sorted downwards and cut into classes,

    .. math:: D(i) = \min_{t}\, D(t) + \sum_{t < j \le i} |m_{t,i} - d_j|,

    where m is the median of the class, or its largest degree when edges are only added (not ``both``). It need not be
    that of a graph; :func:`wanted_degrees` sees to it. O(n log n + n·k) time, O(n) memory.

    References
    ----------
    Liu and Terzi (2008), Towards identity anonymization on graphs, SIGMOD, 93–106.

    >>> anonymous_degrees(np.array([5, 3, 3, 1, 1]), 2, both=True)
    (array([3, 3, 3, 1, 1]), 2)
    """
    from ....kernels.degree_classes import cheapest_cuts

    order = np.argsort(-degrees, kind="stable")
    down = degrees[order].astype(np.int64)
    cost, first = cheapest_cuts(down, k, both)
    starts, end = [], len(down)
    while end:
        end = int(first[end])
        starts.append(end)
    start = np.array(starts[::-1], dtype=np.int64)
    size = np.diff(np.append(start, len(down)))
    found = np.empty_like(down)
    found[order] = np.repeat(_medians(down, start, size) if both else down[start], size)
    return found, int(cost[-1])


def _medians(down: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """A median of each class, at equal cost those with which the sum of the degrees changes least.

    A class of even size has many medians. When the sum stays, every edge that one node has too many can go to one that
    lacks one.
    """
    low, high = down[start + size // 2], down[start + (size - 1) // 2]
    gap = int((low * size).sum() - down.sum())
    found: np.ndarray = low.copy()
    for one in np.argsort(-(high - low) * size, kind="stable"):
        if high[one] == low[one]:
            break
        found[one] += min(max(round(-gap / size[one]), 0), high[one] - low[one])
        gap += int((found[one] - low[one]) * size[one])
    return found


def wanted_degrees(degrees: np.ndarray, k: int) -> np.ndarray:
    """The nearest anonymous degrees, mended until a simple graph can have them (even sum, Erdős–Gallai).

    An odd sum is mended where it costs least; a sequence that no graph has, by lowering its top class. At the latest
    all nodes get one degree, which n nodes can always have when its sum is even.
    """
    found, _ = anonymous_degrees(degrees, k, both=True)
    for _ in range(int(found.max(initial=0)) + 1):
        found = _even(found, degrees, k)
        if graphical(found):
            return found
        found = np.where(found == found.max(), found.max() - 1, found)
    regular = int(np.median(degrees)) // 2 * 2
    return np.full_like(found, min(regular, (len(found) - 1) // 2 * 2))


def _even(wanted: np.ndarray, degrees: np.ndarray, k: int) -> np.ndarray:
    """The sequence with an even sum: a node that its class can spare moves, or a class of odd size, what costs less."""
    if wanted.sum() % 2 == 0:
        return wanted
    moves = [*_node_moves(wanted, degrees, k), *_class_moves(wanted, degrees)]
    _, nodes, value = min(moves, key=lambda move: move[0])
    found = wanted.copy()
    found[nodes] = value
    return found


def _node_moves(wanted: np.ndarray, degrees: np.ndarray, k: int) -> list[tuple[int, np.ndarray, int]]:
    """For each pair of neighbouring values of different parity, the cheapest node that can go from one to the other."""
    values, counts = np.unique(wanted, return_counts=True)
    moves = []
    for source, count in zip(values, counts, strict=True):
        if count <= k:
            continue
        nodes = np.flatnonzero(wanted == source)
        others = values[(values - source) % 2 == 1]
        for value in others[np.argsort(np.abs(others - source), kind="stable")[:2]]:
            cost = np.abs(degrees[nodes] - value) - np.abs(degrees[nodes] - source)
            best = int(np.argmin(cost))
            moves.append((int(cost[best]), nodes[best : best + 1], int(value)))
    return moves


def _class_moves(wanted: np.ndarray, degrees: np.ndarray) -> list[tuple[int, np.ndarray, int]]:
    """A class of odd size one up or down: there is one whenever the sum is odd."""
    values, counts = np.unique(wanted, return_counts=True)
    moves = []
    for value in values[counts % 2 == 1]:
        nodes = np.flatnonzero(wanted == value)
        before = int(np.abs(degrees[nodes] - value).sum())
        for shifted in (value - 1, value + 1):
            if 0 <= shifted < len(wanted):
                moves.append((int(np.abs(degrees[nodes] - shifted).sum()) - before, nodes, int(shifted)))
    return moves
