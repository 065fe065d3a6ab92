"""Random factors with mean 1, one for every row and column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log1p, sqrt

import numpy as np

from ...seed import draw_rows
from .draws import standard_draws
from .linear import block_slices


def _lognormal_factors(seed: bytes, start: int, count: int, ends: tuple[float, float]) -> np.ndarray:
    variance = log1p(ends[1] ** 2)
    found: np.ndarray = np.exp(sqrt(variance) * standard_draws("normal", seed, start, count) - variance / 2)
    return found


def _normal_factors(seed: bytes, start: int, count: int, ends: tuple[float, float]) -> np.ndarray:
    return 1.0 + ends[1] * standard_draws("normal", seed, start, count)


def _bounded_factors(seed: bytes, start: int, count: int, ends: tuple[float, float]) -> np.ndarray:
    """One uniform draw u in [−1, 1): its sign is the direction, its size the place between the ends."""
    place = draw_rows(seed, start, count, lambda rng, n: rng.random(n)) * 2.0 - 1.0
    least, most = ends
    return 1.0 + np.copysign(least + (most - least) * np.abs(place), place)


FACTORS: dict[str, Callable[[bytes, int, int, tuple[float, float]], np.ndarray]] = {
    "lognormal": _lognormal_factors,
    "normal": _normal_factors,
    "bounded": _bounded_factors,
}
"""Name of the law → the factors of rows ``start …``; the ends are 0 and the spread, or the least and the largest change."""


@dataclass(frozen=True, eq=False)
class Factors:
    """A stream of factors for each column; columns with the same stream have the same factors."""

    law: str
    seeds: tuple[bytes, ...]
    ends: tuple[tuple[float, float], ...]

    def multiply_columns(self, values: Sequence[np.ndarray], start: int) -> list[np.ndarray]:
        """The columns times their factors, block after block."""
        made = [np.empty(len(part)) for part in values]
        for part, out, seed, ends in zip(values, made, self.seeds, self.ends, strict=True):
            for rows in block_slices(start, len(part)):
                factors = FACTORS[self.law](seed, start + rows.start, rows.stop - rows.start, ends)
                np.multiply(part[rows], factors, out=out[rows])
        return made
