"""Correlations of the normal variables behind columns of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..swapping.copula import semidefinite
from .latent import TERMS, Latent

__all__ = ["correlations"]

LARGEST = 0.9999
GRID = np.tanh(np.linspace(-np.arctanh(LARGEST), np.arctanh(LARGEST), 801))
POWERS = GRID[:, None] ** np.arange(1, TERMS + 1)
LEAST = 1e-6
"""The smallest eigenvalue that a matrix of correlations is given."""


def correlations(columns: Sequence[Latent]) -> tuple[np.ndarray, float]:
    r"""The correlations of the variables behind the columns, and how far one had to be moved to make them a matrix.

    With scores :math:`s_x` and :math:`s_y` of two columns (the means of a normal variable between its cuts), Mehler's
    expansion has

    .. math:: E[s_x s_y] = \sum_{j \ge 1} \rho^j\, a_j b_j, \qquad a_j = E[s_x(Z) h_j(Z)],\; b_j = E[s_y(Z) h_j(Z)],

    which grows with ρ; the ρ at which it equals the mean product in the data is taken. Of two columns that are not cut
    this is the correlation of normal scores, of one cut and one that is not a closed form of the polyserial, and of two
    cut columns a moment estimate of the polychoric correlation. Each pair over the records that have both values; 0 where
    there is none, or a column has one value. O(n · columns²).
    """
    found = np.eye(len(columns))
    scores, known = [one.scores for one in columns], [one.known for one in columns]
    for i, j in combinations(range(len(columns)), 2):
        both = int((known[i] & known[j]).sum())
        curve = POWERS @ (columns[i].terms * columns[j].terms)
        if both < 2 or curve[-1] - curve[0] <= 1e-9:
            continue
        product = float(scores[i] @ scores[j]) / both  # 0 where a value is missing
        found[i, j] = found[j, i] = np.interp(product, np.maximum.accumulate(curve), GRID)
    repaired = semidefinite(found, least=LEAST)
    return repaired, float(np.abs(repaired - found).max())
