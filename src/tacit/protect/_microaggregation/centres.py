"""What a group says in place of its members: a mean, a median, or the value nearest to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from .._numbers import as_numbers, from_numbers, masked_dtypes
from .embedding import column_form, hierarchy_nodes

if TYPE_CHECKING:
    from ...release.release import Release
    from .embedding import Form


Aggregate: TypeAlias = Literal["mean", "median", "mode", "centroid"]
BY_FORM: dict[Form, tuple[Aggregate, ...]] = {
    "number": ("mean", "median"),
    "ordinal": ("median", "mode"),
    "nominal": ("mode",),
    "tree": ("centroid", "mode"),
}
"""What can stand for a group of values of each form; the first one does when nothing is said."""


def group_centres(
    release: Release,
    column: str,
    rows: np.ndarray,
    group: np.ndarray,
    *,
    aggregate: Aggregate,
    rng: np.random.Generator,
) -> pl.Series:
    """The value of each group of the rows, in the type of the column; of categories always one that a member has.

    Numbers and dates: mean, or median (between the two in the middle of an even group), rounded to whole numbers and
    days. Ordinal values: median, one of the two in the middle by lot. Nominal values: the most frequent one. Along a
    hierarchy: the centroid, the member's value with the least summed distance to the others. Ties by lot.
    O(n) time for means, else O(n log n).
    """
    if column_form(release, column) == "number":
        values = as_numbers(release.series(column))[rows]
        made = group_means(values, group) if aggregate == "mean" else group_medians(values, group)
        return from_numbers(made, column, masked_dtypes(release, [column])[column])
    codes = release.codes(column)
    of_row = codes.codes[rows].astype(np.int64)
    if aggregate == "median":
        chosen = group_medians(of_row, group, rng=rng)
    else:
        steps = hierarchy_nodes(release, column) if aggregate == "centroid" else np.arange(len(codes.dictionary))[None]
        chosen = of_row[central_members(steps[:, of_row], group, rng)]
    return codes.dictionary.gather(chosen).alias(column)


def group_means(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The mean of each group, the groups numbered from 0."""
    found: np.ndarray = np.bincount(group, weights=values) / np.bincount(group)
    return found


def group_medians(values: np.ndarray, group: np.ndarray, *, rng: np.random.Generator | None = None) -> np.ndarray:
    """The median of each group; with a generator a value that a member has, else between the two in the middle."""
    ordered = values[np.lexsort((values, group))]
    size = np.bincount(group)
    begin = np.cumsum(size) - size
    low, high = begin + (size - 1) // 2, begin + size // 2
    found: np.ndarray
    if rng is None:
        found = ordered[low] / 2 + ordered[high] / 2
    else:
        found = ordered[np.where(rng.random(len(size)) < 0.5, low, high)]
    return found


def central_members(nodes: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The place of the most central member of each group, ties by lot.

    ``nodes[h, i]`` is the node of member i at level h. A member's summed distance to its group is least where most
    members share its nodes, summed over the levels; with one level that is the mode. (The distance is that of the
    embedding by which the groups were made, and needs no pairs; that of :mod:`~tacit.protect.mask_terms` counts
    ancestors.) O(levels · n log n) time.
    """
    shared = np.zeros(len(group), dtype=np.int64)
    for step in nodes:
        _, pair, count = np.unique(group * (int(step.max()) + 1) + step, return_inverse=True, return_counts=True)
        shared += count[pair]
    order = np.lexsort((_random_by_value(nodes[0], group, rng), -shared, group))
    size = np.bincount(group)
    found: np.ndarray = order[np.cumsum(size) - size]
    return found


def _random_by_value(values: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random number for each value of each group: every value has one lot, however many members have it."""
    _, pair = np.unique(group * (int(values.max()) + 1) + values, return_inverse=True)
    found: np.ndarray = rng.random(int(pair.max()) + 1)[pair]
    return found
