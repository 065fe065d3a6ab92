"""Combining rules: by hand, and by simulation of the coverage that they promise."""

from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, t

from tacit import Release, TacitError
from tacit.loss import combine_estimates
from tacit.protect import SynthTrees, implicates

Q, U = [10.0, 12.0, 14.0], [2.0, 3.0, 4.0]
"""Mean 12, variance within 3, between 4."""


def test_the_rules_by_hand():  # catalogue: L-01
    full = combine_estimates(Q, U, synthesis="full", size=0.5)
    assert full.value == 12
    assert full.facts["standard error"] == pytest.approx(sqrt(3 * (0.5 + 1 / 3)))
    assert full.interval[1] - 12 == pytest.approx(norm.ppf(0.975) * sqrt(2.5))
    partial = combine_estimates(Q, U, synthesis="partial")
    freedom = 2 * (1 + 3 / (4 / 3)) ** 2  # Reiter 2003: (m − 1)(1 + ū/(b/m))²
    assert partial.facts["degrees of freedom"] == pytest.approx(freedom) == pytest.approx(21.125)
    assert 12 - partial.interval[0] == pytest.approx(t.ppf(0.975, freedom) * sqrt(3 + 4 / 3))
    posterior = combine_estimates(Q, U, synthesis="posterior")
    assert posterior.facts["standard error"] == pytest.approx(sqrt(4 * 4 / 3 - 3))
    freedom = 2 * (1 - 3 / (16 / 3)) ** 2  # Raghunathan, Reiter, Rubin 2003: (m − 1)(1 − ū/((1 + 1/m) b))²
    assert posterior.facts["degrees of freedom"] == pytest.approx(freedom)
    negative = combine_estimates([1.0, 1.1, 1.2], U, synthesis="posterior", size=2)  # Reiter 2002: never negative
    assert negative.facts["standard error"] == pytest.approx(sqrt(6))
    assert "degrees of freedom" not in negative.facts
    assert combine_estimates([5.0], [4.0], synthesis="full").facts["standard error"] == pytest.approx(sqrt(8))
    assert combine_estimates([5.0, 5.0], [4.0, 4.0], synthesis="partial").facts["standard error"] == pytest.approx(2)


def covered(made, synthesis: str, runs: int, *, n: int, size: float = 1.0, seed: int = 1) -> float:
    """The share of intervals for the mean of N(0, 1) that hold 0; ``made`` gives m samples from one of n people."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(runs):
        files = made(rng.standard_normal(n), rng)
        found = combine_estimates(
            [f.mean() for f in files], [f.var(ddof=1) / len(f) for f in files], synthesis=synthesis, size=size
        )
        hits += found.interval[0] <= 0 <= found.interval[1]
    return hits / runs


def fitted(m: int, k: int):
    return lambda x, rng: [rng.normal(x.mean(), x.std(ddof=1), k) for _ in range(m)]


def from_posterior(m: int, k: int):
    """Parameters drawn from their posterior for each file, then a new sample of the population."""

    def made(x, rng):
        n = len(x)
        sigma = x.std(ddof=1) * np.sqrt((n - 1) / rng.chisquare(n - 1, (m, 1)))
        return list(rng.normal(rng.normal(x.mean(), sigma / sqrt(n)), sigma, (m, k)))

    return made


def half_replaced(m: int):
    """The first half of the records gets new values from the law of the sample, the others keep theirs."""

    def made(x, rng):
        half = len(x) // 2
        rest = x[:half]
        return [np.concatenate([rng.normal(rest.mean(), rest.std(ddof=1), half), x[half:]]) for _ in range(m)]

    return made


RULES = {
    "full, five files": (fitted(5, 100), "full", 1.0),
    "full, one file": (fitted(1, 100), "full", 1.0),
    "full, half as many records": (fitted(5, 50), "full", 0.5),
    "full, three times as many": (fitted(3, 300), "full", 3.0),
    "partial, every value": (fitted(5, 100), "partial", 1.0),
    "partial, half of the records": (half_replaced(5), "partial", 1.0),
    "posterior, a hundred files": (from_posterior(100, 100), "posterior", 1.0),
}


@pytest.mark.parametrize("case", RULES)
def test_intervals_cover_as_they_promise(case):  # catalogue: L-01
    """600 samples of 100: within 3 points of 95 %, more than three standard errors."""
    made, synthesis, size = RULES[case]
    assert abs(covered(made, synthesis, 600, n=100, size=size) - 0.95) < 0.03


def test_the_wrong_rule_is_wrong():
    """Of files drawn without drawing parameters, the rule for those that were finds half the standard error and less in
    a third of the cases; and three times as many records than told look three times as sure."""
    rng = np.random.default_rng(1)
    errors = {"full": [], "posterior": []}
    for _ in range(300):
        files = fitted(50, 100)(rng.standard_normal(100), rng)
        given = [f.mean() for f in files], [f.var(ddof=1) / 100 for f in files]
        for rule, found in errors.items():
            found.append(combine_estimates(*given, synthesis=rule).facts["standard error"])
    true = sqrt((1 + 1 / 50) / 100)
    assert (np.array(errors["posterior"]) < true / 2).mean() > 0.3
    assert (np.array(errors["full"]) < true / 2).mean() == 0
    assert covered(fitted(1, 300), "full", 500, n=100, size=1.0) < 0.9


def test_the_rule_holds_for_trees():
    """60 samples of 150 people: at least 50 intervals for the mean cover it; fewer have a chance of 2 in 10 000 at 95 %."""
    rng = np.random.default_rng(5)
    hits = 0
    for run in range(60):
        group = rng.integers(0, 2, 150)
        frame = pl.DataFrame({"g": pl.Series(["a", "b"]).gather(group), "y": group + rng.standard_normal(150)})
        files = [m.to_native()["y"] for m in implicates(Release(frame), SynthTrees(leaf=15), 3, seed=run)]
        found = combine_estimates([f.mean() for f in files], [f.var() / 150 for f in files], synthesis="full")
        hits += found.interval[0] <= 0.5 <= found.interval[1]
    assert hits >= 50


BAD = {
    "an unknown rule": (([1.0], [1.0]), {"synthesis": "ful"}, "did you mean 'full'"),
    "one file of a partial synthesis": (([1.0], [1.0]), {"synthesis": "partial"}, "how far files lie apart"),
    "no file": (([], []), {"synthesis": "full"}, "how far files lie apart"),
    "a missing variance": (([1.0, 2.0], [1.0]), {"synthesis": "full"}, "2 estimates and 1 variances"),
    "a negative variance": (([1.0], [-1.0]), {"synthesis": "full"}, "negative"),
    "no number": ((["a"], [1.0]), {"synthesis": "full"}, "not finite"),
    "not a number": (([float("nan")], [1.0]), {"synthesis": "full"}, "not finite"),
    "no size": (([1.0], [1.0]), {"synthesis": "full", "size": 0}, "is no share"),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes_are_said(case):
    given, how, words = BAD[case]
    with pytest.raises(TacitError, match=words):
        combine_estimates(*given, **how)
