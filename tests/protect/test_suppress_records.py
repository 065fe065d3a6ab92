import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models import KAnonymity
from tacit.protect import SuppressRecords

cells = st.sampled_from(["a", "b", None])
tables = st.lists(st.tuples(cells, cells), min_size=1, max_size=20)


def matching(row, other):
    return all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))


def survivors(rows, k, missing):
    """Five lines: remove who has fewer than k matches, until nobody has."""
    alike = matching if missing == "any" else lambda a, b: a == b
    left = list(range(len(rows)))
    while (kept := [i for i in left if sum(alike(rows[i], rows[j]) for j in left) >= k]) != left:
        left = kept
    return left


@given(tables, st.integers(2, 5), st.sampled_from(["own", "any"]))
def test_what_is_left_is_what_repeated_removal_leaves(rows, k, missing):  # catalogue: E-13
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    release = Release(frame, quasi=["x", "y"], missing=missing)
    left = survivors(rows, k, missing)
    if not left:
        with pytest.raises(TacitError, match="leaves none"):
            release.protect(SuppressRecords(k=k))
        return
    masked = release.protect(SuppressRecords(k=k))
    assert masked.rows().tolist() == left
    assert masked.release.to_native().rows() == [rows[i] for i in left]
    assert KAnonymity(k=k).holds(masked.release)
    assert masked.trace[0].outcome["removed"].value == len(rows) - len(left)
    assert (masked.lineage is None) == (len(left) == len(rows))


def test_removal_may_take_matches_from_others():
    # the wildcard (a, None) matches both a's; when it is removed in round 1, so are they in round 2
    rows = [("a", "x"), ("a", None), ("a", "y"), ("b", "x")]
    assert survivors(rows, 3, "any") == []
    release = Release(pl.DataFrame(rows, schema=["p", "q"], orient="row"), quasi=["p", "q"], missing="any")
    with pytest.raises(TacitError, match="k=3 leaves none of the 4 records"):
        release.protect(SuppressRecords(k=3))


def test_duckdb_gives_the_same_rows():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": rng.integers(0, 30, 200), "y": rng.integers(0, 3, 200), "id": range(200)})
    here = Release(frame, quasi=["x", "y"]).protect(SuppressRecords(k=3))
    there = Release(duckdb.from_arrow(frame.to_arrow()), quasi=["x", "y"]).protect(SuppressRecords(k=3))
    assert 0 < here.release.size < 200
    assert there.release.to_native().pl().equals(here.release.to_native())
    assert there.lineage.tolist() == here.lineage.tolist()


@pytest.mark.parametrize("k", [1, 0, 2.5, "2", None, True])
def test_k_is_checked(k):
    with pytest.raises(TacitError, match="k="):
        SuppressRecords(k=k)
