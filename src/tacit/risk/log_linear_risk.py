"""Global risk from a log-linear model: how many sample uniques are expected to be population uniques."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np

from ..errors import TacitError, check_columns, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .sampling import population_size_of

Interactions = Iterable[tuple[str, str]] | Literal["all"]

MOST_CELLS = 5_000_000
"""The largest table that is fitted: 40 MB a copy."""

STEPS, CLOSE = 2000, 1e-10


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"interactions": [["sex", "occupation"]]},
    needs=("weight",),
)
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

    Identity disclosure, measured. Main effects O(n·m) without making the table; interactions need the table of
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
        raise release.capabilities.unsupported("in_memory", "a log-linear model cannot be fitted")
    people = population_size_of(release, fraction=fraction, population_size=population_size)
    weighted = fraction is None and population_size is None
    weights = release.weights() if weighted else np.full(release.size, people / release.size)
    expected = expected_people(release, weights, pairs := interaction_pairs(release, interactions))
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
            _build_result("population uniques, log-linear", unique, facts),
            _build_result("right matches of sample uniques, log-linear", np.where(hidden > 0, match, alone), facts),
        )
    )


def _build_result(name: str, risks: np.ndarray, facts: dict[str, object]) -> Result:
    uniques = int(str(facts["sample uniques"]))
    return Result(
        name=name,
        value=float(risks.sum()),
        worse="high",
        about="identity",
        facts={"share of the sample uniques": float(risks.sum()) / max(1, uniques), **facts},
        per_record=PerRecord(array=risks),
    )


def interaction_pairs(release: Release, interactions: Interactions) -> tuple[tuple[str, str], ...]:
    """The pairs of quasi-identifiers that interact, checked; ``"all"`` for each two of them."""
    if interactions == "all":
        return tuple(combinations(release.quasi, 2))
    if isinstance(interactions, str) or not isinstance(interactions, Iterable):
        raise TacitError(
            f"interactions={format_value(interactions)} are not pairs of columns",
            code="wrong_type",
            parameter="interactions",
            fix="e.g. interactions=[('sex', 'age')] or interactions='all'",
        )
    pairs = tuple(check_columns(pair, release.quasi) for pair in interactions)
    if any(len(pair) != 2 for pair in pairs):
        raise TacitError(
            "an interaction is of two columns", code="not_applicable", fix="e.g. interactions=[('sex', 'age')]"
        )
    return tuple((pair[0], pair[1]) for pair in pairs)


def expected_people(release: Release, weights: np.ndarray, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    r"""For each record the people that the model expects with its combination, λ.

    .. math:: \ln \lambda_k = \mu + \sum_c a_{c, k_c} + \sum_{(c, d)} b_{cd, k_c k_d}

    fitted by maximum likelihood to the table of summed weights. Columns that no chain of interactions joins are
    independent, so the table of all combinations is never made: a column of its own contributes its margin, a set of
    joined columns the table of that set, fitted by iterative proportional fitting.
    """
    expected = np.full(release.size, float(weights.sum()))
    for columns in _joined_columns(release.quasi, pairs):
        inside = [pair for pair in pairs if pair[0] in columns]
        expected *= _cell_shares(release, weights, columns, inside)
    return expected


def _joined_columns(columns: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The columns in sets that interactions join."""
    sets = [[column] for column in columns]
    for one, other in pairs:
        first = next(part for part in sets if one in part)
        second = next(part for part in sets if other in part)
        if first is not second:
            first.extend(second)
            sets.remove(second)
    return sets


def _cell_shares(
    release: Release, weights: np.ndarray, columns: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> np.ndarray:
    """The fitted share of each record's cell in the table of some columns."""
    codes = [release.codes(column) for column in columns]
    shape = tuple(code.count for code in codes)
    if prod(shape) > MOST_CELLS:
        raise TacitError(
            f"interacts with others in a table of {prod(shape):,} cells, more than {MOST_CELLS:,}",
            code="out_of_range",
            column=columns[0],
            fix="name fewer interactions, or generalise the columns with many values first",
        )
    place = np.ravel_multi_index(tuple(code.codes.astype(np.int64) for code in codes), shape)
    table = np.bincount(place, weights=weights, minlength=prod(shape)) / weights.sum()
    if len(columns) > 2:
        axes = [tuple(sorted((columns.index(one), columns.index(other)))) for one, other in pairs]
        table = _fit_margins(table.reshape(shape), axes).ravel()
    shares: np.ndarray = table[place]
    return shares


def _fit_margins(table: np.ndarray, margins: Sequence[tuple[int, ...]]) -> np.ndarray:
    """The table with the given two-way margins and no other structure."""
    fit = np.full(table.shape, 1.0 / table.size)
    targets = []
    for margin in margins:
        others = tuple(axis for axis in range(table.ndim) if axis not in margin)
        targets.append((others, table.sum(axis=others, keepdims=True)))
    for _ in range(STEPS):
        furthest = 0.0
        for others, target in targets:
            now = fit.sum(axis=others, keepdims=True)
            furthest = max(furthest, float(np.abs(now - target).max()))
            fit = fit * np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if furthest < CLOSE:
            return fit
    raise TacitError(
        f"the log-linear model is not fitted after {STEPS} steps", code="wrong_type", fix="name fewer interactions"
    )
