"""The intervals of the audit against enumeration, another solver, and what must be true of any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacit import TacitError
from tacit.tables.audit.audit import sum_interval
from tacit.tables.audit.integer_bounds import round_inwards
from tacit.tables.audit.intervals import intervals
from tacit.tables.equations import Equations
from tacit.tables.intruders.arithmetic import Arithmetic
from tacit.tables.problem import Status
from tacit.tables.published import Published

from .instances import balanced, flat, random_problem

# catalogue: G-04, G-02
TINY = [(2, 2), (2, 3), (3, 3), (2, 2, 2)]


def published(problem, hidden):
    """Zeros may be hidden like all others here: nobody knows beforehand where they are."""
    status = np.where(problem.status == Status.EMPTY, Status.SAFE, problem.status)
    return Published.from_suppression(replace(problem, status=status), hidden)


def random_hidden(problem, share, seed):
    """A random pattern, totals and zeros among it."""
    return np.random.default_rng([seed, 5]).random(problem.size) < share


def tiny(shape, seed):
    """A table of small whole figures, some hidden, that an outsider knows to lie from 0 to 4 more than the largest."""
    problem = random_problem([flat(size, "abc"[axis]) for axis, size in enumerate(shape)], seed=seed, zero=0.3, high=4)
    hidden = random_hidden(problem, 0.55 if len(shape) == 2 else 0.4, seed)
    top = problem.table.values.max() + 4
    return replace(problem, high=np.full(problem.size, top)), hidden


def enumerated(seen):
    """The smallest and largest value of each cell over ALL whole tables that agree, by trying every one.

    Unknown cells are tried one after the other; an equation that its cells to come cannot meet any more ends the try.
    """
    matrix, right = seen.equations.matrix.toarray(), seen.equations.constants
    unknown = np.flatnonzero(seen.low < seen.high)
    values = np.where(seen.low == seen.high, seen.low, 0.0)
    ends = matrix[:, unknown] * seen.low[unknown], matrix[:, unknown] * seen.high[unknown]
    to_come = [
        [side[:, place + 1 :].sum(axis=1) for side in (np.minimum(*ends), np.maximum(*ends))]
        for place in range(len(unknown))
    ]
    least, most = np.full(len(unknown), np.inf), np.full(len(unknown), -np.inf)

    def walk(place):
        if place == len(unknown):
            np.minimum(least, values[unknown], out=least)
            np.maximum(most, values[unknown], out=most)
            return
        cell = unknown[place]
        for value in range(int(seen.low[cell]), int(seen.high[cell]) + 1):
            values[cell] = value
            open_sums = right - matrix @ values
            if (to_come[place][0] <= open_sums).all() and (open_sums <= to_come[place][1]).all():
                walk(place + 1)
        values[cell] = 0.0

    walk(0)
    return unknown, least, most


def compare_with_enumeration(count):
    """Tiny tables, as many as asked, whose intervals must be those of the enumeration; also called by the bench."""
    checked = differing = 0
    for seed in range(count):
        shape = TINY[seed % len(TINY)]
        problem, hidden = tiny(shape, seed)
        seen = published(problem, hidden)
        if hidden.sum() > 10:
            hidden[np.flatnonzero(hidden)[10:]] = False
            seen = published(problem, hidden)
        cells, least, most = enumerated(seen)
        exact = intervals(seen, whole="exact")
        plain = intervals(seen)
        assert (exact.cells == cells).all()
        assert (exact.low == least).all(), seed
        assert (exact.high == most).all(), seed
        assert plain.proven.all()
        if len(shape) == 2:  # flows in a network: corners are whole
            assert (plain.low == least).all(), seed
            assert (plain.high == most).all(), seed
        else:
            assert (plain.low <= least).all(), seed
            assert (plain.high >= most).all(), seed
        checked += len(cells)
        differing += int((plain.low < least).sum() + (plain.high > most).sum())
    return checked, differing


def test_intervals_are_those_of_trying_every_table():
    checked, _ = compare_with_enumeration(60)
    assert checked > 250


def oracle(seen):
    """Another way to the same: one fresh program of scipy per end, over ALL cells, nothing reduced."""
    cells = np.flatnonzero(seen.low < seen.high)
    ends = []
    for sign in (1, -1):
        for cell in cells:
            asked = np.zeros(len(seen.low))
            asked[cell] = sign
            found = linprog(
                asked, A_eq=seen.equations.matrix, b_eq=seen.equations.constants, bounds=np.c_[seen.low, seen.high]
            )
            ends.append(sign * found.fun)
    return cells, np.array(ends[: len(cells)]), np.array(ends[len(cells) :])


@pytest.mark.parametrize(
    ("dimensions", "share"),
    [
        ([flat(5, "a"), flat(6, "b")], 0.5),
        ([balanced([2, 3], "h"), flat(4, "b")], 0.4),
        ([balanced([2, 2], "h"), balanced([2, 2], "g")], 0.5),
        ([flat(3, "a"), flat(3, "b"), flat(3, "c")], 0.7),
        ([balanced([2, 2], "h"), flat(2, "b"), flat(3, "c")], 0.6),
    ],
    ids=["5x6", "h x 4", "h x h", "3-D", "h in 3-D"],
)
@pytest.mark.parametrize("irregular", [False, True])
def test_intervals_are_those_of_another_solver(dimensions, share, irregular):
    problem = random_problem(dimensions, seed=3)
    if irregular:  # figures that are no decimal numbers: nothing can be counted in whole units
        factor = np.pi / 7
        table = replace(problem.table, values=problem.table.values * factor)
        problem = replace(problem, table=table, high=problem.high * factor)
    seen = published(problem, random_hidden(problem, share, 1))
    found = intervals(seen)
    cells, low, high = oracle(seen)
    assert (found.cells == cells).all()
    np.testing.assert_allclose(found.low, low, atol=1e-6)
    np.testing.assert_allclose(found.high, high, atol=1e-6)
    assert irregular or found.proven.all()


def linked_pair(seed):
    """Two tables of the same region totals in one system: region × sex and region × age, joined by the region totals."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(1, 50, (4, 2)).astype(float), None
    shares = rng.random((4, 3))
    age = np.floor(sex.sum(1, keepdims=True) * shares / shares.sum(1, keepdims=True))
    age[:, 0] += sex.sum(1) - age.sum(1)
    values = np.concatenate([sex.ravel(), age.ravel(), sex.sum(1), sex.sum(0), age.sum(0), [sex.sum()]])
    rows = []
    for region in range(4):
        for start, width in ((0, 2), (8, 3)):
            row = np.zeros(len(values))
            row[start + width * region : start + width * (region + 1)] = 1
            row[20 + region] = -1
            rows.append(row)
    for start, width, total in ((0, 2, 24), (8, 3, 26)):
        for column in range(width):
            row = np.zeros(len(values))
            row[start + column : start + 4 * width : width] = 1
            row[total + column] = -1
            rows.append(row)
    labels = pl.DataFrame({"cell": [str(cell) for cell in range(len(values))]})
    hidden = rng.random(len(values)) < 0.6
    low, high = np.where(hidden, 0.0, values), np.where(hidden, 500.0, values)
    return Published(labels=labels, equations=Equations.of(np.array(rows)), low=low, high=high), values


@pytest.mark.parametrize("seed", range(4))
def test_linked_tables_are_one_system(seed):
    seen, _ = linked_pair(seed)
    found = intervals(seen)
    cells, low, high = oracle(seen)
    assert (found.cells == cells).all()
    np.testing.assert_allclose(found.low, low, atol=1e-6)
    np.testing.assert_allclose(found.high, high, atol=1e-6)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.3, 0.6, 0.9]), st.booleans())
def test_the_truth_is_inside_and_more_suppression_never_narrows(seed, share, deep):
    dimensions = [flat(3, "a"), flat(4, "b"), flat(2, "c")] if deep else [balanced([2, 2], "h"), flat(4, "b")]
    problem = random_problem(dimensions, seed=seed)
    hidden = random_hidden(problem, share, seed)
    more = hidden | random_hidden(problem, 0.2, seed + 1)
    cells = np.flatnonzero(hidden)
    less, wide = intervals(published(problem, hidden), cells), intervals(published(problem, more), cells)
    truth = problem.table.values[cells]
    assert ((less.low <= truth) & (truth <= less.high)).all()
    assert ((wide.low <= less.low) & (less.high <= wide.high)).all()


def test_the_order_of_cells_and_equations_does_not_matter():
    problem = random_problem([flat(6, "a"), flat(7, "b")], seed=8)
    seen = published(problem, random_hidden(problem, 0.5, 2))
    rng = np.random.default_rng(4)
    cells, rows = rng.permutation(problem.size), rng.permutation(len(seen.equations))
    other = Published(
        labels=seen.labels[cells],
        equations=Equations.of(seen.equations.matrix[rows][:, cells], seen.equations.constants[rows]),
        low=seen.low[cells],
        high=seen.high[cells],
    )
    one, two = intervals(seen), intervals(other)
    order = np.argsort(cells[two.cells])
    assert (cells[two.cells][order] == one.cells).all()
    assert (two.low[order] == one.low).all()
    assert (two.high[order] == one.high).all()


def row_of(figures, hidden, top=500.0):
    """One row: parts and their total."""
    values = np.array([*figures, sum(figures)], dtype=float)
    gone = np.zeros(len(values), dtype=bool)
    gone[hidden] = True
    labels = pl.DataFrame({"region": [f"r{i}" for i in range(len(figures))] + ["all"]})
    sums = Equations.of([[1] * len(figures) + [-1]])
    return Published(labels=labels, equations=sums, low=np.where(gone, 0, values), high=np.where(gone, top, values))


def fixed_by_equations(matrix, unknown):
    """The unknown cells that the equations alone determine: elimination in fractions, no bound and no program used.

    Column k is determined iff leaving it out lowers the rank of the unknown columns, when it is no combination of the others.
    """

    def rank(columns):
        rows = [[Fraction(int(value)) for value in row] for row in matrix[:, columns]]
        found = 0
        for column in range(len(columns)):
            pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
            if pivot is None:
                continue
            rows[found], rows[pivot] = rows[pivot], rows[found]
            for i in range(found + 1, len(rows)):
                if rows[i][column]:
                    factor = rows[i][column] / rows[found][column]
                    rows[i] = [one - factor * two for one, two in zip(rows[i], rows[found], strict=True)]
            found += 1
        return found

    whole = rank(list(unknown))
    return [int(cell) for cell in unknown if rank([one for one in unknown if one != cell]) < whole]


@pytest.mark.parametrize("irregular", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_without_bounds_the_cells_known_are_those_of_elimination(seed, irregular):
    dimensions = [flat(3, "a"), flat(3, "b"), flat(2, "c")] if seed % 2 else [balanced([2, 2], "h"), flat(3, "b")]
    problem = random_problem(dimensions, seed=seed)
    hidden = random_hidden(problem, 0.45, seed)
    table = replace(problem.table, values=problem.table.values * (np.pi if irregular else 1))
    wide = replace(problem, table=table, low=np.full(problem.size, -np.inf), high=np.full(problem.size, np.inf))
    found = intervals(published(wide, hidden))
    assert found.exact.tolist() == fixed_by_equations(problem.table.equations.matrix.toarray(), np.flatnonzero(hidden))
    open_ends = np.isinf(found.low) & np.isinf(found.high)
    assert (open_ends == ~np.isin(found.cells, found.exact)).all()


@pytest.mark.parametrize("scale", [0.01, 1e6])
@pytest.mark.parametrize("shape", [(6, 6), (4, 4, 3)])
def test_scale_does_not_matter(scale, shape):
    problem = random_problem([flat(size, "abc"[axis]) for axis, size in enumerate(shape)], seed=4)
    hidden = random_hidden(problem, 0.6, 4)
    larger = replace(
        problem,
        table=replace(problem.table, values=np.round(problem.table.values * scale, 2)),
        high=np.round(problem.high * scale, 2),
    )
    one, two = intervals(published(problem, hidden)), intervals(published(larger, hidden))
    assert two.proven.all()
    np.testing.assert_allclose(one.low * scale, two.low, rtol=1e-12)
    np.testing.assert_allclose(one.high * scale, two.high, rtol=1e-12)


def test_corners_between_whole_numbers_are_proven_too():
    """In three dimensions corners are fractions with any denominator."""
    problem = random_problem([flat(6, "a"), flat(6, "b"), flat(6, "c")], seed=3)
    seen = published(problem, random_hidden(problem, 0.35, 3))
    found = intervals(seen)
    assert found.proven.all()
    assert (np.abs(found.low - np.rint(found.low)) > 1e-6).any()


def test_published_cells_have_no_interval_and_a_lone_gap_is_closed():
    seen = row_of([3, 5, 8], [1])
    assert intervals(seen).exact.tolist() == [1]
    kept = intervals(seen, np.array([0, 3]))
    assert kept.low.tolist() == kept.high.tolist() == [3.0, 16.0]


def test_without_an_upper_bound_a_cell_may_be_without_end():
    seen = row_of([3, 5, 8], [0, 3], top=np.inf)
    found = intervals(seen)
    assert found.low.tolist() == [0.0, 13.0]
    assert found.high.tolist() == [np.inf, np.inf]


def test_a_circle_without_upper_bounds():
    problem = random_problem([flat(3, "a"), flat(3, "b")], seed=1)
    seen = replace(published(problem, np.ones(problem.size, dtype=bool)), high=np.full(problem.size, np.inf))
    found = intervals(seen)
    assert (found.low == 0).all()
    assert np.isinf(found.high).all()


def test_rounded_figures_need_hold_only_to_within_their_rounding():
    seen = row_of([3, 5, 8], [1])
    contradicting = replace(seen, low=seen.low + [0, 0, 0, 0.4], high=seen.high + [0, 0, 0, 0.4])
    found = intervals(contradicting, tolerance=0.5)
    # 16.4 ± 0.5 less 3 ± 0.5 less 8 ± 0.5
    np.testing.assert_allclose([found.low[0], found.high[0]], [3.9, 6.9])


def test_figures_that_contradict_one_another_name_the_equation():
    seen = row_of([3, 5, 8], [])
    wrong = replace(seen, low=seen.low + [0, 0, 0, 2], high=seen.high + [0, 0, 0, 2])
    with pytest.raises(TacitError, match=r"'r0' \+ 'r1' \+ 'r2' = 'all' misses by 2") as caught:
        intervals(wrong)
    assert "at least 0.5" in str(caught.value)
    assert len(intervals(wrong, tolerance=0.5).cells) == 0
    with pytest.raises(TacitError, match="misses by"):
        intervals(wrong, tolerance=0.4)
    hidden = replace(row_of([3, 5, 8], [0]), high=np.array([500.0, 5, 8, 10]), low=np.array([0.0, 5, 8, 10]))
    with pytest.raises(TacitError, match="misses by 3"):
        intervals(hidden)


def test_a_contradiction_that_only_a_program_sees_is_named_too():
    # x + y = 1, y + z = 1, x + z = 1 and 2-parity: x + y + z = 2 cannot hold, though each alone can.
    sums = Equations.of([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], np.array([10.0, 10, 10, 16]))
    labels = pl.DataFrame({"cell": ["x", "y", "z"]})
    seen = Published(labels=labels, equations=sums, low=np.zeros(3), high=np.full(3, 10.0))
    with pytest.raises(TacitError, match="contradict one another: cell:"):
        intervals(seen)


def test_a_missing_figure_and_crossed_bounds_are_refused():
    seen = row_of([3, 5, 8], [1])
    with pytest.raises(TacitError, match="cell r0 has no figure"):
        intervals(replace(seen, low=np.array([np.nan, 0, 8, 16]), high=np.array([np.nan, 9, 8, 16])))
    with pytest.raises(TacitError, match="lower bound of the cell r1"):
        intervals(seen.with_known_bounds(np.array([1]), np.array([600.0]), np.array([700.0])))
    with pytest.raises(TacitError, match="tolerance=-1"):
        intervals(seen, tolerance=-1)


def test_whole_numbers_tell_more_in_three_dimensions_or_with_bounds_between():
    halves = replace(row_of([3, 5, 8], [0, 1]), low=np.array([0.5, 0.5, 8, 16]), high=np.array([9.5, 9.5, 8, 16]))
    plain, inward = intervals(halves), intervals(halves, whole=True)
    assert (plain.low[0], plain.high[0]) == (0.5, 7.5)
    assert (inward.low[0], inward.high[0]) == (1.0, 7.0)
    odd = Equations.of([[1, 1, 0], [0, 1, 1], [1, 0, 1]], np.array([3.0, 3, 3]))
    labels = pl.DataFrame({"cell": ["x", "y", "z"]})
    seen = Published(labels=labels, equations=odd, low=np.zeros(3), high=np.full(3, 9.0))
    assert intervals(seen).low.tolist() == [1.5, 1.5, 1.5]
    with pytest.raises(TacitError, match="whole numbers"):
        intervals(seen, whole="exact")


def test_sums_of_cells():
    seen = row_of([3, 5, 8, 9], [0, 1, 2])
    assert sum_interval(seen, [0]) == (0.0, 16.0)
    assert sum_interval(seen, [0, 1, 2]) == (16.0, 16.0)
    assert sum_interval(seen, [0, 3]) == (9.0, 25.0)
    problem = random_problem([flat(4, "a"), flat(4, "b"), flat(3, "c")], seed=2)
    seen = published(problem, random_hidden(problem, 0.6, 3))
    chosen = np.flatnonzero(seen.low < seen.high)[:7]
    asked = np.zeros(problem.size)
    asked[chosen] = 1
    ends = [
        sign
        * linprog(
            sign * asked, A_eq=seen.equations.matrix, b_eq=seen.equations.constants, bounds=np.c_[seen.low, seen.high]
        ).fun
        for sign in (1, -1)
    ]
    np.testing.assert_allclose(sum_interval(seen, chosen), ends, atol=1e-6)


def test_random_rounding_is_partly_undone():
    """A table rounded cell by cell: the sums narrow what the base leaves open. # catalogue: G-05."""
    problem = random_problem([flat(2, "a"), flat(3, "b")], seed=5, high=12)
    table, base = problem.table, 5.0
    rounded = base * np.rint(table.values / base)
    near = Published.from_perturbation(
        table, rounded, below=np.full(table.size, base / 2), above=np.full(table.size, base / 2)
    )
    found = intervals(near, whole=True)
    truth = table.values[found.cells]
    assert ((found.low <= truth) & (truth <= found.high)).all()
    assert (found.width < 5).any()


def test_the_arithmetic_attack_claims_what_the_audit_finds():
    problem = random_problem([flat(4, "a"), flat(4, "b")], seed=6)
    seen = published(problem, random_hidden(problem, 0.5, 6))
    claims, found = Arithmetic().claims(seen), intervals(seen)
    assert (claims.cells == found.cells).all()
    assert (claims.low == found.low).all()
    assert (claims.high == found.high).all()
    assert (claims.owners == -1).all()
    with pytest.raises(TacitError, match="whole="):
        Arithmetic(whole="perhaps")


def test_progress_is_told_and_may_cancel():
    problem = random_problem([flat(5, "a"), flat(5, "b")], seed=1)
    seen = published(problem, random_hidden(problem, 0.6, 1))
    shares = []
    intervals(seen, progress=lambda step, share: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0
    with pytest.raises(TacitError, match="cancelled"):
        intervals(seen, progress=lambda step, share: False)


def test_where_nothing_is_suppressed_nothing_is_solved():
    problem = random_problem([flat(3, "a"), flat(3, "b")], seed=1)
    found = intervals(published(problem, np.zeros(problem.size, dtype=bool)))
    assert len(found.cells) == found.programs == 0


@pytest.mark.parametrize("unit", [1e-12, 1e-4])
def test_irregular_figures_far_below_one_are_as_well_known_as_others(unit):
    """The solver's tolerances are absolute, so it must not see such figures as they are."""
    problem = random_problem([flat(4, "a"), flat(4, "b"), flat(3, "c")], seed=5, zero=0.0)
    hidden = random_hidden(problem, 0.6, 4)

    def found(size):
        table = replace(problem.table, values=size * problem.table.values)
        seen = published(replace(problem, table=table, low=size * problem.low, high=size * problem.high), hidden)
        return intervals(seen)

    large, small = found(np.pi), found(np.pi * unit)
    assert large.programs > 0
    np.testing.assert_allclose(small.low / unit, large.low, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(small.high / unit, large.high, rtol=1e-6, atol=1e-4)


def test_the_error_of_a_solver_loses_no_whole_number():
    low, high = round_inwards(np.array([3 + 1e-8, 2.4]), np.array([7 - 1e-8, 2.6]), 1.0)
    assert (low.tolist(), high.tolist()) == ([3.0, 3.0], [7.0, 2.0])
