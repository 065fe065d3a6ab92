"""Standard errors of corrected estimates: of the people, of the noise, and of a scale of the noise that the people set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .moments import Sums
from .undo import Second, Way

STEP = 1e-5
"""Of the product of two standard deviations: by how much a covariance is moved to see what depends on it."""

Estimate = Callable[[Second], np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """The sums of a release, and what leads from its moments to those of the original: the last step is undone first."""

    columns: tuple[str, ...]
    sums: Sums
    ways: tuple[Way, ...]
    notes: tuple[str, ...]

    def undo(self, second: Second, *, first: int = 0, last: int | None = None) -> Second:
        """The moments before the steps; ``first`` and ``last`` are places among those to be undone."""
        for way in self.ways[first:last]:
            second = way.undo(second)
        return second

    def estimated(self, estimate: Estimate) -> tuple[np.ndarray, np.ndarray]:
        r"""What the estimate makes of the original moments, and its standard error.

        One group g of G records after the other is left out:

        .. math:: se^2 = \frac{G-1}{G} \sum_g (\hat\theta_{(g)} - \bar\theta)^2 + \text{the part of the scale}

        The first part takes the masked records as drawn one by one. Where the covariance of the noise is a share of that of
        the very sample, and was not published, it is not all: see :meth:`_scale`.
        """
        each = self._left_out(lambda second: estimate(self.undo(second)))
        spread = _variance(each)
        for place, way in enumerate(self.ways):
            if way.share is not None:
                spread = spread + self._scale(place, way, estimate)
            if way.shrunk is not None:
                spread = spread + self._centre(place, way, estimate)
        return estimate(self.undo(self.sums.second())), np.sqrt(spread)

    def _left_out(self, estimate: Estimate) -> np.ndarray:
        return np.array([estimate(self.sums.second(without)) for without in range(len(self.sums.count))])

    def _scale(self, place: int, way: Way, estimate: Estimate) -> np.ndarray:
        r"""The variance that comes from noise whose covariance is a share of the sample's own, E = share · S.

        With T = S'/c, c = 1 + share, the covariance after the noise deflated, and V the variance of the original S,
        C that of what the noise adds to S' (both per record), T has the variance V + C/c²: the noise swells with the sample. Leaving
        records out sees (V + C)/c², so that V (1 − 1/c²) is missing; V itself is c² times what leaving out sees, less C. An
        estimate takes the same along its gradient. Noise that was made to leave the sample's covariance exactly as it was
        adds no C at all. Never negative: C is estimated, too.
        """
        share = way.share
        assert share is not None
        corner = np.triu_indices(len(self.columns))
        whole = self.undo(self.sums.second(), last=place + 1)
        base = way.scaled(whole)
        gradient = self._gradient(place, way, whole, estimate, corner)
        each = self._left_out(lambda second: way.scaled(self.undo(second, last=place + 1))[corner])
        wide = (1.0 + share)[corner]
        added = _added_variance(base, share * base, way.flatness, corner) / self.sums.records
        kept = np.where(way.exact[corner], 0.0, 1.0 / wide)
        missing = (
            _variance(each @ (gradient * wide).T)
            - _variance(each @ gradient.T)
            - _form(gradient, added)
            + _form(gradient * kept, added)
        )
        positive: np.ndarray = np.maximum(0.0, missing)
        return positive

    def _centre(self, place: int, way: Way, estimate: Estimate) -> np.ndarray:
        """The variance of means that comes from values drawn towards the mean of the very sample.

        After y = m + (x + ε − m)/√(1 + k), m the sample's mean, the mean of y moves with m as a whole, where leaving records
        out sees 1/√(1 + k) of it: of the covariance Σ/n of two means the part 1 − 1/(1 + k) is missing.
        """
        whole = self.undo(self.sums.second(), last=place + 1)
        step, rows = STEP * np.sqrt(np.abs(np.diag(whole.total))), []
        for column in range(len(self.columns)):
            move = np.where(np.arange(len(self.columns)) == column, step, 0.0)
            ends = [
                estimate(self.undo(Second(whole.mean + by * move, whole.total, whole.within), first=place + 1))
                for by in (-1.0, 1.0)
            ]
            rows.append((ends[1] - ends[0]) / (2.0 * step[column]))
        missing = _form(np.array(rows).T, way.shrunk * way.scaled(whole)) / self.sums.records
        return np.maximum(0.0, missing)

    def _gradient(
        self, place: int, way: Way, whole: Second, estimate: Estimate, corner: Sequence[np.ndarray]
    ) -> np.ndarray:
        """How the estimates move with each covariance before the step: estimates × covariances."""
        base, rows = way.scaled(whole), []
        root = np.sqrt(np.abs(np.diag(base)))
        for i, j in zip(*corner, strict=True):
            move = np.zeros_like(base)
            move[i, j] = move[j, i] = STEP * root[i] * root[j]
            ends = [
                estimate(
                    self.undo(Second(whole.mean, whole.total + by * move, whole.within + by * move), first=place + 1)
                )
                for by in (-1.0, 1.0)
            ]
            rows.append((ends[1] - ends[0]) / (2.0 * move[i, j]))
        return np.array(rows).T


def _variance(each: np.ndarray) -> np.ndarray:
    """The jackknife variance of each column, from the values without one group after the other."""
    count = len(each)
    found: np.ndarray = (count - 1) / count * ((each - each.mean(axis=0)) ** 2).sum(axis=0)
    return found


def _form(gradient: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.einsum("ep,pq,eq->e", gradient, matrix, gradient)
    return found


def _added_variance(base: np.ndarray, noise: np.ndarray, flatness: float, corner: Sequence[np.ndarray]) -> np.ndarray:
    """The covariances, per record, of what noise adds to the products of values: x ε' + ε x' + ε ε' of independent x and ε."""
    (i, j), (k, m) = corner, corner

    def crossed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        found: np.ndarray = one[np.ix_(i, k)] * other[np.ix_(j, m)] + one[np.ix_(i, m)] * other[np.ix_(j, k)]
        return found

    found: np.ndarray = crossed(base, noise) + crossed(noise, base) + flatness * crossed(noise, noise)
    return found
