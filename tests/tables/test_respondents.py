"""Respondents who know themselves: holdings in tables of counts, and what an own value tells of cells of others."""

from __future__ import annotations

import json
import sys

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.errors import TacitError
from tacit.tables import MinimumFrequency, PPercent, audit, build_problem, link_tables, suppress, tabulate
from tacit.tables.audit.respondents import audit_respondents
from tacit.tables.problem import Problem


def end_of(problem: Problem, hidden: np.ndarray, low: np.ndarray, high: np.ndarray, cell: int, sign: int) -> float:
    """The smallest (1) or largest (−1) value of a cell, by a program that shares nothing with the audit."""
    matrix, values = problem.table.equations.matrix.toarray(), problem.table.values
    at = np.flatnonzero(hidden)
    wanted = np.where(at == cell, float(sign), 0.0)
    known = problem.table.equations.constants - matrix[:, ~hidden] @ values[~hidden]
    bounds = [(a, None if np.isinf(b) else b) for a, b in zip(low[at], high[at], strict=True)]
    solved = linprog(wanted, A_eq=matrix[:, at], b_eq=known, bounds=bounds, method="highs")
    assert solved.status == 0
    return sign * float(solved.fun)


def holdings_in(frame: pl.DataFrame, problem: Problem, cell: int) -> set[str]:
    here = frame
    for name, code in problem.table.labels.row(cell, named=True).items():
        here = here if code == "Total" else here.filter(pl.col(name) == code)
    return set(here["holding"])


def random_companies(seed: int) -> tuple[pl.DataFrame, Problem]:
    """Counts of companies by holdings, in three dimensions or three linked tables of two."""
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(2, 5)) for _ in range(int(rng.integers(2, 4)))]
    rows, holdings = int(rng.integers(10, 45)), int(rng.integers(4, 12))
    codes = {f"d{at}": [f"{'abc'[at]}{code}" for code in rng.integers(0, size, rows)] for at, size in enumerate(sizes)}
    frame = pl.DataFrame({**codes, "holding": [str(one) for one in rng.integers(0, holdings, rows)]})
    rng.integers(1, 200, rows), rng.random()
    if len(sizes) == 3 and rng.random() < 0.5:
        pairs = (("d0", "d1"), ("d0", "d2"), ("d1", "d2"))
        table = link_tables({"".join(by): tabulate(frame, by=list(by), holding="holding") for by in pairs})
    else:
        table = tabulate(frame, by=list(codes), holding="holding")
    return frame, build_problem(table, [MinimumFrequency(3)])


@pytest.mark.parametrize("seed", [12, 33, 45])  # three of the tables that were called protected and were not
def test_a_holding_alone_in_several_counts_knows_them_all_and_learns_no_other(seed):
    """Counts kept no owners, so that cells of one holding were audited as those of different respondents."""
    frame, problem = random_companies(seed)
    try:
        hidden = suppress(problem).hidden
    except TacitError:
        return  # refused with a reason
    seen = audit(problem, hidden, insiders=1)
    alone: dict[str, list[int]] = {}
    for cell in np.flatnonzero(hidden).tolist():
        there = holdings_in(frame, problem, cell)
        if len(there) == 1:
            alone.setdefault(next(iter(there)), []).append(cell)
    learnt = 0
    for cells in alone.values():
        low, high = problem.low.copy(), problem.high.copy()
        low[cells] = high[cells] = problem.table.values[cells]
        for cell in np.setdiff1d(problem.primaries, cells).tolist():
            ends = [end_of(problem, hidden, low, high, cell, sign) for sign in (1, -1)]
            learnt += ends[1] - ends[0] < 1e-6
    assert bool(learnt) <= (not seen.holds_inside), "what a holding computes, the audit tells"


def test_one_respondent_alone_in_two_linked_tables_is_one_insider():
    """Without owners the audit saw two respondents, each of whom knows one cell."""
    rows = [("x", "p", "u"), *[("x", "q", "v")] * 4, *[("y", "p", "v")] * 4, *[("y", "q", "u")] * 5]
    frame = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    table = link_tables({"ab": tabulate(frame, by=["a", "b"]), "ac": tabulate(frame, by=["a", "c"])})
    assert table.contributions is not None
    sole = np.flatnonzero(table.contributors == 1)
    assert len(sole) == 2 and len(set(table.contributions.owners[sole, 0].tolist())) == 1


def sales_table(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(15, 40))
    codes = {name: [f"{name}{code}" for code in rng.integers(0, 3, rows)] for name in "ab"}
    frame = pl.DataFrame({**codes, "sales": rng.integers(1, 200, rows).astype(float)})
    return build_problem(tabulate(frame, by=["a", "b"], response="sales", top=rows), [PPercent(15)])


@pytest.mark.parametrize("seed", [0, 4, 8, 9])
def test_what_respondents_learn_by_their_own_value_is_what_a_program_from_scratch_finds(seed):
    problem = sales_table(seed)
    if not len(problem.primaries):
        return
    try:
        done = suppress(problem)
    except TacitError:
        return
    hidden, kept, values = done.hidden, problem.table.contributions, problem.table.values
    found = audit_respondents(problem, hidden, done.audit.intervals)
    assert found is not None and found.pairs is not None
    narrowed = set()
    for owner in np.unique(kept.owners[hidden]):
        if owner < 0:
            continue
        low, high = problem.low.copy(), problem.high.copy()
        own = np.where(kept.owners == owner, kept.values, 0.0).sum(axis=1)
        low[hidden] = np.maximum(low[hidden], own[hidden])
        sole = hidden & (problem.table.contributors == 1) & (own > 0)
        high[sole] = values[sole]
        for cell in problem.primaries.tolist():
            if sole[cell]:
                continue
            ends = [end_of(problem, hidden, low, high, cell, sign) for sign in (1, -1)]
            below = min(problem.lower[cell], max(0.0, values[cell] - own[cell]))
            outside = done.audit.intervals
            at = np.searchsorted(outside.cells, cell)
            loose = outside.high[at] - values[cell] >= problem.upper[cell] * (1 - 1e-6)
            if (
                loose
                and (ends[1] - values[cell] < problem.upper[cell] * (1 - 1e-5) or ends[1] - ends[0] < 1e-7)
                or loose
                and values[cell] - ends[0] < below * (1 - 1e-5)
            ):
                narrowed.add(cell)
    assert narrowed == set(found.cells)


def test_one_of_these_tables_is_narrowed_so_that_the_comparison_can_fail():
    problem = sales_table(NARROWED)
    done = suppress(problem)
    assert done.safe and len(audit_respondents(problem, done.hidden, done.audit.intervals).cells) == 1


def test_too_many_pairs_are_said_and_not_guessed(monkeypatch):
    problem = next(one for one in map(sales_table, [4]) if len(one.primaries))
    done = suppress(problem)
    monkeypatch.setattr(sys.modules["tacit.tables.audit.respondents"], "MOST_PAIRS", 0)
    assert audit_respondents(problem, done.hidden, done.audit.intervals).pairs is None


def test_without_owners_or_with_negative_figures_nothing_is_claimed():
    frame = pl.DataFrame({"a": ["x", "x", "y", "y"], "sales": [5.0, -2.0, 3.0, 4.0]})
    problem = build_problem(tabulate(frame, by="a", response="sales"), [MinimumFrequency(3)], bounds=None)
    hidden = problem.must_suppress.copy()
    assert audit_respondents(problem, hidden, audit(problem, hidden).intervals) is None


NARROWED = 4
"""The table of sales_table in which a respondent narrows a cell of others."""
PLAN = """
[data]
path = "firms.csv"
[table]
by = ["a", "b"]
response = "sales"
[[rule]]
method = "p_percent"
p = 15
[output]
directory = "out"
"""


def test_the_job_says_it_beside_the_verdict_and_strict_refuses(tmp_path):
    rng = np.random.default_rng(NARROWED)
    rows = int(rng.integers(15, 40))
    codes = {name: [f"{name}{code}" for code in rng.integers(0, 3, rows)] for name in "ab"}
    pl.DataFrame({**codes, "sales": rng.integers(1, 200, rows).astype(float)}).write_csv(tmp_path / "firms.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    done = CliRunner().invoke(app, ["table", "protect", str(tmp_path / "plan.toml"), "--json"])
    told = json.loads(done.stdout)
    assert (done.exit_code, told["state"]) == (0, "not_covered")
    assert "respondents_narrow_cells" in [gap["code"] for gap in told["gaps"]]
    strict = CliRunner().invoke(app, ["table", "protect", str(tmp_path / "plan.toml"), "--json", "--strict"])
    assert strict.exit_code == 1
    shown = CliRunner().invoke(app, ["table", "protect", str(tmp_path / "plan.toml")])
    assert "Not covered by the verdict:" in shown.stdout and "may be published" not in shown.stdout


@pytest.mark.parametrize("seed", range(25))
def test_levels_of_several_rules_with_negative_figures_and_holdings_are_never_below_the_definition(seed):
    """T and the largest are taken over absolute contributions of holdings; a level by the bare figure would be smaller."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(10, 30))
    frame = pl.DataFrame(
        {
            "a": [f"a{code}" for code in rng.integers(0, 4, rows)],
            "holding": [str(one) for one in rng.integers(0, 9, rows)],
            "sales": rng.integers(-80, 200, rows).astype(float),
        }
    )
    held = rng.random() < 0.5
    table = tabulate(frame, by="a", response="sales", top=rows, **({"holding": "holding"} if held else {}))
    least = float(-frame["sales"].abs().sum()) * 2
    problem = build_problem(table, [MinimumFrequency(3, level=15), PPercent(10)], bounds=(least, -least))
    for cell in range(table.size):
        code = table.labels["a"][cell]
        here = frame if code == "Total" else frame.filter(pl.col("a") == code)
        answers = here.group_by("holding").agg(pl.col("sales").sum())["sales"] if held else here["sales"]
        sizes = np.sort(np.abs(answers.to_numpy()))[::-1]
        rest = sizes[2:].sum()
        by_share = 0.10 * sizes[0] - rest
        few = 0 < len(sizes) < 3
        need = max(0.15 * sizes.sum() if few else 0.0, by_share if by_share > 1e-9 else 0.0)
        assert problem.upper[cell] == pytest.approx(need, abs=1e-9), table.name(cell)
        assert problem.upper[cell] >= (0.15 * abs(table.values[cell]) if few else 0.0) - 1e-9
