"""Dimensions from everything that can describe them."""

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.tables.build.hierarchies import dimension
from tacit.tables.build.hrc import read_hrc
from tacit.tables.build.levels import from_rows
from tacit.tables.dimension import Dimension

CODES = ["Zürich", "St. Gallen", "L'Aquila", ' "q" ']
SAME = {"Zürich": "CH", "St. Gallen": "CH", "L'Aquila": "IT", ' "q" ': "Total", "CH": "Total", "IT": "Total"}


# catalogue: G-06, the same tree said in eight ways
def test_one_tree_however_it_is_given(tmp_path):
    (tmp_path / "t.hrc").write_text("CH\n@Zürich\n@St. Gallen\nIT\n@L'Aquila\n\nq\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("Zürich;CH;*\nSt. Gallen;CH;*\nL'Aquila;IT;*\nq;q;*\n", encoding="utf-8")
    (tmp_path / "n.csv").write_text("top,fine\nCH,Zürich\nCH,St. Gallen\nIT,L'Aquila\nq,q\n", encoding="utf-8")
    codes = [*CODES[:3], "q"]
    above = {code.strip(' "'): upper for code, upper in SAME.items()}
    nested = {"CH": ["Zürich", "St. Gallen"], "IT": ["L'Aquila"], "q": []}
    table = pl.DataFrame({"top": ["CH", "CH", "IT", "q"], "fine": ["Zürich", "St. Gallen", "L'Aquila", None]})
    ways = [
        above,
        {"above": above},
        nested,
        {"tree": {"Total": nested}},
        [{"CH": ["Zürich", "St. Gallen"]}, {"IT": ["L'Aquila"]}, "q"],
        {"hrc": "t.hrc"},
        "t.hrc",
        {"file": "t.csv"},
        {"nested": "n.csv"},
        table,
        Dimension.tree("place", above),
        {"table": {"Zürich": ["CH"], "St. Gallen": ["CH"], "L'Aquila": ["IT"], "q": ["q"]}},
    ]
    for given in ways:
        wrapped = {"tree": given} if isinstance(given, list) else given
        found = dimension("place", wrapped, codes, folder=tmp_path)
        assert {code: found.codes[at] for code, at in zip(found.codes[1:], found.parents[1:], strict=True)} == above
    levels = dimension("place", ["top", "fine"], table)
    assert set(levels.codes) == {*above, "Total"}


def test_codes_with_dots_accents_quotes_and_blanks_are_kept():
    assert dimension("place", SAME, CODES).code_index[' "q" '] == 1
    assert dimension("place", None, CODES, total="*").codes == ("*", *CODES)


def test_numbers_are_codes_as_they_are_written():
    assert dimension("nace", {101: "1", "1": "Total"}, pl.Series([101.0])).codes == ("Total", "1", "101")
    ages = dimension("age", {"intervals": [10]}, pl.Series([3, 15, 17]))
    assert ages.depths == (0, 1, 1, 2, 2, 2)


# catalogue: G-06, the file of the peers: blanks are padding
def test_the_marks_of_an_hrc_file_are_levels(reference_data):
    above = read_hrc(reference_data / "tables/tauargus/tableinput/region2.hrc")
    assert [code for code, upper in above.items() if upper == "Total"] == ["Nr", "Os", "Ws", "Zd"]
    assert [code for code, upper in above.items() if upper == "Os"] == ["4", "5", "6", "7"]


def test_a_branch_that_ends_early_repeats_its_code():
    assert from_rows("d", [("A", "A", "A"), ("B", "b", "b")], total="T") == {"A": "T", "B": "T", "b": "B"}


BAD = [
    ({"A": ["x"], "B": ["x"]}, "'x' under 'A' and under 'B'"),
    ({"A": ["A", "x"]}, "'A' under itself, with 'x' beside it"),
    ({"A": ["x", "Total"]}, "the total 'Total' under 'A'"),
    ({"A": ["x"], "B": "y"}, "a single text where codes are listed"),
    ({"x": "A", "A": "B", "B": "A"}, "in a circle"),
    ({"x": "x"}, "'x' lies under itself"),
    ({"x": "A"}, "lies under 'A', which lies nowhere"),
    ({"hrc": "nowhere.hrc"}, "'nowhere.hrc' is not there"),
    ({"nested": "nowhere.csv"}, "'nowhere.csv' is not there"),
    ({"columns": ["a", "b"]}, "levels in several columns of records"),
    ({"frequency": [2]}, "that the data decide"),
    ({"file": "nowhere.csv"}, "'nowhere.csv' is not there"),
    (7, "cannot be made from int"),
    ({"groups": {"A": ["y"]}}, "the code 'x', which its hierarchy lacks"),
]


# catalogue: G-06, bad input
@pytest.mark.parametrize(("given", "said"), BAD)
def test_bad_trees_are_refused_by_name(given, said, tmp_path):
    with pytest.raises(TacitError) as caught:
        dimension("d", given, ["x"], folder=tmp_path)
    assert said in str(caught.value), str(caught.value)


def test_bad_hrc_files_name_the_line(tmp_path):
    for text, said in (
        ("A\n@@B\n", "line 2"),
        ("@B\n", "line 1"),
        ("A\n@\n", "line 2"),
        ("A\n@b\nB\n@b\n", "^t.hrc, line 4: has the code 'b' under 'A' and under 'B'"),
        ("N\n@S\n@@N\n", "^t.hrc, line 3: has the code 'N' under 'Total' and under 'S'"),  # a circle
        ("A\n@A\n@b\n", "^t.hrc: has the code 'A' under itself, with 'b' beside it"),
    ):
        (tmp_path / "t.hrc").write_text(text)
        with pytest.raises(TacitError, match=said):
            read_hrc(tmp_path / "t.hrc")
