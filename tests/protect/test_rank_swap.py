from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import RankSwap


def swapped(values, percent, seed, **described):
    release = Release(pl.DataFrame({"x": values}, schema={"x": pl.Float64}), **described)
    masked = release.protect(RankSwap(columns="x", percent=percent), seed=seed)
    return masked.release.series("x").to_list(), masked.trace[0].outcome["reach"].value["x"]


@given(st.lists(st.none() | st.integers(0, 30), max_size=60), st.floats(5, 100), st.integers(0, 1000))
def test_values_are_kept_and_no_rank_moves_beyond_reach(values, percent, seed):  # catalogue: E-03
    known = sum(value is not None for value in values)
    if known < 2 or percent * known / 100 < 1:
        with pytest.raises(TacitError, match="reaches no neighbour"):
            swapped(values, percent, seed)
        return
    after, reach = swapped(values, percent, seed)
    assert reach == min(int(percent * known / 100), known - 1)
    assert [v is None for v in after] == [v is None for v in values]
    assert sorted(v for v in after if v is not None) == sorted(v for v in values if v is not None)
    ranked = sorted(v for v in values if v is not None)
    for old, new in zip(values, after, strict=True):
        if old is not None:  # ties: the nearest of the ranks that the two values may have had
            places = [i for i, v in enumerate(ranked) if v == old], [i for i, v in enumerate(ranked) if v == new]
            assert min(abs(i - j) for i in places[0] for j in places[1]) <= reach


def test_values_are_exchanged_in_pairs():  # both are marked as swapped: nobody drifts on
    values = np.random.default_rng(1).permutation(1001).astype(float).tolist()
    after, reach = swapped(values, 3, 9)
    assert reach == 30
    new_of = dict(zip(values, after, strict=True))
    assert all(new_of[new_of[value]] == value for value in values)
    assert sum(new_of[value] == value for value in values) == 1
    assert max(abs(new_of[value] - value) for value in values) == 30


def test_ties_are_in_random_order_not_in_that_of_the_file():
    values = [1.0] * 50 + [2.0] * 50
    leaves = np.zeros(50)
    for seed in range(200):
        after, _ = swapped(values, 10, seed)
        leaves += np.array(after[:50]) == 2.0
    # about 0.1 · 50 / 2 of the first fifty leave in each run, whichever: their places must be spread evenly
    assert abs(leaves[:25].sum() - leaves[25:].sum()) < 5 * np.sqrt(leaves.sum())
    assert leaves.sum() > 100


def test_columns_are_swapped_each_on_its_own_and_the_input_is_untouched():
    frame = pl.DataFrame({"a": range(100), "b": range(100), "day": [date.fromordinal(700_000 + i) for i in range(100)]})
    release = Release(frame)
    masked = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=3)
    new = masked.release.native()
    assert release.native().equals(frame)
    assert new["a"].to_list() != new["b"].to_list()
    assert new.schema == frame.schema
    assert masked.lineage is None
    again = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=3)
    assert again.release.native().equals(new)
    other = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=4)
    assert not other.release.native().equals(new)


def test_a_percentage_is_of_ranks_without_rounding_surprises():
    assert swapped(list(range(10_000)), 0.29, 1)[1] == 29


@pytest.mark.parametrize("percent", [0, -1, 101, float("nan"), "5", True, None])
def test_percent_is_checked(percent):
    with pytest.raises(TacitError, match="percent="):
        RankSwap(columns="x", percent=percent)


@pytest.mark.parametrize("columns", [5, [], [5], None, ["x", "x"], {"x": 1}])
def test_columns_are_checked(columns):
    with pytest.raises(TacitError):
        RankSwap(columns=columns, percent=5)


def test_mistakes_are_answered():
    release = Release(pl.DataFrame({"x": list(range(30)), "town": ["Lund"] * 30, "few": [1, 2, 3] * 10}))
    with pytest.raises(TacitError, match="seed=7"):
        release.protect(RankSwap(columns="x", percent=50))
    with pytest.raises(TacitError, match="use percent=3.33 or more"):
        release.protect(RankSwap(columns="x", percent=3), seed=1)
    with pytest.raises(TacitError, match="'ordinal'"):
        release.protect(RankSwap(columns="town", percent=50), seed=1)
    with pytest.raises(TacitError, match="an amount or a code"):
        release.protect(RankSwap(columns="few", percent=50), seed=1)
    with pytest.raises(TacitError, match="two values or more"):
        swapped([None, 3.0], 100, 1)


def test_the_reach_is_not_lost_to_rounding():
    """0.29 % of 10 000 are 29 ranks, although the product comes out as 28.999…"""
    release = Release(pl.DataFrame({"x": np.arange(10_000.0)}))
    assert release.protect(RankSwap(columns="x", percent=0.29), seed=1).trace[0].outcome["reach"].value == {"x": 29}
