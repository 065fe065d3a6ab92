"""Models from noisy statistics: without noise they are the usual ones, and one record changes no more than is claimed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import CategoricalNB

from tacit.dp.cost import Cost
from tacit.dp.models import Bins, linear_regression, logistic_regression, naive_bayes
from tacit.dp.models.domain import domain_codes
from tacit.dp.models.linear import STEPS, scaled_moments
from tacit.dp.models.logistic import joint_histogram
from tacit.dp.models.naive_bayes import class_histograms
from tacit.dp.models.noisy import with_noise
from tacit.errors import TacitError

HUGE = [Cost.of(10**9), Cost.of(10**15, unit="rho")]
UNITS = ["epsilon", "rho"]


def people(count: int = 2000) -> dict[str, list]:
    rng = np.random.default_rng(2)
    age, sex = rng.uniform(20, 80, count), rng.choice(["F", "M", "X"], count, p=[0.5, 0.45, 0.05])
    pay = 500 + 20 * age + 100 * (sex == "M") + rng.normal(0, 50, count)
    ill = rng.random(count) < 1 / (1 + np.exp(-(age - 55) / 8 - (sex == "F")))
    return {
        "age": age.tolist(),
        "sex": sex.tolist(),
        "male": (sex == "M").astype(int).tolist(),
        "pay": pay.tolist(),
        "ill": ill.tolist(),
    }


ENDS = {"age": (0, 100), "male": (0, 1), "pay": (0, 4000)}
DOMAINS = {"age": Bins(0, 100, 20), "sex": ("F", "M", "X"), "ill": (False, True)}
NUMBERS = st.one_of(st.floats(-2, 3), st.sampled_from([0.0, 1.0, math.inf, -math.inf, math.nan, None, "text", True]))


@pytest.mark.parametrize("budget", HUGE, ids=UNITS)
def test_without_noise_the_regression_is_that_of_least_squares(budget):  # catalogue: H-03
    data = people()
    model = linear_regression(data, target="pay", features=["age", "male"], bounds=ENDS, budget=budget)
    usual = LinearRegression().fit(np.column_stack([data["age"], data["male"]]), data["pay"])
    assert model.coefficients["age"] == pytest.approx(usual.coef_[0], rel=1e-3)
    assert model.coefficients["male"] == pytest.approx(usual.coef_[1], rel=1e-2)
    assert model.intercept == pytest.approx(usual.intercept_, rel=1e-2)
    assert model.predict(data) == pytest.approx(usual.predict(np.column_stack([data["age"], data["male"]])), abs=2)
    assert model.records == pytest.approx(2000, abs=1e-3)


@given(st.lists(st.tuples(*[NUMBERS] * 3), max_size=12), st.tuples(*[NUMBERS] * 3))
def test_one_record_more_changes_each_sum_by_at_most_one_unit(rows, one):
    """Exact in whole numbers; L1 then is at most the number of entries, and L2² too."""
    ends = [(-1, 1), (0, 1), (-0.5, 2)]
    before, after = (
        scaled_moments([[row[j] for row in file] for j in range(3)], ends) for file in (rows, [*rows, one])
    )
    assert len(before) == 3 * 4 / 2 + 3
    assert (np.abs(after - before) <= STEPS**2).all()


def test_the_bound_on_the_sums_is_reached():
    found = scaled_moments([[1.0], [1.0], [-1.0]], [(-1, 1)] * 3)
    assert (np.abs(found) == STEPS**2).all()


@pytest.mark.parametrize("unit", UNITS)
def test_the_error_of_the_regression_falls_as_the_budget_grows(unit):
    """Errors of 31 fits fall by a factor of 100 each time, and 2 is asked of their medians: missed with a chance below 10⁻¹²."""
    data, errors = people(), []

    def slope(budget: Cost) -> float:
        return linear_regression(data, target="pay", features="age", bounds=ENDS, budget=budget).coefficients["age"]

    exact = slope(HUGE[UNITS.index(unit)])
    for power in (0, 1, 2):
        budget = Cost.of((100 if unit == "epsilon" else 10**4) ** power, unit=unit)
        errors.append(np.median([abs(slope(budget) - exact) for _ in range(31)]))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_nobody_at_all_gives_a_model_and_no_error():
    """That nobody is there must not show."""
    model = linear_regression({"age": [], "pay": []}, target="pay", features="age", bounds=ENDS, budget=Cost.of(1))
    assert math.isfinite(model.intercept)
    none = {"age": [], "sex": [], "ill": []}
    bayes = naive_bayes(none, target="ill", features=["age", "sex"], domains=DOMAINS, budget=Cost.of(1))
    assert bayes.probability({"age": [3, None], "sex": ["F", "?"]}).sum(axis=1) == pytest.approx([1, 1])
    logistic = logistic_regression(none, target="ill", features="age", domains=DOMAINS, budget=Cost.of(1))
    assert 0 <= logistic.probability({"age": [50]})[0] <= 1


@pytest.mark.parametrize("budget", HUGE, ids=UNITS)
def test_without_noise_naive_bayes_is_that_of_scikit_learn(budget):  # catalogue: H-03
    data = people()
    model = naive_bayes(data, target="ill", features=["age", "sex"], domains=DOMAINS, budget=budget)
    at = np.column_stack([domain_codes(data[name], DOMAINS[name]) for name in ("age", "sex")])
    usual = CategoricalNB(alpha=1, min_categories=[20, 3]).fit(at, data["ill"])
    assert model.probability(data) == pytest.approx(usual.predict_proba(at), abs=2e-3)
    assert np.exp(model.log_chances["sex"]) == pytest.approx(np.exp(usual.feature_log_prob_[1]))


ROWS = st.tuples(
    st.one_of(st.floats(0, 100), st.none()), st.sampled_from(["F", "M", "X", "?"]), st.sampled_from([True, False, None])
)


@given(st.lists(ROWS, max_size=12), ROWS)
def test_one_record_more_adds_one_to_one_cell_of_each_histogram(rows, one):
    features = {name: DOMAINS[name] for name in ("age", "sex")}
    before, after = (
        {name: [row[j] for row in file] for j, name in enumerate(DOMAINS)} for file in (rows, [*rows, one])
    )
    apart = [class_histograms(data, "ill", features, (False, True)) for data in (before, after)]
    for name in features:
        assert 0 <= (apart[1][name] - apart[0][name]).sum() <= 1
        assert (apart[1][name] >= apart[0][name]).all()
    whole = [joint_histogram(data, "ill", features, (False, True)) for data in (before, after)]
    assert (whole[1] >= whole[0]).all()
    assert (whole[1] - whole[0]).sum() <= 1


@pytest.mark.parametrize("budget", HUGE, ids=UNITS)
def test_without_noise_the_logistic_fit_is_that_of_the_binned_records(budget):  # catalogue: H-03
    data = people()
    model = logistic_regression(data, target="ill", features=["age", "sex"], domains=DOMAINS, budget=budget)
    at = domain_codes(data["age"], DOMAINS["age"])
    sex = domain_codes(data["sex"], DOMAINS["sex"])
    design = np.column_stack([(DOMAINS["age"].middles[at] - 50) / 50, sex == 1, sex == 2])
    usual = LogisticRegression(max_iter=2000).fit(design, data["ill"])
    assert model.probability(data) == pytest.approx(usual.predict_proba(design)[:, 1], abs=2e-3)
    assert list(model.coefficients) == ["age", "sex = M", "sex = X"]


@pytest.mark.parametrize("fit", [naive_bayes, logistic_regression])
def test_the_classifiers_come_nearer_to_the_usual_one_with_more_budget(fit):
    """Distances of the chances for ε = 0.001, 1, 100 are above 0.2, about 0.01 to 0.03, and 0: orders of magnitude apart."""
    data, away = people(), []
    wanted = {"target": "ill", "features": ["age", "sex"], "domains": DOMAINS}
    usual = chance(fit(data, **wanted, budget=HUGE[0]), data)
    for amount in ("0.001", 1, 100):
        models = [fit(data, **wanted, budget=Cost.of(amount)) for _ in range(7)]
        away.append(np.median([np.abs(chance(model, data) - usual).mean() for model in models]))
    assert away[0] > 1.5 * away[1] > 3 * away[2]
    assert away[2] < 0.02


def chance(model: object, data: dict[str, list]) -> np.ndarray:
    found = model.probability(data)
    return found[:, 1] if found.ndim == 2 else found


@pytest.mark.parametrize(("budget", "scale"), [(Cost.of("0.5"), 24), (Cost.of(2, unit="rho"), 4 / 2)])
def test_the_noise_has_the_scale_that_the_budget_buys(budget, scale):  # catalogue: H-01
    """Laplace 12/ε, Gaussian √(16/(2ρ)): the mean square of 4 000 draws within 25 % of the law's, seven standard errors.

    With a scale 30 % too small the mean square is half of the law's, which is rejected.
    """
    found, said = with_noise(np.zeros(4000, dtype=np.int64), l1=12, l2_squared=16, budget=budget)
    assert said == pytest.approx(scale)
    law = 2 * scale**2 if budget.unit == "epsilon" else scale**2
    assert abs((found**2).mean() / law - 1) < 0.25
    assert abs((found**2).mean() / (law / 0.49) - 1) > 0.25


def test_a_root_is_rounded_up_to_the_next_number():
    """√17 is no fraction: the scale is not below it, and above it by no more than rounding."""
    _, scale = with_noise(np.zeros(1, dtype=np.int64), l1=5, l2_squared=17, budget=Cost.of(Fraction(1, 2), unit="rho"))
    assert 17 <= Fraction(scale) ** 2 <= 17 * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize("budget", [1, None, Cost.of(0), Cost.of(1, "1e-6"), Cost.of(0, unit="rho")])
def test_what_is_no_budget_is_refused(budget):
    with pytest.raises(TacitError, match="budget"):
        naive_bayes(people(50), target="ill", features="sex", domains=DOMAINS, budget=budget)


def test_mistakes_are_named():
    data, one = people(20), Cost.of(1)
    with pytest.raises(TacitError, match="'sx'.*\n.*'sex'"):
        naive_bayes(data, target="ill", features="sx", domains={**DOMAINS, "sx": ("F", "M")}, budget=one)
    with pytest.raises(TacitError, match="other than its target"):
        linear_regression(data, target="pay", features="pay", bounds=ENDS, budget=one)
    with pytest.raises(TacitError, match="declared domain"):
        logistic_regression(data, target="ill", features="pay", domains=DOMAINS, budget=one)
    with pytest.raises(TacitError, match="two classes"):
        logistic_regression(data, target="sex", features="age", domains=DOMAINS, budget=one)
    with pytest.raises(TacitError, match="cells"):
        logistic_regression(
            data, target="ill", features="age", domains={**DOMAINS, "age": Bins(0, 1, 90_000)}, budget=one
        )
    for ends in ({}, {"age": (1, 1), "pay": (0, 1)}, {"age": (0, math.inf), "pay": (0, 1)}, 5):
        with pytest.raises(TacitError, match="bounds"):
            linear_regression(data, target="pay", features="age", bounds=ends, budget=one)
    for wrong in ((1, 0, 3), (0, math.nan, 3), (0, 1, 0)):
        with pytest.raises(TacitError):
            Bins(*wrong)


HOSTILE = [
    10**400,
    -(10**400),
    [1],
    {"a": 1},
    {1},
    object(),
    complex(1, 2),
    np.complex128(1),
    float("nan"),
    None,
    "x",
    True,
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
def test_nothing_in_the_data_makes_an_error(value):
    """A huge whole number or a value that cannot be hashed was an error, and an error is an answer too (review A21)."""
    data = {"x": [1.0, 2.0, value] * 20, "c": ["a", "b", value] * 20, "y": [3.0, value, 4.0] * 20}
    bins, budget = Bins(0, 10, 5), Cost.of(1)
    linear_regression(data, target="y", features="x", bounds={"x": (0, 10), "y": (0, 10)}, budget=budget)
    domains = {"x": bins, "c": ("a", "b")}
    naive_bayes(data, target="c", features="x", domains=domains, budget=budget).predict(data)
    logistic_regression(data, target="c", features="x", domains=domains, budget=budget).probability(data)
