"""Tables that somebody else protected: statuses and signs are understood, and only sums that can be checked are."""

import numpy as np
import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.tables.files.layout import Layout
from tacit.tables.problem import Status
from tacit.tables.tasks.audit_file import read_given

# catalogue: G-04
PIVOT = "region,f,m,Total\nNorth,5,7,12\nSouth,x,x,9\nTotal,x,x,21\n"


def written(tmp_path, text, name="table.csv", encoding="utf-8"):
    (tmp_path / name).write_bytes(text.encode(encoding))
    return tmp_path / name


def test_suppressed_figures_are_bounds_and_published_ones_points(tmp_path):
    given = read_given(written(tmp_path, PIVOT), by=["region", "sex"], layout=Layout(form="pivot"))
    table, seen = given.problem.table, given.published
    gone = {table.name(cell) for cell in np.flatnonzero(given.hidden)}
    assert gone == {"South × f", "South × m", "Total × f", "Total × m"}
    assert not given.is_complete and np.isnan(table.values[given.hidden]).all()
    assert (seen.low[~given.hidden] == seen.high[~given.hidden]).all()
    assert (seen.low[given.hidden] == 0).all() and np.isinf(seen.high[given.hidden]).all()
    assert seen.low[table.cell(region="North", sex="m")] == 7
    assert (given.problem.status[given.hidden] == Status.HIDDEN).all()


def test_a_table_with_negative_figures_has_no_lower_bound(tmp_path):
    text = PIVOT.replace("5,7,12", "-5,7,2").replace("x,x,21", "x,x,11")
    given = read_given(written(tmp_path, text), by=["region", "sex"], layout=Layout(form="pivot"))
    assert np.isneginf(given.published.low[given.hidden]).all()


def test_the_example_with_statuses_of_another_tool(reference_data):
    file = reference_data / "tables" / "piargus" / "tabledata_status.csv"
    given = read_given(
        file, by=["activity", "size"], value="val", status="status", layout=Layout(contributors="n_obs", margin=10)
    )
    table = given.problem.table
    (cell,) = given.problem.primaries
    assert table.name(cell) == "02 × tr2" and given.hidden.sum() == 1 and given.is_complete
    assert given.problem.lower[cell] == given.problem.upper[cell] == 2.0  # 10 % of 20
    assert table.contributors[table.cell()] == 36
    plain = read_given(file.with_name("tabledata.csv"), by=["activity", "size"], value="val")
    assert plain.hidden is None and (plain.problem.table.values == table.values).all()


def test_the_statuses_of_tau_argus(tmp_path):
    # τ-ARGUS, list of cell statuses: 1-2 safe, 3-9 unsafe, 10 protected, 11-12 secondary, 13-14 empty.
    codes = [f"c{number}" for number in range(1, 15)]
    rows = "".join(f"{code},{0 if number > 12 else 1},{number}\n" for number, code in enumerate(codes, start=1))
    file = written(tmp_path, f"d,v,s\n{rows}Total,12,1\n")
    given = read_given(file, by="d", value="v", status="s")
    cells = [given.problem.table.cell(d=code) for code in codes]
    safe, unsafe = [Status.SAFE] * 2, [Status.UNSAFE] * 7
    expected = [*safe, *unsafe, Status.PUBLISHED, *safe, Status.SAFE, Status.EMPTY]
    assert given.problem.status[cells].tolist() == expected
    assert given.hidden[cells].tolist() == [False] * 2 + [True] * 7 + [False, True, True, False, False]


@pytest.mark.parametrize("letters", ["SUPMXEZ", "supmxez", "VABCFD-"])
def test_letters(tmp_path, letters):
    rows = "".join(f"c{place},1, {letter} \n" for place, letter in enumerate(letters))
    given = read_given(written(tmp_path, f"d,v,s\n{rows}Total,7,S\n"), by="d", value="v", status="s")
    status = [Status(int(given.problem.status[given.problem.table.cell(d=f"c{place}")])) for place in range(7)]
    hidden = [bool(given.hidden[given.problem.table.cell(d=f"c{place}")]) for place in range(7)]
    safe, unsafe, shown, empty = Status.SAFE, Status.UNSAFE, Status.PUBLISHED, Status.EMPTY
    if letters[0] in "sS":
        assert status == [safe, unsafe, shown, safe, safe, empty, empty]
        assert hidden == [False, True, False, True, True, False, False]
    else:
        assert status == [safe, unsafe, unsafe, unsafe, unsafe, safe, empty]
        assert hidden == [False, True, True, True, True, True, False]


def test_levels_of_absent_figures_become_a_width(tmp_path):
    text = "d,v,s,lo,up\na,x,U,1,2\nb,x,M,,\nc,3,S,,\nTotal,13,S,,\n"
    given = read_given(written(tmp_path, text), by="d", value="v", status="s", layout=Layout(lower="lo", upper="up"))
    cell = given.problem.table.cell(d="a")
    assert given.problem.sliding[cell] == 3 and given.problem.lower[cell] == given.problem.upper[cell] == 0
    assert any("width" in note for note in given.notes)


def test_signs_decimals_encodings_and_odd_codes_survive(tmp_path):
    text = 'région;"a;b"\n" 1";1 234,5\n"l\'Île ""X"".2";:\nEnsemble;2 000,0\n'
    file = written(tmp_path, text, encoding="windows-1252")
    layout = Layout(decimal=",", encoding="windows-1252", total="Ensemble")
    given = read_given(file, by="région", value="a;b", layout=layout)
    table = given.problem.table
    assert table.dimensions[0].codes == ("Ensemble", " 1", 'l\'Île "X".2')
    assert table.values[1] == 1234.5 and given.hidden.tolist() == [False, False, True]
    with pytest.raises(TacitError, match="line 1: the text is not utf-8"):
        read_given(file, by="région", value="v")


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u2009", "\u202f"])
def test_groups_of_three_digits(tmp_path, blank):
    file = written(tmp_path, f"d,v\na,1{blank}234{blank}567\nTotal,1234567\n")
    assert read_given(file, by="d", value="v").problem.table.values.tolist() == [1234567, 1234567]


def test_pivot_tables_of_three_dimensions(tmp_path):
    text = ",A,A,A,Total,Total,Total\nregion,f,m,Total,f,m,Total\nN,1,2,3,1,2,3\nTotal,1,2,3,1,2,3\n"
    given = read_given(
        written(tmp_path, text), by=["region", "branch", "sex"], layout=Layout(form="pivot", across=2, counts=True)
    )
    table = given.problem.table
    assert (
        table.values[table.cell(region="N", branch="A", sex="m")] == 2 and table.is_frequency and given.hidden is None
    )


@pytest.mark.parametrize("levels", [False, True])
def test_sbs(tmp_path, levels):
    # codes (with levels), value, frequency, status, shares: what τ-ARGUS writes as its fourth format
    rows = [("Total", "30,12,V"), ("a", "10,2,A"), ("b", "8,5,F,80.0,10.0"), ("c", "12,5,D")]
    text = "".join(f'"{code}",{"1," if levels else ""}{rest}\n' for code, rest in rows)
    given = read_given(written(tmp_path, text, "t.txt"), by="d", layout=Layout(form="sbs"))
    assert given.problem.status.tolist() == [Status.SAFE, Status.UNSAFE, Status.UNSAFE, Status.SAFE]
    assert given.hidden.tolist() == [False, True, True, True] and given.problem.table.contributors.tolist() == [
        12,
        2,
        5,
        5,
    ]


def test_excel(tmp_path):
    frame = pl.DataFrame({"d": ["01", "02", "Total"], "v": [1.5, None, 4.0], "s": ["S", "U", "S"]})
    frame.write_excel(tmp_path / "t.xlsx")
    given = read_given(tmp_path / "t.xlsx", by="d", value="v", status="s")
    assert given.problem.table.dimensions[0].codes == ("Total", "01", "02")
    assert given.hidden.tolist() == [False, False, True] and given.problem.table.values[1] == 1.5
    with pytest.raises(TacitError, match="no sheet 'nowhere'"):
        read_given(tmp_path / "t.xlsx", by="d", value="v", layout=Layout(sheet="nowhere"))


def test_cells_that_the_file_lacks(tmp_path):
    file = written(tmp_path, "a,b,v\nx,p,4\nx,Total,4\nTotal,p,4\ny,q,1\ny,Total,1\nTotal,q,1\nTotal,Total,5\n")
    given = read_given(file, by=["a", "b"], value="v")
    assert given.hidden is None and (given.problem.status == Status.EMPTY).sum() == 2
    assert "2 of 9 cells are not in the file" in given.notes[0]
    hidden = read_given(file, by=["a", "b"], value="v", layout=Layout(absent="hidden"))
    assert hidden.hidden.sum() == 2 and np.isnan(hidden.problem.table.values[hidden.hidden]).all()


def test_only_sums_whose_figures_are_all_there_are_checked(tmp_path):
    given = read_given(written(tmp_path, PIVOT), by=["region", "sex"], layout=Layout(form="pivot"))
    assert given.hidden.sum() == 4
    wrong = PIVOT.replace("5,7,12", "5,8,12")
    with pytest.raises(TacitError, match=r"sex: 'f' \+ 'm' = 'Total' \(where region = 'North'\)") as told:
        read_given(written(tmp_path, wrong), by=["region", "sex"], layout=Layout(form="pivot"))
    assert "12" not in told.value.what
    given = read_given(written(tmp_path, wrong), by=["region", "sex"], layout=Layout(form="pivot", tolerance=1))
    assert given.hidden.sum() == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("d,v,s\na,1,S\na,2,S\nTotal,3,S\n", "the cell a stands here a second time"),
        ("d,v,s\na,4711y,S\nTotal,3,S\n", "column 'v' has neither a number"),
        ("d,v,s\na,nan,S\nTotal,3,S\n", "column 'v' has neither a number"),
        ("d,v,s\na,4711,q\nTotal,4711,S\n", "status 'q' is unknown"),
        ("d,v,s\na,4711,\nTotal,4711,S\n", "a status is missing"),
        ("d,v,s\na,4711\nTotal,4711,S\n", "the header has 3 columns"),
        ("d,w,s\na,4711,S\nTotal,4711,S\n", "column 'v' is not in the table"),
        ("d,d,v,s\na,a,4711,S\n", "stands twice in the header"),
        ('d,v,s\n"a,4711,S\nTotal,4711,S\n', "a line ends inside quotes|quotes do not match"),
        ("d,v,s\na,4711,S\nTotal,4712,S\n", "does not add up"),
        ("", "the file is empty"),
    ],
)
def test_mistakes(tmp_path, text, said):
    file = written(tmp_path, text)
    with pytest.raises(TacitError, match=said) as told:
        read_given(file, by="d", value="v", status="s")
    assert "4711" not in str(told.value).replace(str(tmp_path), "") and str(file) in told.value.where


def test_a_code_outside_the_hierarchy(tmp_path):
    file = written(tmp_path, "d,v\na,1\nbb,2\nTotal,3\n")
    with pytest.raises(TacitError, match="column 'd' has the code 'bb'") as told:
        read_given(file, by="d", value="v", hierarchies={"d": {"a": "Total", "b": "Total"}})
    assert told.value.where.endswith(":3")


def test_code_value_files_without_a_header(tmp_path):
    """The second and third format of τ-ARGUS: quoted codes, value, and one of the 14 statuses."""
    text = '"Tot","All",10,1\n"Tot","f",4,11\n"Tot","m",6,11\n"N","All",10,1\n"N","f",4,5\n"N","m",6,11\n'
    layout = Layout(header=False, total={"region": "Tot", "sex": "All"})
    given = read_given(written(tmp_path, text), by=["region", "sex"], value="v", status="s", layout=layout)
    assert given.problem.table.dimensions[0].total == "Tot" and given.problem.table.dimensions[1].total == "All"
    assert given.hidden.tolist() == [False, True, True, False, True, True]
    assert [given.problem.table.name(cell) for cell in given.problem.primaries] == ["N × f"]


def test_a_hierarchy_is_checked_at_every_level(tmp_path):
    text = "d,v\nTotal,10\nA,6\nB,4\na1,x\na2,x\nb1,4\n"
    tree = {"A": "Total", "B": "Total", "a1": "A", "a2": "A", "b1": "B"}
    given = read_given(written(tmp_path, text), by="d", value="v", hierarchies={"d": tree})
    assert len(given.problem.table.equations) == 3 and given.hidden.sum() == 2
    with pytest.raises(TacitError, match="d: 'b1' = 'B'"):
        read_given(written(tmp_path, text.replace("b1,4", "b1,5")), by="d", value="v", hierarchies={"d": tree})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decimal": ";"}, "no decimal sign"),
        ({"absent": "gone"}, "absent='gone'"),
        ({"across": 0}, "across=0"),
        ({"margin": -1}, "no percentage"),
    ],
)
def test_layouts_that_make_no_sense(options, said):
    with pytest.raises(TacitError, match=said):
        Layout(**options)


def test_what_is_not_said(tmp_path):
    file = written(tmp_path, PIVOT)
    with pytest.raises(TacitError, match="which columns are dimensions"):
        read_given(file, value="v")
    with pytest.raises(TacitError, match="which column holds the figures"):
        read_given(file, by="region")
    with pytest.raises(TacitError, match="form='wide' is unknown"):
        read_given(file, by="region", layout=Layout(form="wide"))
    with pytest.raises(TacitError, match="pivot files have no status column"):
        read_given(file, by=["region", "sex"], status="s", layout=Layout(form="pivot"))
    with pytest.raises(TacitError, match="there is no .rda file for it"):
        read_given(written(tmp_path, "x", "a.tab"))


# catalogue: G-04, bad input
def test_a_total_that_the_file_lacks_is_named_and_not_taken_for_zero(tmp_path):
    file = written(tmp_path, "a,n\nx,4\ny,x\nz,x\n")
    with pytest.raises(TacitError, match="the total a = 'Total' is not in the file"):
        read_given(file, by="a", value="n")
    assert read_given(file, by="a", value="n", layout=Layout(absent="hidden")).hidden.tolist() == [
        True,
        False,
        True,
        True,
    ]
    nothing = read_given(
        written(tmp_path, "a,b,n\nx,p,0\nx,q,3\nx,Total,3\nTotal,q,3\nTotal,Total,3\n"), by=["a", "b"], value="n"
    )
    assert nothing.problem.table.values[nothing.problem.table.cell(b="p")] == 0, "a sum of zeros may be left out"


def test_counts_below_zero_are_refused_on_their_line(tmp_path):
    file = written(tmp_path, "a,n\nx,-4\ny,7\nTotal,3\n")
    with pytest.raises(TacitError, match="table.csv:2.* negative"):
        read_given(file, by="a", value="n", layout=Layout(counts=True))
    assert read_given(file, by="a", value="n").is_complete


def test_files_that_go_with_a_table_are_not_taken_for_one(tmp_path):
    for suffix, said in ((".rda", "that it describes"), (".hst", "prior of a plan"), (".arb", "from-argus")):
        (tmp_path / f"t{suffix}").write_text("x\n")
        with pytest.raises(TacitError, match=f"tells of a table and holds none(.|\n)*{said}"):
            read_given(tmp_path / f"t{suffix}", by="d", value="v")
    with pytest.raises(TacitError, match="no such file"):
        read_given(tmp_path / "absent.csv")


def test_a_column_that_was_named_as_statuses_by_mistake_is_not_shown(tmp_path):
    (tmp_path / "t.csv").write_text("d,v,s\na,4711,S\nb,1,Miller & Sons\nTotal,4712,S\n")
    with pytest.raises(TacitError, match="t.csv:3: what stands there is no status") as caught:
        read_given(tmp_path / "t.csv", by="d", value="v", status="s")
    assert "Miller" not in str(caught.value)
    with pytest.raises(TacitError) as caught:
        read_given(tmp_path / "t.csv", by="d", value="v", status="v")
    assert "4711" not in str(caught.value)
