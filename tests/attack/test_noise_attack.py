"""Noise of known law: likelihood against a slow oracle, windows that hold the truth, power. catalogue: M-05, E-01."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import lognorm, multivariate_normal

from tacit import Release
from tacit.attack import Distance
from tacit.attack.transparency import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import AddNoise, MultiplyNoise, Rotate

from .law_oracle import cost, known_of, truth_allowed


def amounts(rows: int, *, wide: int = 3, seed: int = 0, whole: bool = False) -> Release:
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(wide, wide)) + 2 * np.eye(wide)
    values = rng.normal(size=(rows, wide)) @ mixing * 100 + 500
    frame = {f"x{j}": np.round(part).astype(int) if whole else part for j, part in enumerate(values.T)}
    kinds = dict.fromkeys(frame, "continuous")
    return Release(pl.DataFrame(frame), quasi=list(frame), kinds=kinds)


def values(release: Release) -> np.ndarray:
    return release.to_native().to_numpy().astype(float)


def found(masked, original, attack) -> float:
    claims = attack.claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    return judge(claims, Truth.by_lineage(masked.rows(), original.size)).value


# The likelihood is exact: all pairs, by SciPy's density with the covariance of the trace.


def of_pairs(table: np.ndarray) -> np.ndarray:
    """Costs without what a person or a record costs by itself."""
    return table - table[:, :1] - table[:1] + table[0, 0]


@pytest.mark.parametrize("form", ["correlated", "uncorrelated"])
def test_the_cost_is_minus_the_log_likelihood_of_the_noise(form):
    original = amounts(60)
    masked = original.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.3, form=form), seed=1)
    told = masked.trace[0].outcome["noise_covariance"].value
    law = multivariate_normal(np.zeros(3), np.array([[told[a].get(b, 0.0) for b in told] for a in told]))
    old, new = values(original), values(masked.release)
    exact = np.array([[-law.logpdf(y - x) for y in new] for x in old])
    assert np.allclose(of_pairs(cost(known_of(masked, original))), of_pairs(exact), atol=1e-6)


def test_a_transformed_release_is_met_by_transformed_values():
    original = amounts(60)
    masked = original.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.3, form="transformed"), seed=1)
    told = masked.trace[0].outcome["noise_covariance"].value
    shrink = 1 / np.sqrt(1.3)
    law = multivariate_normal(np.zeros(3), np.array([[told[a][b] for b in told] for a in told]) * shrink**2)
    old, new = values(original), values(masked.release)
    centre = new.mean(axis=0)
    exact = np.array([[-law.logpdf(y - centre - (x - centre) * shrink) for y in new] for x in old])
    assert np.allclose(of_pairs(cost(known_of(masked, original))), of_pairs(exact), atol=1e-6)


def test_factors_have_the_likelihood_of_their_logarithms():
    rng = np.random.default_rng(3)
    original = Release(pl.DataFrame({"pay": np.exp(rng.normal(8, 1, 50))}), quasi="pay", kinds={"pay": "continuous"})
    masked = original.protect(MultiplyNoise(columns="pay", spread=0.2), seed=1)
    old, new = values(original).ravel(), values(masked.release).ravel()
    deviation = np.sqrt(np.log1p(0.04))
    # density of ln y, because a density of y has the factor 1/y, which is that of the released record and not of the pair
    exact = np.array(
        [[-lognorm.logpdf(y / x * np.exp(deviation**2 / 2), deviation) - np.log(y / x) for y in new] for x in old]
    )
    assert np.allclose(of_pairs(cost(known_of(masked, original))), of_pairs(exact), atol=1e-6)


def test_a_missing_cell_takes_as_few_coordinates_as_it_can():
    original = amounts(40)
    masked = original.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.3), seed=1)
    holes = np.arange(40) < 10
    known = known_of(type(masked)(masked.release.suppress_cells({"x0": holes}), masked.trace), original)
    gaps = [int(np.isnan(pair.release).sum()) for pair in known.compared]
    assert gaps == [0, 0, 0, 10]  # x0 comes last, so that the others are told of all records


# What is impossible is impossible


@given(
    seed=st.integers(0, 10**6),
    form=st.sampled_from(["correlated", "uncorrelated"]),
    whole=st.booleans(),
    outliers=st.sampled_from([None, 3.0]),
    rows=st.integers(12, 60),
)
def test_the_truth_is_inside_the_windows_of_uniform_noise(seed, form, whole, outliers, rows):
    original = amounts(rows, seed=seed, whole=whole)
    method = AddNoise(
        columns=["x0", "x1", "x2"],
        variance=0.2,
        form=form,
        distribution="uniform",
        outliers=outliers,
        bounds={"x0": [-1e6, float(original.to_native()["x0"].max())]},
    )
    known = known_of(original.protect(method, seed=seed), original)
    assert known.certain and truth_allowed(known).all()


@given(
    seed=st.integers(0, 10**6),
    law=st.sampled_from(["lognormal", "normal", "bounded"]),
    whole=st.booleans(),
    bounded=st.booleans(),
)
def test_the_truth_is_inside_the_windows_of_factors(seed, law, whole, bounded):
    rng = np.random.default_rng(seed)
    pay = rng.normal(0, 20, 60) * rng.integers(0, 2, 60)
    pay = np.round(pay).astype(int) if whole else pay
    pay = np.abs(pay) if bounded else pay
    original = Release(pl.DataFrame({"pay": pay}), quasi="pay", kinds={"pay": "continuous"})
    ends = {"least": 0.05, "most": 0.4} if law == "bounded" else {"spread": 0.5}
    method = MultiplyNoise(columns="pay", distribution=law, bounds={"pay": [0, None]} if bounded else {}, **ends)
    known = known_of(original.protect(method, seed=seed), original)
    assert known.certain and truth_allowed(known).all()


def test_windows_of_uniform_noise_make_sure_links_that_are_right():
    original = amounts(400, wide=4)
    method = AddNoise(columns=list(original.columns), variance=0.001, form="uncorrelated", distribution="uniform")
    masked = original.protect(method, seed=2)
    claims = Transparency().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    sure = claims.sure[claims.claim_of]
    assert sure.mean() > 0.9
    assert judge(claims, Truth.by_lineage(masked.rows(), 400)).value >= sure.mean()
    assert (claims.set_sizes()[sure] == 1).all()


# Power


def test_unequal_noise_is_no_hiding_place():
    """Four columns drown in noise and two do not: plain distance counts all alike, likelihood does not."""
    rng = np.random.default_rng(5)
    frame = {f"x{j}": rng.normal(size=800) for j in range(6)}
    original = Release(pl.DataFrame(frame), quasi=list(frame), kinds=dict.fromkeys(frame, "continuous"))
    variance = {name: 0.01 if j < 2 else 4.0 for j, name in enumerate(frame)}
    masked = original.protect(AddNoise(columns=list(frame), variance=variance, form="uncorrelated"), seed=3)
    plain, best = found(masked, original, Distance()), found(masked, original, Transparency())
    assert best > 2 * plain
    # as much as Bayes' rule over all pairs finds, and more than the exact maximum of the likelihood
    told = masked.trace[0].outcome["noise_covariance"].value
    deviation = np.sqrt([told[name][name] for name in frame])
    gaps = (values(original)[:, None, :] - values(masked.release)[None, :, :]) / deviation
    likelihood = -0.5 * (gaps**2).sum(axis=2)
    likeliest = float((likelihood.argmax(axis=1) == np.arange(800)).mean())
    ratio = likelihood - logsumexp(likelihood, axis=0)
    exact = float((ratio.argmax(axis=1) == np.arange(800)).mean())
    assert best == pytest.approx(exact, abs=0.02) and best > 1.1 * likeliest


@pytest.mark.parametrize(("rows", "nearest"), [(60, 60), (300, 32)])
def test_a_record_by_itself_costs_the_log_of_its_density(rows, nearest, monkeypatch):
    monkeypatch.setattr("tacit.attack.masking_models.covariances.NEAREST", nearest)
    original = amounts(rows)
    masked = original.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.05), seed=1)
    told = masked.trace[0].outcome["noise_covariance"].value
    law = multivariate_normal(np.zeros(3), np.array([[told[a][b] for b in told] for a in told]))
    old, new = values(original), values(masked.release)
    likelihood = np.array([law.logpdf(new - x) for x in old])
    alone = cost(known_of(masked, original)) + likelihood
    exact = logsumexp(likelihood, axis=0)
    assert np.allclose(alone - alone[0, 0], exact - exact[0], atol=1e-6 if rows <= nearest else 0.05)
    strangers = cost(known_of(masked, original, covers=False)) + likelihood
    normal = multivariate_normal(new.mean(axis=0), np.cov(new, rowvar=False)).logpdf(new)
    assert np.allclose(strangers - strangers[0, 0], normal - normal[0], atol=1e-6)


def test_correlated_noise_cancels_in_differences():
    """Six columns that hang together: their noise does too, and what differs between them is hardly masked."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=500) * 10
    frame = {f"x{j}": common + rng.normal(size=500) for j in range(6)}
    original = Release(pl.DataFrame(frame), quasi=list(frame), kinds=dict.fromkeys(frame, "continuous"))
    masked = original.protect(AddNoise(columns=list(frame), variance=0.1), seed=3)
    assert found(masked, original, Transparency()) > 2 * found(masked, original, Distance()) > 0


@pytest.mark.parametrize("form", ["transformed", "nonlinear", "correlated"])
def test_light_noise_is_seen_through(form):
    original = amounts(300, wide=4)
    masked = original.protect(AddNoise(columns=list(original.columns), variance=0.0004, form=form), seed=4)
    assert found(masked, original, Transparency()) > 0.9


def test_strata_and_unpublished_covariances_are_estimated():
    original = amounts(300, wide=3)
    original = Release(
        original.to_native().with_columns(town=pl.Series(["A", "B"] * 150)),
        quasi=["x0", "x1", "x2", "town"],
        kinds=dict.fromkeys(("x0", "x1", "x2"), "continuous"),
    )
    masked = original.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.01, strata="town"), seed=4)
    known = known_of(masked, original)
    assert "estimated" in known.notes[0]
    assert found(masked, original, Transparency()) >= found(masked, original, Distance())


def test_independent_noise_leaves_guessing():
    original, other = amounts(400, seed=1), amounts(400, seed=2)
    masked = other.protect(AddNoise(columns=["x0", "x1", "x2"], variance=0.1), seed=1)
    claims = Transparency().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    # links of strangers are right about once: more than 7 in one of a hundred thousand seeds
    assert judge(claims, Truth.by_lineage(np.arange(400), 400)).value < 8 / 400


def test_rotation_is_undone_as_far_as_it_is_weak():
    original = amounts(600, wide=4, seed=6)
    rates = [
        found(original.protect(Rotate(columns=list(original.columns), strength=s), seed=2), original, Transparency())
        for s in (0.02, 0.3, 1.0)
    ]
    assert rates[0] > 0.9 and rates[0] > rates[1] > rates[2] and rates[2] < 8 / 600


def test_what_rotation_leaves_is_as_the_law_says():
    from tacit.attack.masking_models.rotation import LEFT, STRENGTHS

    rng = np.random.default_rng(9)
    original = Release(pl.DataFrame({f"x{j}": rng.normal(size=6400) for j in range(4)}))
    for strength in (0.2, 0.5, 0.8):
        masked = values(original.protect(Rotate(columns=list(original.columns), strength=strength), seed=5).release)
        old = values(original)
        left = float((masked * old).sum() / (old**2).sum())
        assert left == pytest.approx(float(np.interp(strength, STRENGTHS, LEFT)), abs=0.03)
