"""What labels stand for (catalogue: F-04, A-01)."""

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.release.hierarchy import hierarchy
from tacit.release.hierarchy.cover import domain_of, label_cover

TOWNS = {"Lund": ["Skåne", "south"], "Malmö": ["Skåne", "south"], "Växjö": ["Småland", "south"], "Umeå": ["N", "north"]}


def read(spec, labels, present):
    built = None if spec is None else hierarchy(spec)
    values = pl.Series(present)
    found = label_cover(built, "x", pl.Series(labels, dtype=pl.String), domain_of(built, values))
    return {label: sorted(found.of(label).to_list(), key=str) for label in found.labels}


def test_values_labels_of_every_level_and_the_top():
    found = read({"table": TOWNS}, ["Lund", "Skåne", "south", "Småland", "*", None, "Lund"], ["Lund", "Umeå"])
    assert found == {
        "Lund": ["Lund"],
        "Skåne": ["Lund", "Malmö"],
        "south": ["Lund", "Malmö", "Växjö"],
        "Småland": ["Växjö"],
        "*": ["Lund", "Malmö", "Umeå", "Växjö"],
    }


@given(values=st.lists(st.integers(-50, 50), min_size=1, unique=True), data=st.data())
def test_intervals_are_closed(values, data):
    low, high = sorted(data.draw(st.tuples(st.sampled_from(values), st.sampled_from(values))))
    found = read(None, [f"[{low}, {high}]"], values)
    assert found[f"[{low}, {high}]"] == sorted((v for v in values if low <= v <= high), key=str)


def test_intervals_count_the_values_of_the_file():
    ages = {str(age): [f"{age // 10}0s"] for age in range(100)}
    found = read({"table": ages}, ["[17, 23]", "10s", "18"], [17, 18, 23])
    assert found["[17, 23]"] == list(range(17, 24))
    assert found["10s"] == list(range(10, 20))
    assert found["18"] == [18]


def test_dates_times_floats_and_negative_numbers():
    days = [date(1960, 1, 1), date(1960, 2, 1), date(1961, 1, 1)]
    found = read({"dates": ["year"]}, ["[1960-01-01, 1960-02-01]", "1960-**-**"], days)
    assert [len(part) for part in found.values()] == [2, 2]
    moments = [datetime(2020, 1, 1, hour) for hour in range(4)]
    text = pl.Series(moments).cast(pl.String)
    assert len(read(None, [f"[{text[1]}, {text[3]}]"], moments).popitem()[1]) == 3
    assert read(None, ["[-1.5, 0.25]"], [-2.0, -1.5, 0.25, 1e300]) == {"[-1.5, 0.25]": [-1.5, 0.25]}


def test_sets_list_values():
    assert read(None, ["{a, c}", "b"], list("abcd")) == {"{a, c}": ["a", "c"], "b": ["b"]}
    assert read({"groups": {"g": ["1", "2"]}}, ["{1, 2}"], ["1", "2"]) == {"{1, 2}": ["1", "2"]}


def test_a_value_is_read_before_an_interval_or_a_set():
    assert read(None, ["[1, 2]", "{a, b}"], ["[1, 2]", "{a, b}", "a", "b"]) == {
        "[1, 2]": ["[1, 2]"],
        "{a, b}": ["{a, b}"],
    }


def test_a_text_at_two_levels_is_read_when_it_means_the_same_and_refused_when_not():
    same = {"table": {"a": ["a", "A"], "b": ["b", "A"], "c": ["c", "C"]}}
    assert read(same, ["a", "A"], list("abc")) == {"a": ["a"], "A": ["a", "b"]}
    other = {"table": {"a": ["b"], "b": ["c"], "c": ["c"]}}
    with pytest.raises(TacitError, match="same text at two levels"):
        read(other, ["b"], list("abc"))
    assert read(other, ["a"], list("abc")) == {"a": ["a"]}


@pytest.mark.parametrize("label", ["[1, 99]", "{1, 99}", "nothing", "[1", "[]", "{}"])
def test_what_is_no_label_is_refused_without_being_shown(label):
    with pytest.raises(TacitError, match="no interval and no set") as caught:
        read(None, [label], [1, 2, 3])
    assert label not in str(caught.value)


def test_rows_of_a_file_that_are_no_values_count():
    built = hierarchy({"table": {"1": ["low"], "2": ["low"], "unknown": ["other"]}})
    domain = domain_of(built, pl.Series([1, 2]))
    assert domain.to_list() == [1, 2, None]
    found = label_cover(built, "x", pl.Series(["*", "low", "[1, 2]"]), domain)
    assert dict(zip(found.labels, found.sizes.tolist(), strict=True)) == {"*": 3, "low": 2, "[1, 2]": 2}
    assert domain_of(hierarchy({"table": {"true": ["x"], "false": ["x"]}}), pl.Series([True])).to_list() == [
        False,
        True,
    ]
    assert domain_of(hierarchy({"table": {"1960-01-01": ["x"]}}), pl.Series([date(1960, 1, 2)])).len() == 2


def test_nothing_shown():
    assert label_cover(None, "x", pl.Series([None], dtype=pl.String), pl.Series([1, 2])).sizes.tolist() == []
