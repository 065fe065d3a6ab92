"""The largest contributions to every cell, merged up the trees of the dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dimension import Dimension
from ..table import Contributions


def first_of_each(
    cells: np.ndarray, values: np.ndarray, owners: np.ndarray, *, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which contributions are among the ``top`` of their cell by absolute value (ties: lowest owner), and their rank there.

    >>> first_of_each(np.array([0, 0, 1, 0]), np.array([5.0, -7.0, 1.0, 6.0]), np.arange(4), top=2)
    (array([1, 3, 2]), array([0, 1, 0]))
    """
    order = np.lexsort((owners, -np.abs(values), cells))
    sorted_cells = cells[order]
    new = np.r_[True, sorted_cells[1:] != sorted_cells[:-1]] if len(order) else np.zeros(0, dtype=bool)
    starts = np.flatnonzero(new)
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    kept = rank < top
    return order[kept], rank[kept]


def merged_up(dimensions: Sequence[Dimension], finest: Contributions) -> Contributions:
    """The largest contributions to every cell from those to the finest cells, each made by another respondent.

    The largest ones to a sum are among the largest to its parts, so they are merged along one dimension after the other,
    from the leaves to the total: no cell is looked at alone. O(cells × top × log top × dimensions) time.
    """
    shape = tuple(len(one.codes) for one in dimensions)
    values, owners, weights = (
        part.reshape(*shape, part.shape[-1]).copy() for part in (finest.values, finest.owners, finest.weights)
    )
    for axis, dimension in enumerate(dimensions):
        along = [np.moveaxis(part, axis, 0) for part in (values, owners, weights)]
        for total, parts in reversed(dimension.sums):
            _merge_largest(along, total, list(parts))
    top = finest.values.shape[-1]
    return Contributions(
        values=values.reshape(-1, top), owners=owners.reshape(-1, top), weights=weights.reshape(-1, top)
    )


def _merge_largest(along: Sequence[np.ndarray], total: int, parts: list[int]) -> None:
    """The largest of the parts into the total, in all places across at once."""
    top = along[0].shape[-1]
    side = [np.moveaxis(part[parts], 0, -2).reshape(*part.shape[1:-1], len(parts) * top) for part in along]
    # Where nothing is, the owner is -1 and the value 0: a contribution of 0 by somebody goes before it.
    order = np.lexsort((side[1], side[2] == 0, -np.abs(side[0])), axis=-1)[..., :top]
    for part, beside in zip(along, side, strict=True):
        part[total] = np.take_along_axis(beside, order, axis=-1)
