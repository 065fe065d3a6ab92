"""Distances between records: what a masked file still says about who is like whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...result import Result, Results
from ...seed import make_generator
from .standardised import Numbers, numbers_beside

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


ALL_PAIRS = 1_500
"""Up to so many records, all pairs of them are compared."""
SAMPLE = 1_000_000
"""Pairs drawn from more records."""
CHUNK = 1 << 16
"""Pairs compared at a time."""
SAME_PAIRS = 0
"""The seed of the draw, fixed: the same pairs of records in every candidate, so that they differ by the masking alone."""


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def distances(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""How much the distances between records change, as a share of the distances themselves; by column as well.

    .. math:: \frac{\sum_{i<j} |d'_{ij} - d_{ij}|}{\sum_{i<j} d_{ij}}

    with Euclidean distances over the numeric columns, each divided by the *original's* standard deviation. What
    clusters, neighbours and outliers are made of: 0 when all distances are kept (a shift of a whole column costs
    nothing), 1 when all records have become the same; much noise takes it above 1. The result of a column is the same
    with the distances in that column alone.

    Records are paired, those with all their numbers in both files: records removed or with blanks cost nothing here. All
    pairs of up to 1,500 records; of more, one million pairs drawn by a fixed seed, the same for every masking that keeps
    the same records, where the sampling error is about a thousandth of the figure. A column that is constant in the
    original is left out; in one that the masked file has no numbers of, all records count as the same.

    Utility, measured. O(n + pairs) time and O(n) memory per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([0.0, 1.0, 3.0], [0.0, 2.0, 3.0]))
    >>> print(distances(m, original=r)["pay"])
    distances of pay  0.3333

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    numbers = numbers_beside(release, original, lineage).complete_records()
    left, right = _sample_pairs(len(numbers.before))
    if not len(left):
        raise TacitError(
            "fewer than two records have all their numbers",
            code="too_few_records",
            fix="compare columns that have more values",
        )
    changes, lengths = _sum_changes(numbers, left, right)
    facts = {"columns": len(numbers.columns), "records": len(numbers.before), "pairs of records": len(left)}
    whole = Result(
        name="distances", value=_changed_share(changes[-1], lengths[-1]), worse="high", about="utility", facts=facts
    )
    each = (
        Result(name="distances", column=column, value=_changed_share(change, length), worse="high", about="utility")
        for column, change, length in zip(numbers.columns, changes, lengths, strict=False)
    )
    return Results((whole, *each))


def _sample_pairs(records: int) -> tuple[np.ndarray, np.ndarray]:
    if records <= ALL_PAIRS:
        left, right = np.triu_indices(records, 1)
        return left, right
    rng = make_generator(SAME_PAIRS)
    left = rng.integers(0, records, SAMPLE)
    return left, (left + rng.integers(1, records, SAMPLE)) % records


def _sum_changes(numbers: Numbers, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Changes and lengths of the distances, summed over the pairs: of each column, and last of all together."""
    changes, lengths = np.zeros((2, len(numbers.columns) + 1))
    for start in range(0, len(left), CHUNK):
        one, other = left[start : start + CHUNK], right[start : start + CHUNK]
        before, after = (_absolute_distances(matrix[one] - matrix[other]) for matrix in (numbers.before, numbers.after))
        changes += np.abs(after - before).sum(axis=0)
        lengths += before.sum(axis=0)
    return changes, lengths


def _absolute_distances(differences: np.ndarray) -> np.ndarray:
    together = np.sqrt((differences**2).sum(axis=1))
    return np.column_stack((np.abs(differences), together))


def _changed_share(change: float, length: float) -> float:
    """Records that were all the same and no longer are, have lost it all."""
    return float(change / length) if length else float(change > 0)
