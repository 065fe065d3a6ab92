"""Every mistake with a file is answered by its name and a remedy, and by nothing that stands in it."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from tacit.errors import TacitError
from tacit.release.files import load, loading, save

SECRET = "SECRETVALUE"
S = SECRET.encode()


def refused(path: Path, *parts: str, **options: object) -> TacitError:
    """The error, checked to name the file, the given parts and a fix, and to show no cell, not even as its cause."""
    with pytest.raises(TacitError) as caught:
        load(path, **options)
    problem: BaseException | None = caught.value
    text = str(problem)
    assert path.name in text and "\n  fix: " in text and len(caught.value.fix) > 5
    for part in parts:
        assert part in text, text
    while problem is not None:
        assert SECRET not in str(problem)
        problem = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    return caught.value


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["empty"]),
        (b"\n" + S + b",2\n", ["first line is blank"]),
        (b"a,a,b,b\n1,2,3,4\n", ["'a', 'b'", "same name"]),
        (b"Age,age\n1,2\n", ["'Age'", "'age'", "case"]),
        (b"a,,b\n1,2,3\n", ["column number 2", "empty name"]),
        (b"a, ,b\n1,2,3\n", ["column number 2", "empty name"]),
        (b"a,__tacit_row\n1,2\n", ["__tacit_row", "rename"]),
        (b"*,b\n1,2\n", ["'*'", "pattern"]),
        (b"^a$,b\n1,2\n", ["'^a$'", "pattern"]),
        (b"a,b\n1,2\n3," + S + b",4\n", ["line 3", "3 cells", "header has 2"]),
        (b"a,b\n1,2\n" + S + b"\n5,6\n", ["line 3", "1 cell ", "header has 2"]),
        (b'a,b\n"x\ny",2\n' + S + b"\n", ["line 4", "1 cell "]),
        (b"a,b\n1,2\n\n" + S + b",4\n", ["line 3", "blank"]),
        (b'a,b\n1,2\n5" ' + S + b",4\n", ["line 3", "quote"]),
        (b'a,b\n1, "' + S + b'"\n', ["line 2", "quote"]),
        (b'a,b\n"x"' + S + b",2\n", ["line 2", "quote"]),
        (b'a,b\n1,2\n3,"' + S + b"\n4,5\n", ["line 3", "never closed"]),
        (b'a,"b\n1,' + S + b"\n", ["line 1", "does not end"]),
        (b"a,b\r1," + S + b"\r", ["line 1", "carriage return"]),
        (b"a,b\n1,2\n3," + S + b"\rx\n", ["line 3", "carriage return"]),
        (b"a,b\n1,2\n" + S + b",\xe9\n", ["line 3", "UTF-8", "encoding='windows-1252'"]),
        (b"a,\xe9\n" + S + b",1\n", ["line 1", "UTF-8", "encoding='windows-1252'"]),
        (f"a,b\n{SECRET},1\n".encode("utf-16"), ["UTF-8", "encoding='utf-16'"]),
        (f"a,b\n{SECRET},1\n".encode("utf-32"), ["UTF-8", "encoding='utf-32'"]),
        (b"a,b\n1,2\n" + S + b",\0\n", ["line 3", "NUL"]),
        (b"PK\x03\x04\0\0" + S, ["line 1", "NUL"]),
    ],
    ids=lambda given: "-".join(given) if isinstance(given, list) else "",  # the path must not show the content
)
def test_a_bad_csv(tmp_path, engine, content, parts):
    (tmp_path / "data.csv").write_bytes(content)
    refused(tmp_path / "data.csv", *parts, engine=engine)


@pytest.mark.parametrize(
    ("header", "options", "parts"),
    [
        ("a;b;c", {"separator": ","}, ["separator=';'", "one column"]),
        ("a,b", {"separator": "\t"}, ["separator=','"]),
        ("a;b,c", {}, ["a comma and a semicolon", "separator="]),
        ("a,b", {"separator": ",", "decimal": ","}, ["decimal"]),
        ("a,b", {"separator": ",,"}, ["separator=',,'"]),
        ("a,b", {"decimal": "'"}, ["decimal=", "','"]),
        ("a,b", {"encoding": "utf-9"}, ["utf-9", "'utf-8'"]),
        ("a,b", {"encoding": "hex"}, ["hex", "'utf-8'"]),
        ("a,b", {"encoding": "utf-16"}, ["utf-16"]),
        ("a,b", {"engine": "duckbd"}, ["duckbd", "did you mean 'duckdb'"]),
        ("a,b", {"sheet": "one"}, ["sheet"]),
        ("patient,b", {"columns": ["patent"]}, ["patent", "did you mean 'patient'"]),
        ("a,b", {"columns": []}, ["columns="]),
    ],
)
def test_a_bad_option(tmp_path, header, options, parts):
    width = max(header.count(","), header.count(";")) + 1
    (tmp_path / "data.csv").write_text(f"{header}\n{','.join([SECRET] * width)}\n")
    with pytest.raises(TacitError) as caught:
        load(tmp_path / "data.csv", **options)
    assert all(part in str(caught.value) for part in parts) and SECRET not in str(caught.value)


def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path):
    (tmp_path / "patients.csv").write_text("a\n1\n")
    refused(tmp_path / "patient.csv", "no such file", "patients.csv")
    refused(tmp_path / "nowhere" / "x.csv", "no such file", "nowhere")
    refused(tmp_path / "zzz.parquet", "no such file", str(tmp_path))


def test_a_folder_and_an_unknown_suffix(tmp_path):
    (tmp_path / "patients.csv").write_text("a\n1\n")
    refused(tmp_path, "is a folder", "patients.csv")
    for name, hint in (
        ("x.json", ".parquet"),
        ("x.cvs", "did you mean '.csv'"),
        ("x.json.gz", ".csv"),
        ("noname", ".xlsx"),
    ):
        (tmp_path / name).write_text(SECRET)
        refused(tmp_path / name, hint)


def test_permission_denied(tmp_path, monkeypatch):
    """Root may read everything, so the system's answer is put in its place."""
    (tmp_path / "x.csv").write_text("a\n1\n")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", denied)
        refused(tmp_path / "x.csv", "permission", "owner")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(TacitError, match="permission to write"):
            save(pl.DataFrame({"a": [1]}), tmp_path / "y.csv")


@pytest.mark.parametrize(
    "name", ["x.parquet", "x.arrow", "x.feather", "x.xlsx", "x.dta", "x.sav", "x.sas7bdat", "x.csv.gz"]
)
def test_a_damaged_file_of_every_format(tmp_path, name):
    (tmp_path / name).write_bytes(S * 500)
    refused(tmp_path / name)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".xlsx", ".dta", ".sav"])
def test_half_a_file_of_every_format(tmp_path, suffix):
    """A cut file may be found short at once or when it is read, never taken for a smaller table."""
    frame = pl.DataFrame({"name": [f"{SECRET}{row}" for row in range(5000)], "x": range(5000)})
    save(frame, tmp_path / f"x{suffix}")
    whole = (tmp_path / f"x{suffix}").read_bytes()
    (tmp_path / f"x{suffix}").write_bytes(whole[: len(whole) // 2])
    refused(tmp_path / f"x{suffix}")


def test_a_parquet_file_with_damaged_pages(tmp_path):
    frame = pl.DataFrame({"name": [f"{SECRET}{row}" for row in range(5000)]})
    save(frame, tmp_path / "x.parquet")
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    content[4:2000] = bytes(1996)
    (tmp_path / "x.parquet").write_bytes(content)
    refused(tmp_path / "x.parquet", "Parquet")


def test_half_a_compressed_csv(tmp_path):
    packed = gzip.compress(b"a,b\n" + b"".join(b"%d,%s\n" % (row, S) for row in range(9999)))
    (tmp_path / "x.csv.gz").write_bytes(packed[: len(packed) // 2])
    refused(tmp_path / "x.csv.gz", "damaged")


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_names_in_parquet_and_arrow_are_checked_before_an_engine_renames_them(tmp_path, engine):
    doubled = pa.table([[1], [2]], names=["a", "a"])
    pq.write_table(doubled, tmp_path / "x.parquet")
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as sink, pa.ipc.new_file(sink, doubled.schema) as writer:
        writer.write_table(doubled)
    pq.write_table(pa.table([[1], [2]], names=["Zip", "zip"]), tmp_path / "y.parquet")
    refused(tmp_path / "x.parquet", "'a'", "same name", engine=engine)
    refused(tmp_path / "x.arrow", "'a'", "same name", engine=engine)
    refused(tmp_path / "y.parquet", "'Zip'", "'zip'", engine=engine)


@pytest.mark.parametrize(
    ("header", "parts"),
    [
        (["a", "", "b"], ["column number 2", "empty"]),
        (["a", "b", "a"], ["'a'", "same name"]),
        (["a", "A", "c"], ["case"]),
    ],
)
def test_headers_of_a_sheet(tmp_path, header, parts):
    with xlsxwriter.Workbook(tmp_path / "x.xlsx") as workbook:
        sheet = workbook.add_worksheet("people")
        sheet.write_row(0, 0, header)
        sheet.write_row(1, 0, [SECRET] * 3)
        workbook.add_worksheet("empty")
    refused(tmp_path / "x.xlsx", *parts)
    refused(tmp_path / "x.xlsx", "did you mean 'people'", sheet="peple")
    refused(tmp_path / "x.xlsx", "is empty", "sheet='people'", sheet="empty")


@pytest.mark.parametrize(
    ("name", "library"), [("x.xlsx", "fastexcel"), ("x.dta", "pyreadstat"), ("x.sav", "pyreadstat")]
)
def test_a_missing_library_is_answered_with_its_extra(tmp_path, monkeypatch, name, library):
    save(pl.DataFrame({"a": [1]}), tmp_path / name)
    monkeypatch.setitem(sys.modules, library, None)
    refused(tmp_path / name, library, "pip install 'tacit[files]'")


def test_nothing_is_left_behind_in_the_temporary_folder(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "x.csv").write_bytes("name,b\nJosé,1\n".encode("windows-1252"))
    refused(tmp_path / "x.csv", encoding="utf-16")
    assert load(tmp_path / "x.csv", encoding="windows-1252").frame.rows() == [("José", 1)]
    assert list(scratch.iterdir()) == []
    table = load(tmp_path / "x.csv", encoding="windows-1252", engine="duckdb")
    assert table.frame.fetchall() == [("José", 1)] and any(scratch.iterdir())
    del table
    assert list(scratch.iterdir()) == []


def test_an_unexpected_row_count_is_our_fault_and_says_so(tmp_path, monkeypatch):
    """The check of the grammar and the engine count rows independently; a difference is never passed over."""
    from tacit.release.files import delimited

    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n")
    described = delimited.check_csv_text

    def lying(*arguments: object) -> object:
        from dataclasses import replace

        text = described(*arguments)
        return replace(text, structure=replace(text.structure, rows=3))

    monkeypatch.setattr(delimited, "check_csv_text", lying)
    for engine in ("polars", "duckdb"):
        with pytest.raises(AssertionError, match="other rows"):
            loading.load(tmp_path / "x.csv", engine=engine)
