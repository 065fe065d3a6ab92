"""PRAM against closed forms: the matrix, its margins, its posterior, and counts that the published matrix corrects."""

import json
from itertools import pairwise

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Pram
from tacit.protect._pram_matrix import transition
from tacit.protect._pram_matrix.categories import count_categories
from tacit.protect._pram_matrix.row_kernel import make_row_kernel

CODES = np.repeat(np.arange(5), [40_000, 30_000, 20_000, 9_000, 1_000])
shares = st.lists(st.floats(0.01, 1), min_size=2, max_size=12).map(lambda given: np.array(given) / sum(given))
stays = st.floats(0, 0.99)


def coded(**more):
    order = np.random.default_rng(5).permutation(len(CODES))
    return Release(pl.DataFrame({"c": CODES[order], **more}))


def published(masked, column="c"):
    """The matrix of the trace and its categories."""
    rows = masked.trace[0].as_json(public=True)["outcome"]["matrix"][column][0]["matrix"]
    return np.array([[row[to] for to in rows] for row in rows.values()])


def counts(release, column="c"):
    return np.bincount(release.series(column).to_numpy(), minlength=5)


def deviation(true, given, matrix):
    """By how many standard errors the cells of the joint counts are off what the matrix says, each cell binomial."""
    joint = np.zeros(matrix.shape)
    np.add.at(joint, (true, given), 1)
    per_row = joint.sum(axis=1, keepdims=True)
    return (joint - per_row * matrix) / np.sqrt(np.maximum(per_row * matrix * (1 - matrix), 1e-9))


@given(shares, stays)
def test_the_direct_matrix_is_invariant_and_its_rarest_category_stays_as_said(pi, stay):  # catalogue: E-06
    matrix = transition.invariant_matrix(pi, stay)
    assert np.abs(pi @ matrix - pi).max() < 1e-12 and np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert matrix.min() > -1e-12 and abs(matrix.diagonal().min() - stay) < 1e-12
    if stay < 0.9:  # one of the matrices that keep nothing but the probability is not invariant
        uneven = np.linspace(1, 3, len(pi)) / np.linspace(1, 3, len(pi)).sum()
        assert np.abs(uneven @ transition.uniform_matrix(uneven, stay) - uneven).max() > 1e-3


@given(shares, stays, st.integers(0, 99))
def test_the_two_stage_matrix_is_invariant_whatever_the_first_stage(pi, stay, seed):  # catalogue: E-06
    first = np.random.default_rng(seed).dirichlet(np.ones(len(pi)), size=len(pi))
    matrix = transition.two_stage(pi, stay * np.eye(len(pi)) + (1 - stay) * first)
    assert np.abs(pi @ matrix - pi).max() < 1e-12 and np.abs(matrix.sum(axis=1) - 1).max() < 1e-12


@given(shares, stays, st.integers(1, 11))
def test_rare_categories_have_exactly_the_posterior_asked_for(pi, bound, split):  # catalogue: E-06
    rare = pi <= np.sort(pi)[min(split, len(pi)) - 1]
    matrix = transition.risk_matrix(pi, rare, bound)
    if matrix is None:
        assert (1 - bound) * pi[rare].sum() > pi[~rare].sum()
        return
    assert np.abs(pi @ matrix - pi).max() < 1e-12 and np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert matrix.min() > -1e-12
    joint = pi[:, None] * matrix  # Bayes, written out
    chance = joint.diagonal() / joint.sum(axis=0)
    assert chance[rare] == pytest.approx(bound, abs=1e-9)
    assert joint[np.ix_(rare, rare)].sum() / joint[:, rare].sum() == pytest.approx(bound, abs=1e-9)


def test_values_move_as_the_matrix_says_and_not_as_one_30_percent_off():  # catalogue: E-06
    """25 cells of 100 000 records: 5 standard errors are passed by chance in fewer than 2e-5 of the runs."""
    release = coded()
    for form, more in (("given", {}), ("given", {"spread": "frequency"}), ("invariant", {})):
        masked = release.protect(Pram(columns="c", stay=0.7, form=form, **more), seed=11)
        true, new = (one.series("c").to_numpy() for one in (release, masked.release))
        found = count_categories(release, "c")
        pi = found.counts[0] / found.counts[0].sum()
        law = (
            transition.invariant_matrix
            if form == "invariant"
            else transition.in_proportion
            if more
            else transition.uniform_matrix
        )
        assert np.abs(deviation(true, new, law(pi, 0.7))).max() < 5
        wrong = law(pi, 1 - 0.3 * 1.3)  # 30 % more changes than said
        assert np.abs(deviation(true, new, wrong)).max() > 8


def test_a_fine_probability_is_kept():
    """Finer than a cell of the guide table: 1e-4 and 0.123456 of 4 million draws within 5 standard errors, not 1.3e-4."""
    rows = {"0": {"0": 0.876444, "1": 0.123456, "2": 1e-4}, "1": {"1": 1}, "2": {"2": 1}}
    n = 4_000_000
    release = Release(pl.DataFrame({"c": np.concatenate([np.zeros(n, dtype=int), [1, 2]])}))
    new = counts(release.protect(Pram(columns="c", matrix={"c": rows}), seed=3).release)
    assert abs(new[1] - 1 - n * 0.123456) < 5 * np.sqrt(n * 0.123456 * 0.876544)
    assert abs(new[2] - 1 - n * 1e-4) < 5 * np.sqrt(n * 1e-4) < abs(new[2] - 1 - n * 1.3e-4)


def test_the_margin_is_kept_by_invariant_matrices_only():  # catalogue: E-06
    """Counts of 20 masked files: the mean of each category within 5 standard errors of the original count."""
    release, runs = coded(), 20
    before = counts(release)
    ways = {
        "redrawn": Pram(columns="c", stay=0.6, form="invariant"),
        "two stages": Pram(columns="c", matrix={"c": _even(0.6)}, form="invariant"),
        "risk": Pram(columns="c", posterior=0.5, rare=10_000, form="risk"),
        "given": Pram(columns="c", stay=0.6),
    }
    for name, way in ways.items():
        made = [release.protect(way, seed=seed) for seed in range(runs)]
        matrix, pi = published(made[0]), before / before.sum()
        variance = (before[:, None] * matrix * (1 - matrix)).sum(axis=0)
        off = (np.mean([counts(one.release) for one in made], axis=0) - before) / np.sqrt(variance / runs)
        assert (np.abs(off).max() < 5) == (name != "given"), name
        assert (np.abs(pi @ matrix - pi).max() < 1e-5) == (name != "given"), name


def _even(stay):
    return {str(k): {str(m): stay if k == m else (1 - stay) / 4 for m in range(5)} for k in range(5)}


def test_the_published_matrix_corrects_the_counts():  # catalogue: E-06, F-05
    release = coded()
    masked = release.protect(Pram(columns="c", stay=0.7), seed=4)
    before, after, matrix = counts(release), counts(masked.release), published(masked)
    rows = zip(before, matrix, strict=True)
    covariance = sum(
        count * (np.diag(row) - np.outer(row, row)) for count, row in rows
    )  # a multinomial for each category
    inverse = np.linalg.inv(matrix.T)
    error = np.sqrt((inverse @ covariance @ inverse.T).diagonal())
    assert (np.abs(inverse @ after - before) < 5 * error).all()
    assert (np.abs(after - before) > 5 * error).any()  # uncorrected, they are wrong


def test_a_released_rare_value_is_true_as_often_as_the_bound_says():  # catalogue: E-06
    release = coded()
    masked = release.protect(Pram(columns="c", posterior=0.5, rare=10_000, form="risk"), seed=2)
    true, new = (one.series("c").to_numpy() for one in (release, masked.release))
    for rare in (3, 4):
        here = new == rare
        error = np.sqrt(0.25 / here.sum())
        right = (true[here] == rare).mean()
        assert abs(right - 0.5) < 5 * error and abs(right - 0.65) > 3 * error
    assert (true != new)[true < 3].mean() < 0.1 < (true != new)[true >= 3].mean()


@pytest.mark.parametrize("method", [
    Pram(columns=["t", "b", "c", "wide"], stay=0.5, form="invariant"),
    Pram(columns=["t", "b", "c"], stay={"t": 0.5, "b": 0.2, "c": 0.9}, spread="frequency", strata=["s", "day"]),
    Pram(columns="t", posterior=0.4, rare=9_000, form="risk", strata="s"),
])  # fmt: skip
def test_every_engine_gives_the_same_values(method):
    rng, n = np.random.default_rng(0), 150_000
    t = pl.Series(["a", "b", None, "d"])[rng.choice(4, n, p=[0.5, 0.4, 0.05, 0.05])]
    frame = pl.DataFrame({
        "t": t, "b": pl.Series([True, False, None])[rng.integers(0, 3, n)], "c": rng.integers(3, 9, n) * 10,
        "wide": pl.Series([-(10**15), 7, 10**15, None])[rng.integers(0, 4, n)], "s": pl.Series([1, 2, None])[rng.integers(0, 3, n)],
        "day": pl.Series(["2020-01-01", "2020-01-02"]).str.to_date()[rng.integers(0, 2, n)],
    })  # fmt: skip
    whole = Release(frame).protect(method, seed=9).release
    lazy = Release(duckdb.from_arrow(frame.to_arrow())).protect(method, seed=9).release
    for column in method.columns:
        old, new = frame[column], whole.series(column)
        assert new.dtype == old.dtype and (new.is_null() == old.is_null()).all()
        assert set(new.drop_nulls()) <= set(old.drop_nulls()) and 0.05 < (new != old).mean() < 0.95
        assert lazy.series(column).to_list() == new.to_list(), column


def test_batches_of_any_cut_give_the_same_values():
    release = coded()
    found = count_categories(release, "c")
    kernel = make_row_kernel(found, transition.uniform_matrix(np.ones(5), 0.5)[None], {}, b"0" * 16)
    frame = release.to_native()
    whole = kernel(frame, 0)
    cuts = [0, 1, 7, 65_536, 65_537, 99_999, 100_000]
    assert [v for a, b in pairwise(cuts) for v in kernel(frame[a:b], a).to_list()] == whole.to_list()


def test_strata_keep_their_own_categories_and_margins():  # catalogue: E-06
    n = len(CODES)
    stratum = np.where(np.random.default_rng(1).random(n) < 0.3, "x", "y")
    release = coded(s=pl.Series(stratum))
    only = release.with_columns(
        {"c": np.where((stratum == "x") & (release.series("c").to_numpy() > 1), 0, release.series("c").to_numpy())}
    )
    masked = only.protect(Pram(columns="c", stay=0.5, form="invariant", strata="s"), seed=3)
    for name in ("x", "y"):
        here = stratum == name
        before, after = (np.bincount(one.series("c").to_numpy()[here], minlength=5) for one in (only, masked.release))
        assert (after[before == 0] == 0).all() and (np.abs(after - before) < 5 * np.sqrt(before + 1)).all()
        cell = next(c for c in masked.trace[0].outcome["matrix"].value["c"] if c["stratum"] == {"s": name})
        assert set(cell["matrix"]) == {str(k) for k in np.flatnonzero(before)}


def test_columns_of_the_household_change_by_household():
    home = np.repeat(np.arange(2000), 3)
    frame = pl.DataFrame(
        {
            "home": home,
            "tenure": pl.Series(["own", "rent"])[home % 2],
            "sex": pl.Series(["F", "M"])[np.arange(6000) % 2],
        }
    )
    release = Release(frame, household="home")
    new = release.protect(Pram(columns=["tenure", "sex"], stay=0.6), seed=1).to_native()
    assert new.group_by("home").agg(pl.col("tenure").n_unique())["tenure"].max() == 1
    assert new.group_by("home").agg(pl.col("sex").n_unique())["sex"].max() == 2
    assert abs((new["tenure"] != frame["tenure"]).mean() - 0.4) < 5 * np.sqrt(0.24 / 2000)
    lazy = Release(duckdb.from_arrow(frame.to_arrow()), household="home")
    with pytest.raises(TacitError, match="equal within households"):
        lazy.protect(Pram(columns="tenure", stay=0.6), seed=1)


def test_the_matrix_of_small_categories_is_kept_back():
    small = Release(pl.DataFrame({"c": ["a"] * 50 + ["b"] * 9}))
    outcome = small.protect(Pram(columns="c", stay=0.6), seed=1).trace[0].as_json(public=True)["outcome"]
    assert "matrix" not in outcome and outcome["change"] == {"c": 0.4}
    assert json.dumps(outcome)


@pytest.mark.parametrize(("how", "text"), [
    ({}, "no probability"),
    ({"stay": 0.5, "matrix": {"c": {"a": {"a": 1}}}}, "stay and matrix"),
    ({"stay": 1}, "stay=1"),
    ({"stay": {"d": 0.5}}, "has no stay"),
    ({"stay": 0.5, "form": "risk"}, "give posterior"),
    ({"posterior": 0.5, "form": "risk"}, "rare=10"),
    ({"stay": 0.5, "form": "other"}, "form='other'"),
    ({"stay": 0.5, "form": "invariant", "spread": "frequency"}, "goes with form"),
    ({"stay": 0.5, "strata": "c"}, "makes the strata and is masked"),
    ({"matrix": {"c": {"a": {"a": 0.9, "b": 0.2}}}}, "row 'a' that sums to 1.1"),
    ({"matrix": {"c": {"a": {"a": 1.5, "b": -0.5}}}}, "from 'a' to 'b' with the probability -0.5"),
    ({"matrix": {"c": {"a": {"a": float("nan")}}}}, "no mapping to numbers"),
    ({"matrix": {"d": {"a": {"a": 1}}}}, "has no matrix"),
    ({"matrix": {"c": {"a": {"a": 1}}}, "strata": "s"}, "leave out the strata"),
])  # fmt: skip
def test_parameters_are_checked(how, text):
    with pytest.raises(TacitError) as caught:
        Pram(columns="c", **how)
    assert text in str(caught.value) and "fix:" in str(caught.value)


def test_a_matrix_that_does_not_fit_shows_what_was_typed_and_counts_what_was_not():
    release = Release(pl.DataFrame({"c": ["a", "b", "Secret"], "x": [1.5, 2.5, 3.5]}))
    fits = {"a": {"a": 0.5, "b": 0.5}, "b": {"b": 1}}
    with pytest.raises(TacitError, match="1 categories without a row") as caught:
        release.protect(Pram(columns="c", matrix={"c": fits}), seed=1)
    assert "Secret" not in str(caught.value)
    with pytest.raises(TacitError, match="no value 'bb'") as caught:
        release.protect(Pram(columns="c", matrix={"c": {**fits, "bb": {"bb": 1}}}), seed=1)
    assert "Secret" not in str(caught.value)
    with pytest.raises(TacitError, match="holds number, not categories"):
        release.protect(Pram(columns="x", stay=0.5), seed=1)
    with pytest.raises(TacitError, match="no seed"):
        release.protect(Pram(columns="c", stay=0.5))
    with pytest.raises(TacitError, match="too few records"):
        release.protect(Pram(columns="c", posterior=0.5, rare=10, form="risk"), seed=1)
    with pytest.raises(TacitError, match="one category"):
        Release(pl.DataFrame({"c": ["a"]})).protect(Pram(columns="c", stay=0.5), seed=1)
    with pytest.raises(TacitError, match="more than 1000"):
        Release(pl.DataFrame({"c": np.arange(1001)})).protect(Pram(columns="c", stay=0.5), seed=1)
