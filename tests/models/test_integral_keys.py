"""Keys of models: what makes two models the same, and that nothing else is in them. catalogue: D-09."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models.integral import KMeans, Linear, Logistic, Moments, PublishedModel, Tree, read_model
from tacit.models.integral.grid import grid_cells, on_grid, usual_step
from tacit.models.integral.population import population_of
from tacit.models.integral.tree import grow_tree, predict_tree, trim_tree

LEARNERS = [
    Moments(grid={"age": 5, "pay": 100}),
    Linear(target="pay", grid={"age": 5, "pay": 100}),
    Logistic(target="ill", grid={"age": 5}, on=["age", "sex"]),
    Tree(target="ill", depth=3, leaf=0.05, grid={"age": 5, "pay": 100}),
    Tree(target="town", depth=3, leaf=0.05, grid={"age": 5, "pay": 100}),
    KMeans(clusters=3, grid={"age": 5, "pay": 100}),
]


def people(rows: int = 60, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], rows),
            "pay": np.round(800 + 10 * age + rng.normal(0, 150, rows), 2),
            "town": rng.choice(["A", "B", "C"], rows),
            "ill": np.where(age + rng.normal(0, 10, rows) > 55, "yes", "no"),
        }
    )


def key_of(frame: pl.DataFrame, learner):
    population = population_of(Release(frame), learner)
    return PublishedModel.of(learner, population.design, population.key(np.arange(population.size)))


@given(st.fractions(-50, 50, max_denominator=64), st.sampled_from([1, 2, 5, Fraction(1, 2), Fraction(1, 4)]))
def test_halves_go_up_on_every_grid(value, step):
    """Dyadic numbers are floats without error, so that the rounding itself is tested, edges included."""
    exact = Fraction(round(value * 64), 64)
    assert on_grid(np.array([float(exact)]), float(step)) == (floor(exact / step + Fraction(1, 2)),)


def test_the_edges_of_the_grid():
    assert on_grid(np.array([2.5, -2.5, 2.4999999, 7.5, 0.0]), 5.0) == (1, 0, 0, 2, 0)
    tenths = np.arange(-500, 500)
    assert grid_cells(tenths / 10, 0.1).tolist() == tenths.tolist()
    assert grid_cells((tenths - 0.001) / 10, 0.1).tolist() == (tenths - 1).tolist()
    assert on_grid((tenths + 0.5) / 10, 0.1) == tuple((tenths + 1).tolist())


@pytest.mark.parametrize(
    ("half", "step"), [(0.99, 0.5), (1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (4.9, 2.0), (5.0, 5.0), (7, 5.0), (60, 50.0)]
)
def test_the_usual_step_is_one_two_or_five_times_a_power_of_ten(half, step):
    assert usual_step(np.array([-2.0 * half, 2.0 * half])) == pytest.approx(step)


@settings(max_examples=12)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@given(order=st.randoms(use_true_random=False), seed=st.integers(0, 50))
def test_neither_the_order_of_rows_nor_of_columns_is_in_a_key(learner, order, seed):
    frame = people(seed=seed)
    rows, columns = list(range(len(frame))), list(frame.columns)
    order.shuffle(rows)
    order.shuffle(columns)
    assert key_of(frame[rows].select(columns), learner) == key_of(frame, learner)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_published_model_survives_json_and_answers_as_scikit_learn_does(learner, tmp_path):
    release = Release(people())
    model = key_of(people(), learner)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model.as_json()))
    assert read_model(path) == model == read_model(json.loads(path.read_text()))
    if isinstance(learner, Moments):
        return
    fresh = Release(people(seed=9))
    said = model.estimator().predict(model.matrix(fresh))
    assert len(set(said.tolist())) > 1
    if isinstance(learner, Linear):
        assert said == pytest.approx(model.predict(fresh))
    else:
        assert said.tolist() == model.predict(fresh).tolist()
    if isinstance(learner, Tree | Logistic):
        right = (model.predict(release) == release.values(learner.target)).mean()
        assert right == pytest.approx(
            learner.score(model.key, model.matrix(release), model.design.target_values(release))
        )


@pytest.mark.parametrize(
    "harm",
    [
        {"key": None},
        {"key": [9, 1, 0, 1]},
        {"key": [0, 1, 0, 7]},
        {"key": [0, 1, 0]},
        {"key": [0, 1.5, 0, 1]},
        {"design": {}},
        {"design": {"features": [{"column": "age"}], "target": None}},
        {"parameters": {"depth": 2}},
        {"parameters": {"target": "ill", "deep": 2}},
        {"parameters": None},
        {"learner": "forest"},
        {"format": "tacit integral model 2"},
    ],
    ids=str,
)
def test_a_harmed_model_is_refused(harm):
    whole = json.loads(json.dumps(key_of(people(), Tree(target="ill", depth=2, grid={"age": 5})).as_json()))
    assert read_model(whole)
    with pytest.raises(TacitError, match="fix:"):
        read_model(whole | harm)


def test_a_file_that_does_not_fit_the_model_is_refused():
    model = key_of(people(), Tree(target="ill", depth=2, grid={"age": 5}))
    for frame, said in (
        (people().drop("age"), "'age' is not in the table"),
        (people().with_columns(pl.col("age").cast(pl.String)), "'age' holds text"),
        (people().with_columns(age=pl.when(pl.int_range(60) != 4).then("age")), "'age' is missing in row 5"),
    ):
        with pytest.raises(TacitError, match="fix:") as caught:
            model.predict(Release(frame))
        assert said in str(caught.value)


def gini(target: np.ndarray) -> Fraction:
    return sum((Fraction(int(n), len(target)) ** 2 for n in np.bincount(target.astype(int))), start=Fraction(0))


@given(st.data())
def test_a_tree_of_one_question_asks_the_best_one(data):
    """The oracle tries every question; one as good as the best is right."""
    rows = data.draw(st.integers(4, 14))
    whole = st.lists(st.integers(0, 3), min_size=rows, max_size=rows)
    features = np.array([data.draw(whole) for _ in range(2)], dtype=float).T
    target = np.array(data.draw(whole), dtype=float) % 2
    scores = {}
    for column, cut in product(range(2), range(1, 4)):
        below = features[:, column] < cut
        if below.any() and not below.all():
            parts = [target[below], target[~below]]
            scores[column, cut] = sum(len(part) * gini(part) for part in parts)
    key = grow_tree(features, target, depth=1, least=1)
    if isinstance(key, int):  # no question parts the classes, or both sides say the same
        counts = np.bincount(target.astype(int), minlength=2)
        assert key == counts.argmax() or counts[0] == counts[1]
        return
    column, cut, below, above = key
    asked = features[:, column] < cut
    assert asked.any() and not asked.all()
    assert sum(len(part) * gini(part) for part in (target[asked], target[~asked])) == max(scores.values())
    for side, rows_of in ((below, asked), (above, ~asked)):
        counts = np.bincount(target[rows_of].astype(int), minlength=2)
        assert counts[side] == counts.max()


@given(st.integers(0, 200))
def test_a_tree_says_of_each_record_what_its_leaf_says(seed):
    """Asked one record at a time, by a walk of its own; trimmed it says the same."""
    release = Release(people(seed=seed))
    learner = Tree(target="town", depth=4, leaf=0.0, grid={"age": 5, "pay": 100})
    population = population_of(release, learner)
    key = population.key(np.arange(population.size))

    def walk(part, record):
        while not isinstance(part, int):
            column, cut, below, above = part
            part = below if record[column] < cut else above
        return part

    walked = [walk(key, record) for record in population.features]
    assert predict_tree(key, population.features).tolist() == walked
    short, design = trim_tree(key, population.design)
    model = PublishedModel(learner=learner, design=design, key=short)
    ordered = release.take(population.rows)
    labels = population.design.target.labels
    assert model.predict(ordered).tolist() == [labels[place] for place in walked]


def followed(lines: list[tuple[str, str]], record: dict) -> str:
    """The class that somebody finds who reads the words of a tree from the top."""
    depth = 0
    for left, said in lines:
        asked = left.strip()
        if len(left) - len(asked) != 2 * depth:
            continue
        column, sign, value = (asked.split(" ") + ["", ""])[:3]
        so = asked in ("else", "always") or (record[column] < float(value) if sign == "<" else record[column] == value)
        if so and said:
            return said
        depth += so
    raise AssertionError("the words end nowhere")


@pytest.mark.parametrize("target", ["sex", "town"])
def test_the_words_of_a_tree_say_what_it_says(target):
    frame = people(120)
    model = key_of(frame, Tree(target=target, depth=4, leaf=0.02, grid={"age": 5, "pay": 100}))
    lines = list(model.rows())
    assert any(" is " in left for left, _ in lines) and any(" < " in left for left, _ in lines)
    read = [followed([(left.replace(",", ""), said) for left, said in lines], one) for one in frame.to_dicts()]
    assert read == model.predict(Release(frame)).tolist()


def test_a_label_that_no_question_asks_about_is_not_published():
    frame = people().with_columns(
        town=pl.when(pl.int_range(60) == 7).then(pl.lit("Rareville")).otherwise(pl.col("town"))
    )
    model = key_of(frame, Tree(target="ill", depth=2, leaf=0.1, grid={"age": 5}))
    assert "Rareville" not in json.dumps(model.as_json())
    assert set(json.dumps(model.as_json()).split('"')) & {"age", "ill"}


def test_a_question_with_equal_sides_is_left_out():
    features = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    target = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # the cut lowers the Gini index, both sides say 0
    assert grow_tree(features, target, depth=1, least=1) == 0


def test_the_moments_are_those_of_the_statistics_module():
    from statistics import mean, stdev

    frame = people()
    learner = Moments(on=["age", "pay"], grid={"age": 1, "pay": 10}, rounding=0.5)
    told = dict(key_of(frame, learner).rows())
    for column, step in (("age", 1), ("pay", 10)):
        for name, figure in (("mean", mean), ("standard deviation", stdev)):
            said = float(told[f"{name} of {column}"].replace(",", ""))
            assert abs(said - figure(frame[column].to_list())) <= step * 0.5 / 2 + 0.5  # shown with four digits


def test_the_slopes_are_those_of_least_squares():
    """In the units of the columns, from the normal equations of the raw numbers."""
    frame = people()
    learner = Linear(target="pay", on=["age", "sex"], grid={"age": 5, "pay": 100}, rounding=0.001)
    model = key_of(frame, learner)
    raw = np.column_stack([np.ones(60), frame["age"].to_numpy(), (frame["sex"] == "m").to_numpy()])
    slopes = np.linalg.solve(raw.T @ raw, raw.T @ frame["pay"].to_numpy())
    made = model.estimator()
    assert made.coef_ / np.array([5, 1]) == pytest.approx(slopes[1:], abs=0.001 * 100)
    assert model.predict(Release(frame)) == pytest.approx(raw @ slopes, abs=3)


def test_the_odds_are_those_of_the_penalised_likelihood():
    """At the optimum the gradient is zero, for coefficients hardly rounded."""
    frame = people(200)
    learner = Logistic(target="ill", on=["age"], grid={"age": 5}, rounding=1e-5, ridge=2.0)
    population = population_of(Release(frame), learner)
    slopes = np.array(population.key(np.arange(200))) * 1e-5
    chance = 1 / (1 + np.exp(-(slopes[0] + population.features @ slopes[1:])))
    gap = population.target - chance
    assert abs(gap.sum()) < 0.01 and abs(population.features[:, 0] @ gap - 2.0 * slopes[1]) < 0.05


def test_days_are_said_as_days():
    from datetime import date

    births = [date(1950 + year, 6, 1) for year in range(0, 60, 2)]
    frame = pl.DataFrame({"birth": births, "ill": ["yes"] * 15 + ["no"] * 15, "pay": [float(n) for n in range(30)]})
    tree = key_of(frame, Tree(target="ill", depth=1, on="birth", grid={"birth": 365}))
    (question, said), _ = tree.rows()
    assert said == "yes" and question.startswith("birth < 19")
    cut = date.fromisoformat(question.removeprefix("birth < "))
    assert abs((cut - births[15]).days) <= 365 and read_model(tree.as_json()) == tree
    told = dict(key_of(frame, Moments(on="birth", grid={"birth": 365})).rows())
    assert told["mean of birth"].startswith("19") and told["standard deviation of birth"].endswith(" days")
    assert "for 365 days more of birth" in dict(
        key_of(frame, Linear(target="pay", on="birth", grid={"birth": 365})).rows()
    )


def test_centres_are_a_set():
    release = Release(pl.DataFrame({"x": [0.0, 1.0, 100.0, 101.0, 50.0, 51.0]}))
    learner = KMeans(clusters=3, grid={"x": 1}, rounding=0.5)
    model = key_of(release.to_native(), learner)
    assert list(model.key) == sorted(model.key)
    assert [one.split(" ")[1] for _, one in model.rows()] == ["0.5", "50.5", "100.5"]
    assert model.predict(release).tolist() == [0, 0, 2, 2, 1, 1]
