"""Parts of an evaluation that must not flatter a candidate."""

from dataclasses import replace

import polars as pl
import pytest

from tacit import Release
from tacit.risk import interval_disclosure
from tacit.study.evaluate import evaluate_candidate
from tacit.study.explore import resolve_plan
from tacit.study.microdata import MICRODATA

TOWN = pl.DataFrame(
    {
        "age": [float(20 + row) for row in range(40)],
        "pay": [float(row * row) for row in range(40)],
        "rent": [float((7 * row) % 40) for row in range(40)],
    }
)


def task(**said):
    plan, original = resolve_plan(
        Release(TOWN, quasi="age", confidential=["pay", "rent"], hierarchies={"age": {"intervals": [10, 20]}}),
        said=said,
    )
    return MICRODATA.make_task(plan, original, seed=1)


def test_a_column_that_became_labels_is_lost_as_a_whole():  # catalogue: F-06
    made = task(loss={"squared_error": 1}, risk={"interval_disclosure": {"percent": 10}})
    found = evaluate_candidate(made, [{"method": "generalise", "levels": {"age": 1}}])
    assert found.state == "done", found.why
    assert found.losses["squared_error"] == pytest.approx(1 / 3)


def test_a_loss_that_compares_nothing_any_more_is_whole():
    plan, original = resolve_plan(
        Release(TOWN.select("age"), quasi="age", hierarchies={"age": {"intervals": [10]}}), said={}
    )
    made = MICRODATA.make_task(plan, original, seed=1)
    made = replace(made, loss=tuple(one for one in made.loss if one.name == "squared_error"))
    found = evaluate_candidate(made, [{"method": "generalise", "levels": {"age": 1}}])
    assert found.losses == {"squared_error": 1.0}


def test_a_measure_counts_by_the_mean_over_the_confidential_columns():
    made = task(loss={"squared_error": 1}, risk={"interval_disclosure": {"percent": 10}})
    steps = [{"method": "rank_swap", "columns": ["pay"], "percent": 60}]
    found = evaluate_candidate(made, steps).risks["interval_disclosure"]
    parts = {
        one.column: one.value
        for one in interval_disclosure(Release(TOWN), original=Release(TOWN), percent=10)
        if one.column
    }
    assert parts["rent"] == 1
    assert 0.5 <= found < 1, "rent is as it was, pay is not; age is not confidential"


def test_ranges_cost_what_they_leave_open_and_nothing_beside_it():  # catalogue: F-06
    """Of a file of one column nothing is left to compare but its labels: that is not lost a second time."""
    plan, original = resolve_plan(
        Release(TOWN.select("age"), quasi="age", hierarchies={"age": {"intervals": [10]}}),
        said={"loss": {"squared_error": 1, "moments": 1, "generalisation": 1}},
    )
    made = MICRODATA.make_task(plan, original, seed=1)
    found = evaluate_candidate(made, [{"method": "generalise", "levels": {"age": 1}}])
    assert found.losses == {"squared_error": 0.0, "moments": 0.0, "generalisation": pytest.approx(9 / 39)}
