"""Attacks on tables: what each kind of intruder gets from an unprotected table, and no longer from a protected one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.dimension import Dimension
from tacit.tables.intruders import (
    ALL,
    CellClaims,
    Coalition,
    External,
    Holding,
    Knowledge,
    OwnValue,
    Rival,
    SoleRespondent,
    judge_claims,
    knowledge_of,
    tighten_bounds,
)
from tacit.tables.published import Published
from tacit.tables.rules import MinimumFrequency, PPercent, build_problem
from tacit.tables.table import Contributions, Table

from .behind import table_of

CELLS = "cells disclosed"
WHO = "respondents disclosed"


def shown(table):
    """Everything is published."""
    return Published.from_suppression(build_problem(table, []), np.zeros(table.size, dtype=bool))


def attacked(attack, table, *, within=0.0, **known):
    return judge_claims(attack.claims(shown(table), Knowledge.of(table, **known)), table, within=within)


# catalogue: G-02
def test_a_cell_of_one_respondent_is_its_answer():
    """The lecture's 18,347 euros stand in a cell of one respondent."""
    table = table_of([[18347.0], [100.0, 200.0, 300.0]])
    claims = External().claims(shown(table), Knowledge.of(table))
    assert (claims.cells.tolist(), claims.low.tolist(), claims.high.tolist()) == ([1], [18347.0], [18347.0])
    assert judge_claims(claims, table)[WHO].value == 1
    assert attacked(External(), table, counts="none")[WHO].value == 0  # the outsider needs the numbers of respondents


def test_in_a_cell_of_two_each_learns_the_other():
    table = table_of([[70.0, 30.0], [100.0, 200.0, 300.0]])
    result = attacked(OwnValue(), table)[WHO]
    assert (result.value, result.facts["exactly"], result.facts["wrong claims"]) == (2, 2, 0)


# catalogue: B-07
def test_a_coalition_of_c_opens_the_cell_of_c_plus_one_and_no_larger_one():
    table = table_of([[5.0, 4.0, 3.0], [9.0, 8.0, 7.0, 6.0]], top=4)
    assert attacked(Coalition(2), table)[WHO].value == 3
    assert attacked(Coalition(3), table)[WHO].value == 4
    assert attacked(Coalition(1), table)[WHO].facts["notes"] == "no cell is known to have 2 respondents"
    with pytest.raises(TacitError, match="keeps 2"):
        attacked(Coalition(2), table_of([[5.0, 4.0, 3.0]], top=2))


def test_a_holding_makes_a_cell_of_three_a_cell_of_two():
    table = table_of([[700.0, 200.0, 60.0], [1.0, 1.0, 1.0, 1.0, 1.0]], top=5)
    known = Knowledge.of(table, holdings={0: 0, 1: 0})
    claims = Holding().claims(shown(table), known)
    assert judge_claims(claims, table)[WHO].facts["exactly"] == 1  # the holding of 900 knows the 60
    exact = claims.low == claims.high
    assert (claims.cells[exact].tolist(), claims.owners[exact].tolist()) == ([1], [2])
    assert attacked(OwnValue(), table)[WHO].value == 0
    with pytest.raises(TacitError, match="belong to one holding"):
        Holding().claims(shown(table), Knowledge.of(table))


@given(st.lists(st.lists(st.integers(1, 500), min_size=1, max_size=6), min_size=1, max_size=4), st.integers(1, 3))
def test_the_rival_discloses_exactly_what_the_p_percent_rule_marks(cells, n):
    """The rule's reason of being, judged; sole respondents are the outsider's."""
    table = table_of(cells, top=4)
    claims = Rival(n).claims(shown(table), Knowledge.of(table, counts="none"))
    for p in (5, 20, 80):
        unsafe = PPercent(p, n).judge(table).unsafe & (table.contributors > 1)
        assert judge_claims(claims, table, within=p / 100)[WHO].value == unsafe.sum()


@given(
    st.lists(st.lists(st.integers(1, 500), min_size=1, max_size=5), min_size=2, max_size=4), st.sampled_from([5, 30])
)
def test_with_room_of_its_level_no_cell_is_disclosed_and_with_less_it_is(cells, p):
    """The publication leaves each unsafe cell just the room that the rule asks for."""
    table = table_of(cells, top=3)
    problem = build_problem(table, [PPercent(p)])
    for share, wanted in ((1.0, 0), (0.99, len(problem.primaries))):
        room = share * problem.upper
        seen = replace(shown(table), low=table.values - share * problem.lower, high=table.values + room)
        known = Knowledge.of(table)
        outsider = judge_claims(External().claims(seen, known), table, within=p / 100)[WHO].value
        rival = judge_claims(Rival().claims(seen, known), table, within=p / 100)[WHO].value
        assert outsider + rival == wanted


@given(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=5), min_size=1, max_size=4))
def test_claims_about_true_figures_are_never_wrong(cells):
    table = table_of(cells, top=5)
    for attack in (External(), OwnValue(), Rival(1), Rival(2)):
        result = attacked(attack, table)[WHO]
        assert result.facts["wrong claims"] == 0


def square(inner, contributors=None):
    """A two-way table of sums in which every inner cell has one respondent unless told otherwise."""
    inner = np.asarray(inner, dtype=float)
    rows, columns = (
        Dimension.flat(name, [f"{name}{i}" for i in range(n)]) for name, n in zip("rc", inner.shape, strict=True)
    )
    labels, equations = cross_dimensions([rows, columns])
    counts = np.ones(inner.shape, dtype=int) if contributors is None else np.asarray(contributors)
    filled = {}
    for name, part in (("values", inner), ("counts", counts)):
        full = np.zeros((inner.shape[0] + 1, inner.shape[1] + 1))
        full[1:, 1:] = part
        filled[name] = added_up([rows, columns], full).ravel()
    single = filled["counts"] == 1
    return Table(
        labels=labels,
        values=filled["values"],
        equations=equations,
        dimensions=(rows, columns),
        response="sales",
        contributors=filled["counts"].astype(int),
        contributions=Contributions(
            values=np.where(single, filled["values"], filled["values"] / 2)[:, None],
            owners=np.arange(len(single))[:, None],
            weights=np.ones((len(single), 1)),
        ),
    )


def test_the_sole_respondent_opens_the_cell_beside_its_own():
    """Two suppressed cells in each row and column are safe from outsiders and not from the one who is alone in one."""
    table = square([[10, 20, 70], [30, 40, 50], [60, 80, 90]], [[1, 4, 4], [4, 4, 4], [4, 4, 4]])
    hidden = np.zeros(table.size, dtype=bool)
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        hidden[table.cell(r=f"r{row}", c=f"c{column}")] = True
    published = Published.from_suppression(build_problem(table, []), hidden)
    outsider = tighten_bounds(published)
    assert (outsider.high - outsider.low)[hidden].min() > 10
    claims = SoleRespondent().claims(published, Knowledge.of(table))
    assert sorted(claims.cells.tolist()) == sorted(np.flatnonzero(hidden)[1:].tolist())
    assert judge_claims(claims, table)[CELLS].value == 3
    crowd = replace(table, contributors=np.full(table.size, 9))
    assert len(SoleRespondent().claims(published, Knowledge.of(crowd))) == 0


def test_a_planted_leak_is_found_and_gone_after_protection():
    """Primary suppression alone leaks by subtraction; with three more cells the rival is kept p per cent away."""
    table = square([[10, 20, 70], [30, 40, 50], [60, 80, 90]])
    kept = Contributions(
        values=np.stack([table.values * 0.9, table.values * 0.1], axis=1),
        owners=np.arange(2 * table.size).reshape(-1, 2),
        weights=np.ones((table.size, 2)),
    )
    table = replace(table, contributions=kept, contributors=np.full(table.size, 2))
    target = table.cell(r="r0", c="c0")
    marks = {tuple(row): "safe" for place, row in enumerate(table.labels.iter_rows()) if place != target}
    problem = build_problem(table, [PPercent(10)], marks=marks)
    assert problem.primaries.tolist() == [target]
    hidden = problem.must_suppress.copy()

    def error():
        claims = Rival().claims(
            tighten_bounds(Published.from_suppression(problem, hidden)), Knowledge.of(table, counts="none")
        )
        return claims.estimate[claims.cells == target][0] / (0.9 * table.values[target]) - 1

    assert error() == pytest.approx(0)
    for codes in ({"r": "r0", "c": "c1"}, {"r": "r1", "c": "c0"}, {"r": "r1", "c": "c1"}):
        hidden[table.cell(**codes)] = True
    assert error() >= 0.1


def test_what_a_respondent_knows():
    table = table_of([[5.0], [9.0, 3.0], [7.0, 1.0]], owners=[[1], [1, 2], [3, 4]])
    cells, low, high = knowledge_of(table, 1)
    assert (cells.tolist(), low.tolist(), high.tolist()) == ([0, 1, 2], [14.0, 5.0, 9.0], [np.inf, 5.0, np.inf])
    cells, low, high = knowledge_of(table, [1, 2])
    assert (cells.tolist(), low.tolist(), high.tolist()) == ([0, 1, 2], [17.0, 5.0, 12.0], [np.inf, 5.0, 12.0])
    negative = table_of([[5.0], [9.0, -3.0]], owners=[[1], [1, 2]])
    assert knowledge_of(negative, 1)[0].tolist() == [1]
    with pytest.raises(TacitError, match="how many respondents"):
        knowledge_of(table.with_values(table.values), 1)


def test_with_losses_nobody_bounds_anybody_but_the_last_one_left():
    table = table_of([[100.0, -90.0], [80.0, 5.0, -1.0]])
    claims = OwnValue().claims(shown(table), Knowledge.of(table))
    exact = np.isfinite(claims.high)
    assert set(claims.cells[exact].tolist()) == {1}
    assert judge_claims(claims, table)[WHO].facts["exactly"] == 2


def test_the_judge_counts_a_secret_once_and_notes_what_is_wrong():
    table = table_of([[10.0], [50.0]])
    double = CellClaims(
        cells=np.array([1, 1, 2]),
        owners=np.full(3, -1),
        low=np.array([10.0, 10.0, 0.0]),
        high=np.array([10.0, 10.0, 9.0]),
    )
    result = judge_claims(double, table)[CELLS]
    assert (result.value, result.facts["claims"], result.facts["wrong claims"]) == (1, 3, 1)
    with pytest.raises(TacitError, match="no share"):
        judge_claims(double, table, within=-1)
    with pytest.raises(TacitError, match="does not keep"):
        judge_claims(replace(double, owners=np.array([5, 5, 5])), table)


@pytest.mark.parametrize("name", list(ALL))
def test_attacks_are_values_and_say_nothing_without_anybody(name):
    attack = ALL[name].call(**ALL[name].example)
    assert attack == ALL[name].call(**ALL[name].example)
    assert ALL[name].summary
    table = replace(table_of([[5.0, 6.0]]), contributions=None)
    if name != "holding":
        assert len(attack.claims(shown(table), Knowledge.of(table))) == 0


def test_published_numbers_of_respondents_may_be_hidden_with_the_figures():
    table = table_of([[5.0], [9.0, 3.0, 4.0]])
    hidden = build_problem(table, [MinimumFrequency(3)]).must_suppress
    assert Knowledge.of(table, counts="published", hidden=hidden).contributors.tolist() == [4, -1, 3]
    with pytest.raises(TacitError, match="counts="):
        Knowledge.of(table, counts="some")


def test_nobody_claims_about_a_contribution_of_which_nothing_is_kept():
    """Ready-made tables keep no owner of a zero: the two others of a cell of three say nothing of the cell instead."""
    table = table_of([[5.0, 4.0, 0.0], [9.0, 8.0, 7.0]])
    owners = table.contributions.owners.copy()
    owners[1, 2] = -1
    table = replace(table, contributions=replace(table.contributions, owners=owners))
    claims = Coalition(2).claims(shown(table), Knowledge.of(table))
    assert set(claims.cells.tolist()) == {2}
    assert (claims.owners >= 0).all()


def test_respondents_without_a_name_are_none_of_those_with_one():
    table = table_of([[5.0, 4.0], [9.0, 8.0]], owners=[[3, -1], [0, -1]])
    seen = Knowledge.of(table).owners[1:, :2]
    assert (seen[0, 0], seen[1, 0]) == (3, 0)
    assert len(np.unique(seen)) == 4


def test_claims_are_open_below_where_contributions_may_be_negative():
    table = table_of([[100.0, -90.0], [80.0, 5.0, -1.0]])
    claims = OwnValue().claims(shown(table), Knowledge.of(table))
    last = claims.low == claims.high
    assert set(claims.cells[last].tolist()) == {1}
    assert (claims.low[~last] == -np.inf).all()
    assert judge_claims(claims, table)[WHO].facts["wrong claims"] == 0


def test_a_zero_that_is_computed_is_disclosed():
    table = table_of([[0.0], [0.0, 0.0]])
    point = CellClaims(cells=np.array([1]), owners=np.array([-1]), low=np.zeros(1), high=np.zeros(1))
    result = judge_claims(point, table)[CELLS]
    assert (result.value, result.facts["exactly"]) == (1, 1)


# catalogue: G-02
def test_a_respondent_is_known_by_what_it_adds_with_its_weight():
    table = table_of([[10.0], [7.0, 5.0, 6.0]], weights=[[3.0], [1.0, 1.0, 1.0]])
    seen = Published.from_suppression(build_problem(table, [PPercent(10)]), np.zeros(table.size, dtype=bool))
    found = judge_claims(External().claims(seen, Knowledge.of(table)), table)["respondents disclosed"]
    assert found.value == 1 and found.facts["wrong claims"] == 0


def test_a_respondent_on_its_own_is_not_the_holding_of_its_number():
    table = table_of([[50.0, 30.0, 20.0]], owners=[[0, 1, 2]])
    seen = Published.from_suppression(build_problem(table, [PPercent(10)]), np.zeros(table.size, dtype=bool))
    claims = Holding().claims(seen, Knowledge.of(table, holdings={0: 1, 2: 1}))
    inner = claims.cells == 1
    assert dict(zip(claims.owners[inner].tolist(), claims.high[inner].tolist(), strict=True)) == {1: 30.0, 0: 70.0}
