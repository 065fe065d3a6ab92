"""Columns whose differences have a known covariance, as coordinates whose differences have variance one each."""

from __future__ import annotations

import numpy as np

from ..column_pair import ColumnPair

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
