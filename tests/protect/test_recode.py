import duckdb
import numpy as np
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
        ({}, "recoded by nothing"),
        ({"groups": {"a": ["b"]}, "breaks": [1]}, "groups and breaks"),
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
        ({"quantiles": 1}, "quantiles=1"),
        ({"rare": 1}, "rare=1"),
        ({"rare": 5, "other": ""}, "other=''"),
        ({"breaks": [1], "other": "x"}, "other='x'"),
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


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("parts", [2, 4, 10])
def test_quantiles_make_intervals_of_about_equal_counts_with_round_bounds(door, parts):  # catalogue: E-10
    values = np.random.default_rng(1).lognormal(10, 1, 2000)
    release = Release(door(pl.DataFrame({"x": values})))
    masked = release.protect(Recode(column="x", quantiles=parts))
    breaks = masked.trace[0].as_json(public=True)["outcome"]["breaks"]
    labels = masked.release.series("x")
    assert len(breaks) == parts - 1 and labels.n_unique() == parts
    # a tenth of its share more or less; a third is refused
    sizes = np.diff([0, *(int((values < point).sum()) for point in breaks), 2000]) / (2000 / parts)
    assert np.abs(sizes - 1).max() <= 0.1 + parts / 2000
    assert not set(breaks) & set(values.tolist())
    assert all(len(f"{point:g}".rstrip("0").replace(".", "")) <= 4 for point in breaks)
    assert labels.to_list() == [_label(value, breaks) for value in values]


def _label(value, breaks):
    below = [point for point in breaks if point <= value]
    above = [point for point in breaks if point > value]
    if not below:
        return f"< {breaks[0]}"
    return f"[{below[-1]}, {above[0]})" if above else f"≥ {breaks[-1]}"


def test_many_equal_values_make_fewer_intervals_and_small_ones_are_refused():
    values = [0] * 500 + list(range(1, 501))
    masked = Release(pl.DataFrame({"x": values})).protect(Recode(column="x", quantiles=4))
    counts = masked.release.series("x").value_counts(sort=True)["count"].to_list()
    assert len(counts) in (2, 3) and min(counts) > 200
    breaks = masked.trace[0].outcome["breaks"].value
    assert breaks[0] > 0 and len(breaks) == len(counts) - 1  # no empty interval below 0
    with pytest.raises(TacitError, match="fewer than 10 for each of 4 intervals"):
        recoded(pl.DataFrame({"x": list(range(30))}), "x", quantiles=4)
    with pytest.raises(TacitError, match="fewer than 10 records"):
        recoded(pl.DataFrame({"x": [0] * 38 + [1, 2]}), "x", quantiles=4)
    with pytest.raises(TacitError, match="one interval for all"):
        recoded(pl.DataFrame({"x": [7] * 50}), "x", quantiles=2)
    with pytest.raises(TacitError, match="holds text"):
        recoded(pl.DataFrame({"x": ["a"] * 50}), "x", quantiles=2)
    with pytest.raises(TacitError, match="no values"):
        recoded(pl.DataFrame({"x": [None]}, schema={"x": pl.Float64}), "x", quantiles=2)


@pytest.mark.parametrize("door", DOORS)
def test_rare_categories_are_merged_until_they_are_not_rare(door):  # catalogue: E-10
    city = ["Lund"] * 12 + ["Malmö"] * 10 + ["Ystad"] * 6 + ["Ven", None]
    found = recoded(pl.DataFrame({"city": city}), "city", door, rare=7)
    assert found == ["Lund"] * 12 + ["Malmö"] * 10 + ["other"] * 7 + [None]
    found = recoded(pl.DataFrame({"city": city}), "city", door, rare=8, other="elsewhere")
    assert found == ["Lund"] * 12 + ["elsewhere"] * 17 + [None]
    codes = [1] * 5 + [2] * 4 + [3] * 4
    assert recoded(pl.DataFrame({"city": codes}), "city", door, rare=5) == ["1"] * 5 + ["other"] * 8
    flags = [True] * 5 + [False] * 9
    assert recoded(pl.DataFrame({"city": flags}), "city", door, rare=5) == ["true"] * 5 + ["false"] * 9
    with pytest.raises(TacitError, match="no category") as caught:
        recoded(pl.DataFrame({"city": city}), "city", door, rare=20)
    assert "Lund" not in str(caught.value)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60), st.integers(2, 9))
def test_no_category_is_rare_afterwards(values, rare):
    try:
        found = recoded(pl.DataFrame({"x": values}), "x", rare=rare)
    except TacitError:
        kept = [value for value in set(values) if values.count(value) >= rare]
        assert len(kept) <= 1 or sum(values.count(value) < rare for value in values) < rare
        return
    assert all(found.count(label) >= rare for label in found)
    assert all(new in (old, "other") for old, new in zip(values, found, strict=True))


def test_a_category_called_other_is_part_of_it():
    values = ["other"] * 20 + ["a"] * 9 + ["b"]
    assert recoded(pl.DataFrame({"x": values}), "x", rare=5) == ["other"] * 20 + ["a"] * 9 + ["other"]
