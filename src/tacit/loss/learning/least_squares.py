"""Least squares with an interval for every coefficient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np

Intervals: TypeAlias = Mapping[str, tuple[float, float]]
INTERCEPT = "intercept"
DEPENDENT = 1e-9
"""A column of which less than this share of its deviation is its own is a combination of the others."""
ROUNDING = 1e-13
"""So is one whose own deviation is less than this share of its largest value: it may be rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Columns of the same records, without gaps, as far as least squares needs them: any of them on any others.

    ``sides`` are the columns, in units of their largest value (``scales``) and less their mean (``middle``), turned so that
    only as many coordinates as columns are not 0: lengths and angles, and so all regressions, stay as they are.
    """

    records: int
    scales: Mapping[str, float]
    middle: Mapping[str, float]
    sides: Mapping[str, np.ndarray]

    @staticmethod
    def of(columns: Mapping[str, np.ndarray]) -> Squares:
        """Summed in the order of the values, so that the order of the rows changes nothing. O(n log n + n · m²).

        >>> Squares.of({"x": np.array([0.0, 1.0]), "y": np.array([0.0, 2.0])}).records
        2
        """
        order = np.lexsort(tuple(columns.values()))
        if not len(order):
            return Squares(
                0, dict.fromkeys(columns, 1.0), dict.fromkeys(columns, 0.0), dict.fromkeys(columns, np.zeros(0))
            )
        scales = {name: float(np.abs(values).max()) or 1.0 for name, values in columns.items()}
        scaled = np.column_stack([values[order] / scales[name] for name, values in columns.items()])
        middle = scaled.mean(axis=0)
        triangle: np.ndarray = np.linalg.qr(scaled - middle, mode="r")  # type: ignore[assignment]
        means = dict(zip(columns, middle.tolist(), strict=True))
        return Squares(len(order), scales, means, dict(zip(columns, triangle.T, strict=True)))

    def independent(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those that are no linear combination of the intercept and the ones before them. O(m³)."""
        kept: list[str] = []
        basis: list[np.ndarray] = []
        for name in names:
            rest = self.sides[name]
            size = float(np.linalg.norm(rest))
            for _ in range(2):  # once more for what rounding left
                for one in basis:
                    rest = rest - one * (one @ rest)
            own = float(np.linalg.norm(rest))
            if own > max(DEPENDENT * size, ROUNDING * sqrt(self.records)):
                kept.append(name)
                basis.append(rest / own)
        return tuple(kept)

    def regression(self, outcome: str, terms: Iterable[str]) -> Intervals | None:
        r"""The coefficients of the regression of the outcome on independent terms, with their 95 % intervals. O(m³).

        None where there are no more records than coefficients.

        .. math:: \hat\beta_j \pm t_{n-p}\, s \sqrt{[(X^\top X)^{-1}]_{jj}}

        >>> both = Squares.of({"x": np.array([0.0, 1.0, 2.0, 3.0]), "y": np.array([0.0, 2.0, 2.0, 4.0])})
        >>> low, high = both.regression("y", ["x"])["x"]
        >>> round(low, 3), round(high, 3)
        (-0.017, 2.417)
        """
        from scipy.special import stdtrit

        terms = tuple(terms)
        left = self.records - len(terms) - 1
        if left < 1:
            return None
        wanted = self.sides[outcome]
        design = np.array([self.sides[name] for name in terms]).reshape(len(terms), len(wanted)).T
        unitary, upper = np.linalg.qr(design)
        slopes = np.linalg.solve(upper, unitary.T @ wanted)
        errors = wanted - design @ slopes
        inverse = np.linalg.inv(upper)
        # Back from the centred columns: the intercept is the mean of the outcome less the slopes times the means.
        middle = np.array([self.middle[name] for name in terms])
        found = np.append(self.middle[outcome] - middle @ slopes, slopes)
        lengths = np.append(
            np.hypot(sqrt(1 / self.records), np.linalg.norm(middle @ inverse)), np.linalg.norm(inverse, axis=1)
        )
        reach = float(stdtrit(left, 0.975)) * sqrt(float(errors @ errors) / left) * lengths
        units = [self.scales[outcome] / scale for scale in (1.0, *(self.scales[name] for name in terms))]
        ends = zip((INTERCEPT, *terms), found - reach, found + reach, units, strict=True)
        return {name: (float(low * unit), float(high * unit)) for name, low, high, unit in ends}
