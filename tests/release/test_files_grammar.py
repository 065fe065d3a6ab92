"""The grammar of CSV: what it accepts is read alike by everybody, and where a block ends does not matter."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.release.files import delimited, load
from tacit.release.files.delimited import Structure, structure_of

ENGINES = ["polars", "duckdb"]


def rows_of(path: Path, engine: str) -> list[tuple[object, ...]]:
    frame = load(path, engine=engine).frame
    return frame.rows() if isinstance(frame, pl.DataFrame) else frame.fetchall()


def outcome(text: bytes, columns: int, block: int) -> Structure | str:
    usual, delimited.BLOCK = delimited.BLOCK, block
    try:
        return structure_of(io.BytesIO(text), ",", columns)
    except TacitError as problem:
        return problem.what
    finally:
        delimited.BLOCK = usual


def slow(text: str, columns: int) -> int | None:
    """Rows below the header by a walk over the letters, or None where the grammar is broken."""
    rows, cells, cell, inside, closed = [], 1, "", False, False
    for place, letter in enumerate(text if text.endswith("\n") else text + "\n"):
        last = place + 1 >= len(text)
        if inside:
            inside, closed, cell = letter != '"', letter == '"', cell + letter
        elif letter == '"' and (not cell or closed):
            inside, closed, cell = True, False, cell + letter
        elif letter in ",\n":
            rows += [None if cells == 1 and cell in ("", "\r") else cells] if letter == "\n" else []
            cells, cell, closed = (1 if letter == "\n" else cells + 1), "", False
        elif letter == "\r" and not last and text[place + 1] == "\n":
            cell = cell or letter
        elif letter in '"\r' or closed:
            return None
        else:
            cell += letter
    while columns > 1 and rows and rows[-1] is None:
        rows.pop()
    full = [1 if row is None and columns == 1 else row for row in rows]
    return len(full) - 1 if not inside and all(row == columns for row in full) else None


bodies = st.text(st.sampled_from('a",\n'), max_size=14) | st.text(st.sampled_from('aé",\n\r'), max_size=14)


@settings(max_examples=400)
@given(body=bodies, columns=st.sampled_from([1, 2]), block=st.integers(1, 7))
def test_the_check_is_that_of_a_walk_over_the_letters(body, columns, block):
    text = ("h\n" if columns == 1 else "h,i\n") + body
    found, at_once = outcome(text.encode(), columns, block), outcome(text.encode(), columns, 1 << 20)
    assert (
        found == at_once or isinstance(found, str) and isinstance(at_once, str)
    )  # which fault is told first may differ
    assert (found.rows if isinstance(found, Structure) else None) == slow(text, columns)


bare = st.text(st.sampled_from("aé '#\\\t;"), max_size=3)
quoted = st.text(st.sampled_from('a",\n\ré'), max_size=5).map(lambda cell: '"' + cell.replace('"', '""') + '"')
row = st.tuples(bare | quoted, bare | quoted, st.sampled_from(["\n", "\n", "\r\n"]))


@settings(max_examples=20)
@given(rows=st.lists(row, max_size=5), tail=st.sampled_from(["", "\n", "\r\n\n", "x,y"]))
def test_well_formed_texts_are_read_alike_by_all(tmp_path_factory, rows, tail):
    path = tmp_path_factory.mktemp("grammar") / "x.csv"
    text = "h,i\n" + "".join(f"{first},{second}{end}" for first, second, end in rows) + tail
    path.write_bytes(text.encode())
    expected = [
        tuple(cell or None for cell in row) for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row
    ]
    for engine in ENGINES:
        assert rows_of(path, engine) == expected[1:], engine


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"a,b\r\nx,2\r\n", [("x", 2)]),
        (b"a,b\nx,2\r\ny,3\n", [("x", 2), ("y", 3)]),
        (b"\xef\xbb\xbfa,b\nx,2", [("x", 2)]),
        (b"a,b\nx,2\n\n\r\n\n", [("x", 2)]),
        (b'"a","b"\n"x\r\n""y""","2"\n', [('x\r\n"y"', 2)]),
        (b"a,b\n", []),
        (b"a,b", []),
        (b"a;b\nx,y;2\n", [("x,y", 2)]),
        (b"a\tb\nx,y\t2\n", [("x,y", 2)]),
        (b"a|b\nx,y|2\n", [("x,y", 2)]),
        (b"a,b\n'x,2\n", [("'x", 2)]),
        (b"a,b\n#x,2\n", [("#x", 2)]),
        (b"a,b\nNULL,2\n", [("NULL", 2)]),
    ],
)
def test_texts_that_engines_read_differently(tmp_path, engine, text, rows):
    (tmp_path / "x.csv").write_bytes(text)
    assert rows_of(tmp_path / "x.csv", engine) == rows
    assert load(tmp_path / "x.csv", engine=engine).frame.columns == ["a", "b"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_blank_line_in_one_column_is_a_missing_value(tmp_path, engine):
    (tmp_path / "x.csv").write_text("a\n1\n\n3\n")
    assert rows_of(tmp_path / "x.csv", engine) == [(1,), (None,), (3,)]


@pytest.mark.parametrize("ends", [["\n"], ["\n", "\r\n"]], ids=["same", "mixed"])
def test_line_ends_in_quotes_do_not_confuse_the_parallel_reader(tmp_path, ends):
    """DuckDB 2.0 in parallel loses its place in such a file, about ten megabytes long."""
    rows = 60_000
    cell = '"x' + "1,2,3\n" * 30 + '"'
    text = "a,b,c\n" + "".join(f"{row},{cell},é{ends[row % len(ends)]}" for row in range(rows))
    (tmp_path / "x.csv").write_bytes(text.encode())
    table = load(tmp_path / "x.csv", engine="duckdb")
    found = table.frame.aggregate("count(*), sum(a)::BIGINT, max(length(b))").fetchall()
    assert found == [(rows, rows * (rows - 1) // 2, 181)]


def test_a_cell_of_megabytes_is_read(tmp_path):
    (tmp_path / "x.csv").write_text(f"a,b\n1,{'x' * 3_000_000}\n")
    for engine in ENGINES:
        assert len(rows_of(tmp_path / "x.csv", engine)[0][1]) == 3_000_000


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ['a "b" c', '"', "two\nlines", "a,b", '"><b>', "ł😀"])
def test_any_sign_can_be_in_a_name(tmp_path: Path, engine, name):
    quoted = name.replace('"', '""')
    (tmp_path / "f.csv").write_text(f'"{quoted}",pay\nN1,5\n', newline="")
    assert list(load(tmp_path / "f.csv", engine=engine).frame.columns) == [name, "pay"]
    assert rows_of(tmp_path / "f.csv", engine) == [("N1", 5)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "a?b.csv", "it's.csv"])
def test_wildcards_in_a_file_name_are_letters(tmp_path: Path, engine, name):
    (tmp_path / "axb.csv").write_text("a,b\n8,9\n")
    (tmp_path / name).write_text("a,b\n1,2\n")
    assert rows_of(tmp_path / name, engine) == [(1, 2)]
