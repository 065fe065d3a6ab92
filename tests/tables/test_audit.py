"""The verdict: planted leaks are found, by outsiders, sole contributors, coalitions and sums; nothing is said twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

from tacit import TacitError
from tacit.tables.audit.audit import audit
from tacit.tables.audit.insiders import insider_disclosures
from tacit.tables.audit.outsider import Outsider
from tacit.tables.audit.owners import own_parts, sole_owners
from tacit.tables.build.cell_tables import from_cells
from tacit.tables.files.jj import read_jj
from tacit.tables.problem import Problem, Status
from tacit.tables.published import Published
from tacit.tables.rules.assess import build_problem
from tacit.tables.rules.dominance import Dominance
from tacit.tables.rules.minimum_frequency import MinimumFrequency
from tacit.tables.suppress.suppress import against_insiders
from tacit.tables.table import Contributions

from .instances import balanced, flat, random_problem, random_table

# catalogue: G-04, G-02


def problem_of(table, unsafe, *, level=1.0, **more):
    """All cells safe but the unsafe ones, which ask for so much on each side."""
    status = np.full(table.size, Status.SAFE, dtype=np.uint8)
    status[unsafe] = Status.UNSAFE
    need = np.where(status == Status.UNSAFE, level, 0.0)
    parts = {"lower": need, "upper": need, "sliding": np.zeros(table.size), "low": np.zeros(table.size)}
    parts |= {"high": np.full(table.size, 10.0 * table.values.max()), "cost": table.values}
    return Problem(table=table, status=status, **(parts | more))


def cross(table, rows, columns):
    """The numbers of the cells at these places of a table of two flat dimensions (0 is the total)."""
    width = len(table.dimensions[1].codes)
    return np.array([row * width + column for row in rows for column in columns])


def pattern(table, cells):
    hidden = np.zeros(table.size, dtype=bool)
    hidden[cells] = True
    return hidden


def table_of(rows, columns, seed=1):
    return random_table([flat(rows, "a"), flat(columns, "b")], seed, zero=0.0, high=50)


def with_owners(table, owners):
    """Cells with a sole contributor, by number; all others have five of no name."""
    contributors = np.full(table.size, 5)
    numbers = np.full((table.size, 2), -1)
    for cell, owner in owners.items():
        contributors[cell], numbers[cell, 0] = 1, owner
    kept = Contributions(values=np.ones((table.size, 2)), owners=numbers, weights=np.ones((table.size, 2)))
    return replace(table, contributors=contributors, contributions=kept)


def test_one_suppressed_cell_in_each_row_hides_nothing():
    table = table_of(4, 4)
    diagonal = np.array([cross(table, [i], [i])[0] for i in range(1, 5)])
    found = audit(problem_of(table, diagonal), pattern(table, diagonal))
    assert not found.holds
    assert found.short.tolist() == found.exact.tolist() == diagonal.tolist()
    assert (found.lacks == 1).all()
    assert (found.intervals.low == table.values[diagonal]).all()


def test_four_corners_hide_one_another_up_to_the_least_of_them():
    table = table_of(4, 4)
    corners = cross(table, [1, 3], [2, 4])
    values = table.values[corners]
    # Up and down by turns along the circle: the two neighbours of a cell limit how far it may rise.
    rise = min(values[1], values[2])
    found = audit(problem_of(table, corners[:1], level=float(min(rise, values[0]))), pattern(table, corners))
    assert found.holds
    assert found.intervals.high[0] == values[0] + rise
    beyond = problem_of(table, corners[:1], level=1.0)
    beyond.upper[corners[0]] = rise + 0.5
    found = audit(beyond, pattern(table, corners))
    assert found.short.tolist() == corners[:1].tolist()
    assert found.lacks.tolist() == [0.5]
    sliding = problem_of(table, corners[:1])
    sliding.sliding[corners[0]] = rise + min(values[0], values[3]) + 2
    assert audit(sliding, pattern(table, corners)).lacks.tolist() == [2.0]


def test_cells_bare_or_withheld_spoil_the_verdict():
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    problem = problem_of(table, corners[:1])
    assert audit(problem, pattern(table, corners)).holds
    bare = audit(problem, pattern(table, corners[1:]))
    assert (bare.bare.tolist(), bare.short.tolist(), bare.holds) == ([corners[0]], [corners[0]], False)
    problem.status[corners[3]] = Status.PUBLISHED
    withheld = audit(problem, pattern(table, corners))
    assert (withheld.withheld.tolist(), len(withheld.short), withheld.holds) == ([corners[3]], 0, False)
    problem.status[corners[3]] = Status.HIDDEN
    assert audit(problem, pattern(table, corners[:1])).bare.tolist() == [corners[3]]
    problem.status[0] = Status.HIDDEN
    frozen = audit(problem, pattern(table, corners))
    assert (frozen.bare.tolist(), len(frozen.short), frozen.holds) == ([0], 0, False)


def test_an_unsafe_cell_without_levels_must_not_be_known_exactly():
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    problem = problem_of(table, corners[:1], level=0.0)
    assert audit(problem, pattern(table, corners)).holds
    assert audit(problem, pattern(table, corners[:1])).short.tolist() == corners[:1].tolist()


def test_what_the_outsider_knows_besides_narrows():
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    problem, hidden = problem_of(table, corners[:1]), pattern(table, corners)
    value = float(table.values[corners[3]])
    knowing = Outsider(knows={int(corners[3]): (value, value)})
    assert audit(problem, hidden, knowing=knowing).exact.tolist() == corners.tolist()
    with pytest.raises(TacitError, match="outside the bounds"):
        audit(problem, hidden, knowing=Outsider(knows={int(corners[3]): (value + 1, value + 2)}))
    with pytest.raises(TacitError, match="no cell 999"):
        audit(problem, hidden, knowing=Outsider(knows={999: (0, 1)}))


def test_a_sole_contributor_opens_a_circle():
    table = with_owners(table_of(3, 3), {})
    corners = cross(table, [1, 2], [1, 2])
    table = with_owners(table, {corners[0]: 7, corners[3]: 8})
    problem, hidden = problem_of(table, corners[[0, 3]]), pattern(table, corners)
    found = audit(problem, hidden, insiders=1)
    assert found.holds
    assert not found.holds_inside
    assert [(one.owners, one.exact.tolist()) for one in found.insiders] == [
        ((7,), [corners[3]]),
        ((8,), [corners[0]]),
    ]
    with pytest.raises(TacitError, match="did not look at insiders"):
        _ = audit(problem, hidden).holds_inside
    with pytest.raises(TacitError, match="a coalition of -1"):
        audit(problem, hidden, insiders=-1)


def test_a_sole_contributor_in_another_circle_learns_nothing():
    table = table_of(5, 5)
    one, two = cross(table, [1, 2], [1, 2]), cross(table, [4, 5], [4, 5])
    table = with_owners(table, {one[0]: 7, two[0]: 8})
    problem = problem_of(table, [one[0], two[0]])
    assert audit(problem, pattern(table, np.r_[one, two]), insiders=1).holds_inside


def test_two_sole_contributors_together_open_what_neither_opens_alone():
    """Three cells in each row and column: one known leaves a circle, two known in one row leave none there."""
    table = table_of(3, 3)
    block = cross(table, [1, 2, 3], [1, 2, 3])
    table = with_owners(table, {block[0]: 1, block[1]: 2})
    problem, hidden = problem_of(table, [block[0], block[1], block[2]], level=0.5), pattern(table, block)
    alone, pairs = audit(problem, hidden, insiders=1), audit(problem, hidden, insiders=2)
    assert alone.holds
    assert not any(len(one.exact) for one in alone.insiders)
    assert [(one.owners, one.exact.tolist()) for one in pairs.insiders] == [((1, 2), [block[2]])]


def test_a_total_of_one_and_its_part_of_one_are_the_same_respondent():
    """Where nobody is named, who sits alone in a cell and in its total does not count as two who spy on one another."""
    table = table_of(3, 3)
    block = cross(table, [0, 1, 2], [0, 1, 2])
    contributors = np.full(table.size, 5)
    contributors[[block[3], block[4], block[8]]] = 1
    table = replace(table, contributors=contributors)
    owners = sole_owners(problem_of(table, block[3:4]), pattern(table, block))
    assert [(one.number, one.cells.tolist()) for one in owners] == [
        (-1, block[3:5].tolist()),
        (-1, block[8:].tolist()),
    ]


def slow_shorts(problem, seen, cells):
    """Cell → whether it is known exactly, for those short of a level: two fresh programs each over the whole table."""
    found = {}
    for cell in cells.tolist():
        asked = np.zeros(problem.size)
        asked[cell] = 1
        sums = {"A_eq": seen.equations.matrix, "b_eq": seen.equations.constants}
        low, high = (sign * linprog(sign * asked, bounds=np.c_[seen.low, seen.high], **sums).fun for sign in (1, -1))
        value = problem.table.values[cell]
        if value - low < problem.lower[cell] - 1e-6 or high - value < problem.upper[cell] - 1e-6:
            found[cell] = bool(high - low < 1e-6)
    return found


def slow_insiders(problem, hidden):
    """Every sole contributor's cells fixed in the WHOLE table, every unsafe cell of others by a fresh program.

    What an outsider knows already, exactly or too well, is not counted again.
    """
    found = {}
    before = slow_shorts(problem, Published.from_suppression(problem, hidden), problem.primaries)
    owners = problem.table.contributions.owners[:, 0]
    alone = hidden & (problem.table.contributors == 1)
    for owner in np.unique(owners[alone]):
        own = np.flatnonzero(alone & (owners == owner))
        values = problem.table.values
        seen = Published.from_suppression(problem, hidden).with_known_bounds(own, values[own], values[own])
        now = slow_shorts(problem, seen, np.setdiff1d(problem.primaries, own))
        bad = [(cell, exact) for cell, exact in now.items() if before.get(cell) is None or exact > before[cell]]
        if bad:
            found[int(owner)] = sorted(bad)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_insiders_are_those_of_solving_the_whole_table_for_each(seed):
    problem = random_problem([balanced([2, 2], "h"), flat(4, "b")], seed=seed, share=0.4)
    rng = np.random.default_rng([seed, 9])
    hidden = problem.must_suppress | (problem.may_suppress & (rng.random(problem.size) < 0.6))
    chosen = rng.choice(problem.primaries, 4, replace=False)
    table = with_owners(problem.table, dict(zip(chosen.tolist(), [1, 2, 3, 1], strict=True)))
    problem = replace(problem, table=table)
    found = insider_disclosures(problem, hidden)
    mine = {
        one.owners[0]: sorted([(int(c), True) for c in one.exact] + [(int(c), False) for c in one.short])
        for one in found
    }
    assert mine == slow_insiders(problem, hidden)


def test_the_sum_of_the_cells_of_one_respondent_is_told():
    """UserSupport 160: two cells of one company in a row with a published third: each hidden, their sum known."""
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    table = with_owners(table, {corners[0]: 4, corners[1]: 4})
    found = audit(problem_of(table, corners[:2]), pattern(table, corners))
    assert found.holds
    (joint,) = found.joint
    total = float(table.values[corners[:2]].sum())
    assert (joint.owner, joint.cells.tolist(), joint.low, joint.high, joint.exact) == (
        4,
        corners[:2].tolist(),
        total,
        total,
        True,
    )
    across = with_owners(table, {corners[0]: 4, corners[3]: 4})
    assert audit(problem_of(across, corners[[0, 3]]), pattern(table, corners)).joint == ()


def test_a_total_and_its_part_are_not_added():
    table = table_of(3, 3)
    block = cross(table, [0, 1, 2], [0, 1, 2])
    table = with_owners(table, {block[4]: 4, block[3]: 4})
    assert audit(problem_of(table, block[3:5]), pattern(table, block)).joint == ()


def test_frames_and_rows_say_what_each_reader_may_see():
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    found = audit(problem_of(table, corners[:1]), pattern(table, corners), insiders=1)
    inside, outside = found.frame(), found.frame(public=True)
    assert inside["verdict"].value_counts(sort=True)["count"].to_list() == [12, 3, 1]
    assert inside.row(int(corners[0]), named=True)["verdict"] == "protected"
    assert [inside["status"][int(corner)] for corner in corners] == ["unsafe", "secondary", "secondary", "secondary"]
    assert outside.columns == ["a", "b", "value", "suppressed"]
    assert outside["value"].null_count() == 4
    assert dict(found.rows())["verdict"] == "protected"
    assert "suppressed cells" in str(found)
    assert found.as_json()["holds"] is True
    assert found.as_json()["insiders"] == 0
    assert repr(found) == "<Audit protected: 0 of 1 unsafe cells short>"


def test_suppressed_figures_that_the_auditor_does_not_have():
    """Somebody else's table: exact disclosure is judged as ever, levels by the width they need at least."""
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    values = table.values[corners]
    width = min(values[1], values[2]) + min(values[0], values[3])
    blind = table.values.copy()
    blind[corners] = np.nan
    blank = replace(table, values=blind, contributors=np.ones(table.size))
    high = np.full(table.size, np.inf)
    fine = problem_of(blank, corners[:1], level=width / 2, high=high, cost=np.zeros(table.size))
    assert audit(fine, pattern(table, corners), insiders=1).holds_inside
    wider = problem_of(blank, corners[:1], level=width / 2 + 1, high=high, cost=np.zeros(table.size))
    assert audit(wider, pattern(table, corners)).lacks.tolist() == [2.0]
    blind[corners[1:]] = table.values[corners[1:]]
    assert audit(fine, pattern(table, corners[:1])).exact.tolist() == corners[:1].tolist()
    with pytest.raises(TacitError, match="has no figure"):
        audit(fine, pattern(table, corners[1:]))


def test_a_pattern_of_another_shape_is_refused():
    problem = random_problem([flat(3, "a"), flat(3, "b")])
    for wrong in (np.zeros(3, dtype=bool), np.zeros(problem.size)):
        with pytest.raises(TacitError, match="true or false for each of the 16 cells"):
            audit(problem, wrong)


@pytest.mark.parametrize("name", ["rand2d_10x10_p05", "rand2d_10x10_p20", "rand2d_h34x10_p10", "rand3d_6x6x6_p05"])
def test_the_instances_with_primaries_alone_and_with_all_hidden(reference_data, name):
    problem = read_jj(reference_data / "tables" / "jj" / f"{name}.jj")
    alone = audit(problem, problem.must_suppress)
    short = list(slow_shorts(problem, Published.from_suppression(problem, problem.must_suppress), problem.primaries))
    assert alone.short.tolist() == short
    assert not alone.holds
    assert audit(problem, problem.must_suppress | problem.may_suppress).holds


def test_a_table_of_an_office_with_decimals_and_a_hierarchy(reference_data):
    """The fictitious business table of rtauargus (MIT): figures with four decimals, made additive, so no decimal numbers."""
    folder = reference_data / "tables" / "rtauargus"
    activities = pl.read_csv(folder / "activity_corr_table.csv", infer_schema=False)
    table = from_cells(
        pl.read_csv(folder / "turnover_act_size.csv"),
        by=["ACTIVITY", "SIZE"],
        value="TOT",
        contributors="N_OBS",
        top=["MAX"],
        hierarchies={"ACTIVITY": activities},
    )
    problem = build_problem(table, [MinimumFrequency(3), Dominance(1, 85)])
    rng = np.random.default_rng(1)
    hidden = problem.must_suppress | (problem.may_suppress & (rng.random(problem.size) < 0.3))
    found = audit(problem, hidden)
    seen = Published.from_suppression(problem, hidden)
    assert not found.holds
    for cell in problem.primaries[::3]:
        asked = np.zeros(problem.size)
        asked[cell] = 1
        sums = {"A_eq": seen.equations.matrix, "b_eq": seen.equations.constants}
        ends = [sign * linprog(sign * asked, bounds=np.c_[seen.low, seen.high], **sums).fun for sign in (1, -1)]
        place = int(np.searchsorted(found.intervals.cells, cell))
        mine = found.intervals.low[place], found.intervals.high[place]
        np.testing.assert_allclose(mine, ends, rtol=1e-6, atol=1e-3)  # of figures up to 1e8
        assert (cell in found.exact) == (ends[1] - ends[0] < 1e-3)


def test_a_zero_that_everybody_knows_hides_nothing():
    """Somebody's pattern may leave such a zero out; the reader knows it all the same."""
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    values = table.values.copy()
    values[corners[3]] = 0.0
    width = len(table.dimensions[1].codes)
    for total in (corners[3] % width, corners[3] - corners[3] % width, 0):
        values[total] -= table.values[corners[3]]
    problem = problem_of(replace(table, values=values), corners[:1])
    assert audit(problem, pattern(table, corners)).intervals.width[0] > 0
    problem.status[corners[3]] = Status.EMPTY
    found = audit(problem, pattern(table, corners))
    assert not found.holds
    assert found.exact.tolist() == corners.tolist()


@pytest.mark.parametrize("scale", [1e-8, 1e-5, 1.0, 1e6, 1e12, 1e14])
def test_the_unit_of_the_figures_does_not_change_the_verdict(scale):
    """Millions of millions, or thousandths of millionths: levels are shares of figures, and so is what arithmetic may lose."""
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    values = table.values[corners]
    rise = float(min(values[1], values[2]))
    scaled = replace(table, values=table.values * scale)
    for level, holds in ((rise, True), (1.01 * rise, False)):
        upper = np.where(np.arange(table.size) == corners[0], level * scale, 0.0)
        problem = problem_of(scaled, corners[:1], level=0.5 * scale, upper=upper)
        found = audit(problem, pattern(table, corners))
        assert found.holds is holds
        np.testing.assert_allclose(found.intervals.high[0], (values[0] + rise) * scale, rtol=1e-9)


def test_small_figures_are_not_taken_for_zero():
    """All figures below a hundred thousandth: a level of that size is missed by the cell that one of them pins down."""
    table = table_of(3, 3)
    low = np.zeros(table.size)
    rest = cross(table, [1], [3])
    values = 4e-9 * table.values
    problem = problem_of(replace(table, values=values), cross(table, [1], [0]), level=0.0, low=low, high=low + np.inf)
    total = cross(table, [1], [0])
    problem.lower[total] = values[total]
    hidden = pattern(table, np.r_[cross(table, [1], [0, 1, 2]), cross(table, [0], [0, 1, 2])])
    found = audit(problem, hidden)
    # The total of the row is at least its published part, so it cannot fall to 0.
    assert found.short.tolist() == total.tolist()
    assert found.intervals.low[np.searchsorted(found.intervals.cells, total)] >= values[rest] * (1 - 1e-9)


def test_large_figures_whose_sums_binary_fractions_round_are_no_contradiction():
    table = table_of(3, 3)
    inner = np.arange(16).reshape(4, 4)[1:, 1:].ravel()
    values = np.zeros((4, 4))
    values[1:, 1:] = (1e15 * table.values[inner] + np.arange(9)).reshape(3, 3)
    values[0, 1:], values[1:, 0] = values[1:, 1:].sum(axis=0), values[1:, 1:].sum(axis=1)
    values[0, 0] = values[1:, 1:].sum()
    corners = cross(table, [1, 2], [1, 2])
    problem = problem_of(replace(table, values=values.ravel()), corners[:1], level=1e14)
    found = audit(problem, pattern(table, corners))
    assert found.holds
    assert not found.intervals.proven.any()


def test_a_coalition_may_have_fewer_members_and_nothing_is_said_twice():
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    one = with_owners(table, {corners[0]: 7})
    problem, hidden = problem_of(one, corners[[0, 3]]), pattern(table, corners)
    assert [found.owners for found in audit(problem, hidden, insiders=2).insiders] == [(7,)]
    two = with_owners(table, {corners[0]: 7, corners[1]: 8})
    found = audit(replace(problem, table=two), hidden, insiders=2)
    assert [(who.owners, who.exact.tolist()) for who in found.insiders] == [
        ((7,), [corners[3]]),
        ((8,), corners[[0, 3]].tolist()),
    ]
    assert not found.holds_inside


def test_what_an_insider_puts_into_a_cell_is_its_own_answer_not_those_it_stands_for():
    """A weight of 4: three others like it are in the cell, of whom it knows nothing."""
    table = table_of(3, 3)
    cell, alone = cross(table, [1, 2], [1])
    numbers = np.full((table.size, 2), -1)
    numbers[[cell, alone], 0] = 7
    kept = Contributions(values=np.full((table.size, 2), 2.0), owners=numbers, weights=np.full((table.size, 2), 4.0))
    problem = problem_of(replace(table, contributions=kept, values=table.values + 40), [cell])
    part = own_parts(problem, (7,), np.array([alone]))
    assert (part[cell], part[alone]) == (2.0, problem.table.values[alone])
    assert part[cross(table, [0], [1])[0]] == 2.0 + problem.table.values[alone]
    assert (own_parts(replace(problem, low=problem.low - 1), (7,), np.array([alone])) == 0).all()


def line_of(values, owners):
    """The total first, then the cells; who stands alone in which."""
    table = random_table([flat(len(values) - 1, "a")], zero=0.0)
    return with_owners(replace(table, values=np.array(values)), owners)


def test_a_level_below_is_asked_for_down_to_what_the_insider_put_in():
    """Who holds 90 of 100 knows that the total is 90 or more; of the 10 of the others it must not know more than that."""
    table = line_of([100.0, 90, 6, 4], {1: 7})
    problem = problem_of(table, [0], level=15.0)
    assert insider_disclosures(problem, pattern(table, [0, 1, 2, 3])) == ()
    (found,) = insider_disclosures(problem, pattern(table, [0, 1, 2]))
    assert (found.owners, found.short.tolist(), found.exact.tolist()) == ((7,), [0], [])
    assert against_insiders(problem, pattern(table, [0, 1, 2])).tolist() == [True] * 4


def test_a_sum_that_is_open_may_still_be_short_of_the_levels():
    table = line_of([60.0, 30, 20, 2, 8], {1: 4, 2: 4})
    (joint,) = audit(problem_of(table, [1, 2], level=1.5), pattern(table, [1, 2, 3])).joint
    assert (joint.high, joint.exact, joint.missing) == (52.0, False, 1.0)
    assert audit(problem_of(table, [1, 2], level=0.9), pattern(table, [1, 2, 3])).joint == ()


def test_the_levels_below_of_one_respondent_add_up_too():
    # The third cell, 2, is known to be 4 at most: the sum of the two others, 50, lies from 48 on.
    table = line_of([60.0, 30, 20, 2, 8], {1: 4, 2: 4})
    known = {"high": np.array([600.0, 600, 600, 4, 600]), "upper": np.zeros(5)}
    (joint,) = audit(problem_of(table, [1, 2], level=1.5, **known), pattern(table, [1, 2, 3])).joint
    assert (joint.low, joint.missing) == (48.0, 1.0)
    assert audit(problem_of(table, [1, 2], level=1.0, **known), pattern(table, [1, 2, 3])).joint == ()


@pytest.mark.parametrize("behind", [0, 2, 5])
def test_who_is_not_alone_in_a_cell_does_not_know_it(behind):
    table = table_of(3, 3)
    corners = cross(table, [1, 2], [1, 2])
    table = with_owners(table, {int(corners[0]): 7, int(corners[3]): 8})
    problem, hidden = problem_of(table, corners[[0, 3]]), pattern(table, corners)
    assert len(audit(problem, hidden, insiders=1).insiders) == 2
    table.contributors[corners] = behind
    assert audit(problem, hidden, insiders=1).insiders == ()
