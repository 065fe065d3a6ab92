"""JJ files: every instance is read, what is written comes back, and every mistake is answered with its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.files.jj import read_jj, write_jj
from tacit.tables.files.write import write_internal
from tacit.tables.problem import Status
from tacit.tables.suppress.suppress import suppress
from tacit.tables.tasks.audit_file import audit_file

from .instances import balanced, flat, random_problem

# catalogue: G-04
CELLS = {
    "rand2d_10x10_p05": (121, 22, 5),
    "rand2d_10x10_p20": (121, 22, 20),
    "rand2d_20x20_p05": (441, 42, 20),
    "rand2d_20x20_p10": (441, 42, 40),
    "rand2d_50x50_p05": (2601, 102, 125),
    "rand2d_h34x10_p10": (176, 60, 12),
    "rand2d_h45xh34_p10": (400, 180, 24),
    "rand3d_6x6x6_p05": (343, 147, 11),
}
"""Cells, equations and primaries, as the README of the instances says."""


@pytest.mark.parametrize("name", CELLS)
def test_every_instance_is_read(name, reference_data):
    problem = read_jj(reference_data / "tables" / "jj" / f"{name}.jj")
    assert (problem.size, len(problem.table.equations), len(problem.primaries)) == CELLS[name]
    assert np.abs(problem.table.equations.residuals(problem.table.values)).max() == 0
    assert (problem.low <= problem.table.values).all() and (problem.table.values <= problem.high).all()


@given(rows=st.integers(1, 4), columns=st.integers(1, 4), seed=st.integers(0, 99), tree=st.booleans())
def test_what_is_written_comes_back(tmp_path_factory, rows, columns, seed, tree):
    first = balanced([2, rows], "r") if tree else flat(rows, "r")
    problem = random_problem([first, flat(columns, "c")], seed=seed, share=0.3)
    file = tmp_path_factory.mktemp("jj") / "table.jj"
    write_jj(problem, file)
    back = read_jj(file)
    for name in ("lower", "upper", "sliding", "low", "high", "cost"):
        assert (getattr(back, name) == getattr(problem, name)).all(), name
    assert (back.table.values == problem.table.values).all()
    assert (back.table.equations.matrix != problem.table.equations.matrix).nnz == 0
    # The format has one letter for zeros that everybody knows and for cells that must be published.
    known = np.where(problem.status == Status.EMPTY, Status.PUBLISHED, problem.status)
    assert (back.status == known).all()


def test_a_pattern_is_written_with_the_problem_and_can_be_audited(tmp_path):
    problem = random_problem([flat(4, "r"), flat(4, "c")], seed=3, share=0.2)
    found = suppress(problem)
    write_internal(problem, found.hidden, tmp_path / "solved.jj", form="jj")
    write_internal(problem, None, tmp_path / "open.jj", form="jj")
    assert found.secondary and audit_file(tmp_path / "solved.jj").holds
    assert read_jj(tmp_path / "solved.jj").must_suppress.tolist() == found.hidden.tolist()
    assert not audit_file(tmp_path / "open.jj").holds


def test_bounds_without_end_are_written_far_away(tmp_path):
    problem = random_problem([flat(2)])
    problem.high[:] = np.inf
    write_jj(problem, tmp_path / "a.jj")
    high = read_jj(tmp_path / "a.jj").high
    assert np.isfinite(high).all() and (high >= 10 * problem.table.values.max()).all()


GOOD = ["0", "3", "0 6 6 s 0 99 0 0 0", "1 2 2 u 0 99 1 1 0", "2 4 4 s 0 99 0 0 0", "1", "0 3 : 0 (-1) 1 (1) 2 (1)"]


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (2, "three", "number of cells"),
        (2, "4", "cell begins with its number|9 fields"),
        (3, "0 6 6 s 0 99 0 0", "9 fields, this line has 8"),
        (4, "0 2 2 u 0 99 1 1 0", "cell 0 stands here a second time"),
        (4, "1 2 2 q 0 99 1 1 0", "status 'q'"),
        (4, "1 2 2,5 u 0 99 1 1 0", "field 3"),
        (4, "1 nan 2 u 0 99 1 1 0", "field 2"),
        (4, "1 2 2 u 0 inf 1 1 0", "field 6"),
        (6, "2", "the file ends where equation 2"),
        (7, "0 2 : 0 (-1) 1 (1) 2 (1)", "2 cells are announced, 3"),
        (7, "0 3 : 0 (-1) 1 (1) 7 (1)", "cell 7 is in no line"),
        (7, "0 3 : 0 (-1) 1 (1) 2 (1) und", "an equation reads"),
        (7, "0 3 0 (-1) 1 (1) 2 (1)", "an equation reads"),
    ],
)
def test_a_mistake_is_answered_with_its_line(tmp_path, line, text, said):
    lines = [*GOOD]
    lines[line - 1] = text
    (tmp_path / "a.jj").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(TacitError, match=said) as told:
        read_jj(tmp_path / "a.jj")
    at = int(told.value.where.rsplit(":", 1)[1])
    assert at == line or (line, text) in ((2, "4"), (6, "2"))


def test_the_good_file_is_read_and_more_lines_are_not(tmp_path):
    file = tmp_path / "a.jj"
    file.write_text("\n".join(GOOD) + "\n\n", encoding="utf-8")
    problem = read_jj(file)
    assert problem.primaries.tolist() == [1] and problem.table.equations.residuals(problem.table.values).tolist() == [0]
    file.write_text("\n".join([*GOOD, GOOD[-1]]), encoding="utf-8")
    with pytest.raises(TacitError, match="more lines follow"):
        read_jj(file)


def small(tmp_path, *, cells=("10 1 s 0 99 0 0 0", "4 1 u 0 99 1 2 0", "6 1 s 0 99 0 0 0"), sums="0 (-1) 1 (1) 2 (1)"):
    path = tmp_path / "small.jj"
    listed = "".join(f"{number} {cell}\n" for number, cell in enumerate(cells))
    path.write_text(f"0\n{len(cells)}\n{listed}1\n0 {sums.count('(')} : {sums}\n")
    return path


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("5 1 u 0 99 1 2 0", "does not add up .*'1' \\+ '2' = '0'"),
        ("4 1 u 5 99 1 2 0", "leave out the figure of 1 cells, first 1"),
        ("4 1 u 0 99 -1 2 0", "level of the cell 1 is below 0"),
        ("4 -1 s 0 99 0 0 0", "cost or a level of the cell 1 is below 0"),
    ],
)
def test_a_problem_that_no_table_can_be_is_refused(tmp_path, cell, said):
    with pytest.raises(TacitError, match=said) as caught:
        read_jj(small(tmp_path, cells=("10 1 s 0 99 0 0 0", cell, "6 1 s 0 99 0 0 0")))
    assert "small.jj" in str(caught.value)


def test_signs_are_turned_so_that_a_total_is_negative(tmp_path):
    for sums in ("0 (-1) 1 (1) 2 (1)", "0 (1) 1 (-1) 2 (-1)"):
        assert read_jj(small(tmp_path, sums=sums)).table.equations.matrix.toarray().tolist() == [[-1, 1, 1]]
    with pytest.raises(TacitError, match="an equation reads"):
        read_jj(small(tmp_path, sums="0 (..) 1 (1) 2 (1)"))
