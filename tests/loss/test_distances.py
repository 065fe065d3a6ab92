import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import pdist

from tacit import Release, TacitError
from tacit.loss import distances
from tacit.loss.numbers.distances import _sample_pairs
from tacit.protect import Mdav


def of(matrix):
    return Release(pl.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])}))


def slow(before, after):
    deviations = before.std(axis=0)
    old, new = pdist(before / deviations), pdist(after / deviations)
    return np.abs(new - old).sum() / old.sum()


def test_by_hand():  # catalogue: F-01
    before = Release(pl.DataFrame({"x": [0.0, 1.0, 3.0], "y": [0.0, 4.0, 0.0]}))
    after = Release(pl.DataFrame({"x": [0.0, 2.0, 3.0], "y": [0.0, 0.0, 0.0]}))
    found = distances(after, original=before)
    assert found["x"].value == pytest.approx((1 + 1 + 0) / 6)
    assert found["y"].value == pytest.approx(1.0)
    assert found[0].facts == {"columns": 2, "records": 3, "pairs of records": 3}


@pytest.mark.parametrize("rows", [2, 40, 300])
def test_all_pairs_of_a_small_file(rows):
    rng = np.random.default_rng(rows)
    before = rng.normal(size=(rows, 3)) * [1, 10, 100]
    after = before + rng.normal(size=(rows, 3)) * [0.3, 10, 1]
    found = distances(of(after), original=of(before))
    assert found[0].value == pytest.approx(slow(before, after))
    for j in range(3):
        assert found[f"x{j}"].value == pytest.approx(slow(before[:, [j]], after[:, [j]]))


def test_a_sample_of_pairs_of_a_larger_one():
    """A standard error of a thousandth; five of them."""
    rng = np.random.default_rng(1)
    before = rng.normal(size=(3000, 2))
    after = before + rng.normal(size=(3000, 2)) * 0.5
    found = distances(of(after), original=of(before))
    assert found[0].facts["pairs of records"] == 1_000_000
    assert found[0].value == pytest.approx(slow(before, after), rel=0.005)
    order = rng.permutation(3000)
    shuffled = distances(of(after[order]), original=of(before), lineage=order)
    assert shuffled[0].value == found[0].value


def test_nobody_is_compared_with_oneself():
    for records in (3, 1501):
        left, right = _sample_pairs(records)
        assert (left != right).all() and max(left.max(), right.max()) == records - 1


def test_a_shift_costs_nothing_and_one_point_for_all_costs_one():
    values = np.random.default_rng(1).normal(size=(30, 2))
    release = of(values)
    assert distances(of(values + 5), original=release)[0].value == pytest.approx(0, abs=1e-12)
    flat = release.protect(Mdav(columns=["x0", "x1"], k=30))
    assert [part.value for part in distances(flat, original=release)] == pytest.approx([1, 1, 1])


def test_records_with_missing_numbers_stay_out():
    before = Release(pl.DataFrame({"x": [0.0, 1.0, 3.0, None], "y": [1.0, 2.0, 3.0, 4.0]}))
    after = Release(pl.DataFrame({"x": [0.0, None, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]}))
    found = distances(after, original=before)[0]
    assert found.value == 0
    assert found.facts["records"] == 2


def test_records_that_were_the_same_and_no_longer_are_have_lost_it_all():
    before = Release(pl.DataFrame({"x": [0.0, 0.0, 5.0], "y": [1.0, 1.0, 2.0]}))
    after = Release(pl.DataFrame({"x": [0.0, 1.0, 5.0], "y": [1.0, 1.0, None]}))
    assert [part.value for part in distances(after, original=before)] == [1, 1, 0]


def test_too_few_records():
    before = Release(pl.DataFrame({"x": [0.0, 1.0, 3.0]}))
    with pytest.raises(TacitError, match="fewer than two records"):
        distances(Release(pl.DataFrame({"x": [0.0, None, None]})), original=before)
    with pytest.raises(TacitError, match="no record has all its numbers"):
        distances(Release(pl.DataFrame({"x": [None, None, None]}, schema={"x": float})), original=before)
