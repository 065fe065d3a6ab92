import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.protect._microaggregation.insensitive import insensitive_groups

BOUNDS = [(0.0, 10.0), (-5.0, 5.0), (0.0, 1.0)]


@st.composite
def neighbours(draw):
    """Two files that differ in one record, ties among their values, some outside the bounds."""
    columns = draw(st.integers(1, 3))
    record = st.tuples(*(st.integers(-7, 12).map(float) for _ in range(columns)))
    rows = draw(st.lists(record, min_size=4, max_size=40))
    place = draw(st.integers(0, len(rows) - 1))
    other = [*rows]
    other[place] = draw(record)
    reference = draw(st.sampled_from([None, [3.0, 1.0, 0.5][:columns]]))
    return np.array(rows), np.array(other), draw(st.integers(2, len(rows))), reference


def members(values, made, g):
    low, high = np.array(BOUNDS[: values.shape[1]]).T
    return sorted(map(tuple, np.clip(values, low, high)[made.group == g].tolist()))


def unmatched(one, other):
    rest = [*other]
    for record in one:
        if record in rest:
            rest.remove(record)
    return len(rest)


@given(neighbours())
def test_groups_of_neighbouring_files_differ_in_one_record_at_most(pair):  # catalogue: E-07
    one, other, k, reference = pair
    bounds = BOUNDS[: one.shape[1]]
    a, b = (insensitive_groups(values, k, bounds=bounds, reference=reference) for values in (one, other))
    assert np.bincount(a.group).tolist() == np.bincount(b.group).tolist()
    assert np.bincount(a.group).min() >= k
    for g in range(a.group.max() + 1):
        assert unmatched(members(one, a, g), members(other, b, g)) <= 1
    change = np.abs(a.centroids - b.centroids)
    assert (change <= a.of_mean + 1e-12).all()
    assert change.sum() <= a.of_all + 1e-12


def test_the_bound_on_one_column_is_reached_and_not_a_matter_of_groups():
    """From one bound to the other in a file of two values: the means move by (b − a)/k in all, and no more."""
    low, high = np.zeros((6, 1)), np.zeros((6, 1))
    high[0] = 10.0
    a, b = (insensitive_groups(values, 3, bounds=[(0, 10)]) for values in (low, high))
    assert np.abs(a.centroids - b.centroids).sum() == pytest.approx(10 / 3) == pytest.approx(a.of_all)
    spread = np.linspace(0, 10, 30)[:, None]
    moved = spread.copy()
    moved[0] = 10.0
    a, b = (insensitive_groups(values, 3, bounds=[(0, 10)]) for values in (spread, moved))
    assert (np.abs(a.centroids - b.centroids) > 0).all()  # every group notices
    assert np.abs(a.centroids - b.centroids).sum() == pytest.approx(10 / 3)


def test_means_lie_within_the_bounds_and_are_those_of_the_groups():
    values = np.random.default_rng(1).normal(0, 9, (50, 2))
    made = insensitive_groups(values, 4, bounds=BOUNDS[:2])
    inside = np.clip(values, [0, -5], [10, 5])
    for g, centroid in enumerate(made.centroids):
        assert centroid == pytest.approx(inside[made.group == g].mean(axis=0))
    assert made.of_mean.tolist() == [2.5, 2.5]


def test_mistakes_are_answered():
    values = np.ones((5, 1))
    for changes, text in (
        ({"k": 1}, "k=1"),
        ({"k": 6}, "above the 5 records"),
        ({"bounds": [(0, 1), (0, 1)]}, "do not fit"),
        ({"bounds": [(1, 0)]}, "lower one first"),
        ({"bounds": [(0, float("inf"))]}, "finite"),
        ({"reference": [2.0]}, "outside the bounds"),
        ({"values": np.array([[1.0], [np.nan], [2.0]])}, "row 2"),
    ):
        given_ = {"values": values, "k": 2, "bounds": [(0, 1)]} | changes
        with pytest.raises(TacitError, match=text):
            insensitive_groups(given_.pop("values"), given_.pop("k"), **given_)


def test_from_a_point_within_the_bounds_all_groups_can_change_at_once():
    # by hand: values on both sides of the reference take turns, so that a step of one place crosses the line
    before = np.array([5.0, 9.0, 0.9, 9.2, 0.7, 9.4, 0.5, 9.6])[:, None]
    after = np.where(before == 5.0, 10.0, before)
    one, other = (insensitive_groups(values, 2, bounds=[(0, 10)], reference=[5]) for values in (before, after))
    assert 5.0 < np.abs(one.centroids - other.centroids).sum() <= one.of_all == 20.0
