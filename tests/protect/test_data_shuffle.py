from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import spearmanr

from tacit import Release, TacitError
from tacit.protect import DataShuffle
from tacit.protect._swapping.copula import _of_scores, conditional_law, midranks

CORRELATION = np.array([[1, 0.6, 0.5, 0.3], [0.6, 1, 0.2, -0.4], [0.5, 0.2, 1, 0.3], [0.3, -0.4, 0.3, 1]])
SHUFFLE = DataShuffle(columns=["pay", "debt"], given=["age", "rooms"])


def people(rows=4000, seed=1, ties=False):
    drawn = np.random.default_rng(seed).multivariate_normal(np.zeros(4), CORRELATION, rows)
    pay, debt, age, rooms = drawn.T
    if ties:  # half have no debt, pay and rooms in steps
        pay, debt, rooms = np.round(2 * pay) / 2, np.maximum(debt, 0), np.round(rooms)
    return pl.DataFrame({"pay": np.exp(pay), "debt": debt, "age": 40 + 10 * age, "rooms": rooms})


def rank_correlations(frame):
    return spearmanr(frame.select("pay", "debt", "age", "rooms").to_numpy()).statistic


def kept(before, after, errors=5.0):
    """Whether all rank correlations are within 5 standard errors, 1/√n each."""
    return np.abs(rank_correlations(before) - rank_correlations(after)).max() < errors / np.sqrt(before.height)


@pytest.mark.parametrize("ties", [False, True])
def test_values_and_rank_correlations_are_kept_and_an_independent_shuffle_is_told(ties):  # catalogue: E-14
    before = people(ties=ties)
    masked = Release(before, kinds={"rooms": "continuous"}).protect(SHUFFLE, seed=2)
    after = masked.release.to_native()
    for name in ("pay", "debt"):
        assert before[name].sort().equals(after[name].sort())
        assert (before[name] != after[name]).mean() > 0.5
    assert after.select("age", "rooms").equals(before.select("age", "rooms"))
    assert kept(before, after)
    assert kept(before, after, errors=1)  # and nearer than chance would bring them
    rng = np.random.default_rng(3)
    independent = before.with_columns(pay=before["pay"].gather(rng.permutation(before.height)))
    assert not kept(before, independent)
    weaker = Release(before, kinds={"rooms": "continuous"}).protect(
        DataShuffle(columns=["pay"], given=["rooms"]), seed=2
    )
    assert not kept(before, weaker.release.to_native())  # what is not given is not kept


def test_the_new_values_know_nothing_of_the_old_but_what_the_given_columns_tell():
    before = people(20_000)
    after = Release(before).protect(SHUFFLE, seed=4).release.to_native()
    scores = {name: np.argsort(np.argsort(before[name])) / 20_000 for name in before.columns}
    new = {name: np.argsort(np.argsort(after[name])) / 20_000 for name in ("pay", "debt")}
    given_columns = np.column_stack([np.ones(20_000), scores["age"], scores["rooms"]])
    for name in ("pay", "debt"):

        def rest(values):
            return values - given_columns @ np.linalg.lstsq(given_columns, values, rcond=None)[0]

        beyond = np.corrcoef(rest(scores[name]), rest(new[name]))[0, 1]
        assert abs(beyond) < 5 / np.sqrt(20_000)
        # a method that keeps a tenth of the value's own rank would be noticed
        mixed = 0.9 * rest(new[name]) + 0.1 * rest(scores[name])
        assert abs(np.corrcoef(rest(scores[name]), mixed)[0, 1]) > 5 / np.sqrt(20_000)
        explained = 1 - rest(scores[name]).var() / scores[name].var()
        assert np.corrcoef(scores[name], new[name])[0, 1] == pytest.approx(explained, abs=5 / np.sqrt(20_000))


def test_the_law_given_other_columns_is_that_of_the_normal_distribution():
    """Against the textbook: X | S of a normal vector with the correlations above."""
    law = conditional_law(CORRELATION, 2)
    xs, ss = CORRELATION[:2, 2:], CORRELATION[2:, 2:]
    assert pytest.approx(xs @ np.linalg.inv(ss)) == law.slope.T
    assert law.root @ law.root.T == pytest.approx(CORRELATION[:2, :2] - xs @ np.linalg.inv(ss) @ xs.T)
    doubled = np.array([[1, 0.5, 0.5], [0.5, 1, 1], [0.5, 1, 1]])  # the same column twice: no inverse
    assert conditional_law(doubled, 1).explained == pytest.approx([0.25])


@given(st.integers(2, 150), st.integers(0, 999), st.integers(0, 3))
def test_values_are_kept_whatever_is_missing_or_singular(rows, seed, wide):
    rng = np.random.default_rng(seed)
    table = people(rows, seed)
    hole = pl.Series(rng.random(rows) < 0.2)
    table = table.with_columns(
        pay=pl.when(hole).then(None).otherwise(pl.col("pay")), twice=2 * pl.col("age"), same=pl.lit(1.0)
    )
    shuffle = DataShuffle(columns=["pay", "debt"], given=["age", "twice", "same"][:wide] or None)
    try:
        after = Release(table).protect(shuffle, seed=seed).release.to_native()
    except TacitError as problem:
        assert "too few" in str(problem) or "no two of them" in str(problem)
        return
    for name in ("pay", "debt"):
        assert table[name].sort().equals(after[name].sort())
        assert table[name].is_null().equals(after[name].is_null())


def test_a_column_that_the_given_ones_determine_is_refused():
    table = people().with_columns(net=pl.col("pay") * 0.7)
    with pytest.raises(TacitError, match="'net' is determined"):
        Release(table).protect(DataShuffle(columns=["debt", "net"], given=["age", "pay"]), seed=1)


def test_a_total_among_its_parts_is_no_obstacle():
    table = people().with_columns(all=pl.col("pay") + pl.col("age"))
    shuffle = DataShuffle(columns=["debt"], given=["pay", "age", "rooms", "all"])
    after = Release(table).protect(shuffle, seed=1).release.to_native()
    assert kept(table, after.select(table.columns))
    together = DataShuffle(columns=["pay", "debt"], given="rooms", totals={"all": ["pay", "age"]})
    after = Release(table).protect(together, seed=1).release.to_native()
    assert np.allclose(after["all"], after["pay"] + after["age"])


def test_strata_are_shuffled_each_on_its_own():
    rng = np.random.default_rng(2)
    town = np.repeat(["a", "b", "c", "d"], [1500, 1500, 30, 1])
    table = people(len(town)).with_columns(town=pl.Series(town))[rng.permutation(len(town))]
    table = table.with_columns(pay=pl.when(pl.col("town") == "b").then(pl.col("pay") + 100).otherwise(pl.col("pay")))
    masked = Release(table).protect(DataShuffle(columns="pay", given=["age"], strata="town"), seed=3)
    after = masked.release.to_native()
    for name in "abcd":
        old, new = (frame.filter(pl.col("town") == name) for frame in (table, after))
        assert old["pay"].sort().equals(new["pay"].sort())
        if name in "ab":
            pairs = [spearmanr(frame["pay"], frame["age"]).statistic for frame in (old, new)]
            assert abs(pairs[0] - pairs[1]) < 5 / np.sqrt(1500)
    found = masked.trace[0].outcome
    assert found["at_random"].value == {"pay": 30} and found["left_alone"].value == {"pay": 1}
    assert found["explained"].value["pay"] == pytest.approx(0.25, abs=0.1)


def test_households_share_what_they_shared():
    table = people(3000).with_columns(home=pl.Series(np.arange(3000) // 3))
    table = table.with_columns(rent=(pl.col("age").mean() + pl.col("debt").first()).over("home"))
    release = Release(table, household="home")
    after = release.protect(DataShuffle(columns=["rent", "pay"], given="age"), seed=3).release.to_native()
    assert after.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    means = [frame.group_by("home").agg(pl.col("age").mean(), pl.col("rent").first()) for frame in (table, after)]
    one, other = (spearmanr(frame["age"], frame["rent"]).statistic for frame in means)
    assert one > 0.5 and abs(one - other) < 5 / np.sqrt(1000)


def test_types_come_back():
    rng = np.random.default_rng(2)
    table = pl.DataFrame(
        {"n": rng.integers(0, 99, 200), "day": [date.fromordinal(700_000 + int(i)) for i in rng.integers(0, 999, 200)]}
    )
    after = Release(table).protect(DataShuffle(columns=["n", "day"]), seed=3).release.to_native()
    assert after.schema == table.schema and not after.equals(table)


def test_mistakes_are_answered():
    release = Release(people(30).with_columns(town=pl.lit("a"), one=pl.Series(range(30))))
    with pytest.raises(TacitError, match="given and also shuffled"):
        DataShuffle(columns="pay", given="pay")
    with pytest.raises(TacitError, match="given and also shuffled"):
        DataShuffle(columns="pay", given="age", strata="age")
    with pytest.raises(TacitError, match="names no column"):
        DataShuffle(columns="pay", given=3)
    with pytest.raises(TacitError, match="seed=7"):
        release.protect(DataShuffle(columns="pay"))
    with pytest.raises(TacitError, match="'ordinal'"):
        release.protect(DataShuffle(columns="town"), seed=1)
    with pytest.raises(TacitError, match="20 records are needed for each column"):
        release.protect(SHUFFLE, seed=1)
    with pytest.raises(TacitError, match="no two of them in one stratum"):
        release.protect(DataShuffle(columns="pay", strata="one"), seed=1)


def test_ranks_are_those_of_scipy_with_ties_at_their_mean():
    values = np.random.default_rng(1).integers(0, 40, 500).astype(float)
    valid = np.random.default_rng(2).random(500) < 0.9
    found = midranks(values, valid)
    assert np.allclose(found[valid], (stats.rankdata(values[valid]) - 0.5) / valid.sum(), rtol=1e-12)
    assert (found[~valid] == 0.5).all()


def test_scores_have_the_correlation_that_gives_the_rank_correlation():
    """Of two normal variables with correlation ρ the rank correlation is (6/π) asin(ρ/2); here it is taken back."""
    # catalogue: E-05
    for rho in (-0.9, -0.5, 0.3, 0.5, 0.8):
        ranks = 6 / np.pi * np.arcsin(rho / 2)
        assert _of_scores(np.array([[1.0, ranks], [ranks, 1.0]]))[0, 1] == pytest.approx(rho, abs=1e-12)
