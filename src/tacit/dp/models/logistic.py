"""Logistic regression, fitted by scikit-learn on a noisy histogram."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ...result import DisplayMixin, format_fact
from ..cost import Cost
from .domain import Bins, Domain, checked_domains, chosen_features, column_of, domain_codes, domain_size
from .noisy import with_noise

MOST = 100_000
"""Cells of the histogram: with more, noise in empty cells is all that is left."""
LEAST = 1e-6
"""Weight of a cell at least, so that both classes are there whatever the noise did."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LogisticModel(DisplayMixin):
    """log odds of the second class = intercept + Σ coefficient · x, with 1 for a category and 0 for the others."""

    target: str
    classes: tuple[Hashable, Hashable]
    domains: Mapping[str, Domain]
    intercept: float
    coefficients: Mapping[str, float]
    cost: Cost

    def probability(self, data: Any) -> np.ndarray:
        """The chance of the second class for each record of new data. O(n · features).

        Numbers count as the middle of their bin; without a place, as the middle of the range or the first category.
        """
        from scipy.special import expit

        parts = [
            _design_columns(domain_codes(column_of(data, name), domain), domain)
            for name, domain in self.domains.items()
        ]
        found: np.ndarray = expit(self.intercept + np.hstack(parts) @ np.array(list(self.coefficients.values())))
        return found

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        yield f"log odds of {self.target} = {self.classes[1]}", f"{format_fact(self.intercept)} + …"
        yield from ((name, format_fact(slope)) for name, slope in self.coefficients.items())
        yield "cost", f"{self.cost}, one record added or removed"

    def __repr__(self) -> str:
        return f"<LogisticModel of {self.target}, {self.cost}>"


def logistic_regression(
    data: Any, *, target: str, features: str | Sequence[str], domains: Mapping[str, Domain], budget: Cost
) -> LogisticModel:
    r"""Log odds of a class as a weighted sum of the features, fitted on a noisy table of all of them.

    The data are read once, for the counts of all combinations of the declared ``domains``: bins of numbers, categories,
    and two classes. A record adds 1 to one cell: sensitivity 1, when it is added or removed. The cells get discrete noise
    (Laplace of scale 1/ε, Gaussian of scale √(1/2ρ)), those below 0 become 0, and scikit-learn fits

    .. math:: \log \frac{P(1 \mid x)}{P(0 \mid x)} = \beta_0 + \sum_j \beta_j x_j

    to the cells with their counts as weights and its usual ridge (C = 1, numbers scaled to −1 … 1): all of it
    post-processing. Each cell counts as the middle of its bins. The table has at most 100 000 cells; with many more cells
    than records noise prevails, so take few features and coarse bins. Records without a place are left out. Time
    O(n + cells).

    >>> data = {"dose": [1.0] * 300 + [9.0] * 300, "healed": ["no"] * 300 + ["yes"] * 300}
    >>> known = {"dose": Bins(0, 10, 5), "healed": ("no", "yes")}
    >>> model = logistic_regression(data, target="healed", features="dose", domains=known, budget=Cost.of(10))
    >>> bool(model.coefficients["dose"] > 0), (model.probability({"dose": [0.5, 9.5]}) > 0.5).tolist()
    (True, [False, True])

    References
    ----------
    Zhang, Zhang, Xiao, Yang and Winslett (2012), Functional mechanism: regression analysis under differential privacy,
    PVLDB 5, 1364–1375 (compares with fits on noisy histograms).
    """
    chosen = chosen_features(features, target)
    declared = checked_domains(domains, (*chosen, target))
    classes = declared.pop(target)
    if isinstance(classes, Bins) or len(classes) != 2:
        raise TacitError("has not two classes", code="no_variation", column=target, fix="declare two: ('no', 'yes')")
    counts = joint_histogram(data, target, declared, classes)
    noisy, _ = with_noise(counts, l1=1, l2_squared=1, budget=budget)
    intercept, slopes = _fit_weights(np.maximum(noisy, LEAST), declared)
    return LogisticModel(
        target=target,
        classes=(classes[0], classes[1]),
        domains=FrozenDict(declared),
        intercept=intercept,
        coefficients=FrozenDict(zip(_coefficient_names(declared), slopes.tolist(), strict=True)),
        cost=budget,
    )


def joint_histogram(
    data: Any, target: str, features: Mapping[str, Domain], classes: tuple[Hashable, ...]
) -> np.ndarray:
    """Counts of all combinations, the class last; one record adds 1 to at most one cell."""
    shape = (*(domain_size(domain) for domain in features.values()), len(classes))
    if math.prod(shape) > MOST:
        raise TacitError(
            f"the table of all features has {math.prod(shape):,} cells",
            code="invalid_parameter",
            fix="take fewer features or coarser bins",
        )
    at = [domain_codes(column_of(data, name), domain) for name, domain in (*features.items(), (target, classes))]
    inside = np.all([one >= 0 for one in at], axis=0)
    cells = np.ravel_multi_index([one[inside] for one in at], shape)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def _fit_weights(weights: np.ndarray, features: Mapping[str, Domain]) -> tuple[float, np.ndarray]:
    """Intercept and slopes in the units of the columns."""
    from sklearn.linear_model import LogisticRegression

    at = np.indices(weights.shape).reshape(weights.ndim, -1)
    design = np.hstack([_design_columns(one, domain) for one, domain in zip(at, features.values(), strict=False)])
    middle, half = _design_scaling(features)
    found = LogisticRegression(max_iter=2000).fit((design - middle) / half, at[-1], sample_weight=weights.ravel())
    slopes = found.coef_[0] / half
    return float(found.intercept_[0] - slopes @ middle), slopes


def _design_columns(at: np.ndarray, domain: Domain) -> np.ndarray:
    """The columns that a feature has in the model: the middle of the bin, or 1 for the category, without the first."""
    if isinstance(domain, Bins):
        return np.where(at >= 0, domain.middles[at], (domain.low + domain.high) / 2)[:, None]
    indicators: np.ndarray = (at[:, None] == np.arange(1, len(domain))).astype(float)
    return indicators


def _design_scaling(features: Mapping[str, Domain]) -> tuple[np.ndarray, np.ndarray]:
    """What is taken off each column of the design, and by what it is divided."""
    pairs: list[tuple[float, float]] = []
    for domain in features.values():
        if isinstance(domain, Bins):
            pairs.append(((domain.low + domain.high) / 2, (domain.high - domain.low) / 2))
        else:
            pairs += [(0.0, 1.0)] * (len(domain) - 1)
    middle, half = zip(*pairs, strict=True)
    return np.array(middle), np.array(half)


def _coefficient_names(features: Mapping[str, Domain]) -> list[str]:
    found: list[str] = []
    for name, domain in features.items():
        found += [name] if isinstance(domain, Bins) else [f"{name} = {category}" for category in domain[1:]]
    return found
