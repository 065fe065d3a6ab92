"""A party's account: what it saw beside the figures is said, and for two parties in words that fit two (I-07)."""

from __future__ import annotations

import polars as pl
import pytest

from tacit.kernels.mersenne import PRIME
from tacit.multiparty.session import task_of

from .over_tls import agreed, joined
from .parties import TASK, ages
from .sessions import SESSIONS

AGE, ILL = {"low": 0, "high": 120}, {"low": 0, "high": 1}
KIND = {"categories": ["a", "b"]}
BOTH = {"rows": 50, "columns": {"age": AGE, "ill": ILL}, "target": "ill"}
SEEN = {
    "quantile": ({"rows": 5, "at": [0.5], "columns": {"age": AGE}}, "a count at every point that the bisection tried"),
    "linear_regression": (BOTH, "means, variances and covariances of all columns"),
    "logistic_regression": (BOTH | {"rounds": 9}, "gradient and curvature of each of 9 steps"),
    "k_means": ({"rows": 5, "centres": [[1]], "columns": {"age": AGE}}, "sizes and centres of every round"),
    "naive_bayes": ({"rows": 5, "target": "ill", "columns": {"age": AGE, "ill": KIND}}, None),
    "mean": ({"rows": 5, "columns": {"age": AGE}}, None),
    "covariance": ({"rows": 5, "columns": {"age": AGE}}, None),
}


def told(found):
    """The line of the account that says what all messages tell."""
    return dict(found.rows())["which tells"]


@pytest.mark.parametrize("compute", SEEN)
def test_what_the_steps_of_a_model_tell_is_said(compute):
    task, said = SEEN[compute]
    seen = task_of(agreed("ABC", "additive_sum", {"compute": compute} | task)).side_information("B")
    assert seen == said or (said is not None and seen.startswith(said))


def test_the_account_of_a_model_names_the_sums_of_its_steps():
    frame = pl.DataFrame({"age": [20, 35, 50, 60, 80, 41], "ill": [0, 1, 0, 1, 1, 0]})
    found = joined(dict.fromkeys("ABC", frame), "additive_sum", {"compute": "logistic_regression", "rounds": 9} | BOTH)
    for one in found.values():
        assert told(one) == (
            "the figures, and beside them gradient and curvature of each of 9 steps; no more, unless 2 parties or more put "
            "together what they saw"
        )
        assert one.as_json()["seen beside the figures"] == "gradient and curvature of each of 9 steps"


def test_the_account_of_a_sum_says_no_more_than_before():
    one = joined({name: ages(name) for name in "ABC"}, "additive_sum", TASK)["A"]
    assert told(one) == "no more than the figures, unless 2 parties or more put together what they saw"
    assert "accepted" not in dict(one.rows()) and one.as_json()["accepted"] is None


def test_the_account_of_two_parties_speaks_of_two():
    found = joined({name: ages(name) for name in "AB"}, "additive_sum", TASK, accept=True)
    for one in found.values():
        assert told(one) == "no more than the figures: there is no third party to put it together with"
        assert "the other's figures" in dict(one.rows())["accepted"] and "1 parties" not in str(one)


@pytest.mark.parametrize(
    ("change", "me", "said"),
    [
        ({}, "A", "which of its own ids all parties have; how many ids any parties have in common"),
        ({}, "B", "which of its own ids all parties have"),
        ({"join": None}, "A", None),
        (
            {"join": None, "compute": "regression", "target": "a"},
            "C",
            "means, variances and covariances of all columns",
        ),
        ({"join": None, "compute": "regression", "target": "a", "to": "B"}, "C", None),
    ],
)
def test_what_columns_of_different_parties_tell_beside_the_figures(change, me, said):
    task = {key: value for key, value in (SESSIONS["correlation of three"].task | change).items() if value is not None}
    assert task_of(agreed("ABC", "scalar_product", task, modulus=PRIME)).side_information(me) == said
