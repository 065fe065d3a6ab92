"""The one rule of types: a slow oracle, both engines, and the traps that made it necessary."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.release.files import load
from tacit.release.files.typing import TypeRule

ENGINES = ["polars", "duckdb"]


def read(path: Path, engine: str, **options: object) -> pl.DataFrame:
    table = load(path, engine=engine, **options)
    return table.frame if isinstance(table.frame, pl.DataFrame) else table.frame.pl()


def write_csv(path: Path, columns: dict[str, list[str]], *, end: str = "\n", separator: str = ",") -> None:
    quoted = {
        name: ['"' + cell.replace('"', '""') + '"' if set(cell) & set('",;\r\n') else cell for cell in cells]
        for name, cells in columns.items()
    }
    lines = [separator.join(quoted), *(separator.join(row) for row in zip(*quoted.values(), strict=True))]
    path.write_bytes((end.join(lines) + end).encode())


def is_integer(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(digits)) == digits and len(digits) <= 18


def is_number(cell: str) -> bool:
    whole = cell.removeprefix("-").lower().partition("e")[0].partition(".")[0]
    if not set(cell) <= set("0123456789.eE+-") or cell.startswith("+") or len(whole) > 18:
        return False
    if len(whole) > 1 and whole.startswith("0") or len(cell.lower().partition("e")[2].lstrip("+-")) > 3:
        return False
    try:
        return abs(float(cell)) < float("inf")
    except ValueError:
        return False


def is_date(cell: str) -> bool:
    try:
        return dt.date.fromisoformat(cell).isoformat() == cell
    except ValueError:
        return False


def oracle(cells: list[str], missing: tuple[str, ...]) -> pl.Series:
    there = [cell if cell not in ("", *missing) else None for cell in cells]
    numeric = [None if cell in ("NaN", "nan") else cell for cell in there]
    if not any(numeric):
        return pl.Series(numeric, dtype=pl.String)
    if all(is_integer(cell) for cell in numeric if cell is not None):
        return pl.Series([None if cell is None else int(cell) for cell in numeric], dtype=pl.Int64)
    if all(is_number(cell) for cell in numeric if cell is not None):
        return pl.Series([None if cell is None else float(cell) for cell in numeric], dtype=pl.Float64)
    if all(is_date(cell) for cell in there if cell is not None):
        return pl.Series([None if cell is None else dt.date.fromisoformat(cell) for cell in there], dtype=pl.Date)
    return pl.Series(there, dtype=pl.String)


integers = st.integers(-(10**20), 10**20).map(str) | st.integers(-99, 99).map(str)
numbers = st.floats(allow_nan=False).map(repr) | st.from_regex(
    r"-?0?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{1,3})?", fullmatch=True
)
dates = st.dates().map(str) | st.from_regex(r"(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]", fullmatch=True)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
awkward = st.sampled_from(
    [
        "NaN",
        "nan",
        "NA",
        "-0",
        "007",
        "1e999",
        "1e5",
        "+1",
        ".",
        "-",
        "2021-02-30",
        "1.",
        ".5",
        '"',
        "a,b",
        "x\ny",
        " 1",
    ]
)
column = st.one_of(
    *(
        st.lists(st.one_of(*[plain] * 8, st.just(""), st.just("NA"), st.just("NaN")), min_size=4, max_size=4)
        for plain in (integers, numbers, dates, texts, awkward, st.integers(0, 9).map(str), st.floats(-1, 1).map(repr))
    )
)


@settings(max_examples=25)
@given(columns=st.lists(column, min_size=1, max_size=5), end=st.sampled_from(["\n", "\r\n"]))
def test_both_engines_obey_the_rule(tmp_path_factory, columns, end):
    path = tmp_path_factory.mktemp("rule") / "data.csv"
    write_csv(path, {f"c{place}": cells for place, cells in enumerate(columns)}, end=end)
    expected = pl.DataFrame({f"c{place}": oracle(cells, ("NA",)) for place, cells in enumerate(columns)})
    for engine in ENGINES:
        found = read(path, engine, missing_values=["NA"])
        assert found.schema == expected.schema, engine
        assert found.equals(expected), engine


@settings(max_examples=6)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), point=st.sampled_from([".", ","]))
def test_every_finite_float_is_a_number_with_either_decimal_sign(tmp_path_factory, values, point):
    path = tmp_path_factory.mktemp("float") / "data.csv"
    write_csv(
        path, {"x": [repr(value).replace(".", point) for value in values], "y": ["1"] * len(values)}, separator=";"
    )
    for engine in ENGINES:
        found = read(path, engine, decimal=point)["x"]
        assert found.cast(pl.Float64).to_list() == values


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["01234", "99999"], pl.String),
        (["1", "x"], pl.String),
        (["12345678901234567890", "1"], pl.String),
        (["123456789012345678", "-1"], pl.Int64),
        (["1", "NaN", ""], pl.Int64),
        (["1.5", "nan"], pl.Float64),
        (["NaN", ""], pl.String),
        (["", ""], pl.String),
        (["2020-02-29", ""], pl.Date),
        (["2021-02-29", "2021-01-01"], pl.String),
        (["0000-01-01", "2021-01-01"], pl.String),
        (["2021-1-1", "2021-01-01"], pl.String),
        (["1e308", "2"], pl.Float64),
        (["1e309", "2"], pl.String),
        (["١٢", "12"], pl.String),
        (["true", "false"], pl.String),
    ],
)
def test_types_of_known_columns(tmp_path, engine, cells, dtype):
    write_csv(tmp_path / "x.csv", {"c": cells, "d": ["q"] * len(cells)})
    assert read(tmp_path / "x.csv", engine)["c"].dtype == dtype


@pytest.mark.parametrize("engine", ENGINES)
def test_a_late_row_decides_the_type(tmp_path, engine):
    """All rows count, not the first thousand."""
    rows = 5000
    late = {"number": "1.5", "text": "x", "leading zero": "07", "nothing": ""}
    write_csv(tmp_path / "x.csv", {name: ["1"] * rows + [cell] for name, cell in late.items()})
    assert read(tmp_path / "x.csv", engine).dtypes == [pl.Float64, pl.String, pl.String, pl.Int64]


def test_both_engines_agree_on_many_rows(tmp_path):
    rows = 100_000
    frame = pl.DataFrame({"row": range(rows)}).select(
        "row",
        zip=(pl.col("row") * 7919 % 100_000).cast(pl.String).str.zfill(5),
        income=pl.when(pl.col("row") % 10 > 0).then((pl.col("row") * 0.37).sin() * 1e5),
        birth=pl.date(1900, 1, 1) + pl.duration(days=pl.col("row") % 40_000),
        text=pl.when(pl.col("row") % 3 > 0).then(pl.format('a "{}",\nb', "row")),
    )
    frame.write_csv(tmp_path / "x.csv")
    for engine in ENGINES:
        assert read(tmp_path / "x.csv", engine).equals(frame), engine


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_columns_asked_for_are_given_in_that_order(tmp_path, engine):
    write_csv(tmp_path / "x.csv", {"a": ["1"], "b": ["2"], "c": ["x"]})
    assert read(tmp_path / "x.csv", engine, columns=["c", "a"]).to_dicts() == [{"c": "x", "a": 1}]


@pytest.mark.parametrize("engine", ENGINES)
def test_thousands_are_numbers_where_the_user_says_so_and_codes_stay_as_they_are_written(
    tmp_path: Path, engine: str
) -> None:
    turnover, pay = ["1,299,577", "85241", "-1,000", ""], ["1,234.50", "12.5", "999", "1e3"]
    columns = {"turnover": turnover, "pay": pay, "odd": ["1,29", "1", "2", "3"], "nace": ["10.20", "13.1", "1", "2"]}
    write_csv(tmp_path / "x.csv", columns)
    found = read(tmp_path / "x.csv", engine, thousands=",", as_written=["nace"])
    assert found["turnover"].to_list() == [1299577, 85241, -1000, None]
    assert found["pay"].to_list() == [1234.5, 12.5, 999.0, 1000.0]
    assert found["odd"].dtype == pl.String  # two digits are no thousand
    assert found["nace"].to_list() == columns["nace"]
    assert read(tmp_path / "x.csv", engine)["turnover"].dtype == pl.String


def test_a_sign_cannot_separate_thousands_and_decimals() -> None:
    for sign in (",", ";"):
        with pytest.raises(TacitError, match="cannot separate thousands"):
            TypeRule(decimal=",", thousands=sign)
