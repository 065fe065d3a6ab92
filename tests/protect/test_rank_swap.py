from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import RankSwap
from tacit.protect._swapping.ranks import order_by_value


def swapped(values, percent, seed, **described):
    release = Release(pl.DataFrame({"x": values}, schema={"x": pl.Float64}), **described)
    masked = release.protect(RankSwap(columns="x", percent=percent), seed=seed)
    return masked.release.series("x").to_list(), masked.trace[0].outcome["reach"].value["x"]


@given(st.lists(st.none() | st.integers(0, 30), max_size=60), st.floats(5, 100), st.integers(0, 1000))
def test_values_are_kept_and_no_rank_moves_beyond_reach(values, percent, seed):  # catalogue: E-03
    known = sum(value is not None for value in values)
    if known < 2 or percent * known / 100 < 1:
        with pytest.raises(TacitError, match="reaches no neighbour" if values else "no rows"):
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


def test_ties_are_mixed_from_the_order_of_the_file_on_every_processor():
    # A fast sort leaves ties as the processor likes, and then the same seed gives another file on another machine.
    values = np.random.default_rng(1).integers(0, 7, 5000)
    order = sorted(range(values.size), key=values.__getitem__)
    draws, begin = iter(np.random.default_rng(2).random(values.size)), 0
    for place in range(1, values.size):
        if values[order[place]] != values[order[place - 1]]:
            begin = place
            continue
        other = begin + int(next(draws) * (place + 1 - begin))
        order[place], order[other] = order[other], order[place]
    found, ranked = order_by_value(values, np.random.default_rng(2))
    assert found.tolist() == order
    assert (ranked == np.sort(values)).all()


def test_columns_are_swapped_each_on_its_own_and_the_input_is_untouched():
    frame = pl.DataFrame({"a": range(100), "b": range(100), "day": [date.fromordinal(700_000 + i) for i in range(100)]})
    release = Release(frame)
    masked = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=3)
    new = masked.release.to_native()
    assert release.to_native().equals(frame)
    assert new["a"].to_list() != new["b"].to_list()
    assert new.schema == frame.schema
    assert masked.lineage is None
    again = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=3)
    assert again.release.to_native().equals(new)
    other = release.protect(RankSwap(columns=["a", "b", "day"], percent=10), seed=4)
    assert not other.release.to_native().equals(new)


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
    with pytest.raises(TacitError, match="use percent=3.34 or more"):
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


FORMS = ("uniform", "buckets", "distribution")


def normal_table(rows, columns, seed):
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, 1))
    return pl.DataFrame(
        0.6 * common + 0.8 * rng.standard_normal((rows, columns)), schema=[f"c{i}" for i in range(columns)]
    )


def ranks(frame):
    return np.column_stack([np.argsort(np.argsort(frame[name].to_numpy())) for name in frame.columns])


def intersection(original, masked, reach):
    """For each original record, whether it is among, and how many are, the masked ones within reach in every column."""
    before, after = ranks(original), ranks(masked)
    possible = np.abs(before[:, None, :] - after[None, :, :]).max(axis=2) <= reach
    return np.diag(possible), possible.sum(axis=1)


def test_the_intersection_attack_never_errs_on_uniform_and_often_on_the_resistant_forms():  # catalogue: E-04
    table = normal_table(400, 8, seed=5)
    right = {}
    for form in FORMS:
        swap = RankSwap(columns=table.columns, percent=10, form=form)
        masked = Release(table).protect(swap, seed=6).release.to_native()
        among, candidates = intersection(table, masked, reach=40)
        right[form] = among.mean()
        if form == "uniform":
            assert (
                among & (candidates == 1)
            ).mean() > 0.2  # the power of the attack: sure links, and all of them right
    assert right["uniform"] == 1.0
    assert right["buckets"] < 0.2
    assert right["distribution"] < 0.6


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("type_of", [float, int, lambda i: date.fromordinal(700_000 + i), str, None])
def test_every_form_keeps_the_values_in_their_type_and_what_is_missing(form, type_of):
    rng = np.random.default_rng(8)
    drawn = rng.integers(0, 40, 300)
    values = [None if i % 7 == 3 else (type_of or (lambda v: v % 2 == 0))(int(v)) for i, v in enumerate(drawn)]
    kinds = {"x": "ordinal"}
    release = Release(pl.DataFrame({"x": values}), kinds=kinds)
    after = release.protect(RankSwap(columns="x", percent=10, form=form), seed=2).release.to_native()["x"]
    assert after.dtype == release.series("x").dtype
    assert after.is_null().to_list() == [value is None for value in values]
    assert after.drop_nulls().sort().to_list() == sorted(value for value in values if value is not None)
    assert after.to_list() != values


def test_the_scales_of_the_resistant_forms():
    """How often which bucket, and the mean of the normal shifts: as stated within 5 errors, and not as 30 % off."""
    values = np.random.default_rng(1).permutation(200_000).astype(float)
    release = Release(pl.DataFrame({"x": values}))
    masked = release.protect(RankSwap(columns="x", percent=10, form="buckets"), seed=2)
    assert masked.trace[0].outcome["bucket"].value == {"x": 20_000}
    after = masked.release.series("x").to_numpy()
    bucket = (
        after[values < 20_000] // 20_000
    )  # who leaves the first bucket drew: the next one twice as often as the one after
    near, far = (bucket == 1).sum(), (bucket == 2).sum()
    error = np.sqrt(2 / 9 / (near + far))
    assert abs(near / (near + far) - 2 / 3) < 5 * error
    for wrong in (2 * 1.3, 2 * 0.7):
        assert abs(near / (near + far) - wrong / (1 + wrong)) > 5 * error
    masked = release.protect(RankSwap(columns="x", percent=1, form="distribution"), seed=2)
    after = masked.release.series("x").to_numpy()
    start = (values < 200) & (after > values)
    shift = (after - values)[start]  # the first two hundred find nearly all places free
    # the normal N(1000, 1000) cut off below 1 has mean 1000 + 1000·φ(−1)/Φ(1) = 1287.6 and spread 793.6
    error = 793.6 / np.sqrt(start.sum())
    assert abs(shift.mean() - 1287.6) < 5 * error
    assert abs(shift.mean() - 1.3 * 1287.6) > 5 * error


def test_percent_may_differ_by_column():
    table = normal_table(1000, 2, seed=3)
    masked = Release(table).protect(RankSwap(columns=["c0", "c1"], percent={"c0": 1, "c1": 10}), seed=4)
    assert masked.trace[0].outcome["reach"].value == {"c0": 10, "c1": 100}
    moved = np.abs(ranks(masked.release.to_native()) - ranks(table))
    assert moved.max(axis=0).tolist() == [10, 100]
    with pytest.raises(TacitError, match="has no percent"):
        RankSwap(columns=["c0", "c1"], percent={"c0": 1})
    with pytest.raises(TacitError, match="not among the columns"):
        RankSwap(columns=["c0"], percent={"c0": 1, "c1": 1})
    with pytest.raises(TacitError, match="percent=0"):
        RankSwap(columns=["c0"], percent={"c0": 0})


@pytest.mark.parametrize("form", FORMS)
def test_strata_keep_their_values_and_small_ones_are_counted(form):
    rng = np.random.default_rng(9)
    sizes = {"a": 300, "b": 200, "c": 9, "d": 1}
    town = np.repeat(list(sizes), list(sizes.values()))
    order = rng.permutation(len(town))
    table = pl.DataFrame({"town": town, "x": rng.standard_normal(len(town))})[order]
    masked = Release(table).protect(RankSwap(columns="x", percent=10, form=form, strata="town"), seed=1)
    after = masked.release.to_native()
    for name in sizes:
        old, new = (t.filter(pl.col("town") == name)["x"] for t in (table, after))
        assert old.sort().equals(new.sort())
        assert old.equals(new) == (sizes[name] < 10)
    assert masked.trace[0].outcome["left_alone"].value == {"x": 10}
    assert masked.trace[0].as_json(public=True)["outcome"]["left_alone"] == {"x": 10}
    with pytest.raises(TacitError, match="in any stratum"):
        Release(table).protect(RankSwap(columns="x", percent=0.1, form=form, strata="town"), seed=1)


def test_a_total_follows_its_swapped_parts():
    rng = np.random.default_rng(2)
    table = pl.DataFrame({"wage": rng.integers(0, 90, 200), "rent": rng.integers(0, 90, 200)})
    table = table.with_columns(all=pl.col("wage") + pl.col("rent"))
    swap = RankSwap(columns=["wage", "rent"], percent=10, totals={"all": ["wage", "rent"]})
    after = Release(table).protect(swap, seed=1).release.to_native()
    assert (after["wage"] + after["rent"]).equals(after["all"].alias("wage"))
    assert not after["all"].equals(table["all"])


def test_forms_and_strata_are_checked():
    with pytest.raises(TacitError, match="did you mean 'buckets'"):
        RankSwap(columns="x", percent=5, form="bucket")
    with pytest.raises(TacitError, match="makes the strata and is masked"):
        RankSwap(columns="x", percent=5, strata="x")


def test_census_moves_about_as_much_as_sdcmicro(reference_data):
    """sdcMicro's rankSwap with P = 0.05 on Census: mean correlation of a column with itself .9345."""
    table = pl.read_csv(reference_data / "census.csv")
    release = Release(table)
    after = release.protect(RankSwap(columns=table.columns, percent=5), seed=42).release.to_native()
    own = [np.corrcoef(table[name], after[name])[0, 1] for name in table.columns]
    assert np.mean(own) == pytest.approx(0.9345, abs=0.03)
