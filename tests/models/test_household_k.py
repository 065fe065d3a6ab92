"""k-anonymity of households: counted by composition, provided by suppressing rare ones, never by chance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.models import HouseholdKAnonymity, KAnonymity
from tacit.protect import (
    FullDomain,
    GeneraliseComposition,
    SplitHouseholds,
    SuppressHouseholds,
    SwapMembers,
    anonymise,
)
from tacit.risk import household_uniques, k_households


def homes(seed: int, *, missing: str = "own", gaps: float = 0.0, count: int = 25) -> Release:
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(count), rng.integers(1, 4, count)).astype(object)
    age = rng.integers(0, 3, len(home)).astype(object)
    age[rng.random(len(home)) < gaps] = None
    home[rng.random(len(home)) < 0.05] = None
    frame = pl.DataFrame(
        {"home": pl.Series(home.tolist(), dtype=pl.Int64), "age": pl.Series(age.tolist(), dtype=pl.Int64)}
    )
    frame = frame.with_columns(sex=pl.Series(rng.integers(0, 2, len(home))))
    kinds = {"age": "ordinal", "sex": "ordinal"}
    return Release(frame, quasi=["age", "sex"], household="home", kinds=kinds, missing=missing)


def counted(release: Release) -> list[int]:
    """How many households each record's own matches, every assignment tried."""
    rows = release.to_native().select("home", "age", "sex").rows()
    any_value = release.missing == "any"
    members: dict[int, list[tuple]] = {}
    for home, *cells in rows:
        if home is not None:
            members.setdefault(home, []).append(tuple(cells))

    def same(one, other):
        return all(a == b or (any_value and (a is None or b is None)) for a, b in zip(one, other, strict=True))

    def match(mine, theirs):
        return len(mine) == len(theirs) and any(
            all(same(a, b) for a, b in zip(mine, way, strict=True)) for way in permutations(theirs)
        )

    many = {home: sum(match(mine, theirs) for theirs in members.values()) for home, mine in members.items()}
    return [many.get(home, 0) for home, *_ in rows]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("missing", "gaps"), [("own", 0.0), ("own", 0.2), ("any", 0.2)])
def test_counts_are_those_of_all_assignments(seed, missing, gaps):
    release = homes(seed, missing=missing, gaps=gaps)
    result, wanted = k_households(release), counted(release)
    assert result.per_record.values().tolist() == wanted
    assert result.value == min(one for one in wanted if one)
    numbers = release.series("home").to_list()
    alone = {home for home, many in zip(numbers, wanted, strict=True) if many == 1}
    assert household_uniques(release).value == len(alone) == result.facts["unique households"]
    assert bool(HouseholdKAnonymity(k=result.value).holds(release))
    assert not HouseholdKAnonymity(k=result.value + 1).holds(release)


@pytest.mark.parametrize("missing", ["own", "any"])
def test_suppressing_rare_households_provides_it(missing):
    release = homes(1, missing=missing, gaps=0.1, count=200)
    for k in (2, 4):
        masked = release.protect(SuppressHouseholds(k=k, largest=2))
        assert HouseholdKAnonymity(k=k).holds(masked)
        sizes = masked.to_native().drop_nulls("home").group_by("home").len()["len"]
        assert sizes.max() <= 2 and masked.release.size == release.size
    fewer = release.protect(SuppressHouseholds(k=3, how="records"))
    assert HouseholdKAnonymity(k=3).holds(fewer) and fewer.release.size < release.size
    assert fewer.to_native().equals(release.to_native()[fewer.rows()])


def test_generalising_composition_makes_households_alike():
    release = homes(2, count=200)
    masked = release.protect(GeneraliseComposition(k=5))
    rare = [(k_households(one).per_record.values() < 5).sum() for one in (release, masked)]
    assert rare[1] < rare[0] / 4
    kept = k_households(release).per_record.values() >= 5
    assert masked.to_native().filter(kept).equals(release.to_native().filter(kept))


def test_splitting_leaves_no_large_household_and_mixes_nobody():
    release = homes(3, count=200)
    masked = release.protect(SplitHouseholds(size=2), seed=1)
    both = pl.DataFrame({"before": release.series("home"), "after": masked.release.series("home")}).drop_nulls()
    assert both.group_by("after").len()["len"].max() == 2
    assert both.group_by("after").agg(pl.col("before").n_unique())["before"].max() == 1


def test_swapping_keeps_sizes_and_what_is_alike():
    release = homes(4, count=200)
    masked = release.protect(SwapMembers(share=0.5, similar=["sex"]), seed=1)
    before, after = release.to_native(), masked.to_native()
    assert before.drop("home").equals(after.drop("home"))
    for columns in (["home"], ["home", "sex"]):
        assert before.group_by(columns).len().sort(columns).equals(after.group_by(columns).len().sort(columns))
    moved = (before["home"] != after["home"]).sum()
    assert 0.4 * release.size <= moved <= 0.5 * release.size + 1


def test_anonymise_provides_it_beside_k_anonymity_and_alone():
    release = homes(5, count=200)
    masked = anonymise(release, {"k_anonymity": 3, "household_k_anonymity": 4}, seed=1)
    assert KAnonymity(k=3).holds(masked) and HouseholdKAnonymity(k=4).holds(masked)
    assert [one.holds for one in masked.evidence["verdicts"]] == [True, True]
    alone = anonymise(release, {"household_k_anonymity": 4}, seed=1)
    assert HouseholdKAnonymity(k=4).holds(alone)
    assert alone.to_native().drop("home").equals(release.to_native().drop("home"))


def test_what_lacks_households_is_refused_with_the_remedy():
    release = homes(6)
    nobody = release.with_metadata(roles={**release.roles, "home": "other"})
    for call in (k_households, household_uniques, HouseholdKAnonymity(k=2).holds):
        with pytest.raises(TacitError, match="keep_household = true"):
            call(nobody)
    with pytest.raises(TacitError, match="use anonymise"):
        FullDomain(models={"household_k_anonymity": 2})
