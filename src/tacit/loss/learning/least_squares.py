"""Least squares with an interval for every coefficient."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TypeAlias

import numpy as np

__all__ = ["INTERCEPT", "Intervals", "independent", "least_squares"]

Intervals: TypeAlias = Mapping[str, tuple[float, float]]
INTERCEPT = "intercept"
DEPENDENT = 1e-9
"""A column of which less than this share of its deviation is its own is a combination of the others."""
ROUNDING = 1e-13
"""So is one whose own deviation is less than this share of its largest value: it may be rounding."""


def independent(terms: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The terms that are no linear combination of the intercept and those before them. O(n · m²)."""
    kept: list[str] = []
    basis: list[np.ndarray] = []
    for name, values in terms.items():
        largest = float(np.abs(values).max(initial=0.0))
        if not largest:
            continue
        rest = values / largest
        rest = rest - rest.mean()
        size = float(np.linalg.norm(rest))
        for _ in range(2):  # once more for what rounding left
            for one in basis:
                rest = rest - one * (one @ rest)
        own = float(np.linalg.norm(rest))
        if own > max(DEPENDENT * size, ROUNDING * sqrt(len(values))):
            kept.append(name)
            basis.append(rest / own)
    return tuple(kept)


def least_squares(outcome: np.ndarray, terms: Mapping[str, np.ndarray]) -> Intervals | None:
    r"""The coefficients of the regression of the outcome on independent terms, with their 95 % intervals.

    None where there are no more records than coefficients.

    .. math:: \hat\beta_j \pm t_{n-p}\, s \sqrt{[(X^\top X)^{-1}]_{jj}}

    Summed in the order of the values, so that the order of the rows changes nothing. O(n log n + n · m²).

    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.0, 4.0])
    >>> low, high = least_squares(y, {"x": x})["x"]
    >>> round(low, 3), round(high, 3)
    (-0.017, 2.417)
    """
    from scipy.special import stdtrit

    records, left = len(outcome), len(outcome) - len(terms) - 1
    if left < 1:
        return None
    order = np.lexsort((outcome, *terms.values()))
    scales = {name: float(np.abs(values).max()) or 1.0 for name, values in terms.items()}
    design = np.column_stack([np.ones(records), *(terms[name][order] / scales[name] for name in terms)])
    height = float(np.abs(outcome).max()) or 1.0
    wanted = outcome[order] / height
    middle = np.append(0.0, design[:, 1:].mean(axis=0))
    unitary, upper = np.linalg.qr(design - middle)
    slopes = np.linalg.solve(upper, unitary.T @ wanted)
    errors = wanted - (design - middle) @ slopes
    inverse = np.linalg.inv(upper)
    # Back from the centred columns: the intercept is that at the mean less the slopes times the means.
    back = np.eye(len(middle))
    back[0] -= middle
    deviations = np.linalg.norm(back @ inverse, axis=1) * sqrt(float(errors @ errors) / left)
    found, reach = back @ slopes, float(stdtrit(left, 0.975)) * deviations
    units = [height / scale for scale in (1.0, *scales.values())]
    ends = zip((INTERCEPT, *terms), found - reach, found + reach, units, strict=True)
    return {name: (float(low * unit), float(high * unit)) for name, low, high, unit in ends}
