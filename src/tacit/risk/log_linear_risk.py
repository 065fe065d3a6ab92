"""Global risk from a log-linear model: how many sample uniques are expected to be population uniques."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError
from ..per_record import PerRecord
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .log_linear import Interactions, expected_people, paired
from .sampled import population_size_of

__all__ = ["log_linear_risk"]


def log_linear_risk(
    release: Release | Masked,
    *,
    interactions: Interactions = (),
    fraction: float | None = None,
    population_size: float | None = None,
) -> Results:
    r"""The population uniques among the sample uniques, and the right matches of them, under a Poisson log-linear model.

    A combination k of the quasi-identifiers has :math:`F_k \sim` Poisson(:math:`\lambda_k`) people, each in the sample
    with chance :math:`\pi_k`; :math:`\ln \lambda` has main effects, and the ``interactions`` named (pairs, or ``"all"``).
    Then, over the sample uniques,

    .. math:: \tau_1 = \sum_{f_k = 1} e^{-(1-\pi_k) \lambda_k}, \qquad
              \tau_2 = \sum_{f_k = 1} \frac{1 - e^{-(1-\pi_k) \lambda_k}}{(1-\pi_k) \lambda_k}

    are the expected numbers of those that are unique in the population (:math:`\Pr(F = 1 | f = 1)`) and of right matches
    (:math:`E(1/F | f = 1)`). λ is fitted to the summed sampling weights (pseudo maximum likelihood) and π is one over the
    weight; with ``fraction`` or ``population_size`` all records have the same weight. Other people's keys lend strength:
    a unique made of common values is less at risk than one of rare values. Some programs put the *sample* means
    :math:`\pi\lambda` in place of λ, and get figures many times as large. Main effects alone make combinations of
    dependent columns look rarer than they are: risk is overstated there.

    Identity disclosure, measured (C-01). Main effects O(n·m) without making the table; interactions need the table of
    the columns that they join, up to 5 million cells. In memory only; a missing key is a category of its own.

    >>> import polars as pl
    >>> survey = pl.DataFrame({"zip": ["N1"] * 4 + ["N2"], "sex": ["f", "f", "f", "m", "f"], "people": [10.0] * 5})
    >>> one, two = log_linear_risk(Release(survey, quasi=["zip", "sex"], weight="people"))
    >>> round(one.value, 4), round(two.value, 4)
    (0.0015, 0.2776)

    References
    ----------
    Skinner and Holmes (1998), Estimating the re-identification risk per record in microdata, JOS 14, 361–372.
    Elamir and Skinner (2006), Record level measures of disclosure risk for survey microdata, JOS 22, 525–539.
    Skinner and Shlomo (2008), Assessing identification risk in survey microdata using log-linear models, JASA 103,
    989–1001.
    """
    release = release_of(release)
    release.matches()  # asks what a missing key means, when nobody said
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        raise TacitError(
            f"a log-linear model is not fitted on {release.engine}", fix="read the file with engine='polars'"
        )
    people = population_size_of(release, fraction=fraction, population_size=population_size)
    weighted = fraction is None and population_size is None
    weights = release.weights() if weighted else np.full(release.size, people / release.size)
    expected = expected_people(release, weights, pairs := paired(release, interactions))
    alone = (classes.sizes == 1)[classes.of_record]
    hidden = np.maximum(0.0, 1.0 - 1.0 / weights) * expected
    unique = np.where(alone, np.exp(-hidden), 0.0)
    match = np.where(alone, -np.expm1(-hidden) / np.maximum(hidden, 1e-300), 0.0)
    facts = {
        "sample uniques": int(alone.sum()),
        "population": round(people),
        "sampling fraction": release.size / people,
        "model": f"main effects, {len(pairs)} interactions" if pairs else "main effects",
    }
    return Results(
        (
            _result("population uniques, log-linear", unique, facts),
            _result("right matches of sample uniques, log-linear", np.where(hidden > 0, match, alone), facts),
        )
    )


def _result(name: str, risks: np.ndarray, facts: dict[str, object]) -> Result:
    uniques = int(str(facts["sample uniques"]))
    return Result(
        name=name,
        value=float(risks.sum()),
        worse="high",
        about="identity",
        facts={"share of the sample uniques": float(risks.sum()) / max(1, uniques), **facts},
        per_record=PerRecord(array=risks),
    )
