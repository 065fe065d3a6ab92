"""A file format is one entry: another distribution adds one, and it is read, written and listed like ours."""

from importlib.metadata import EntryPoint
from pathlib import Path

import polars as pl
import pytest

from tacit import TacitError, read
from tacit.release.files import formats, load, save
from tacit.release.files.formats import FORMATS, Format, Formats, ReadOptions, WriteOptions, format_of, writable_name


def load_pairs(path: Path, options: ReadOptions) -> pl.DataFrame:
    lines = [line.split("=") for line in path.read_text(encoding="utf-8").splitlines()]
    return pl.DataFrame(lines, schema=options.columns or ["name", "value"], orient="row")


def save_pairs(frame: pl.DataFrame, path: Path, options: WriteOptions) -> None:
    top = [options.labels[name] for name in frame.columns if name in options.labels]
    rows = [f"{name}={value}" for name, value in frame.iter_rows()]
    path.write_text("\n".join([*top, *rows]), encoding="utf-8")


PAIRS = Format(name="pairs", title="pairs of the office", suffixes=(".pairs",), load=load_pairs, save=save_pairs)
ONLY_READ = Format(name="pairs", title="pairs of the office", suffixes=(".pairs",), load=f"{__name__}:load_pairs")
GREEDY = Format(name="pairs", title="pairs of the office", suffixes=(".pairs", ".csv"), load=load_pairs)
NO_FORMAT = "pairs"
OURS = list(FORMATS)


@pytest.fixture
def offer(monkeypatch):
    """A world in which another distribution offers this format."""

    def offered(form: object, name: str = "pairs") -> Formats:
        found = [EntryPoint(name, "office.files:PAIRS", "tacit.formats")]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found if group == "tacit.formats" else [])
        monkeypatch.setattr(EntryPoint, "load", lambda _: form)
        fresh = Formats()
        monkeypatch.setattr(formats, "FORMATS", fresh)
        return fresh

    return offered


def test_a_format_of_another_distribution_is_read_written_and_listed(offer, tmp_path):
    assert list(offer(PAIRS)) == [*OURS, "pairs"]
    file = tmp_path / "town.pairs"
    save(pl.DataFrame({"name": ["a", "b"], "value": [1, 2]}), file)
    assert file.read_text() == "a=1\nb=2"
    assert load(file).frame.rows() == [("a", "1"), ("b", "2")] and load(file).source == "pairs"
    assert load(file, engine="duckdb").frame.fetchall() == [("a", "1"), ("b", "2")]
    assert read(file).columns == ("name", "value")
    assert writable_name("town.pairs") == "town.pairs"
    with pytest.raises(TacitError) as refused:
        format_of(Path("town.pears"))
    assert refused.value.code == "unknown_format" and "did you mean '.pairs'?" in refused.value.fix


def test_what_a_format_cannot_do_is_refused_before_its_functions_are_called(offer, tmp_path):
    offer(ONLY_READ)
    with pytest.raises(TacitError) as refused:
        save(pl.DataFrame({"name": ["a"]}), tmp_path / "town.pairs")
    assert refused.value.code == "format_not_written" and list(tmp_path.iterdir()) == []
    (tmp_path / "town.pairs").write_text("a=1")
    with pytest.raises(TacitError, match="have no separator"):
        load(tmp_path / "town.pairs", separator=";")
    offer(PAIRS)
    with pytest.raises(TacitError) as refused:
        save(pl.DataFrame({"name": [["a"]]}), tmp_path / "lists.pairs")
    assert refused.value.column == "name"


@pytest.mark.parametrize(("form", "name"), [(GREEDY, "pairs"), (NO_FORMAT, "pairs"), (PAIRS, "csv")])
def test_a_format_that_is_none_or_takes_the_place_of_another_is_refused(offer, form, name):
    with pytest.raises(TacitError):
        len(offer(form, name))


def test_a_reader_that_fails_tells_no_cell(offer, tmp_path):
    (tmp_path / "town.pairs").write_text("mary")
    offer(PAIRS)
    with pytest.raises(TacitError) as refused:
        load(tmp_path / "town.pairs")
    assert "mary" not in str(refused.value) and refused.value.where == str(tmp_path / "town.pairs")
