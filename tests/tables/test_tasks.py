"""Functions named for a task: what they need of the records they see to themselves."""

import numpy as np
import polars as pl
import pytest

from tacit import TacitError, tables
from tacit.tables.rules import PQ, Dominance, MinimumFrequency, PPercent, Request
from tacit.tables.tasks.dominance import suppress_dominated
from tacit.tables.tasks.small_counts import suppress_small_counts


def firms(count=300):
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "region": rng.choice(list("xyz"), count),
            "branch": rng.choice(list("pqrs"), count),
            "sales": rng.lognormal(3, 2, count).round(1),
            "half": np.full(count, 0.4),
        }
    )


# catalogue: G-03
def test_as_many_contributions_are_kept_as_the_rules_look_at():
    rules = [MinimumFrequency(3), Dominance(5, 80), PPercent(10, n=3), PQ(10, 50), Request(70, [1], 15, few=4)]
    assert [rule.contributions_needed for rule in rules] == [0, 5, 4, 2, 3]
    found = suppress_dominated(firms(), dominance=(5, 80), by=["region", "branch"], response="sales")
    assert found.safe
    kept = found.problem.table.contributions
    assert kept is not None and kept.values.shape[1] == 5


def test_weights_below_one_take_more_contributions_and_the_error_says_how_many():
    given = {"p": 10, "by": ["region", "branch"], "response": "sales", "weight": "half"}
    with pytest.raises(TacitError, match="weights are below 1.*\n.*top=5"):
        suppress_dominated(firms(), **given)
    assert suppress_dominated(firms(), top=5, **given).safe


def test_words_that_say_nothing_are_refused():
    table = suppress_small_counts(firms(), minimum=3, by="region").problem.table
    with pytest.raises(TacitError, match="says nothing about a ready table"):
        suppress_small_counts(table, minimum=3, by="region")
    with pytest.raises(TacitError, match="no parameter 'bye'"):
        suppress_small_counts(firms(), minimum=3, bye="region")
    with pytest.raises(TacitError, match="no dimension"):
        suppress_small_counts(firms(), minimum=3)
    with pytest.raises(TacitError, match="nothing says which cells disclose"):
        suppress_dominated(firms(), by="region", response="sales")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda table: tables.suppress(table), "a Problem is needed, not a Table"),
        (lambda table: tables.audit(table, np.zeros(table.size, dtype=bool)), "a Problem is needed, not a Table"),
        (lambda table: tables.adjust(table, seed=1), "a Problem is needed, not a Table"),
        (
            lambda table: tables.round_controlled(tables.build_problem(table, [PPercent(9)]), base=5),
            "a Table is needed, not a Pro",
        ),
        (lambda table: tables.round_random(firms(), base=5, seed=1), "a Table is needed, not a DataFrame"),
        (lambda table: tables.build_problem(firms(), [PPercent(9)]), "a Table is needed, not a DataFrame"),
        (
            lambda table: tables.perturb_counts(firms(), by="region", ptable=None, seed=1),
            "a PTable is needed, not None",
        ),
        (lambda table: tables.link_tables([table, table]), "no tables with names to link"),
    ],
)
def test_a_table_for_a_problem_and_the_like_are_answered_with_the_way_to_one(wrong, said):
    with pytest.raises(TacitError, match=f"{said}(.|\n)*fix:"):
        wrong(tables.tabulate(firms(), by="region", response="sales"))


def test_percent_is_a_share_of_the_middle_of_the_interval(tmp_path):
    # Both lie from 0 to 100: a width of 200 % of the middle.
    (tmp_path / "t.csv").write_text("d,n\na,x\nb,x\nTotal,100\n")
    holds = [tables.audit_file(tmp_path / "t.csv", by="d", value="n", percent=percent).holds for percent in (150, 201)]
    assert holds == [True, False]
