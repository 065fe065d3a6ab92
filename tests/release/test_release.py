"""The release: roles, kinds, codes, hierarchies, and everything that a user may get wrong."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError, hierarchy
from tacit.release.codes import encode_column
from tacit.release.hierarchy.base import label_expression
from tacit.risk import k_anonymity

FRAME = pl.DataFrame(
    {"zip": ["N1CFFA", "N1CAAB"], "age": [43, 51], "birth": [dt.date(1962, 1, 24), None], "pay": [1.5, 2.0]}
)


@pytest.mark.parametrize(
    ("make", "shows"),
    [
        (lambda: Release(FRAME, quasi="zipp"), "did you mean 'zip'?"),
        (lambda: Release(FRAME, quasi=["zip", "zip"]), "named twice"),
        (lambda: Release(FRAME, quasi="zip", identifier="zip"), "two roles, identifier and quasi"),
        (lambda: Release(FRAME, quasi=7), "not as int"),
        (lambda: Release(FRAME, weight="zip"), "is the weight but holds text"),
        (lambda: Release(FRAME, weight=["age", "pay"]), "one weight column"),
        (lambda: Release(FRAME, kinds={"zip": "continuous"}), "declared continuous but holds text"),
        (lambda: Release(FRAME, kinds={"zip": "nominl"}), "did you mean 'nominal'?"),
        (lambda: Release(FRAME, missing="none"), "missing='none'"),
        (lambda: Release(FRAME, hierarchies={"pay": {"prefix": [3, 1]}}), "column 'pay' holds number"),
        (lambda: Release(FRAME, hierarchies={"zip": {"prefx": [3, 1]}}), "did you mean 'prefix'?"),
        (lambda: Release(FRAME, hierarchies={"zap": {"prefix": [3, 1]}}), "column 'zap' is not in the table"),
        (lambda: Release([1, 2]), "cannot be made from"),
        (lambda: Release(pl.DataFrame({"a": [[1]]})), "column 'a' holds values of type list"),
        (lambda: Release(pl.DataFrame({"a": [1], "A": [1]})), "only in case"),
        (lambda: Release(pl.DataFrame({"__tacit_row": [1]})), "private"),
        (lambda: Release(pd.DataFrame([[1, 2]], columns=["a", "a"])), "the same name: 'a'"),
        (lambda: Release(pd.DataFrame({"a": [1]}, index=["x"])), "reset_index"),
        (lambda: Release(pd.DataFrame({"a": [1, "SECRET", 2.5]})), "several types"),
        (lambda: k_anonymity(Release(FRAME)), "no quasi-identifier"),
        (lambda: k_anonymity(Release(FRAME.clear(), quasi="zip")), "no rows"),
        (lambda: Release(FRAME).values("birth"), "first in row 2"),
        (lambda: Release(FRAME).kind("age"), "an amount or a code"),
        (lambda: Release(pl.DataFrame({"w": [1.0, -2.0, None]}), weight="w"), "in 2 rows, the first of them row 2"),
    ],
)
def test_mistakes_are_named_with_a_remedy(make, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        make()
    assert shows in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_roles_kinds_and_repr():
    release = Release(FRAME, quasi=["zip", "birth"], confidential="pay", kinds={"age": "continuous"}, missing="own")
    assert release.roles == {"zip": "quasi", "age": "other", "birth": "quasi", "pay": "confidential"}
    assert release.kinds == {"zip": "nominal", "age": "continuous", "birth": "date", "pay": "continuous"}
    assert "N1CFFA" not in repr(release)
    assert release.select(["zip", "pay"]).quasi == ("zip",)
    assert release.weights().tolist() == [1.0, 1.0]


def test_suppressed_cells_are_missing_and_remembered():
    release = Release(FRAME, quasi="zip", missing="own")
    once = release.suppress_cells({"zip": np.array([True, False])})
    twice = once.suppress_cells({"zip": np.array([False, True])})
    assert once.series("zip").to_list() == [None, "N1CAAB"]
    assert (once.suppressed, twice.suppressed, release.suppressed) == ({"zip": 1}, {"zip": 2}, {})
    assert "__tacit_suppressed:zip" not in once.to_native().columns
    assert once.take(np.array([1])).suppressed == {"zip": 0}


@given(
    st.lists(st.one_of(st.none(), st.integers(-(10**12), 10**12)), min_size=1), st.sampled_from(["int", "str", "float"])
)
def test_codes_are_dense_sorted_and_give_the_values_back(values, form):
    cast = {"int": int, "str": str, "float": float}[form]
    given_values = [None if value is None else cast(value) for value in values]
    dtype = {"int": pl.Int64, "str": pl.String, "float": pl.Float64}[form]
    codes = encode_column(pl.Series(given_values, dtype=dtype))
    assert codes.dictionary.to_list() == sorted({value for value in given_values if value is not None})
    back = [None if code == codes.missing else codes.dictionary[int(code)] for code in codes.codes]
    assert back == given_values


def level(given_hierarchy, column, at, frame=FRAME):
    release = Release(frame, hierarchies={column: given_hierarchy})
    return (
        release.with_columns({column: label_expression(release.hierarchies[column], column, at)})
        .series(column)
        .to_list()
    )


def test_labels_of_the_worked_examples():
    # catalogue: E-12
    assert level({"prefix": [6, 3]}, "zip", 1) == ["N1C***", "N1C***"]
    assert level({"prefix": [6, 3]}, "zip", 2) == ["*", "*"]
    assert level({"dates": ["year", "decade"]}, "birth", 2) == ["196*-**-**", None]
    assert level({"intervals": [5, 10]}, "age", 1) == ["[40, 45)", "[50, 55)"]
    assert level({"intervals": [10], "origin": 5}, "age", 1) == ["[35, 45)", "[45, 55)"]
    assert level({"prefix": [2, 1]}, "age", 1) == ["4*", "5*"]
    assert level({"groups": {"young": [43], "old": [51]}}, "age", 1) == ["young", "old"]


def test_ip_addresses_of_the_worked_example():
    # catalogue: E-12: 172.169.2.132 → 172.169.0.0; five rows in classes of 3 and 2, so k = 2
    addresses = ["172.169.2.132", "172.169.7.1", "172.169.200.9", "10.20.3.4", "10.20.30.40"]
    frame = pl.DataFrame({"ip": addresses})
    kept = level({"ip": [2]}, "ip", 1, frame)
    assert kept == ["172.169.0.0"] * 3 + ["10.20.0.0"] * 2
    assert k_anonymity(Release(pl.DataFrame({"ip": kept}), quasi="ip")).value == 2
    assert level({"ip": [3, 1]}, "ip", 1, frame)[0] == "172.169.2.0"


@pytest.mark.parametrize(
    ("given_hierarchy", "shows"),
    [
        ({"prefix": [3, 3]}, "[3, 3]"),
        ({"intervals": [5, 12]}, "multiple of the one before"),
        ({"intervals": [0.5]}, "whole numbers"),
        ({"dates": ["decade", "year"]}, "grow coarser"),
        ({"dates": ["weekday"]}, "'weekday'"),
        ({"table": {"a": ["x", "t"], "b": ["x", "u"]}}, "not a tree"),
        ({"table": {"a": ["x"], "b": ["x", "u"]}}, "different lengths"),
        ({"ip": [4, 2]}, "[4, 2]"),
        ({"prefix": 3}, "not of the form"),
        ({}, "nothing in it"),
        (3, "cannot be made from int"),
        ("file_missing.csv", "'file_missing.csv' is not there"),
    ],
)
def test_hierarchy_mistakes(given_hierarchy, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        hierarchy(given_hierarchy)
    assert shows in str(caught.value)


def test_arx_files_are_read(tmp_path):
    file = tmp_path / "marital.csv"
    file.write_text("married;present;*\ndivorced;absent;*\nwidowed;absent;*\n")
    built = hierarchy(file)
    assert built.height == 2
    assert hierarchy(built.spec()) == built


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=40), st.sampled_from([2, 5, 7]))
def test_each_level_only_merges_what_the_one_below_keeps_apart(values, width):
    frame = pl.DataFrame({"x": values})
    ladder = {"intervals": [width, width * 3, width * 12]}
    for at in (1, 2, 3):
        parent: dict[str, str] = {}
        lower = level(ladder, "x", at, frame)
        for below, above in zip(lower, level(ladder, "x", at + 1, frame), strict=True):
            assert parent.setdefault(below, above) == above
    for value, label in zip(values, level(ladder, "x", 1, frame), strict=True):
        low, high = (int(part) for part in label.strip("[)").split(","))
        assert low <= value < high
        assert high - low == width


def test_a_table_under_other_roles_is_that_of_a_release_made_anew_and_keeps_its_codes():
    frame = pl.DataFrame({"zip": ["N1", "N1", "N2"], "sex": ["f", "m", "f"], "w": [1.0, 2.0, 3.0]})
    first = Release(frame, quasi="zip")
    coded = first.codes("zip")
    other = first.with_roles({"quasi": ["zip", "sex"], "weight": "w"}, kinds={"sex": "nominal"})
    anew = Release(frame, quasi=["zip", "sex"], weight="w", kinds={"sex": "nominal"})
    assert other.roles == anew.roles and other.kinds == anew.kinds and first.roles["sex"] == "other"
    assert other.codes("zip") is coded
    assert other.classes().sizes.tolist() == anew.classes().sizes.tolist()
    with pytest.raises(TacitError, match="'sex' is the weight but holds text"):
        first.with_roles({"weight": "sex"})
    with pytest.raises(TacitError, match="not positive in 1 rows, the first of them row 2"):
        Release(frame.with_columns(w=pl.Series([1.0, -2.0, 3.0]))).with_roles({"weight": "w"})
