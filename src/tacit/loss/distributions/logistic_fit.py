"""Logistic regression without penalty, on features made free of repetition."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

__all__ = ["Design", "fitted_chances", "whitened"]

ALIKE = 1e-10
"""A direction with less than this share of the largest variance is one that the others already tell."""
FLAT = 1e-9
"""The fit is done when no part of the mean gradient is larger."""
STEPS = 50
"""Newton's method takes six or so, and twenty where files can be told apart for sure and the chances go to 0 and 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A table of features made free of repetition: ``terms`` are uncorrelated, with mean 0, variance 1."""

    terms: np.ndarray

    @property
    def parameters(self) -> int:
        """The parameters of the regression: one for each term, and the constant."""
        return int(self.terms.shape[1]) + 1


def whitened(features: np.ndarray) -> Design:
    """The features as uncorrelated terms; constants and what other features tell already are left out.

    O(n · d²) time for d features, O(n · d) memory.

    >>> whitened(np.array([[1.0, 2.0, 7.0], [3.0, 6.0, 7.0]])).parameters
    2
    """
    centred = features - features.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    centred = centred[:, spread > ALIKE] / spread[spread > ALIKE]
    if not centred.shape[1]:
        return Design(centred)
    variances, directions = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = variances > ALIKE * variances[-1]
    return Design(centred @ (directions[:, kept] / np.sqrt(variances[kept])))


def fitted_chances(design: Design, masked: np.ndarray) -> np.ndarray:
    r"""The chance of each record to be a masked one, :math:`\hat p_i`, by maximum likelihood.

    Uncorrelated terms keep the curvature regular at the start. Where the files can be told apart there is no maximum:
    the chances go to 0 and 1 until the gradient is flat. O(n · k²) time per step of Newton's method.

    >>> same = whitened(np.array([[0.0], [1.0], [0.0], [1.0]]))
    >>> fitted_chances(same, np.array([False, False, True, True])).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    from sklearn.linear_model import LogisticRegression

    if not design.terms.shape[1]:
        return np.full(len(masked), masked.mean())
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=FLAT, max_iter=STEPS)
    with warnings.catch_warnings():
        # That chances of 0 and 1 leave no curvature is expected, and nothing that a user could mend.
        warnings.simplefilter("ignore")
        chances: np.ndarray = model.fit(design.terms, masked).predict_proba(design.terms)[:, 1]
    return chances
