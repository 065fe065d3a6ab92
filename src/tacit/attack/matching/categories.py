"""Categories: the same values, or other codes for the same values."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...release.codes import Codes

__all__ = ["Recoded", "recoded", "same_values"]

GENERIC = frozenset("0 1 2 3 4 5 6 7 8 9 y n yes no true false".split())
"""Values that many unrelated columns have."""
LARGEST = 50
MOST = 12
"""Codes are mapped onto others only when there are at most so many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recoded:
    """Which of our codes each of their codes is, and in [0, 1] how alike they are."""

    ours: np.ndarray
    score: float


def same_values(theirs: Codes, ours: Codes) -> float:
    """How far two columns of text are the same values, in [0, 1] (C-06).

    The share of their cells whose value we have too; with few values times how alike the frequencies are, less what
    chance explains. Values that anything may have (yes and no, small numbers) count four fifths. O(values).
    """
    p, q = _shares(theirs), _shares(ours)
    if not p.size or not q.size:
        return 0.0
    place = {value: number for number, value in enumerate(ours.dictionary)}
    own = np.array([place.get(value, -1) for value in theirs.dictionary])
    covered = float(p[own >= 0].sum())
    trust = 0.8 if all(value in GENERIC for value in theirs.dictionary) else 1.0
    if max(len(p), len(q)) > LARGEST:
        return trust * covered
    moved = np.bincount(own[own >= 0], weights=p[own >= 0], minlength=len(q))
    apart = float(np.abs(moved - q).sum()) / 2 + (1 - covered) / 2
    return trust * covered * max(0.0, 1 - max(0.0, apart - _chance(theirs, ours)))


def recoded(theirs: Codes, ours: Codes, *, profiles: tuple[np.ndarray, np.ndarray] | None = None) -> Recoded | None:
    """Their codes as other names of ours, found from how often each occurs and what goes with it; a guess (C-06).

    ``profiles`` gives for each code of either side further numbers in [0, 1], such as the mean rank of each column that was
    matched before among the records with that code. The codes are assigned one to one with the least total
    difference of frequencies and profiles. Evidence that two columns belong together is only half as good as equal values,
    because any two columns of two values look alike. None when their numbers differ or there are many.
    """
    from scipy.optimize import linear_sum_assignment

    p, q = _shares(theirs), _shares(ours)
    if len(p) != len(q) or not 2 <= len(p) <= MOST:
        return None
    cost = np.abs(p[:, None] - q[None, :])
    if profiles is not None and profiles[0].shape[1]:
        cost = cost + np.abs(profiles[0][:, None, :] - profiles[1][None, :, :]).sum(axis=2)
    _, own = linear_sum_assignment(cost)
    apart = float(np.abs(p - q[own]).sum()) / 2
    return Recoded(ours=own, score=0.5 * max(0.0, 1 - 2 * max(0.0, apart - _chance(theirs, ours))))


def _shares(codes: Codes) -> np.ndarray:
    counts = np.bincount(codes.codes, minlength=len(codes.dictionary) + 1)[: len(codes.dictionary)]
    found: np.ndarray = counts / max(1, counts.sum())
    return found


def _chance(theirs: Codes, ours: Codes) -> float:
    """About the distance of the frequencies of two samples from one population."""
    k, n, m = len(ours.dictionary), max(1, len(theirs.codes)), max(1, len(ours.codes))
    return 0.4 * sqrt(k * (1 / n + 1 / m))
