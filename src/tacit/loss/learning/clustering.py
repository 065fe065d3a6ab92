"""Clustering: whether the same records fall together in the masked file as in the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_int, format_value
from ...registry import Tags, describe
from ...result import Result, Results
from ...seed import DEFAULT_SEED, child_seed, make_generator
from .estimators import run_quietly
from .two_files import TwoFiles, two_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...release.masked import Masked
    from ...release.release import Release


CLUSTERS = (2, 3, 5, 8)


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def clustering(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    clusters: int | Iterable[int] = CLUSTERS,
    seed: int | bytes = DEFAULT_SEED,
) -> Results:
    r"""How far the clusters of the masked records are from those of the original ones, beyond chance.

    .. math:: 1 - \max(0, ARI) \quad\text{mean over the numbers of clusters}

    ARI, the adjusted Rand index, is 1 when the same pairs of records are together in both files, and 0 on average
    when they are together by chance. Each file is clustered by k-means in its own values: numbers and dates in
    standard deviations, categories as one column each (the 30 most frequent; differing in one weighs as much as 1.4
    deviations), gaps as the mean and a mark. The original's clusters are the tightest of ten starts. The k-means
    compared begin at these clusters, in both files, so that only what the values have become moves a record to
    another one, and no other start: two k-means of one file, too, may differ. So this is the loss of a clustering
    that is there; whether it would be found is not asked. ``facts`` have the index for every number of clusters,
    and Jaccard's index of the pairs.

    Over the records that both files have, the first of several made from one. Identifiers, household and weight are
    left out.

    Utility, measured. O(n · m · clusters) time per step of k-means, twelve runs for each number of clusters.
    Of more than 20,000 records so many are drawn, by the seed.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 9.0, 10.0], [1.4, 1.6, 9.4, 9.6]))
    >>> clustering(m, original=r, clusters=2)[0].value
    0.0

    References
    ----------
    Hubert and Arabie (1985), Comparing partitions, Journal of Classification 2, 193–218.
    """
    numbers = _cluster_numbers(clusters)
    files = two_files(release, original, lineage, seed=seed)
    before, after = _feature_matrices(files)
    different = len(np.unique(before, axis=0)) if len(before) else 0
    tried = [number for number in numbers if number <= different]
    if not tried:
        raise TacitError(
            f"{different} different records make no {min(numbers)} clusters",
            code="not_applicable",
            fix="give files with more common records",
        )
    rand, jaccard = {}, {}
    for number in tried:
        first = k_means_clusters(before, number, make_generator(child_seed(seed, "starts", number)))
        labels = [clustered_from(side, first) for side in (before, after)]  # of the original too, should it move on
        rand[str(number)], jaccard[str(number)] = agreement_of(*labels)
    value = float(np.mean([1.0 - max(0.0, one) for one in rand.values()]))
    facts: dict[str, object] = {"adjusted Rand by clusters": rand, "Jaccard by clusters": jaccard}
    facts |= {"records": len(before), "columns": len(files.columns())}
    return Results((Result(name="clustering", value=value, worse="high", about="utility", facts=facts),))


def _cluster_numbers(clusters: int | Iterable[int]) -> tuple[int, ...]:
    try:
        found = tuple(clusters) if not isinstance(clusters, int) else (clusters,)
    except TypeError:
        raise TacitError(
            f"clusters={format_value(clusters)} are no numbers",
            code="wrong_kind",
            parameter="clusters",
            fix="e.g. clusters=3 or clusters=[2, 5]",
        ) from None
    for number in found:
        check_int("clusters", number, least=2)
    if not found:
        raise TacitError(
            "no number of clusters is given", code="missing_parameter", fix="e.g. clusters=3 or clusters=[2, 5]"
        )
    return tuple(dict.fromkeys(found))


def _feature_matrices(files: TwoFiles) -> tuple[np.ndarray, np.ndarray]:
    """The common records in the order of the original, each file in its own coding."""
    columns = files.columns()
    if not columns:
        raise TacitError(
            "the files have no column in common to cluster by",
            code="no_usable_column",
            fix="give files with common columns",
        )
    people, rows = np.unique(files.made_from, return_index=True)
    rows, people = rows[people >= 0], people[people >= 0]
    sides = [
        TwoFiles(side, side, np.arange(side.size), side.size).features(columns).dense_matrices()[0]
        for side in (files.original.take(people), files.masked.take(rows))
    ]
    return sides[0], sides[1]


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
