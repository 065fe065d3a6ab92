"""Groups of at least k like records, at a small loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ...progress import report_progress, sub_progress

if TYPE_CHECKING:
    from ...kernels.group_state import Groups
    from ...progress import Progress


Effort: TypeAlias = Literal["normal", "high"]
"""How long to search: until no step improves, or on and on through many trials."""

BRUTE = 2_000
"""Up to this many points, lists of near ones are exact."""
WORK = 11e6
"""Trials of high effort, times the columns, times k to the power of 1.5, to which the time of one is proportional."""
HEAT = 0.02
"""How much worse than before a trial may be at first, as a share of the mean loss of a group."""
SLICE = 50_000
"""Groups looked at, or about ten times the trials made, between two reports."""


def partition_points(
    points: np.ndarray,
    k: int,
    *,
    effort: Effort = "normal",
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> np.ndarray:
    r"""The group of each point, numbered from 0; every group has k to 2k−1 members (all, when there are fewer than 2k).

     What is made small is the loss :math:`SSE = \sum_g \sum_{i \in g} \lVert x_i - \bar x_g \rVert^2`; give columns of
     like spread. One column: the optimum. More: points are cut at medians into groups of k; then single points change
     groups, are exchanged between two or three, and groups are dissolved or split, as long as that lowers the loss,
     where only groups of near points are compared (near ones are found in blocks of several turned cuts). Last, trials
     form a few near groups anew and keep what is better. ``effort="high"`` makes many more of them, and at first also
     keeps some that are worse, fewer and fewer (simulated annealing).

     Nothing depends on the order of the points but ties; the same points and ``rng`` give the same groups.
    Time about O(n log n) and memory O(n · columns); high effort adds a few seconds, or as much again for
     many points.

     >>> import numpy as np
     >>> partition_points(np.array([[1.0, 0.0], [9.0, 9.0], [1.5, 0.0], [8.0, 9.0]]), 2, rng=np.random.default_rng(1)).tolist()
     [0, 1, 0, 1]
    """
    from ...kernels.group_blocks import cut_blocks
    from ...kernels.group_state import groups_of
    from ...kernels.univariate_groups import univariate_groups

    n, d = points.shape
    if n < 2 * k:
        return np.zeros(n, dtype=np.int64)
    if d == 1:
        return univariate_groups(points[:, 0], k)
    report_progress(progress, "cut into groups", 0.0)
    order, _ = cut_blocks(np.ascontiguousarray(points, dtype=np.float64), 2 * k, k)
    placed = np.ascontiguousarray(points[order] - points.mean(axis=0), dtype=np.float64)
    groups = groups_of(placed, np.minimum(np.arange(n) // k, n // k - 1), k)
    near = _near_points(placed, rng, sub_progress(progress, 0.05, 0.3))
    _improve_groups(groups, near, k, sub_progress(progress, 0.3, 0.5))
    _reform_groups(groups, near, k, effort, rng, sub_progress(progress, 0.5, 1.0))
    group = np.empty(n, dtype=np.int64)
    group[order] = np.unique(groups.label, return_inverse=True)[1]
    return group


def _near_points(points: np.ndarray, rng: np.random.Generator, progress: Progress | None) -> np.ndarray:
    """For each point a list of near ones, nearest first: of all, or of those in the same block of one of four cuts."""
    from ...kernels.group_blocks import add_near, cut_blocks

    n, d = points.shape
    length, cuts = (min(20, n - 1), 1) if n <= BRUTE else (10, 4)
    near = np.repeat(np.arange(n, dtype=np.int32), length).reshape(n, length)
    apart = np.full((n, length), np.inf)
    for turn in range(cuts):
        report_progress(progress, "near points", turn / cuts)
        turned = points if turn == 0 else points @ np.linalg.qr(rng.normal(size=(d, d)))[0]
        add_near(points, *cut_blocks(turned, n if cuts == 1 else 32, 1), near, apart)
    return near


def _improve_groups(groups: Groups, near: np.ndarray, k: int, progress: Progress | None) -> None:
    """Take steps that lower the loss until there are none, or very many were taken."""
    from ...kernels.group_search import DRAWS, search_groups
    from ...kernels.group_state import WAITING

    none, most = np.empty((0, DRAWS)), 100 * len(groups.each)
    for looks in range(0, most, SLICE):
        report_progress(progress, "improve", min(looks / most * 10, 1.0))
        search_groups(groups, near, k, SLICE, none, 0.0)
        if groups.at[WAITING] == 0:
            break
    search_groups(groups, near, k, -1, none, 0.0)


def _reform_groups(
    groups: Groups, near: np.ndarray, k: int, effort: Effort, rng: np.random.Generator, progress: Progress | None
) -> None:
    """Form a few groups anew many times; what is kept may at first be worse by ``heat`` with high effort."""
    from ...kernels.group_search import DRAWS, search_groups
    from ...kernels.group_state import SIZE

    n, d = groups.points.shape
    affordable = int(WORK / (d * k**1.5))
    trials, heat = min(3 * n, affordable // 10), 0.0
    if effort == "high":
        trials = min(200 * n, max(affordable, n // 2))
        loss = float(np.square(groups.points - groups.centre[groups.label]).sum())
        heat = HEAT * loss / np.count_nonzero(groups.each[:, SIZE])
    for done in range(0, trials, SLICE // 10):
        report_progress(progress, "trials", done / trials)
        draws = rng.random((min(SLICE // 10, trials - done), DRAWS))
        search_groups(groups, near, k, 0, draws, heat * max(0.0, 1 - 1.25 * done / trials))
