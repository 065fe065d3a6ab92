"""Randomised response: everybody protects their own answer before anybody collects it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...errors import TacitError
from ...frozen import FrozenDict
from ...interval import Z
from ...result import DisplayMixin, format_fact
from ..cost import Cost, check_positive
from ..event import Event
from ..keys import check_keys, key_indices
from ..neighbours import Neighbours

LEAST = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares(DisplayMixin):
    """The estimated share of every category, unbiased, with its standard error."""

    value: Mapping[Hashable, float]
    standard_error: Mapping[Hashable, float]

    def rows(self) -> Iterator[tuple[str, str]]:
        """One line for each category."""
        for category, share in self.value.items():
            yield str(category), f"{format_fact(share)} ± {format_fact(Z * self.standard_error[category])}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponse:
    r"""The true category with chance :math:`p = e^\varepsilon/(e^\varepsilon + d - 1)`, else any other one.

    Two people of different categories give an answer with chances that differ by a factor of at most
    :math:`p(d-1)/(1-p) = e^\varepsilon`: ε-differential privacy of each record, without a trusted collector (local). A value
    that is not in the list is answered with any category, all equally likely. Neighbours are by replacement: that somebody
    answers is public.

    Examples
    --------
    >>> mechanism = RandomisedResponse(categories=("yes", "no"), epsilon="1.0986122886681098")
    >>> round(mechanism.truth, 4)
    0.75
    >>> answers = mechanism.release(["yes"] * 10 + ["unknown"])
    >>> len(answers), set(answers) <= {"yes", "no"}
    (11, True)

    References
    ----------
    Warner (1965), Randomized response, JASA 60. Kairouz, Bonawitz, Ramage (2016), Discrete distribution estimation under
    local privacy, ICML (k-ary form, estimate and its variance).
    """

    categories: tuple[Hashable, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", check_keys(self.categories, least=2))
        object.__setattr__(self, "epsilon", check_positive(self.epsilon, "epsilon"))
        if self.epsilon < LEAST:
            raise TacitError(
                f"epsilon {float(self.epsilon):g} leaves nothing of the answers",
                code="privacy_budget",
                fix="e.g. epsilon=1",
            )

    @property
    def neighbours(self) -> Neighbours:
        """One person's answer is replaced."""
        return "replace"

    @property
    def truth(self) -> float:
        """p, the chance of the true category; rounded down."""
        return _make_mechanism(len(self.categories), _float_below(self.epsilon))[0]

    @property
    def cost(self) -> Cost:
        """ε of everybody's own answer."""
        return Cost(self.epsilon)

    @property
    def event(self) -> Event:
        """What an accountant is told."""
        return Event(law="response", neighbours=self.neighbours, cost=self.cost, rho=self.epsilon**2 / 2)

    def release(self, values: Iterable[Hashable]) -> list[Hashable]:
        """The answer of each person. O(n)."""
        answer = _make_mechanism(len(self.categories), _float_below(self.epsilon))[1]
        return [self.categories[answer(place)] for place in key_indices(values, self.categories).tolist()]

    def estimate(self, answers: Iterable[Hashable]) -> Shares:
        r"""The shares of the true categories: :math:`\hat f = (c/n - q)/(p - q)` with :math:`q = (1-p)/(d-1)`.

        Its variance is :math:`\lambda(1-\lambda)/n(p-q)^2` with :math:`\lambda = q + f(p-q)`; the estimated share is cut to
        0 … 1 in it, not in the estimate, which would be biased then. Of no answers the shares are equal and the error is 1.
        """
        counts = Counter(answers)
        unknown = set(counts) - set(self.categories)
        if unknown:
            raise TacitError(
                f"{len(unknown)} answers are of no category", code="invalid_parameter", fix="give what release returned"
            )
        size, p = counts.total(), self.truth
        q = (1 - p) / (len(self.categories) - 1)
        shares, errors = {}, {}
        for category in self.categories:
            share = (counts[category] / size - q) / (p - q) if size else 1 / len(self.categories)
            chance = q + min(1.0, max(0.0, share)) * (p - q)
            shares[category] = share
            errors[category] = math.sqrt(chance * (1 - chance) / size) / (p - q) if size else 1.0
        return Shares(value=FrozenDict(shares), standard_error=FrozenDict(errors))


def _float_below(epsilon: Fraction) -> float:
    """The largest floating-point number that is not above ε: the nearest one may be, as 0.4 is above 2/5."""
    nearest = float(epsilon)
    return nearest if Fraction(nearest) <= epsilon else math.nextafter(nearest, 0)


@lru_cache(maxsize=64)
def _make_mechanism(categories: int, epsilon: float) -> tuple[float, Any]:
    """The chance p and OpenDP's mechanism over the places of the categories; p is lowered until its privacy map confirms ε."""
    from ..opendp import measurements

    wanted = min(1 / (1 + (categories - 1) * math.exp(-epsilon)), math.nextafter(1, 0))
    for back in range(64):
        truth = wanted - (2**back - 1) * math.ulp(wanted)
        mechanism = measurements.make_randomized_response(list(range(categories)), truth, T="i64")
        if mechanism.map(1) <= epsilon:
            return truth, mechanism
    raise AssertionError("no chance of the truth is confirmed")
