"""Linear regression with coefficients on a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...frozen import FrozenDict
from ...result import format_fact
from ..compact_repr import CompactRepr
from .design import Amount, Design, Labels, design_of, feature_columns
from .grid import Grid, on_grid
from .learner import Key
from .parameters import Parameters
from .targets import amount_of

if TYPE_CHECKING:
    from ...release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Linear(Parameters, CompactRepr):
    r"""Least squares of a column of amounts on others, coefficients rounded to ``rounding``.

    Features and target are in steps from their origins, labels are 0 or 1 (the first of a column is the one compared
    with), so that a coefficient is in steps of the target for one step of the feature. The key is
    :math:`\lfloor \beta_j / r + \tfrac12 \rfloor`, intercept first, then the features by name. Where records do not
    determine the coefficients, those of least norm are taken. O(n · q²) for q coefficients.

    References
    ----------
    Senavirathne and Torra (2018), Approximating robust linear regression with an integral privacy guarantee, PST, 1–10.

    >>> import polars as pl
    >>> from tacit import Release
    >>> homes = Release(pl.DataFrame({"size": [50.0, 70.0, 90.0, 110.0], "rent": [510.0, 690.0, 905.0, 1100.0]}))
    >>> learner = Linear(target="rent", grid={"size": 10, "rent": 100})
    >>> design = learner.build_design(homes)
    >>> key = learner.fit_key(learner.matrix(design, homes), design.target_values(homes))
    >>> dict(learner.describe_lines(key, design))
    {'rent': '800, at size 80', 'for 10 more of size': '+100'}
    """

    target: str
    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 0.1

    NAME: ClassVar[str] = "linear"
    MEASURED: ClassVar[str] = "R²"
    COUNTED: ClassVar[bool] = False
    HELD_OUT: ClassVar[bool] = True

    def build_design(self, release: Release) -> Design:
        """The features, named or all, and the target."""
        target = amount_of(release, self.target, self.grid)
        return design_of(release, feature_columns(release, self.on, but=self.target), self.grid, target=target)

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The rounded coefficients."""
        found, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(features)), features]), target, rcond=None)
        return on_grid(found, self.rounding)

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:
        """The target in steps."""
        slopes = np.array(key, dtype=float) * self.rounding
        found: np.ndarray = slopes[0] + features @ slopes[1:]
        return found

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """R²: 1 minus the squared error over that of the mean."""
        spread = float(((target - target.mean()) ** 2).sum())
        lost = float(((target - self.predict_targets(key, features)) ** 2).sum())
        return 1.0 - lost / spread if spread > 0 else 0.0

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The coefficients in the units of the target."""
        target = design.target
        assert isinstance(target, Amount)
        slopes = [one * self.rounding * target.step for one in key]
        yield from slopes_told(target.column, slopes, design, start=target.origin * target.step)

    def estimator(self, key: Key, design: Design) -> Any:
        """A ``LinearRegression`` that answers in the units of the target."""
        from sklearn.linear_model import LinearRegression

        target = design.target
        assert isinstance(target, Amount)
        slopes = np.array(key, dtype=float) * self.rounding * target.step
        made = LinearRegression()
        made.coef_, made.intercept_ = slopes[1:], float(slopes[0] + target.origin * target.step)
        made.n_features_in_ = len(slopes) - 1
        return made


def slopes_told(said: str, slopes: Sequence[float], design: Design, *, start: float = 0.0) -> Iterator[tuple[str, str]]:
    """An intercept at the origins of the features, and what each of them adds."""
    amounts = [one for one in design.features if isinstance(one, Amount)]
    at = ", ".join(f"{one.column} {one.format_steps(one.origin)}" for one in amounts)
    others = ", ".join(f"{one.column} {one.labels[0]}" for one in design.features if isinstance(one, Labels))
    yield said, f"{format_fact(start + slopes[0])}, at {', '.join(part for part in (at, others) if part)}"
    for (feature, place), slope in zip(design.columns(every_label=False), slopes[1:], strict=True):
        if isinstance(feature, Amount):
            left = f"for {feature.format_width()} more of {feature.column}"
        else:
            left = f"where {feature.column} is {feature.labels[place]}"
        yield left, f"{'+' if slope >= 0 else '−'}{format_fact(abs(slope))}"
