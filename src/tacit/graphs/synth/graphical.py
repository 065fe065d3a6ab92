"""Whether a simple graph with given degrees exists, and one that has them."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError


def is_graphical(degrees: np.ndarray) -> bool:
    r"""Whether a simple undirected graph has these degrees (Erdős and Gallai).

    With the degrees sorted downwards, their sum is even and for every k

    .. math:: \sum_{i \le k} d_i \le k(k-1) + \sum_{i > k} \min(d_i, k).

    O(n log n) time, O(n) memory.

    References
    ----------
    Erdős and Gallai (1960), Gráfok előírt fokszámú pontokkal, Matematikai Lapok 11, 264–274.

    >>> is_graphical(np.array([3, 2, 2, 2, 1])), is_graphical(np.array([3, 3, 1, 1])), is_graphical(np.array([2, 1]))
    (True, False, False)
    """
    given = checked_degrees(degrees)
    return int(given.sum()) % 2 == 0 and _violated_inequality(given) is None


def check_graphical(degrees: np.ndarray) -> np.ndarray:
    """The degrees as whole numbers; an error says which inequality of :func:`is_graphical` fails, by how much."""
    given = checked_degrees(degrees)
    if given.size and given.max() >= given.size:
        raise TacitError(
            f"a degree is above {given.size - 1}, which is all that {given.size} nodes allow",
            code="out_of_range",
            fix="a node has at most one edge with each other node",
        )
    total = int(given.sum())
    if total % 2:
        raise TacitError(
            f"the degrees sum to {total}, which is odd: every edge has two ends",
            code="invalid_graph",
            fix="raise or lower the degree of one node by 1",
        )
    broken = _violated_inequality(given)
    if broken is not None:
        k, asked, room = broken
        raise TacitError(
            f"no simple graph has these degrees: the {k} largest ask for {asked} ends, and there is room for {room} "
            f"(Erdős–Gallai, k={k})",
            code="invalid_graph",
            fix="lower the largest degrees or raise the small ones",
        )
    return given


def some_graph(degrees: np.ndarray) -> np.ndarray:
    """The edges (m×2) of one simple graph with these degrees, always the same, by Havel and Hakimi. O(n log n + m).

    Hubs are joined with hubs: it is where sampling begins, and no sample itself.

    References
    ----------
    Hakimi (1962), On realizability of a set of integers as degrees of the vertices of a linear graph, SIAM 10, 496–506.

    >>> some_graph(np.array([2, 2, 2, 0])).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    from ...kernels.degree_start import degree_start

    given = check_graphical(degrees)
    edges: np.ndarray = degree_start(np.argsort(-given, kind="stable"), given)
    return edges


def checked_degrees(degrees: np.ndarray) -> np.ndarray:
    """The degrees as an array of whole numbers from 0 on."""
    given = np.asarray(degrees)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise TacitError(
            "degrees are a list of whole numbers", code="not_whole_number", fix="e.g. degrees=(2, 2, 1, 1)"
        )
    if given.size and given.min() < 0:
        raise TacitError("a degree is negative", code="out_of_range", fix="a node has 0 edges or more")
    return given.astype(np.int64)


def _violated_inequality(degrees: np.ndarray) -> tuple[int, int, int] | None:
    """The first k whose inequality fails, with its two sides."""
    down = np.sort(degrees)[::-1]
    ends = np.concatenate([[0], np.cumsum(down)])
    k = np.arange(1, len(down) + 1)
    above = np.maximum(np.searchsorted(-down, -k, side="right"), k)
    room = k * (k - 1) + (above - k) * k + ends[-1] - ends[above]
    failing = np.flatnonzero(ends[1:] > room)
    if not len(failing):
        return None
    first = int(failing[0])
    return first + 1, int(ends[first + 1]), int(room[first])
