"""Columns as cuts of a normal variable: each value holds the stretch of it that its share of the records fills."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["TERMS", "Latent", "latent_of"]

TERMS = 60
"""Terms of the series for correlations of cut variables."""
SMOOTH = 0.999
"""A column whose scores have this share of the variance of a normal variable is as good as not cut."""


@dataclass(frozen=True, eq=False)
class Latent:
    r"""Code k of a column is the stretch :math:`(\tau_k, \tau_{k+1}]` of a standard normal Z; −1 is missing.

    ``score[k]`` is the mean of Z there, and ``terms[j]`` the coefficient :math:`E[s(Z) h_j(Z)]` of the scores on the j-th
    normalised Hermite polynomial, from j = 1 on.
    """

    codes: np.ndarray
    cuts: np.ndarray
    score: np.ndarray
    terms: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """Which records have a value."""
        return self.codes >= 0

    @property
    def scores(self) -> np.ndarray:
        """The score of every record, 0 where missing."""
        return np.where(self.known, np.append(self.score, 0.0)[self.codes], 0.0)

    @property
    def smooth(self) -> bool:
        """Whether hardly anything is lost by taking the scores for the variable itself."""
        return float((self.terms**2).sum()) >= SMOOTH

    def shown_by(self, codes: np.ndarray) -> Latent:
        """The same variable in other records, of which these are the codes."""
        return replace(self, codes=codes)

    def of(self, drawn: np.ndarray) -> np.ndarray:
        """The codes of draws of the normal variable."""
        return np.searchsorted(self.cuts[1:-1], drawn, side="left")


def latent_of(codes: np.ndarray, count: int) -> Latent:
    """The cuts of codes 0 … count − 1 in this order, by their shares among the records that have one; O(n + count)."""
    from scipy.special import ndtri

    sizes = np.bincount(codes[codes >= 0], minlength=count).astype(float)
    share = np.concatenate([[0.0], np.cumsum(sizes) / max(sizes.sum(), 1.0)])
    share[-1] = 1.0
    cuts = ndtri(share)
    held = np.diff(share)
    ends = _hermite(cuts)
    # ∫ h_j φ over a stretch is a difference of −h_{j−1} φ/√j at its ends
    parts = -np.diff(ends, axis=1) / np.sqrt(np.arange(1, TERMS + 1))[:, None]
    score = np.divide(parts[0], held, out=np.zeros(count), where=held > 0)
    return Latent(codes, cuts, score, parts @ score)


def _hermite(cuts: np.ndarray) -> np.ndarray:
    r"""Normalised Hermite polynomials times the density, :math:`h_0 φ, h_1 φ, …`, at the cuts; 0 at infinity."""
    finite = np.where(np.isfinite(cuts), cuts, 0.0)
    found = np.zeros((TERMS, len(cuts)))
    found[0] = np.where(np.isfinite(cuts), np.exp(-(finite**2) / 2) / np.sqrt(2 * np.pi), 0.0)
    found[1] = finite * found[0]
    for j in range(2, TERMS):
        found[j] = (finite * found[j - 1] - np.sqrt(j - 1) * found[j - 2]) / np.sqrt(j)
    return found
