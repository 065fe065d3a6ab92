import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError, examples
from tacit.protect import (
    Generalise,
    Mdav,
    NewHouseholds,
    RankSwap,
    Recode,
    Shuffle,
    SuppressCells,
    SuppressRecords,
    TopBottomCode,
)
from tacit.release.households import household_level, one_per_household


def register(rows=600, seed=4):
    example = examples.clinic(rows, seed=seed)
    given = {**example.roles, "kinds": example.kinds, "hierarchies": example.hierarchies, "missing": "own"}
    return Release(example.frame, **given)


def test_one_row_stands_for_each_household():
    release = Release(pl.DataFrame({"hh": ["b", "a", None, "b", None], "rent": [1, 2, 3, 1, 4]}), household="hh")
    first, home = one_per_household(release)
    assert sorted(first.tolist()) == [0, 1, 2, 4]  # records without an id live alone
    assert home[0] == home[3] and len(set(home.tolist())) == 4
    assert (home[first] == np.arange(4)).all()


def test_columns_of_the_household_are_those_equal_within_all():
    frame = pl.DataFrame({"hh": [1, 1, 2, 2], "rent": [5, 5, None, None], "half": [5, None, 6, 6], "age": [1, 2, 3, 4]})
    release = Release(frame, household="hh")
    assert household_level(release, frame.columns) == ("hh", "rent")
    assert household_level(Release(frame), frame.columns) == ()


METHODS = [
    Generalise(levels={"zip": 1}),
    Recode(column="rent", breaks=[500, 900]),
    TopBottomCode(column="rent", top=900.0, bottom=300.0, replace="mean"),
    RankSwap(columns=["rent", "income", "zip"], percent=5),
    Mdav(columns=["rent", "income"], k=3),
    Mdav(columns=["rent"], k=3),
    SuppressRecords(k=2),
    SuppressCells(k=3),
    NewHouseholds(),
    Shuffle(),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_members_stay_equal_in_what_their_household_shares(method):
    release = register().with_metadata(kinds={**register().kinds, "zip": "ordinal"})
    if isinstance(method, SuppressRecords | SuppressCells):
        release = release.protect(Generalise(levels={"zip": 2, "birth": 3, "occupation": 1})).release
    shared = [c for c in household_level(release, release.columns) if c != "household"]
    assert {"zip", "rent"} <= set(shared)
    after = release.protect(method, seed=5).release
    assert set(shared) <= set(household_level(after, after.columns))


def test_households_are_swapped_as_wholes():
    release = register()
    masked = release.protect(RankSwap(columns="rent", percent=10), seed=2)
    first, _ = one_per_household(release)
    before, after = release.series("rent"), masked.release.series("rent")
    assert before.gather(first).sort().equals(after.gather(first).sort())  # one value per household, all kept
    assert not before.equals(after)
    assert masked.trace[0].outcome["reach"].value["rent"] == len(first) // 10


def test_households_are_averaged_in_groups_of_k_households():
    release = register()
    masked = release.protect(Mdav(columns=["rent", "income"], k=4))
    first, _ = one_per_household(release)
    rents = masked.release.series("rent").gather(first)
    assert rents.value_counts()["count"].min() >= 4
    assert masked.trace[0].outcome["by_household"].value == ["rent"]
    assert rents.mean() == pytest.approx(release.series("rent").gather(first).mean())
    alone = Release(release.to_native().drop("household")).protect(Mdav(columns="income", k=4)).release
    assert masked.release.series("income").equals(alone.series("income"))  # incomes are averaged among persons


def test_new_ids_keep_members_together_and_say_nothing():  # catalogue: A-01
    frame = pl.DataFrame({"hh": ["x", "y", None, "x", "z"]})
    release = Release(frame, household="hh")
    seen = set()
    for seed in range(60):
        new = release.protect(NewHouseholds(), seed=seed).release.series("hh").to_list()
        assert new[0] == new[3] and new[2] is None
        assert sorted({new[0], new[1], new[4]}) == [1, 2, 3]
        seen.add(tuple(new))
    assert (
        len(seen) == 6
    )  # every numbering occurs: chance of missing one below 6·(5/6)^60 < 2e-4, and the seeds are fixed
    with pytest.raises(TacitError, match="no household column"):
        Release(frame).protect(NewHouseholds(), seed=1)
    with pytest.raises(TacitError, match="seed=7"):
        release.protect(NewHouseholds())
