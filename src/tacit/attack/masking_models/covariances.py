"""Covariances that a trace publishes, or that a release shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._columns import ColumnPair

if TYPE_CHECKING:
    from ...release.release import Release


def covariance_of(published: Any, columns: Sequence[str]) -> np.ndarray | None:
    """The published covariance of the noise on the columns; None where one of them has none.

    Columns whose noise was drawn apart have no entry for each other, which means 0.
    """
    if not isinstance(published, Mapping) or any(column not in published for column in columns):
        return None
    found = np.array([[float(published[row].get(column, 0.0)) for column in columns] for row in columns])
    return found if np.isfinite(found).all() and (np.diag(found) > 0).all() else None


def released_covariance(release: Release, values: np.ndarray, strata: str | Sequence[str]) -> np.ndarray:
    """Of the complete records, within the strata where the release has their columns; never NaN."""
    groups = [strata] if isinstance(strata, str) else list(strata)
    complete = ~np.isnan(values).any(axis=1)
    kept = values[complete]
    if len(kept) < 2:
        return np.diag(np.nan_to_num(np.nanvar(values, axis=0)) + 1e-300)
    if groups and all(column in release.columns for column in groups):
        keys = pl.DataFrame([release.series(column) for column in groups]).filter(pl.Series(complete))
        rank = keys.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy() - 1
        counts = np.bincount(rank)
        means = np.column_stack([np.bincount(rank, weights=part) / counts for part in kept.T])
        kept = kept - means[rank]
    found: np.ndarray = np.atleast_2d(np.cov(kept, rowvar=False))
    return found


SINGULAR = 1e-9
"""Directions with less than this share of the variance are exact relations between the columns."""


def whiten_columns(theirs: np.ndarray, mine: np.ndarray, covariance: np.ndarray) -> tuple[ColumnPair, ...]:
    r"""Coordinates in which half the squared distance is minus the log-likelihood of the difference, up to a constant.

    By the Cholesky factor of the correlations, the columns with the fewest missing cells first: a coordinate needs its
    own column and those before it alone, so that a missing cell takes as few of them as can be. Of a singular
    covariance the coordinates are the directions in which there is noise. A missing cell costs what a pair costs of
    which nothing speaks for or against it, :math:`\tfrac12 (1 + \ln v)` with v the variance of the released coordinate.
    O((n + m) · columns²) time.

    >>> (one,) = whiten_columns(np.array([[1.0], [3.0]]), np.array([[0.0]]), np.array([[4.0]]))
    >>> one.release.tolist(), one.weight
    ([0.5, 1.5], 0.5)
    """
    lost = np.isnan(theirs).sum(axis=0) + np.isnan(mine).sum(axis=0)
    order = np.argsort(lost, kind="stable")
    spread = np.sqrt(np.diag(covariance))[order]
    centre = np.nan_to_num(np.nanmean(theirs, axis=0))[order] * (len(spread) > 1)
    scaled = [(side[:, order] - centre) / spread for side in (theirs, mine)]
    likeness = covariance[np.ix_(order, order)] / np.outer(spread, spread)
    try:
        factor = np.linalg.cholesky(likeness)
        regular = (np.diag(factor) ** 2).min() > SINGULAR * len(spread)
    except np.linalg.LinAlgError:
        regular = False
    moved = [_forward_substitute(factor, side) if regular else _noise_directions(likeness, side) for side in scaled]
    return tuple(_coordinate_pair(one, other) for one, other in zip(moved[0].T, moved[1].T, strict=True))


def _forward_substitute(factor: np.ndarray, values: np.ndarray) -> np.ndarray:
    """L⁻¹ z by forward substitution: a product with the inverse would carry NaN to coordinates that need it not."""
    found = np.empty_like(values)
    for place in range(values.shape[1]):
        left = values[:, place].copy()
        for before in range(place):
            if factor[place, before]:
                left -= factor[place, before] * found[:, before]
        found[:, place] = left / factor[place, place]
    return found


def _noise_directions(likeness: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The directions in which there is noise, each in units of its standard deviation."""
    variance, directions = np.linalg.eigh(likeness)
    kept = variance > SINGULAR * len(variance) * variance.max()
    found: np.ndarray = values @ directions[:, kept] / np.sqrt(variance[kept])
    return found


def _coordinate_pair(theirs: np.ndarray, mine: np.ndarray) -> ColumnPair:
    known = theirs[~np.isnan(theirs)]
    spread = float(known.var()) if len(known) else 1.0
    return ColumnPair(theirs, mine, kind="number", usual=1.0 + float(np.log(max(spread, 1.0))), weight=0.5)


NEAREST = 32
"""People who can have become a record, next to it; the chances of all others hardly add to theirs."""
MOST_TAKEN = 0.95
"""Of the squared distance along an axis the rarity takes away at most so much: what is left must bound the search."""


def weigh_by_rarity(coordinates: Sequence[ColumnPair], *, everybody: bool) -> tuple[ColumnPair, ...]:
    r"""Comparisons that cost the likelihood ratio, from whitened coordinates (differences of noise have variance one).

    .. math:: -\log \frac{f(y \mid x)}{f(y)} = \tfrac12 |y - x|^2 + \log f(y) + const,
              \qquad f(y) = \frac1m \sum_{b} f(y \mid x_b)

    Two records may fit a person alike, one where many others would fit too, and one where nobody else would: the second
    is the better guess. When the intruder's file has ``everybody``, f(y) is the sum over its people (the 32 nearest);
    else f is taken for normal, with the moments of the release. A record with a gap has the middle log f. About
    O(n log m) time in few coordinates, up to O(n·m) in many.

    What a record costs by itself, :math:`\log f(y)`, does not tell a search where to look. So in complete files its
    normal part :math:`-\tfrac12 \sum_j \lambda_j y_j^2`, on the axes of the released covariance, is taken into the squares:

    .. math:: \tfrac12 (y - x)^2 - \tfrac12 \lambda y^2
              = \tfrac12 \Big(\sqrt{1 - \lambda}\, y - \frac{x}{\sqrt{1 - \lambda}}\Big)^2 - \frac{\lambda x^2}{2 (1 - \lambda)}.

    The costs are the same; what is left of the rarity is small, and the search is several times as fast.
    """
    theirs = np.column_stack([one.release for one in coordinates])
    mine = np.column_stack([one.intruder for one in coordinates])
    alone = _log_density(theirs, mine, everybody=everybody)
    if len(theirs) < 2 or np.isnan(theirs).any() or np.isnan(mine).any():
        return (_by_itself(alone, people=len(mine)), *coordinates)
    centre = theirs.mean(axis=0)
    variance, axes = np.linalg.eigh(np.atleast_2d(np.cov(theirs, rowvar=False)))
    taken = np.clip(1.0 / np.maximum(variance, 1e-9), 0.0, MOST_TAKEN)
    released, own = (theirs - centre) @ axes, (mine - centre) @ axes
    squares = [
        ColumnPair(one, other, kind="number", usual=1.0, weight=0.5)
        for one, other in zip((released * np.sqrt(1 - taken)).T, (own / np.sqrt(1 - taken)).T, strict=True)
    ]
    left = _by_itself(alone + 0.5 * np.square(released) @ taken, people=len(mine))
    person = _of_person(-0.5 * np.square(own) @ (taken / (1 - taken)), records=len(theirs))
    return (person, left, *squares)


def _by_itself(cost: np.ndarray, *, people: int) -> ColumnPair:
    """What a record costs whoever has it: the square of a number of its own, and of nobody's."""
    cost = cost - cost.min(initial=np.inf) if len(cost) else cost
    usual = float(cost.mean()) if len(cost) else 0.0
    return ColumnPair(np.sqrt(cost), np.zeros(people), kind="number", usual=usual, weight=1.0)


def _of_person(cost: np.ndarray, *, records: int) -> ColumnPair:
    """What a person costs whatever the record, so that the costs of two people can be compared."""
    return ColumnPair(np.zeros(records), np.sqrt(cost - cost.min(initial=np.inf)), kind="number", usual=1.0, weight=1.0)


def _log_density(theirs: np.ndarray, mine: np.ndarray, *, everybody: bool) -> np.ndarray:
    """The logarithm of f for every released record, but for a constant."""
    known = ~np.isnan(theirs).any(axis=1)
    people = mine[~np.isnan(mine).any(axis=1)]
    found = np.zeros(len(theirs))
    if known.any():
        points = theirs[known]
        found[known] = _kernel_log_density(points, people) if everybody and len(people) else _normal_log_density(points)
        found[~known] = np.median(found[known])
    return found


def _kernel_log_density(points: np.ndarray, people: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree
    from scipy.special import logsumexp

    nearest = min(NEAREST, len(people))
    distance, _ = cKDTree(people).query(points, k=list(range(1, nearest + 1)))
    found: np.ndarray = logsumexp(-0.5 * distance**2, axis=1)
    return found


def _normal_log_density(points: np.ndarray) -> np.ndarray:
    if len(points) < 2:
        return np.zeros(len(points))
    centred = points - points.mean(axis=0)
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(points, rowvar=False)), hermitian=True)
    found: np.ndarray = -0.5 * np.einsum("ij,ij->i", centred @ inverse, centred)
    return found
