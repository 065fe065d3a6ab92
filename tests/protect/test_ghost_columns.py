"""Columns linked to a suppressed one lose the same cells; strata keep k within each of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Pipeline, SuppressCells, SuppressRecords, from_json, to_json


def table(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    place = rng.zipf(1.6, rows) % 12
    return pl.DataFrame(
        {
            "zip": [f"Z{one:02}" for one in place],
            "city": [None if one == 3 else f"city {one}" for one in place],
            "region": [f"region {one // 4}" for one in place],
            "age": rng.integers(0, 6, rows),
            "stratum": rng.choice(["a", "b"], rows),
        }
    )


@given(rows=st.integers(10, 200), seed=st.integers(0, 99), missing=st.sampled_from(["own", "any"]))
def test_ghosts_lose_the_cells_of_the_column_they_hang_on(rows, seed, missing):
    # catalogue: E-13; sdcMicro's ghost variables
    frame = table(rows, seed)
    release = Release(frame, quasi=["zip", "age"], missing=missing)
    plain = release.protect(SuppressCells(k=3), seed=1)
    method = SuppressCells(k=3, linked={"zip": ["city", "region"], "age": "region"})
    found = release.protect(method, seed=1)
    after, lost = found.to_native(), plain.to_native()
    assert after.select("zip", "age").equals(lost.select("zip", "age")), "linked columns do not change the search"
    zip_lost, age_lost = lost["zip"].is_null(), lost["age"].is_null()
    assert (after["city"].is_null() == (zip_lost | frame["city"].is_null())).all()
    assert (after["region"].is_null() == (zip_lost | age_lost)).all()
    kept = after["region"].is_not_null()
    assert (after["region"].filter(kept) == frame["region"].filter(kept)).all()
    counts = found.trace[0].outcome["suppressed"].value
    assert counts.get("city", 0) == int((zip_lost & frame["city"].is_not_null()).sum())
    assert dict(found.release.suppressed) == counts
    assert found.evidence["cost"] == plain.evidence["cost"]
    assert from_json(to_json(method)) == method


@pytest.mark.parametrize("missing", ["own", "any"])
def test_strata_keep_k_within_each(missing):
    """Counted by all pairs: every record is matched by 3 of its own stratum; without strata some are not."""
    frame = table(150, 5)
    release = Release(frame, quasi=["zip", "age"], missing=missing)

    def matched(after: pl.DataFrame) -> int:
        rows = after.select("zip", "age", "stratum").rows()
        same = (lambda a, b: a == b or None in (a, b)) if missing == "any" else (lambda a, b: a == b)
        return min(sum(same(a, x) and same(b, y) and s == t for a, b, s in rows) for x, y, t in rows)

    found = release.protect(SuppressCells(k=3, strata="stratum"), seed=1)
    assert matched(found.to_native()) >= 3
    assert all(verdict.holds for verdict in found.evidence["verdicts"]) and len(found.evidence["verdicts"]) == 2
    assert matched(release.protect(SuppressCells(k=3), seed=1).to_native()) < 3
    # the way to do it without strata, which may blank the stratum too
    wider = Release(frame, quasi=["zip", "age", "stratum"], missing=missing)
    priced = wider.protect(SuppressCells(k=3, importance={"stratum": 1e6}), seed=1)
    assert not priced.to_native()["stratum"].null_count()
    assert matched(priced.to_native()) >= 3


def test_records_within_strata_are_suppressed_by_adding_the_strata_to_the_keys():
    frame = table(300, 2)
    left = Release(frame, quasi=["zip", "age", "stratum"]).protect(SuppressRecords(k=3)).to_native()
    assert min(Counter(left.select("zip", "age", "stratum").rows()).values()) >= 3


def test_households_lose_linked_cells_together():
    frame = table(100, 1).with_columns(home=pl.Series(np.repeat(np.arange(50), 2)))
    home = frame.group_by("home", maintain_order=True).first().select("home", "zip", "city")
    frame = frame.drop("zip", "city").join(home, on="home")
    release = Release(frame, quasi=["zip", "age"], household="home", missing="own")
    after = release.protect(SuppressCells(k=4, linked={"zip": "city"}), seed=1).to_native()
    assert after.group_by("home").agg(pl.col("zip", "city").is_null().n_unique())["zip"].max() == 1
    assert (after["city"].is_null() == (after["zip"].is_null() | frame["city"].is_null())).all()
    with pytest.raises(TacitError, match="differ within households"):
        release.protect(SuppressCells(k=4, strata="stratum"), seed=1)


def test_a_pipeline_passes_linked_columns_on():
    release = Release(table(100, 1), quasi=["zip", "age"], missing="own")
    done = release.protect(Pipeline(steps=[SuppressCells(k=3, linked={"zip": "city"})]), seed=1)
    assert done.to_native()["city"].null_count() >= done.to_native()["zip"].null_count()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"linked": {"region": ["city"]}}, "'region' is not a quasi-identifier"),
        ({"linked": {"zip": ["age"]}}, "'age' is linked to 'zip' and is a quasi-identifier itself"),
        ({"linked": {"zip": ["citty"]}}, "did you mean 'city'"),
        ({"linked": {"zip": ["zip"]}}, "linked to itself"),
        ({"linked": ["zip"]}, "not given by column"),
        ({"linked": {"zip": []}}, "no column is named"),
        ({"strata": "zip"}, "makes the strata and is a quasi-identifier"),
        ({"strata": "city"}, "'city' makes strata of which the smallest has 1 records, fewer than k=3"),
        ({"strata": "region", "linked": {"zip": ["region"]}}, "'region' is linked to 'zip' and makes the strata"),
    ],
)
def test_mistakes_are_answered(given, text):
    frame = table(100, 1).with_columns(
        city=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("alone")).otherwise("city")
    )
    with pytest.raises(TacitError, match=text):
        Release(frame, quasi=["zip", "age"], missing="own").protect(SuppressCells(k=3, **given), seed=1)


@pytest.mark.parametrize(("missing", "blanks"), [("own", 7), ("any", 4)])
def test_a_stratum_of_k_will_do_and_one_less_will_not(missing, blanks):
    frame = pl.DataFrame({"zip": list("abcdefg"), "stratum": ["a"] * 4 + ["b"] * 3})
    release = Release(frame, quasi="zip", missing=missing)
    assert release.protect(SuppressCells(k=3, strata="stratum"), seed=1).to_native()["zip"].null_count() == blanks
    with pytest.raises(TacitError, match="'stratum' makes strata of which the smallest has 3 records, fewer than k=4"):
        release.protect(SuppressCells(k=4, strata="stratum"), seed=1)
