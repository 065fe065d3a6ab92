"""Additive noise (catalogue: E-01): what each form promises, with the error of every statistical statement."""

from datetime import date, datetime

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import AddNoise
from tacit.protect._noise.in_memory import outlyingness
from tacit.protect._noise.moments import covariance_factor, group_moments
from tacit.protect._noise.scores import scale_of

FORMS = ["uncorrelated", "correlated", "transformed", "nonlinear"]


def correlated(n=20_000, seed=3, columns="abc"):
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((n, len(columns))) @ rng.standard_normal((len(columns), len(columns)))
    return pl.DataFrame(mixed * [1.0, 10.0, 100.0] + [5.0, -20.0, 3.0], schema=list(columns))


def masked(frame, seed=1, **parameters):
    done = Release(frame).protect(AddNoise(columns=frame.columns, **parameters), seed=seed)
    return done.to_native().to_numpy().astype(float), done


def errors(noise, wanted):
    """How far the mean and the covariance of the noise are from what was promised, in standard errors.

    For normal noise the error of a covariance is sqrt((s_ii s_jj + s_ij²)/n).
    """
    n, spread = len(noise), np.diag(wanted)
    of_means = noise.mean(axis=0) / np.sqrt(spread / n)
    of_covariances = (np.cov(noise.T) - wanted) / np.sqrt((np.outer(spread, spread) + wanted**2) / n)
    return np.abs(of_means).max(), np.abs(of_covariances).max()


@pytest.mark.parametrize("form", ["uncorrelated", "correlated"])
def test_the_noise_has_the_stated_covariance_and_a_third_more_is_rejected(form):
    frame = correlated()
    k = {"a": 0.1, "b": 0.4, "c": 2.0}
    new, _ = masked(frame, variance=k, form=form)
    sigma = np.cov(frame.to_numpy().T)
    root = np.sqrt(list(k.values()))
    wanted = np.outer(root, root) * (sigma if form == "correlated" else np.diag(np.diag(sigma)))
    noise = new - frame.to_numpy()
    assert max(errors(noise, wanted)) < 5  # false alarm below 1e-5
    assert max(errors(noise * np.sqrt(1.3), wanted)) > 15  # 30 % more variance is 21 standard errors
    assert max(errors(noise * np.sqrt(0.7), wanted)) > 15
    other = np.diag(np.diag(wanted)) if form == "correlated" else np.outer(root, root) * sigma
    assert max(errors(noise, other)) > 15


@pytest.mark.parametrize(("law", "kurtosis"), [("normal", 3.0), ("uniform", 1.8), ("laplace", 6.0)])
def test_the_laws_are_those_of_their_names(law, kurtosis):
    frame = correlated(n=100_000).select("a")
    new, _ = masked(frame, variance=0.5, distribution=law)
    noise = (new - frame.to_numpy())[:, 0] / np.sqrt(0.5 * frame["a"].var())
    assert abs(noise.mean()) < 5 / np.sqrt(1e5)
    error = np.sqrt((kurtosis - 1) / 1e5)
    assert abs(noise.var() - 1) < 5 * error < abs(1.3 * noise.var() - 1)
    eighth = {"normal": 105.0, "uniform": 9.0, "laplace": 2520.0}[law]  # E z⁸ gives the error of E z⁴
    assert abs((noise**4).mean() - kurtosis) < 5 * np.sqrt((eighth - kurtosis**2) / 1e5)


def test_transformed_noise_keeps_moments_in_expectation():
    """The mean over many draws comes to the covariance of the data, not of (1 + k) times it."""
    frame = correlated(n=300)
    sigma = np.cov(frame.to_numpy().T)
    found = [masked(frame, seed=seed, variance=0.5, form="transformed")[0] for seed in range(200)]
    covariances = np.array([np.cov(one.T) for one in found])
    means = np.array([one.mean(axis=0) for one in found])
    for got, wanted in ((covariances, sigma), (means, frame.to_numpy().mean(axis=0))):
        error = got.std(axis=0, ddof=1) / np.sqrt(len(found))
        assert (np.abs(got.mean(axis=0) - wanted) < 5 * error).all()
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    error = variances.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(1.3 * variances.mean(axis=0) - np.diag(sigma)) > 15 * error).all()


@pytest.mark.parametrize("variance", [0.2, {"a": 0.1, "b": 0.5, "c": 3}])
def test_exact_moments_are_exact(variance):
    frame = correlated(n=500).with_columns(sum=pl.col("a") + pl.col("b"))
    wide = variance if isinstance(variance, float) else {**variance, "sum": 1}
    new, _ = masked(frame, variance=wide, form="transformed", exact=True)
    old = frame.to_numpy()
    assert np.allclose(np.cov(new.T), np.cov(old.T), rtol=1e-9)
    assert np.allclose(new.mean(axis=0), old.mean(axis=0), rtol=1e-9)
    assert np.allclose(new[:, 0] + new[:, 1], new[:, 3], atol=1e-9)
    assert np.corrcoef(new[:, 0], old[:, 0])[0, 1] < 0.99


def test_exact_moments_hold_in_every_stratum():
    frame = correlated(n=600).with_columns(town=pl.Series(["x", "y", None] * 200))
    method = AddNoise(columns=["a", "b"], variance=0.3, form="transformed", exact=True, strata="town")
    new = Release(frame).protect(method, seed=1).to_native()
    for town in (pl.col("town") == "x", pl.col("town").is_null()):
        one, other = (part.filter(town).select("a", "b").to_numpy() for part in (frame, new))
        assert np.allclose(np.cov(one.T), np.cov(other.T), rtol=1e-9)
        assert np.allclose(one.mean(axis=0), other.mean(axis=0), rtol=1e-9)


def test_nonlinear_noise_keeps_margins_and_spikes():
    rng = np.random.default_rng(5)
    pay = np.where(rng.random(20_000) < 0.4, 0.0, rng.lognormal(10, 1, 20_000))
    frame = pl.DataFrame({"pay": pay, "tax": 0.3 * pay + rng.lognormal(6, 1, 20_000)})
    new, _ = masked(frame, variance=0.5, form="nonlinear")
    for old, fresh in zip(frame.to_numpy().T, new.T, strict=True):
        grid = np.quantile(old, np.linspace(0.01, 0.99, 99))
        gap = np.abs((old[:, None] <= grid).mean(axis=0) - (fresh[:, None] <= grid).mean(axis=0)).max()
        assert gap < 1.95 / np.sqrt(20_000) * np.sqrt(2)  # Kolmogorov–Smirnov, 1 in 1000
    assert abs((new[:, 0] == 0).mean() - 0.4) < 5 * np.sqrt(0.24 / 20_000)
    assert np.corrcoef(pay, new[:, 0])[0, 1] < 0.95


def test_scores_lead_there_and_back():
    values = np.array([3.0, 1.0, 1.0, 7.0, 5.0, 1.0])
    scores, scale = scale_of(values, np.array([0.5, 0.1, 0.9, 0.5, 0.5, 0.5]))
    assert np.allclose(scale.values(scores), values)
    assert (np.argsort(scores) == np.array([1, 5, 2, 0, 4, 3])).all()
    assert scale.values(np.array([9.0]))[0] > 7  # the largest value itself is not what every high score becomes


# --- exact relations and singular covariances


def test_a_total_and_its_parts_survive_on_the_census_file(reference_data):
    census = pl.read_csv(reference_data / "census.csv").cast(pl.Float64)
    gap = pl.col("PTOTVAL") - pl.col("POTHVAL") - pl.col("PEARNVAL")
    for options in ({}, {"form": "transformed"}, {"form": "transformed", "exact": True}, {"outliers": 4}):
        new = Release(census).protect(AddNoise(columns=census.columns, variance=0.5, **options), seed=2).to_native()
        assert new.select(gap.abs().max()).item() < 1e-6
    whole = pl.read_csv(reference_data / "census.csv")
    rounded = Release(whole).protect(AddNoise(columns=whole.columns, variance=0.5), seed=2).to_native()
    assert rounded.schema == whole.schema
    assert rounded.select(gap.abs().max()).item() == 1  # rounding of whole numbers
    parts = [name for name in whole.columns if name != "PTOTVAL"]
    declared = AddNoise(columns=parts, variance=0.5, form="uncorrelated", totals={"PTOTVAL": ["POTHVAL", "PEARNVAL"]})
    assert Release(whole).protect(declared, seed=2).to_native().select(gap.abs().max()).item() == 0


def test_correlations_on_the_census_file_hardly_change(reference_data):
    """sdcMicro at the same variance (its noise=150): .69 uncorrelated, .049 correlated, 1.06 and a loss of 5424 % 'restr'."""
    census = pl.read_csv(reference_data / "census.csv")
    old = census.to_numpy().astype(float)
    for options, most in (({}, 0.1), ({"form": "transformed", "exact": True}, 0.001), ({"outliers": 3}, 0.1)):
        made = [masked(census, variance=2.25, seed=seed, **options)[0] for seed in range(5)]
        found = np.mean([np.corrcoef(new.T) for new in made], axis=0)
        assert np.abs(found - np.corrcoef(old.T)).max() < most
        loss = ((made[0] - old) ** 2).sum(axis=0) / ((old - old.mean(axis=0)) ** 2).sum(axis=0)
        assert loss.mean() < 2.25 * 9


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6))
def test_a_factor_gives_back_its_covariance_however_singular(width, rank, seed):
    base = np.random.default_rng(seed).standard_normal((width, min(width, rank)))
    covariance = base @ base.T * np.outer(*[10.0 ** np.arange(width)] * 2)
    found = covariance_factor(covariance)
    assert found.shape[1] <= rank
    assert np.allclose(found @ found.T, covariance, rtol=1e-6, atol=1e-9 * covariance.max())
    assert covariance_factor(np.zeros((2, 2))).shape == (2, 0)


# --- moments that no order of the rows changes


@given(
    st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 90)), min_size=2, max_size=40), st.integers(0, 10**6)
)
def test_moments_are_right_and_do_not_depend_on_the_order(values, seed):
    first = np.array(values)
    second = np.random.default_rng(seed).standard_normal(len(values)) ** 3
    order = np.random.default_rng(seed + 1).permutation(len(values))
    _, one = group_moments(["a", "b"], [first, second])
    _, other = group_moments(["a", "b"], [first[order].copy(), second[order].copy()])
    assert (one.mean == other.mean).all()
    assert (one.covariance == other.covariance).all()
    wanted = np.cov(first, second)
    assert np.allclose(one.covariance, wanted, rtol=1e-9, atol=1e-12 * max(wanted.max(), 1e-300))
    assert np.allclose(one.mean, [first.mean(), second.mean()], atol=1e-12 * max(1.0, np.abs(first).max()))


def mixed(n=150_000):
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "pay": rng.lognormal(8, 1, n),
            "age": rng.integers(0, 100, n),
            "rent": rng.normal(500, 100, n),
            "town": rng.choice(["x", "y", "z"], n),
        }
    )
    hidden = pl.Series(rng.random(n) < 0.02)
    return frame.with_columns(
        rent=pl.when(~hidden).then("rent"), town=pl.when(pl.Series(rng.random(n) < 0.9)).then("town")
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"form": "uncorrelated", "distribution": "laplace"},
        {"form": "transformed", "strata": "town"},
        {"form": "uncorrelated", "strata": ["town"], "bounds": {"age": [0, 120]}},
    ],
)
def test_rows_come_out_the_same_to_the_last_bit_on_duckdb(options):
    frame = mixed()
    method = AddNoise(columns=["pay", "age", "rent"], variance=0.2, **options)
    here = Release(frame).protect(method, seed=9)
    there = Release(duckdb.sql("SELECT * FROM frame")).protect(method, seed=9)
    assert here.to_native().equals(there.to_native().pl())
    assert here.trace == there.trace


def test_the_size_of_a_batch_changes_nothing():
    from tacit.protect._noise.linear import LinearNoise

    noise = LinearNoise(
        "normal", (b"one", b"two"), np.array([[[1.0, 0.3], [0.2, 2.0]]]), np.zeros((1, 2)), np.ones((1, 2))
    )
    values = list(np.random.default_rng(1).standard_normal((2, 200_000)))
    whole = noise.add_to(values, 0)
    for start, end in ((0, 10), (65_530, 65_545), (70_000, 140_000), (199_999, 200_000)):
        part = noise.add_to([one[start:end] for one in values], start)
        assert all((one == other[start:end]).all() for one, other in zip(part, whole, strict=True))


@pytest.mark.parametrize("law", ["normal", "uniform", "laplace"])
def test_in_place_is_the_same(law):
    from tacit.protect._noise.linear import LinearNoise

    noise = LinearNoise(law, (b"one",), np.array([[[2.0]]]))
    values = np.random.default_rng(1).standard_normal(150_000)
    kept = values.copy()
    fresh = noise.add_to([values], 7)[0]
    assert (values == kept).all()
    reused = noise.add_to([values], 7, reuse=True)[0]
    assert reused is values
    assert (reused == fresh).all()


def test_forms_that_need_whole_columns_take_them_from_duckdb():
    frame = mixed(500).drop("town")
    there = Release(duckdb.sql("SELECT * FROM frame"))
    for options in ({"form": "nonlinear"}, {"form": "transformed", "exact": True}, {"outliers": 2}):
        method = AddNoise(columns=["pay", "age", "rent"], variance=0.2, **options)
        assert Release(frame).protect(method, seed=9).to_native().equals(there.protect(method, seed=9).to_native().pl())


def test_a_column_of_the_household_is_refused_on_an_engine():
    frame = pl.DataFrame({"home": [1, 1, 2, 2], "rent": [5.0, 5.0, 7.0, 7.0], "pay": [1.0, 2.0, 3.0, 4.0]})
    there = Release(duckdb.from_arrow(frame.to_arrow()), household="home")
    there.protect(AddNoise(columns="pay", variance=0.2), seed=1)
    with pytest.raises(TacitError, match="engine='polars'"):
        there.protect(AddNoise(columns=["pay", "rent"], variance=0.2), seed=1)


# --- outliers, strata, households, types


def test_outliers_get_more_noise_and_the_bulk_does_not():
    rng = np.random.default_rng(7)
    values = rng.standard_normal((2000, 3))
    values[:100] += 30
    values = np.column_stack([values, values[:, 0] + values[:, 1], np.full(2000, 7.0)])  # singular, and constant
    far = outlyingness(values)
    assert far[:100].min() > 3
    assert (far[100:] > 1).mean() < 0.06
    assert np.isfinite(outlyingness(np.where(rng.random((500, 2)) < 0.8, 0.0, rng.lognormal(size=(500, 2))))).all()
    frame = pl.DataFrame(values[:, :4], schema=list("abcd"))
    noise = masked(frame, variance=0.01, outliers=3)[0] - values[:, :4]
    ratio = noise[:100].var(axis=0) / noise[100:].var(axis=0)
    error = 5 * 9 * np.sqrt(2 / 100)
    assert (np.abs(ratio - 9) < error).all()
    assert masked(frame, variance=0.01, outliers=3)[1].trace[0].outcome["outliers"].value >= 100


def test_strata_have_their_own_variance_and_flat_ones_that_of_all():
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "x": np.concatenate([rng.normal(0, 1, 5000), rng.normal(0, 50, 5000), np.full(500, 7.0), [3.0]]),
            "s": [1] * 5000 + [2] * 5000 + [3] * 500 + [4],
        }
    )
    done = Release(frame).protect(AddNoise(columns="x", variance=0.25, strata="s"), seed=1)
    noise = (done.to_native()["x"] - frame["x"]).to_numpy()
    overall = frame["x"].var()
    for rows, spread in ((slice(0, 5000), None), (slice(5000, 10_000), None), (slice(10_000, 10_500), overall)):
        wanted = 0.25 * (spread or frame["x"][rows].var())
        error = 5 * np.sqrt(2 / len(noise[rows]))
        assert abs(noise[rows].var() / wanted - 1) < error
        assert abs(1.4 * noise[rows].var() / wanted - 1) > error or spread
    assert done.trace[0].outcome["strata"].value == 4
    assert done.trace[0].outcome["strata_with_overall_moments"].value == 2
    assert noise[-1] != 0


def test_households_get_one_amount():
    frame = pl.DataFrame({"home": np.arange(300) // 3, "rent": np.arange(300) // 3 * 10.0, "pay": np.arange(300.0)})
    done = Release(frame, household="home").protect(AddNoise(columns=["rent", "pay"], variance=0.1), seed=1)
    new = done.to_native()
    assert new.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    assert (new["rent"] != frame["rent"]).all()
    assert new.group_by("home").agg((pl.col("pay") - pl.Series(frame["pay"]).mean()).n_unique())["pay"].min() == 3
    assert done.trace[0].outcome["by_household"].value == ["rent"]


def test_types_bounds_and_missing_values_come_back():
    frame = pl.DataFrame(
        {
            "age": pl.Series([20, None, 90, 40, 1], dtype=pl.Int16),
            "born": [date(1990, 1, 1), date(1960, 5, 5), None, date(2001, 2, 3), date(1950, 1, 1)],
            "seen": [datetime(2020, 1, 1, 3), None, datetime(2021, 5, 5), datetime(2022, 1, 1), datetime(2020, 1, 7)],
        }
    )
    release = Release(frame, kinds={"age": "continuous"})
    bounds = {"age": [0, 99], "born": ["1940-01-01", "2020-01-01"]}
    new = release.protect(
        AddNoise(columns=frame.columns, variance=5, form="uncorrelated", bounds=bounds), seed=3
    ).to_native()
    assert [one.is_null().to_list() for one in new] == [one.is_null().to_list() for one in frame]
    assert new.schema == {"age": pl.Int64, "born": pl.Date, "seen": frame.schema["seen"]}
    assert new["age"].drop_nulls().is_between(0, 99).all()
    assert new["born"].drop_nulls().is_between(date(1940, 1, 1), date(2020, 1, 1)).all()


# --- the record of what was done


def test_the_trace_has_what_corrected_estimates_need():
    frame = correlated(n=2000)
    _, done = masked(frame, variance=0.3)
    told = done.trace[0].as_json(public=True)
    got = np.array([list(row.values()) for row in told["outcome"]["noise_covariance"].values()])
    assert np.allclose(got, 0.3 * np.cov(frame.to_numpy().T))
    corrected = np.cov(done.to_native().to_numpy().T) - got
    sigma = np.cov(frame.to_numpy().T)
    assert np.allclose(corrected, sigma, atol=0.1 * np.diag(sigma).max())
    tower = frame.with_columns(a=pl.when(pl.int_range(pl.len()) == 5).then(1e9).otherwise("a"))
    assert "noise_covariance" not in masked(tower, variance=0.3)[1].trace[0].as_json(public=True)["outcome"]


# --- bad input


@pytest.mark.parametrize("variance", [0, -0.1, float("nan"), float("inf"), "1", None, True, {"x": 0.1, "y": 1}, {}])
def test_the_variance_is_checked(variance):
    with pytest.raises(TacitError):
        AddNoise(columns="x", variance=variance)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"form": "corelated"}, "did you mean 'correlated'"),
        ({"distribution": "cauchy"}, "use one of"),
        ({"exact": True}, "form='transformed'"),
        ({"outliers": 1}, "outliers=3"),
        ({"outliers": float("nan")}, "outliers=3"),
        ({"form": "nonlinear", "strata": "s"}, "neither strata nor outliers"),
        ({"form": "transformed", "variance": {"x": 1}}, "exact=True"),
        ({"strata": "x"}, "makes the strata and is masked"),
        ({"bounds": {"y": [0, 1]}}, "not masked"),
        ({"totals": {"x": ["a", "b"]}}, "masked by itself"),
    ],
)
def test_parameters_are_checked(options, text):
    with pytest.raises(TacitError, match=text):
        AddNoise(**{"columns": "x", "variance": 0.1, **options})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("column", "text"),
    [
        (["a", "b", "c"], "holds text"),
        ([4.0, 4.0, 4.0], "one value only"),
        (pl.Series([None, None, None], dtype=pl.Float64), "no values|one value only or none"),
        ([1.0, 2.0, 1e200], "beyond"),
        ([1.0, 2.0, float("inf")], "beyond"),
        ([1, 2, 3], "an amount or a code"),
    ],
)
def test_odd_columns_are_answered(form, column, text):
    with pytest.raises(TacitError, match=text) as caught:
        Release(pl.DataFrame({"x": column})).protect(AddNoise(columns="x", variance=0.1, form=form), seed=1)
    assert caught.value.column == "x"


@pytest.mark.parametrize("form", FORMS)
def test_codes_overflow_one_row_and_no_common_rows_are_answered(form):
    def tried(frame, columns="x", variance=0.1, **described):
        Release(frame, **described).protect(AddNoise(columns=columns, variance=variance, form=form), seed=1)

    with pytest.raises(TacitError, match="arithmetic on codes"):
        tried(pl.DataFrame({"x": [1, 2, 3]}), kinds={"x": "nominal"})
    with pytest.raises(TacitError, match="one value only"):
        tried(pl.DataFrame({"x": [1.0]}))
    if form in ("correlated", "uncorrelated"):
        with pytest.raises(TacitError, match="beyond"):
            tried(pl.DataFrame({"x": [2**52, -(2**52), 0]}), variance=1e6, kinds={"x": "continuous"})
    if form != "uncorrelated":
        with pytest.raises(TacitError, match="no record has|no two records"):
            tried(pl.DataFrame({"x": [1.0, 2.0, None, None], "y": [None, None, 3.0, 4.0]}), ["x", "y"])
    with pytest.raises(TacitError, match="seed=7"):
        Release(pl.DataFrame({"x": [1.0, 2.0]})).protect(AddNoise(columns="x", variance=0.1))


def test_spark_refuses_what_needs_whole_columns(spark):
    frame = spark.createDataFrame([(1.0, 2.0), (2.0, 3.5), (4.0, 1.0), (3.0, 2.0)], "x double, y double")
    with pytest.raises(TacitError, match="one machine"):
        Release(frame).protect(AddNoise(columns=["x", "y"], variance=0.1, form="nonlinear"), seed=1)
    rows = Release(frame).protect(AddNoise(columns=["x", "y"], variance=0.1), seed=1).to_native().collect()
    here = Release(pl.DataFrame({"x": [1.0, 2.0, 4.0, 3.0], "y": [2.0, 3.5, 1.0, 2.0]}))
    wanted = here.protect(AddNoise(columns=["x", "y"], variance=0.1), seed=1).to_native().rows()
    assert sorted(tuple(row) for row in rows) == sorted(wanted)


def test_columns_of_households_are_refused_where_households_cannot_be_kept_together():
    frame = pl.DataFrame(
        {"home": np.arange(400) // 2, "rent": (np.arange(400) // 2).astype(float), "pay": np.arange(400.0)}
    )
    lazy = Release(duckdb.from_arrow(frame.to_arrow()), household="home")
    with pytest.raises(TacitError) as caught:
        lazy.protect(AddNoise(columns=["pay", "rent"], variance=0.1, form="uncorrelated"), seed=1)
    assert (caught.value.code, caught.value.column) == ("engine_lacks_capability", "rent")
    assert "polars" in caught.value.fix
