"""Parquet read column by column: the same codes and numbers as through a frame, and nothing that is not asked for."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError, read
from tacit.risk import k_anonymity

texts = st.lists(st.sampled_from(["b", "a", "", "NA", "zz", None, "é"]), min_size=1, max_size=60)


@given(texts, st.integers(1, 30), st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=60, max_size=60))
def test_codes_from_the_file_are_those_of_the_frame(tmp_path_factory, values, group, numbers):
    frame = pl.DataFrame(
        {"t": pl.Series(values, dtype=pl.String), "n": pl.Series(numbers[: len(values)], dtype=pl.Int64)}
    )
    path = tmp_path_factory.mktemp("p") / "x.parquet"
    frame.write_parquet(path, row_group_size=group)
    release = read(path, missing_values=["NA"])
    plain = frame.with_columns(pl.col("t").replace(["", "NA"], [None, None]))
    for column in ("t", "n"):
        ours, reference = release.codes(column), Release(plain).codes(column)
        assert ours.dictionary.to_list() == reference.dictionary.to_list()
        assert ours.codes.tolist() == reference.codes.tolist()
        assert ours.has_missing == reference.has_missing


def test_only_the_columns_that_are_asked_for_are_read(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": ["x", "x", "y"], "b": [1, 2, 3]}).write_parquet(path)
    release = read(path, quasi="a")
    assert k_anonymity(release).value == 1
    assert "_loaded" not in vars(release._table)
    assert release.to_native().to_dict(as_series=False) == {"a": ["x", "x", "y"], "b": [1, 2, 3]}


def test_a_file_that_changes_underneath_is_noticed(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": ["x", "y"]}).write_parquet(path)
    release = read(path, quasi="a")
    pl.DataFrame({"a": ["x", "y", "z"]}).write_parquet(path)
    with pytest.raises(TacitError, match="changed while it was being read"):
        k_anonymity(release)


def test_a_damaged_file_is_an_error_of_ours(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": ["SECRET" * 40, "y"] * 500}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[20:120] = b"\xff" * 100
    path.write_bytes(content)
    with pytest.raises(TacitError, match="fix:") as caught:
        k_anonymity(read(path, quasi="a"))
    assert "SECRET" not in str(caught.value)
