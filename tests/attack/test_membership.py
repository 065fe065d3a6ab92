"""Membership inference on models: calibrated where the truth is known, strong where a model remembers. catalogue: B-06."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tacit import TacitError
from tacit.attack import Lira, LossThreshold, Shadows, membership
from tacit.attack.model_membership import model_case, without_shared
from tacit.attack.model_membership.lira import log_likelihood_ratio
from tacit.attack.model_membership.shadow_models import random_halves
from tacit.claims.roc import roc_steps
from tacit.errors import Cancelled

EVERY = (LossThreshold(by="right"), LossThreshold(), Shadows(count=4), Lira(count=8), Lira(count=4, online=False))


def people(n: int, seed: int, *, classes: int = 2, noise: bool = False, columns: int = 6):
    """Members, others and the intruder's own people, drawn alike; with ``noise`` the classes are pure chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4 * n, columns))
    pull = np.zeros(4 * n) if noise else 1.5 * X[:, 0] + X[:, 1]
    y = rng.integers(0, classes, 4 * n) if noise else (pull + rng.logistic(size=4 * n) > 0).astype(int)
    return (X[:n], y[:n]), (X[n : 2 * n], y[n : 2 * n]), (X[2 * n :], y[2 * n :])


class Ignorant(ClassifierMixin, BaseEstimator):
    """Answers by a fixed rule, whatever it was trained on."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        second = 1 / (1 + np.exp(-X[:, 0] - np.sin(20 * X[:, 1])))
        return np.column_stack([1 - second, second])


class Tally(ClassifierMixin, BaseEstimator):
    """Counts of both classes in cells, with Laplace noise: replacing a record changes two counts by one, so that a scale
    of 2/ε makes the model ε-differentially private."""

    def __init__(self, cells=10, scale=1.0, random_state=0):
        self.cells, self.scale, self.random_state = cells, scale, random_state

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        counts = np.zeros((self.cells, 2))
        np.add.at(counts, (X[:, 0].astype(int), y), 1.0)
        noisy = np.maximum(counts + rng.laplace(0.0, self.scale, counts.shape), 0.0) + 1e-3
        self.shares_, self.classes_ = noisy / noisy.sum(axis=1, keepdims=True), np.array([0, 1])
        return self

    def predict_proba(self, X):
        return self.shares_[X[:, 0].astype(int)]


def test_a_model_that_ignores_its_data_tells_nothing():
    members, others, like = people(400, 1)
    model = Ignorant().fit(*members)
    sigma = np.sqrt(801 / (12 * 400 * 400))
    found = membership(model, members=members, others=others, like=like, attack=EVERY, seed=1)
    assert len(found) == 5
    for result in found:
        assert abs(result.value - 0.5) <= 3 * sigma, result


def test_one_neighbour_remembers_everybody():
    """With twenty classes by chance a non-member is right once in twenty times: the area is 1 − 0.05/2."""
    members, others, like = people(300, 2, classes=20, noise=True)
    model = KNeighborsClassifier(1).fit(*members)
    for result in membership(model, members=members, others=others, like=like, attack=EVERY, seed=1):
        assert result.value == pytest.approx(0.975, abs=0.03), result


def test_an_overfit_forest_is_an_open_book_and_a_regular_regression_is_not():
    members, others, like = people(200, 3, noise=True)
    forest = RandomForestClassifier(16, random_state=0).fit(*members)
    found = membership(forest, members=members, others=others, like=like, seed=1)
    assert [part.name for part in found] == ["gap", "threshold", "shadows", "lira"]
    assert all(part.value > 0.9 for part in found.parts[1:])
    assert found["lira"].value > 0.9 and found["lira"].facts["found at 1 % false alarms"] > 0.25
    members, others, like = people(400, 4)
    regular = LogisticRegression(C=0.1).fit(*members)
    for result in membership(regular, members=members, others=others, like=like, seed=1):
        assert result.value < 0.6, result


def excess(model: Tally, attack, epsilon: float, members, others) -> float:
    """By how much the worst threshold breaks TPR ≤ e^ε FPR or its mirror image, in units of what chance does to a curve.

    Half the people share a cell with another, so the uniform (DKW) deviation is taken for half as many.
    """
    case, truth = model_case(model, members=members, others=others)
    found, false = roc_steps(attack.claims(case, seed=1).scores, truth.in_release())
    margin = np.sqrt(np.log(2 / 1e-4) / len(members[1])) * (1 + np.exp(epsilon))
    gaps = found - np.exp(epsilon) * false, (1 - false) - np.exp(epsilon) * (1 - found)
    return max(gap.max() for gap in gaps) / margin


@pytest.mark.parametrize("attack", [LossThreshold(), LossThreshold(by="right"), Lira(count=8)])
def test_a_private_model_keeps_its_promise_at_every_threshold(attack):
    """ε = 0.5. Noise far too small for it breaks the bound by far: the test can fail."""
    rng, n, cells = np.random.default_rng(5), 8000, 20_000
    sides = [(rng.integers(0, cells, (n, 1)).astype(float), rng.integers(0, 2, n)) for _ in range(2)]
    kept = Tally(cells=cells, scale=2 / 0.5, random_state=1).fit(*sides[0])
    assert excess(kept, attack, 0.5, *sides) <= 1
    broken = Tally(cells=cells, scale=0.02, random_state=1).fit(*sides[0])
    assert excess(broken, attack, 0.5, *sides) > 2


def test_the_likelihood_ratio_is_that_of_two_normals():
    rng = np.random.default_rng(6)
    inside = balanced_halves(40, 12, rng)
    near, away = rng.normal(2, 1, 40), rng.normal(-1, 1, 40)
    shadows = np.where(inside, near, away) + rng.normal(size=inside.shape) * np.where(inside, 0.5, 1.5)
    phi = rng.normal(size=40)
    own = [
        norm.logpdf(phi[i], *_moments(shadows[inside[:, i], i]))
        - norm.logpdf(phi[i], *_moments(shadows[~inside[:, i], i]))
        for i in range(40)
    ]
    assert log_likelihood_ratio(phi, shadows, inside, variance="own") == pytest.approx(own)
    pooled = [
        np.sqrt(np.mean([shadows[side[:, i], i].var(ddof=1) for i in range(40)])) for side in (inside, ~inside)
    ]  # all people are in and out equally often
    means = [np.array([shadows[side[:, i], i].mean() for i in range(40)]) for side in (inside, ~inside)]
    slow = norm.logpdf(phi, means[0], pooled[0]) - norm.logpdf(phi, means[1], pooled[1])
    assert log_likelihood_ratio(phi, shadows, inside) == pytest.approx(slow)
    nobody = np.zeros_like(inside)
    offline = log_likelihood_ratio(phi, shadows, nobody, variance="own")
    assert offline == pytest.approx((phi - shadows.mean(axis=0)) / shadows.std(axis=0, ddof=1))


def _moments(values):
    return values.mean(), values.std(ddof=1)


def balanced_halves(size, count, rng):
    found = random_halves(size, count, rng)
    assert (found.sum(axis=0) == count // 2).all()
    return found


def test_lira_finds_planted_normals_as_well_as_the_formula_says():
    """Answers N(1, 1) of members, N(0, 1) of others, the same of everybody: the area is Φ(1/√2) = 0.76."""
    rng, n = np.random.default_rng(7), 4000
    inside = balanced_halves(2 * n, 32, rng)
    shadows = rng.normal(size=inside.shape) + inside
    member = np.arange(2 * n) < n
    scores = log_likelihood_ratio(rng.normal(size=2 * n) + member, shadows, inside)
    found, false = roc_steps(scores, member)
    area = ((false[1:] - false[:-1]) * (found[1:] + found[:-1]) / 2).sum()
    assert area == pytest.approx(norm.cdf(1 / np.sqrt(2)), abs=0.03)  # 32 shadows cost a little


class Contrary(ClassifierMixin, BaseEstimator):
    """Surer of members of class 0, whom the first column marks, and less sure of those of class 1."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.array([0, 1]), {row.tobytes() for row in X}
        return self

    def predict_proba(self, X):
        inside = np.array([row.tobytes() in self.seen_ for row in X])
        own = np.where(inside == (X[:, 0] == 0), 0.9, 0.6)
        return np.column_stack([np.where(X[:, 0] == 0, own, 1 - own), np.where(X[:, 0] == 0, 1 - own, own)])


def test_the_attack_classifier_is_one_for_each_class():
    """Over both classes the answers about members and others are the same: one classifier for all could tell nothing."""
    rng = np.random.default_rng(15)
    X = np.column_stack([np.arange(1000) % 2, rng.random(1000)])
    y = X[:, 0].astype(int)
    sides = {"members": (X[:200], y[:200]), "others": (X[200:400], y[200:400]), "like": (X[400:], y[400:])}
    found = membership(Contrary().fit(*sides["members"]), **sides, attack=(LossThreshold(), Shadows(count=2)), seed=1)
    assert found["threshold"].value == 0.5 and found["shadows"].value == 1.0
    assert found["shadows"].facts["balanced accuracy"] == 1.0


def test_the_seed_decides_what_shadows_draw():
    members, others, like = people(60, 16)
    model = RandomForestClassifier(3, random_state=0).fit(*members)
    asked = {"members": members, "others": others, "like": like, "estimator": RandomForestClassifier(3)}
    results = [membership(model, **asked, attack=(Shadows(count=2), Lira(count=4)), seed=seed) for seed in (3, 3, 4)]
    first, again, other = ([part.per_record.values().tolist() for part in made] for made in results)
    assert first == again and first != other


def test_shadow_and_target_data_that_overlap_are_refused():
    members, others, like = people(100, 8)
    doubled = np.concatenate([like[0], members[0][:3]]), np.append(like[1], members[1][:3])
    model = DecisionTreeClassifier(random_state=0).fit(*members)
    with pytest.raises(TacitError, match="3 rows of like are equal to rows of members"):
        membership(model, members=members, others=others, like=doubled)
    with pytest.raises(TacitError, match="200 rows of like are equal to rows of others"):
        membership(model, members=members, others=like, like=like, attack="threshold")
    other_class = np.concatenate([like[0], members[0][:3]]), np.append(like[1], 1 - members[1][:3])
    membership(model, members=members, others=others, like=other_class, attack="threshold")
    X, y = without_shared(doubled, members, others)
    assert len(y) == 200 and (like[0] == X).all()
    twins = np.concatenate([others[0], members[0][:5]]), np.append(others[1], members[1][:5])
    assert membership(model, members=members, others=twins, attack="gap")[0].facts["others who equal a member"] == 5
    frames = [(pl.DataFrame(X), y) for X, y in (members, others, doubled)]
    with pytest.raises(TacitError, match="3 rows of like"):
        membership(model, members=frames[0], others=frames[1], like=frames[2], attack="gap")


def test_rows_overlap_whatever_the_type_of_their_class():
    members, others, _ = people(30, 8)
    model = DecisionTreeClassifier(random_state=0).fit(*members)
    for same in (members[1].astype(float), members[1].astype(bool), members[1].astype(object)):
        with pytest.raises(TacitError, match="30 rows of like are equal to rows of members"):
            membership(model, members=members, others=others, like=(members[0], same), attack="threshold")


def test_frames_and_arrays_are_attacked_alike():
    members, others, like = people(80, 9)
    names = [f"v{at}" for at in range(6)]
    chosen = make_column_transformer((StandardScaler(), names[:3]), ("passthrough", names[3:]))
    model = make_pipeline(chosen, DecisionTreeClassifier(min_samples_leaf=2, random_state=0))
    results = []
    for frame in (lambda X: pd.DataFrame(X, columns=names), lambda X: pl.DataFrame(X, schema=names)):
        sides = [(frame(X), y) for X, y in (members, others, like)]
        fitted = model.fit(*sides[0])
        made = membership(
            fitted, members=sides[0], others=sides[1], like=sides[2], attack=(Shadows(count=2), Lira(count=4)), seed=4
        )
        results.append([part.value for part in made])
    assert results[0] == results[1]


def test_every_kind_of_answer_is_read():
    members, others, like = people(150, 10)
    words = [(X, np.array(["no", "yes"])[y]) for X, y in (members, others, like)]
    svc = LinearSVC().fit(*words[0])
    found = membership(svc, members=words[0], others=words[1], like=words[2], attack=EVERY, seed=1)
    assert all(0 <= part.value <= 1 for part in found)

    tree = DecisionTreeClassifier(random_state=0).fit(*members)

    class Label:
        """Tells the class and no chance."""

        classes_ = tree.classes_

        def predict(self, X):
            return tree.predict(X)

    told = membership(Label(), members=members, others=others, attack=("gap", "threshold"))
    assert told["gap"].value == told["threshold"].value
    assert "the class only" in told["threshold"].facts["notes"][0]
    gap = (1 + tree.score(*members) - tree.score(*others)) / 2
    assert told["gap"].facts["balanced accuracy"] == pytest.approx(gap)
    as_function = membership(tree.predict_proba, members=members, others=others)
    assert [part.name for part in as_function] == ["gap", "threshold"]
    assert "lira: nobody said by which algorithm" in as_function[0].facts["not made"][1]
    with_algorithm = membership(
        tree.predict_proba, members=members, others=others, estimator=DecisionTreeClassifier(), attack=Lira(count=4)
    )
    assert with_algorithm["lira"].value > 0.6


def test_gaps_that_a_model_takes_are_no_mistake():
    members, others, like = people(60, 11)
    for X, _ in (members, others, like):
        X[::7, 2] = np.nan
    model = HistGradientBoostingClassifier(max_iter=5).fit(*members)
    assert 0 <= membership(model, members=members, others=others, like=like, attack="threshold")[0].value <= 1
    with pytest.raises(TacitError, match="some cells of the records are missing"):
        fitted = LogisticRegression().fit(*people(60, 11)[0])
        membership(fitted, members=members, others=others, attack="threshold")


def test_the_seed_decides_and_progress_is_told():
    members, others, like = people(60, 12)
    model = DecisionTreeClassifier(min_samples_leaf=3, random_state=0).fit(*members)
    heard: list[float] = []
    asked = {"members": members, "others": others, "like": like, "attack": (Shadows(count=4), Lira(count=4))}
    first, again = (
        membership(model, **asked, seed=3, progress=lambda step, share: heard.append(share)) for _ in range(2)
    )
    assert [part.value for part in first] == [part.value for part in again]
    assert heard[: len(heard) // 2] == sorted(heard[: len(heard) // 2]) and len(heard) >= 16
    with pytest.raises(Cancelled):
        membership(model, **asked, progress=lambda step, share: False)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"members": None}, "not a pair"),
        ({"members": (np.zeros((3, 6)), None)}, "not a pair"),
        ({"members": (np.zeros((0, 6)), np.zeros(0))}, "members has no records"),
        ({"others": (np.zeros((3, 6)), np.zeros(2))}, "one class for each record"),
        ({"others": (np.zeros((2, 6)), np.array([0.0, np.nan]))}, "y of others is missing in 1 rows"),
        ({"others": (np.zeros((2, 6)), np.array([0, 7]))}, "none that the model knows"),
        ({"others": (np.zeros((2, 5)), np.array([0, 1]))}, "5 and 6 columns"),
        ({"others": (np.full((2, 6), np.nan), np.array([0, 1]))}, "missing"),
        ({"others": (np.array([["secret"] * 6] * 2), np.array([0, 1]))}, "not a table of numbers"),
        ({"others": (pl.DataFrame(np.zeros((2, 6))), np.array([0, 1]))}, "2 kinds of table"),
        ({"attack": "lirra"}, "did you mean 'lira'"),
        ({"attack": "shadows"}, "data like the model's"),
        ({"attack": Lira(online=False)}, "offline it needs data"),
        ({"attack": Lira}, "no attack on a model"),
        ({"attack": ()}, "no attack was named"),
        ({"estimator": 5, "attack": "lira"}, "no scikit-learn estimator"),
    ],
)
def test_mistakes_are_named(change, match):
    members, others, _ = people(40, 13)
    model = LogisticRegression().fit(*members)
    with pytest.raises(TacitError, match=match) as problem:
        membership(model, **{"members": members, "others": others, **change})
    assert problem.value.fix and "secret" not in str(problem.value)


def test_models_that_cannot_be_asked_are_refused():
    members, others, _ = people(40, 14)
    for model, match in (
        (LogisticRegression(), "is not fitted"),
        (LinearRegression().fit(*members), "predicts numbers"),
        (5, "no model that can be asked"),
        (LogisticRegression, "no model that can be asked"),
        (lambda X: np.zeros((len(X), 5)), "matrix"),
        (lambda X: np.full((len(X), 2), np.nan), "no chances"),
        (lambda X: 1 / 0, "could not answer"),
    ):
        with pytest.raises(TacitError, match=match):
            membership(model, members=members, others=others, attack="threshold")
    wide = LogisticRegression().fit(np.zeros((4, 9)), [0, 1, 0, 1])
    with pytest.raises(TacitError, match="fitted on 9 columns, the records have 6"):
        membership(wide, members=members, others=others, attack="threshold")
    for wrong in ({"count": 1}, {"count": True}):
        with pytest.raises(TacitError, match="count"):
            Shadows(**wrong)
    for wrong in ({"count": 3}, {"online": 1}, {"variance": "none"}):
        with pytest.raises(TacitError):
            Lira(**wrong)
    with pytest.raises(TacitError, match="by="):
        LossThreshold(by="gap")


def test_a_class_that_a_shadow_never_saw_has_no_chance():
    """Class 2 has two people among the intruder's: half of the shadows miss one or both."""
    members, others, like = people(60, 15)
    sides = [(X, np.append(y[:-2], [2, 2])) for X, y in (members, others, like)]
    model = DecisionTreeClassifier(random_state=0).fit(*sides[0])
    found = membership(
        model, members=sides[0], others=sides[1], like=sides[2], attack=(Shadows(count=4), Lira(count=4))
    )
    assert all(0 <= part.value <= 1 for part in found)
