"""Linear regression from noisy sums and products."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from ...frozen import FrozenDict
from ...result import DisplayMixin, format_fact
from ..cost import Cost
from .domain import as_number, chosen_features, column_of
from .noisy import with_noise

STEPS = 2**12
"""From the middle of the declared range to its end: products are whole numbers of 1/STEPS²."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinearModel(DisplayMixin):
    """y = intercept + Σ coefficient · x, what it cost, and about how many records there were (with noise)."""

    target: str
    intercept: float
    coefficients: Mapping[str, float]
    records: float
    cost: Cost

    def predict(self, data: Any) -> np.ndarray:
        """What the model says for each record of new data. O(n · features)."""
        columns = [slope * np.array(column_of(data, name), dtype=float) for name, slope in self.coefficients.items()]
        found: np.ndarray = self.intercept + np.sum(columns, axis=0)
        return found

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        yield self.target, f"{format_fact(self.intercept)} + …"
        yield from ((name, f"{format_fact(slope)} for each unit") for name, slope in self.coefficients.items())
        yield "cost", f"{self.cost}, one record added or removed"

    def __repr__(self) -> str:
        return f"<LinearModel of {self.target}, {self.cost}>"


def linear_regression(
    data: Any, *, target: str, features: str | Sequence[str], bounds: Mapping[str, tuple[float, float]], budget: Cost
) -> LinearModel:
    r"""Least squares of the target on the features, from noisy sums and products.

    Every value is cut off at its declared ``bounds`` and mapped to :math:`z \in [-1, 1]`; with :math:`z_0 = 1` the data
    are read once, for :math:`A = \sum z z^\top` and :math:`b = \sum z y`. One record adds at most 1 to each of the
    :math:`m = q(q+1)/2 + q` different entries (q features and the intercept): L1 sensitivity m, L2 sensitivity √m, when
    a record is added or removed. The noise is discrete, on whole steps of 2⁻²⁴: Laplace for a budget of ε, Gaussian for
    one of ρ, which is the better one with several features. What follows is post-processing: eigenvalues of A that noise
    can have made are raised to √q standard deviations of it (a ridge where there is nothing but noise), and
    :math:`\beta = A^{-1} b` is brought back to the units of the columns.

    Records with a gap or without a number are left out, a rule about each record alone. Time O(n · q²).

    >>> hours = [1.0, 2.0, 3.0, 4.0] * 500
    >>> data = {"hours": hours, "pay": [20 * one + 5 for one in hours]}
    >>> ends = {"hours": (0, 8), "pay": (0, 200)}
    >>> model = linear_regression(data, target="pay", features="hours", bounds=ends, budget=Cost.of(1000))
    >>> abs(model.coefficients["hours"] - 20) < 1, model.cost
    (True, Cost(amount=Fraction(1000, 1), delta=Fraction(0, 1), unit='epsilon'))

    References
    ----------
    Vu and Slavković (2009), Differential privacy for clinical trial data: preliminary evaluations, ICDM workshops,
    138–143. Wang (2018), Revisiting differentially private linear regression, UAI, 93–103.
    """
    chosen = chosen_features(features, target)
    ends = {name: _check_bounds(bounds, name) for name in (*chosen, target)}
    exact = scaled_moments([column_of(data, name) for name in ends], list(ends.values()))
    entries = len(exact)
    noisy, scale = with_noise(exact, l1=entries * STEPS**2, l2_squared=entries * STEPS**4, budget=budget)
    deviation = scale * (math.sqrt(2) if budget.unit == "epsilon" else 1.0) / STEPS**2
    matrix, right = _unpack_triangle(noisy / STEPS**2, len(chosen) + 1)
    slopes = _solve_regularised(matrix, right, floor=deviation * math.sqrt(len(right)))
    middle, half = (
        np.array(part)
        for part in zip(*((_interval_middle(*pair), _half_width(*pair)) for pair in ends.values()), strict=True)
    )
    by_unit = slopes[1:] * half[-1] / half[:-1]
    intercept = middle[-1] + half[-1] * slopes[0] - float(by_unit @ middle[:-1])
    return LinearModel(
        target=target,
        intercept=float(intercept),
        coefficients=FrozenDict(zip(chosen, by_unit.tolist(), strict=True)),
        records=float(matrix[0, 0]),
        cost=budget,
    )


def scaled_moments(columns: Sequence[Sequence[Any]], ends: Sequence[tuple[float, float]]) -> np.ndarray:
    """The upper triangle of A and then b, in whole steps; the target is the last column. One record adds at most STEPS²."""
    steps = [_values_in_steps(column, *pair) for column, pair in zip(columns, ends, strict=True)]
    known = ~np.any([np.isnan(one) for one in steps], axis=0)
    *inside, wanted = [one[known].astype(np.int64) for one in steps]
    design = [np.full(int(known.sum()), STEPS, dtype=np.int64), *inside]
    above = [int(design[i] @ design[j]) for i in range(len(design)) for j in range(i, len(design))]
    return np.array([*above, *(int(one @ wanted) for one in design)], dtype=np.int64)


def _values_in_steps(values: Sequence[Any], low: float, high: float) -> np.ndarray:
    """Z in whole steps, NaN where there is no number."""
    numbers = np.array([as_number(value) for value in values], dtype=float)
    inside = (np.clip(numbers, low, high) - _interval_middle(low, high)) / _half_width(low, high)
    found: np.ndarray = np.clip(np.rint(inside * STEPS), -STEPS, STEPS)
    return found


def _unpack_triangle(entries: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size)] = entries[:-size]
    return matrix + np.triu(matrix, 1).T, entries[-size:]


def _solve_regularised(matrix: np.ndarray, right: np.ndarray, *, floor: float) -> np.ndarray:
    """A⁻¹ b with the eigenvalues of A not below the floor."""
    values, vectors = np.linalg.eigh(matrix)
    found: np.ndarray = vectors @ ((vectors.T @ right) / np.maximum(values, max(floor, 1e-12)))
    return found


def _check_bounds(bounds: object, name: str) -> tuple[float, float]:
    said: Any = bounds.get(name) if isinstance(bounds, Mapping) else None
    fits = isinstance(said, list | tuple) and len(said) == 2
    if not fits or not all(isinstance(one, int | float) and math.isfinite(one) for one in said) or said[0] >= said[1]:
        raise TacitError(
            f"has the bounds {format_value(said)}",
            code="unsuitable_column",
            column=name,
            fix="declare the lowest and highest value: (0, 100)",
        )
    return float(said[0]), float(said[1])


def _interval_middle(low: float, high: float) -> float:
    return (low + high) / 2


def _half_width(low: float, high: float) -> float:
    return (high - low) / 2
