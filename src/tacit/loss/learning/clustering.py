"""Clustering: whether the same records fall together in the masked file as in the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_int, format_value
from ...registry import Tags, describe
from ...result import Result, Results
from ...seed import DEFAULT_SEED, child_seed, make_generator
from .k_means import agreement_of, clustered_from, k_means_clusters
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
