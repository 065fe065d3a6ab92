"""Groups of cells by clustering from the bottom up, and by moving cells to where they cost less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress

if TYPE_CHECKING:
    from ...progress import Progress
    from .problem import Problem


TURNS = 8
"""Rounds of moves; nearly all of the gain is in the first two."""


def cluster_cells(
    problem: Problem, of_cell: np.ndarray | None = None, *, progress: Progress | None = None
) -> np.ndarray:
    """The group of each cell, each of which meets the rules; from given groups on, or from the cells themselves."""
    from ...kernels.box_tree import box_tree
    from ...kernels.clusters import agglomerate_clusters, clusters_of, improve_clusters, room_of

    p = problem
    start = np.arange(len(p.values)) if of_cell is None else of_cell
    report_progress(progress, "clustering", 0.0)
    tree = box_tree(p.values, p.shapes)
    clusters = clusters_of(p.shapes, p.values, p.cells.size, start)
    room = room_of(len(p.values), len(p.keys), int(p.cells.first[-1]))
    agglomerate_clusters(tree, p.shapes, p.rules, p.cells, clusters, room)
    report_progress(progress, "clustering", 0.7)
    improve_clusters(tree, p.shapes, p.rules, p.cells, clusters, p.values, TURNS, room)
    report_progress(progress, "clustering", 1.0)
    found: np.ndarray = clusters.of
    return found


def merge_equal_labels(problem: Problem, of_cell: np.ndarray) -> np.ndarray:
    """The groups as a reader of the release sees them: those with the same labels are one; numbered from 0 on.

    A union of groups that meet the rules meets them, except for some measures of spread; then what fails is merged with
    its cheapest partner until all that is seen meets them. Ends, because there are fewer groups each time.
    """
    from ...kernels.box_tree import box_tree
    from ...kernels.clusters import agglomerate_clusters, clusters_of, room_of

    p = problem
    seen = _groups_by_label(p, of_cell)
    while not p.is_union_closed:
        clusters = clusters_of(p.shapes, p.values, p.cells.size, seen)
        room = room_of(len(p.values), len(p.keys), int(p.cells.first[-1]))
        agglomerate_clusters(box_tree(p.values, p.shapes), p.shapes, p.rules, p.cells, clusters, room)
        again = _groups_by_label(p, clusters.of)
        if again.max() == seen.max():
            break
        seen = again
    return seen


def _groups_by_label(problem: Problem, of_cell: np.ndarray) -> np.ndarray:
    from ...kernels.shapes import group_states

    _, group = np.unique(of_cell, return_inverse=True)
    low, high = group_states(problem.shapes, problem.values, group, int(group.max()) + 1)
    _, same = np.unique(np.column_stack([low, high]), axis=0, return_inverse=True)
    found: np.ndarray = same.ravel()[group]
    return found
