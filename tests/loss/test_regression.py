"""Amounts learnt from the masked file, tested on the original: by hand, with power. catalogue: F-02."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from tacit import Masked, Release, TacitError
from tacit.interval import paired_means
from tacit.loss import regression
from tacit.protect import Generalise, Mdav, Shuffle
from tacit.seed import child_seed, make_generator


def workers(size: int = 400, seed: int = 1) -> Release:
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, size)
    sex = rng.choice(["f", "m"], size)
    pay = 100 * age + np.where(sex == "m", 500, 0) + rng.normal(0, 300, size)
    return Release(pl.DataFrame({"age": age, "sex": sex, "pay": pay}), quasi=["age", "sex"], confidential="pay")


def noisy(release: Release, much: float, seed: int = 5) -> Release:
    noise = np.random.default_rng(seed).normal(0, 10, release.size)
    return release.with_columns({"age": release.floats("age") + much * noise})


def test_by_hand_with_a_straight_line():  # catalogue: F-02
    rng = np.random.default_rng(4)
    size, folds = 50, 4
    x = rng.normal(size=size)
    y = 2 * x + rng.normal(size=size)
    moved = x + rng.normal(size=size)
    before, after = (Release(pl.DataFrame({"x": side, "y": y}), confidential="y") for side in (x, moved))
    part = regression(after, original=before, estimator=LinearRegression(), folds=folds, seed=3)["y"]
    fold = make_generator(child_seed(3, "folds")).permutation(size) % folds
    explained = []
    for side in (x, moved):
        errors = np.zeros(size)
        for number in range(folds):
            learnt, asked = fold != number, fold == number
            slope, start = np.polyfit(side[learnt], y[learnt], 1)
            errors[asked] = y[asked] - start - slope * x[asked]
        explained.append(1 - (errors**2).sum() / ((y - y.mean()) ** 2).sum())
    assert part.facts["R², taught by the original"] == pytest.approx(explained[0])
    assert part.facts["R², taught by the masked file"] == pytest.approx(explained[1])
    assert part.value == pytest.approx((explained[0] - explained[1]) / explained[0]) and 0 < part.value < 1
    low, high = part.facts["difference of R²"]
    assert low < explained[0] - explained[1] < high


@pytest.mark.parametrize("estimator", ["linear", "tree", "neighbours"])
def test_little_noise_costs_little_and_a_broken_relation_everything(estimator):
    release = workers()
    mixed = release.floats("pay")[np.random.default_rng(3).permutation(release.size)]
    assert regression(release, original=release, estimator=estimator)[0].value == 0
    assert regression(noisy(release, 0.01), original=release, estimator=estimator)[0].value < 0.05
    assert regression(release.with_columns({"pay": mixed}), original=release, estimator=estimator)[0].value > 0.9
    same = release.protect(Mdav(columns="pay", k=release.size))
    assert regression(same, original=release, estimator=estimator)[0].value > 0.95


def test_loss_grows_with_noise_on_average():
    def mean(much: float) -> float:
        found = [
            regression(noisy(workers(seed=s), much, s + 9), original=workers(seed=s), estimator="linear")
            for s in range(5)
        ]
        return float(np.mean([one[0].value for one in found]))

    losses = [mean(much) for much in (0.1, 0.5, 2.0)]
    assert losses == sorted(losses) and losses[0] < 0.02 < 0.5 < losses[-1]


def test_boosting_is_the_default_and_rows_may_stand_anywhere():
    release = workers(120)
    masked = Masked(noisy(release, 0.5), ())
    one, other = (regression(file, original=release, folds=2) for file in (masked, masked.then(Shuffle(), seed=4)))
    assert [part.value for part in one] == [part.value for part in other] and one[0].value > 0


def test_units_do_not_matter():
    release = workers()
    masked = noisy(release, 0.5)
    small, large = (
        regression(
            masked.with_columns({"pay": unit * masked.floats("pay")}),
            original=release.with_columns({"pay": unit * release.floats("pay")}),
            estimator="linear",
        )[0].value
        for unit in (1.0, 1e200)
    )
    assert small == pytest.approx(large, rel=1e-6) and small > 0


def test_noise_teaches_nothing():
    rng = np.random.default_rng(1)
    release = Release(pl.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200)}), confidential="y")
    part = regression(noisy_y(release), original=release, estimator="linear")["y"]
    assert part.value == 0 and part.facts["the original teaches it"] is False


def noisy_y(release: Release) -> Release:
    return release.with_columns({"y": release.floats("y")[::-1].copy()})


def test_every_amount_without_a_confidential_one():
    release = Release(workers(60).to_native())
    assert [part.column for part in regression(release, original=release, estimator="linear")] == [None, "age", "pay"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "sex"}, "holds no amounts"),
        ({"target": "wage"}, "is not in the table"),
        ({"target": "flat"}, "does not vary"),
        ({"estimator": LogisticRegression()}, "predicts categories"),
        ({"folds": "many"}, "folds='many'"),
    ],
)
def test_bad_input(options, message):
    frame = workers(40).to_native().with_columns(flat=pl.lit(1.0))
    release = Release(frame, confidential="pay")
    with pytest.raises(TacitError, match=message):
        regression(release, original=release, **options)


def test_amounts_that_have_become_labels_are_lost():
    release = Release(workers().to_native(), hierarchies={"age": {"intervals": [10]}})
    masked = release.protect(Generalise(levels={"age": 1}))
    found = regression(masked, original=release, estimator="linear")
    assert [part.column for part in found] == [None, "age", "pay"]
    assert found["age"].value == 1 and found["age"].facts["amounts in the masked file"] is False
    assert found["pay"].value < 0.2
    with pytest.raises(TacitError, match="holds no amounts"):
        regression(masked, original=release, target="age")


def test_no_amounts():
    release = Release(pl.DataFrame({"sex": ["f", "m"]}))
    with pytest.raises(TacitError, match="amounts that vary"):
        regression(release, original=release)


def test_the_paired_interval_covers():
    """2,000 samples: the share covered is 95 % within four standard errors (0.005)."""
    rng = np.random.default_rng(7)
    hit = 0
    for _ in range(2000):
        first = rng.normal(1.0, 1.0, 100)
        low, high = paired_means(first, rng.normal(0.5, 2.0, 100))
        hit += low <= 0.5 <= high
    assert abs(hit / 2000 - 0.95) < 0.02
