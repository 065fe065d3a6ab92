"""The last guards before a file leaves: no identifier, no order of the original."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release, TacitError, protect, read, write

FRAME = pl.DataFrame({"name": ["Ann", "Bea", "Cat"], "zip": ["1", "2", "3"]})


def test_an_identifier_is_not_written(tmp_path):
    with pytest.raises(TacitError, match=r"column 'name' is an identifier(?s:.*)drop it"):
        write(Release(FRAME, identifier="name", quasi="zip"), tmp_path / "x.csv", order="kept")
    assert not list(tmp_path.iterdir())


def test_the_order_of_the_original_is_not_written_unless_one_insists(tmp_path):
    release = Release(FRAME, identifier="name", quasi="zip").protect(protect.DropIdentifiers()).release
    with pytest.raises(TacitError, match=r"order(?s:.*)Shuffle"):
        write(release, tmp_path / "x.csv")
    write(release, tmp_path / "x.csv", order="kept")
    assert (tmp_path / "x.csv").read_text() == "zip\n1\n2\n3\n"
    shuffled = release.protect(protect.Shuffle(), seed=1).release
    write(shuffled, tmp_path / "x.parquet")
    assert sorted(read(tmp_path / "x.parquet").series("zip")) == ["1", "2", "3"]


def test_rows_added_later_undo_the_shuffling():
    release = Release(FRAME, quasi="zip").protect(protect.Shuffle(), seed=1).release
    assert release.shuffled
    assert not release.append(FRAME.head(1)).shuffled
