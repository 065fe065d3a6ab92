"""The fastest learner: who shares a key with others is said to have what most of them have."""

from __future__ import annotations

import numpy as np

BY_CLASS = "classes"
"""Its name."""
BINS = 20
"""Numbers are cut into so many classes of about equal size."""
PRIOR = 1.0
"""The whole release counts as so many further records of every class."""
TIE = 1e-9


def by_class(keys: np.ndarray, values: np.ndarray, asked: np.ndarray, *, within: float = 0.0) -> np.ndarray:
    r"""For each key asked about, the value that leads in its class; what leads everywhere for keys that do not occur.

    .. math:: \hat v(C) = \arg\max_v\ n_C(v) + m\, p(v)

    with :math:`n_C(v)` the records of the class that v hits, p(v) the share of all records that it hits, and m = 1: a small
    class is drawn towards the whole. Categories are whole numbers, and v hits what equals it; a number hits those that are
    ``within`` so much of it. (The mean of a class, between its heaps, may hit nobody.) A tie goes to the value that is more
    frequent in the whole, then to the lower one. O(n log n).

    >>> by_class(np.array([0, 0, 0, 1]), np.array([5, 5, 7, 7]), np.array([0, 1, 2]))
    array([5, 7, 5])
    >>> by_class(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 9.0, 9.0]), np.array([0, 1, 2]), within=0.5)
    array([1.5, 9. , 1.5])
    """
    if values.dtype.kind == "f":
        return _windows(keys, values, asked, within)
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


def _windows(keys: np.ndarray, values: np.ndarray, asked: np.ndarray, within: float) -> np.ndarray:
    """The middle of the window, twice ``within`` wide, that holds most of a class; each begins at a value of it."""
    ladder, rank = np.unique(values, return_inverse=True)
    last = np.searchsorted(ladder, ladder + 2 * within, side="right") - 1
    upto = np.append(0, np.cumsum(np.bincount(rank)))
    share = PRIOR * (upto[last + 1] - upto[:-1]) / len(values)
    best = int(np.argmax(share))
    size = int(max(keys.max(), asked.max(initial=0))) + 1
    pairs, counts = np.unique(keys * len(ladder) + rank, return_counts=True)
    key, step = np.divmod(pairs, len(ladder))
    total = np.append(0, np.cumsum(counts))

    def held(of: np.ndarray, begin: np.ndarray) -> np.ndarray:
        ends = (np.searchsorted(pairs, of * len(ladder) + at) for at in (begin, last[begin] + 1))
        first, past = ends
        found: np.ndarray = total[past] - total[first] + share[begin]
        return found

    scores = held(key, step)
    order = np.lexsort((step, -share[step], -scores.round(9), key))
    leads = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    usual = held(key[leads], np.full(len(leads), best))
    leader = np.full(size, best)
    leader[key[leads]] = np.where(scores[leads] > usual + TIE, step[leads], best)
    middle = ladder + (ladder[last] - ladder) / 2
    found: np.ndarray = middle[leader[asked]]
    return found
