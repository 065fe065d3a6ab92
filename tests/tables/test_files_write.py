"""What is written: no suppressed figure in public, whole files or none, and everything comes back."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.build.hrc import read_hrc
from tacit.tables.dimension import Dimension
from tacit.tables.files.arb import read_arb
from tacit.tables.files.hrc import write_hrc
from tacit.tables.files.hst import read_hst, with_priors
from tacit.tables.files.layout import Layout
from tacit.tables.files.translate import plan_of
from tacit.tables.files.write import write_internal, write_table
from tacit.tables.problem import Problem, Status
from tacit.tables.table import Contributions, Table
from tacit.tables.tasks.audit_file import read_given

from .instances import balanced, flat, random_problem

# catalogue: G-04
CODES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=6)


def problem_over(first, second, seed=0):
    """A random problem whose inner figures are unlike any other text in a file."""
    dimensions = [first, second]
    labels, equations = cross_dimensions(dimensions)
    rng = np.random.default_rng(seed)
    inner = np.zeros([len(one.codes) for one in dimensions])
    inner[np.ix_(first.leaves, second.leaves)] = rng.integers(10**8, 10**9, (len(first.leaves), len(second.leaves)))
    values = added_up(dimensions, inner).ravel()
    table = Table(labels=labels, values=values, equations=equations, dimensions=(first, second), response="v")
    status = np.where(rng.random(table.size) < 0.3, Status.UNSAFE, Status.SAFE).astype(np.uint8)
    zeros = np.zeros(table.size)
    levels = np.where(status == Status.UNSAFE, np.floor(values / 10), 0.0)
    return Problem(
        table=table,
        status=status,
        lower=levels,
        upper=2 * levels,
        sliding=zeros,
        low=zeros,
        high=zeros + np.inf,
        cost=values,
    )


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.xlsx"])
@pytest.mark.parametrize(("form", "across"), [("long", 1), ("pivot", 1), ("pivot", 2)])
def test_suppressed_figures_are_not_in_public_files(tmp_path, name, form, across):
    problem = problem_over(balanced([2, 2], "r"), flat(3, "c"))
    table = replace(
        problem.table,
        contributors=np.arange(71_234_000.0, 71_234_000 + problem.size),
        contributions=Contributions(
            values=problem.table.values[:, None] - 1,
            owners=np.zeros((problem.size, 1), dtype=int),
            weights=np.ones((problem.size, 1)),
        ),
        more={"cost": problem.table.values + 1},
    )
    hidden = problem.must_suppress
    write_table(table, hidden, tmp_path / name, form=form, across=across)
    content = (tmp_path / name).read_bytes()
    if name.endswith("xlsx"):
        import zipfile

        with zipfile.ZipFile(tmp_path / name) as packed:
            content = b"".join(packed.read(part) for part in packed.namelist())
    text = content.decode("utf-8", errors="ignore")
    for cell, value in enumerate(table.values.astype(int)):
        assert (str(value) in text) == (not hidden[cell])
        assert str(value - 1) not in text and str(value + 1) not in text and str(71_234_000 + cell) not in text
    # and an outsider reads exactly the pattern
    layout = Layout(form=form, across=across, separator="\t" if name.endswith("tsv") else None)
    back = read_given(tmp_path / name, by=["r", "c"], value="v", hierarchies={"r": table.dimensions[0]}, layout=layout)
    assert (back.hidden == hidden).all()
    assert (back.problem.table.values[~hidden] == table.values[~hidden]).all()


def test_other_hidden_figures_give_the_same_bytes(tmp_path):
    problem = problem_over(balanced([2, 2], "r"), flat(3, "c"))
    hidden = problem.must_suppress
    other = problem.table.with_values(np.where(hidden, problem.table.values * 7 + 1, problem.table.values))
    for form in ("long", "pivot"):
        for name, table in (("a", problem.table), ("b", other)):
            write_table(table, hidden, tmp_path / f"{form}{name}.csv", form=form)
        assert (tmp_path / f"{form}a.csv").read_bytes() == (tmp_path / f"{form}b.csv").read_bytes()


@given(
    rows=st.lists(CODES, min_size=1, max_size=4, unique=True),
    columns=st.lists(CODES, min_size=1, max_size=3, unique=True),
)
def test_any_code_comes_back(tmp_path_factory, rows, columns):
    total = "Σ-total"
    problem = problem_over(
        Dimension.flat("r w", [one for one in rows if one != total], total=total),
        Dimension.flat('c"1', [one for one in columns if one != total], total=total),
    )
    folder = tmp_path_factory.mktemp("codes")
    hidden = problem.must_suppress
    for form in ("long", "pivot"):
        write_table(problem.table, hidden, folder / f"{form}.csv", form=form)
        layout = Layout(form=form, total=total, separator=",")
        back = read_given(folder / f"{form}.csv", by=["r w", 'c"1'], value="v", layout=layout)
        assert back.problem.table.labels.equals(problem.table.labels)
        assert (back.problem.table.values[~hidden] == problem.table.values[~hidden]).all()
        assert (np.zeros(problem.size, bool) if back.hidden is None else back.hidden).tolist() == hidden.tolist()


@pytest.mark.parametrize("sign", ["\n", "\r", "\0"])
def test_codes_that_no_line_can_hold_are_refused(tmp_path, sign):
    problem = problem_over(Dimension.flat("r", [f"a{sign}b"]), flat(2, "c"))
    with pytest.raises(TacitError, match="column 'r' the code"):
        write_table(problem.table, None, tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


def test_a_table_of_a_linked_set_has_its_own_dimensions_only(tmp_path):
    problem = problem_over(flat(2, "r"), flat(2, "c"))
    margin = problem.table.labels["c"].to_numpy() == "Total"
    for cells in (margin, np.flatnonzero(margin)):
        write_table(problem.table, margin & problem.must_suppress, tmp_path / "r.csv", cells=cells, replace=True)
        back = read_given(tmp_path / "r.csv", by="r", value="v")
        assert back.problem.size == 3
        shown = ~problem.must_suppress[margin]
        assert (back.problem.table.values[shown] == problem.table.values[margin][shown]).all()
    with pytest.raises(TacitError, match="no pivot table"):
        write_table(problem.table, None, tmp_path / "p.csv", cells=margin, form="pivot")


def test_perturbed_figures_are_written_as_they_are(tmp_path):
    problem = problem_over(flat(2, "r"), flat(2, "c"))
    write_table(problem.table.with_values(problem.table.values + 0.25), None, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open() as file:
        assert [float(row["v"]) for row in csv.DictReader(file)] == (problem.table.values + 0.25).tolist()


def test_files_appear_whole_or_not_at_all_and_nothing_is_overwritten(tmp_path):
    problem = problem_over(flat(2, "r"), flat(2, "c"))
    file = tmp_path / "t.csv"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(TacitError, match="exists already"):
        write_table(problem.table, None, file)
    with pytest.raises(TacitError, match="is the file that was read"):
        write_table(problem.table, None, file, replace=True, keep=[tmp_path / "." / "t.csv"])
    with pytest.raises(TacitError, match="names no format"):
        write_table(problem.table, None, tmp_path / "t.doc")
    with pytest.raises(TacitError, match="is not known"):
        write_table(problem.table.with_values(np.full(problem.size, np.nan)), None, file, replace=True)
    assert file.read_text(encoding="utf-8") == "old" and [one.name for one in tmp_path.iterdir()] == ["t.csv"]
    write_table(problem.table, None, file, replace=True)
    assert file.read_text(encoding="utf-8").startswith("r,c,v\n")
    with pytest.raises(TacitError, match="could be read as a figure"):
        write_table(problem.table, None, tmp_path / "u.csv", mark="0")
    with pytest.raises(TacitError, match="3 entries, the table 9 cells"):
        write_table(problem.table, np.zeros(3, bool), tmp_path / "u.csv")


def test_table_data_for_tau_argus_come_back(tmp_path):
    problem = problem_over(balanced([2, 3], "r"), flat(3, "c c"))
    problem = replace(problem, table=replace(problem.table, contributors=np.arange(1.0, problem.size + 1)))
    hidden = problem.must_suppress.copy()
    hidden[:3] = True
    write_internal(problem, hidden, tmp_path / "t.tab", form="tab")
    batch = read_arb(tmp_path / "t.arb")
    (table,) = batch.tables
    assert (table.data, table.metadata, table.holds) == ("t.tab", "t.rda", "cells")
    assert (table.by, table.response, table.cost) == (("r", "c c"), problem.table.response or "value", "cost")
    assert not batch.protections and "[[mark]]" in plan_of(tmp_path / "t.arb")
    write_internal(problem, None, tmp_path / "open.tab", form="tab")
    assert [one.method for one in read_arb(tmp_path / "open.arb").protections] == ["MOD"]
    back = read_given(tmp_path / "t.tab")
    order = [back.problem.table.cell(**codes) for codes in problem.table.labels.iter_rows(named=True)]
    assert (back.hidden[order] == hidden).all()
    assert (back.problem.table.values[order] == problem.table.values).all()
    assert (back.problem.table.contributors[order] == problem.table.contributors).all()
    assert (back.problem.lower[order] == problem.lower).all() and (back.problem.upper[order] == problem.upper).all()
    assert (back.problem.status[order] == problem.status).all() and (back.problem.cost[order] == problem.cost).all()


def test_an_a_priori_file_freezes_a_pattern(tmp_path):
    problem = random_problem([balanced([2, 2], "r"), flat(3, "c")], share=0.3)
    hidden = problem.must_suppress.copy()
    hidden[np.flatnonzero(problem.may_suppress)[:3]] = True
    write_internal(problem, hidden, tmp_path / "m.hst", form="hst")
    fresh = replace(
        problem,
        status=np.where(problem.status == Status.EMPTY, Status.EMPTY, Status.SAFE),
        lower=np.zeros(problem.size),
        upper=np.zeros(problem.size),
    )
    frozen = with_priors(fresh, read_hst(tmp_path / "m.hst", dimensions=2))
    assert (frozen.must_suppress == hidden).all() and (frozen.primaries == problem.primaries).all()
    assert (frozen.lower == problem.lower).all() and (frozen.upper == problem.upper).all()


def test_sbs_letters_and_shares(tmp_path):
    dimension = Dimension.flat("d", "abcdef")
    labels, equations = cross_dimensions([dimension])
    values = np.array([360.0, 10, 20, 30, 100, 200, 0])
    table = Table(
        labels=labels, values=values, equations=equations, dimensions=(dimension,), response="v",
        contributors=np.array([40.0, 1, 9, 9, 9, 9, 0]),
        contributions=Contributions(
            values=np.column_stack([values * 0.6, values * 0.3]), owners=np.full((7, 2), -1), weights=np.ones((7, 2))
        ),
    )  # fmt: skip
    status = np.array([0, 1, 1, 1, 1, 0, 4], dtype=np.uint8)
    why = {
        1: "fewer than 3 respondents",
        2: "1 make up more than 50 %",
        3: "2 make up more than 80 %",
        4: "the largest is known to within 10 % by 1 other",
    }
    zeros = np.zeros(7)
    problem = Problem(
        table=table,
        status=status,
        lower=zeros,
        upper=zeros,
        sliding=zeros,
        low=zeros,
        high=zeros + 999,
        cost=values,
        why=why,
    )
    write_internal(problem, status == 1, tmp_path / "t.sbs", form="sbs")
    lines = (tmp_path / "t.sbs").read_text(encoding="utf-8").splitlines()
    assert lines == ["Total,360,40,V", "a,10,1,A", "b,20,9,B,60.0", "c,30,9,C,90.0", "d,100,9,F,60.0,30.0", "e,200,9,V"]
    back = read_given(tmp_path / "t.sbs", by="d", layout=Layout(form="sbs", absent="empty"))
    assert back.hidden.sum() == 4


def test_trees_come_back(tmp_path):
    tree = Dimension.tree("é", {"A.1": "T", "é'x": "T", "a b": "A.1", "c": "A.1", "d": "c"}, total="T")
    write_hrc(tree, tmp_path / "t.hrc")
    assert (tmp_path / "t.hrc").read_text(encoding="utf-8") == "A.1\n@a b\n@c\n@@d\né'x\n"
    assert Dimension.tree("é", read_hrc(tmp_path / "t.hrc", total="T"), total="T") == tree
    for odd in ("@a", " a", "a "):
        with pytest.raises(TacitError, match="mark of a level"):
            write_hrc(Dimension.flat("d", [odd]), tmp_path / "u.hrc")
    write_hrc(Dimension.flat("d", ["@a"]), tmp_path / "u.hrc", lead="#")
    assert read_hrc(tmp_path / "u.hrc", lead="#") == {"@a": "Total"}
