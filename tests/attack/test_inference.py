"""Inference by a model: cross-validated by hand, a leak that is recited, a rule that is general. catalogue: B-04, B-09."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Inference, adr, infer
from tacit.attack._columns import features_of
from tacit.attack._target import with_values
from tacit.attack._value_scoring import without_own
from tacit.claims import Scenario, Truth, judge
from tacit.claims.gain import above_own
from tacit.loss.learning.estimators import NAMES
from tacit.protect import Generalise, Mondrian, RankSwap
from tacit.seed import child_seed, make_generator


def described(frame: pl.DataFrame, **more) -> Release:
    kinds = {
        name: "continuous" for name, dtype in frame.schema.items() if dtype.is_numeric() and name.startswith(("x", "y"))
    }
    quasi = [name for name in frame.columns if name not in ("v", "y")]
    confidential = [name for name in ("v", "y") if name in frame.columns]
    return Release(frame, quasi=quasi, confidential=confidential, kinds=kinds, **more)


def truth_about(release: Release, column: str = "v", percent: float = 10.0) -> Truth:
    return with_values(Truth.by_lineage(None, release.size), release, release, column, percent=percent)


def own_and_rest(release: Release, attack: Inference, seed: int = 1) -> tuple[float, float, float]:
    """What is right with the people's own records, what without them, and the difference."""
    scenario, truth = Scenario.worst_case(release), truth_about(release)
    own = judge(attack.claims(release, scenario, seed=seed), truth)
    rest = judge(without_own(attack, release, scenario, truth, folds=5, seed=seed), truth)
    return own.value, rest.value, above_own(own.per_record.values(), rest.per_record.values())[0]


# Memorised or general? The two tests are catalogue B-09.


def test_what_a_model_recites_is_learnt_above_the_rest():  # catalogue: B-09
    rng = np.random.default_rng(1)
    release = described(
        pl.DataFrame({"x1": rng.random(600), "x2": rng.random(600), "v": rng.choice(list("abcd"), 600)})
    )
    own, rest, above = own_and_rest(release, Inference(estimator=KNeighborsClassifier(1)))
    assert own == 1.0
    assert abs(rest - 0.25) < 0.06
    assert abs(above - 0.75) < 0.06


def test_a_general_rule_is_knowledge_about_the_world():  # catalogue: B-09
    rng = np.random.default_rng(2)
    x1, x2 = rng.random(800), rng.random(800)
    release = described(pl.DataFrame({"x1": x1, "x2": x2, "v": np.where(x1 > 0.5, "high", "low")}))
    for estimator in ("boosting", "tree"):
        own, rest, above = own_and_rest(release, Inference(estimator=estimator))
        assert own > 0.99 and rest > 0.98
        assert above < 0.02


def test_random_labels_teach_nothing():
    rng = np.random.default_rng(3)
    release = described(pl.DataFrame({"x1": rng.random(1500), "v": rng.choice(["yes", "no"], 1500)}))
    found = adr(release, original=release, column="v", lineage=np.arange(1500), seed=4)
    assert found.interval[0] < 0.55 and abs(found.value - 0.5) < 0.06
    assert found.facts["interval of the gain"][0] < 0.03


def test_infer_reports_the_attack_by_its_name():
    rng = np.random.default_rng(1)
    release = described(pl.DataFrame({"x1": rng.random(300), "v": rng.choice(["yes", "no"], 300)}))
    attack = Inference(estimator=KNeighborsClassifier(1))
    found = infer(release, original=release, column="v", lineage=np.arange(300), attack=attack, seed=1)["v"]
    assert found.value == 1.0
    assert found.facts["learnt above the rest"] > 0.35
    assert ATTACKS["inference"].call is Inference and ATTACKS["inference"].tags.about == "attribute"


# Against cross-validation written out by hand


def oracle(masked: pl.DataFrame, original: pl.DataFrame, fold: np.ndarray, make, column: str) -> list:
    """Plain scikit-learn: fit on the masked rows of the other folds, ask about the original rows of this one."""
    names = [name for name in masked.columns if name.startswith("x")]
    said = [None] * len(fold)
    for number in np.unique(fold):
        inside = fold == number
        model = make().fit(masked.select(names).to_numpy()[~inside], masked[column].to_numpy()[~inside])
        for row, value in zip(
            np.flatnonzero(inside), model.predict(original.select(names).to_numpy()[inside]), strict=True
        ):
            said[row] = value
    return said


@settings(max_examples=12)
@given(st.integers(0, 2**32))
def test_adr_is_cross_validation_on_the_masked_file(seed):  # catalogue: B-04
    rng = np.random.default_rng(seed)
    size = 80
    frame = pl.DataFrame({"x1": rng.normal(size=size), "x2": rng.normal(size=size)})
    frame = frame.with_columns(v=pl.Series(np.where(frame["x1"] + rng.normal(size=size) > 0, "p", "n")))
    noisy = frame.with_columns(pl.col("x1") + rng.normal(size=size), pl.col("x2") * 1.5)
    fold = make_generator(child_seed(seed, "folds")).permutation(size) % 4

    def make():
        return make_pipeline(StandardScaler(), KNeighborsClassifier(3))

    found = adr(
        described(noisy),
        original=described(frame),
        column="v",
        estimator=KNeighborsClassifier(3),
        folds=4,
        lineage=np.arange(size),
        seed=seed,
    )
    said = oracle(noisy, frame, fold, make, "v")
    expected = np.array([one == true for one, true in zip(said, frame["v"], strict=True)])
    assert found.per_record.values().tolist() == expected.astype(float).tolist()


def test_adr_of_numbers_by_nearest_neighbours_is_that_of_the_oracle():  # catalogue: B-04
    rng = np.random.default_rng(5)
    size = 200
    frame = pl.DataFrame({"x1": rng.normal(size=size)})
    frame = frame.with_columns(y=frame["x1"] * 3 + rng.normal(size=size) * 0.3)
    noisy = frame.with_columns(pl.col("x1") + rng.normal(size=size) * 0.1, pl.col("y") + 0.01)
    fold = make_generator(child_seed(7, "folds")).permutation(size) % 5
    options = {"column": "y", "estimator": KNeighborsRegressor(3), "percent": 20, "lineage": np.arange(size), "seed": 7}
    found = adr(described(noisy), original=described(frame), **options)
    said = np.array(oracle(noisy, frame, fold, lambda: KNeighborsRegressor(3), "y"))
    expected = np.abs(said - frame["y"].to_numpy()) <= 0.2 * frame["y"].to_numpy().std()
    assert found.per_record.values().tolist() == expected.astype(float).tolist()
    assert found.value > found.facts["best single guess"]


def test_a_table_small_enough_for_the_hand():  # catalogue: B-04
    """1-NN on the masked file: the swapped pair (30, 40) misleads both, the others are told rightly."""
    masked = pl.DataFrame({"x1": [10.0, 20, 40, 30], "v": ["a", "a", "b", "c"]})
    original = pl.DataFrame({"x1": [10.0, 20, 30, 40], "v": ["a", "a", "b", "c"]})
    release, people = described(masked), described(original)
    claims = Inference(estimator=KNeighborsClassifier(1)).claims(release, Scenario.worst_case(people))
    assert release.codes("v").dictionary.gather(claims.codes).to_list() == ["a", "a", "c", "b"]
    truth = with_values(Truth.by_lineage(None, 4), release, people, "v", percent=10)
    assert judge(claims, truth).per_record.values().tolist() == [1.0, 1.0, 0.0, 0.0]


def test_the_model_learns_from_the_release_and_not_from_the_original():
    """The lecture's adr never uses X'; here a release whose labels were inverted makes every claim wrong."""
    frame = pl.DataFrame({"zip": ["N1", "N2"] * 50, "v": ["a", "b"] * 50})
    inverted = frame.with_columns(v=pl.Series(["b", "a"] * 50))
    found = adr(described(inverted), original=described(frame), column="v", lineage=np.arange(100), seed=1)
    assert found.value == 0.0


def test_equally_likely_values_share_the_claim():
    frame = pl.DataFrame({"zip": ["N1"] * 4, "v": ["a", "b", "a", "b"]})
    claims = Inference(estimator="tree").claims(described(frame), Scenario.worst_case(described(frame)))
    assert claims.shares.tolist() == [0.5] * 8 and claims.codes.tolist() == [0, 1] * 4


@pytest.mark.parametrize("estimator", [*NAMES, RandomForestClassifier(5), KNeighborsClassifier(1)])
def test_the_order_of_the_release_does_not_matter(estimator):
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"x1": rng.integers(0, 6, 120), "zip": rng.choice(list("pqr"), 120)})
    frame = frame.with_columns(v=pl.Series(rng.choice(["a", "b"], 120)))
    release = described(frame)
    scenario, shuffled = Scenario.worst_case(release), release.take(rng.permutation(120))
    claims = [Inference(estimator=estimator).claims(one, scenario, seed=3) for one in (release, shuffled)]
    assert claims[0].codes.tolist() == claims[1].codes.tolist()
    assert claims[0].start.tolist() == claims[1].start.tolist()


# What the columns may be


def mixed_frame(rng: np.random.Generator, size: int = 300) -> pl.DataFrame:
    zips = rng.choice(["N11", "N12", "N21", "N22"], size)
    frame = pl.DataFrame({"x1": rng.normal(size=size), "zip": zips, "born": rng.integers(0, 9000, size)})
    frame = frame.with_columns(born=pl.date(1990, 1, 1) + pl.duration(days=pl.col("born")))
    return frame.with_columns(v=pl.Series(np.where(np.char.startswith(zips, "N1"), "one", "two")))


@pytest.mark.parametrize("estimator", NAMES)
def test_gaps_dates_and_categories_are_learnt_from(estimator):
    rng = np.random.default_rng(7)
    frame = mixed_frame(rng)
    holes = [
        pl.when(pl.Series(rng.random(300) < 0.1)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("x1", "zip", "born", "v")
    ]
    release = described(frame.with_columns(holes), missing="own")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        claims = Inference(estimator=estimator).claims(release, Scenario.worst_case(release), seed=1)
    assert judge(claims, truth_about(release)).value > 0.85


@pytest.mark.parametrize("estimator", ["boosting", "linear"])
def test_a_generalised_column_is_asked_about_at_its_level(estimator):
    rng = np.random.default_rng(8)
    release = described(mixed_frame(rng), hierarchies={"zip": {"prefix": [3, 2, 1]}})
    masked = release.protect(Generalise(levels={"zip": 1}))
    assert adr(masked, original=release, column="v", estimator=estimator, seed=1).value == 1.0


def test_local_recoding_is_learnt_from_by_the_ends_of_its_ranges():
    rng = np.random.default_rng(9)
    frame = pl.DataFrame({"x1": rng.integers(0, 100, 400), "x2": rng.integers(0, 100, 400)})
    frame = frame.with_columns(v=pl.when(pl.col("x1") > 50).then(pl.lit("old")).otherwise(pl.lit("young")))
    release = described(frame)
    masked = release.protect(Mondrian(models={"k_anonymity": 5}), seed=1)
    assert masked.release.mixed
    found = adr(masked, original=release, column="v", seed=1)
    assert found.value > 0.85


def test_values_that_the_release_does_not_have_are_unknown_and_counted():
    frame = pl.DataFrame({"zip": ["N1", "N2"] * 20, "v": ["a", "b"] * 20})
    strangers = described(pl.DataFrame({"zip": ["N1", "Q9", "Q8"], "v": ["a", "a", "a"]}))
    for estimator in NAMES:
        claims = Inference(estimator=estimator).claims(described(frame), Scenario.worst_case(strangers))
        assert claims.intruder_size == 3
        assert claims.notes == ("2 cells of 'zip' hold a value that the release does not have: unknown",)


def test_many_categories_are_cut_and_few_kept():
    names = [f"n{number:04d}" for number in range(900)]
    release = described(pl.DataFrame({"name": names, "v": ["a", "b", "b"] * 300}))
    features = features_of(release, release, ("name",))
    native, people, codes = features.native_matrices()
    assert native.max() == 250 and codes.tolist() == [True] and (native == people).all()
    assert features.dense_matrices()[0].shape == (900, 31)
    for estimator in NAMES:
        assert Inference(estimator=estimator).claims(release, Scenario.worst_case(release)).intruder_size == 900


def test_a_column_with_many_values_is_told_apart_by_one_tree():
    rng = np.random.default_rng(11)
    place = rng.integers(0, 60, 1200)
    release = described(pl.DataFrame({"x1": place + rng.random(1200) / 2, "v": [f"t{one}" for one in place]}))
    claims = Inference().claims(release, Scenario.worst_case(release))
    assert claims.notes == ("60 values to tell apart: one tree, not boosting",)
    assert judge(claims, truth_about(release)).value > 0.95


def test_numbers_and_dates_are_targets_too():
    rng = np.random.default_rng(12)
    x = rng.normal(size=300)
    days = [dt.date(2000, 1, 1) + dt.timedelta(days=int(1000 + 300 * one)) for one in x]
    release = Release(pl.DataFrame({"x1": x, "y": days}), quasi="x1", confidential="y", kinds={"x1": "continuous"})
    for estimator in (*NAMES, LinearRegression()):
        claims = Inference(estimator=estimator).claims(release, Scenario.worst_case(release), seed=1)
        assert claims.codes is None and judge(claims, truth_about(release, "y", 20)).value > 0.5


def test_huge_numbers_do_not_overflow():
    release = described(pl.DataFrame({"x1": [1.0, 2, 3, 4] * 10, "y": [1e299, -1e299, 0.0, 1e-3] * 10}))
    claims = Inference(estimator=KNeighborsRegressor(1)).claims(release, Scenario.worst_case(release))
    assert claims.numbers.tolist() == release.values("y").tolist()


def test_masking_lowers_what_is_recited():
    rng = np.random.default_rng(13)
    release = described(pl.DataFrame({"x1": rng.random(500), "x2": rng.random(500), "v": rng.choice(list("ab"), 500)}))
    masked = release.protect(RankSwap(columns=["x1", "x2"], percent=40), seed=1)
    truth = with_values(Truth.by_lineage(masked.rows(), 500), masked.release, release, "v", percent=10)
    claims = Inference(estimator=KNeighborsClassifier(1)).claims(masked.release, Scenario.worst_case(release))
    assert judge(claims, truth).value < 0.65


# Estimators of one's own


def test_an_estimator_is_copied_and_its_state_set_from_the_seed():
    rng = np.random.default_rng(14)
    release = described(pl.DataFrame({"x1": rng.random(150), "v": rng.choice(list("ab"), 150)}))
    mine = RandomForestClassifier(5, max_depth=2)
    scenario = Scenario.worst_case(release)
    said = [Inference(estimator=mine).claims(release, scenario, seed=one).codes.tolist() for one in (1, 1, 2)]
    assert said[0] == said[1] and said[0] != said[2]
    assert mine.random_state is None and not hasattr(mine, "classes_")


@pytest.mark.parametrize(
    "estimator", [make_pipeline(StandardScaler(), LinearSVC()), HistGradientBoostingClassifier(max_iter=10)]
)
def test_pipelines_and_estimators_without_chances_are_taken(estimator):
    release = described(mixed_frame(np.random.default_rng(15)))
    claims = Inference(estimator=estimator).claims(release, Scenario.worst_case(release), seed=1)
    assert judge(claims, truth_about(release)).value == 1.0


class Quoting:
    """An estimator whose error quotes a cell."""

    def fit(self, x, y):
        raise ValueError(f"cannot read secret {x[0]}")

    def predict(self, x):
        return x


class Silent:
    """Says nothing that is a number."""

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.full(len(x), np.nan)


def test_an_estimator_that_says_nothing_is_right_about_nobody():
    release = described(pl.DataFrame({"x1": [1.0, 2, 3], "y": [1.0, 2, 4]}))
    claims = Inference(estimator=Silent()).claims(release, Scenario.worst_case(release))
    assert judge(claims, truth_about(release, "y")).value == 0.0


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        ("bosting", "did you mean 'boosting'"),
        (StandardScaler(), "has no predict"),
        (KNeighborsClassifier, "is a class"),
        (7, "has no fit and no predict"),
    ],
)
def test_what_is_no_estimator_is_refused(estimator, says):
    with pytest.raises(TacitError, match=says):
        Inference(estimator=estimator)


def test_an_estimator_of_the_wrong_kind_or_that_fails_is_named():
    release = described(pl.DataFrame({"x1": [1.0, 2, 3] * 5, "v": ["a", "b", "b"] * 5}))
    scenario = Scenario.worst_case(release)
    with pytest.raises(TacitError, match="predicts numbers"):
        Inference(estimator=LinearRegression()).claims(release, scenario)
    with pytest.raises(TacitError, match="fails on these columns") as problem:
        Inference(estimator=Quoting()).claims(release, scenario)
    assert "secret" not in str(problem.value) and problem.value.__cause__ is None


# Bad input


@pytest.mark.parametrize(
    ("frame", "options", "says"),
    [
        ({"zip": ["N1", "N2"], "v": ["a", "a"]}, {}, "one value only"),
        ({"zip": ["N1", "N2"], "v": [None, None]}, {}, "missing in the release"),
        ({"zip": ["N1", "N2"], "v": ["a", None]}, {}, "fewer than two"),
        ({"zip": ["N1", "N2"], "v": ["a", "b"]}, {"knows": ["zip", "v"]}, "knows 'v' already"),
        ({"zip": ["N1", "N2"], "v": ["a", "b"]}, {"column": "w"}, "no column 'w'"),
    ],
)
def test_nothing_to_infer_is_said_with_the_column(frame, options, says):
    release = described(pl.DataFrame(frame, schema_overrides={"v": pl.String}))
    column = options.get("column", "v")
    scenario = Scenario.worst_case(release, knows=options.get("knows"))
    attack = Inference(column=column)
    assert says in attack.applies(release, scenario)
    with pytest.raises(TacitError, match=says) as problem:
        attack.claims(release, scenario)
    assert problem.value.column == column
    with pytest.raises(TacitError, match=says):
        adr(release, original=release, column=column, knows=options.get("knows"), lineage=np.arange(2))


def test_files_without_a_common_column_are_refused():
    release = described(pl.DataFrame({"zip": ["N1", "N2"], "v": ["a", "b"]}))
    other = described(pl.DataFrame({"town": ["N1", "N2"], "v": ["a", "b"]}))
    assert "none of the columns" in Inference(column="v").applies(release, Scenario.worst_case(other))


@pytest.mark.parametrize(("options", "says"), [({"percent": -1}, "percent=-1"), ({"folds": 1}, "folds=1")])
def test_bad_parameters_of_adr(options, says):
    release = described(pl.DataFrame({"zip": ["N1", "N2"], "v": ["a", "b"]}))
    with pytest.raises(TacitError, match=says):
        adr(release, original=release, column="v", lineage=np.arange(2), **options)


def test_a_file_in_another_order_needs_a_lineage():
    release = described(pl.DataFrame({"zip": ["N1", "N2"], "v": ["a", "b"]}))
    with pytest.raises(TacitError, match="which released row is which"):
        adr(release, original=release, column="v")


def test_constant_and_empty_columns_are_no_harm():
    frame = pl.DataFrame(
        {"zip": ["N1"] * 30, "x1": [None] * 30, "v": ["a", "b", "b"] * 10}, schema_overrides={"x1": pl.Float64}
    )
    release = described(frame, missing="own")
    for estimator in NAMES:
        claims = Inference(estimator=estimator).claims(release, Scenario.worst_case(release))
        assert set(claims.codes.tolist()) == {1}


def test_adult_is_inferred(reference_data):
    frame = pl.read_csv(reference_data / "adult" / "adult.csv", separator=";")
    release = Release(frame, quasi=frame.columns[:-1], confidential="salary-class", kinds={"age": "continuous"})
    claims = Inference().claims(release, Scenario.worst_case(release), seed=1)
    assert 0.84 < judge(claims, truth_about(release, "salary-class")).value < 0.87


def test_numbers_are_standardised_by_the_release_and_a_gap_is_its_mean():
    release, asked = (
        described(pl.DataFrame({"x1": values, "v": ["a", "b", "a", "b"]}))
        for values in ([1.0, 3.0, 5.0, None], [3.0, None, 9.0, 1.0])
    )
    taught, people = features_of(release, asked, ("x1",)).dense_matrices()
    unit = np.std([1, 3, 5])
    assert taught[:, 0] == pytest.approx([-2 / unit, 0, 2 / unit, 0]) and taught[:, 1].tolist() == [0, 0, 0, 1]
    assert people[:, 0] == pytest.approx([0, 0, 6 / unit, -2 / unit]) and people[:, 1].tolist() == [0, 1, 0, 0]
