"""Population uniques estimated from a sample: Pitman, Zayatz, slide negative binomial, and Dankar's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import TacitError, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from .sampling import population_size_of

LEAST, MOST = 1e-6, 1.0 - 1e-9
"""Between these α is sought; at the lower end the model is Ewens's, α = 0."""


class Pitman(NamedTuple):
    """The fitted parameters: ``theta`` people seen at first, ``alpha`` in [0, 1) how fast new keys keep coming."""

    theta: float
    alpha: float


def fit_pitman(found: ClassSizes) -> Pitman | None:
    r"""The maximum likelihood fit; None when there is none (all classes of one record, or one class).

    .. math:: L(\theta, \alpha) = \sum_{i=1}^{u-1} \ln(\theta + i\alpha) - \sum_{i=1}^{n-1} \ln(\theta + i)
              + \sum_j f_j \sum_{l=1}^{j-1} \ln(l - \alpha)

    for u classes of n records, :math:`f_j` of them of size j. For each α the derivative by θ falls from +∞ to below 0,
    so its root exists and is bracketed; the profile is then maximised over α and both are polished together. So the
    fit always ends. O(distinct sizes) for each of about a thousand evaluations.

    >>> fit = fit_pitman(ClassSizes(np.array([1, 2, 3]), np.array([60, 15, 5])))
    >>> 0 < fit.alpha < 1
    True
    """
    from scipy.optimize import minimize_scalar, root

    if not 1 < found.classes < found.records:
        return None
    best = minimize_scalar(
        lambda alpha: -_log_likelihood(found, _best_theta(found, alpha), alpha),
        bounds=(LEAST, MOST),
        method="bounded",
        options={"xatol": 1e-9},
    )
    alpha = float(best.x)
    start = [_best_theta(found, alpha), alpha]
    polished = root(lambda at: _likelihood_score(found, at[0], at[1]), start, tol=1e-14).x
    inside = LEAST < polished[1] < MOST and polished[0] > -polished[1]
    if inside and _log_likelihood(found, *polished) >= _log_likelihood(found, *start) - 1e-6:
        return Pitman(float(polished[0]), float(polished[1]))
    return Pitman(_best_theta(found, LEAST), 0.0) if alpha < 2 * LEAST else Pitman(float(start[0]), alpha)


def pitman_uniques(fit: Pitman, population: float) -> tuple[float, float]:
    r"""The share of uniques in the population: Hoshino's asymptotic form, and that of the finite population.

    .. math:: \frac{\Gamma(\theta+1)}{\Gamma(\theta+\alpha)} N^{\alpha - 1}, \qquad
              \frac{\Gamma(\theta+1)}{\Gamma(\theta+\alpha)} \cdot \frac{\Gamma(\theta+\alpha+N-1)}{\Gamma(\theta+N)}
    """
    from scipy.special import betaln, gammaln

    first = gammaln(fit.theta + 1) - gammaln(fit.theta + fit.alpha)
    rest = 1.0 - fit.alpha
    finite = betaln(fit.theta + fit.alpha + population - 1, rest) - gammaln(rest)
    return float(np.exp(first - rest * np.log(population))), float(np.exp(first + finite))


def _best_theta(found: ClassSizes, alpha: float) -> float:
    """The best θ for an α: the root of the score, bracketed in ln(θ + α)."""
    from scipy.optimize import brentq

    low, high = -30.0, np.log(found.records)
    while _likelihood_score(found, np.exp(high) - alpha, alpha)[0] > 0 and high < 100:
        high += 5.0
    if _likelihood_score(found, np.exp(low) - alpha, alpha)[0] <= 0 or high >= 100:
        return float(np.exp(high) - alpha)
    return float(
        np.exp(brentq(lambda at: _likelihood_score(found, np.exp(at) - alpha, alpha)[0], low, high, xtol=1e-13)) - alpha
    )


def _likelihood_score(found: ClassSizes, theta: float, alpha: float) -> tuple[float, float]:
    from scipy.special import digamma

    n, u, ratio = found.records, found.classes, theta / alpha
    new = (digamma(u + ratio) - digamma(ratio + 1)) / alpha
    inside = (found.counts * (digamma(found.sizes - alpha) - digamma(1 - alpha))).sum()
    return (
        float(new - digamma(n + theta) + digamma(theta + 1)),
        float((u - 1 - theta * new) / alpha - inside),
    )


def _log_likelihood(found: ClassSizes, theta: float, alpha: float) -> float:
    from scipy.special import gammaln

    n, u, ratio = found.records, found.classes, theta / alpha
    new = (u - 1) * np.log(alpha) + gammaln(u + ratio) - gammaln(ratio + 1)
    inside = (found.counts * (gammaln(found.sizes - alpha) - gammaln(1 - alpha))).sum()
    return float(new - gammaln(n + theta) + gammaln(theta + 1) + inside)


SOLVED = 1e-8


def estimate_zayatz(found: ClassSizes, population: int) -> float:
    r"""The share of uniques in the population, when its classes have sizes distributed as those of the sample.

    A class of j people shows one of them in a sample of n out of N with the hypergeometric chance

    .. math:: h_j = j \binom{N - j}{n - 1} \Big/ \binom{N}{n}, \qquad
              \Pr(F = 1 \mid f = 1) = \frac{f_1 h_1}{\sum_j f_j h_j}

    and the share of uniques is that chance times :math:`f_1 / n`. The ratios :math:`h_j / h_1 = j \prod_{i=1}^{j-1}
    (1 - \frac{n-1}{N-i})` are multiplied out, because binomial coefficients of millions lose half of their digits.
    O(largest size) time and memory.

    >>> round(estimate_zayatz(ClassSizes(np.array([1, 2]), np.array([50, 25])), 200), 4)
    0.3328
    """
    n, alone = found.records, found.of(1)
    if alone == 0:
        return 0.0
    possible = found.sizes <= population - n + 1
    sizes, counts = found.sizes[possible], found.counts[possible]
    left = np.log1p(-(n - 1) / (population - np.arange(1.0, sizes.max())))
    unseen = np.concatenate([[0.0], np.cumsum(left)])[sizes - 1]
    return float(alone / n * alone / (counts * sizes * np.exp(unseen)).sum())


FORMS = ("dankar", "pitman", "zayatz", "snb")

SMALL = 0.1
"""Up to this sampling fraction Dankar's rule takes Pitman's estimate."""


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"fraction": 0.1},
    needs=("weight",),
)
def estimated_uniques(
    release: Release | Masked,
    *,
    fraction: float | None = None,
    population_size: float | None = None,
    form: Literal["dankar", "pitman", "zayatz", "snb"] = "dankar",
) -> Result:
    r"""The share of people in the population who are alone with their quasi-identifiers, estimated from a sample.

    Only the class sizes of the release are read: :math:`f_j` classes of j records. The population has
    ``population_size`` people, or the release is a ``fraction`` of it; without either it has as many as the sampling
    weights sum to. Models (``form``):

    - ``"pitman"``: :math:`\Gamma(\theta+1)/\Gamma(\theta+\alpha)\, N^{\alpha-1}` with the maximum likelihood fit of
      Pitman's sampling formula (Hoshino); the form without the limit N → ∞ is among the facts;
    - ``"zayatz"``: the classes of the population have sizes distributed as those of the sample;
    - ``"snb"``: slide negative binomial class sizes (Chen and Keller-McNulty), with as many classes as make N people;
      refused when its equations have no solution;
    - ``"dankar"``: Pitman up to a fraction of 0.1, above it the smaller of the other two (Dankar and others).

    The facts have the chance that a sample unique is a population unique, which is also its ``per_record`` (0 for the
    others). When every record is alone no model has a finite fit, and the estimate is its limit, 1; a fraction of 1
    makes the release the population. The release must be a random sample with its values as they are or coarser: on
    perturbed files the estimate means nothing. A missing key is a category of its own. An estimate without an interval:
    between models, and between samples of a few hundred records, it may differ by a factor of two or three.

    Identity disclosure, measured. Time O(n·m) for the classes (a group-by on lazy engines), then milliseconds.

    >>> import polars as pl
    >>> keys = [str(i) for i in range(60)] + [str(i) for i in range(100, 120) for _ in range(3)]
    >>> print(estimated_uniques(Release(pl.DataFrame({"key": keys}), quasi="key"), fraction=0.05))
    population uniques, estimated                       0.05911
    people who are unique                               141.9
    chance that a sample unique is a population unique  0.1182
    sample uniques                                      60
    population                                          2,400
    sampling fraction                                   0.05
    model                                               pitman
    without the limit of many people                    0.05747

    References
    ----------
    Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment, JOS 17, 499–520.
    Zayatz (1991), Estimation of the percent of unique population elements on a microdata file using the sample,
    US Census Bureau.
    Chen and Keller-McNulty (1998), Estimation of identification disclosure risk in microdata, JOS 14, 79–95.
    Dankar, El Emam, Neisa, Roffey (2012), Estimating the re-identification risk of clinical data sets, BMC Medical
    Informatics and Decision Making 12, 66.
    """
    if form not in FORMS:
        raise TacitError(
            f"form={format_value(form)} of the estimate is unknown",
            code="unknown_name",
            parameter="form",
            fix=f"use one of {', '.join(FORMS)}",
        )
    release = release_of(release)
    found = class_sizes(release)
    people = population_size_of(release, fraction=fraction, population_size=population_size)
    share, model, more = _estimate_share(found, people, form)
    alone = found.of(1)
    chance = min(1.0, share * found.records / alone) if alone else 0.0
    return Result(
        name="population uniques, estimated",
        value=share,
        worse="high",
        about="identity",
        facts={
            "people who are unique": share * people,
            "chance that a sample unique is a population unique": chance,
            "sample uniques": alone,
            "population": round(people),
            "sampling fraction": found.records / people,
            "model": model,
            **more,
        },
        per_record=_record_risks(release, chance),
    )


def _estimate_share(found: ClassSizes, people: float, form: str) -> tuple[float, str, dict[str, Any]]:
    """The share of uniques, the model behind it, and further facts."""
    if round(people) == found.records:
        return found.of(1) / found.records, "none: the release is the population", {}
    if found.classes == found.records:
        return 1.0, "none: every record is alone, the limit of all models", {}
    if found.classes == 1:
        return 0.0, "none: all records are alike", {}
    if form == "pitman" or (form == "dankar" and found.records / people <= SMALL):
        fit = fit_pitman(found)
        assert fit is not None
        share, finite = pitman_uniques(fit, people)
        return min(1.0, share), "pitman", {"without the limit of many people": min(1.0, finite)}
    slide = slide_negative_binomial(found, people) if form != "zayatz" else None
    if form == "snb":
        if slide is None:
            raise TacitError(
                "the equations of the slide negative binomial have no solution for these class sizes",
                code="out_of_range",
                fix="use form='zayatz' or form='pitman'",
            )
        return slide, "snb", {}
    plain = estimate_zayatz(found, round(people))
    return (slide, "snb", {}) if slide is not None and slide < plain else (plain, "zayatz", {})


def _record_risks(release: Release, chance: float) -> PerRecord | None:
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        return None
    return PerRecord(array=lambda: np.where(classes.sizes == 1, chance, 0.0)[classes.of_record])


def slide_negative_binomial(found: ClassSizes, population: float) -> float | None:
    r"""The share of uniques in the population when F − 1 is negative binomial; None without a solution.

    Each of K classes has :math:`F = 1 + Y` people with :math:`\Pr(Y = 0) = \beta^\alpha`, so :math:`K \beta^\alpha` are
    unique. A sample of a fraction π shows, with :math:`x = (1-\pi)(1-\beta)`,

    .. math:: E f_1 = K \pi \Bigl(\frac{\beta}{1-x}\Bigr)^{\alpha} \Bigl(\frac{\alpha x}{1-x} + 1\Bigr), \qquad
              E f_2 = K \frac{\alpha \beta^\alpha \pi^2 (1-\beta)}{2 (1-x)^{\alpha+2}} \bigl(2 - (1-\alpha) x\bigr)

    classes of one and of two records. The population has N people, which is known: :math:`K (1 + \alpha (1-\beta)/\beta) = N`.
    The three equations are solved in ln α and the logit of β from several starts. The literature takes K from an estimator of
    its own (Shlosser's, as modified by Haas and Stokes), which is biased under the very model: the estimate was 11 times
    too large at a fraction of 0.05 and a quarter too small at 0.2 where this one is right. Where few classes
    are far larger than the model has them (keys by a power law) it overstates, up to twice at a fraction of 0.05. O(1) after the sizes.

    >>> sizes = ClassSizes(np.array([1, 2, 3, 4]), np.array([500, 120, 40, 20]))
    >>> round(slide_negative_binomial(sizes, 4 * sizes.records), 3)
    0.219
    """
    from scipy.optimize import least_squares

    share = found.records / population
    ones, twos = found.of(1), found.of(2)
    if ones == 0:
        return 0.0
    if twos == 0:
        return None

    def apart(at: np.ndarray) -> list[float]:
        alpha, beta = np.exp(at[0]), 1.0 / (1.0 + np.exp(-at[1]))
        classes = np.log(population) - np.log1p(alpha * np.exp(-at[1]))
        return [
            float(classes + part - np.log(real))
            for part, real in zip(_log_expectations(alpha, beta, share), (ones, twos), strict=True)
        ]

    for start in ((-2.0, -2.0), (0.0, 0.0), (-4.0, -4.0), (2.0, 2.0), (-4.0, 2.0), (0.0, -6.0), (2.0, -4.0)):
        end = least_squares(apart, start, bounds=((-30, -30), (30, 30)))
        if np.abs(end.fun).max() < SOLVED:
            alpha, beta = np.exp(end.x[0]), 1.0 / (1.0 + np.exp(-end.x[1]))
            return float(min(1.0, beta**alpha / (1.0 + alpha * np.exp(-end.x[1]))))
    return None


def _log_expectations(alpha: float, beta: float, share: float) -> tuple[float, float]:
    """The logarithms of E f_1 / K and E f_2 / K."""
    x = (1.0 - share) * (1.0 - beta)
    kept = alpha * (np.log(beta) - np.log1p(-x))
    one = np.log(share) + kept + np.log1p(alpha * x / (1.0 - x))
    two = np.log(alpha) + kept + 2 * np.log(share) + np.log1p(-beta) - 2 * np.log1p(-x)
    return float(one), float(two + np.log(2 - (1 - alpha) * x) - np.log(2))


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """``counts[i]`` classes have ``sizes[i]`` records."""

    sizes: np.ndarray
    counts: np.ndarray

    @property
    def records(self) -> int:
        """The number of records."""
        return int((self.sizes * self.counts).sum())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    def of(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())


def class_sizes(release: Release) -> ClassSizes:
    """The sizes of the exact classes, on any engine; a missing key is a category of its own."""
    release.matches()  # asks what a missing key means, when nobody said
    tally = release.classes().size().tally()
    return ClassSizes(np.array(list(tally), dtype=np.int64), np.array([found.classes for found in tally.values()]))
