"""The fastest learner: who shares a key with others is said to have what most of them have."""

from __future__ import annotations

import numpy as np

__all__ = ["BY_CLASS", "binned", "by_class", "joined_keys"]

BY_CLASS = "classes"
"""Its name."""
BINS = 20
"""Numbers are cut into so many classes of about equal size."""
PRIOR = 1.0
"""The whole release counts as so many further records of every class."""


def by_class(keys: np.ndarray, values: np.ndarray, asked: np.ndarray) -> np.ndarray:
    r"""For each key asked about, the value that leads in its class; what leads everywhere for keys that do not occur.

    .. math:: \hat v(C) = \arg\max_v\ n_C(v) + m\, p(v), \qquad \hat v(C) = \frac{\sum_{i \in C} v_i + m \bar v}{|C| + m}

    for categories (whole numbers) and for numbers, with p and the mean of all records and m = 1: a small class is
    drawn towards the whole. A tie goes to the value that is more frequent in the whole, then to the lower one. O(n log n).

    >>> by_class(np.array([0, 0, 0, 1]), np.array([5, 5, 7, 7]), np.array([0, 1, 2]))
    array([5, 7, 5])
    """
    if values.dtype.kind == "f":
        return _means(keys, values, asked)
    present, rank = _by_frequency(values)
    prior = PRIOR * np.bincount(rank, minlength=len(present)) / len(values)
    pairs, counts = np.unique(keys * len(present) + rank, return_counts=True)
    key, value = np.divmod(pairs, len(present))
    begins = np.flatnonzero(np.diff(key, prepend=-1))
    scores = counts + prior[value]
    best = np.maximum.reduceat(scores, begins)
    leads = np.flatnonzero(scores == np.repeat(best, np.diff(np.append(begins, len(key)))))
    first = leads[np.searchsorted(leads, begins)]
    leader = np.zeros(int(max(keys.max(), asked.max(initial=0))) + 1, dtype=np.int64)
    leader[key[begins]] = np.where(best >= prior[0], value[first], 0)
    found: np.ndarray = present[leader[asked]]
    return found


def joined_keys(keys: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Keys of one more column: the same number where both are the same."""
    found: np.ndarray = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return found


def binned(release: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of both files as classes by the quantiles of the release; a gap is a class of its own."""
    known = release[~np.isnan(release)]
    edges = np.unique(np.quantile(known, np.arange(1, BINS) / BINS, method="lower")) if len(known) else known
    sides = (np.where(np.isnan(x), len(edges) + 1, np.searchsorted(edges, x, side="left")) for x in (release, people))
    first, second = sides
    return first, second


def _by_frequency(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, the most frequent first, and the place of each record's."""
    present, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    order = np.lexsort((present, -counts))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return present[order], rank[place]


def _means(keys: np.ndarray, values: np.ndarray, asked: np.ndarray) -> np.ndarray:
    middle = float(np.sort(values).mean())
    order = np.lexsort((values, keys))  # sums do not depend on the order of the file
    size = int(max(keys.max(), asked.max(initial=0))) + 1
    total = np.bincount(keys[order], weights=values[order], minlength=size)
    found: np.ndarray = ((total + PRIOR * middle) / (np.bincount(keys, minlength=size) + PRIOR))[asked]
    return found
