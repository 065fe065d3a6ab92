"""Give records a wanted mean and covariance exactly, moving them as little as possible."""

from __future__ import annotations

import numpy as np

from .moments import SINGULAR

__all__ = ["recoloured"]

PASSES = 3
"""The second pass removes what rounding left of the first."""


def recoloured(masked: np.ndarray, original: np.ndarray) -> np.ndarray:
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
        scores = scores @ _transport(scores.T @ scores, target)
    found: np.ndarray = scores @ base.T * unit + mean
    return found


def _transport(from_: np.ndarray, to: np.ndarray) -> np.ndarray:
    root, inverse = _powers(from_)
    middle, _ = _powers(root @ to @ root)
    found: np.ndarray = inverse @ middle @ inverse
    return found


def _powers(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The square root of a symmetric matrix, and its inverse in the directions that it has."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    roots = np.sqrt(np.maximum(values, 0.0))
    there = roots > roots.max() * 1e-12
    back = np.where(there, 1.0 / np.where(there, roots, 1.0), 0.0)
    return vectors * roots @ vectors.T, vectors * back @ vectors.T
