"""Overlap of intervals: by hand, least squares against other ways to it, and models of the user. catalogue: F-03."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tacit import Release, TacitError
from tacit.loss import Estimate, headline, interval_overlap
from tacit.loss.learning.interval_overlap import LeastSquares, overlap_share
from tacit.protect import Generalise


def workers(size: int = 200, seed: int = 1) -> Release:
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, size)
    sex = rng.choice(["f", "m", "x"], size)
    pay = 1000 + 100 * age + np.where(sex == "m", 500, 0) + rng.normal(0, 300, size)
    return Release(pl.DataFrame({"age": age, "sex": sex, "pay": pay}), confidential="pay")


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ((0, 1), (0, 1), 1.0),
        ((0, 2), (1, 3), 0.5),
        ((0, 4), (1, 2), (1 / 4 + 1) / 2),
        ((0, 1), (1, 2), 0.0),
        ((0, 1), (3, 7), (-2 / 1 - 2 / 4) / 2),
        ((1, 1), (1, 1), 1.0),
        ((1, 1), (0, 2), 0.5),
        ((1, 1), (2, 2), 0.0),
    ],
)
def test_overlap_by_hand(first, second, found):  # catalogue: F-03
    assert overlap_share(first, second) == pytest.approx(found)
    assert overlap_share(second, first) == pytest.approx(found)


ends = st.tuples(st.integers(-20, 20), st.integers(1, 20)).map(lambda pair: (float(pair[0]), float(pair[0] + pair[1])))


@given(ends, ends, st.sampled_from([-3.0, 0.5, 7.0]), st.integers(-5, 5))
def test_overlap_has_no_units(first, second, scale, shift):
    moved = [tuple(sorted(scale * end + shift for end in one)) for one in (first, second)]
    assert overlap_share(*moved) == pytest.approx(overlap_share(first, second))
    assert overlap_share(first, second) <= 1


def test_one_regressor_as_linregress():
    release = workers()
    x, y = release.floats("age"), release.floats("pay")
    line = stats.linregress(x, y)
    reach = stats.t.ppf(0.975, len(x) - 2)
    found = least_squares(y, {"x": x})
    assert found["x"] == pytest.approx((line.slope - reach * line.stderr, line.slope + reach * line.stderr))
    spread = reach * line.intercept_stderr
    assert found["intercept"] == pytest.approx((line.intercept - spread, line.intercept + spread))


def test_several_regressors_by_the_normal_equations():
    rng = np.random.default_rng(2)
    design = np.column_stack([np.ones(30), rng.normal(size=(30, 3)) * [1, 100, 0.01] + [5, 0, -3]])
    y = design @ [1.0, 2.0, 0.03, 500.0] + rng.normal(size=30)
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    error = np.sqrt(((y - design @ beta) ** 2).sum() / 26 * np.diag(inverse))
    reach = stats.t.ppf(0.975, 26) * error
    found = least_squares(y, {str(i): design[:, i] for i in (1, 2, 3)})
    assert np.array(list(found.values())) == pytest.approx(np.column_stack([beta - reach, beta + reach]), rel=1e-8)


def test_two_groups_as_the_t_test():
    release = workers()
    frame = release.to_native().filter(pl.col("sex") != "x")
    two = Release(frame)
    men, women = (frame.filter(pl.col("sex") == sex)["pay"].to_numpy() for sex in "mf")
    expected = stats.ttest_ind(men, women).confidence_interval(0.95)
    found = interval_overlap(two, original=two, outcome="pay", on="sex")["pay: sex=m"]
    assert found.facts["interval of the original"] == pytest.approx((expected.low, expected.high))
    assert found.value == 0 and found.facts["overlap"] == 1


def test_the_mean_alone():
    release = workers()
    found = interval_overlap(release, original=release, outcome="pay", on=[])
    expected = stats.ttest_1samp(release.floats("pay"), 0).confidence_interval(0.95)
    assert found["pay: intercept"].facts["interval of the original"] == pytest.approx((expected.low, expected.high))


def test_far_from_zero_nothing_is_lost():
    x = 1e9 + np.arange(20.0)
    every = {"x": x, "same": 2 * x - 7, "flat": np.full(20, 3.0), "own": np.sqrt(np.arange(20.0))}
    assert LeastSquares.of(every).independent_terms(every) == (
        "x",
        "own",
    )
    low, high = least_squares(3 * (x - 1e9) + np.tile([1.0, -1.0], 10), {"x": x})["x"]
    assert low < 3 < high and high - low < 0.5


def least_squares(outcome, terms):
    return LeastSquares.of({**terms, "outcome": outcome}).regression("outcome", terms)


def noisy(release: Release, much: float, seed: int = 5) -> Release:
    noise = np.random.default_rng(seed).normal(0, 10, release.size)
    return release.with_columns({"age": release.floats("age") + much * noise})


def test_loss_grows_with_noise_up_to_all():
    release = workers()
    losses = [
        interval_overlap(noisy(release, much), original=release, outcome="pay", on=["age", "sex"])["pay: age"].value
        for much in (0.0, 0.01, 0.1, 0.3, 3.0)
    ]
    assert losses[0] == 0 and losses == sorted(losses) and losses[1] < 0.1 and losses[-1] == 1


def test_the_first_result_is_the_mean():
    release = workers()
    found = interval_overlap(noisy(release, 0.2), original=release, outcome="pay", on=["age", "sex"])
    parts = {part.column: part.value for part in found[1:]}
    assert list(parts) == ["pay: intercept", "pay: age", "pay: sex=m", "pay: sex=x"]
    assert found[0].value == pytest.approx(np.mean(list(parts.values()))) == headline(found)


def test_without_arguments_each_confidential_amount_on_the_others():
    frame = workers().to_native().with_columns(month=pl.col("age") * 12, flat=pl.lit(1.0), rent=pl.col("pay").sqrt())
    release = Release(frame, confidential=["pay", "rent"])
    found = interval_overlap(release, original=release)
    assert {part.column for part in found[1:]} == {
        f"{outcome}: {term}"
        for outcome, other in (("pay", "rent"), ("rent", "pay"))
        for term in ("intercept", "age", other)
    }
    assert found[0].facts["left out of pay"] == ["month"]
    plain = Release(frame.select("age", "pay"))
    assert [part.column for part in interval_overlap(plain, original=plain)[1:]] == [
        f"{outcome}: {term}" for outcome, other in (("age", "pay"), ("pay", "age")) for term in ("intercept", other)
    ]


def test_all_outcomes_at_once_are_each_one_by_itself():
    rng = np.random.default_rng(8)
    values = rng.normal(size=(200, 4)) * [1.0, 20.0, 3.0, 1e6] + [50.0, 0.0, -7.0, 1e7]
    values[:, 1] += values[:, 0]
    release = Release(pl.DataFrame(values, schema=list("abcd")))
    masked = release.with_columns({column: release.floats(column) + rng.normal(size=200) for column in "abc"})
    every = interval_overlap(masked, original=release)
    assert len(every) == 17
    for outcome in "abcd":
        others = [column for column in "abcd" if column != outcome]
        for part in interval_overlap(masked, original=release, outcome=outcome, on=others)[1:]:
            for which in ("interval of the original", "interval of the masked file"):
                assert every[part.column].facts[which] == pytest.approx(part.facts[which], rel=1e-9)


def test_what_the_masked_file_does_not_determine_is_lost():
    release = workers()
    flat = release.with_columns({"age": np.full(release.size, 40.0)})
    found = interval_overlap(flat, original=release, outcome="pay", on=["age"])
    assert found["pay: age"].value == 1 and found["pay: age"].facts["the masked file determines it"] is False
    gone = release.take(np.flatnonzero((release.series("sex") != "x").to_numpy()))
    assert interval_overlap(gone, original=release, outcome="pay", on=["sex"])["pay: sex=x"].value == 1
    few = release.take(np.arange(2))
    assert interval_overlap(few, original=release, outcome="pay", on=["age"])[0].value == 1


def test_generalised_columns_are_compared_at_their_level():
    hierarchy = {"groups": {"known": ["f", "m"], "other": ["x"]}}
    release = Release(workers().to_native(), hierarchies={"sex": hierarchy})
    masked = release.protect(Generalise(levels={"sex": 1}))
    found = interval_overlap(masked, original=release, outcome="pay", on="sex")
    assert [part.column for part in found[1:]] == ["pay: intercept", "pay: sex=other"] and found[0].value == 0


def test_amounts_that_have_become_labels_are_lost():
    frame = workers().to_native().with_columns(rent=pl.col("pay").sqrt())
    release = Release(frame, confidential="pay", hierarchies={"rent": {"intervals": [10]}, "pay": {"intervals": [500]}})
    found = interval_overlap(release.protect(Generalise(levels={"rent": 1})), original=release)
    assert found["pay: rent"].value == 1 and len(found) == 4
    lost = interval_overlap(release.protect(Generalise(levels={"pay": 1})), original=release)
    assert [part.value for part in lost] == [1.0] * 4


def test_a_model_of_ones_own():
    release = workers()

    def both(frame: pl.DataFrame) -> dict[str, object]:
        assert isinstance(frame, pl.DataFrame)
        mean, error = frame["age"].mean(), frame["age"].std() / len(frame) ** 0.5
        return {"mean": Estimate(mean, error), "range": (frame["age"].min(), frame["age"].max())}

    moved = release.with_columns(
        {"age": release.floats("age") + 2 * stats.norm.ppf(0.975) * stats.sem(release.floats("age"))}
    )
    found = interval_overlap(moved, original=release, f=both)
    assert found["mean"].value == pytest.approx(1)  # moved by its own length: the ends touch
    half = release.with_columns(
        {"age": release.floats("age") + stats.norm.ppf(0.975) * stats.sem(release.floats("age"))}
    )
    assert interval_overlap(half, original=release, f=both)["mean"].value == pytest.approx(0.5)
    assert interval_overlap(release, original=release, f=both)[0].value == 0


SECRET = "SECRETCELL"


def fails(frame: pl.DataFrame) -> dict[str, tuple[float, float]]:
    raise ValueError(SECRET)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"f": fails}, r"f fails on the original \(ValueError\)"),
        ({"f": lambda frame: 3.0}, "f gives 3.0"),
        ({"f": lambda frame: {}}, "f gives a dict"),
        ({"f": lambda frame: {"a": (2.0, 1.0)}}, "no interval named 'a'"),
        ({"f": lambda frame: {"a": (1.0, float("inf"))}}, "no interval named 'a'"),
        ({"f": lambda frame: {"a": SECRET}}, "no interval named 'a'"),
        ({"f": lambda frame: {"a": Estimate(1.0, -1.0)}}, "no interval named 'a'"),
        ({"f": fails, "outcome": "pay"}, "both f and a regression"),
        ({"outcome": "pay"}, "what explains it"),
        ({"outcome": "pay", "on": ["pay"]}, "cannot explain itself"),
        ({"outcome": "sex", "on": ["pay"]}, "holds no amounts"),
        ({"outcome": "pay", "on": ["wage"]}, "is not in the table"),
        ({"outcome": "pay", "on": ["age", "twice"]}, "column 'twice' does not vary"),
        ({"outcome": "pay", "on": ["name"]}, "too many for a regression"),
    ],
)
def test_bad_input(options, message):
    frame = workers().to_native().with_columns(twice=2 * pl.col("age"), name=pl.int_range(200).cast(pl.String))
    release = Release(frame)
    with pytest.raises(TacitError, match=message) as problem:
        interval_overlap(release, original=release, **options)
    assert SECRET not in str(problem.value)


def test_more_coefficients_than_records():
    release = workers(3)
    with pytest.raises(TacitError, match="complete records for"):
        interval_overlap(
            Release(release.to_native()[:2]), original=Release(release.to_native()[:2]), outcome="pay", on="age"
        )
