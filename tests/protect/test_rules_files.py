"""Files of transactions: every form there and back. catalogue: D-08"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.protect.rules import Baskets, from_frame, read_baskets, write_baskets

from .rules_oracle import files

ROWS = [["bread", "milk"], [], ["milk"], ["tea", "bread", "milk"]]
UNKNOWN = [["tea"], [], ["bread"], []]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.basket", None),
        ("a.dat", None),
        ("a.spmf", None),
        ("a.csv", "long"),
        ("a.parquet", "long"),
        ("a.csv", "list"),
        ("a.csv", "binary"),
    ],
)
@pytest.mark.parametrize("unknown", [(), UNKNOWN])
def test_every_form_comes_back(tmp_path, name, form, unknown):
    held = Baskets.of(ROWS, unknown=unknown)
    write_baskets(held, tmp_path / name, form=form or "long")
    back = read_baskets(tmp_path / name, form=form)
    assert list(back.item_lists()) == list(held.item_lists()) and back.items == held.items
    with pytest.raises(TacitError, match="exists already"):
        write_baskets(held, tmp_path / name, form=form or "long")


@given(files(), st.sampled_from([".basket", ".dat"]))
def test_lines_come_back_whatever_is_in_them(tmp_path_factory, rows, suffix):
    place = tmp_path_factory.mktemp("lines") / f"a{suffix}"
    write_baskets(Baskets.of(rows), place)
    if place.stat().st_size:
        assert list(read_baskets(place).item_lists()) == [sorted(row) for row in rows]


def test_the_forms_of_tables():
    long = pl.DataFrame({"id": [7, 7, 3, 9], "item": ["a", "b", "a", None]})
    assert list(from_frame(long, "long").item_lists()) == [["a"], ["a", "b"], []]
    lists = pl.DataFrame({"t": [1, 2, 3], "items": ["b; a;a", "", None]})
    assert (
        list(from_frame(lists, "list").item_lists()) == [["a", "b"], [], []] and from_frame(lists, "list").doubled == 1
    )
    assert list(from_frame(pl.DataFrame({"items": [["a"], None, []]}), "list").item_lists()) == [["a"], [], []]
    binary = pl.DataFrame({"b": [1, 0, None], "a": [True, False, True]})
    assert list(from_frame(binary, "binary").item_lists()) == [["a", "b"], [], ["a", "?b"]]
    table = pl.DataFrame({"age": [29, 30, None, 65], "sex": ["F", None, "M", "F"]})
    items = [["age=[..30)", "sex=F"], ["age=[30..65)"], ["sex=M"], ["age=[65..)", "sex=F"]]
    assert list(from_frame(table, "table", cuts={"age": [30, 65]}).item_lists()) == items
    assert from_frame(table, "table", columns="sex").items == ("sex=F", "sex=M")
    assert list(from_frame(binary.to_pandas(use_pyarrow_extension_array=True), "binary").item_lists())[0] == ["a", "b"]


def test_the_form_is_seen_where_it_shows(tmp_path):
    for name, frame in {
        "long": pl.DataFrame({"id": ["x", "y"], "item": ["a", "b"]}),
        "binary": pl.DataFrame({"a": [1, 0], "b": [1, 1], "c": [0, 0]}),
    }.items():
        frame.write_csv(tmp_path / f"{name}.csv")
        assert read_baskets(tmp_path / f"{name}.csv").size == 2
    pl.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}).write_csv(tmp_path / "other.csv")
    with pytest.raises(TacitError, match="form="):
        read_baskets(tmp_path / "other.csv")


def test_spmf_names_and_comments(tmp_path):
    (tmp_path / "a.dat").write_text("@CONVERTED_FROM_TEXT\n@ITEM=1=red apple\n% a note\n1 2\n2 2\n")
    found = read_baskets(tmp_path / "a.dat")
    assert list(found.item_lists()) == [["2", "red apple"], ["2"]] and found.doubled == 1


def test_bad_files_are_answered(tmp_path):
    (tmp_path / "empty.basket").write_text("")
    (tmp_path / "header.csv").write_text("id,item\n")
    (tmp_path / "latin.basket").write_bytes("caf\xe9".encode("latin-1"))
    for name in ("empty.basket", "header.csv", "latin.basket", "absent.basket"):
        with pytest.raises(TacitError) as caught:
            read_baskets(tmp_path / name)
        assert caught.value.fix
    with pytest.raises(TacitError, match="row 2") as caught:
        from_frame(pl.DataFrame({"a": ["0", "SECRET"]}), "binary")
    assert "SECRET" not in str(caught.value)
    with pytest.raises(TacitError, match="row 1"):
        from_frame(pl.DataFrame({"id": [None, 1], "item": ["a", "b"]}), "long")
    frame = pl.DataFrame({"age": [1.0], "sex": ["F"]})
    for wrong in (
        {"form": "wide"},
        {"form": "long", "columns": "age"},
        {"form": "list", "columns": ["age", "sex"]},
        {"form": "long", "cuts": {"age": [1]}},
    ):
        with pytest.raises(TacitError):
            from_frame(frame, **wrong)
    for cuts in ({"agee": [1]}, {"age": [2, 1]}, {"age": []}, {"age": "12"}, {"sex": [1]}):
        with pytest.raises(TacitError) as caught:
            from_frame(frame, "table", cuts=cuts)
        assert caught.value.column == next(iter(cuts))
    with pytest.raises(TacitError, match="comma"):
        write_baskets(Baskets.of([["a, b"]]), tmp_path / "b.basket")
    with pytest.raises(TacitError, match="separator"):
        write_baskets(Baskets.of([["a;b"]]), tmp_path / "b.csv", form="list")
    with pytest.raises(TacitError, match="hide_rules"):
        write_baskets(Baskets.of([["a"]]), tmp_path / "b.csv", form="table")
    assert not list(tmp_path.glob("b.*")) and not list(tmp_path.glob(".*"))
