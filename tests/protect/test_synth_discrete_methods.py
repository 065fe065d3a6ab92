"""Synthesis by a Bayesian network and by marginals: what is captured holds, what stays stays, and mistakes are told. Catalogue: L-01, E-15."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.examples import clinic
from tacit.protect import SynthMarginals, SynthNetwork

KINDS = {"age": "continuous", "pay": "continuous"}


def town(size=3000, seed=1):
    """Pay follows job and age, job follows sex; some pay is missing where the job is unknown."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, size), rng.integers(18, 90, size)
    job = np.where(rng.random(size) < 0.8, sex, 2)
    pay = np.where(rng.random(size) < 0.3, 0.0, 500.0 * job + 10 * age + rng.normal(0, 30, size))
    frame = pl.DataFrame(
        {
            "sex": np.array(["F", "M"])[sex],
            "job": np.array(["clerk", "nurse", "smith"])[job],
            "age": age,
            "pay": pay.round(2),
            "born": (np.datetime64("2020-01-01") - age * 365).astype("datetime64[D]"),
        }
    )
    return frame.with_columns(pay=pl.when(pl.col("job") != "smith").then("pay"))


def released(frame=None, **roles):
    frame = town() if frame is None else frame
    return Release(frame, **{"quasi": "sex", "confidential": "pay", **roles}, kinds=KINDS)


def distance(one, other, columns):
    """Total variation between the counts of columns of two frames."""
    counts = [frame.group_by(columns).len().with_columns(pl.col("len") / frame.height) for frame in (one, other)]
    joined = counts[0].join(counts[1], on=columns, how="full", nulls_equal=True)
    return float((joined["len"].fill_null(0) - joined["len_right"].fill_null(0)).abs().sum()) / 2


def binned(frame):
    return frame.select("sex", "job", pl.col("age") // 18, pay=pl.col("pay") // 400)


METHODS = [SynthNetwork(degree=2, rows=9000), SynthMarginals(rows=9000)]


@pytest.mark.parametrize("method", METHODS, ids=["network", "marginals"])
def test_records_are_nobodys_and_pairs_that_were_captured_hold(method):
    masked = method.apply(released(), seed=7)
    made = masked.to_native()
    assert made.height == 9000
    assert (masked.rows() == -1).all()
    assert made.schema == town().schema
    captured = masked.trace[0].outcome["captured"].value
    joined = (
        [(*given, axis) for axis, given in captured["parents"].items()] if "parents" in captured else captured["sets"]
    )
    told = {frozenset(pair) for one in joined for pair in combinations(one, 2)}
    assert {frozenset(pair) for pair in (("sex", "job"), ("job", "pay"))} & told
    for pair in (["sex", "job"], ["job", "pay"]):
        if frozenset(pair) in told:
            assert distance(binned(made), binned(town()), pair) < 0.03
    for column in ("sex", "job", "age", "pay"):
        assert distance(binned(made).select(column), binned(town()).select(column), [column]) < 0.03


def test_a_network_captures_what_two_columns_say_of_a_third():
    """c is the exclusive or of a and b: no pair tells anything, three together all."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 2000), rng.integers(0, 2, 2000)
    frame = pl.DataFrame({"a": a, "b": b, "c": a ^ b}).cast(pl.String)
    made = SynthNetwork(degree=2, rows=4000).apply(Release(frame), seed=7).to_native()
    agree = (made["a"].cast(int) ^ made["b"].cast(int)) == made["c"].cast(int)
    assert agree.mean() > 0.99
    alone = SynthNetwork(degree=1, rows=4000).apply(Release(frame), seed=7).to_native()
    assert abs(((alone["a"].cast(int) ^ alone["b"].cast(int)) == alone["c"].cast(int)).mean() - 0.5) < 0.05
    sets = SynthMarginals(sets=[["a", "b", "c"]], rows=4000).apply(Release(frame), seed=7).to_native()
    assert ((sets["a"].cast(int) ^ sets["b"].cast(int)) == sets["c"].cast(int)).all()


def test_sets_with_a_ring_hold_together():
    rng = np.random.default_rng(4)
    base = rng.integers(0, 3, 4000)
    frame = pl.DataFrame(
        {name: np.where(rng.random(4000) < 0.7, base, rng.integers(0, 3, 4000)) for name in "abcd"}
    ).cast(pl.String)
    sets = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]]
    masked = SynthMarginals(sets=sets, rows=40_000).apply(Release(frame), seed=7)
    assert masked.trace[0].outcome["captured"].value["sets"] == sets
    for pair in sets:
        assert distance(masked.to_native(), frame, pair) < 0.015
    assert distance(masked.to_native(), frame, ["a", "c"]) > 0.03


@pytest.mark.parametrize(
    "method",
    [
        SynthNetwork(degree=2, columns=["pay", "job"]),
        SynthMarginals(columns=["pay", "job"], sets=[["pay", "job", "sex"]]),
    ],
    ids=["network", "marginals"],
)
def test_a_partial_synthesis_draws_columns_given_those_that_stay(method):
    masked = method.apply(released(), seed=7)
    made, before = masked.to_native(), town()
    assert made.select("sex", "age", "born").equals(before.select("sex", "age", "born"))
    assert np.array_equal(masked.rows(), np.arange(before.height))
    assert made["pay"].is_null().equals(before["pay"].is_null())
    assert not made["job"].equals(before["job"])
    assert distance(binned(made), binned(before), ["sex", "job"]) < 0.04


def test_amounts_that_many_share_come_back_and_others_do_not():
    made = SynthNetwork(degree=1, bins=8).apply(released(), seed=7).to_native()
    zeros = (made["pay"] == 0).mean(), (town()["pay"] == 0).mean()
    assert abs(zeros[0] - zeros[1]) < 0.03
    others = made.filter(pl.col("pay") != 0)["pay"]
    assert others.is_in(town()["pay"].implode()).mean() < 0.05
    assert made["pay"].min() >= town()["pay"].min()
    assert made["pay"].max() <= town()["pay"].max()


@pytest.mark.parametrize("method", [SynthNetwork(degree=1), SynthMarginals()], ids=["network", "marginals"])
def test_households_are_drawn_as_wholes_and_totals_and_bounds_hold(method):
    example = clinic(600, seed=2)
    frame = example.frame.select("household", "rent", "sex", "visits", "education").with_columns(
        twice=pl.col("visits") + pl.col("education")
    )
    release = Release(frame, household="household", quasi="sex", kinds={"visits": "continuous", "education": "ordinal"})
    held = type(method)(
        **({"degree": 1} if isinstance(method, SynthNetwork) else {}),
        totals={"twice": ["visits", "education"]},
        bounds={"rent": [0, 9000]},
    )
    masked = held.apply(release, seed=7)
    made = masked.to_native()
    assert made.group_by("household").agg(pl.col("rent").n_unique())["rent"].max() == 1
    sizes = [frame.group_by("household").len()["len"].sort().to_list() for frame in (frame, made)]
    assert sizes[0] == sizes[1]
    assert (made["visits"] + made["education"] == made["twice"]).all()
    assert "household size" in str(masked.trace[0].outcome["captured"].value)


def test_only_chosen_records_are_made_anew():
    masked = SynthNetwork(degree=1, columns="pay", where={"job": "nurse"}).apply(released(), seed=7)
    made, before = masked.to_native(), town()
    nurses = before["job"] == "nurse"
    assert made.filter(~nurses).equals(before.filter(~nurses))
    assert (made.filter(nurses)["pay"] != before.filter(nurses)["pay"]).mean() > 0.5


def test_a_set_that_is_too_large_is_named():
    frame = pl.DataFrame({name: [f"{name}{number % 300}" for number in range(600)] for name in "abc"})
    with pytest.raises(TacitError, match=r"a \(300\), b \(300\), c \(300\)") as caught:
        SynthMarginals(sets=[["a", "b", "c"]], fewest=1).apply(Release(frame), seed=7)
    assert "sets of columns with less" in caught.value.fix


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sets": [["sex", "jbo"]]}, "not in the table"),
        ({"sets": [["sex"]]}, "joins nothing"),
        ({"sets": [["sex", "sex"]]}, "named twice"),
        ({"sets": "sex"}, "no sets of columns"),
        ({"sets": []}, "no sets of columns"),
        ({"sets": [["sex", "name"]]}, "is not drawn"),
        ({"bins": 1}, "bins=1"),
        ({"columns": "payy"}, "not in the table"),
        ({"rows": 5, "columns": "pay"}, "rows=5"),
        ({"columns": "same"}, "one value only"),
    ],
)
def test_mistakes_with_marginals_are_told(wrong, said):
    release = released(town().with_columns(name=pl.lit("x"), same=pl.lit("y")), identifier="name")
    with pytest.raises(TacitError, match=said) as caught:
        SynthMarginals(**wrong).apply(release, seed=7)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("wrong", "said"), [({"degree": 0}, "degree=0"), ({"degree": 1, "smoothing": -1}, "smoothing=-1")]
)
def test_mistakes_with_a_network_are_told(wrong, said):
    with pytest.raises(TacitError, match=said):
        SynthNetwork(**wrong)
    with pytest.raises(TypeError, match="degree"):
        SynthNetwork()


@pytest.mark.parametrize("method", [SynthNetwork(degree=1), SynthMarginals()], ids=["network", "marginals"])
def test_one_record_is_no_distribution_and_a_constant_column_stays_constant(method):
    with pytest.raises(TacitError, match="1 record"):
        method.apply(released(town(1)), seed=7)
    constant = released(town(50).with_columns(same=pl.lit("y"), none=pl.lit(None, pl.String)))
    made = method.apply(constant, seed=7).to_native()
    assert made["same"].unique().to_list() == ["y"]
    assert made["none"].null_count() == 50
