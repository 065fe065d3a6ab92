"""Logistic regression with coefficients on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ..compact_repr import CompactRepr
from .design import Design, design_of, feature_columns
from .grid import Grid, checked_step, on_grid
from .learner import Key
from .linear import slopes_told
from .parameters import Parameters
from .targets import class_labels, labels_of

if TYPE_CHECKING:
    from ...release.release import Release


STEPS = 500
"""Of the optimiser, at most."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Logistic(Parameters, CompactRepr):
    r"""Logistic regression of a target of two labels, coefficients rounded to ``rounding`` log-odds.

    .. math:: \log \frac{P(y = 1)}{P(y = 0)} = \beta_0 + \beta^\top u, \qquad
              \min_\beta \sum_i \ell_i(\beta) + \tfrac{1}{2}\, ridge\, \lVert \beta_{1 \dots} \rVert^2

    The label 1 is the second in sorted order; features are coded as by :class:`Linear`. ``ridge`` keeps the coefficients
    of separable records finite. Records of one label give no model. The key is as that of :class:`Linear`. O(n · q) for
    each step of the optimiser (L-BFGS).

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = Release(pl.DataFrame({"age": [20, 30, 40, 50, 60, 70], "ill": ["no", "no", "yes", "no", "yes", "yes"]}))
    >>> learner = Logistic(target="ill", grid={"age": 10}, rounding=0.5)
    >>> design = learner.build_design(people)
    >>> key = learner.fit_key(learner.matrix(design, people), design.target_values(people))
    >>> dict(learner.describe_lines(key, design))
    {'log-odds of ill = yes': '-0.5, at age 40', 'for 10 more of age': '+1'}

    References
    ----------
    Senavirathne and Torra (2018), Approximating robust linear regression with an integral privacy guarantee, PST, 1–10.
    """

    target: str
    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 0.25
    ridge: float = 1.0

    NAME: ClassVar[str] = "logistic"
    MEASURED: ClassVar[str] = "accuracy"
    COUNTED: ClassVar[bool] = True
    HELD_OUT: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Parameters.__post_init__(self)
        checked_step("ridge", self.ridge)

    def build_design(self, release: Release) -> Design:
        """The features, named or all, and the target of two labels."""
        target = labels_of(release, self.target)
        if len(target.labels) > 2:
            raise TacitError(
                f"has {len(target.labels)} labels, and the model tells two apart",
                code="unsuitable_column",
                column=self.target,
                fix="use Tree, or recode the target to two labels",
            )
        return design_of(release, feature_columns(release, self.on, but=self.target), self.grid, target=target)

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The rounded coefficients."""
        from warnings import catch_warnings, simplefilter

        from sklearn.linear_model import LogisticRegression

        if len(features) == 0 or target.min() == target.max():
            return None
        with catch_warnings():
            simplefilter("ignore")  # a fit that stops at the last step is still a deterministic one
            fitted = LogisticRegression(C=1.0 / self.ridge, max_iter=STEPS).fit(features, target)
        return on_grid(np.concatenate([fitted.intercept_, fitted.coef_[0]]), self.rounding)

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:
        """1 where the odds are above one, else 0."""
        slopes = np.array(key, dtype=float) * self.rounding
        found: np.ndarray = (slopes[0] + features @ slopes[1:] > 0).astype(float)
        return found

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """The share of right answers."""
        return float((self.predict_targets(key, features) == target).mean())

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The coefficients as log-odds."""
        said = f"log-odds of {self.target} = {class_labels(design)[1]}"
        yield from slopes_told(said, [one * self.rounding for one in key], design)

    def estimator(self, key: Key, design: Design) -> Any:
        """A ``LogisticRegression``."""
        from sklearn.linear_model import LogisticRegression

        slopes = np.array(key, dtype=float) * self.rounding
        made = LogisticRegression(C=1.0 / self.ridge)
        made.coef_, made.intercept_ = slopes[None, 1:], slopes[:1]
        made.classes_, made.n_features_in_ = np.array(class_labels(design)), len(slopes) - 1
        return made
