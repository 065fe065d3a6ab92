"""Any mistake in ``[task]`` ends in an error with a remedy, at the check or at the own file: never as a failure of ours (I-07)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import polars as pl
import pytest

from tacit import TacitError
from tacit.multiparty.session import check_task

from .parties import TASK, house
from .sessions import HELD, SERVED, SESSIONS, THREE, Session

NONE = object()
VALUES = [
    NONE,
    *(5, -1, 0, 1.5, 10**30, 10**400, True, float("nan"), float("inf"), 1e308, 5e-324),
    *("", "x", "age", "2024"),
    *([], ["a"], [[]], [["a"]], [[1, "b"]], [[["a"]]], [None], [True], [float("nan")], [[float("nan")]]),
    *({}, {"a": 1}, {"age": 5}, {"age": {"low": 0, "high": 0.4}}, {"age": {"low": 0, "high": 9, "party": "A"}}),
]
"""What stands in the place of something right; NONE: nothing does."""

PEOPLE = {name: pl.DataFrame({"age": [30, 41], "ill": [0, 1], "kind": ["a", "b"]}) for name in "ABC"}
BOTH = {"rows": 10, "columns": {"age": {"low": 0, "high": 120}, "ill": {"low": 0, "high": 1}}, "target": "ill"}
FLAGS = {name: {"party": name.upper(), "low": 0, "high": 1} for name in "ab"}
JOINT = {"rows": 20, "join": "id", "columns": FLAGS}
FILES = {name: pl.DataFrame({"id": range(12), name.lower(): [0, 1] * 6}) for name in "AB"}
MODEL = pl.DataFrame({"column": ["a"], "weight": [0.1]})
SCORED = {"A": pl.DataFrame({"a": [1, 2]}), "B": MODEL}
KINDS = {
    **SESSIONS,
    "histogram": Session("additive_sum", {**TASK, "compute": "histogram", "bins": 3}, THREE),
    "private histogram": Session(
        "dp_sum", {**TASK, "compute": "histogram", "bins": 3, "rho": 1.0, "delta": 1e-6, "colluders": 1}, THREE
    ),
    "covariance": Session("additive_sum", {**BOTH, "compute": "covariance", "target": NONE}, PEOPLE),
    "count": Session("additive_sum", {"compute": "count", "rows": 10}, PEOPLE),
    "linear": Session("additive_sum", {"compute": "linear_regression", **BOTH}, PEOPLE),
    "logistic": Session("additive_sum", {"compute": "logistic_regression", "rounds": 3, **BOTH}, PEOPLE),
    "naive Bayes": Session(
        "additive_sum",
        {
            "compute": "naive_bayes",
            "rows": 10,
            "target": "kind",
            "columns": {"age": BOTH["columns"]["age"], "kind": {"categories": ["a", "b"]}},
        },
        PEOPLE,
    ),
    "k-means": Session("additive_sum", {**TASK, "compute": "k_means", "centres": [[20], [60]], "rounds": 3}, THREE),
    "regression": Session("scalar_product", {"compute": "regression", "target": "a", "to": "B", **JOINT}, FILES),
    "support": Session("scalar_product", {"compute": "support", "sets": [["a"], ["a", "b"]], **JOINT}, FILES),
    "score": Session(
        "outsourced",
        {**SERVED, "compute": "score", "scheme": "paillier"},
        {**SCORED, "B": MODEL.with_columns(weight=pl.lit(2))},
    ),
    "logistic score": Session("outsourced", {**SERVED, "compute": "logistic_score", "scheme": "ckks"}, SCORED),
    "named column": Session(
        "retrieval", {"user": "A", "column": "record", "records": 2, "size": 4}, {"A": HELD, "B": HELD, "C": HELD}
    ),
}


def places(part, before=()):
    """All keys and positions of a task."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inside:
        yield (*before, key)
        yield from places(value, (*before, key))


def changed(task, place, value):
    """The task with something else in one place."""
    made = deepcopy(task)
    part = made
    for key in place[:-1]:
        part = part[key]
    if value is NONE:
        del part[place[-1]]
    else:
        part[place[-1]] = value
    return made


@pytest.mark.parametrize("name", KINDS)
def test_anything_wrong_in_a_task_is_told_with_a_remedy(name):
    one = KINDS[name]
    right = {key: value for key, value in one.task.items() if value is not NONE}
    agreement, _ = house(list(one.frames), one.protocol, task=right, modulus=one.modulus)
    refused = 0
    for place in [*places(right), ("zzz",)]:
        for value in VALUES:
            if place == ("zzz",) and value is NONE:
                continue
            wrong = replace(agreement, task=changed(right, place, value))
            try:
                task = check_task(wrong, accept_output_disclosure=True)
                for party, frame in one.frames.items():
                    task.load_input(frame, party)
            except TacitError as told:
                refused += 1
                assert told.fix and len(str(told)) < 3_000
            except Exception as failed:
                raise AssertionError(f"{place} = {value!r}") from failed
    assert refused > len(VALUES)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({**TASK, "columns": 5}, "no column is agreed on"),
        ({"compute": "count", "rows": 10, "columns": 5}, "no column is agreed on"),
        ({**TASK, "compute": []}, "it is not known how to compute"),
        ({**TASK, "columns": {"age": {"low": 0, "high": 0.4}}}, "are the same to 0 decimals"),
        ({**TASK, "columns": {"age": {"low": 0, "high": 10**400}}}, "are no interval"),
        ({**TASK, "compute": "histogram", "bins": 10**30}, "are too many"),
    ],
)
@pytest.mark.parametrize("protocol", ["additive_sum", "dp_sum"])
def test_mistakes_in_what_is_counted(protocol, task, said):
    more = {"rho": 1.0, "delta": 1e-6, "colluders": 1} if protocol == "dp_sum" else {}
    with pytest.raises(TacitError, match=said):
        check_task(house("ABC", protocol, task=task | more)[0])
