import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Generalise, Recode

DOORS = [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())]


def recoded(frame, column, door=DOORS[0], **how):
    return Release(door(frame)).protect(Recode(column=column, **how)).release.series(column).to_list()


@pytest.mark.parametrize("door", DOORS)
def test_categories_are_merged_and_others_stay(door):  # catalogue: E-10
    frame = pl.DataFrame({"city": ["Lund", "Malmö", None, "Kiruna"]})
    groups = {"south": ["Lund", "Malmö", "Ystad"]}
    assert recoded(frame, "city", door, groups=groups) == ["south", "south", None, "Kiruna"]


@pytest.mark.parametrize("door", DOORS)
def test_whole_numbers_and_booleans_have_groups_too(door):
    frame = pl.DataFrame({"size": [1, 2, 3, None], "here": [True, None, False, True]})
    assert recoded(frame, "size", door, groups={"few": [1, 2]}) == ["few", "few", "3", None]
    assert recoded(frame, "here", door, groups={"yes": [True]}) == ["yes", None, "false", "yes"]


@pytest.mark.parametrize("door", DOORS)
def test_numbers_are_cut_at_breaks(door):  # catalogue: E-10
    frame = pl.DataFrame({"age": [17, 18, 64, 65, None, -3]})
    assert recoded(frame, "age", door, breaks=[18, 65]) == ["< 18", "[18, 65)", "[18, 65)", "≥ 65", None, "< 18"]
    frame = pl.DataFrame({"age": [0.4, 0.5, 1e9]})
    assert recoded(frame, "age", door, breaks=[0.5]) == ["< 0.5", "≥ 0.5", "≥ 0.5"]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.lists(st.integers(-100, 100), min_size=1, max_size=5, unique=True).map(sorted),
)
def test_each_number_lies_in_its_interval(values, breaks):
    for value, label in zip(values, recoded(pl.DataFrame({"x": values}), "x", breaks=breaks), strict=True):
        if label.startswith("<"):
            assert value < int(label[2:])
        elif label.startswith("≥"):
            assert value >= int(label[2:])
        else:
            low, high = label.strip("[)").split(", ")
            assert int(low) <= value < int(high)


def test_the_old_hierarchy_no_longer_fits():
    release = Release(
        pl.DataFrame({"age": [1, 20]}),
        quasi="age",
        kinds={"age": "continuous"},
        hierarchies={"age": {"intervals": [5]}},
    )
    masked = release.protect(Recode(column="age", breaks=[18]))
    assert masked.release.hierarchies == {} and masked.release.kind("age") == "nominal"
    with pytest.raises(TacitError, match="no hierarchy"):
        masked.then(Generalise(levels={"age": 1}))


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({}, "one of the two"),
        ({"groups": {"a": ["b"]}, "breaks": [1]}, "one of the two"),
        ({"groups": {}}, "no group"),
        ({"groups": {"a": []}}, "without name or values"),
        ({"groups": {"a": "xy"}}, "without name or values"),
        ({"groups": {"a": [1.5]}}, "has 1.5 in a group"),
        ({"groups": {"a": ["x"], "b": ["x"]}}, "'x' in two groups"),
        ({"breaks": []}, "not rising numbers"),
        ({"breaks": [2, 1]}, "not rising numbers"),
        ({"breaks": [1, float("inf")]}, "not rising numbers"),
        ({"breaks": "18"}, "not rising numbers"),
        ({"breaks": 18}, "not rising numbers"),
    ],
)
def test_parameters_are_checked(how, text):
    with pytest.raises(TacitError) as caught:
        Recode(column="city", **how)
    assert text in str(caught.value) and "fix:" in str(caught.value)


def test_a_column_of_the_wrong_sort_is_refused_without_showing_it():
    release = Release(pl.DataFrame({"city": ["Secretville"], "x": [1.5]}))
    with pytest.raises(TacitError, match="holds text") as caught:
        release.protect(Recode(column="city", breaks=[3]))
    assert "Secret" not in str(caught.value)
    with pytest.raises(TacitError, match="use breaks for numbers"):
        release.protect(Recode(column="x", groups={"a": ["1.5"]}))
    with pytest.raises(TacitError, match="none of the values") as caught:
        release.protect(Recode(column="city", groups={"south": ["Lund"]}))
    assert "Secret" not in str(caught.value)
    with pytest.raises(TacitError, match="did you mean 'city'"):
        release.protect(Recode(column="citty", groups={"south": ["Lund"]}))
