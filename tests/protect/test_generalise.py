from datetime import date

import duckdb
import polars as pl
import pytest

from tacit import Release, TacitError, examples
from tacit.models import KAnonymity
from tacit.protect import Generalise


def test_codes_and_dates_of_the_deck():  # catalogue: E-12
    table = pl.DataFrame({"zip": ["N1CFFA", None], "birth": [date(1962, 1, 24), date(2001, 12, 31)]})
    release = Release(
        table, quasi=["zip", "birth"], hierarchies={"zip": {"prefix": [6, 3]}, "birth": {"dates": ["year", "decade"]}}
    )
    masked = release.protect(Generalise(levels={"zip": 1, "birth": 2})).release
    assert masked.to_native().rows() == [("N1C***", "196*-**-**"), (None, "200*-**-**")]
    assert masked.levels == {"zip": 1, "birth": 2}
    assert release.to_native().equals(table)


def test_addresses_of_the_deck_fall_into_classes_of_three_and_two():  # catalogue: E-12
    addresses = ["172.169.2.132", "172.169.3.157", "145.42.124.31", "172.169.3.131", "145.42.19.31"]
    network = {ip: ".".join(ip.split(".")[:2]) + ".0.0" for ip in addresses}
    release = Release(pl.DataFrame({"ip": addresses}), quasi="ip", hierarchies={"ip": {"table": network}})
    masked = release.protect(Generalise(levels={"ip": 1})).release
    assert masked.to_native()["ip"].to_list() == ["172.169.0.0"] * 2 + ["145.42.0.0", "172.169.0.0", "145.42.0.0"]
    assert sorted(masked.classes().sizes.tolist()) == [2, 3]
    assert KAnonymity(k=2).holds(masked)


def test_postcodes_become_three_anonymous():  # catalogue: D-01, E-12
    example = examples.ALL["postcodes"]()
    release = Release(example.frame, **example.roles, hierarchies=example.hierarchies)
    assert KAnonymity(k=3).holds(release.protect(Generalise(levels={"zip": 1, "birth": 1})).release)


def test_level_zero_changes_nothing_and_the_top_says_nothing():
    release = Release(
        pl.DataFrame({"zip": ["123", None, "456"], "age": [1, 2, 3]}),
        quasi=["zip", "age"],
        hierarchies={"zip": {"prefix": [3, 1]}, "age": {"intervals": [5]}},
    )
    masked = release.protect(Generalise(levels={"zip": 2, "age": 0})).release
    assert masked.to_native().rows() == [("*", 1), (None, 2), ("*", 3)]
    assert masked.levels == {"zip": 2}


def test_duckdb_gives_the_same_labels():
    example = examples.clinic(400, seed=2)
    given = {**example.roles, "kinds": example.kinds, "hierarchies": example.hierarchies, "missing": "own"}
    method = Generalise(levels={"zip": 1, "birth": 2, "occupation": 1, "visits": 1, "income": 2, "sex": 1})
    here = Release(example.frame, **given).protect(method).release
    there = Release(duckdb.from_arrow(example.frame.to_arrow()), **given).protect(method).release
    assert there.engine == "duckdb"
    assert there.to_native().pl().equals(here.to_native())


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({"city": 1}, "did you mean"),
        ({"age": 1}, "no hierarchy"),
        ({"cities": 9}, "levels 0 (as is) to 2"),
        ({"cities": -1}, "not a whole number"),
        ({"cities": 1.0}, "not a whole number"),
        ({"cities": True}, "not a whole number"),
        ({}, "name no column"),
        (["cities"], "name no column"),
    ],
)
def test_mistakes_are_answered(levels, text):
    release = Release(
        pl.DataFrame({"cities": ["Lund"], "age": [1.5]}),
        quasi="cities",
        hierarchies={"cities": {"groups": {"S": ["Lund"], "N": ["Umeå"]}}},
    )
    with pytest.raises(TacitError) as caught:
        release.protect(Generalise(levels=levels))
    assert text in str(caught.value)


@pytest.mark.parametrize("door", [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())])
def test_a_value_that_the_hierarchy_lacks_is_counted_and_not_shown(door):
    frame = pl.DataFrame({"city": ["Lund", "Lund", None, "Hidden place", "Hidden place"]})
    release = Release(door(frame), quasi="city", hierarchies={"city": {"groups": {"S": ["Lund"], "N": ["Umeå"]}}})
    with pytest.raises(TacitError) as caught:
        release.protect(Generalise(levels={"city": 1}))
    assert "2 values that its hierarchy lacks, the first in row 4" in str(caught.value)
    assert "Hidden" not in str(caught.value)
    # at the top nobody is named, so nothing can be lacking
    assert release.protect(Generalise(levels={"city": 2})).release.series("city").to_list() == [
        "*",
        "*",
        None,
        "*",
        "*",
    ]


def test_a_column_is_generalised_once():
    release = Release(pl.DataFrame({"zip": ["123"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2, 1]}})
    masked = release.protect(Generalise(levels={"zip": 1}))
    with pytest.raises(TacitError, match="stands at level 1 already"):
        masked.then(Generalise(levels={"zip": 2}))


def test_labels_of_old_values_are_forgotten():
    release = Release(
        pl.DataFrame({"sex": [1, 2]}),
        quasi="sex",
        kinds={"sex": "nominal"},
        hierarchies={"sex": {"groups": {"any": [1, 2]}}},
        value_labels={"sex": {1: "woman", 2: "man"}},
    )
    assert release.protect(Generalise(levels={"sex": 1})).release.value_labels == {}


@pytest.mark.parametrize("door", [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())])
def test_numbers_without_an_interval_are_refused_without_showing_them(door):
    frame = pl.DataFrame({"x": [1.5, None, 7.25e299, float("inf")]})
    release = Release(door(frame), quasi="x", hierarchies={"x": {"intervals": [10]}})
    with pytest.raises(TacitError, match="2 numbers beyond .*, the first in row 3") as caught:
        release.protect(Generalise(levels={"x": 1}))
    assert "7.25" not in str(caught.value)
