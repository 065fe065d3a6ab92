"""Forms of noise that need whole columns in memory: on normal scores, exact moments, wider for outliers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import TacitError
from ...release.trace import FEWEST
from ...seed import child_seed, make_generator
from .linear import LinearNoise
from .moments import SINGULAR, covariance_factor
from .plan import NoiseParams, NoiseSummary
from .scores import scale_of

FEWEST_EXACT = 3
"""Complete records whose means and covariances can be kept without giving them away."""

PASSES = 3
"""The second pass removes what rounding left of the first."""

REGULAR = 0.1
"""Share of the ordinary covariance that is mixed into that of the inner half."""

STEPS = 30

CERTAIN = 0.975
"""Of records without outliers, so many lie within distance 1."""


def group_rows(group: np.ndarray | None, count: int) -> Iterator[np.ndarray | slice]:
    """The rows of each group."""
    if group is None:
        return iter([slice(0, count)])
    order = np.argsort(group, kind="stable")
    return iter(np.split(order, np.flatnonzero(np.diff(group[order])) + 1))


def outlier_widening(values: Sequence[np.ndarray], group: np.ndarray | None, most: float) -> np.ndarray:
    """By how much the noise of every row is multiplied: 1 for the bulk, for outliers how far out they lie, at most ``most``."""
    table = np.column_stack(values)
    found = np.ones(len(table))
    for rows in group_rows(group, len(table)):
        known = ~np.isnan(table[rows]).all(axis=0)
        if len(table[rows]) > 2 and known.any():
            found[rows] = np.clip(outlyingness(table[rows][:, known]), 1.0, most)
    return found


def restore_moments(
    masked: Sequence[np.ndarray], values: Sequence[np.ndarray], group: np.ndarray | None
) -> tuple[list[np.ndarray], int]:
    """The masked columns with the means and covariances of the original ones in every group, over complete records.

    Two records with their mean and variance, and equal ones with their variance of 0, would be what they were: such
    groups stay as they are, and their complete records are counted.
    """
    new, old = np.column_stack(masked), np.column_stack(values)
    left = 0
    for rows in group_rows(group, len(old)):
        inside = np.arange(len(old))[rows]
        inside = inside[~np.isnan(old[inside]).any(axis=1)]
        if len(inside) < FEWEST_EXACT or (old[inside] == old[inside[0]]).all(axis=0).any():
            left += len(inside)
        else:
            new[inside] = recolour_records(new[inside], old[inside])
    return list(new.T), left


def on_scores(
    wanted: NoiseParams, columns: Sequence[str], values: Sequence[np.ndarray], seed: int | bytes
) -> tuple[list[np.ndarray], NoiseSummary]:
    """The columns with correlated noise on their normal scores, and what is known of it.

    The scores with noise are divided by √(1 + variance), so that they are standard normal again, and each is replaced
    by the quantile of its column there: the margins are approximately kept.
    """
    place = make_generator(child_seed(seed, "ties"))
    scores, scales = np.full((len(columns), len(values[0])), np.nan), []
    for number, (column, part) in enumerate(zip(columns, values, strict=True)):
        known = ~np.isnan(part)
        if not known.any() or (part[known] == part[known][0]).all():
            raise TacitError(
                "has one value only or none, and no distribution to draw from",
                code="no_variation",
                column=column,
                fix="leave it out of the columns; a constant tells nothing about anybody",
            )
        scores[number, known], scale = scale_of(part[known], place.random(int(known.sum())))
        scales.append(scale)
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    if complete.shape[1] < 2:
        raise TacitError(
            f"no two records have values in all of {', '.join(columns)}",
            code="too_few_records",
            fix="mask the columns in several steps",
        )
    root = np.sqrt(np.array(wanted.variance))
    covariance = np.outer(root, root) * np.atleast_2d(np.cov(complete))
    roots = covariance_factor(covariance)
    noise = LinearNoise(
        wanted.law, tuple(child_seed(seed, "factor", one) for one in range(roots.shape[1])), roots[None]
    )
    moved = noise.add_to(list(scores), 0)
    made = [scale.values(part / np.sqrt(1 + k)) for scale, part, k in zip(scales, moved, wanted.variance, strict=True)]
    count = complete.shape[1]
    return made, NoiseSummary(tuple(columns), covariance, count >= FEWEST, count, np.zeros(1, dtype=bool))


def recolour_records(masked: np.ndarray, original: np.ndarray) -> np.ndarray:
    r"""The masked records with the means and covariances of the original ones.

    With covariances :math:`S` of the masked and :math:`\Sigma` of the original records, both in the directions in which
    the original ones vary, the records are multiplied by

    .. math:: T = S^{-1/2} (S^{1/2} \Sigma S^{1/2})^{1/2} S^{-1/2},

    of all matrices with :math:`T S T' = \Sigma` the one that moves records least. O(n · columns²) time.
    """
    mean, spread = original.mean(axis=0), original.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0)
    wanted = (original - mean) / unit
    values, vectors = np.linalg.eigh(wanted.T @ wanted / len(wanted))
    base = vectors[:, values > SINGULAR * len(values) * values.max()]
    target = base.T @ (wanted.T @ wanted) @ base
    scores = (masked - mean) / unit @ base
    for _ in range(PASSES):
        scores -= scores.mean(axis=0)
        scores = scores @ _transport_matrix(scores.T @ scores, target)
    found: np.ndarray = scores @ base.T * unit + mean
    return found


def _transport_matrix(from_: np.ndarray, to: np.ndarray) -> np.ndarray:
    root, inverse = _matrix_roots(from_)
    middle, _ = _matrix_roots(root @ to @ root)
    found: np.ndarray = inverse @ middle @ inverse
    return found


def _matrix_roots(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The square root of a symmetric matrix, and its inverse in the directions that it has."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    roots = np.sqrt(np.maximum(values, 0.0))
    there = roots > roots.max() * 1e-12
    back = np.where(there, 1.0 / np.where(there, roots, 1.0), 0.0)
    return vectors * roots @ vectors.T, vectors * back @ vectors.T


def outlyingness(values: np.ndarray) -> np.ndarray:
    r"""Robust Mahalanobis distance of every record, divided by its :math:`\chi^2` limit: above 1 is an outlier.

    Regularised minimum covariance determinant: from the half of the records that is nearest to the medians, centre and
    covariance are computed and the nearest half is taken anew until nothing changes. The covariance of the half is
    mixed with a tenth of the ordinary one, so that it cannot collapse where more than half of the records are equal in
    a column, and all is done in the directions in which the data vary, so that exact relations do no harm. A missing
    value counts as the median. O(n · columns² · steps) time, O(n · columns) memory.

    References
    ----------
    Boudt, Rousseeuw, Vanduffel and Verdonck (2020), The minimum regularized covariance determinant estimator,
    Statistics and Computing 30, 113–128.
    """
    from scipy.special import chdtri

    middle = np.nanmedian(values, axis=0)
    centred = np.where(np.isnan(values), middle, values) - middle
    ordinary = np.atleast_2d(np.cov(centred, rowvar=False))
    spread = np.sqrt(np.diag(ordinary))
    kept = covariance_factor(ordinary)
    base = kept / np.where(spread > 0, spread, 1.0)[:, None]
    scores = centred / np.where(spread > 0, spread, 1.0) @ base / (base**2).sum(axis=0)
    if not scores.size:
        return np.zeros(len(values))
    width, half = scores.shape[1], (len(scores) + 1) // 2
    distance = _from_medians(scores)
    inner = np.zeros(len(scores), dtype=bool)
    for _ in range(STEPS):
        chosen = distance <= np.partition(distance, half - 1)[half - 1]
        if (chosen == inner).all():
            break
        inner = chosen
        distance = _squared_distances(scores, inner)
    usual = float(np.median(distance))
    scale = chdtri(width, 0.5) / usual if usual > 0 else 1.0  # 0: more than half of the records are alike
    found: np.ndarray = np.sqrt(distance * scale / chdtri(width, 1 - CERTAIN))
    return found


def _from_medians(scores: np.ndarray) -> np.ndarray:
    apart = np.abs(scores - np.median(scores, axis=0))
    scale = np.median(apart, axis=0)
    usual = np.where(scale > 0, scale, scores.std(axis=0))
    found: np.ndarray = ((apart / np.where(usual > 0, usual, 1.0)) ** 2).sum(axis=1)
    return found


def _squared_distances(scores: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Squared distances by the regularised moments of the inner records; the scores have unit variance overall."""
    near = scores[inner]
    covariance = (1 - REGULAR) * np.cov(near, rowvar=False).reshape(scores.shape[1], -1)
    covariance += REGULAR * np.eye(scores.shape[1])
    apart = scores - near.mean(axis=0)
    found: np.ndarray = np.einsum("ij,ij->i", apart, np.linalg.solve(covariance, apart.T).T)
    return found
