"""Controlled tabular adjustment: against all directions, and what it must keep."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacit.errors import TacitError
from tacit.tables.perturb.adjust import (
    Demands,
    DirectedMoves,
    Moves,
    adjust,
    drawn_directions,
    relaxed_bound,
    whole_directions,
)
from tacit.tables.perturb.checks import levels_met
from tacit.tables.problem import Status
from tacit.tables.suppress.limits import CannotProtect, Limits

from .instances import balanced, flat, random_problem


def every_direction(problem, price):
    """The least cost over all choices of up and down, each by a linear program of another solver; None if none is possible."""
    matrix = problem.table.equations.matrix.toarray()
    values, cells = problem.table.values, problem.primaries
    fixed = (values == 0) | np.isin(problem.status, [Status.EMPTY, Status.PUBLISHED])
    above, below = np.where(fixed, 0, problem.high - values), np.where(fixed, 0, values - problem.low)
    best = None
    for ups in itertools.product([True, False], repeat=len(cells)):
        bounds = [[0, top] for top in above] + [[0, top] for top in below]
        possible = True
        for cell, up in zip(cells, ups, strict=True):
            near, far = (cell, len(values) + cell) if up else (len(values) + cell, cell)
            level = problem.upper[cell] if up else problem.lower[cell]
            possible &= level <= bounds[near][1]
            bounds[near][0], bounds[far][1] = level, 0
        if possible:
            found = linprog(
                np.r_[price, price], A_eq=np.hstack([matrix, -matrix]), b_eq=np.zeros(len(matrix)), bounds=bounds
            )
            if found.status == 0:
                best = found.fun if best is None else min(best, found.fun)
    return best


def kept(problem, result):
    """All that is promised, recomputed."""
    values, true = result.values, problem.table.values
    moved = values - true
    assert np.abs(problem.table.equations.matrix @ values).max() <= 1e-6 * true.max()
    for cell in problem.primaries:
        assert moved[cell] >= problem.upper[cell] - 1e-6 or moved[cell] <= -problem.lower[cell] + 1e-6
    assert (values >= 0).all()
    assert (moved[true == 0] == 0).all()
    assert (moved[problem.status == Status.PUBLISHED] == 0).all()


# catalogue: G-05
@pytest.mark.parametrize("seed", range(6))
def test_small_tables_reach_the_best_of_all_directions(seed):
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.5, seed=seed, level=0.3)
    price = 1 / np.maximum(problem.table.values, 1)
    result = adjust(problem, seed=seed, within=0)
    kept(problem, result)
    assert result.cost == pytest.approx(every_direction(problem, price), rel=1e-6)
    assert result.bound <= result.cost + 1e-9
    assert relaxed_bound(Demands.of(problem, "relative"))[0] <= result.cost + 1e-9


# catalogue: G-05
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["relative", "unit", "cost"]))
def test_every_promise_is_kept_on_random_hierarchies(seed, weigh):
    problem = random_problem([balanced([2, 3], "a"), flat(3, "b")], share=0.3, seed=seed, high=60)
    try:
        result = adjust(problem, seed=seed, weigh=weigh, limits=Limits(nodes=20))
    except CannotProtect:
        return
    kept(problem, result)
    assert levels_met(problem, result.values).all()
    assert result.facts["levels missed"] == 0


# catalogue: G-05
@pytest.mark.parametrize("seed", range(3))
def test_parents_and_children_that_are_both_unsafe(seed):
    problem = random_problem([balanced([2, 2], "a"), flat(2, "b")], share=0.4, seed=seed, zero=0)
    status, need = problem.status.copy(), problem.upper.copy()
    for cell in (problem.table.cell(a="a.0"), problem.table.cell(a="a.0.1"), problem.table.cell(b="b1")):
        status[cell], need[cell] = Status.UNSAFE, 0.2 * problem.table.values[cell]
    harder = replace(problem, status=status, upper=need, lower=need)
    result = adjust(harder, seed=1, within=0)
    kept(harder, result)
    assert result.cost == pytest.approx(every_direction(harder, 1 / np.maximum(problem.table.values, 1)), rel=1e-6)


def test_directions_depend_on_the_seed_and_on_nothing_else():
    problem = random_problem([flat(12, "a"), flat(12, "b")], share=0.3, seed=1)
    one, same, other = adjust(problem, seed=1), adjust(problem, seed=1), adjust(problem, seed=2)
    assert (one.values == same.values).all()
    assert (np.sign(one.values - problem.table.values) != np.sign(other.values - problem.table.values)).any()
    assert one.gap < 0.05


def test_levels_that_cannot_be_met_name_a_cell():
    problem = random_problem([flat(2, "a"), flat(2, "b")], share=0.25, seed=1, zero=0)
    cell = problem.primaries[0]
    status = np.full(problem.size, Status.PUBLISHED, dtype=np.uint8)
    status[cell] = Status.UNSAFE
    with pytest.raises(CannotProtect, match=problem.table.name(cell)):
        adjust(replace(problem, status=status), seed=1)
    with pytest.raises(CannotProtect, match="neither up nor down"):
        adjust(replace(problem, upper=problem.upper * 0 + 1e9, lower=problem.lower * 0 + 1e9), seed=1)
    with pytest.raises(TacitError, match="weigh="):
        adjust(problem, seed=1, weigh="size")
    with pytest.raises(TacitError, match="within="):
        adjust(problem, seed=1, within=1)


def test_one_sided_and_sliding_levels():
    problem = random_problem([flat(4, "a"), flat(4, "b")], share=0.2, seed=1, zero=0)
    cells = problem.primaries
    down = adjust(replace(problem, upper=problem.upper * 0), seed=1)
    assert (down.values[cells] - problem.table.values[cells] <= -problem.lower[cells] + 1e-6).all()
    sliding = np.where(problem.status == Status.UNSAFE, 30.0, 0.0)
    none = problem.upper * 0
    wide = replace(problem, upper=none, lower=none, sliding=sliding)
    assert (np.abs(adjust(wide, seed=1).values - problem.table.values)[cells] >= 15 - 1e-6).all()


def test_a_table_without_unsafe_cells_stays():
    problem = random_problem([flat(3, "a"), flat(3, "b")], seed=1)
    calm = replace(problem, status=np.zeros(problem.size, dtype=np.uint8))
    assert (adjust(calm, seed=1).values == problem.table.values).all()


def uneven(seed, ratio=0.3):
    """Small figures too, and levels that differ: where one direction asks for little, the other asks for much."""
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.5, seed=seed, level=0.6, high=12)
    little = np.random.default_rng(seed).random(problem.size) < 0.5
    upper, lower = (np.where(side, ratio, 1.0) * problem.lower for side in (little, ~little))
    return replace(problem, upper=upper, lower=lower)


# catalogue: G-05
@pytest.mark.parametrize("seed", range(5))
def test_levels_that_differ_up_and_down_reach_the_best_of_all_directions(seed):
    problem = uneven(seed)
    best = every_direction(problem, 1 / np.maximum(problem.table.values, 1))
    assert relaxed_bound(Demands.of(problem, "relative"))[0] <= best + 1e-9
    result = adjust(problem, seed=seed, within=0)
    kept(problem, result)
    assert result.cost == pytest.approx(best, rel=1e-6)
    assert result.bound <= best + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_branch_and_bound_alone_finds_the_best_directions(seed):
    problem = uneven(seed)
    demands = Demands.of(problem, "unit")
    start = DirectedMoves.of(Moves(demands), demands.may_up & ~demands.may_down)
    found = whole_directions(
        demands, start, free=np.ones(len(demands.cells), dtype=bool), within=0, limits=Limits(nodes=500)
    )
    best = every_direction(problem, np.ones(problem.size))
    assert DirectedMoves.of(Moves(demands), found.upward).worth == pytest.approx(best, rel=1e-6)
    assert found.bound == pytest.approx(best, rel=1e-5)


def test_the_draw_follows_the_relaxed_move_from_one_level_to_the_other():
    demands, rng = Demands.of(uneven(1), "unit"), np.random.default_rng(0)
    moves = np.zeros(len(demands.price))
    both = demands.may_up & demands.may_down
    assert both.sum() > 1

    def ups(level):
        moves[demands.cells] = level
        return np.mean([drawn_directions(demands, moves, rng)[both] for _ in range(400)], axis=0)

    assert (ups(demands.up) == 1).all()
    assert (ups(-demands.down) == 0).all()
    halfway = ups((demands.up - demands.down) / 2)
    assert (np.abs(halfway - 0.5) < 5 * 0.5 / np.sqrt(400)).all()  # five standard errors


# catalogue: G-05
@pytest.mark.parametrize("scale", [2.0**-40, 2.0**20, 2.0**40])
def test_the_unit_of_the_figures_does_not_matter(scale):
    """Amounts in billionths or in billions: the solver's tolerances must not eat the moves or their prices."""
    problem = random_problem([flat(6, "a"), flat(5, "b")], share=0.2, seed=3)
    scaled = {name: getattr(problem, name) * scale for name in ("lower", "upper", "low", "high")}
    other = replace(problem, table=replace(problem.table, values=problem.table.values * scale), **scaled)
    one, two = adjust(problem, seed=1), adjust(other, seed=1)
    assert two.cost == pytest.approx(one.cost, rel=0.06)
    moved = (two.values - other.table.values)[other.primaries]
    upper, lower = other.upper[other.primaries], other.lower[other.primaries]
    assert ((moved >= upper * (1 - 1e-6)) | (-moved >= lower * (1 - 1e-6))).all()
    assert np.abs(other.table.equations.residuals(two.values)).max() <= 1e-9 * two.values.max()


def test_a_table_without_unsafe_cells_stays_as_it_is():
    problem = random_problem([flat(4, "a"), flat(3, "b")], seed=1)
    none = np.zeros(problem.size)
    free = replace(problem, status=np.full(problem.size, Status.SAFE, dtype=np.uint8), lower=none, upper=none)
    for scale in (1.0, 1e9):
        table = replace(problem.table, values=problem.table.values * scale)
        found = adjust(replace(free, table=table, high=problem.high * scale), seed=1)
        assert (found.values == table.values).all() and found.cost == 0


# catalogue: G-05
def test_a_level_is_met_by_a_move_that_reaches_it_and_by_no_smaller_one():
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.1, seed=2)
    (cell,) = problem.primaries
    moves = {
        "upper": [(9, True), (8.9, False), (-4, True), (-3.9, False), (0, False)],
        "lower": [(-4, True), (900, False)],
    }
    for side, tried in moves.items():
        upper, lower = (np.where(np.arange(problem.size) == cell, level, 0.0) for level in (9.0, 4.0))
        asked = replace(problem, upper=upper if side == "upper" else 0 * upper, lower=lower)
        for move, met in tried:
            values = asked.table.values.copy()
            values[cell] += move
            assert levels_met(asked, values).tolist() == [met], (side, move)


def test_no_figure_falls_below_zero_where_none_was_though_the_bounds_allow_it():
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.2, seed=4, high=12)
    wide = replace(problem, low=np.full(problem.size, -100.0))
    assert (Demands.of(wide, "unit").below <= problem.table.values).all()
    assert (adjust(wide, seed=1).values >= 0).all()
