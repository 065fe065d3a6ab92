"""From rules, marks, zeros, costs and bounds to a problem."""

from dataclasses import replace

import numpy as np
import pytest

from tacit import TacitError
from tacit.tables.problem import Status
from tacit.tables.rules import Dominance, Mark, MinimumFrequency, PPercent, build_problem
from tacit.tables.rules.bounds import no_negatives

from .behind import count_table, table_of


# catalogue: G-03
def test_the_union_of_the_rules_has_the_largest_levels():
    table = table_of([[80, 10, 10], [30, 30, 40], [9, 1]])
    rules = [MinimumFrequency(3, level=50), PPercent(10), Dominance(1, 75)]
    problem = build_problem(table, rules)
    every = [rule.judge(table) for rule in rules]
    assert problem.primaries.tolist() == [1, 3]
    for side in ("lower", "upper"):
        wanted = np.max([getattr(one, side) for one in every], axis=0)
        assert getattr(problem, side).tolist() == pytest.approx(np.minimum(wanted, table.values).tolist())
    assert problem.why[1] == "1 make up more than 75 %"
    assert problem.why[3].split("; ") == [rules[0].description, rules[1].description, rules[2].description]


def test_marks_have_the_last_word():
    table = table_of([[80, 10, 10], [9], [30, 30, 40], [30, 30, 41]])
    given = {
        "c0": "safe",
        ("c1",): Mark("unsafe"),
        "c2": Mark("unsafe", level=25, cost=7, low=0, high=300),
        "c3": "hidden",
        "Total": "published",
    }
    problem = build_problem(table, [PPercent(50)], marks=given)
    assert [Status(one).name for one in problem.status] == ["PUBLISHED", "SAFE", "UNSAFE", "UNSAFE", "HIDDEN"]
    assert problem.upper.tolist() == [0, 0, 4.5, 25, 0]
    assert problem.cost[3] == 7
    assert (problem.low[3], problem.high[3]) == (0, 300)
    assert problem.why[3] == "marked by hand"
    assert sorted(problem.why) == [2, 3]
    amounts = build_problem(table, [PPercent(50)], marks={"c2": Mark("unsafe", lower=3, upper=4, sliding=9)})
    assert (amounts.lower[3], amounts.upper[3], amounts.sliding[3]) == (3, 4, 9)


@pytest.mark.parametrize(
    ("marks", "says"),
    [
        ({"c9": "safe"}, "there is no cell 'c9' to mark"),
        ({"c1": "unsafe"}, "is marked unsafe without a level"),
        ({"c1": "unsave"}, "did you mean 'unsafe'"),
        ({"c1": ("x",)}, "is no mark"),
    ],
)
def test_marks_that_cannot_be(marks, says):
    with pytest.raises(TacitError, match="fix:") as caught:
        build_problem(table_of([[80, 10, 10], [30, 30, 40]]), [], marks=marks)
    assert says in str(caught.value)


def test_zeros_are_published_or_candidates_or_unsafe():
    table = count_table([0, 1, 20])
    rule = [MinimumFrequency(3)]
    named = {zeros: build_problem(table, rule, zeros=zeros) for zeros in ("published", "candidates", "unsafe")}
    assert [Status(one.status[1]).name for one in named.values()] == ["EMPTY", "SAFE", "UNSAFE"]
    assert named["unsafe"].upper[1] == 1
    assert named["unsafe"].lower[1] == 0
    assert "cut at 0" in named["unsafe"].why[1]
    assert named["candidates"].cost[1] == 1  # not free: as much as the cheapest other cell
    sums = table_of([[5.0, 6.0], []])
    assert build_problem(sums, [], zeros=100).upper[2] == 100
    with pytest.raises(TacitError, match="does not say how uncertain"):
        build_problem(sums, [], zeros="unsafe")
    with pytest.raises(TacitError, match="is no policy"):
        build_problem(sums, [], zeros="hidden")


def test_a_zero_with_respondents_is_no_empty_cell():
    """Four companies without investment: nobody knows beforehand that the sum is zero."""
    problem = build_problem(table_of([[0.0, 0.0, 0.0, 0.0], [3.0, 3.0]]), [MinimumFrequency(3)])
    assert problem.status[1] == Status.SAFE


def test_costs():
    table = replace(
        table_of([[1, 2], [7]]), more={"price": np.array([5.0, 2.0, 3.0]), "bad": np.array([1.0, -1.0, 1.0])}
    )
    for cost, wanted in {
        "value": [10, 3, 7],
        "count": [3, 2, 1],
        "unit": [1, 1, 1],
        "log": np.log([11, 4, 8]),
        "price": [5, 2, 3],
        0.5: np.sqrt([10, 3, 7]),
    }.items():
        assert build_problem(table, [], cost=cost).cost == pytest.approx(np.array(wanted, dtype=float))
    both = build_problem(table, [], cost={"value": 1, "count": 0.5}).cost
    assert both == pytest.approx(np.array([10, 3, 7]) / (20 / 3) + 0.5 * np.array([3, 2, 1]) / 2)
    for wrong in ("prise", 2, {}, {"value": -1}, "bad", True):
        with pytest.raises(TacitError, match="fix:"):
            build_problem(table, [], cost=wrong)


def test_bounds():
    table = table_of([[80, 10, 10], [30, 30, 40]])
    natural = build_problem(table, [PPercent(50)])
    assert natural.low.tolist() == [0, 0, 0]
    assert (natural.high >= table.values + natural.upper + 200).all()
    percent = build_problem(table, [PPercent(50)], bounds=40)
    assert percent.low.tolist() == pytest.approx([120, 60, 60])
    assert percent.high.tolist() == pytest.approx([280, 140, 140])
    wide = build_problem(table, [PPercent(50)], bounds=150)
    assert wide.low.tolist() == [0, 0, 0]  # not below 0, where nobody looks for a figure
    assert wide.high.tolist() == pytest.approx([500, 250, 250])
    assert build_problem(table, [], bounds=(0, 1000)).high.tolist() == [1000] * 3
    with pytest.raises(TacitError, match="leave out the figure of 1 cells, first Total"):
        build_problem(table, [], bounds=(0, 150))
    with pytest.raises(TacitError, match="1 of [0-9] unsafe cells cannot be protected, first c0"):
        build_problem(table, [PPercent(50)], bounds=10)
    with pytest.raises(TacitError, match="no percentage"):
        build_problem(table, [], bounds=-5)


def test_a_table_with_negative_figures_has_bounds_both_ways():
    table = table_of([[100, -90, 5], [-50]])
    problem = build_problem(table, [PPercent(10)])
    assert (problem.low < table.values).all()
    assert (problem.low < 0).all()
    assert problem.lower[2] == pytest.approx(5)
    assert (table.values - problem.low >= problem.lower).all()


def test_all_cells_may_be_unsafe():
    assert build_problem(count_table([1, 1]), [MinimumFrequency(3)]).must_suppress.all()


def test_what_is_no_rule_is_refused():
    for wrong in (PPercent(10), [PPercent], ["p_percent"]):
        with pytest.raises(TacitError, match="fix:"):
            build_problem(count_table([1]), wrong)


# catalogue: G-04
def test_marks_that_cannot_be_true_are_refused():
    table = table_of([[80, 10, 10], [30, 30, 40]])
    for mark in (Mark(low=101), Mark(high=99), Mark("published", low=500, high=600)):
        with pytest.raises(TacitError, match="leave out the figure of 1 cells, first c0"):
            build_problem(table, [PPercent(10)], marks={"c0": mark})
    known = build_problem(table, [PPercent(10)], marks={"c0": Mark(low=100, high=100)})
    assert (known.low[1], known.high[1]) == (100, 100)
    for wrong in ({"upper": float("inf")}, {"cost": float("inf")}, {"low": float("nan")}, {"low": 5, "high": 4}):
        with pytest.raises(TacitError):
            Mark("hidden", **wrong)
    with pytest.raises(TacitError, match="no policy"):
        build_problem(table, [PPercent(10)], zeros=float("inf"))


def test_a_loss_beside_a_large_gain_is_a_negative_contribution():
    table = table_of([[1_000_000.0, -4.0], [5.0, 3.0]])
    assert table.values.min() > 0
    assert not no_negatives(table)
    assert no_negatives(table_of([[1_000_000.0, 4.0], [5.0, 3.0]]))


def test_a_free_cell_costs_what_the_cheapest_other_one_does():
    problem = build_problem(count_table([0, 7, 20]), [], zeros="candidates")
    assert problem.cost.tolist() == [27, 7, 7, 20]
    with pytest.raises(TacitError, match="no weight above 0"):
        build_problem(count_table([1, 2]), [], cost={"value": 1, "unit": 0})


def test_a_mark_knows_a_cell_from_low_to_high():
    table = count_table([5, 9])
    narrow = build_problem(table, [], marks={"c0": Mark(low=5, high=5), "c1": Mark(low=3, high=12)})
    assert (narrow.low.tolist(), narrow.high[1:].tolist()) == ([0, 5, 3], [5, 12])
    with pytest.raises(TacitError, match="from low=5 to high=3"):
        Mark(low=5, high=3)


@pytest.mark.parametrize("side", ["lower", "upper", "sliding"])
def test_bounds_that_nobody_gave_stop_no_level(side):
    """Where figures may be negative nothing is known; the largest level of either side must still fit."""
    problem = build_problem(table_of([[-40.0], [70.0, 10.0]]), [], marks={"c0": Mark("unsafe", **{side: 1e6})})
    assert getattr(problem, side)[1] == 1e6


# catalogue: G-04
@pytest.mark.parametrize(
    ("level", "below", "cut"), [(50, 5.0, False), (100, 10.0, False), (130, 10.0, True), (300, 10.0, True)]
)
def test_a_level_below_reaches_to_zero_and_no_further(level, below, cut):
    problem = build_problem(table_of([[10.0], [30.0, 20.0, 25.0]]), [MinimumFrequency(2, level=level)])
    assert problem.lower[1] == pytest.approx(below) and problem.upper[1] == pytest.approx(level / 10)
    assert ("cut at 0" in problem.why[1]) == cut


def test_a_ready_made_table_with_negative_figures_has_no_bound_at_zero():
    table = replace(table_of([[-5.0], [8.0]]), shadow=None)
    assert not no_negatives(table)
    assert (build_problem(table, [], marks={"c0": "hidden"}).low < -5).all()
