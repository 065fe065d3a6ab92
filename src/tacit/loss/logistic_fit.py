"""Logistic regression without penalty, solved to rounding: the same files give the same chances to the last digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Design", "fitted_chances", "whitened"]

ALIKE = 1e-10
"""A direction with less than this share of the largest variance is one that the others already tell."""
FLAT = 1e-11
"""A gradient this small is rounding: the fit is done."""
STEPS = 30
"""Newton's method takes six or so; more only where the files can be told apart for sure, and the chances go to 0 and 1."""


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

    Newton's method from the constant :math:`c`, with steps halved while the likelihood falls. Two equal files have a
    gradient of 0 there, so that the answer is :math:`c` itself. O(n · k²) time per step.
    """
    share = float(masked.mean())
    terms = np.column_stack([np.ones(len(masked)), design.terms])
    weights = np.zeros(terms.shape[1])
    weights[0] = np.log(share / (1 - share))
    chances, likelihood = _said(terms, weights, masked)
    for _ in range(STEPS):
        gradient = terms.T @ (masked - chances) / len(masked)
        if np.abs(gradient).max() < FLAT:
            break
        curve = (terms * (chances * (1 - chances))[:, None]).T @ terms / len(masked)
        # Where chances go to 0 and 1 the curve goes flat; so little more does not move the optimum.
        curve[np.diag_indices_from(curve)] += 1e-9
        step = np.linalg.solve(curve, gradient)
        while True:
            new, higher = _said(terms, weights + step, masked)
            if higher >= likelihood or np.abs(step).max() < FLAT:
                break
            step = step / 2
        weights, chances, likelihood = weights + step, new, higher
    return chances


def _said(terms: np.ndarray, weights: np.ndarray, masked: np.ndarray) -> tuple[np.ndarray, float]:
    """The chances under some weights, and the mean logarithm of the likelihood."""
    said = terms @ weights
    odds = np.exp(-np.abs(said))
    chances = np.where(said >= 0, 1.0, odds) / (1 + odds)
    missed = np.where(masked, -said, said)
    return chances, -float(np.logaddexp(0.0, missed).mean())
