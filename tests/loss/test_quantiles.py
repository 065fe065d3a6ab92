import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.loss import quantiles
from tacit.protect import Shuffle


def pay(values):
    return Release(pl.DataFrame({"pay": values}, schema={"pay": float}))


def test_by_hand():  # catalogue: F-01
    before, after = np.arange(101.0), np.minimum(np.arange(101.0), 85)
    found = quantiles(pay(after), original=pay(before))
    # The 90 % point falls by 5 and the 99 % point by 14, of a spread of 98.
    assert found["pay"].value == pytest.approx((5 + 14) / 98 / 11)
    assert found["pay"].facts["largest shift"] == pytest.approx(14 / 98)


@given(st.floats(0, 3))
def test_a_shift_costs_its_share_of_the_spread_and_at_most_one(shift):
    values = np.arange(101.0)
    found = quantiles(pay(values + shift * 98), original=pay(values))["pay"]
    assert found.value == pytest.approx(min(1.0, shift), abs=1e-12)
    assert found.facts["largest shift"] == pytest.approx(shift, abs=1e-12)


def test_the_first_is_the_mean_over_the_columns():
    before = Release(pl.DataFrame({"x": np.arange(101.0), "y": np.arange(101.0)}))
    after = Release(pl.DataFrame({"x": np.arange(101.0), "y": np.arange(101.0) + 49}))
    found = quantiles(after, original=before)
    assert [part.value for part in found] == pytest.approx([0.25, 0.0, 0.5])
    assert found[0].facts["columns"] == 2


def test_swapping_costs_nothing_and_an_outlier_stretches_nothing():
    values = np.append(np.arange(200.0), 1e9)
    before = pay(values)
    assert quantiles(before.protect(Shuffle(), seed=1), original=before)[0].value == 0
    shifted = quantiles(pay(values + 196), original=before)[0].value
    assert shifted == pytest.approx(1.0)


def test_a_nearly_constant_column_is_measured_by_all_its_values():
    values = np.zeros(1001)
    values[0] = 4.0
    assert quantiles(pay(np.ones(1001)), original=pay(values))["pay"].value == pytest.approx(0.25)


def test_missing_values_stay_out_and_a_column_without_any_is_lost():
    before = pay([1.0, 2.0, 3.0, None])
    assert quantiles(pay([None, 1.0, 2.0, 3.0]), original=before)["pay"].value == 0
    lost = quantiles(pay([None] * 4), original=before)["pay"]
    assert lost.value == 1 and lost.facts["values"] == 0
