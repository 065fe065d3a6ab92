"""The job on tables: what a plan offers, what its verdict says, and where a mistake is looked for."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit.errors import Cancelled, TacitError
from tacit.plan.table import job, protect_table, table_plan
from tacit.plan.table.job import attacks_not_run, attacks_on, closeness_share
from tacit.tables import PPercent, build_problem, tabulate
from tacit.tables.problem import Status

RECORDS = pl.DataFrame(
    {
        "region": ["n"] * 9 + ["o"] * 9,
        "sector": (["a"] * 2 + ["b"] * 4 + ["c"] * 3) * 2,
        "pay": [90.0, 10, 30, 20, 10, 5, 8, 7, 6, 40, 30, 20, 10, 9, 8, 7, 6, 5],
    }
)
SMALL = '[[rule]]\nmethod = "minimum_frequency"\nn = 3\n'


@pytest.fixture
def planned(tmp_path):
    """A plan about the records: what stands in [table], and what comes after it."""
    RECORDS.write_csv(tmp_path / "d.csv")

    def plan(table='by = ["region", "sector"]', more=SMALL, path="d.csv"):
        return table_plan(f'[data]\npath = "{path}"\n[table]\n{table}\n{more}', folder=tmp_path)

    return plan


def test_a_pattern_is_frozen_by_the_file_of_the_last_release(planned, tmp_path):
    # catalogue: G-04
    (tmp_path / "last.hst").write_text('"n","b",m\n"n","c",p\n"o","c",u\n"o","c",pl,1,2\n')
    found = protect_table(planned('by = ["region", "sector"]\nprior = "last.hst"'))
    problem = found.problem
    place = {codes: cell for cell, codes in enumerate(problem.table.labels.iter_rows())}
    assert problem.status[place["n", "b"]] == Status.HIDDEN and found.hidden[place["n", "b"]]
    assert problem.status[place["n", "c"]] == Status.PUBLISHED and not found.hidden[place["n", "c"]]
    frozen = place["o", "c"]
    assert (problem.status[frozen], problem.lower[frozen], problem.upper[frozen]) == (Status.UNSAFE, 1, 2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"n","b",u\n', "last.hst: the cell n × b is made unsafe without a level"),
        ('"n","z",u\n', r"last.hst, line 1: column 'sector' has no code 'z'"),
    ],
)
def test_a_file_of_marks_that_does_not_fit_is_named(planned, tmp_path, line, said):
    (tmp_path / "last.hst").write_text(line)
    with pytest.raises(TacitError, match=said) as error:
        protect_table(planned('by = ["region", "sector"]\nprior = "last.hst"'))
    assert "skip" not in error.value.fix


def test_the_table_keeps_as_many_contributions_as_the_rules_look_at(planned):
    # catalogue: G-03
    rule = '[[rule]]\nmethod = "dominance"\nn = 4\nk = 99\n'
    found = protect_table(planned('by = ["region", "sector"]\nresponse = "pay"', rule))
    cells = dict(zip(found.problem.table.labels.iter_rows(), found.problem.status, strict=True))
    assert cells["n", "b"] == Status.UNSAFE  # all four of it make up 100 %
    assert cells["Total", "Total"] != Status.UNSAFE


def test_totals_may_be_worked_out_and_have_a_code_for_each_dimension(planned, tmp_path):
    # catalogue: G-01
    (tmp_path / "cells.csv").write_text("r,s,n\nx,f,5\nx,m,1\ny,f,7\ny,m,9\n")
    table = 'holds = "cells"\nby = ["r", "s"]\nvalue = "n"\ncontributors = "n"\nadd_totals = true\ntotal = { r = "All", s = "Both" }'
    found = protect_table(planned(table, SMALL + '[[mark]]\ns = "f"\nas = "published"\n', "cells.csv"))
    values = dict(zip(found.problem.table.labels.iter_rows(), found.problem.table.values, strict=True))
    assert values["All", "Both"] == 22 and values["All", "f"] == 12
    marked = dict(zip(found.problem.table.labels.iter_rows(), found.problem.status, strict=True))
    assert marked["All", "f"] == Status.PUBLISHED  # the dimension that a mark does not name is at its own total


def test_a_mark_that_only_waives_is_no_verdict(planned):
    # catalogue: G-03
    waived = '[[mark]]\nregion = "n"\nsector = "a"\nas = "published"\n'
    with pytest.raises(TacitError, match="nothing says which cells disclose"):
        planned(more=waived)
    rounded = protect_table(planned(more=waived + '[protect]\nmethod = "round_random"\nbase = 5\n'), seed=1)
    assert not rounded.judged
    assert protect_table(planned('by = ["sector"]\nzeros = "unsafe"', "")).judged


@pytest.mark.parametrize("way", ['method = "round_controlled"\nbase = 2', 'method = "adjust"'])
def test_unsafe_cells_that_stay_known_are_told(planned, way):
    # catalogue: G-05
    table = 'by = ["region", "sector"]\nresponse = "pay"'
    rule = '[[rule]]\nmethod = "minimum_frequency"\nn = 3\nlevel = 50\n'
    found = protect_table(planned(table, f"{rule}[protect]\n{way}\n"), seed=3)
    problem, moved = found.problem, np.abs(found.figures - found.problem.table.values)
    if "adjust" in way:
        assert found.holds and not len(found.short)
        assert (moved[problem.primaries] >= problem.lower[problem.primaries] - 1e-6).all()
    else:
        assert set(found.short.tolist()) == set(problem.primaries.tolist())  # ±2 hides no half of 100
        assert not found.holds and problem.table.name(int(found.short[0])) in found.failures[0]


@pytest.mark.parametrize(
    ("table", "more", "said"),
    [
        (
            'by = ["region"]',
            SMALL + '[protect]\nmethod = "round_random"\nbase = -5\n',
            "line 10, protect.base: base=-5",
        ),
        ('by = ["region"]', SMALL + "[protect]\nnodes = -1\n", "line 9, protect.nodes: nodes=-1"),
        ('by = ["region"]', SMALL + '[protect]\ncost = "emp"\n', "line 9, protect.cost: the cost 'emp' is unknown"),
        (
            'by = ["region"]',
            SMALL + '[hierarchies]\nregion = "r.hrc"\n',
            "line 9, hierarchies.region: the file 'r.hrc'",
        ),
        (
            'by = ["region"]',
            '[[mark]]\nas = "safe"\n[[mark]]\nas = "unsafe"\nregion = "Atlantis"\n' + SMALL,
            "line 7, mark: there is no cell 'Atlantis' to mark",
        ),
    ],
)
def test_a_mistake_is_looked_for_where_it_stands(planned, table, more, said):
    with pytest.raises(TacitError, match=said):
        protect_table(planned(table, more))


def test_whoever_stops_it_is_not_told_of_a_mistake(planned):
    with pytest.raises(Cancelled):
        protect_table(planned(), progress=lambda step, share: share < 0.05)


def test_what_everybody_knows_and_how_near_is_near_come_from_the_plan(planned):
    # catalogue: G-02
    rules = '[[rule]]\nmethod = "p_percent"\np = 10\n[[rule]]\nmethod = "p_percent"\np = 25\n'
    found = protect_table(planned('by = ["region", "sector"]\nresponse = "pay"', rules + "[intruder]\nwithin = 80\n"))
    problem = found.problem
    np.testing.assert_allclose(problem.low, 0.2 * problem.table.values)
    np.testing.assert_allclose(problem.high, 1.8 * problem.table.values)
    assert found.bare and {one.result.facts["within"] for one in (*found.bare, *found.attacks)} == {0.25}
    assert closeness_share([]) == 0.0


def test_insiders_are_kept_from_learning_unless_the_plan_says_not(planned):
    # catalogue: G-02
    table, level = 'by = ["sector"]', '[[mark]]\nsector = "a"\nas = "unsafe"\nlower = 1\nupper = 1\n'
    assert protect_table(planned(table, level)).audit.insiders is not None
    assert protect_table(planned(table, level + "[intruder]\ninsiders = false\n")).audit.insiders is None


def test_the_attacks_start_from_all_that_can_be_computed(planned, monkeypatch):
    # catalogue: G-02
    seen = []

    def kept(problem, published, **more):
        seen.append(published)
        return attacks_on(problem, published, **more)

    monkeypatch.setattr(job, "attacks_on", kept)
    rule = '[[rule]]\nmethod = "p_percent"\np = 10\n'
    found = protect_table(planned('by = ["region", "sector"]\nresponse = "pay"', rule))
    known = found.audit.intervals
    assert len(known.cells) and not np.isinf(known.high).any()
    np.testing.assert_allclose(seen[1].low[known.cells], known.low)
    np.testing.assert_allclose(seen[1].high[known.cells], known.high)


def test_attacks_that_cannot_be_made_are_told_of():
    # catalogue: G-02
    firms = pl.DataFrame({"a": [*"xxyy"], "v": [1.0, 2.0, 3.0, 4.0]})
    whole, some = (build_problem(tabulate(firms, by="a", response="v", top=top), [PPercent(10)]) for top in (3, 2))
    assert attacks_not_run(whole) == () and "two contributions" in attacks_not_run(some)[0]
    bare = replace(whole, table=replace(whole.table, contributions=None))
    assert "no contribution" in attacks_not_run(bare)[0]
