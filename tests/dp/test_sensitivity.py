"""Sensitivity, with the numbers of the catalogue. Catalogue: H-01."""

from __future__ import annotations

from itertools import product

import pytest

from tacit import TacitError
from tacit.dp import Bounds, Laplace, Mean, check_record_count, laplace_noise, loss_of_shift, mean_sensitivity

SALARIES = [1000, 2000, 3000, 2000, 1000, 6000, 2000, 10000, 2000, 4000]
RANGE = Bounds(1000, 100_000)


def test_the_mean_of_the_salaries_and_what_one_rich_person_does_to_it():
    assert sum(SALARIES) / 10 == 3300
    assert round(sum([*SALARIES, 100_000]) / 11, 2) == 12090.91  # 12090.90 in the catalogue, cut and not rounded


def test_the_scale_for_a_promise_of_five_and_of_a_million_records():
    assert laplace_noise(mean_sensitivity(RANGE, at_least=5), epsilon=1) == 19800
    assert float(laplace_noise(mean_sensitivity(RANGE, at_least=10**6), epsilon=1)) == 0.099


def test_without_a_promise_the_sensitivity_is_the_range():
    assert mean_sensitivity(RANGE) == 99_000


def test_a_promise_of_a_million_is_not_applied_to_ten_records():
    with pytest.raises(TacitError, match="at least 1,000,000 records, as was promised"):
        check_record_count(10**6, len(SALARIES))
    check_record_count(5, len(SALARIES))
    with pytest.raises(TacitError, match="exactly 1,000,000 records"):
        Mean(bounds=RANGE, epsilon=1, neighbours="replace", size=10**6).release(SALARIES)


def test_unit_noise_about_five_or_six_is_one_epsilon_and_a_shift_of_two_is_two():
    assert loss_of_shift(1, scale=1) == 1
    assert loss_of_shift(2, scale=1) == 2
    assert Laplace(sensitivity=2, epsilon=2, neighbours="replace").scale == 1.0


def test_the_sensitivity_of_a_mean_is_the_largest_change_over_all_small_data_sets():
    values = (0, 1, 2, 3)
    for size in (1, 2, 3):
        largest = max(
            abs(sum(data) - sum((*data[:-1], other))) / size
            for data in product(values, repeat=size)
            for other in values
        )
        assert largest == mean_sensitivity(Bounds(0, 3), at_least=size)


@pytest.mark.parametrize("at_least", [0, -1, 2.5, True])
def test_a_promise_is_a_number_of_records(at_least):
    with pytest.raises(TacitError, match="whole number"):
        mean_sensitivity(RANGE, at_least=at_least)


@pytest.mark.parametrize(
    "given",
    [
        (1, 1), (2, 1), (float("nan"), 1), (0, float("inf")), ("x", 1), (0, 1, 0), (0, 1, -1), (0, 1, 0.3),
        (0, 2**60), (None, 1),
    ],
)  # fmt: skip
def test_bounds_that_cannot_be_are_refused(given):
    with pytest.raises(TacitError, match="fix:"):
        Bounds(*given)


def test_every_record_becomes_a_place_between_the_bounds():
    import decimal

    import numpy as np
    import polars as pl

    bounds = Bounds(-1, 2, step="0.5")
    odd = [10**400, -(10**400), float("inf"), float("-inf"), float("nan"), None, "1", b"1", 1j, [1], True]
    odd += [decimal.Decimal("sNaN"), decimal.Decimal("0.4"), np.float32(1.3), np.int8(-3)]
    codes, gaps = bounds.codes(odd)
    assert codes.tolist() == [4, -2, 4, -2, 2, 1, 3, -2]
    assert gaps == 7
    for column in (np.array([0.2, np.nan]), pl.Series([0.2, None]), np.ma.MaskedArray([0.2, 5], [False, True])):
        codes, gaps = bounds.codes(column)
        assert (codes.tolist(), gaps) == ([0], 1)
    huge = np.array([2**64 - 1, 0], np.uint64)
    assert bounds.codes(huge)[0].tolist() == [4, 0]
    for wrong in ("text", 5, np.zeros((2, 2)), None):
        with pytest.raises(TacitError, match="not a list of values"):
            bounds.codes(wrong)


def test_sums_do_not_wrap_around():
    import numpy as np

    from tacit.dp.bounds import whole_sum

    codes = np.full(5000, 2**53)
    assert whole_sum(codes) == 5000 * 2**53 > 2**63
    assert whole_sum(-codes) == -5000 * 2**53
