"""The form that the differences of linked pairs give by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..differences import differences
from ..pairs import Pairs
from .bilinear import Definite
from .definite import parameters_of

__all__ = ["Mahalanobis"]

FLAT = 1e-10
"""A direction with less than this share of the largest variance is taken to have that share."""


@dataclass(frozen=True, slots=True)
class Mahalanobis(Definite):
    r"""The distance of Mahalanobis :math:`\delta^T \Sigma^{-1} \delta`, learned without any search (M-01).

    :math:`\Sigma` is the covariance of the signed differences between people and their own records: what the masking
    changed little counts much. A direction in which nothing was changed at all would have an infinite weight, and has
    10\ :sup:`10` times that of the direction that was changed most. O(pairs · columns²) time.

    References
    ----------
    Mahalanobis (1936), On the generalised distance in statistics, Proc. National Institute of Sciences of India 2, 49–55.
    """

    name: ClassVar[str] = "mahalanobis"

    def fixed(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:
        """The inverse of the covariance; the identity where there is nothing to learn from."""
        apart = differences(pairs, who, pairs.own[who], signed=True)
        centred = apart - apart.mean(axis=0) if len(who) else apart
        values, vectors = np.linalg.eigh(centred.T @ centred)
        if values.max(initial=0.0) <= 0:
            return parameters_of(np.eye(pairs.columns))
        inverse = (vectors * (len(who) / np.maximum(values, FLAT * values.max()))) @ vectors.T
        return parameters_of((inverse + inverse.T) / 2)
