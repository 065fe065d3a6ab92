"""k-means of one file and then of another that begins where the first one ended, and how well the two agree."""

from __future__ import annotations

import numpy as np

from ...seed import DEFAULT_SEED
from .estimators import run_quietly

STARTS = 10
STEPS = 100


def k_means_clusters(points: np.ndarray, clusters: int, rng: np.random.Generator) -> np.ndarray:
    """The cluster of every point: the tightest of several k-means, each begun at rows drawn far apart.

    Each row is drawn by its squared distance to the nearest one drawn before. There are as many different rows at least.

    References
    ----------
    Arthur and Vassilvitskii (2007), k-means++: The advantages of careful seeding, SODA 2007.
    """
    found = [_k_means(points, points[_initial_centres(points, clusters, rng)]) for _ in range(STARTS)]
    return min(found, key=lambda one: one[0])[1]


def clustered_from(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The cluster of every point when k-means begins at the centres of the clusters ``labels``, which leave none empty."""
    sizes = np.bincount(labels)
    sums = np.zeros((len(sizes), points.shape[1]))
    np.add.at(sums, labels, points)
    return _k_means(points, sums / sizes[:, None])[1]


def _initial_centres(points: np.ndarray, clusters: int, rng: np.random.Generator) -> np.ndarray:
    rows = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf)
    while len(rows) < clusters:
        nearest = np.minimum(nearest, ((points - points[rows[-1]]) ** 2).sum(axis=1))
        drawn = np.cumsum(nearest)
        rows.append(int(np.searchsorted(drawn, rng.random() * drawn[-1], side="right")))
    return np.minimum(rows, len(points) - 1)


def _k_means(points: np.ndarray, centres: np.ndarray) -> tuple[float, np.ndarray]:
    from sklearn.cluster import KMeans

    with run_quietly("k-means"):
        found = KMeans(len(centres), init=centres, n_init=1, max_iter=STEPS, random_state=DEFAULT_SEED).fit(points)
    return float(found.inertia_), np.unique(found.labels_, return_inverse=True)[1]


def agreement_of(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    r"""The adjusted Rand index of two clusterings, and Jaccard's index of the pairs that are together.

    .. math:: ARI = \frac{a - e}{(b + c) / 2 - e}, \qquad e = \frac{b\, c}{\binom n 2}, \qquad J = \frac{a}{b + c - a}

    with a the pairs together in both, b in the first and c in the second. 1 for the same clusters, whatever their names.

    >>> rand, jaccard = agreement_of(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7]))
    >>> rand, jaccard
    (0.0, 0.25)
    """
    _, one = np.unique(first, return_inverse=True)
    _, other = np.unique(second, return_inverse=True)
    table = np.bincount(one * (other.max() + 1) + other)
    both, in_first, in_second = (_count_pairs(counts) for counts in (table, np.bincount(one), np.bincount(other)))
    every = len(first) * (len(first) - 1) / 2
    chance = in_first * in_second / every if every else 0.0
    most = (in_first + in_second) / 2
    rand = (both - chance) / (most - chance) if most != chance else 1.0
    joined = in_first + in_second - both
    return float(rand), float(both / joined) if joined else 1.0


def _count_pairs(counts: np.ndarray) -> float:
    sizes = counts.astype(float)
    return float((sizes * (sizes - 1) / 2).sum())
