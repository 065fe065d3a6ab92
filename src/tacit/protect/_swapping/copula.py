"""The normal copula of some columns: normal scores, correlations from ranks, and draws given other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import TacitError

NOTHING = 1e-9
"""Eigenvalues of a correlation matrix below this share of the largest are rounding."""
DETERMINED = 0.999
"""A column that others explain to this share is not made anew, only copied."""
ROUNDS = 8
CLOSE = 0.2
"""Rank correlations are met when none is off by more than this many standard errors."""


class Conditional(NamedTuple):
    """The law of some scores given others: ``given @ slope + e``, e with covariance root·rootᵀ.

    ``explained`` is the share of each score's variance that the others explain.
    """

    slope: np.ndarray
    root: np.ndarray
    explained: np.ndarray


def midranks(values: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Ranks on the open interval (0, 1), (rank − 1/2)/n, ties at their mean; a missing value has 1/2. O(n log n)."""
    found = np.full(len(values), 0.5)
    if valid.any():
        _, place, often = np.unique(values[valid], return_inverse=True, return_counts=True)
        found[valid] = (np.cumsum(often) - often / 2)[place] / valid.sum()
    return found


def normal_scores(ranks: np.ndarray) -> np.ndarray:
    """The scores of ranks in (0, 1), columns of variance 1; a constant column has scores 0."""
    from scipy.special import ndtri

    scores = ndtri(ranks)
    scores -= scores.mean(axis=0)
    spread = scores.std(axis=0)
    return np.asarray(scores / np.where(spread > 0, spread, 1.0))


def draw_scores(ranks: np.ndarray, valid: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """New scores of the first columns given the others, and the share of each that is explained.

    ``noise`` has a standard normal draw for each new score. Where values tie, the order that the scores give them has
    weaker rank correlations than the scores: the correlations of the scores are made stronger, in rounds with the same
    noise, until those of the values come out. O(rounds · n · columns · (log n + columns)).
    """
    wide = noise.shape[1]
    wanted = spearman_correlations(ranks, valid)
    aim, best, least = wanted.copy(), None, np.inf
    given, new = normal_scores(ranks[:, wide:]), ranks.copy()
    in_order = [np.sort(ranks[valid[:, place], place]) for place in range(wide)]
    for _ in range(ROUNDS):
        law = conditional_law(nearest_semidefinite(_of_scores(aim)), wide)
        scores = given @ law.slope + noise @ law.root.T
        for place in range(wide):
            known = np.flatnonzero(valid[:, place])
            new[known[np.argsort(scores[known, place])], place] = in_order[place]
        off = wanted - spearman_correlations(new, valid)
        worst = float(np.abs(off).max())
        if worst < least:
            best, least = (scores, law.explained), worst
        if worst < CLOSE / np.sqrt(len(ranks)):
            break
        aim = np.clip(aim + off, -1, 1)
    assert best is not None
    return best


def spearman_correlations(ranks: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Rank correlations, each pair over the records that have both values; 0 for a constant column. O(n · columns²)."""
    centred = np.where(valid, ranks - 0.5, 0.0)
    both = valid.astype(float)
    scale = np.sqrt(((centred**2).T @ both) * (both.T @ centred**2))
    product = centred.T @ centred
    found: np.ndarray = np.divide(product, scale, out=np.zeros_like(product), where=scale > 0).clip(-1.0, 1.0)
    return found


def _of_scores(rank_correlations: np.ndarray) -> np.ndarray:
    r"""The correlations of normal scores that have these rank correlations, :math:`2 \sin(\pi r/6)`."""
    found: np.ndarray = 2 * np.sin(np.pi * rank_correlations / 6)
    np.fill_diagonal(found, 1.0)
    return found


def conditional_law(correlation: np.ndarray, shuffled: int) -> Conditional:
    """The law of the first ``shuffled`` scores given the others; works for singular matrices (pseudo-inverse)."""
    x, s = slice(None, shuffled), slice(shuffled, None)
    cross = correlation[s, x]
    slope = np.linalg.pinv(correlation[s, s], rcond=NOTHING, hermitian=True) @ cross if len(cross) else cross
    values, vectors = np.linalg.eigh(correlation[x, x] - cross.T @ slope)
    root = vectors * np.sqrt(np.where(values > NOTHING, values, 0.0))
    return Conditional(slope, root, 1 - (root**2).sum(axis=1))


def refuse_determined(columns: Sequence[str], explained: np.ndarray) -> None:
    """Refuse columns of which the given ones explain all, by the share of each that they do."""
    for column, share in zip(columns, explained, strict=True):
        if share >= DETERMINED:
            raise TacitError(
                "is determined by the given columns, and would come back as it was",
                code="no_variation",
                column=column,
                fix="leave the column that determines it out of the given ones",
            )


def nearest_semidefinite(correlation: np.ndarray, least: float = 0.0) -> np.ndarray:
    """A correlation matrix without eigenvalues below ``least``: they are cut off, and the diagonal is made 1 again."""
    values, vectors = np.linalg.eigh(correlation)
    if values.min() >= least:
        return correlation
    found = (vectors * np.maximum(values, least)) @ vectors.T
    scale = np.sqrt(np.diag(found))
    return np.asarray(found / np.outer(scale, scale))
