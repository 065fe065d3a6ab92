r"""Transition matrices :math:`R`, :math:`r_{kl} = \Pr(\text{released } l \mid \text{true } k)`, from shares and parameters.

:math:`\pi_k` is the share of category k among the records, all of them above 0. Every matrix here has rows that sum to
one; those of :func:`invariant_matrix`, :func:`two_stage` and :func:`risk_matrix` are *invariant*, :math:`\pi' R = \pi'`: the expected
margin of the masked column is that of the original. Of an invariant matrix the diagonal is the posterior, too:

.. math:: \Pr(\text{true } c \mid \text{released } c) = \frac{\pi_c r_{cc}}{\sum_k \pi_k r_{kc}} = r_{cc}.

Time and memory O(categories²); two_stage O(categories³).
"""

from __future__ import annotations

import numpy as np


def uniform_matrix(shares: np.ndarray, stay: float) -> np.ndarray:
    """Every value stays with probability ``stay`` and else becomes any other one, all equally likely.

    >>> uniform_matrix(np.array([0.5, 0.3, 0.2]), 0.8)[0].round(3).tolist()
    [0.8, 0.1, 0.1]
    """
    count = len(shares)
    found = np.full((count, count), (1 - stay) / (count - 1))
    np.fill_diagonal(found, stay)
    return found


def in_proportion(shares: np.ndarray, stay: float) -> np.ndarray:
    """Every value stays with probability ``stay`` and else becomes another one in proportion to their shares.

    >>> in_proportion(np.array([0.5, 0.3, 0.2]), 0.8)[0].round(3).tolist()
    [0.8, 0.12, 0.08]
    """
    found: np.ndarray = (1 - stay) * shares[None, :] / (1 - shares[:, None])
    np.fill_diagonal(found, stay)
    return found


def invariant_matrix(shares: np.ndarray, stay: float) -> np.ndarray:
    r"""Invariant: with probability :math:`1 - a` a value is drawn anew from the margin, :math:`R = aI + (1-a)1\pi'`.

    :math:`a = (stay - \pi_{\min})/(1 - \pi_{\min})`, so that the rarest category stays with probability ``stay`` and
    every other one with a larger one. Counts of the column against any other column keep the share a of their
    distance from independence, so that the analyst needs one number to put them right.

    >>> invariant_matrix(np.array([0.5, 0.3, 0.2]), 0.8)[2].round(3).tolist()
    [0.125, 0.075, 0.8]
    """
    kept = (stay - shares.min()) / (1 - shares.min())
    found: np.ndarray = kept * np.eye(len(shares)) + (1 - kept) * shares[None, :]
    return found


def two_stage(shares: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    r"""Invariant: a given matrix P, and after it the way back by Bayes' rule (Gouweleeuw et al. 1998).

    .. math:: R = PQ, \qquad q_{lk} = \frac{\pi_k p_{kl}}{\sum_j \pi_j p_{jl}}

    >>> R = two_stage(np.array([0.5, 0.3, 0.2]), uniform_matrix(np.ones(3), 0.8))
    >>> (np.array([0.5, 0.3, 0.2]) @ R).round(12).tolist()
    [0.5, 0.3, 0.2]
    """
    flow = shares[:, None] * matrix
    margin = flow.sum(axis=0)
    found: np.ndarray = matrix @ (flow / np.where(margin > 0, margin, 1)).T
    return found


def risk_matrix(shares: np.ndarray, rare: np.ndarray, bound: float) -> np.ndarray | None:
    r"""Invariant: ``rare`` categories S trade places with the common ones C until their posterior is the ``bound`` b.

    .. math:: r_{cd} = (1-b) \frac{\pi_d}{\pi_C}, \qquad r_{dc} = (1-b) \frac{\pi_c}{\pi_C},
              \qquad r_{cc} = b, \quad r_{dd} = 1 - (1-b)\frac{\pi_S}{\pi_C} \qquad (c \in S,\ d \in C)

    The flow :math:`\pi_c r_{cd}` is symmetric, so the matrix is invariant. Rare values do not become other rare ones, so
    that b is also the chance that a released rare value belongs to a record that had any rare value. None where the
    common records are too few to trade with.

    >>> R = risk_matrix(np.array([0.5, 0.48, 0.02]), np.array([False, False, True]), 0.6)
    >>> R.diagonal().round(3).tolist()
    [0.992, 0.992, 0.6]
    """
    common = float(shares[~rare].sum())
    if common <= 0 or (1 - bound) * float(shares[rare].sum()) > common:
        return None
    found = np.zeros((len(shares), len(shares)))
    traded = (1 - bound) * shares / common
    found[np.ix_(rare, ~rare)] = traded[~rare]
    found[np.ix_(~rare, rare)] = traded[rare]
    np.fill_diagonal(found, 1 - found.sum(axis=1))
    return found
