import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.loss import generalisation
from tacit.protect import Mdav, Mondrian

from .recoding_checks import TOWNS, classes, fewest, tables


def boxes(release: Release) -> list[dict[str, tuple[float, float]]]:
    """The intervals of every class of numbers, read from the labels by hand."""
    found = []
    for keys in classes(release):
        ends = [str(key).strip("[]").split(", ") for key in keys]
        found.append({c: (float(e[0]), float(e[-1])) for c, e in zip(release.quasi, ends, strict=True)})
    return found


@given(points=st.lists(st.tuples(*[st.integers(0, 12)] * 3), min_size=6, max_size=60), k=st.integers(2, 5))
def test_strict_parts_do_not_overlap(points, k):  # catalogue: D-07
    frame = pl.DataFrame(points, schema=["x", "y", "z"], orient="row")
    release = Release(frame, quasi=["x", "y", "z"], kinds=dict.fromkeys("xyz", "continuous"))
    masked = release.protect(Mondrian(models={"k_anonymity": k}))
    found = boxes(masked.release)
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            assert any(one[c][1] < other[c][0] or other[c][1] < one[c][0] for c in "xyz")


@given(points=st.lists(st.integers(0, 30), min_size=8, max_size=60), k=st.integers(2, 5))
def test_no_part_can_be_cut_again(points, k):
    """Strict in one column: between any two of its values a cut would leave fewer than k on one side."""
    release = Release(pl.DataFrame({"x": points}), quasi="x", kinds={"x": "continuous"})
    masked = release.protect(Mondrian(models={"k_anonymity": k}))
    values = np.array(points)
    for rows in classes(masked.release).values():
        part = np.sort(values[rows])
        middle = part[len(part) // 2]
        assert (part < middle).sum() < k or (part >= middle).sum() < k
        assert (part <= middle).sum() < k or (part > middle).sum() < k


@given(points=st.lists(st.integers(0, 3), min_size=8, max_size=60), k=st.integers(2, 5))
def test_relaxed_parts_have_fewer_than_2k_records(points, k):
    """In one column with an order a part of 2k can always be cut; equal labels then make larger classes."""
    release = Release(pl.DataFrame({"x": points}), quasi="x", kinds={"x": "continuous"})
    masked = release.protect(Mondrian(models={"k_anonymity": k}, strict=False))
    for keys, rows in classes(masked.release).items():
        one_value = not str(keys[0]).startswith("[")
        assert one_value or len(rows) < 2 * k or len(set(np.array(points)[rows])) < 4


@given(release=tables())
def test_the_parts_of_a_hierarchy_are_its_branches(release):
    known = {label for town, labels in TOWNS.items() for label in (town, *labels)} | {"*", None}
    masked = release.protect(Mondrian(models={"k_anonymity": 2}))
    assert set(masked.to_native()["town"]) <= known


def test_the_worked_example_of_two_numbers():
    """LeFevre et al. cut the longer side first: ages spread wider than zips here."""
    frame = pl.DataFrame({"age": [25, 25, 26, 27, 27, 28], "zip": [53711, 53712, 53711, 53710, 53712, 53711]})
    release = Release(frame, quasi=["age", "zip"], kinds={"age": "continuous", "zip": "continuous"})
    masked = release.protect(Mondrian(models={"k_anonymity": 2}))
    assert fewest(masked.release) >= 2
    assert masked.to_native()["age"].to_list()[:3] == ["[25, 26]"] * 3
    assert masked.to_native()["age"].to_list()[3:] == ["[27, 28]"] * 3


def test_large_files_are_cut_to_parts_near_k():
    x = np.random.default_rng(1).normal(size=(20_000, 3))
    release = Release(pl.DataFrame({f"x{j}": x[:, j] for j in range(3)}), quasi=["x0", "x1", "x2"])
    masked = release.protect(Mondrian(models={"k_anonymity": 5}))
    sizes = [len(rows) for rows in classes(masked.release).values()]
    assert min(sizes) >= 5
    assert max(sizes) < 2 * 5
    # 2¹¹ halvings: each of 3 columns was halved about 3.7 times
    assert np.mean([part.value for part in generalisation(masked, original=release)]) < 0.12


def test_microaggregation_is_a_k_anonymiser_of_its_columns():  # catalogue: D-07, E-02
    x = np.random.default_rng(2).normal(size=(200, 2))
    release = Release(pl.DataFrame({"x": x[:, 0], "y": x[:, 1]}), quasi=["x", "y"])
    masked = release.protect(Mdav(columns=["x", "y"], k=5))
    assert fewest(masked.release) >= 5


def test_numbers_that_are_not_finite_and_wide_ranges_are_cut_too():
    frame = pl.DataFrame({"x": [-1e300, -1e-300, 0.0, 1e-300, 1e300, 2.0]})
    masked = Release(frame, quasi="x").protect(Mondrian(models={"k_anonymity": 3}))
    assert fewest(masked.release) == 3
    assert masked.to_native()["x"].n_unique() == 2


def test_dates_are_cut_by_their_order():
    days = pl.date_range(pl.date(1960, 1, 1), pl.date(1960, 1, 8), eager=True)
    masked = Release(pl.DataFrame({"born": days}), quasi="born").protect(Mondrian(models={"k_anonymity": 4}))
    assert masked.to_native()["born"].unique().sort().to_list() == [
        "[1960-01-01, 1960-01-04]",
        "[1960-01-05, 1960-01-08]",
    ]


def test_the_labels_of_sets_are_lists_of_values():
    release = Release(pl.DataFrame({"town": list("aabbccdd")}), quasi="town")
    masked = release.protect(Mondrian(models={"k_anonymity": 4}, labels="sets"))
    assert masked.to_native()["town"].to_list() == ["{a, b}"] * 4 + ["{c, d}"] * 4
    assert generalisation(masked, original=release)["town"].value == pytest.approx(1 / 3)
    plain = release.protect(Mondrian(models={"k_anonymity": 4}))
    assert plain.to_native()["town"].to_list() == ["*"] * 8
