"""Models learnt by secure sums are those of the pooled rows, to the stated rounding (I-06)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from tacit import TacitError
from tacit.kernels.mersenne import PRIME
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, task_of

from .over_tls import agreed, joined

AGE, COST = {"low": 0, "high": 120}, {"low": -10, "high": 40, "decimals": 2}


def learnt(frames, task, protocol="additive_sum", modulus=2**64):
    """The figures, the same at everybody."""
    names = list(frames)
    made = check_task(agreed(names, protocol, task, modulus=modulus), accept_output_disclosure=True)
    inputs = {name: made.load_input(frame, name) for name, frame in frames.items()}
    found = list(run_protocol(made.run, inputs, LocalNetwork(names, Ring(modulus))).values())
    assert all(one == found[0] for one in found)
    return found[0]


def rows_of(count, seed=8):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 95, count)
    cost = (age / 6 + rng.normal(0, 4, count)).clip(-10, 40).round(2)
    ill = (rng.random(count) < 1 / (1 + np.exp(-(age - 60) / 15 + cost / 10))).astype(int)
    sex = rng.choice(["f", "m"], count)
    return pl.DataFrame({"age": age, "cost": cost, "ill": ill, "sex": sex, "kind": np.where(ill == 1, "ill", "well")})


def spread(frame, names="ABC"):
    """The rows over the parties, unevenly; the last has none."""
    cut = [0, frame.height // 4, frame.height, frame.height]
    return {name: frame[cut[at] : cut[at + 1]] for at, name in enumerate(names)}


@settings(max_examples=30)
@given(st.lists(st.integers(-40, 40), min_size=1, max_size=12), st.floats(0.01, 1))
def test_a_quantile_is_that_of_the_pooled_values(values, q):
    frame = pl.DataFrame({"x": [value / 10 for value in values]})
    task = {"compute": "quantile", "rows": 20, "at": [q, 0.5], "columns": {"x": {"low": -4, "high": 4, "decimals": 1}}}
    found = learnt(spread(frame), task)["quantile"]["x"]
    ordered = sorted(values)
    slow = next(v for v in ordered if sum(w <= v for w in values) >= q * len(values) - 1e-12)
    assert found[str(q)] == slow / 10
    assert found["0.5"] == np.quantile(ordered, 0.5, method="inverted_cdf") / 10


@pytest.mark.parametrize(("q", "place"), [(0.07, 7), (0.28, 28), (0.29, 29), (0.57, 57), (0.01, 1), (1.0, 100)])
def test_a_share_is_taken_as_it_is_written(q, place):
    """0.07 of 100 rows are 7: as a float it is a little more, and would ask for the eighth."""
    frame = pl.DataFrame({"age": list(range(1, 101))})
    found = learnt(spread(frame), {"compute": "quantile", "rows": 100, "at": [q], "columns": {"age": AGE}})
    assert found["quantile"]["age"][str(q)] == place


def test_a_linear_regression_is_that_of_the_pooled_rows():
    frame = rows_of(200)
    task = {
        "compute": "linear_regression",
        "rows": 300,
        "target": "cost",
        "columns": {"age": AGE, "ill": {"low": 0, "high": 1}, "cost": COST},
    }
    found = learnt(spread(frame), task)
    x, y = frame.select("age", "ill").to_numpy(), frame["cost"].to_numpy()
    fit = LinearRegression().fit(x, y)
    assert [found["coefficients"][name] for name in ("age", "ill")] == pytest.approx(fit.coef_, rel=1e-10)
    assert found["coefficients"]["intercept"] == pytest.approx(fit.intercept_, rel=1e-10)
    assert found["R²"] == pytest.approx(fit.score(x, y), rel=1e-10) and found["rows"] == 200


@pytest.mark.parametrize(("protocol", "modulus"), [("additive_sum", 2**64), ("shamir_sum", PRIME)])
def test_a_logistic_regression_is_that_of_the_pooled_rows(protocol, modulus):
    frame = rows_of(400)
    task = {
        "compute": "logistic_regression",
        "rows": 500,
        "target": "ill",
        "columns": {"age": AGE, "cost": COST, "ill": {"low": 0, "high": 1}},
    }
    found = learnt(spread(frame), task, protocol, modulus)
    x, y = frame.select("age", "cost").to_numpy(), frame["ill"].to_numpy()
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(x, y)
    assert [found["coefficients"][name] for name in ("age", "cost")] == pytest.approx(fit.coef_[0], rel=1e-6)
    assert found["coefficients"]["intercept"] == pytest.approx(fit.intercept_[0], rel=1e-6)
    p = fit.predict_proba(x)[:, 1]
    z = np.column_stack([np.ones(400), x])
    errors = np.sqrt(np.diag(np.linalg.inv((z.T * (p * (1 - p))) @ z)))[1:]
    assert list(found["standard errors"].values()) == pytest.approx(errors, rel=1e-6)


def test_naive_bayes_is_that_of_the_pooled_rows():
    frame = rows_of(150)
    columns = {"sex": {"categories": ["f", "m", "x"]}, "age": AGE, "kind": {"categories": ["ill", "well"]}}
    found = learnt(spread(frame), {"compute": "naive_bayes", "rows": 200, "target": "kind", "columns": columns})
    codes = np.array([["f", "m", "x"].index(one) for one in frame["sex"]])[:, None]
    table = CategoricalNB(alpha=1, min_categories=3).fit(codes, frame["kind"].to_numpy())
    curve = GaussianNB(var_smoothing=0).fit(frame.select("age").to_numpy(), frame["kind"].to_numpy())
    for place, name in enumerate(["ill", "well"]):
        assert found["classes"][name] == pytest.approx(np.exp(table.class_log_prior_[place]))
        assert list(found["tables"]["sex"][name].values()) == pytest.approx(np.exp(table.feature_log_prob_[0][place]))
        normal = found["normals"]["age"][name]
        assert [normal["mean"], normal["variance"]] == pytest.approx([curve.theta_[place, 0], curve.var_[place, 0]])


def test_k_means_goes_the_way_of_the_pooled_rows():
    frame = rows_of(120)
    start = [[20, 0.0], [50, 10.0], [90, 20.0]]
    found = learnt(
        spread(frame), {"compute": "k_means", "rows": 200, "centres": start, "columns": {"age": AGE, "cost": COST}}
    )
    widths = np.array([120, 50])
    fit = KMeans(3, init=np.array(start) / widths, n_init=1, algorithm="lloyd", tol=0).fit(
        frame.select("age", "cost").to_numpy() / widths
    )
    centres = np.array([list(one.values()) for one in found["centres"]])
    assert centres == pytest.approx(fit.cluster_centers_ * widths, rel=1e-9)
    assert found["sizes"] == np.bincount(fit.labels_).tolist() and sum(found["sizes"]) == 120
    assert found["rounds seen by all"] > 2


def test_a_centre_without_rows_stays_and_equal_rows_are_no_trouble():
    frame = pl.DataFrame({"age": [40] * 5})
    found = learnt(spread(frame), {"compute": "k_means", "rows": 9, "centres": [[30], [100]], "columns": {"age": AGE}})
    assert found["centres"] == [{"age": 40.0}, {"age": 100.0}] and found["sizes"] == [5, 0]


def test_a_centre_of_one_row_moves_to_it():
    frame = pl.DataFrame({"age": [40, 41, 90]})
    found = learnt(spread(frame), {"compute": "k_means", "rows": 9, "centres": [[30], [100]], "columns": {"age": AGE}})
    assert found["centres"] == [{"age": 40.5}, {"age": 90.0}] and found["sizes"] == [2, 1]


def test_over_tls_a_model_takes_several_sums_of_a_session():
    frame = rows_of(60)
    task = {
        "compute": "logistic_regression",
        "rows": 100,
        "target": "ill",
        "rounds": 9,
        "columns": {"age": AGE, "ill": {"low": 0, "high": 1}},
    }
    found = joined(spread(frame), "additive_sum", task)
    figures = {name: one.figures for name, one in found.items()}
    assert figures["A"] == figures["B"] == figures["C"] == learnt(spread(frame), task)
    assert sum(saw.step == "share" for saw in found["C"].saw) == 2 * (9 + 1)


def test_a_fit_that_does_not_exist_is_told():
    frame = pl.DataFrame({"age": [10, 20, 70, 80], "ill": [0, 0, 1, 1]})
    task = {
        "compute": "logistic_regression",
        "rows": 9,
        "target": "ill",
        "columns": {"age": AGE, "ill": {"low": 0, "high": 1}},
    }
    with pytest.raises(TacitError, match="no finite fit"):
        learnt(spread(frame), task)
    with pytest.raises(TacitError, match="depend on each other"):
        learnt(spread(frame.with_columns(age=pl.lit(5))), task | {"compute": "linear_regression"})
    with pytest.raises(TacitError, match="2 rows do not determine"):
        learnt(spread(frame[:2]), task | {"compute": "linear_regression"})


def test_nobody_has_rows():
    none = rows_of(4)[:0]
    assert learnt(spread(none), {"compute": "quantile", "rows": 5, "at": [0.5], "columns": {"age": AGE}})[
        "quantile"
    ] == {"age": {"0.5": None}}
    with pytest.raises(TacitError, match="nobody has rows"):
        learnt(
            spread(none),
            {"compute": "naive_bayes", "rows": 5, "target": "sex", "columns": {"sex": {"categories": ["f", "m"]}}},
        )
    with pytest.raises(TacitError, match="no finite fit"):
        learnt(
            spread(none),
            {"compute": "logistic_regression", "rows": 5, "target": "ill", "columns": {"ill": {"low": 0, "high": 1}}},
        )


ONE = {"age": AGE}
WRONG = {
    "no shares": ({"compute": "quantile", "rows": 5, "columns": ONE}, "no shares"),
    "a share beyond 1": ({"compute": "quantile", "rows": 5, "columns": ONE, "at": [1.5]}, "no shares"),
    "yes as a share": ({"compute": "quantile", "rows": 5, "columns": ONE, "at": [True]}, "no shares"),
    "no columns": ({"compute": "quantile", "rows": 5, "at": [0.5]}, "no column is agreed"),
    "no rows": ({"compute": "quantile", "at": [0.5], "columns": ONE}, "rows=None"),
    "another key": ({"compute": "quantile", "rows": 5, "at": [0.5], "columns": ONE, "bins": 3}, "unknown key 'bins'"),
    "no target": ({"compute": "linear_regression", "rows": 5, "columns": ONE}, "target = None"),
    "a target of numbers": (
        {"compute": "logistic_regression", "rows": 5, "columns": ONE, "target": "age"},
        "yes and no",
    ),
    "a target without categories": (
        {"compute": "naive_bayes", "rows": 5, "columns": ONE, "target": "age"},
        "has no categories",
    ),
    "no centres": ({"compute": "k_means", "rows": 5, "columns": ONE}, "no centres of 1 numbers"),
    "a centre nowhere": (
        {"compute": "k_means", "rows": 5, "columns": ONE, "centres": [[float("nan")]]},
        "no centres of 1 numbers",
    ),
    "centres of another size": (
        {"compute": "k_means", "rows": 5, "columns": ONE, "centres": [[1, 2]]},
        "no centres of 1",
    ),
    "no room": (
        {"compute": "logistic_regression", "rows": 10**16, "target": "ill", "columns": {"ill": {"low": 0, "high": 1}}},
        "no room",
    ),
    "too large": ({"compute": "linear_regression", "rows": 10**16, "target": "age", "columns": ONE}, "too small"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_task_is_told(name):
    task, said = WRONG[name]
    with pytest.raises(TacitError, match=said):
        check_task(agreed("ABC", "additive_sum", task))


def test_what_is_wrong_with_a_file_is_told_by_row():
    columns = {"sex": {"categories": ["f", "m"]}, "kind": {"categories": ["ill", "well"]}}
    task = task_of(
        agreed("ABC", "additive_sum", {"compute": "naive_bayes", "rows": 3, "target": "kind", "columns": columns})
    )
    with pytest.raises(TacitError, match="in row 2") as caught:
        task.load_input(pl.DataFrame({"sex": ["f", "secret"], "kind": ["ill", "ill"]}), "A")
    assert "secret" not in str(caught.value)
    with pytest.raises(TacitError, match="at most 3 a party"):
        task.load_input(pl.DataFrame({"sex": ["f"] * 4, "kind": ["ill"] * 4}), "A")
