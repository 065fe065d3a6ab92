"""Corrected covariances, correlations and regressions under noise. catalogue: F-05."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release, TacitError
from tacit.loss.corrected import correlation, covariance, regression
from tacit.protect import AddNoise, Mdav, MultiplyNoise, RankSwap, Round, Sample, Shuffle
from tacit.release.trace import Finding, Trace

SEEDS = range(24)
COLUMNS = ["a", "b", "c"]


def table(rows: int = 600) -> Release:
    rng = np.random.default_rng(5)
    shared = rng.normal(size=(rows, 1))
    values = rng.normal(size=(rows, 3)) * [1.0, 2.0, 3.0] + shared * [1.0, 1.0, 3.0] + [5.0, 10.0, -4.0]
    made = pl.DataFrame(values, schema=COLUMNS).with_columns(
        region=pl.Series(rng.choice(["N", "S"], rows)), y=pl.Series(values @ [1.0, -1.0, 0.5])
    )
    south = pl.when(pl.col("region") == "S").then(8.0).otherwise(0.0)
    return Release(made.with_columns(pl.col("a") + south))


def truth(release: Release, columns=COLUMNS) -> np.ndarray:
    found = np.atleast_2d(np.cov(np.column_stack([release.floats(one) for one in columns]), rowvar=False))
    return found[np.triu_indices(len(columns))]


def simulated(mask, estimate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean of the corrected and of the naive estimates over many draws, and the error of these means."""
    found = [estimate(mask(seed)) for seed in SEEDS]
    corrected, naive = (np.array([getattr(one, name) for one in found]) for name in ("corrected", "naive"))
    return corrected.mean(axis=0), naive.mean(axis=0), corrected.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))


FORMS = {
    "correlated": [AddNoise(columns=COLUMNS, variance=0.5)],
    "by column": [AddNoise(columns=COLUMNS, variance={"a": 0.2, "b": 1.0, "c": 0.5})],
    "uncorrelated": [AddNoise(columns=COLUMNS, variance=0.5, form="uncorrelated", distribution="laplace")],
    "some": [AddNoise(columns=["a", "c"], variance=0.5)],
    "outliers": [AddNoise(columns=COLUMNS, variance=0.5, outliers=3)],
    "strata": [AddNoise(columns=COLUMNS, variance=0.5, strata="region")],
    "transformed": [AddNoise(columns=["a", "b"], variance=0.8, form="transformed")],
    "transformed in strata": [AddNoise(columns=["a", "b"], variance=0.8, form="transformed", strata="region")],
    "exact": [AddNoise(columns=["a", "b"], variance=0.8, form="transformed", exact=True)],
    "twice": [AddNoise(columns=COLUMNS, variance=0.3), AddNoise(columns=["a", "b"], variance=0.4, form="uncorrelated")],
    "multiplied": [MultiplyNoise(columns=COLUMNS, spread=0.4)],
    "multiplied together": [MultiplyNoise(columns=["a", "b"], spread=0.4, together=True)],
    "multiplied within bounds": [MultiplyNoise(columns=COLUMNS, distribution="bounded", least=0.2, most=0.6)],
    "multiplied, then added": [MultiplyNoise(columns=["a"], spread=0.3), AddNoise(columns=COLUMNS, variance=0.3)],
}


@pytest.mark.parametrize(
    ("name", "published"),
    [*((name, True) for name in FORMS), ("correlated", False), ("by column", False), ("twice", False)],
)
def test_corrected_covariances_are_right_on_average_and_naive_ones_are_not(name, published):
    original = table()

    def mask(seed):
        masked = original.protect(FORMS[name][0], seed=seed)
        for method in FORMS[name][1:]:
            masked = masked.then(method, seed=seed)
        steps = masked.trace if published else [hidden(step, "noise_covariance") for step in masked.trace]
        return masked.release, steps

    corrected, naive, error = simulated(mask, lambda made: covariance(made[0], trace=made[1], columns=COLUMNS))
    real = truth(original)
    assert np.all(np.abs(corrected - real) <= 4.5 * error + 1e-9 * np.abs(real) + 0.002 * np.abs(real).max())
    assert np.any(np.abs(naive - real) > 8 * error + 0.02 * np.abs(real))


def hidden(step: Trace, finding: str) -> Trace:
    kept = {
        name: Finding(one.value, publishable=name != finding and one.publishable) for name, one in step.outcome.items()
    }
    return published_step(step.method, step.parameters, kept)


@pytest.mark.parametrize("k", [0.1, 0.5, 2.0])
def test_without_the_covariance_variances_are_deflated_by_one_plus_k(k):
    """The published rule (Kim 1986): Var(X) = Var(X') / (1 + k)."""
    masked = table().protect(AddNoise(columns=COLUMNS, variance=k), seed=1)
    found = covariance(masked.release, trace=[hidden(masked.trace[0], "noise_covariance")])
    assert found.corrected == pytest.approx(found.naive / (1 + k))
    assert "deflated" in found.notes[0]


def test_the_published_covariance_of_the_noise_is_subtracted():
    masked = table().protect(AddNoise(columns=COLUMNS, variance=0.5), seed=1)
    noise = masked.trace[0].outcome["noise_covariance"].value
    found = covariance(masked)
    assert found.of("c", "a") == pytest.approx(found.matrix(naive=True)[0, 2] - noise["a"]["c"])
    assert np.array_equal(found.matrix(), found.matrix().T)
    assert found.frame().height == 6
    assert "naive" in str(found)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 60), st.integers(0, 2**32), st.sampled_from([1e-3, 1.0, 1e6]))
def test_without_noise_corrected_and_naive_are_the_same(rows, seed, scale):
    values = np.random.default_rng(seed).normal(size=(rows + 2, 2)) * scale
    release = Release(pl.DataFrame(values, schema=["a", "b"]))
    found = covariance(release, columns=["a", "b"], trace=())
    assert np.array_equal(found.naive, found.corrected)
    assert found.naive == pytest.approx(truth(release, ["a", "b"]))
    fitted = regression(release, outcome="b", on="a", trace=[published_step("shuffle", {})])
    assert fitted.naive[::-1] == pytest.approx(np.polyfit(values[:, 0], values[:, 1], 1), rel=1e-6, abs=1e-9 * scale)


def test_regression_is_right_on_average():
    original = table()

    def mask(seed):
        return original.protect(AddNoise(columns=["a", "b", "y"], variance=0.5, form="uncorrelated"), seed=seed)

    corrected, naive, error = simulated(mask, lambda made: regression(made, outcome="y", on=COLUMNS))
    explained = np.column_stack([np.ones(original.size), *(original.floats(one) for one in COLUMNS)])
    real = np.linalg.lstsq(explained, original.floats("y"), rcond=None)[0]
    assert np.all(np.abs(corrected - real) < 4.5 * error + 0.02 * np.abs(real))
    assert abs(naive[2] - real[2]) > 0.2 > 10 * error[2]


def test_correlation_is_right_on_average():
    original = table()

    def mask(seed):
        return original.protect(AddNoise(columns=COLUMNS, variance=0.5, form="uncorrelated"), seed=seed)

    corrected, naive, error = simulated(mask, correlation)
    real = np.corrcoef(np.column_stack([original.floats(one) for one in COLUMNS]), rowvar=False)[np.triu_indices(3, 1)]
    assert np.all(np.abs(corrected - real) < 4.5 * error + 0.005)
    assert np.all(np.abs(naive - real / 1.5) < 4.5 * error + 0.005)
    assert abs(naive[2] - real[2]) > 8 * error[2]


def test_the_standard_error_is_that_of_new_people_and_new_noise():
    """Against fresh populations: 95 % intervals cover the true variance about as often as they say."""
    covered = []
    for seed in range(80):
        pay = np.random.default_rng(seed).normal(0, 2, 400)
        made = Release(pl.DataFrame({"pay": pay})).protect(AddNoise(columns="pay", variance=0.5), seed=seed)
        low, high = covariance(made).intervals()[0]
        covered.append(low < 4.0 < high)
    assert 0.88 <= np.mean(covered) <= 0.99


def test_only_what_is_published_is_used():
    """The same estimates from the JSON of the public trace."""
    masked = table().protect(AddNoise(columns=COLUMNS, variance=0.5, outliers=2), seed=1).then(Shuffle(), seed=2)
    public = [Trace.from_json(json.loads(json.dumps(step.as_json(public=True)))) for step in masked.trace]
    assert covariance(masked.release, trace=public).corrected == pytest.approx(covariance(masked).corrected)


def test_whole_numbers_lose_the_variance_of_their_rounding():
    rng = np.random.default_rng(2)
    original = Release(pl.DataFrame({"n": rng.integers(0, 5, 20_000)}), kinds={"n": "continuous"})
    masked = original.protect(AddNoise(columns="n", variance=0.3), seed=1)
    real = original.floats("n").var(ddof=1)
    noise = masked.trace[0].outcome["noise_covariance"].value["n"]["n"]
    found = covariance(masked)
    assert found.corrected[0] == pytest.approx(found.naive[0] - noise - 1 / 12)
    assert abs(found.corrected[0] - real) < abs(found.naive[0] - noise - real)


def test_steps_on_other_columns_do_not_matter_and_those_on_the_same_are_refused_by_name():
    noisy = table().protect(AddNoise(columns=["a", "b"], variance=0.5), seed=1)
    beside = noisy.then(Round(columns="c", base=1)).then(RankSwap(columns=["y"], percent=5), seed=1)
    assert covariance(beside, columns=["a", "b"]).corrected == pytest.approx(covariance(noisy).corrected)
    for method in (Mdav(columns=["a", "c"], k=3), RankSwap(columns=["a"], percent=5), Round(columns="a", base=1)):
        with pytest.raises(TacitError, match=r"column 'a' was changed by the step"):
            covariance(noisy.then(method, seed=1))
    with pytest.raises(TacitError, match="mdav"):
        covariance(noisy.then(Mdav(columns=["c", "y"], k=3)), columns=["a", "c"])


def test_notes_say_what_is_approximate():
    masked = table().protect(AddNoise(columns=["a"], variance=2, bounds={"a": [0, None]}), seed=1)
    found = covariance(masked.then(Sample(fraction=0.5), seed=1), columns="a")
    assert any("sample" in note for note in found.notes)
    assert any("bound" in note for note in found.notes)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda m: covariance(m.release), "nobody said how"),
        (lambda m: covariance(m.release, trace=["noise"]), "something else than steps"),
        (lambda m: covariance(m, columns="zip"), "not in the table"),
        (lambda m: covariance(m, columns="region"), "not amounts"),
        (lambda m: covariance(m.release, trace=()), "no amount was masked"),
        (lambda m: correlation(m, columns="a"), "no correlation"),
        (lambda m: regression(m, outcome="a", on="a"), "cannot be explained"),
        (lambda m: regression(m, outcome="a", on=[]), "cannot be explained"),
        (
            lambda m: covariance(m.release, trace=[published_step("add_noise", {"columns": ["a"]})]),
            "variance was not published",
        ),
        (
            lambda m: covariance(m.release, trace=[published_step("add_noise", {})], columns="a"),
            "columns was not published",
        ),
        (lambda m: covariance(m.release, trace=[published_step("magic", {})], columns="a"), "magic"),
        (lambda m: covariance(m.release.take(np.arange(3)), trace=m.trace), "records have values"),
    ],
)
def test_mistakes_are_answered(wrong, says):
    masked = table().protect(AddNoise(columns=COLUMNS, variance=0.5), seed=1)
    with pytest.raises(TacitError, match=says) as problem:
        wrong(masked)
    assert problem.value.fix


def test_nonlinear_noise_strata_that_changed_and_totals_are_refused():
    with pytest.raises(TacitError, match="nonlinear"):
        covariance(table().protect(AddNoise(columns=COLUMNS, variance=0.5, form="nonlinear"), seed=1))
    masked = table().protect(AddNoise(columns=COLUMNS, variance=0.5, strata="region"), seed=1)
    lost = published_step("recode", {"column": "region"})
    with pytest.raises(TacitError, match=r"'region' makes the strata .* recode"):
        covariance(masked.release, trace=[*masked.trace, lost])
    with pytest.raises(TacitError, match="is not in it"):
        covariance(masked.release.select(COLUMNS), trace=masked.trace)
    parts = Release(table().to_native().with_columns(total=pl.col("a") + pl.col("b")))
    with pytest.raises(TacitError, match="computed anew"):
        made = parts.protect(AddNoise(columns=["a", "b"], variance=0.5, totals={"total": ["a", "b"]}), seed=1)
        covariance(made, columns=["a", "total"])


def test_more_noise_than_data_is_never_nan():
    """Noise 50 times the data and few records: the matrix is not definite, which is said, and no regression is made."""
    rng = np.random.default_rng(1)
    original = Release(pl.DataFrame(rng.normal(size=(30, 2)), schema=["a", "b"]))
    said = []
    for seed in range(20):
        masked = original.protect(AddNoise(columns=["a", "b"], variance=50, form="uncorrelated"), seed=seed)
        found = covariance(masked)
        assert np.isfinite(found.corrected).all() and np.isfinite(found.standard_error).all()
        if any("not positive definite" in note for note in found.notes):
            said.append(seed)
            try:
                assert "beyond 1" in correlation(masked).notes[-1]
            except TacitError as problem:
                assert "0 or less" in problem.what
    assert said


def test_households_get_noise_together():
    rng = np.random.default_rng(3)
    rent = np.repeat(rng.normal(10, 3, 300), 2)
    frame = pl.DataFrame({"home": np.repeat(np.arange(300), 2), "rent": rent, "pay": rent + rng.normal(0, 3, 600)})
    original = Release(frame, household="home")
    corrected, naive, error = simulated(
        lambda seed: original.protect(AddNoise(columns=["rent", "pay"], variance=0.5), seed=seed), covariance
    )
    real = truth(original, ["rent", "pay"])
    assert np.all(np.abs(corrected - real) < 4.5 * error + 0.01 * real)
    assert np.all(np.abs(naive - real)[[0, 2]] > 8 * error[[0, 2]])


def test_combinations_that_cannot_be_taken_back_are_refused():
    exact = AddNoise(columns=["a", "b"], variance={"a": 0.2, "b": 0.9}, form="transformed", exact=True)
    masked = table().protect(exact, seed=1)
    assert covariance(masked).corrected == pytest.approx(truth(table(), ["a", "b"]))
    with pytest.raises(TacitError, match="exact"):
        covariance(masked, columns=["a", "b", "c"])
    strata = table().protect(AddNoise(columns=["a"], variance=0.5, strata="region"), seed=1)
    with pytest.raises(TacitError, match="multiply_noise on the same columns"):
        covariance(strata.then(MultiplyNoise(columns=["b"], spread=0.2), seed=1))
    with pytest.raises(TacitError, match="dummy_records"):
        covariance(strata.release, trace=[*strata.trace, published_step("dummy_records", {})])


def test_a_pipeline_told_as_one_step_is_corrected_like_its_steps():
    whole = AddNoise(columns=COLUMNS, variance=0.5)
    masked = table().protect(whole, seed=1).release
    apart = {"columns": COLUMNS, "variance": 0.5}
    one = covariance(
        masked, columns=COLUMNS, trace=[published_step("pipeline", {"steps": [{"method": "add_noise", **apart}]})]
    )
    several = covariance(masked, columns=COLUMNS, trace=[published_step("add_noise", apart)])
    assert one.corrected.tolist() == several.corrected.tolist()
    assert (one.corrected[[0, 3, 5]] < 0.7 * one.naive[[0, 3, 5]]).all()


@pytest.mark.parametrize(("removed", "said"), [(0, False), (12, True), ("fewer than 10", True)])
def test_removed_records_are_told_whichever_step_removed_them(removed, said):
    release = table()
    for step in (
        published_step("full_domain", {}, {"levels": Finding({"region": 1}, True), "removed": Finding(removed, True)}),
        published_step("suppress_records", {"k": 3}, {"removed": Finding(removed, True)}),
    ):
        notes = covariance(release, columns=["b"], trace=[step]).notes
        assert any("records were removed" in note for note in notes) == said


def test_wider_noise_of_outliers_is_part_of_the_deflation():
    step = published_step(
        "add_noise",
        {"columns": ["b"], "variance": 0.5, "outliers": 3},
        {"mean_square_of_widening": Finding({"b": 2.0}, True)},
    )
    found = covariance(table(), columns="b", trace=[step])
    assert found.corrected == pytest.approx(found.naive / 2)


def test_small_strata_have_the_unbiased_variance():
    """Pairs one below and one above their mean have the variance 2, of which noise of k = 1 is the half."""
    place = np.repeat(np.arange(50), 2)
    frame = pl.DataFrame({"x": 0.5 * place + np.tile([-1.0, 1.0], 50), "pair": place.astype(str)})
    step = published_step("add_noise", {"columns": ["x"], "variance": 1.0, "strata": ["pair"]})
    found = covariance(Release(frame), columns="x", trace=[step])
    assert found.corrected == pytest.approx(found.naive - 1)


def test_the_last_step_is_taken_back_first():
    first = published_step("multiply_noise", {"columns": ["b"], "spread": 1.0})
    last = published_step(
        "add_noise", {"columns": ["b"], "variance": 0.4}, {"noise_covariance": Finding({"b": {"b": 2.0}}, True)}
    )
    release = table()
    found, square = covariance(release, columns="b", trace=[first, last]), release.floats("b").mean() ** 2
    assert found.corrected == pytest.approx((found.naive - 2 + square) / 2 - square)


@pytest.mark.parametrize("k", [0.4, 1.0])
@pytest.mark.parametrize("told", ["transformed", "not published"])
def test_standard_errors_know_that_people_set_the_scale_of_the_noise(k, told):
    """Normal data: the variance of a covariance is that of the sample times 1 + (2k + k²)/(1 + k)².

    Mean squared standard errors of 40 files, which are within 3 % of their expectation (one in seven per file); without
    the part of the scale they would be 1 and not 1.49 or 1.75 times the sample's.
    """
    # catalogue: F-05
    size, rho, squares = 300, 0.6, []
    form = {"form": "transformed"} if told == "transformed" else {}
    for seed in range(40):
        one, other = np.random.default_rng(seed).normal(size=(2, size))
        frame = pl.DataFrame({"x": one, "y": rho * one + np.sqrt(1 - rho**2) * other})
        masked = Release(frame).protect(AddNoise(columns=["x", "y"], variance=k, **form), seed=seed)
        trace = published_step("add_noise", masked.trace[0].parameters)  # the covariance of the noise is not in it
        spread = covariance(masked.release, trace=[trace]).standard_error
        related = correlation(masked.release, trace=[trace]).standard_error
        middle = regression(masked.release, trace=[trace], outcome="y", on="x").standard_error[0]
        squares.append([*spread, *related, middle])
    swell = 1 + (2 * k + k**2) / (1 + k) ** 2
    right = np.array([2, 1 + rho**2, 2, (1 - rho**2) ** 2]) / size * swell
    np.testing.assert_allclose(np.mean(np.square(squares), axis=0)[:4], right, rtol=0.15)
    if told == "transformed":
        assert np.mean(np.square(squares), axis=0)[4] == pytest.approx(
            (1 - rho**2) * (1 + k / (1 + k)) / size, rel=0.15
        )
