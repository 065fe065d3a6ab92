"""Sensitivity rules against published examples, loops over contributions, and what a competitor can compute."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.tables.build.linking import link_tables
from tacit.tables.build.records import tabulate
from tacit.tables.rules import ALL, PQ, Dominance, MinimumFrequency, PPercent, Request, from_json, to_json
from tacit.tables.rules.largest import largest_sum
from tacit.tables.rules.levels import Levels

from .behind import count_table, table_of

amounts = st.lists(st.integers(1, 1000), min_size=1, max_size=7)


def only(rule, contributions, **given):
    """The rule's answer for the one inner cell."""
    judged = rule.judge(table_of([contributions], top=given.pop("top", 8), **given))
    return bool(judged.unsafe[1]), float(judged.upper[1])


# catalogue: G-03
def test_the_p_percent_rule_of_the_tau_argus_manual():
    """Manual, on holdings: 700, 200, 60, 40, 10 passes p = 10; as one holding of 900 with 60, 40, 10 it fails."""
    assert only(PPercent(10), [700, 200, 60, 40, 10]) == (False, 0.0)
    assert only(PPercent(10), [900, 60, 40, 10]) == (True, 90 - 50)


def test_weights_of_the_tau_argus_manual():
    """100 with weight 4 and 10 with weight 7 make 470, and the two largest are 100 and 100, not 400 and 70."""
    table = table_of([[100, 10]], weights=[[4, 7]], top=2)
    assert table.values[1] == 470
    assert largest_sum(table, 2, rule="p")[1] == 200
    assert only(PPercent(10), [100, 10], weights=[[4, 7]], top=2) == (False, 0.0)
    assert only(Dominance(4, 80), [100, 10], weights=[[4, 7]], top=2) == (True, pytest.approx(400 / 0.8 - 470))


def test_the_dominance_rule_by_hand():
    assert only(Dominance(1, 75), [60, 39, 1]) == (False, 0.0)
    assert only(Dominance(2, 85), [60, 39, 1]) == (True, pytest.approx(99 / 0.85 - 100))
    assert only(Dominance(1, 50), [50, 50]) == (False, 0.0)  # at the border a cell is safe
    assert only(PPercent(10), [60, 39, 1]) == (True, 6 - 1)


def test_the_pq_rule_is_the_p_percent_rule_with_their_ratio():
    cells = [[60, 39, 1], [60, 20, 20], [5], [9, 8, 7, 6]]
    table = table_of(cells)
    ours, ratio = PQ(10, 40).judge(table), PPercent(25).judge(table)
    assert ours.unsafe.tolist() == ratio.unsafe.tolist()
    assert ours.upper == pytest.approx(ratio.upper)


@given(st.lists(amounts, min_size=1, max_size=3), st.sampled_from([1, 5, 10, 50, 120]), st.integers(1, 3))
def test_the_levels_are_the_least_that_keep_the_competitors_out(cells, p, n):
    """With room U above the total, the n next largest put the largest at T + U less their own; no smaller U will do."""
    table = table_of(cells, top=5)
    judged = PPercent(p, n).judge(table)
    everything = [
        sorted((x for one in cells for x in one), reverse=True),
        *(sorted(one, reverse=True) for one in cells),
    ]
    for place, ranked in enumerate(everything):
        total, own = sum(ranked), sum(ranked[1 : n + 1])
        needed = (1 + p / 100) * ranked[0]
        assert judged.unsafe[place] == (total - own < needed - 1e-9)
        if judged.unsafe[place]:
            assert total + judged.upper[place] - own == pytest.approx(needed)


@given(amounts, st.integers(1, 3), st.integers(1, 99))
def test_after_the_level_of_the_dominance_rule_nobody_dominates(contributions, n, k):
    ranked = sorted(contributions, reverse=True)
    unsafe, level = only(Dominance(n, k), contributions)
    assert unsafe == (100 * sum(ranked[:n]) > k * sum(ranked))
    if unsafe:
        assert sum(ranked[:n]) == pytest.approx(k / 100 * (sum(ranked) + level))


@given(st.integers(1, 99), st.integers(1, 10**6), st.floats(0.001, 1000))
def test_a_cell_at_the_border_is_safe_whatever_the_rounding(k, unit, scale):
    """x1 is k per cent of the total, or the rest p per cent of x1, to the last bit that arithmetic keeps."""
    parts = [k * unit * scale / 7, (100 - k) * unit * scale / 7]
    assert k <= 50 or not only(Dominance(1, k), parts)[0]
    largest = unit * scale / 3
    assert not only(PPercent(k), [largest, largest * 0.999, largest * (k / 100)])[0]
    assert only(PPercent(k), [largest, largest * 0.999, largest * (k / 100) * (1 - 1e-6)])[0]


@given(amounts, st.integers(1, 4))
def test_nobody_in_a_cell_estimates_anybody_better_than_the_second_largest_the_largest(contributions, p10):
    """The claim of p_percent.md, by trying all pairs."""
    total = sum(contributions)
    best = min(
        ((total - contributions[i] - contributions[j]) / contributions[i] if len(contributions) > 1 else 0.0)
        for i in range(len(contributions))
        for j in range(len(contributions))
        if i != j or len(contributions) == 1
    )
    assert only(PPercent(10 * p10), contributions)[0] == (best < p10 / 10 - 1e-12)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 4)), min_size=1, max_size=4), st.integers(1, 6))
def test_whole_weights_are_copies(pairs, m):
    """A record of weight 3 is judged like three records."""
    values, weights = map(list, zip(*pairs, strict=True))
    weighted = table_of([values], weights=[[float(w) for w in weights]], top=4)
    copied = table_of([[v for v, w in pairs for _ in range(w)]], top=16)
    assert largest_sum(weighted, m, rule="p")[1] == largest_sum(copied, m, rule="p")[1]


@given(st.floats(1.0, 3.0), st.floats(1.0, 3.0))
def test_decimal_weights_lie_between_the_whole_ones(first, second):
    """S is larger when the larger contributor has more weight, and linear in it until it covers all."""
    sums = [
        largest_sum(table_of([[100, 10]], weights=[[w, 5.0]], top=2), 3, rule="p")[1] for w in sorted((first, second))
    ]
    assert sums[0] <= sums[1]
    assert sums == pytest.approx([100 * w + 10 * (3 - w) for w in sorted((first, second))])


def test_minimum_frequency_leaves_the_zeros_to_their_policy():
    judged = MinimumFrequency(3).judge(count_table([0, 1, 2, 3, 20]))
    assert judged.unsafe.tolist() == [False, False, True, True, False, False]
    assert judged.lower.tolist() == [0, 0, 1, 1, 0, 0]
    assert MinimumFrequency(10, level=50).judge(count_table([9])).upper.tolist() == [5, 5]


def test_minimum_frequency_of_sums_counts_respondents_not_weights():
    table = table_of([[100.0], [50, 50, 50]], weights=[[9.0], [1.0, 1.0, 1.0]])
    judged = MinimumFrequency(3, level=20).judge(table)
    assert judged.unsafe.tolist() == [False, True, False]
    assert judged.upper[1] == pytest.approx(180)
    with pytest.raises(TacitError, match="by weight judges counts"):
        MinimumFrequency(3, weighted=True).judge(table)
    weighted = replace(count_table([2, 8]), values=np.array([25.0, 5.0, 20.0]))
    assert MinimumFrequency(10, weighted=True).judge(weighted).unsafe.tolist() == [False, True, False]
    assert MinimumFrequency(10).judge(weighted).unsafe.tolist() == [False, True, True]


def test_a_sum_of_zero_with_one_respondent_behind_it_needs_room_too():
    judged = MinimumFrequency(2, level=10).judge(table_of([[0.0], [40.0, 60.0]]))
    assert judged.unsafe[1]
    assert judged.upper[1] == pytest.approx(10)


def test_negative_contributions_are_judged_by_their_size():
    """A loss of 90 beside a gain of 100 is a figure of 10, but two who know each other's size."""
    assert only(PPercent(10), [100, -90, 5]) == (True, 5)
    assert only(Dominance(1, 90), [-100, 1]) == (True, pytest.approx(100 / 0.9 - 101))


def test_the_request_rule_protects_who_asked():
    table = table_of(
        [[80, 10, 10], [80, 10, 10], [60, 40], [5, 95]], owners=[[1, 2, 3], [4, 5, 6], [1, 9], [1, 4]], top=3
    )
    assert Request(70, [1], 20).judge(table).unsafe.tolist() == [False, True, False, False, False]
    few = Request(70, [1], 20, few=3).judge(table)
    assert few.unsafe.tolist() == [False, True, False, True, True]
    assert few.upper.tolist() == [0, 20, 0, 20, 20]


def test_the_largest_alone_serve_dominance_and_the_error_names_what_is_missing():
    """Ready-made tables often bring the largest contribution only."""
    table = table_of([[80, 10, 10], [7]], top=1)
    assert Dominance(1, 75).judge(table).unsafe.tolist() == [False, True, True]
    with pytest.raises(
        TacitError, match="needs the second largest contribution to the cell Total, and the table keeps 1"
    ):
        PPercent(10).judge(table)
    with pytest.raises(TacitError, match="needs the largest contribution to each cell, and the table has none"):
        Dominance(1, 75).judge(table.with_values(table.values))
    with pytest.raises(TacitError, match="needs the number of respondents"):
        MinimumFrequency(3).judge(table.with_values(table.values))
    with pytest.raises(TacitError, match="the table holds counts"):
        PPercent(10).judge(count_table([1, 2]))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: PPercent(0), "p=0 is not a percentage above 0"),
        (lambda: PPercent(float("nan")), "p=nan is not"),
        (lambda: PPercent(10, 0), "n=0 is not a whole number of 1 or more"),
        (lambda: Dominance(2, 100), "k=100 is not a percentage above 0 and below 100"),
        (lambda: Dominance(2.5, 80), "n=2.5"),
        (lambda: Dominance(1, "80"), "k='80'"),
        (lambda: PQ(40, 10), "q=10 is not above p=40"),
        (lambda: PQ(10, 110), "at most 100"),
        (lambda: MinimumFrequency(0), "n=0"),
        (lambda: MinimumFrequency(3, level=-1), "level=-1"),
        (lambda: Request(70, "17", 15), "not a list of owners"),
        (lambda: Request(170, [1], 15), "percent=170"),
        (lambda: from_json({"method": "p_precent", "p": 1}), "did you mean 'p_percent'"),
        (lambda: from_json({"method": "dominance", "n": 1}), "lacks its parameter 'k'"),
        (lambda: from_json({"method": "dominance", "n": 1, "kk": 5}), "did you mean 'k'"),
    ],
)
def test_parameters_out_of_range(make, says):
    with pytest.raises(TacitError, match="fix:") as caught:
        make()
    assert says in str(caught.value)


@pytest.mark.parametrize("name", list(ALL))
def test_rules_are_values(name):
    rule = ALL[name].call(**ALL[name].example)
    assert from_json(json.loads(json.dumps(to_json(rule)))) == rule
    assert hash(rule) == hash(from_json(to_json(rule)))
    assert ALL[name].summary
    assert rule.description


@pytest.mark.parametrize("rule", [PPercent(10), PQ(10, 40), Dominance(1, 75)])
def test_a_cell_without_anything_in_it_is_left_to_the_zeros_policy(rule):
    judged = rule.judge(table_of([[], [0.0, 0.0], [9.0, 8.0, 7.0, 6.0]]))
    assert judged.unsafe.tolist() == [False, False, False, False]


def test_a_level_that_is_a_whole_count_stays_that_count():
    """20 % of 5 is 1 and 30 % of 10 is 3, whatever the last bit of the product says."""
    assert MinimumFrequency(20, level=20).judge(count_table([5, 10])).upper.tolist() == [3, 1, 2]
    assert MinimumFrequency(50, level=30).judge(count_table([10, 20])).upper.tolist() == [9, 3, 6]


def test_rules_together_keep_the_sides_apart():
    one = Levels(unsafe=np.array([True]), lower=np.array([1.0]), upper=np.array([5.0]), sliding=np.array([2.0]))
    two = Levels(unsafe=np.array([False]), lower=np.array([3.0]), upper=np.array([4.0]), sliding=np.array([7.0]))
    for order in ([one, two], [two, one]):
        found = Levels.combine_levels(order, size=1)
        assert (found.unsafe[0], found.lower[0], found.upper[0], found.sliding[0]) == (True, 3.0, 5.0, 7.0)


def test_at_the_border_of_a_request_a_cell_is_safe():
    table = table_of([[70, 20, 10], [71, 19, 10]], owners=[[1, 2, 3], [1, 5, 6]])
    assert Request(70, [1], 20).judge(table).unsafe.tolist() == [False, False, True]
    assert Request(90, [1], 20, few=2).judge(table_of([[9], [5, 4]], owners=[[1], [1, 2]])).unsafe[1]
    assert not MinimumFrequency(1).judge(count_table([0, 1, 2])).unsafe.any()


# catalogue: G-03
def test_few_respondents_are_fewer_than_said():
    owners = [[5, 1], [5, 6, 1], [7, 8]]
    table = table_of([[50, 1], [50, 40, 1], [50, 1]], owners=owners)
    assert Request(99, [1], 20, few=3).judge(table).unsafe.tolist() == [False, True, False, False]
    assert Request(99, [1], 20, few=4).judge(table).unsafe.tolist() == [False, True, True, False]


# catalogue: G-03
def test_counts_in_a_linked_set_with_sums_stay_uncertain_by_one():
    firms = pl.DataFrame({"a": ["x", "y", "y", "y"], "v": [8.0, 5.0, 6.0, 7.0]})
    both = link_tables({"sums": tabulate(firms, by="a", response="v"), "counts": tabulate(firms, by="a")})
    judged = MinimumFrequency(3).judge(both)
    levels = dict(zip(both.labels.rows(), judged.upper.tolist(), strict=True))
    assert levels["x", "v"] == pytest.approx(0.15 * 8) and levels["x", "counts"] == 1
    assert both.is_count_cell.sum() == 3 and not both.is_frequency
    renamed = tabulate(firms.rename({"a": "response"}), by="response", response="v")
    assert not renamed.is_count_cell.any(), "a dimension of that name says nothing"
