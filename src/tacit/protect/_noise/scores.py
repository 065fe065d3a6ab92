"""Normal scores of a column and back, through its smoothed empirical distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TAIL = 0.05
"""Share of the values at either end over which the slope beyond it is taken."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Knots of the map between normal scores and values; equal values hold a stretch of scores."""

    score: np.ndarray
    value: np.ndarray
    slopes: tuple[float, float]

    def values(self, scores: np.ndarray) -> np.ndarray:
        """The quantiles at the scores: straight between the knots, and beyond the ends by the slope of the tails.

        Without the slope every score beyond the last knot would publish the largest value itself. An end that several
        records share (nothing earned) is no secret of one of them, and stays the end.
        """
        found: np.ndarray = np.interp(scores, self.score, self.value)
        low, high = self.slopes
        found += np.minimum(scores - self.score[0], 0.0) * low + np.maximum(scores - self.score[-1], 0.0) * high
        return found


def scale_of(values: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, Scale]:
    """The scores of the values (none missing), and the way back; ``place`` in [0, 1) is where each lies among its equals.

    Value number i of n in order has the score of the normal distribution at (i + ½)/n; equal values are spread over
    the stretch that they hold, at random. O(n log n) time.
    """
    from scipy.special import ndtri

    distinct, of_row, counts = np.unique(values, return_inverse=True, return_counts=True)
    before = np.cumsum(counts) - counts
    start, length = before + np.where(counts > 1, 0.25, 0.5), np.where(counts > 1, counts - 0.5, 0.0)
    scores = ndtri((start[of_row] + place * length[of_row]) / len(values))
    ends = np.concatenate([start, start + length])
    order = np.argsort(ends, kind="stable")
    ends, held = ends[order], np.tile(distinct, 2)[order]
    once = np.concatenate([[True], np.diff(ends) > 0])
    score, value = ndtri(ends[once] / len(values)), held[once]
    low = 0.0 if counts[0] > 1 else _tail_slope(score, value)
    high = 0.0 if counts[-1] > 1 else _tail_slope(-score[::-1], -value[::-1])
    return scores, Scale(score, value, (low, high))


def _tail_slope(score: np.ndarray, value: np.ndarray) -> float:
    """The slope of the lower tail."""
    from scipy.special import ndtri

    inside = max(int(np.searchsorted(score, ndtri(TAIL))), min(2, len(score) - 1))
    if inside < 1 or score[inside] == score[0]:
        return 0.0
    return float((value[inside] - value[0]) / (score[inside] - score[0]))
