"""Directions along which more people may be found."""

from __future__ import annotations

import numpy as np

from .ground import Ground

__all__ = ["Compass"]

FEW, MANY = 24, 60
"""Directions of a round, by the number of parameters."""
RIDGE = 1e-3
"""Added to the diagonal of a correlation matrix before it is inverted."""
WIDE = 2000
"""With more parameters a matrix takes seconds to invert, and only its diagonal is looked at."""


class Compass:
    """Draws directions, some of each kind, scaled by what stands around the point (M-01)."""

    def __init__(self, rng: np.random.Generator, others: list[np.ndarray]) -> None:
        self.rng, self.others = rng, others

    def directions(self, ground: Ground) -> np.ndarray:
        """A round of them, in random order.

        Single parameters; a few parameters by about their own size; all of them, such that the closest margins of
        those who are found change alike; the same mixed with what somebody not found needs most; and towards other
        points.
        """
        size = ground.rows.size
        some = int(np.clip(size, FEW // 4, MANY // 4))
        shape = self._shape(ground)
        parts = [
            np.eye(size)[self.rng.permutation(size)[:some]],
            self._sparse(ground.point, some),
            self.rng.normal(size=(some, size)) @ shape.T,
            self._wanted(ground, shape, some),
            *(other[None] - ground.point for other in self.others),
        ]
        drawn: np.ndarray = np.concatenate(parts)
        drawn = drawn[np.abs(drawn).max(axis=1) > 0]
        self.rng.shuffle(drawn)
        return drawn

    def away(self, ground: Ground, loses: int) -> np.ndarray:
        """A point in a random direction, so far off that about so many of those who are found there no longer are."""
        where = ground.tightest()
        where = where[ground.state.found & (where >= 0)]
        direction = self._shape(ground) @ self.rng.normal(size=ground.rows.size)
        rate = -(ground.values[where] @ direction) / ground.state.margin[where]
        steps = np.sort(1.0 / rate[rate > 0])
        step = steps[min(loses, len(steps)) - 1] if len(steps) else 0.0
        point: np.ndarray = ground.point + step * direction
        return point

    def _sparse(self, point: np.ndarray, count: int) -> np.ndarray:
        size = len(point)
        few = self.rng.integers(2, min(size, 6) + 1, size=(count, 1)) if size > 1 else np.ones((count, 1))
        kept = self.rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1) < few
        floor = 1e-3 * (self.rng.random((count, 1)) < 0.3)
        drawn: np.ndarray = kept * self.rng.normal(size=(count, size)) * (np.abs(point) + floor)
        return drawn

    def _shape(self, ground: Ground) -> np.ndarray:
        r"""A matrix L with :math:`L L^T = (\sum_i v_i v_i^T / (v_i p)^2)^{-1}` over the closest rows of those found."""
        where = ground.tightest()
        where = where[ground.state.found & (where >= 0)]
        rate = ground.values[where] / np.maximum(ground.state.margin[where], 1e-100)[:, None]
        rate /= max(np.abs(rate).max(initial=0.0), 1e-300)
        wide = rate.shape[1] > WIDE
        spread = np.empty((0, 0)) if wide else rate.T @ rate
        scale = np.sqrt((rate**2).sum(axis=0) if wide else np.diag(spread))
        scale = np.where(scale > 0, scale, max(scale.max(initial=0.0), 1.0))
        if wide:
            return np.diag(1.0 / scale)
        alike = spread / scale[:, None] / scale + RIDGE * np.eye(len(scale))
        shape: np.ndarray = np.linalg.inv(np.linalg.cholesky(alike)).T / scale[:, None]
        return shape

    def _wanted(self, ground: Ground, shape: np.ndarray, count: int) -> np.ndarray:
        where = ground.tightest()
        where = where[~ground.state.found & (where >= 0)]
        if not where.size:
            return np.empty((0, ground.rows.size))
        turned = ground.values[self.rng.choice(where, count)] @ shape
        turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300)
        noise = self.rng.normal(size=turned.shape) / np.sqrt(turned.shape[1])
        drawn: np.ndarray = (turned + 2.0 * self.rng.random((count, 1)) * noise) @ shape.T
        return drawn
