"""IPSO: means, covariances and regressions come out exactly, and nothing of the record's own residual is left."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import SynthMoments


def table(rows: int = 300, seed: int = 1) -> pl.DataFrame:
    """Skewed, correlated, on very different scales; pay depends on sex."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, rows)
    age = rng.normal(40, 10, rows)
    pay = np.exp(7 + 0.02 * age + 0.3 * sex + rng.normal(0, 0.5, rows))
    return pl.DataFrame(
        {
            "sex": pl.Series(["f", "m"]).gather(sex),
            "age": age,
            "pay": pay,
            "tax": 0.3 * pay + rng.normal(0, 50, rows),
            "score": rng.normal(0, 1e-3, rows) + 1e-3 * sex,
        }
    )


def moments(frame: pl.DataFrame, columns) -> tuple[np.ndarray, np.ndarray]:
    values = frame.select(columns).to_numpy()
    return values.mean(axis=0), np.cov(values.T)


def same(before: pl.DataFrame, after: pl.DataFrame, columns) -> bool:
    """Means and covariances equal to 1e-9 of the standard deviations."""
    (mean, cov), (new_mean, new_cov) = moments(before, columns), moments(after, columns)
    unit = np.sqrt(np.diag(np.atleast_2d(cov)))
    return bool(
        (np.abs(new_mean - mean) <= 1e-9 * unit).all() and (np.abs(new_cov - cov) <= 1e-9 * np.outer(unit, unit)).all()
    )


def regression(frame: pl.DataFrame) -> np.ndarray:
    """Coefficients and standard errors of pay on age, sex, score, by the textbook."""
    x = np.column_stack([np.ones(frame.height), frame["age"], (frame["sex"] == "m").cast(int), frame["score"]])
    y = frame["pay"].to_numpy()
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ y
    rest = y - x @ b
    return np.concatenate([b, np.sqrt(rest @ rest / (len(y) - 4) * np.diag(inverse))])


@pytest.mark.parametrize("similarity", [0.0, 0.6])
def test_moments_and_regressions_are_kept_exactly(similarity):  # catalogue: L-01
    before = table()
    method = SynthMoments(columns=["pay", "tax", "score"], similarity=similarity)
    m = Release(before).protect(method, seed=1)
    after = m.to_native()
    assert same(before, after, ["age", "pay", "tax", "score"])
    assert np.allclose(regression(after), regression(before), rtol=1e-8)
    for sex in "fm":  # a given category keeps the means within it
        one, other = (frame.filter(pl.col("sex") == sex)["pay"].mean() for frame in (before, after))
        assert one == pytest.approx(other, rel=1e-9)
    assert m.trace[0].outcome["captured"].value["largest_deviation"] < 1e-9
    assert after.select("sex", "age").equals(before.select("sex", "age"))


def test_new_residuals_have_nothing_of_the_old_ones_but_their_similarity():  # catalogue: L-01
    """The correlation of a record's old and new residual: 0 on average without, and d exactly with similarity d."""
    before = table(200)

    def residuals(frame):
        x = np.column_stack([np.ones(200), frame["age"], (frame["sex"] == "m").cast(int), frame["tax"], frame["score"]])
        y = frame["pay"].to_numpy()
        return y - x @ np.linalg.lstsq(x, y)[0]

    old = residuals(before)
    found = {
        d: [
            np.corrcoef(
                old, residuals(Release(before).protect(SynthMoments(columns="pay", similarity=d), seed=s).to_native())
            )[0, 1]
            for s in range(20)
        ]
        for d in (0.0, 0.6)
    }
    assert abs(np.mean(found[0.0])) < 5 / np.sqrt(20 * 200)
    assert np.std(found[0.0]) > 0.5 / np.sqrt(200)
    assert np.allclose(found[0.6], 0.6, atol=1e-9)


@given(rows=st.integers(12, 60), new=st.integers(12, 80), seed=st.integers(0, 100))
def test_any_number_of_new_rows_has_the_same_moments(rows, new, seed):
    before = table(rows, seed).drop("sex")
    after = Release(before).protect(SynthMoments(rows=new), seed=seed).to_native()
    assert after.height == new
    assert same(before, after, before.columns)


def test_linear_relations_stay():
    before = table().with_columns(net=pl.col("pay") - pl.col("tax"))
    after = Release(before).protect(SynthMoments(columns=["pay", "tax", "net"]), seed=1).to_native()
    assert np.allclose(after["net"], after["pay"] - after["tax"], rtol=1e-9)
    assert same(before, after, ["age", "pay", "tax", "net"])


def test_missing_values_stay_and_complete_records_keep_their_moments():
    rng = np.random.default_rng(3)
    before = table().with_columns(
        pay=table()["pay"].set(pl.Series(rng.random(300) < 0.2), None),
        age=table()["age"].set(pl.Series(rng.random(300) < 0.2), None),
    )
    after = Release(before).protect(SynthMoments(columns=["pay", "tax"]), seed=1).to_native()
    assert after["pay"].is_null().equals(before["pay"].is_null()) and after["age"].equals(before["age"])
    whole = ~before["pay"].is_null()
    assert same(before.filter(whole), after.filter(whole), ["pay", "tax", "score"])
    assert not set(after["tax"]) & set(before["tax"])  # also where pay is missing
    full = Release(before.drop("sex")).protect(SynthMoments(), seed=1).to_native()
    assert same(before.drop_nulls(), full.drop_nulls(), ["age", "pay", "tax", "score"])
    assert 0.1 < full["pay"].is_null().mean() < 0.3


def test_columns_of_households_keep_the_moments_of_their_people():
    rng = np.random.default_rng(4)
    home = np.repeat(np.arange(300), rng.integers(1, 5, 300))
    rent = rng.lognormal(6, 0.5, 300)[home]
    frame = pl.DataFrame({"home": home, "rent": rent, "age": rng.normal(40, 10, len(home))})
    after = Release(frame, household="home").protect(SynthMoments(columns="rent"), seed=1).to_native()
    assert (after.group_by("home").agg(pl.col("rent").n_unique())["rent"] == 1).all()
    assert after["rent"].mean() == pytest.approx(frame["rent"].mean(), rel=1e-9)
    assert after["rent"].std() == pytest.approx(frame["rent"].std(), rel=1e-9)


def test_rounding_and_bounds_are_told_in_the_deviation():
    frame = table().with_columns(pl.col("age").round(0).cast(pl.Int64))
    m = Release(frame).protect(SynthMoments(columns="age"), seed=1)
    assert m.to_native()["age"].dtype == pl.Int64
    assert 1e-6 < m.trace[0].outcome["captured"].value["largest_deviation"] < 0.05


BAD = {
    "text": ({"columns": "sex"}, "holds text"),
    "a full synthesis with text": ({}, "holds text"),
    "given and made": ({"columns": "pay", "given": "pay"}, "given and made anew"),
    "similarity of 1": ({"columns": "pay", "similarity": 1}, "from 0 to below 1"),
    "similarity in a full synthesis": ({"similarity": 0.5}, "has nobody"),
    "an unknown given column": ({"columns": "pay", "given": "agee"}, "not in the table"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_done_is_said(case):
    how, words = BAD[case]
    with pytest.raises(TacitError, match=words):
        Release(table()).protect(SynthMoments(**how), seed=1)


def test_more_columns_than_rows_is_said():  # catalogue: L-01
    with pytest.raises(TacitError, match="5 records have all of the columns, and 6 are needed"):
        Release(table(5)).protect(SynthMoments(columns=["pay", "tax"], given=["age", "score"]), seed=1)
    assert Release(table(6)).protect(SynthMoments(columns=["pay", "tax"], given=["age", "score"]), seed=1)
    with pytest.raises(TacitError, match="3 new records cannot have these .*: 5 are needed"):
        Release(table().drop("sex")).protect(SynthMoments(rows=3), seed=1)
    double = table().with_columns(twice=2 * pl.col("pay"))
    for columns in ("twice", ["score", "twice"]):
        with pytest.raises(TacitError, match="'twice' is determined by the given columns"):
            Release(double).protect(SynthMoments(columns=columns), seed=1)
    with pytest.raises(TacitError, match="one value only"):
        Release(table().with_columns(c=pl.lit(1.0))).protect(SynthMoments(columns="c"), seed=1)
