from itertools import pairwise
from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import euclidean

from tacit import Release, TacitError
from tacit.loss import headline, hellinger
from tacit.loss.distributions.codings import bin_numbers
from tacit.protect import AddNoise, Generalise, RankSwap

words = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=30)


def of(**columns) -> Release:
    return Release(pl.DataFrame(columns))


def test_by_hand():  # catalogue: F-03
    before, after = of(sex=list("ffmm"), ill=list("yyyn")), of(sex=list("ffff"), ill=list("yyyn"))
    found = hellinger(after, original=before)
    assert found["sex"].value == pytest.approx(sqrt(((sqrt(0.5) - 1) ** 2 + 0.5) / 2))
    assert found["ill"].value == 0
    assert found[0].value == pytest.approx(found["sex"].value / 2) == headline(found)
    assert found[0].facts["largest in"] == "sex"


@given(words, words)
def test_the_slow_oracle_and_the_bounds(one, other):
    def shares(values):
        return np.sqrt([values.count(word) / len(values) for word in ["a", "b", "c", None]])

    before, after = (of(x=pl.Series(values, dtype=pl.String)) for values in (one, other))
    value = hellinger(after, original=before)["x"].value
    assert value == pytest.approx(euclidean(shares(one), shares(other)) / sqrt(2), abs=1e-12)
    assert 0 <= value <= 1
    assert value == pytest.approx(hellinger(before, original=after)["x"].value, abs=1e-12)
    doubled = before.take(np.repeat(np.arange(before.size), 2))
    assert hellinger(doubled, original=before)["x"].value == pytest.approx(0, abs=1e-7)


def test_strangers_have_distance_one():
    assert hellinger(of(x=["c", "d"]), original=of(x=["a", "b"]))[0].value == pytest.approx(1)


def test_numbers_are_cut_at_the_quantiles_of_the_original():
    numbers = np.arange(1000.0)
    found = hellinger(of(x=numbers[:500]), original=of(x=numbers), bins=4)["x"]
    # Four bins of a quarter each; the masked file fills two of them by half.
    assert found.value == pytest.approx(sqrt(1 - 2 * sqrt(0.25 * 0.5)))
    assert (found.facts["compared by"], found.facts["categories"]) == ("bins", 4)
    few = hellinger(of(x=[0, 1, 1, 1]), original=of(x=[0, 0, 1, 1]))["x"]
    assert few.value == pytest.approx(sqrt(1 - sqrt(0.5 * 0.25) - sqrt(0.5 * 0.75)))


def test_bins_by_hand():
    before, after, count = bin_numbers(np.arange(7.0), np.array([-0.5, 3.0, 3.1, 6.1, np.nan]), 2)
    # Four and three of seven values; below, above and missing have their own.
    assert (before.tolist(), after.tolist(), count) == ([1, 1, 1, 1, 2, 2, 2], [0, 1, 2, 3, 4], 5)
    as_many = hellinger(of(x=[1, 1, 1, 1]), original=of(x=[0, 1, 1, 1]), bins=2)["x"]
    assert as_many.value == pytest.approx(sqrt(1 - sqrt(0.75)))


@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_numbers_of_another_range_have_distance_one_on_either_side(shift):
    numbers = np.arange(1000.0)
    assert hellinger(of(x=numbers + shift), original=of(x=numbers))["x"].value == pytest.approx(1)


def test_codes_that_were_read_as_fractions_are_the_same_codes():
    before = Release(pl.DataFrame({"job": [1, 2, 3, 1]}), kinds={"job": "nominal"})
    after = Release(pl.DataFrame({"job": [1.0, 2.0, None, 1.0]}), kinds={"job": "nominal"})
    assert hellinger(after, original=before)["job"].value == pytest.approx(sqrt(0.25))


def test_a_dropped_column_is_one_without_values():
    before = of(job=list("aab") + [None], pay=[1.0, 2.0, None, None], day=pl.Series([1, 2, 3, 4]).cast(pl.Date))
    found = hellinger(of(job=list("aab") + [None]), original=before)
    # A quarter, a half and none of the values are missing in either file.
    expected = {"job": 0, "pay": sqrt(1 - sqrt(0.5)), "day": 1}
    assert {part.column: part.value for part in found[1:]} == pytest.approx(expected)
    assert found["pay"].facts["compared by"] == "nothing"
    blank = of(job=pl.Series([None] * 4, dtype=pl.String), pay=before.series("pay"), day=before.series("day"))
    dropped = hellinger(before.select(["pay", "day"]), original=before)
    assert dropped["job"].value == hellinger(blank, original=before)["job"].value == pytest.approx(sqrt(0.5))


def test_coarser_labels_cost_nothing_and_blanks_do():
    zips = [f"{place:03d}" for place in range(100)]
    release = Release(pl.DataFrame({"zip": zips}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2, 1]}})
    masked = release.protect(Generalise(levels={"zip": 1}))
    found = hellinger(masked, original=release)["zip"]
    assert (found.value, found.facts["compared by"]) == (0, "level")
    blank = masked.release.suppress_cells({"zip": np.arange(100) < 10})
    # The ten records of one label are blank: a tenth of the distribution moves to a category of its own.
    assert hellinger(blank, original=release)["zip"].value == pytest.approx(sqrt(0.1))


def test_swapping_costs_nothing_and_nested_noise_ever_more():
    rng = np.random.default_rng(1)
    release = of(x=rng.lognormal(size=2000))
    assert hellinger(release.protect(RankSwap(columns="x", percent=5), seed=1), original=release)["x"].value == 0
    noise = rng.normal(size=2000)
    losses = [
        hellinger(of(x=release.floats("x") + scale * noise), original=release)[0].value for scale in (0, 0.3, 1, 3)
    ]
    assert losses[0] == 0 and all(one < other for one, other in pairwise(losses))


def test_a_sample_is_as_far_as_chance_says():
    """The mean of H² is (k−1)/8n, here with k = 20 bins."""
    # H² · 8n is about χ² with 19 degrees of freedom: its mean over 100 draws has a standard error of 3.2 %, so that 15 %
    # are missed with probability below 1e-5.
    rng = np.random.default_rng(1)
    release = of(x=rng.normal(size=4000))
    draws = (release.take(rng.integers(0, 4000, 4000)) for _ in range(100))
    squares = [hellinger(draw, original=release)[0].value ** 2 for draw in draws]
    assert np.mean(squares) == pytest.approx(19 / (8 * 4000), rel=0.15)


def test_identifiers_are_left_out_and_files_may_differ_in_size_and_order(reference_data):
    census = Release(pl.read_csv(reference_data / "census.csv"))
    masked = census.protect(AddNoise(columns=list(census.columns), variance=0.1), seed=1)
    found = hellinger(masked.release.take(np.arange(500)), original=census)
    assert len(found) == 14 and 0 < found[0].value < 1
    release = Release(pl.DataFrame({"id": [1, 2], "x": [1, 2], "w": [3.0, 4.0]}), identifier="id", weight="w")
    assert [part.column for part in hellinger(release, original=release)] == [None, "x"]


@pytest.mark.parametrize("bins", [1, 0, True, 2.5, "many"])
def test_bins_are_a_number(bins):
    with pytest.raises(TacitError, match="bins"):
        hellinger(of(x=[1.0]), original=of(x=[1.0]), bins=bins)


def test_nothing_in_common_is_told():
    with pytest.raises(TacitError, match="in both files"):
        hellinger(of(x=[1]), original=of(y=[1]))
    with pytest.raises(TacitError, match="masked file has no rows"):
        hellinger(of(x=[1]).take(np.zeros(0, dtype=int)), original=of(x=[1]))


def test_labels_of_another_type_are_compared_as_text():
    found = hellinger(of(age=["20-29", "30"]), original=of(age=[21, 30]))
    assert found["age"].value == pytest.approx(sqrt(0.5))
