"""Copies of the data are private and do not outlive their process (A10)."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tacit.release import scratch
from tacit.release.read import read
from tacit.release.scratch import list_leftovers, make_private_folder, remove_private_folder, scratch_inside


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_of_a_living_process_is_no_leftover_and_one_of_a_dead_one_is(tmp_path: Path) -> None:
    own = make_private_folder(tmp_path)
    code = (
        "import sys; from pathlib import Path; from tacit.release.scratch import make_private_folder as m; import os\n"
    )
    code += "print(m(Path(sys.argv[1])).name, flush=True); os.kill(os.getpid(), 9)"
    dead = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
    assert [path.name for path in list_leftovers(tmp_path)] == [dead.stdout.strip()]
    remove_private_folder(own)
    assert not own.exists() and mode(tmp_path / dead.stdout.strip()) == 0o700


def test_names_of_others_are_never_leftovers(tmp_path: Path) -> None:
    for name in (".tacit-draft", ".tacit-12-not-hex", "tacit-1-0a", ".tacit-999999999-0a"):
        (tmp_path / name).mkdir()
    assert list_leftovers(tmp_path) == [], "the last has no lock and is not a day old"
    os.utime(tmp_path / ".tacit-999999999-0a", (1, 1))
    assert [path.name for path in list_leftovers(tmp_path)] == [".tacit-999999999-0a"]


@pytest.mark.skipif(os.name != "posix", reason="there are no POSIX modes")
def test_copies_that_duckdb_makes_are_private_and_where_the_job_keeps_them(tmp_path: Path) -> None:
    data, place = tmp_path / "data.csv", tmp_path / "place"
    data.write_text("zip,age\n" + "".join(f"N{row % 7},{row}\n" for row in range(100)))
    with scratch_inside(place):
        release = read(data, engine="duckdb", quasi="zip")
        changed = release._table.with_columns({"age": pl.Series("age", range(100))})
        made = [path for path in place.rglob("*") if path.name != ".alive"]
        files = [path for path in made if path.is_file()]
        assert len(files) >= 2, "the test would pass without a copy"
        assert {mode(path) for path in files} == {0o600} and {mode(path) for path in place.iterdir()} == {0o700}
    del release, changed
    assert not list(place.rglob("*.parquet")), "they go with the tables"


def test_without_a_job_leftovers_in_the_temporary_folder_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    left = tmp_path / ".tacit-999999999-0a"
    left.mkdir()
    (left / "0.parquet").write_text("raw")
    (left / ".alive").touch()
    remove_private_folder(scratch.make_scratch_folder())
    assert list(tmp_path.iterdir()) == []
