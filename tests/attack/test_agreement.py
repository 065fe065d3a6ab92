"""Agreement of a model of the original with one of the release: DDMBAR by hand and by an oracle. catalogue: B-05."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit import Release, TacitError
from tacit.attack import agreement
from tacit.protect import Generalise, Mondrian, RankSwap
from tacit.release import Masked
from tacit.seed import child_seed, make_generator


def described(frame: pl.DataFrame, **more) -> Release:
    kinds = {name: "continuous" for name in frame.columns if name[0] in "xy"}
    return Release(frame, quasi=[name for name in frame.columns if name[0] != "v"], kinds=kinds, **more)


def people(size: int, seed: int = 1) -> tuple[pl.DataFrame, list[str]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(size, 2))
    return pl.DataFrame({"x1": x[:, 0], "x2": x[:, 1]}), np.where(x[:, 0] > 0, "left", "right").tolist()


def test_the_lecture_s_form_by_hand():  # catalogue: B-05
    """1-NN asked about what it learnt says the column itself: agreement is the share of cells left as they were."""
    original = pl.DataFrame({"x1": [1.0, 2, 3, 4, 5], "v": list("aabbc")})
    masked = pl.DataFrame({"x1": [1.0, 2, 3, 4, 5], "v": list("abbba")})
    found = agreement(
        described(masked),
        original=described(original),
        column="v",
        estimator=KNeighborsClassifier(1),
        folds=None,
        lineage=np.arange(5),
    )
    assert found.value == 3 / 5
    assert found.per_record.values().tolist() == [1, 0, 1, 1, 0]
    assert found.facts["model of the original right"] == 1.0
    assert found.facts["model of the release right"] == 3 / 5
    assert found.facts["agreement by chance"] == pytest.approx(
        2 / 5 * 2 / 5 + 2 / 5 * 3 / 5
    )  # a and b; c is never said of the release
    assert found.facts["best single guess"] == 2 / 5


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.booleans())
def test_it_is_two_models_and_a_count(seed, plain):  # catalogue: B-05
    """Plain scikit-learn with the same folds; rows of the release in another order, one person lost, one row invented."""
    rng = np.random.default_rng(seed)
    frame, _ = people(60, seed)
    votes = np.where(frame["x1"].to_numpy() + rng.normal(size=60) > 0, 1, 0)
    lineage = np.append(rng.permutation(60)[:59], -1)
    noisy = pl.DataFrame(rng.normal(size=(60, 2)), schema=["x1", "x2"]) * 0.5 + frame[np.maximum(lineage, 0)]
    found = agreement(
        described(noisy),
        original=described(frame),
        labels=votes,
        estimator=KNeighborsClassifier(3),
        folds=None if plain else 4,
        lineage=lineage,
        seed=seed,
    )
    fold = np.zeros(60) if plain else make_generator(child_seed(seed, "folds")).permutation(60) % 4
    said = [np.full(60, np.nan), np.full(60, np.nan)]
    for number in np.unique(fold):
        for table, of_row, found_here in ((frame, np.arange(60), said[0]), (noisy, lineage, said[1])):
            inside = (of_row >= 0) & (fold[of_row] == number)
            learnt = of_row >= 0 if plain else (of_row >= 0) & ~inside
            x = StandardScaler().fit_transform(table.to_numpy())  # the spread is that of the whole file
            model = KNeighborsClassifier(3).fit(x[learnt], votes[of_row[learnt]])
            found_here[inside] = model.predict(x[inside])
    hits = [said[0][person] == said[1][row] for row, person in enumerate(lineage) if person >= 0]
    assert found.value == pytest.approx(np.mean(hits))
    assert found.facts["records without a protected version"] == 1


def test_the_same_file_agrees_with_itself():
    frame, votes = people(300)
    release = described(frame)
    for estimator in ("boosting", "linear", "tree", "neighbours"):
        found = agreement(release, original=release, labels=votes, estimator=estimator, lineage=np.arange(300), seed=1)
        assert found.value == 1.0
        assert found.facts["model of the release right"] > 0.9


def test_an_absent_attribute_survives_weak_masking_and_not_a_strong_one():
    frame, votes = people(500)
    release = described(frame)
    shares = []
    for percent in (2, 90):
        masked = release.protect(RankSwap(columns=["x1", "x2"], percent=percent), seed=1)
        found = agreement(masked, original=release, labels=votes, seed=1)
        shares.append((found.value, found.facts["model of the release right"]))
    assert shares[0][0] > 0.9 and shares[0][1] > 0.9
    assert shares[1][0] < 0.75 and shares[1][1] < 0.75


def test_models_that_know_nothing_agree_by_chance():
    rng = np.random.default_rng(3)
    frame, _ = people(600)
    release = described(frame)
    votes = rng.choice(["a", "b"], 600)
    masked = release.protect(RankSwap(columns=["x1", "x2"], percent=90), seed=1)
    found = agreement(masked, original=release, labels=votes, estimator=KNeighborsClassifier(1), seed=1)
    assert abs(found.value - found.facts["agreement by chance"]) < 0.07
    assert abs(found.facts["model of the release right"] - 0.5) < 0.07


def test_cross_fitting_keeps_a_model_from_reciting():
    """Random labels, columns left alone: in the plain form 1-NN recites and agrees; cross-fitted too, but it is right of nobody."""
    rng = np.random.default_rng(4)
    frame, _ = people(400)
    release, votes = described(frame), rng.choice(["a", "b"], 400)
    options = {"labels": votes, "estimator": KNeighborsClassifier(1), "lineage": np.arange(400), "seed": 1}
    plain = agreement(release, original=release, folds=None, **options)
    fitted = agreement(release, original=release, **options)
    assert plain.facts["model of the release right"] == 1.0
    assert abs(fitted.facts["model of the release right"] - 0.5) < 0.08


def test_numbers_agree_within_a_share_of_the_spread():
    original = pl.DataFrame({"x1": [1.0, 2, 3, 4], "y": [0.0, 10, 20, 30]})
    masked = original.with_columns(y=pl.Series([1.0, 10, 25, 30]))
    options = {"column": "y", "estimator": KNeighborsRegressor(1), "folds": None, "lineage": np.arange(4)}
    spread = np.std([0, 10, 20, 30])
    for percent, agrees in ((1e-9, 0.5), (100 / spread, 0.75), (500 / spread, 1.0)):
        found = agreement(described(masked), original=described(original), percent=percent, **options)
        assert found.value == agrees
    assert found.facts["best single guess"] == 0.5  # 15 is within 5 of 10 and of 20


def test_several_protected_versions_of_a_person_count_once():
    original = pl.DataFrame({"x1": [1.0, 2, 3], "v": list("aab")})
    masked = pl.DataFrame({"x1": [1.0, 1.1, 2, 3, 9], "v": list("abaab")})
    found = agreement(
        described(masked),
        original=described(original),
        column="v",
        estimator=KNeighborsClassifier(1),
        folds=None,
        lineage=np.array([0, 0, 1, 2, -1]),
    )
    assert found.per_record.values().tolist() == [0.5, 1, 0]
    assert found.value == 0.5 and found.facts["records"] == 3


def test_a_release_of_few_people_leaves_folds_without_anybody():
    frame, votes = people(50)
    release, rows = described(frame.with_columns(y=pl.col("x1") * 2)), np.array([3, 7, 9])
    masked = Masked(release.take(rows), (), rows)
    found = agreement(masked, original=release, column="y", estimator="tree", seed=1)
    assert found.facts["records"] == 3 and found.facts["records without a protected version"] == 47


@pytest.mark.filterwarnings("error")
def test_huge_numbers_agree_no_more_than_small_ones():
    rng = np.random.default_rng(8)
    frame = pl.DataFrame({"x1": rng.normal(size=60), "y": rng.normal(size=60)})
    dealt = frame.with_columns(y=pl.Series(rng.permutation(frame["y"].to_numpy())))
    small, huge = (
        agreement(
            described(dealt.with_columns(y=pl.col("y") * scale)),
            original=described(frame.with_columns(y=pl.col("y") * scale)),
            column="y",
            lineage=np.arange(60),
            seed=1,
        ).value
        for scale in (1.0, 2.0**700)
    )
    assert small == huge < 0.5


def test_a_column_that_the_release_lost_is_an_absent_attribute():
    frame, votes = people(200)
    full = described(frame.with_columns(v=pl.Series(votes)))
    masked = Masked(described(frame), ())
    assert agreement(masked, original=full, column="v", seed=1).value == 1.0


def test_generalised_and_locally_recoded_columns_are_learnt_from():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"zip": rng.choice(["N11", "N12", "N21"], 300), "x1": rng.integers(0, 90, 300)})
    votes = ["a" if one.startswith("N1") else "b" for one in frame["zip"]]
    release = described(frame, hierarchies={"zip": {"prefix": [3, 2, 1]}})
    for method in (Generalise(levels={"zip": 1}), Mondrian(models={"k_anonymity": 3})):
        found = agreement(release.protect(method, seed=1), original=release, labels=votes, seed=1)
        assert found.value > 0.9


def test_a_generalised_target_is_compared_at_its_level():
    rng = np.random.default_rng(6)
    zips = rng.choice(["N11", "N12", "N21", "N22"], 200)
    frame = pl.DataFrame({"x1": [float(one[1:]) for one in zips] + rng.random(200) / 9, "zip": zips})
    release = described(frame, hierarchies={"zip": {"prefix": [3, 2, 1]}})
    masked = release.protect(Generalise(levels={"zip": 1}))
    assert agreement(masked, original=release, column="zip", seed=1).value == 1.0


def test_labels_may_be_missing_and_are_not_judged_there():
    frame, votes = people(200)
    release = described(frame)
    some = [None if row % 4 == 0 else vote for row, vote in enumerate(votes)]
    found = agreement(release, original=release, labels=some, lineage=np.arange(200), seed=1)
    assert found.value == 1.0 and found.facts["model of the original right"] > 0.9


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "name one thing"),
        ({"column": "v", "labels": ["a"] * 4}, "name one thing"),
        ({"column": "w"}, "not in the table"),
        ({"labels": ["a", "b"]}, "2 labels for the 4 records"),
        ({"labels": ["a"] * 4}, "fewer than two"),
        ({"labels": [None] * 4}, "fewer than two"),
        ({"labels": 7}, "labels"),
        ({"column": "v", "folds": 1}, "folds=1"),
        ({"column": "v", "percent": "x"}, "percent"),
        ({"column": "v", "estimator": StandardScaler()}, "has no predict"),
        ({"column": "v", "estimator": make_pipeline(StandardScaler(), KNeighborsRegressor(1))}, "predicts numbers"),
    ],
)
def test_mistakes_are_named(options, says):
    release = described(pl.DataFrame({"x1": [1.0, 2, 3, 4], "v": list("abab")}))
    with pytest.raises(TacitError, match=says) as problem:
        agreement(release, original=release, lineage=np.arange(4), **options)
    assert problem.value.fix


def test_files_without_another_column_are_refused():
    release = described(pl.DataFrame({"v": list("abab")}))
    with pytest.raises(TacitError, match="no other column"):
        agreement(release, original=release, column="v", lineage=np.arange(4))
