"""A hierarchy over the values of a column: its k alone is that of k_anonymity, its groups are those of Generalise (D-01, D-07)."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.protect import Generalise
from tacit.release.hierarchy import hierarchy
from tacit.release.hierarchy_layout import laid_out, rows_of
from tacit.risk import k_anonymity

DESCRIPTIONS = [{"prefix": [3, 2, 1]}, {"intervals": [5, 10]}, {"cuts": [[105, 130], [130]]}]
numbers = st.lists(st.integers(100, 160) | st.none(), min_size=1, max_size=40).filter(
    lambda values: any(value is not None for value in values)
)


@given(numbers, st.sampled_from(DESCRIPTIONS), st.sampled_from(["own", "any"]))
def test_each_level_is_what_generalise_makes_of_the_column(values, description, missing):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)})
    release = Release(frame, quasi="x", hierarchies={"x": description}, missing=missing)
    found = laid_out(release, "x", hierarchy(description))
    for level in range(found.height + 1):
        masked = release.protect(Generalise(levels={"x": level})).release
        counts = Counter(str(label) for label in masked.series("x").to_list() if label is not None)
        shown = found.level(level)
        assert shown.k == k_anonymity(masked).value
        assert (shown.groups, shown.smallest, shown.largest) == (
            len(counts),
            min(counts.values()),
            max(counts.values()),
        )
        assert {one.label: one.records for one in found.groups(level, 99)} == counts


def test_k_is_not_told_while_nobody_said_what_missing_means():
    release = Release(pl.DataFrame({"x": ["a", "a", None]}))
    assert laid_out(release, "x").level(0).k is None
    assert laid_out(release.with_metadata(missing="own"), "x").level(0).k == 1


def test_a_group_shows_the_largest_of_what_it_merges():
    release = Release(pl.DataFrame({"x": ["a"] * 2 + ["b"] * 5 + ["c"] * 4}))
    found = laid_out(release, "x", hierarchy({"table": {"a": ["m", "t"], "b": ["m", "t"], "c": ["n", "t"]}}))
    (top,) = found.groups(2, 1)
    assert (top.label, top.records, top.parts, top.examples) == ("*", 11, 2, ("m", "n"))
    assert found.groups(1, 1)[0].examples == ("b", "a")
    assert [one.label for one in found.groups(1, 2, rare=True)] == ["n", "m"]


def test_values_that_a_hierarchy_lacks_are_counted_and_belong_to_no_group():
    release = Release(pl.DataFrame({"x": ["a", "b", "b", "c"]}))
    found = laid_out(release, "x", hierarchy({"groups": {"m": ["a"], "n": ["c"]}}))
    assert found.uncovered_count == 1 and found.level(1).groups == 2
    assert [found.level(level).k for level in range(3)] == [1, None, 4]
    assert found.groups(2, 1)[0].examples == ("m", "n")
    assert found.table["1"].to_list() == ["m", None, "n"]


@pytest.mark.parametrize("column", [pl.Series([], dtype=pl.String), pl.Series([None], dtype=pl.String)])
def test_a_column_without_values_has_no_groups(column):
    found = laid_out(Release(pl.DataFrame({"x": column}), missing="own"), "x")
    assert found.level(0).groups == 0 and found.groups(0, 3) == ()


def test_the_rows_are_complete_and_keep_what_the_table_lists_beside():
    release = Release(pl.DataFrame({"x": [3, 7, 7]}))
    assert rows_of(laid_out(release, "x"), None) == [("3", "*"), ("7", "*")]
    table = hierarchy({"groups": {"m": ["3"], "n": ["9"]}})
    assert rows_of(laid_out(release, "x", table), table) == [("3", "m", "*"), ("7", "7", "*"), ("9", "n", "*")]
    cuts = hierarchy({"cuts": [[5]]})
    assert rows_of(laid_out(release, "x", cuts), cuts) == [("3", "< 5", "*"), ("7", ">= 5", "*")]
    width = hierarchy({"intervals": [5]})
    assert rows_of(laid_out(release, "x", width), width) == [("3", "[0, 5)", "*"), ("7", "[5, 10)", "*")]
