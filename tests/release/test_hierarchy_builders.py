"""Hierarchies grown from the data: what each recipe promises, on every engine and in a plan, and what can go wrong."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Generalise
from tacit.release import build_hierarchy, preview
from tacit.release.hierarchy import Cuts, GrownHierarchy, hierarchy


def labels(release: Release, column: str, level: int) -> list[str | None]:
    """The column at a level, by the method that users take."""
    return release.protect(Generalise(levels={column: level})).release.series(column).to_list()


def with_hierarchy(values: list, given_hierarchy: dict, **others: list) -> Release:
    return Release(pl.DataFrame({"x": values, **others}), hierarchies={"x": given_hierarchy})


def nested(release: Release) -> bool:
    """Each level only merges what the one below keeps apart; missing stays missing."""
    height = release.hierarchies["x"].height
    columns = [labels(release, "x", level) if level else release.series("x").to_list() for level in range(height + 1)]
    for fine, coarse in zip(columns, columns[1:], strict=False):
        if len(set(zip(fine, coarse, strict=True))) != len(set(fine)):
            return False
    return all((a is None) == (b is None) for row in zip(*columns, strict=True) for a, b in combinations(row, 2))


texts = st.lists(st.sampled_from("abcdefgh") | st.none(), min_size=1, max_size=60).filter(
    lambda values: any(value is not None for value in values)
)


@given(texts, st.sampled_from([(2,), (2, 5), (3, 4, 10)]))
def test_frequency_leaves_no_small_group(values, least):
    # D-07, E-11: every group of a level has its number of records, unless all values together have fewer.
    release = with_hierarchy(values, {"frequency": list(least)})
    assert nested(release)
    known = sum(value is not None for value in values)
    for level, number in enumerate(least, 1):
        counts = Counter(label for label in labels(release, "x", level) if label is not None)
        assert min(counts.values()) >= min(number, known)
        often = Counter(values)
        kept = {label for label in counts if not label.startswith("other")}
        assert all(often[value] >= number for value in kept)
        # no more merged than needed: "other" without its most frequent member would be too small or hold rare ones only
        merged = [often[value] for value in often if value is not None and value not in kept]
        if any(count >= number for count in merged):
            assert sum(merged) - max(merged) < number


def test_a_value_called_other_keeps_its_name():
    release = with_hierarchy(["other"] * 3 + ["a", "b"], {"frequency": [2]})
    assert labels(release, "x", 1) == ["other"] * 3 + ["(other)"] * 2


def test_priority_merges_the_last_first():
    release = with_hierarchy(["a", "b", "c", "d", None], {"priority": ["c", "a", "z"], "keep": [3, 1]})
    assert labels(release, "x", 1) == ["a", "other", "c", "other", None]
    assert labels(release, "x", 2) == ["other 2", "other 2", "c", "other 2", None]
    assert nested(release)
    assert labels(with_hierarchy(["a", "b"], {"priority": ["a"]}), "x", 1) == ["a", "other"]
    assert labels(with_hierarchy([1, 2], {"priority": [2]}), "x", 1) == ["other", "2"]


numbers = st.lists(st.integers(-5, 30) | st.none(), min_size=1, max_size=80)


@given(
    numbers.filter(lambda values: any(value is not None for value in values)),
    st.sampled_from([(2,), (8, 4, 2), (7, 3)]),
)
def test_quantiles_nest_and_hold_about_as_many_records_each(values, groups):
    # D-07, E-10: a group is off its share by no more than the records of the values at its two cuts.
    release = with_hierarchy(values, {"quantiles": list(groups)})
    assert nested(release)
    counts = Counter(label for label in labels(release, "x", 1) if label is not None)
    assert len(counts) <= groups[0]
    often = Counter(value for value in values if value is not None)
    if len(often) > 1:
        ideal = sum(often.values()) / groups[0]
        assert max(counts.values()) <= ideal + 2 * max(often.values())


def test_quantiles_of_different_numbers_are_even():
    release = with_hierarchy([value * 1.5 for value in range(1000)], {"quantiles": [20, 5]})
    assert set(Counter(labels(release, "x", 1)).values()) == {50}
    assert set(Counter(labels(release, "x", 2)).values()) == {200}
    assert labels(release, "x", 1)[0] == "< 75"
    assert labels(release, "x", 1)[60] == "[75, 150)"
    assert labels(release, "x", 1)[51] == "[75, 150)"


def test_cuts_with_fractions_keep_all_their_digits():
    built = Cuts(((0.1234567, 0.1234568), (0.1234567,)))
    release = Release(pl.DataFrame({"x": [0.1, 0.12345675, 0.2, None]}), hierarchies={"x": built})
    assert labels(release, "x", 1) == ["< 0.1234567", "[0.1234567, 0.1234568)", ">= 0.1234568", None]
    assert hierarchy(built.spec()) == built


def ward_by_trying_all(numbers: list[float], groups: int) -> float:
    """The least sum of squares within so many intervals, over all ways to cut."""
    found = []
    for cuts in combinations(range(1, len(numbers)), groups - 1):
        parts = np.split(np.array(numbers, dtype=float), cuts)
        found.append(sum(((part - part.mean()) ** 2).sum() for part in parts))
    return min(found)


@given(st.lists(st.integers(0, 40), min_size=3, max_size=9, unique=True))
def test_clusters_of_numbers_are_near_the_best_intervals(values):
    """Merging the cheapest pair is greedy: never better than the best cut, and at two groups from three the best."""
    numbers = sorted(values)
    groups = len(numbers) - 1
    release = with_hierarchy(numbers, {"clusters": [groups]} if groups > 1 else {"clusters": [2]})
    assert nested(release)
    parts: dict[str, list[int]] = {}
    for value, label in zip(numbers, labels(release, "x", 1), strict=True):
        parts.setdefault(label, []).append(value)
    squares = sum(((np.array(part) - np.mean(part)) ** 2).sum() for part in parts.values())
    assert len(parts) == groups
    assert squares == pytest.approx(ward_by_trying_all(numbers, groups))  # one merge: greedy is best


def test_clusters_join_values_that_are_alike_in_another_column():
    # Towns a, b have low incomes, c, d high ones, e is in between but tiny: it joins last when it is unlike.
    towns = ["a"] * 40 + ["b"] * 40 + ["c"] * 40 + ["d"] * 40
    ill = (["flu"] * 30 + ["acne"] * 10) * 2 + (["flu"] * 5 + ["gout"] * 35) * 2
    release = with_hierarchy(towns, {"clusters": [2], "like": "ill"}, ill=ill)
    found = dict(zip(towns, labels(release, "x", 1), strict=True))
    assert found == {"a": "a | b", "b": "a | b", "c": "c | d", "d": "c | d"}
    incomes = list(range(80)) + list(range(1000, 1080))
    release = with_hierarchy(towns, {"clusters": [3, 2], "like": "income"}, income=incomes)
    assert len(set(labels(release, "x", 1))) == 3
    assert len({labels(release, "x", 2)[0], labels(release, "x", 2)[40]}) == 1
    assert nested(release)


def test_groups_are_named_by_their_frequent_values_and_never_alike():
    values = [value for number, value in enumerate("abcdefgh", 1) for _ in range(number)]
    release = with_hierarchy(values, {"clusters": [2], "like": "y"}, y=[value in "ab" for value in values])
    assert set(labels(release, "x", 1)) == {"b | a", "h | g | f | 3 more"}


@pytest.mark.parametrize(
    ("given_hierarchy", "column"),
    [({"frequency": [20, 60]}, "sex"), ({"quantiles": [8, 2]}, "age"), ({"clusters": [2], "like": "age"}, "sex")],
)
def test_duckdb_grows_the_same(given_hierarchy, column):
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {"sex": rng.choice(["f", "m", "x"], 200, p=[0.5, 0.45, 0.05]), "age": rng.integers(0, 90, 200)}
    )
    plain, lazy = (
        Release(one, hierarchies={column: given_hierarchy}) for one in (frame, duckdb.sql("SELECT * FROM frame"))
    )
    assert plain.hierarchies[column] == lazy.hierarchies[column]
    assert labels(plain, column, 1) == labels(lazy, column, 1)


def test_what_is_grown_is_marked_and_can_be_written_down():
    release = with_hierarchy(["a", "a", "b"], {"frequency": [2]})
    built = release.hierarchies["x"]
    assert isinstance(built, GrownHierarchy)
    assert built.recipe == hierarchy({"frequency": [2]})
    again = hierarchy(built.spec())
    assert not isinstance(again, GrownHierarchy)
    assert labels(Release(pl.DataFrame({"x": ["b"]}), hierarchies={"x": again}), "x", 1) == ["other"]
    assert hierarchy(built) is built
    # row order and the release's other columns change nothing
    assert with_hierarchy(["b", "a", "a"], {"frequency": [2]}).hierarchies["x"] == built
    for spec in ({"frequency": [2, 9]}, {"quantiles": [4, 2]}, {"clusters": [4, 2], "like": "y"}, {"clusters": [3]}):
        assert hierarchy(hierarchy(spec).spec()) == hierarchy(spec)
    priority = {"priority": ["a", "b"], "keep": [2, 1]}
    assert hierarchy(priority).spec() == priority


def test_a_plan_grows_its_hierarchies(tmp_path):
    from tacit.plan.load import from_text
    from tacit.plan.original import original_of

    (tmp_path / "people.csv").write_text("age,job\n" + "\n".join(f"{age},{'ab'[age % 2]}" for age in range(40)))
    text = """
    [data]
    path = "people.csv"
    [roles]
    quasi = ["age", "job"]
    [hierarchies]
    age = { quantiles = [4, 2] }
    job = { frequency = [10, 30] }
    [require]
    k_anonymity = 2
    """
    release = original_of(from_text(text, folder=tmp_path))
    assert release.hierarchies["age"].spec() == {"cuts": [[10, 20, 30], [20]]}
    assert release.hierarchies["job"].height == 3
    with pytest.raises(TacitError, match=r"quantiles = \[2, 4\]"):
        original_of(from_text(text.replace("[4, 2]", "[2, 4]"), folder=tmp_path))


def test_preview_counts_groups_and_records():
    release = with_hierarchy(["a"] * 5 + ["b"] * 3 + ["c", "d", None], {"frequency": [2, 4]})
    shown = preview(release, "x")
    assert [(one.groups, one.smallest, one.largest) for one in shown.levels] == [
        (4, 1, 5),
        (3, 2, 5),
        (2, 5, 5),
        (1, 10, 10),
    ]
    assert (shown.missing, shown.grown) == (1, True)
    assert "level 2  2 groups of 5 to 5 records: a, other 2" in str(shown)
    assert "<Preview of x" in repr(shown)
    fixed = preview(release, "x", by={"prefix": [1]})
    assert not fixed.grown
    with pytest.raises(TacitError, match="lacks"):
        preview(release, "x", by={"table": {"a": ["z"], "b": ["y"]}})
    with pytest.raises(TacitError, match="no hierarchy to preview"):
        preview(Release(pl.DataFrame({"x": [1]})), "x")
    with pytest.raises(TacitError, match="higher level"):
        preview(release.protect(Generalise(levels={"x": 1})), "x")


@pytest.mark.parametrize(
    ("given_hierarchy", "said"),
    [
        ({"frequency": [100, 10]}, "does not rise"),
        ({"frequency": [1]}, "from 2"),
        ({"frequency": 5}, "not of the form"),
        ({"frequency": "many"}, "not of the form"),
        ({"quantiles": [5, 20]}, "does not fall"),
        ({"quantiles": [1]}, "to 2 or more"),
        ({"quantiles": [2.5]}, "whole numbers"),
        ({"clusters": [3, 3]}, "does not fall"),
        ({"clusters": [3], "like": 5}, "column's name"),
        ({"priority": []}, "names no value"),
        ({"priority": ["a", "a"]}, "one of them twice"),
        ({"priority": ["a"], "keep": [2]}, "more than the 1"),
        ({"cuts": [[5, 1]]}, "rising"),
        ({"cuts": [[1, 5], [3]]}, "the one below lacks"),
        ({"cuts": []}, "the one below lacks"),
        ({"cuts": [["a"]]}, "rising"),
        ({"cuts": 5}, "not of the form"),
        ({"prefix": [3, 1], "like": "x"}, "belongs to 'clusters'"),
        ({"quantile": [3]}, "did you mean 'quantiles'"),
    ],
)
def test_mistakes_in_a_description(given_hierarchy, said):
    with pytest.raises(TacitError, match="fix:") as caught:
        hierarchy(given_hierarchy)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("values", "given_hierarchy", "said"),
    [
        (["SECRET"], {"quantiles": [4]}, "has no quantiles"),
        ([1.5], {"frequency": [4]}, "cannot be listed"),
        (["SECRET"], {"clusters": [4]}, "say by which column"),
        (["SECRET"], {"clusters": [4], "like": "x"}, "itself"),
        (["SECRET"], {"clusters": [4], "like": "z"}, "is not in the table"),
        (["SECRET"], {"priority": ["a"]}, "none of the values"),
        (["SECRET"], {"cuts": [[1]]}, "no cut points"),
        ([None], {"frequency": [4]}, "no value to grow"),
        (list(range(1001)), {"clusters": [4]}, "1,001 different values"),
    ],
)
def test_mistakes_that_the_data_show(values, given_hierarchy, said):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.String if values == [None] else None)})
    with pytest.raises(TacitError, match="fix:") as caught:
        Release(frame, hierarchies={"x": given_hierarchy})
    assert said in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_columns_without_spread_are_no_error():
    assert labels(with_hierarchy([7, 7, None], {"quantiles": [4, 2]}), "x", 1) == ["*", "*", None]
    assert labels(with_hierarchy([7], {"clusters": [2]}), "x", 1) == ["*"]
    empty = Release(pl.DataFrame({"x": []}, schema={"x": pl.Int64}), hierarchies={"x": {"quantiles": [2]}})
    assert empty.hierarchies["x"].height == 2


def test_grown_takes_any_description():
    release = Release(pl.DataFrame({"x": ["a", "b"]}))
    assert build_hierarchy(release, "x", by={"prefix": [1]}) == hierarchy({"prefix": [1]})
    with pytest.raises(TacitError, match="not in the table"):
        build_hierarchy(release, "y", by={"prefix": [1]})
