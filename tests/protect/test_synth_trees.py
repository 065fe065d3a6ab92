"""Sequential trees: planted models come back, donors come from the leaf, and a leaf of one copies."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit import Release, TacitError
from tacit.attack import copies as copies_found
from tacit.protect import SynthTrees
from tacit.protect._synthetic.encoding import fix_signs, order_of
from tacit.protect.synth_trees import smooth_amounts


def planted(rows: int = 20_000, seed: int = 1) -> pl.DataFrame:
    """x decides g, and x and g decide y: conditional means and shares are known."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, rows)
    g = np.where(rng.random(rows) < np.where(x < 50, 0.8, 0.3), "a", np.where(rng.random(rows) < 0.5, "b", "c"))
    y = 3 * x + 40 * (g == "a") - 20 * (g == "c") + rng.normal(0, 5, rows)
    return pl.DataFrame({"x": x, "g": g, "y": y})


def test_conditional_distributions_come_back():  # catalogue: L-01
    """20 000 records: shares within 0.02 (4 standard errors), means within 0.7 (10 of them, leaves are of 20)."""
    made = Release(planted()).protect(SynthTrees(leaf=20, rows=20_000), seed=1).to_native()
    low = made.filter(pl.col("x") < 50)
    high = made.filter(pl.col("x") >= 50)
    assert abs((low["g"] == "a").mean() - 0.8) < 0.02
    assert abs((high["g"] == "a").mean() - 0.3) < 0.02
    for group, shift in (("a", 40), ("b", 0), ("c", -20)):
        of = made.filter(pl.col("g") == group)
        rest = of["y"] - 3 * of["x"]
        assert abs(rest.mean() - shift) < 0.7
        assert 4.8 < rest.std() < 5.6


def test_independent_columns_would_not_pass():
    """The same check on columns drawn one by one: it could fail."""
    method = SynthTrees(leaf=20, predictors={"g": [], "y": []})
    made = Release(planted()).protect(method, seed=1).to_native()
    assert abs((made.filter(pl.col("x") < 50)["g"] == "a").mean() - 0.8) > 0.1


def test_a_donor_is_of_the_leaf():  # catalogue: L-01
    """With one cut to be made, every value comes from the right side of it, and each of them is drawn evenly."""
    frame = pl.DataFrame(
        {"side": ["l"] * 50 + ["r"] * 50, "y": [float(i) for i in range(50)] + [1000.0 + i for i in range(50)]}
    )
    made = Release(frame).protect(SynthTrees(leaf=50, columns="y", smooth=False, fewest=1), seed=1).to_native()
    assert (made["y"] >= 1000).equals(made["side"] == "r")
    assert set(made["y"]) <= set(frame["y"])
    many = Release(frame).protect(SynthTrees(leaf=50, rows=100_000, smooth=False, fewest=1), seed=1).to_native()
    counts = np.bincount(np.searchsorted(frame["y"].to_numpy(), many["y"].to_numpy()), minlength=100)
    assert abs(counts - 1000).max() < 5 * np.sqrt(1000)


@pytest.mark.parametrize("grown_on", [10**9, 60])
def test_a_leaf_has_as_many_donors_as_asked_for(grown_on, monkeypatch):  # catalogue: L-01
    """y tells its x: for every x the new y are those of at least ``leaf`` records, also if the tree grew on some of them."""
    monkeypatch.setattr("tacit.protect.synth_trees.GROWN_ON", grown_on)
    frame = pl.DataFrame({"x": [float(i) for i in range(120)], "y": [float(i) for i in range(120)]})
    made = Release(frame).protect(SynthTrees(leaf=10, rows=60_000, smooth=False), seed=1).to_native()
    donors = made.group_by("x").agg(pl.col("y").n_unique(), far=(pl.col("y") - pl.col("x")).abs().max())
    assert donors.height == 120
    assert donors["y"].min() >= 10
    if grown_on > 120:
        assert donors["y"].max() < 20  # of 20 or more two leaves would be made
        assert donors["far"].max() < 20


def reach(values, leaves, row, common):
    """Where a donor's amount may go, by the words of the docstring."""
    own = values[row]
    if (values == own).sum() >= common:
        return own, own
    here = values[leaves == leaves[row]]
    if (here == own).all():
        here = values
    lower, upper = here[here < own], here[here > own]
    down = (own - lower.max()) / 2 if len(lower) else None
    up = (upper.min() - own) / 2 if len(upper) else None
    return own - (up if down is None else down), own + (down if up is None else up)


def test_amounts_are_spread_as_far_as_stated():
    rng = np.random.default_rng(1)
    values = np.round(rng.lognormal(3, 1, 60), 1)
    values[:5], values[5:9] = 7.0, 9.0  # five share the one, four the other
    leaves = rng.integers(0, 12, 60)
    leaves[59], values[59] = 99, 15.55  # alone in its leaf
    drawn = np.repeat(np.arange(60), 400)
    made = smooth_amounts(values, leaves, drawn, 5, np.random.default_rng(2)).reshape(60, 400)
    for row in range(60):
        low, high = reach(values, leaves, row, 5)
        inside = made[row].min(), made[row].max()
        if low < values.min() or high > values.max():  # reflected at the range of the column
            assert values.min() <= inside[0] and inside[1] <= values.max()
            continue
        assert low <= inside[0] <= low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) <= inside[1] <= high
        assert abs(made[row].mean() - (low + high) / 2) <= 0.08 * (high - low)
    assert (made[:5] == 7).all() and (made[5:9] != 9).all()


def test_no_exact_number_comes_back_when_smoothed():  # catalogue: L-01
    frame = planted(3000)
    made = Release(frame).protect(SynthTrees(leaf=5), seed=1).to_native()
    for column in ("x", "y"):
        assert not set(made[column]) & set(frame[column])
        assert frame[column].min() <= made[column].min() and made[column].max() <= frame[column].max()
    plain = Release(frame).protect(SynthTrees(leaf=5, smooth=False, fewest=1), seed=1).to_native()
    assert set(plain["y"]) <= set(frame["y"])


def test_what_many_share_stays_when_smoothed():
    rng = np.random.default_rng(1)
    pay = np.where(rng.random(2000) < 0.3, 0.0, rng.lognormal(8, 1, 2000))
    frame = pl.DataFrame({"sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, 2000)), "pay": pay})
    made = Release(frame).protect(SynthTrees(leaf=10), seed=1).to_native()["pay"]
    assert abs((made == 0).mean() - 0.3) < 0.05
    lone = set(frame["pay"]) - {0.0}
    assert not lone & set(made)


def copies(made: pl.DataFrame, original: pl.DataFrame) -> float:
    return made.join(original.unique(), on=original.columns, how="semi").height / made.height


def test_a_leaf_of_one_copies_and_larger_leaves_do_not():  # catalogue: L-01
    """A planted leak is found: grown to single records, the trees give back whole records."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.normal(size=500) for name in "abcd"})
    share = {
        leaf: copies(Release(frame).protect(SynthTrees(leaf=leaf, smooth=False, fewest=1), seed=1).to_native(), frame)
        for leaf in (1, 10)
    }
    assert share[1] > 0.95
    assert share[10] < 0.01


def test_categories_with_many_values_are_told_apart():
    """300 categories, each with its own mean: one cut at a time would need them all."""
    rng = np.random.default_rng(1)
    code = rng.integers(0, 300, 30_000)
    level = rng.normal(0, 10, 300)
    frame = pl.DataFrame(
        {"code": pl.Series([f"c{i}" for i in range(300)]).gather(code), "y": level[code] + rng.normal(0, 1, 30_000)}
    )
    made = Release(frame).protect(SynthTrees(leaf=20, columns="y"), seed=1).to_native()
    means = made.group_by("code").agg(pl.col("y").mean()).sort("code")["y"].to_numpy()
    true = frame.group_by("code").agg(pl.col("y").mean()).sort("code")["y"].to_numpy()
    assert np.corrcoef(means, true)[0, 1] > 0.995
    full = Release(frame).protect(SynthTrees(leaf=20, order=["y", "code"]), seed=1).to_native()
    means = (
        full.group_by("code").agg(pl.col("y").mean()).join(frame.group_by("code").agg(pl.col("y").mean()), on="code")
    )
    assert np.corrcoef(means["y"], means["y_right"])[0, 1] > 0.95  # the code drawn given y, by scores


def test_categories_stand_in_the_order_of_what_they_tell():
    """By the mean of an amount, by the share of one of two classes; whatever their sizes."""
    rng = np.random.default_rng(1)
    codes = rng.choice(6, 3000, p=[0.5, 0.2, 0.1, 0.1, 0.07, 0.03])
    amount = np.array([3.0, 9.0, 1.0, 7.0, 5.0, 2.0])[codes] + rng.normal(0, 0.1, 3000)
    rank = np.argsort(np.argsort([3, 9, 1, 7, 5, 2]))
    assert order_of(codes, 6, amount).tolist() in [rank.tolist(), (5 - rank).tolist()]
    share = np.array([0.5, 0.1, 0.9, 0.3, 0.7, 0.0])
    order = order_of(codes, 6, (rng.random(3000) < share[codes]).astype(np.int64), 2)
    rank = np.argsort(np.argsort(share))
    assert order.tolist() in [rank.tolist(), (5 - rank).tolist()]


def test_the_measure_of_copies_sees_a_leaf_of_one():  # catalogue: L-01, L-02
    """Half of the people are kept back: of those learnt from nearly all are given back, of the others none."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.normal(size=600) for name in "abc"})
    people, kept_back = Release(frame[:300]), Release(frame[300:])
    for leaf, least, most in ((1, 0.5, 1.0), (10, 0.0, 0.02)):
        made = people.protect(SynthTrees(leaf=leaf, smooth=False), seed=1)
        exact, _ = copies_found(made, original=people, control=kept_back)
        assert least <= exact.value <= most
        assert exact.facts["control"] == 0


def test_order_and_predictors_are_kept_to():
    method = SynthTrees(leaf=5, order=["y", "g"], predictors={"x": ["g"]})
    captured = Release(planted(500)).protect(method, seed=1).trace[0].outcome["captured"].value
    assert captured == {"order": ["y", "g", "x"], "predictors": {"y": [], "g": ["y"], "x": ["g"]}}


def test_the_trace_can_be_published_and_has_no_value_of_the_data():
    trace = Release(planted(500)).protect(SynthTrees(leaf=5), seed=1).trace[0].as_json(public=True)
    assert trace["outcome"]["synthetic_columns"] == ["x", "g", "y"]
    assert trace["outcome"]["synthetic_records"] == 500
    assert "'a'" not in str(trace)


BAD = {
    "no leaf": ({}, "leaf"),
    "a leaf of nothing": ({"leaf": 0}, "leaf=0"),
    "a leaf larger than the file": ({"leaf": 501}, "fewer than leaf=501"),
    "a predictor that comes later": ({"leaf": 5, "predictors": {"x": ["y"]}}, "not there when it is made"),
    "its own predictor": ({"leaf": 5, "predictors": {"x": ["x"]}}, "own predictors"),
    "predictors in a list": ({"leaf": 5, "predictors": ["x"]}, "not given by column"),
    "an unknown predictor": ({"leaf": 5, "predictors": {"y": ["z"]}}, "not in the table"),
    "an unknown column in the order": ({"leaf": 5, "order": ["z"]}, "not in the table"),
    "smooth that is no yes": ({"leaf": 5, "smooth": 0.5}, "neither yes nor no"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_done_is_said(case):
    how, words = BAD[case]
    with pytest.raises((TacitError, TypeError), match=words):
        Release(planted(500)).protect(SynthTrees(**how), seed=1)


@given(
    scores=arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=st.integers(-50, 50).map(float)),
    signs=st.lists(st.sampled_from([-1.0, 1.0]), min_size=3, max_size=3),
    seed=st.integers(0, 1000),
)
def test_scores_along_an_axis_do_not_depend_on_how_a_processor_adds_up(scores, signs, seed):
    """An axis has two directions, and sums differ in their last digits: neither decides an order."""
    noise = 1 + 1e-13 * np.random.default_rng(seed).standard_normal(scores.shape)
    turned = fix_signs(scores * np.array(signs)[: scores.shape[1]] * noise)
    one = fix_signs(scores)
    for column in range(scores.shape[1]):
        assert (
            np.argsort(one[:, column], kind="stable").tolist() == np.argsort(turned[:, column], kind="stable").tolist()
        )
    assert np.allclose(np.abs(one), np.abs(scores), rtol=1e-6, atol=1e-6)
