"""Naive Bayes from noisy histograms of each feature by class."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError
from ...result import DisplayMixin
from ..cost import Cost
from .domain import Bins, Domain, checked_domains, chosen_features, column_of, domain_codes, domain_size
from .noisy import with_noise

SMOOTHING = 1.0
"""Added to every cell, as Laplace did: a value that no record of a class had is still possible."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NaiveBayes(DisplayMixin):
    """The chances of the classes, and of each feature's values in every class (rows), all in logarithms."""

    target: str
    classes: tuple[Hashable, ...]
    domains: Mapping[str, Domain]
    log_prior: np.ndarray
    log_chances: Mapping[str, np.ndarray]
    cost: Cost

    def probability(self, data: Any) -> np.ndarray:
        """The chance of every class (columns) for each record of new data; a value without a place says nothing. O(n)."""
        from scipy.special import softmax

        total: Any = self.log_prior
        for name, chances in self.log_chances.items():
            at = domain_codes(column_of(data, name), self.domains[name])
            total = total + np.where((at >= 0)[:, None], chances.T[np.maximum(at, 0)], 0.0)
        found: np.ndarray = softmax(total, axis=1)
        return found

    def predict(self, data: Any) -> list[Hashable]:
        """The likeliest class for each record of new data."""
        return [self.classes[place] for place in self.probability(data).argmax(axis=1)]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        for name, chance in zip(self.classes, np.exp(self.log_prior), strict=True):
            yield f"{self.target} = {name}", f"{chance:.3f}"
        yield "features", ", ".join(self.log_chances)
        yield "cost", f"{self.cost}, one record added or removed"

    def __repr__(self) -> str:
        return f"<NaiveBayes of {self.target}, {self.cost}>"


def naive_bayes(
    data: Any, *, target: str, features: str | Sequence[str], domains: Mapping[str, Domain], budget: Cost
) -> NaiveBayes:
    r"""Classes by Bayes' rule with independent features, from one noisy histogram for each feature.

    The data are read once, for the counts of each feature's values by class. A record adds 1 to one cell of each of the m
    histograms: L1 sensitivity m, L2 sensitivity √m, when it is added or removed; so the noise has scale m/ε (Laplace), or
    √(m/2ρ) (Gaussian). Then, as post-processing, counts below 0 are 0, every cell gets one more (Laplace's smoothing), and

    .. math:: P(c \mid x) \propto P(c) \prod_j P(x_j \mid c),

    with the classes' shares from the mean of the histograms. ``domains`` are declared for the target (categories) and the
    features (categories or :class:`Bins`). Records without a class are left out, values without a place count nowhere.
    Time O(n · m).

    >>> data = {"smokes": ["y", "n"] * 200, "ill": ["y", "n"] * 200}
    >>> yes_no = {"smokes": ("y", "n"), "ill": ("y", "n")}
    >>> naive_bayes(data, target="ill", features="smokes", domains=yes_no, budget=Cost.of(10)).predict({"smokes": ["n", "y"]})
    ['n', 'y']

    References
    ----------
    Vaidya, Shafiq, Basu and Hong (2013), Differentially private naive Bayes classification, Web Intelligence, 571–576.
    """
    chosen = chosen_features(features, target)
    declared = checked_domains(domains, (*chosen, target))
    classes = declared[target]
    if isinstance(classes, Bins):
        raise TacitError(
            "is a class and has bins", code="wrong_type", column=target, fix="declare its categories, ('yes', 'no')"
        )
    counts = class_histograms(data, target, {name: declared[name] for name in chosen}, classes)
    flat = np.concatenate([one.ravel() for one in counts.values()])
    noisy, _ = with_noise(flat, l1=len(chosen), l2_squared=len(chosen), budget=budget)
    ends = np.cumsum([one.size for one in counts.values()])[:-1]
    kept = [
        np.maximum(part, 0).reshape(one.shape) for part, one in zip(np.split(noisy, ends), counts.values(), strict=True)
    ]
    sizes = np.mean([one.sum(axis=1) for one in kept], axis=0) + SMOOTHING
    return NaiveBayes(
        target=target,
        classes=classes,
        domains={name: declared[name] for name in chosen},
        log_prior=np.log(sizes / sizes.sum()),
        log_chances={name: _log_probabilities(one) for name, one in zip(chosen, kept, strict=True)},
        cost=budget,
    )


def class_histograms(
    data: Any, target: str, features: Mapping[str, Domain], classes: tuple[Hashable, ...]
) -> dict[str, np.ndarray]:
    """Counts of each feature's values (columns) by class (rows); one record adds 1 to at most one cell of each."""
    group = domain_codes(column_of(data, target), classes)
    found = {}
    for name, domain in features.items():
        at, wide = domain_codes(column_of(data, name), domain), domain_size(domain)
        inside = (group >= 0) & (at >= 0)
        cells = np.bincount(group[inside] * wide + at[inside], minlength=len(classes) * wide)
        found[name] = cells.reshape(len(classes), wide)
    return found


def _log_probabilities(counts: np.ndarray) -> np.ndarray:
    smooth = counts + SMOOTHING
    found: np.ndarray = np.log(smooth / smooth.sum(axis=1, keepdims=True))
    return found
