"""What is written is read back, in every format and from both engines."""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import subprocess
import sys
import zlib

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lazily import relation

from tacit.errors import TacitError
from tacit.release.files import FORMATS, engine_choice, load, save
from tacit.release.files.missing import normalise_missing

WRITTEN = [form for form in FORMATS.values() if form.written]
SUFFIXES = [suffix for form in WRITTEN for suffix in form.suffixes]
FIRST_SUFFIXES = [form.suffixes[0] for form in WRITTEN]
FRAME = pl.DataFrame(
    {
        "sex": [1, 2, None, 2],
        "income": [1.5, None, 0.1, -99.25],
        "name": ["O'Neil", None, 'é, "x"', "two\nlines"],
        "born": [dt.date(2020, 1, 1), None, dt.date(1950, 2, 3), dt.date(1901, 1, 1)],
        "zip": ["01234", "00001", None, "99999"],
    }
)
LABELS = {"sex": "Sex of the patient", "income": "Yearly income"}
VALUE_LABELS = {"sex": {1: "male", 2: "female"}}
# Three rows (41, Ulm), (missing, ''), (7, Bonn) with the label "Age in years", written by ReadStat.
SAS = """\
eNpjYECAQ68aEzaLCJ7fO4mDgfO4YY+EvICgsRKDsTEjkyEjRIkIAwMzI4q4MaOyMYOICIMCMyPMnGDHYAU3Tx9XF8cQx2DXEAVcgIEAAOmHqZ
vDF7Wjvei+I4zGUCwAwYxowpZ6BiYGhr6mPpl5pRVI4sZ6hgZ6BrqGhmYGeoaGeoboxlVYmMWbmSD4IHsvOJjehWF09TN23fmH7E6GUTAKRsEo
GAWjYBSMglEwCkbBKBgFo2AQgZnQfis6mMsOZTDxMnABqRs8EK4GM6q6A1BxCTT9GVwQOoIJVVwGKu4DE4B22D9wQmgdNPEtUHEbNPE6qLgZmr
gdVNwBzT3/OPCLoxkDAQ0uDqE5uZijFRd/1GMfxZBxcMrPyyNudGMUjIJRMApGwSgYBQMD/v3+Dwb01a/BwAPTD9H+XwnKl4I1uoCQkYEJzkOd
1fgD1aWBZi64KcPCyABr0oCbWiyoDTCo1v+I9poKA6RJZ8LAgmbeX6haC4SQCPocDniOJ8Q1IDE9lcExPVUhM0+hMjWxqLgkvzwPm6NhZsHsYq
dRzPKwo4YVLATZ0Np5bGh+ZURzHzr/P5o6VjR1rGgxy4jmT3Q+NAERTEG/iFT38z9lKXqogW9AAMkjqOA7EID7FbD0gCYvaKCE0m9hxmE+urlS
6OlWAFU+GC2d/B9h8UGr/iipgBEt/mB8TjQ+NxqfF43PQTOfciCVtyJI9vCA2TJE2swCdCkjkERN3yvgLGbcQQMGAGIe4yM="""


def collected(table) -> pl.DataFrame:
    return table.frame if isinstance(table.frame, pl.DataFrame) else table.frame.pl()


@pytest.fixture(params=["polars", "duckdb"])
def held(request):
    """The frame on each engine that can be written from."""
    if request.param == "polars":
        return lambda frame: frame
    return relation


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_round_trip_keeps_values_types_and_labels(tmp_path, held, suffix):
    path = tmp_path / f"x{suffix}"
    save(held(FRAME), path, labels=LABELS, value_labels={**VALUE_LABELS, "gone": {1: "x"}})
    for engine in ("polars", "duckdb"):
        table = load(path, engine=engine)
        assert collected(table).equals(FRAME) and collected(table).schema == FRAME.schema
        labelled = suffix in (".dta", ".sav")
        assert table.labels == (LABELS if labelled else {})
        assert table.value_labels == (VALUE_LABELS if labelled else {})
        assert (table.connection is not None) == (engine == "duckdb")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@settings(max_examples=15)
@given(
    floats=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1),
    engine=st.sampled_from(["polars", "duckdb"]),
)
def test_floats_and_texts_come_back_equal_from_csv(tmp_path_factory, floats, engine):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    texts = [f'a"\r\n,é{value}' for value in floats]
    frame = pl.DataFrame({"x": pl.Series(floats, dtype=pl.Float64), "t": texts})
    save(frame if engine == "polars" else relation(frame), path)
    found = load(path).frame
    assert found["x"].cast(pl.Float64).to_list() == floats and found["t"].to_list() == texts


@pytest.mark.parametrize("suffix", FIRST_SUFFIXES)
def test_a_table_without_rows_and_a_column_without_values(tmp_path, held, suffix):
    empty = pl.DataFrame({"a": pl.Series([], dtype=pl.String), "b": pl.Series([], dtype=pl.String)})
    save(held(empty), tmp_path / f"x{suffix}")
    table = load(tmp_path / f"x{suffix}").frame
    assert table.columns == ["a", "b"] and table.height == 0
    nothing = pl.DataFrame({"a": ["x", "y"], "b": pl.Series([None, None], dtype=pl.String)})
    save(held(nothing), tmp_path / f"y{suffix}")
    assert load(tmp_path / f"y{suffix}").frame.equals(nothing)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_nan_and_empty_text_are_missing_and_types_are_ours(tmp_path, suffix, engine):
    frame = pl.DataFrame(
        {
            "f": [float("nan"), 1.5],
            "g": pl.Series([float("nan"), 0.5], dtype=pl.Float32),
            "t": ["", "NA"],
            "c": pl.Series(["", "x"], dtype=pl.Categorical),
            "d": pl.Series(["1.25", "2.50"]).str.to_decimal(scale=2),
            "i": pl.Series([1, 2], dtype=pl.UInt8),
            "n": pl.Series([None, None], dtype=pl.Null),
        }
    )
    save(frame, tmp_path / f"x{suffix}")
    found = collected(load(tmp_path / f"x{suffix}", engine=engine, missing_values=["NA"]))
    assert found.rows() == [(None, None, None, None, 1.25, 1, None), (1.5, 0.5, None, "x", 2.5, 2, None)]
    assert found.dtypes == [pl.Float64, pl.Float64, pl.String, pl.String, pl.Float64, pl.Int64, pl.String]


def test_normalised_is_lazy_on_duckdb():
    relation = duckdb.sql("SELECT 'nan'::DOUBLE AS f, '' AS t, 3::UTINYINT AS i UNION ALL SELECT 1, 'x', NULL")
    ruled = normalise_missing(nw.from_native(relation))
    assert ruled.to_native().order("f").fetchall() == [(1.0, "x", None), (None, None, 3)]


def test_an_arrow_stream_is_read_as_well(tmp_path):
    table = FRAME.to_arrow()
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert load(tmp_path / "x.arrow").frame.equals(FRAME)


def test_compressed_and_foreign_text(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n1,\xc3\xa9\n"))
    (tmp_path / "x.csv").write_bytes("a;b\r\n1,5;é€\r\n".encode("windows-1252"))
    (tmp_path / "y.txt").write_bytes("a\tb\n1\té\n".encode("utf-16"))
    (tmp_path / "y.tsv.gz").write_bytes(gzip.compress("a\tb\n1\té\n".encode("latin-1")))
    for engine in ("polars", "duckdb"):
        assert collected(load(tmp_path / "x.csv.gz", engine=engine)).rows() == [(1, "é")]
        foreign = load(tmp_path / "x.csv", engine=engine, encoding="windows-1252", decimal=",")
        assert collected(foreign).rows() == [(1.5, "é€")]
        assert collected(load(tmp_path / "y.txt", engine=engine, encoding="utf-16")).rows() == [(1, "é")]
        assert collected(load(tmp_path / "y.tsv.gz", engine=engine, encoding="latin-1")).rows() == [(1, "é")]


def test_the_engine_follows_the_memory(tmp_path, monkeypatch):
    rows = pl.DataFrame({"x": range(1000)})
    for name in ("x.csv", "x.parquet", "x.arrow"):
        save(rows, tmp_path / name)
    text = (tmp_path / "x.csv").stat().st_size
    for memory, engine in ((12 * text, "polars"), (12 * text - 4, "duckdb")):
        monkeypatch.setattr(engine_choice, "available_memory", lambda memory=memory: memory)
        assert (load(tmp_path / "x.csv").connection is not None) == (engine == "duckdb")
    monkeypatch.setattr(engine_choice, "available_memory", lambda: 1)
    assert load(tmp_path / "x.parquet").connection is not None
    assert load(tmp_path / "x.arrow").connection is None


def test_the_memory_of_the_machine_is_plausible(monkeypatch, tmp_path):
    assert 2**26 < engine_choice.available_memory() < 2**50
    (tmp_path / "max").write_text("1048576\n")
    monkeypatch.setattr(engine_choice, "CONTAINER_LIMIT", tmp_path / "max")
    assert engine_choice.available_memory() == 2**20


def test_a_sheet_keeps_text_as_text_and_types_over_all_rows(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "x.xlsx") as workbook:
        workbook.add_worksheet("notes").write(0, 0, "not here")
        sheet = workbook.add_worksheet("data")
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(2, 1, ["whole", "late", "day", "moment", "zip", "error"])
        for row in range(1500):
            sheet.write_row(3 + row, 1, [row, "x" if row == 1400 else row])
            sheet.write_datetime(3 + row, 3, dt.datetime(2020, 1, 1), day)
            sheet.write_datetime(3 + row, 4, dt.datetime(2020, 1, 1, 12 if row == 7 else 0), day)
            sheet.write_string(3 + row, 5, "01234")
            sheet.write_formula(3 + row, 6, "=NA()", None, "#N/A") if row == 3 else sheet.write_number(3 + row, 6, 0.5)
    frame = load(tmp_path / "x.xlsx", sheet="data").frame
    assert frame.schema == {
        "whole": pl.Int64, "late": pl.String, "day": pl.Date, "moment": pl.Datetime("ms"), "zip": pl.String, "error": pl.Float64,
    }  # fmt: skip
    assert frame.height == 1500 and frame["error"].null_count() == 1 and frame["day"][0] == dt.date(2020, 1, 1)
    tricky = pl.DataFrame({"t": ["=1+1", "http://x.example", "007", "x" * 300], "n": [1.5, 2.0, None, 1e-9]})
    save(tricky, tmp_path / "y.xlsx")
    assert load(tmp_path / "y.xlsx").frame.equals(tricky)


def test_user_missing_codes_of_spss_become_missing_and_are_remembered(tmp_path):
    frame = pl.DataFrame({"sex": [1, 9, 2, 8], "income": [10.5, -99.0, -98.0, None], "town": ["Ulm", "XX", "", "Bonn"]})
    ranges = {"sex": [8, 9], "income": [{"lo": -99, "hi": -90}], "town": ["XX"]}
    labels = {"sex": {1: "male", 2: "female", 9: "refused"}}
    pyreadstat.write_sav(frame, tmp_path / "x.sav", missing_ranges=ranges, variable_value_labels=labels)
    table = load(tmp_path / "x.sav")
    assert table.frame.rows() == [(1, 10.5, "Ulm"), (None, None, None), (2, None, None), (None, None, "Bonn")]
    assert table.missing_codes == {"sex": (8, 9), "income": (-99, -98), "town": ("XX",)}
    assert table.value_labels == labels


def test_user_missing_codes_of_stata_become_missing_and_are_remembered(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"a": [1.5, "b", "a", 2.0], "i": [1, 2, 3, "z"], "t": ["x", "", "y", "z"]})
    pyreadstat.write_dta(frame, tmp_path / "x.dta", missing_user_values={"a": ["a", "b"], "i": ["z"]})
    table = load(tmp_path / "x.dta")
    assert table.frame.rows() == [(1.5, 1, "x"), (None, 2, None), (None, 3, "y"), (2.0, None, "z")]
    assert table.missing_codes == {"a": ("a", "b"), "i": ("z",)}
    assert load(tmp_path / "x.dta", columns=["t", "a"]).frame.columns == ["t", "a"]


def test_sas_is_read_and_not_written(tmp_path):
    (tmp_path / "x.sas7bdat").write_bytes(zlib.decompress(base64.b64decode(SAS)))
    table = load(tmp_path / "x.sas7bdat")
    assert table.frame.rows() == [(41, "Ulm"), (None, None), (7, "Bonn")]
    assert table.labels == {"age": "Age in years"} and table.source == "sas7bdat"
    with pytest.raises(TacitError, match=r"SAS can be read but not written") as caught:
        save(table.frame, tmp_path / "y.sas7bdat")
    assert ".dta (Stata)" in caught.value.fix and "sas7bdat" not in caught.value.fix


@pytest.mark.parametrize("suffix", FIRST_SUFFIXES)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"x{suffix}"
    save(FRAME, path)
    before = path.read_bytes()
    connection = duckdb.connect()
    failing = connection.sql(
        "SELECT CASE WHEN i = 90000 THEN error('SECRETVALUE') ELSE i END AS i FROM range(100000) t(i)"
    )
    with pytest.raises(TacitError) as caught:
        save(failing, path)
    assert "SECRETVALUE" not in str(caught.value) and path.name in str(caught.value)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(FRAME, path)
    assert path.read_bytes() == before and [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_targets_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    for path, part in (
        (tmp_path / "folder.csv", "is a folder"),
        (tmp_path / "none" / "x.csv", "does not exist"),
        (tmp_path / "file" / "x.csv", "is not a folder"),
        (tmp_path / "x.json", "no known format"),
        (tmp_path / "x.csv.gz", "not written"),
    ):
        with pytest.raises(TacitError, match=part) as caught:
            save(FRAME, path)
        assert path.name in str(caught.value)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder.csv"]


@pytest.mark.parametrize(
    ("column", "suffix", "part"),
    [
        ({"x": [[1]]}, ".csv", "list"),
        ({"x": [{"a": 1}]}, ".sav", "struct"),
        ({"x": [b"a"]}, ".xlsx", "binary"),
        ({"x": [dt.timedelta(1)]}, ".dta", "duration"),
        ({"x": [2**53 + 1]}, ".dta", "2^53"),
        ({"x": [-(2**53) - 1]}, ".xlsx", "2^53"),
        ({"two words": [1]}, ".dta", "Stata"),
        ({"x" * 33: [1]}, ".dta", "at most 32"),
        ({"1x": [1]}, ".sav", "SPSS"),
        ({"if": [1]}, ".dta", "Stata"),
    ],
)
def test_columns_that_a_format_has_no_place_for(tmp_path, column, suffix, part):
    with pytest.raises(TacitError) as caught:
        save(pl.DataFrame(column), tmp_path / f"y{suffix}")
    assert part in str(caught.value) and f"y{suffix}" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_written_file_has_the_usual_rights(tmp_path):
    save(FRAME, tmp_path / "x.parquet")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "x.parquet").stat().st_mode == (tmp_path / "plain").stat().st_mode


STREAMING = """
import resource, sys
from pathlib import Path
import duckdb
from tacit.release.files import save
duckdb.sql("SET enable_progress_bar = false")
table = duckdb.sql("SELECT i, repeat('x', 600) || i AS t FROM range(400000) r(i)")
save(table.limit(1000), Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
save(table, Path(sys.argv[1]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("suffix", [".csv", ".arrow"])
def test_a_relation_is_streamed(tmp_path, suffix):
    """The table has 240 MB; the peak of the process must grow by much less (Parquet is streamed by DuckDB itself)."""
    ran = subprocess.run([sys.executable, "-c", STREAMING, tmp_path / f"x{suffix}"], capture_output=True, check=True)
    assert int(ran.stdout) < 120
