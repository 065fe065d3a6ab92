import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tacit import Release, TacitError
from tacit.loss import LOSSES, headline
from tacit.loss.numbers.standardised import drop_rounding, numbers_apart, numbers_beside, pairwise_covariance

NAMES = ["covariances", "quantiles", "eigenvalues", "distances", "il1"]
FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)


def of(matrix, **roles):
    return Release(pl.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])}), **roles)


def normal(rows=300, columns=4, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)), rng.normal(size=(rows, columns))


def test_both_files_are_standardised_by_the_original():  # catalogue: F-01
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "c": [1.0, 1.0, 1.0], "z": [None, 1.0, 3.0]}))
    after = Release(pl.DataFrame({"x": [6.0, 2.0], "c": [1.0, 2.0], "z": [2.0, float("inf")]}))
    numbers = numbers_apart(after, before)
    assert numbers.columns == ("x", "z")
    assert numbers.before[:, 0].tolist() == [-1.0, 0.0, 1.0]
    assert numbers.after[:, 0].tolist() == pytest.approx([2.0, 0.0])
    assert np.isnan(numbers.before[0, 1]) and np.isnan(numbers.after[1, 1])
    assert numbers.after[0, 1] == pytest.approx(0.0)


def test_records_stand_side_by_side_in_the_order_of_the_original():
    matrix, _ = normal(20)
    order = np.random.default_rng(3).permutation(20)[:15]
    numbers = numbers_beside(of(matrix[order]), of(matrix), order)
    assert np.array_equal(numbers.before, numbers.after)
    assert np.array_equal(numbers.before, numbers_apart(of(matrix), of(matrix)).before[np.sort(order)])


@given(hnp.arrays(float, (8, 3), elements=st.floats(-100, 100) | st.just(float("nan"))))
def test_the_covariances_are_those_of_the_records_with_both_values(matrix):
    found = pairwise_covariance(matrix)
    for i in range(3):
        for j in range(3):
            both = np.isfinite(matrix[:, i]) & np.isfinite(matrix[:, j])
            slow = np.cov(matrix[both, i], matrix[both, j])[0, 1] if both.sum() > 1 else 0.0
            assert found[i, j] == pytest.approx(slow, abs=1e-8)


def test_rounding_is_no_change():
    assert drop_rounding(1e-13) == 0
    assert drop_rounding(-1e-13) == 0
    assert drop_rounding(1e-11) == 1e-11


@pytest.mark.parametrize("name", NAMES)
@given(matrix=hnp.arrays(float, (12, 3), elements=FINITE | st.just(float("nan"))))
def test_nothing_is_lost_without_masking(name, matrix):  # catalogue: F-01
    release = of(matrix)
    try:
        found = LOSSES[name].call(release, original=release)
    except TacitError:
        return
    assert all(part.value == 0 for part in found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_more_noise_loses_more(name, seed):
    """By statistics, not for every file: with 300 records, doubling the noise outweighs its chance correlations."""
    matrix, noise = normal(seed=seed)
    before = of(matrix)
    losses = [LOSSES[name].call(of(matrix + t * noise), original=before)[0].value for t in (0, 0.25, 0.5, 1, 2, 4)]
    assert losses[0] == 0
    assert losses == sorted(set(losses))


@pytest.mark.parametrize("name", NAMES)
@given(
    scales=st.lists(st.sampled_from([-1e12, -3.0, 1e-9, 0.1, 1.0, 1e6]), min_size=4, max_size=4),
    shift=st.sampled_from([0.0, 1.0, -2.5]),
)
def test_no_unit_of_measurement_counts(name, scales, shift):
    matrix, noise = normal(60)
    plain = LOSSES[name].call(of(matrix + noise), original=of(matrix))
    changed = (matrix + shift) * scales
    other = LOSSES[name].call(of((matrix + noise + shift) * scales), original=of(changed))
    for one, two in zip(plain, other, strict=True):
        assert two.value == pytest.approx(one.value, rel=1e-6), one.column


@pytest.mark.parametrize("name", NAMES)
@given(
    before=hnp.arrays(float, (6, 2), elements=st.floats(allow_nan=True, allow_infinity=True)),
    after=hnp.arrays(float, (6, 2), elements=st.floats(allow_nan=True, allow_infinity=True)),
)
def test_no_number_is_too_large_or_too_small(name, before, after):
    try:
        found = LOSSES[name].call(of(after), original=of(before))
    except TacitError as problem:
        assert problem.fix
        return
    for part in found:
        assert 0 <= part.value < float("inf")
        assert all(np.isfinite(fact) for fact in part.facts.values())
    assert 0 <= headline(found) <= 1


@pytest.mark.parametrize("name", NAMES)
def test_names_are_no_amounts(name):
    matrix, noise = normal(50, columns=5)
    matrix[:, 4] = noise[:, 4] = np.abs(matrix[:, 4]) + 1
    roles = {"identifier": "x0", "household": "x1", "kinds": {"x2": "code"}, "weight": "x4"}
    try:
        found = LOSSES[name].call(of(matrix + noise, **roles), original=of(matrix, **roles))
    except TacitError:
        assert name == "eigenvalues"
        return
    assert {part.column for part in found} == {None, "x3"}


def test_a_column_that_is_gone_is_there_without_values():
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [1.0, 2.0, 3.0], "z": [1, 2, 4]}))
    after = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "z": ["1-2", "1-2", "4"]}))
    numbers = numbers_beside(after, before, None)
    assert numbers.columns == ("x", "y", "z")
    assert np.isnan(numbers.after[:, 1:]).all() and np.isfinite(numbers.before).all()
    assert numbers.complete_records().after.tolist() == [[-1, 0, 0], [0, 0, 0], [1, 0, 0]]
    coded = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [1.0, 2.0, 3.0], "z": [1, 2, 4]}), kinds={"z": "code"})
    assert numbers_apart(coded, before).columns == ("x", "y")
    with pytest.raises(TacitError, match="no column holds varying numbers"):
        numbers_apart(after.select("z"), before)


@pytest.mark.parametrize("name", NAMES)
def test_constant_columns_hold_nothing(name):
    flat = of(np.ones((5, 2)))
    with pytest.raises(TacitError, match="no column holds varying numbers"):
        LOSSES[name].call(flat, original=flat)
    assert LOSSES[name].upto == 0
