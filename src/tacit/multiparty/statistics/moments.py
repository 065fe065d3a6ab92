"""Sums of values and of their products, exact and in whole units; correlations and linear regression follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ...errors import TacitError
from .column import NumericColumn
from .labels import column_labels


def column_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs of columns, each with itself too: the order of sums of products.

    >>> column_pairs(["age", "pay"])
    [('age', 'age'), ('age', 'pay'), ('pay', 'pay')]
    """
    return list(combinations_with_replacement(names, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """How many rows; for each column the sum of its values in units; for each of :func:`column_pairs` that of their products."""

    columns: tuple[NumericColumn, ...]
    rows: int
    totals: Mapping[str, int]
    products: Mapping[tuple[str, str], int]

    def means(self) -> dict[str, float]:
        """The means, in the columns' own measure."""
        return {one.name: float(Fraction(self.totals[one.name], self.rows * 10**one.decimals)) for one in self.columns}

    def centred(self, left: NumericColumn, right: NumericColumn) -> Fraction:
        """Σ (x − x̄)(y − ȳ) = Σ xy − Σx Σy / n, exactly."""
        pair = (left.name, right.name)
        product = self.products[pair if pair in self.products else pair[::-1]]
        whole = product - Fraction(self.totals[left.name] * self.totals[right.name], self.rows)
        return Fraction(whole, 10 ** (left.decimals + right.decimals))

    def covariances(self) -> dict[str, float]:
        """Sample covariances; a column with itself: its variance."""
        named = {one.name: one for one in self.columns}
        both = column_pairs(list(named))
        values = [float(self.centred(named[a], named[b]) / (self.rows - 1)) for a, b in both]
        return dict(zip(column_labels([(a,) if a == b else (a, b) for a, b in both]), values, strict=True))

    def correlations(self) -> dict[str, float | None]:
        """Pearson's r for each pair; None with a constant column."""
        named = {one.name: one for one in self.columns}
        different = [(a, b) for a, b in column_pairs(list(named)) if a != b]
        found = [self._pair_correlation(named[a], named[b]) for a, b in different]
        return dict(zip(column_labels(different), found, strict=True))

    def _pair_correlation(self, left: NumericColumn, right: NumericColumn) -> float | None:
        spread = self.centred(left, left) * self.centred(right, right)
        return float(self.centred(left, right)) / float(spread) ** 0.5 if spread else None

    def regression(self, target: str) -> dict[str, Any]:
        r"""Least squares: :math:`\hat\beta = S_{xx}^{-1} S_{xy}` of centred sums, the same as on the pooled rows to rounding.

        Gives coefficients with standard errors, R² and the residual standard deviation. O(p³).
        """
        named = {one.name: one for one in self.columns}
        used = [one for one in self.columns if one.name != target]
        if self.rows <= len(used) + 1:
            raise TacitError(
                f"{self.rows} rows do not determine {len(used) + 1} coefficients",
                code="invalid_protocol_input",
                fix="use more rows, or fewer columns",
            )
        sxx = np.array([[float(self.centred(a, b)) for b in used] for a in used])
        sxy = np.array([float(self.centred(a, named[target])) for a in used])
        scale = np.sqrt(np.diag(sxx))
        if not scale.all() or np.linalg.matrix_rank(sxx / np.outer(scale, scale), hermitian=True) < len(used):
            raise TacitError(
                "the columns depend on each other, or one is constant", code="no_variation", fix="leave one out"
            )
        inverse = np.linalg.inv(sxx / np.outer(scale, scale)) / np.outer(scale, scale)
        slopes = inverse @ sxy
        total, means = float(self.centred(named[target], named[target])), self.means()
        left = max(0.0, total - float(slopes @ sxy))
        variance = left / (self.rows - len(used) - 1)
        coefficients = {one.name: float(slope) for one, slope in zip(used, slopes, strict=True)}
        intercept = means[target] - sum(slope * means[name] for name, slope in coefficients.items())
        errors = np.sqrt(variance * np.diag(inverse))
        return {
            "coefficients": {"intercept": intercept} | coefficients,
            "standard errors": {one.name: float(error) for one, error in zip(used, errors, strict=True)},
            "R²": 1 - left / total if total else None,
            "residual deviation": variance**0.5,
        }
