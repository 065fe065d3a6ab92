"""Column sets: how far they tell records apart, and the search for minimal ones (catalogue: A-03, C-08)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import Cancelled, TacitError
from tacit.release.codes import encode_column
from tacit.release.suggest import column_set, suggest
from tacit.release.suggest.search import SetSearch

CELL = st.one_of(st.none(), st.integers(0, 3))


@st.composite
def tables(draw, most_columns=5, most_rows=14):
    names = "abcdefgh"[: draw(st.integers(1, most_columns))]
    rows = draw(st.lists(st.tuples(*(CELL for _ in names)), min_size=1, max_size=most_rows))
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")


def alone(frame: pl.DataFrame, columns: tuple[str, ...]) -> int:
    keys = frame.select(columns).rows()
    return sum(keys.count(key) == 1 for key in keys)


def minimal_by_hand(frame: pl.DataFrame, wanted: int, largest: int) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for width in range(1, largest + 1):
        for columns in combinations(frame.columns, width):
            smaller = any(set(other) < set(columns) for other in found)
            if not smaller and alone(frame, columns) >= wanted:
                found.add(columns)
    return found


@given(tables())
def test_separation_distinction_and_uniqueness_are_those_counted_pair_by_pair(frame):
    keys, n = frame.rows(), frame.height
    apart = [one != other for one, other in combinations(keys, 2)]
    found = column_set(tacit.Release(frame), frame.columns)
    assert found.distinction == pytest.approx(len(set(keys)) / n)
    assert found.separation == pytest.approx(sum(apart) / len(apart) if apart else 0.0)
    assert found.unique_share == pytest.approx(alone(frame, tuple(frame.columns)) / n)


def test_a_column_set_is_the_same_on_duckdb():
    frame = tacit.examples.clinic(3000, seed=3).frame
    for columns in (["zip"], ["zip", "sex"], ["occupation", "income"]):
        on_duckdb = tacit.Release(duckdb.sql("SELECT * FROM frame"))
        assert column_set(on_duckdb, columns) == column_set(tacit.Release(frame), columns)


@given(tables(), st.sampled_from([0.3, 0.5, 0.9, 1.0]), st.integers(1, 4))
def test_the_search_finds_what_trying_every_set_finds(frame, share, largest):
    wanted = max(1, int(np.ceil(share * frame.height - 1e-9)))
    places = SetSearch([encode_column(column) for column in frame]).minimal_sets(alone=wanted, largest=largest)
    found = [tuple(frame.columns[place] for place in one) for one in places]
    assert len(found) == len(set(found))
    assert set(found) == minimal_by_hand(frame, wanted, largest)


@given(tables(most_columns=4), st.sampled_from([0.5, 0.9]))
def test_the_sets_of_a_suggestion_are_minimal_and_as_counted_by_hand(frame, share):
    found = suggest(tacit.Release(frame), unique_share=share)
    for one in (*found.singling_out, *found.keys):
        assert one.spread.alone == alone(frame, one.columns)
    combined = frame.select(column.column for column in found.columns if column.role != "identifier")
    wanted = int(np.ceil(share * frame.height - 1e-9))
    expected = minimal_by_hand(combined, wanted, 3) if combined.width else set()
    assert {one.columns for one in found.singling_out if set(one.columns) <= set(combined.columns)} == expected


def planted(rows: int = 1000) -> pl.DataFrame:
    """A pair of columns that is a key (40 × 25 values), one that is nearly one, and two columns that help nobody."""
    row = np.arange(rows)
    left, right = row % 40, row // 40
    slipped = np.where(row < 40, 1, right)
    return pl.DataFrame({"p": left, "q": right, "r": slipped + 100, "s": row % 2, "t": row % 3})


def test_planted_unique_pairs_are_found():
    found = suggest(tacit.Release(planted()), largest=2)
    assert {one.columns for one in found.keys} == {("p", "q")}
    assert {one.columns for one in found.singling_out} == {("p", "q"), ("p", "r")}
    assert found.singling_out[1].unique_share == pytest.approx(0.92)
    assert found["p"].role == found["q"].role == "quasi"
    assert any("with q it singles out 100 % of the records" in reason for reason in found["p"].reasons)
    assert found["s"].role == "other"


def test_identifiers_are_reported_alone_and_not_combined():
    frame = planted().with_columns(phone=pl.Series([f"+44 20 7946 {row:04d}" for row in range(1000)]))
    found = suggest(tacit.Release(frame), largest=2)
    assert [one.columns for one in found.keys] == [("phone",), ("p", "q")]
    assert any("phone" in note and "not combined" in note for note in found.notes)


def test_columns_beyond_the_limit_are_named():
    wide = planted().with_columns(**{f"c{place}": pl.lit(place % 2) for place in range(25)})
    found = suggest(tacit.Release(wide), largest=2)
    assert {one.columns for one in found.keys} == {("p", "q")}
    note = next(note for note in found.notes if "left out" in note)
    assert sum(f"c{place}" in note.replace(",", " ").split() for place in range(25)) == 10


def test_a_table_on_disk_is_searched_in_its_first_rows_and_says_so(monkeypatch):
    frame = planted()
    assert frame.height == 1000
    release = tacit.Release(duckdb.sql("SELECT * FROM frame"))
    monkeypatch.setattr(tacit.Release, "capabilities", replace(release.capabilities, search_rows=200))
    found = suggest(release)
    assert any("first 200 rows of 1,000" in note for note in found.notes)
    assert all(one.records == 200 for one in found.singling_out)


def test_duckdb_suggests_what_polars_suggests():
    frame = tacit.examples.clinic(1500, seed=2).frame
    assert suggest(tacit.Release(duckdb.sql("SELECT * FROM frame"))) == suggest(tacit.Release(frame))


def test_the_order_of_the_rows_does_not_matter():
    frame = tacit.examples.clinic(800, seed=5).frame
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    assert suggest(tacit.Release(mixed)) == suggest(tacit.Release(frame))


def test_more_columns_never_make_fewer_alone():
    release = tacit.Release(tacit.examples.clinic(500, seed=1).frame)
    columns = ["sex", "zip", "occupation", "birth"]
    steps = [column_set(release, columns[: place + 1]) for place in range(4)]
    assert all(one.spread.alone <= more.spread.alone for one, more in zip(steps, steps[1:], strict=False))
    assert all(one.separation <= more.separation for one, more in zip(steps, steps[1:], strict=False))


def test_a_listener_hears_rising_shares_and_may_cancel():
    heard = []
    suggest(tacit.Release(planted()), progress=lambda step, share: heard.append((step, share)))
    shares = [share for step, share in heard if step == "reading columns"]
    assert shares == sorted(shares) and all(0 <= share <= 1 for _, share in heard)
    with pytest.raises(Cancelled):
        suggest(tacit.Release(planted()), progress=lambda step, share: step != "combining columns")


@pytest.mark.parametrize(
    "wrong", [{"largest": 0}, {"largest": "3"}, {"unique_share": 0}, {"unique_share": 1.5}, {"unique_share": "all"}]
)
def test_wrong_parameters_are_refused_with_a_remedy(wrong):
    with pytest.raises(TacitError) as caught:
        suggest(tacit.Release(planted()), **wrong)
    assert next(iter(wrong)) in str(caught.value) and "e.g." in caught.value.fix


def test_an_unknown_column_is_answered_with_the_nearest():
    with pytest.raises(TacitError, match="did you mean 'zip'"):
        column_set(tacit.Release(pl.DataFrame({"zip": ["a"]})), "zpi")
