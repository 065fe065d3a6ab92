"""One-to-one assignment of columns by how alike they are and by the company they keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .association import structural_similarity

ROUNDS = 6
SUPPORT = 0.7
"""How much of the doubt about a pair the company of its columns can take away."""
NOISE = 0.3
"""Pairs below this are as good as none, and must not push a better one aside."""
CLOSE = 0.02
"""An assignment without a pair that is worse by less than this is as good."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnAssociations:
    """The associations of the columns of both files, which of them have an order, and the numbers of rows."""

    theirs: np.ndarray
    ours: np.ndarray
    ordered: tuple[np.ndarray, np.ndarray]
    rows: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAssignment:
    """Their column number, ours, the score with the support of the others, and whether another pairing is as good."""

    theirs: int
    ours: int
    score: float
    ambiguous: bool


def assign_columns(scores: np.ndarray, signs: np.ndarray, company: ColumnAssociations) -> tuple[ColumnAssignment, ...]:
    """The pairs of the best assignment, the most alike first; scores of 0 are no pairs.

    It starts from the values alone, then counts for each pair how far its columns go alike with those of the other
    pairs (see :func:`structural_similarity`), assigns again, and so on until nothing changes. O(rounds · columns⁴) small steps at worst.
    """
    supported, support = scores, np.zeros_like(scores)
    pairs = _solve_assignment(scores)
    for _ in range(ROUNDS):
        support = _anchor_support(scores, signs, company, pairs=pairs, weights=supported)
        supported = np.where(scores > 0, scores + (1 - scores) * SUPPORT * support, 0.0)
        again = _solve_assignment(_assignment_objective(supported, support))
        if again == pairs:
            break
        pairs = again
    aim = _assignment_objective(supported, support)
    best = _assignment_total(aim)
    found = []
    for i, j in pairs:
        without = aim.copy()
        without[i, j] = 0.0
        close = best - _assignment_total(without) < CLOSE
        found.append(ColumnAssignment(theirs=i, ours=j, score=float(supported[i, j]), ambiguous=close))
    return tuple(sorted(found, key=lambda one: (-one.score, one.theirs)))


def _assignment_objective(supported: np.ndarray, support: np.ndarray) -> np.ndarray:
    aim: np.ndarray = np.where(supported > NOISE, supported - NOISE + NOISE * support, 0.0)
    return aim


def _solve_assignment(aim: np.ndarray) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(aim, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if aim[i, j] > 0]


def _assignment_total(aim: np.ndarray) -> float:
    return float(sum(aim[i, j] for i, j in _solve_assignment(aim)))


def _anchor_support(
    scores: np.ndarray,
    signs: np.ndarray,
    company: ColumnAssociations,
    *,
    pairs: list[tuple[int, int]],
    weights: np.ndarray,
) -> np.ndarray:
    found = np.zeros_like(scores)
    for i, j in np.argwhere(scores > 0):
        anchors = np.array([(k, other) for k, other in pairs if k != i and other != j], dtype=np.int64).reshape(-1, 2)
        k, other = anchors[:, 0], anchors[:, 1]
        a, b = company.theirs[i, k] * signs[i, j] * signs[k, other], company.ours[j, other]
        order = company.ordered[0][i] & company.ordered[1][j] & company.ordered[0][k] & company.ordered[1][other]
        a, b = np.where(order, a, np.abs(a)), np.where(order, b, np.abs(b))
        worth = np.maximum(weights[k, other] - NOISE, 0.0) / (1 - NOISE)
        found[i, j] = structural_similarity(a, b, weights=worth, rows=company.rows)
    return found
