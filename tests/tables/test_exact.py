"""The exact optimum: against published optima, one mixed-integer program, and all patterns."""

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from tacit.errors import Cancelled, TacitError
from tacit.tables.audit.audit import audit
from tacit.tables.files.jj import read_jj
from tacit.tables.problem import Status
from tacit.tables.suppress.exact.block import split_blocks
from tacit.tables.suppress.exact.cuts import Cutter
from tacit.tables.suppress.exact.effort import Effort
from tacit.tables.suppress.exact.exact import Master, Search, exact_pattern
from tacit.tables.suppress.limits import CannotProtect, Limits

from .instances import balanced, flat, random_problem
from .oracles import cheapest_by_trying_all, cheapest_in_one_piece, protects, various

SHAPES = {
    "line": lambda: [flat(7)],
    "square": lambda: [flat(4, "a"), flat(4, "b")],
    "tree": lambda: [balanced([2, 3]), flat(3, "b")],
    "cube": lambda: [flat(2, "a"), flat(2, "b"), flat(3, "c")],
}


def made(shape, seed):
    dimensions = SHAPES[shape]()
    # High levels make the room of single cells count: a cut with the wrong coefficients is then too strong.
    problem = random_problem(dimensions, share=0.15, seed=seed, level=0.9 if seed % 4 > 1 else 0.15)
    return various(problem, seed) if seed % 2 else problem


# catalogue: G-04
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_the_optimum_of_the_one_piece_program(shape, seed):
    problem = made(shape, seed)
    best = cheapest_in_one_piece(problem)
    if best == np.inf:
        with pytest.raises(CannotProtect, match="cannot be protected"):
            exact_pattern(problem)
        return
    found = exact_pattern(problem)
    assert found.proven and found.stopped is None and found.reproducible
    assert found.cost == pytest.approx(best, rel=1e-6) and found.bound <= found.cost
    assert found.cost == problem.total_cost(found.hidden)
    assert protects(problem, found.hidden)
    assert found.hidden[problem.must_suppress].all() and not found.hidden[problem.status >= Status.PUBLISHED].any()


# catalogue: G-04
@pytest.mark.parametrize("seed", range(4))
def test_no_pattern_at_all_is_cheaper(seed):
    problem = random_problem([flat(2, "a"), flat(2, "b")], share=0.3, seed=seed, zero=0)
    rng = np.random.default_rng(seed)
    problem = replace(problem, cost=rng.random(problem.size) * 10)
    assert exact_pattern(problem).cost == pytest.approx(cheapest_by_trying_all(problem), rel=1e-6)


# catalogue: G-04
@pytest.mark.parametrize(
    ("name", "optimum"),
    [
        ("rand2d_10x10_p05", 2589),
        ("rand2d_10x10_p20", 6234),
        ("rand2d_20x20_p10", 12299),
        ("rand2d_h34x10_p10", 5784),
        ("rand2d_h45xh34_p10", 12581),
    ],
)
def test_the_reference_problems_are_proven(reference_data, name, optimum):
    found = exact_pattern(read_jj(reference_data / "tables" / "jj" / f"{name}.jj"))
    assert found.proven and found.cost == found.bound == optimum


# catalogue: G-04
def test_a_limit_leaves_a_pattern_that_protects_and_a_bound_that_holds(reference_data):
    problem = read_jj(reference_data / "tables" / "jj" / "rand2d_10x10_p05.jj")
    for limits in (Limits(nodes=0), Limits(iterations=0), Limits(iterations=100), Limits(iterations=500)):
        found = exact_pattern(problem, limits=limits)
        assert protects(problem, found.hidden)
        assert found.bound <= 2589 <= found.cost
        assert found.reproducible and (found.proven or "limit of" in found.stopped)


# catalogue: G-04
def test_bounds_of_a_search_that_was_cut_short_lie_below_the_optimum():
    for seed in range(4):
        problem = made("cube", seed)
        best = cheapest_in_one_piece(problem)
        if best < np.inf:
            for iterations in (50, 200, 400, 800):
                found = exact_pattern(problem, limits=Limits(nodes=1, iterations=iterations))
                assert found.bound <= best * (1 + 1e-9) and found.cost >= best * (1 - 1e-9)


# catalogue: G-04
def test_a_clock_is_told():
    problem = random_problem([flat(5, "a"), flat(5, "b"), flat(4, "c")], share=0.05, seed=3)
    found = exact_pattern(problem, limits=Limits(seconds=1e-6))
    assert not found.reproducible and "seconds" in found.stopped and protects(problem, found.hidden)


# catalogue: G-04
def test_the_same_input_gives_the_same_pattern():
    problem = made("cube", 3)
    first, second = exact_pattern(problem), exact_pattern(problem)
    assert (first.hidden == second.hidden).all() and first.facts == second.facts


# catalogue: G-04
def test_a_start_is_used_and_never_worsens_the_answer():
    problem = made("square", 2)
    best = exact_pattern(problem)
    every = problem.must_suppress | problem.may_suppress
    for start in (best.hidden, every, np.zeros(problem.size, dtype=bool)):
        assert exact_pattern(problem, start=start).cost == best.cost
    stopped = exact_pattern(problem, start=best.hidden, limits=Limits(nodes=0))
    assert stopped.cost == best.cost


# catalogue: G-04
def test_parts_without_a_common_equation_add_up():
    import polars as pl
    import scipy.sparse as sp

    from tacit.tables.equations import Equations
    from tacit.tables.problem import Problem
    from tacit.tables.table import Table

    parts = [made("square", 2), made("tree", 4)]

    def together(of):
        return np.concatenate([of(part) for part in parts])

    sums = Equations.of(sp.block_diag([part.table.equations.matrix for part in parts]))
    values = together(lambda part: part.table.values)
    table = Table(labels=pl.DataFrame({"cell": [str(i) for i in range(len(values))]}), values=values, equations=sums)
    fields = ("status", "lower", "upper", "sliding", "low", "high", "cost")
    both = Problem(table=table, **{name: together(lambda part, name=name: getattr(part, name)) for name in fields})
    found = exact_pattern(both)
    assert found.proven and found.facts["blocks"] == 2
    assert found.cost == sum(exact_pattern(part).cost for part in parts)


# catalogue: G-04
def test_what_no_pattern_protects_is_named():
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.2, seed=1, zero=0)
    cell = int(problem.primaries[0])
    status = np.where(problem.status == Status.SAFE, Status.PUBLISHED, problem.status)
    with pytest.raises(CannotProtect) as told:
        exact_pattern(replace(problem, status=status))
    assert problem.table.name(cell).split(" × ")[0] in str(told.value)
    assert "fix" in str(told.value)


def test_bad_costs_are_refused():
    problem = made("square", 0)
    cost = problem.cost.copy()
    cost[np.flatnonzero(problem.may_suppress)[0]] = -1.0
    with pytest.raises(TacitError, match="below 0"):
        exact_pattern(replace(problem, cost=cost))


def test_nothing_unsafe_costs_nothing():
    problem = made("square", 0)
    status = np.where(problem.status == Status.UNSAFE, Status.SAFE, problem.status)
    found = exact_pattern(replace(problem, status=status))
    assert found.cost == 0 and not found.hidden.any() and found.proven


def test_the_listener_can_stop_it():
    with pytest.raises(Cancelled):
        exact_pattern(made("cube", 2), progress=lambda step, share: False)


def without_levels(problem, seed):
    """Half of the unsafe cells ask for nothing but not to be known exactly."""
    rng = np.random.default_rng([seed, 4])
    bare = problem.primaries[rng.random(len(problem.primaries)) < 0.5]
    sides = {name: getattr(problem, name).copy() for name in ("lower", "upper", "sliding")}
    for side in sides.values():
        side[bare] = 0.0
    return replace(problem, **sides), bare


# catalogue: G-04
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", ["square", "tree"])
def test_cells_without_levels_are_hidden_from_computation_at_least_cost(shape, seed):
    problem, bare = without_levels(made(shape, seed), seed)
    sliding = problem.sliding.copy()
    sliding[bare] = 0.4  # bounds are whole or halves, so no corner of a network has less room unless it has none
    best = cheapest_in_one_piece(replace(problem, sliding=sliding))
    if best == np.inf:
        with pytest.raises(CannotProtect):
            exact_pattern(problem)
        return
    found = exact_pattern(problem)
    assert found.proven and found.cost == pytest.approx(best, rel=1e-6)
    assert audit(problem, found.hidden).holds


# catalogue: G-04
def test_a_stop_by_the_clock_of_the_solver_is_told(monkeypatch):
    """The solver's clock runs on while others have the processor; ours, of processor time, stands still here."""
    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    problem = random_problem([flat(5, "a"), flat(4, "b"), flat(4, "c")], share=0.06, seed=3)
    found = exact_pattern(problem, limits=Limits(seconds=0.01))
    assert not found.proven and not found.reproducible and "seconds" in found.stopped
    assert protects(problem, found.hidden)


# catalogue: G-04
def test_a_part_that_gets_stuck_does_not_end_the_search_in_others():
    problem = made("cube", 0)
    effort = Effort(Limits())
    effort.mark_exhausted()
    (block,) = split_blocks(problem)
    search = Search(block, effort)
    search.run()
    assert not search.is_open and effort.limit_reached is None
    assert effort.limit_that_ended == "limit of 10000 nodes"


# catalogue: G-04
def test_the_relaxed_bound_is_that_of_another_solver():
    problem = random_problem([flat(4, "a"), flat(4, "b"), flat(3, "c")], share=0.1, seed=2, level=0.9)
    problem = replace(problem, cost=np.random.default_rng(2).random(problem.size))
    for block in split_blocks(problem):
        effort = Effort(Limits())
        cutter, master = Cutter(block, effort), Master(block, effort)
        rows = []
        for goal in block.goals:
            cut = cutter.capacity_cut(goal, master.y)
            if cut is not None and master.add([cut]):
                rows.append(np.bincount(cut.cells, cut.weights, minlength=block.size))
            master.relax()
        sides = np.c_[block.fixed.astype(float), np.ones(block.size)]
        answer = linprog(block.cost, A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), bounds=sides)
        assert rows and master.bound == pytest.approx(answer.fun, rel=1e-9)
        most = master.bound + 0.5 * float(block.cost[~block.fixed].mean())
        dear = np.flatnonzero(master.too_costly_cells(most))
        assert len(dear)
        for cell in dear:
            forced = sides.copy()
            forced[cell] = 1.0
            with_it = linprog(block.cost, A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), bounds=forced)
            assert with_it.fun > most * (1 - 1e-9)


# catalogue: G-04
def test_a_bound_is_rounded_up_to_the_next_whole_cost_and_no_further():
    (block,) = split_blocks(made("cube", 0))
    search = Search(block, Effort(Limits()))
    first = search.bound
    for given, proven in ((first + 0.3, first + 1), (first + 1.0000001, first + 1), (first + 7.0, first + 7)):
        search._raise_bound(given)
        assert search.bound == proven
    search.cost = first + 9
    search._raise_bound(np.inf)
    assert search.bound == first + 9
    whole = replace(made("cube", 0), cost=np.full(block.problem.size, 0.5))
    fractions = Search(split_blocks(whole)[0], Effort(Limits()))
    fractions._raise_bound(fractions.bound + 0.3)
    assert 0.3 - 1e-6 < fractions.bound - 0.5 * block.fixed.sum() <= 0.3


# catalogue: G-04
def test_where_every_cell_costs_one_the_last_cell_counts():
    """Patterns differ by whole steps of the cost: a bound one step below leaves a cheaper pattern possible."""
    problem = random_problem(SHAPES["cube"](), share=0.2, seed=1, level=0.9, cost="unit")
    assert exact_pattern(problem).cost == pytest.approx(cheapest_in_one_piece(problem))
    search = Search(split_blocks(problem)[0], Effort(Limits()))
    for bound, possible in ((8.0, True), (9.0, True), (9.5, False), (10.0, False)):
        search.cost, search.bound = 10.0, bound
        assert search.is_open == possible
