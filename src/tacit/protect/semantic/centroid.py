"""The semantic centroid: the value of a group that lies nearest to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...release.hierarchy.taxonomy import Distance, Taxonomy

__all__ = ["centroids"]


def centroids(known: Taxonomy, values: np.ndarray, group: np.ndarray, by: Distance = "ancestors") -> np.ndarray:
    r"""The value of each group, one of its own, with the least summed distance to the values of the group (E-16).

    .. math:: c_g = \arg\min_{c \in g} \sum_{v \in g} d(c, v)

    ``values`` are numbers of the taxonomy, the groups are numbered from 0 without gaps. Ties: the first in
    the taxonomy, so that the order of the file does not matter. Equal values are counted, not compared: O(n log n + Σ different² · height) time, O(n) memory.

    >>> import polars as pl
    >>> from tacit.release.hierarchy.edges import from_edges
    >>> from tacit.release.hierarchy.taxonomy import taxonomy
    >>> jobs = from_edges({"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"})
    >>> known = taxonomy(jobs, "job", pl.Series(["surgeon", "nurse", "clerk"]))
    >>> centroids(known, np.array([0, 1, 2, 2, 1, 1]), np.array([0, 0, 0, 1, 1, 1])).tolist()
    [0, 1]

    References
    ----------
    Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation of categorical microdata, Computers &
    Security 31, 653–672.
    """
    from ...kernels.centroids import centroids as nearest

    count = len(known.values)
    pairs, often = np.unique(group.astype(np.int64) * count + values, return_counts=True)
    different = pairs % count
    start = np.searchsorted(pairs, np.arange(int(group.max(initial=-1)) + 2) * count)
    chosen = nearest(start, different, often, known.line, known.own, by == "ancestors")
    found: np.ndarray = different[chosen]
    return found
