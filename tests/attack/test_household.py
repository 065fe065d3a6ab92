"""Household linkage: feasible assignments only, all of them, and what they are worth to an intruder."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import Household, reidentify
from tacit.claims import Scenario, Truth, degrade_scenario, judge, wilson
from tacit.interval import clustered_interval
from tacit.protect import (
    AddNoise,
    DropHousehold,
    Generalise,
    NewHouseholds,
    Pipeline,
    Shuffle,
    SplitHouseholds,
    SuppressCells,
    SuppressHouseholds,
    SwapMembers,
)


def homes(count: int = 60, *, seed: int = 0, columns=(("age", 12), ("sex", 2))) -> Release:
    """Households of one to five people with codes drawn at random."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(count), rng.integers(1, 6, count))
    cells = {name: rng.integers(0, values, len(home)) for name, values in columns}
    frame = pl.DataFrame({"home": home + 1, **cells})
    hierarchies = {"age": {"intervals": [3, 6]}}
    kinds = dict.fromkeys(cells, "ordinal")
    return Release(frame, quasi=list(cells), household="home", kinds=kinds, hierarchies=hierarchies, missing="any")


def judged(masked, original, attack=None, **scenario):
    truth = Truth.by_lineage(masked.rows(), original.size)
    known = Scenario.worst_case(original, told=masked.trace)
    return judge((attack or Household()).claims(masked.release, known, seed=3), truth)


def by_hand(original: pl.DataFrame, released: pl.DataFrame, fits) -> dict[int, dict[int, float]]:
    """Every assignment of every household to every other written out: person → record → chance."""
    found: dict[int, dict[int, float]] = {}
    for _, mine in original.with_row_index("row").group_by("home"):
        people, feasible = mine["row"].to_list(), []
        for _, theirs in released.with_row_index("row").group_by("home"):
            records = theirs["row"].to_list()
            if len(records) != len(people):
                continue
            ways = [way for way in permutations(records) if all(fits(p, r) for p, r in zip(people, way, strict=True))]
            if ways:
                feasible.append([{way[place] for way in ways} for place in range(len(people))])
        for place, person in enumerate(people):
            found[person] = {}
            for left in feasible:
                for record in left[place]:
                    found[person][record] = 1.0 / (len(feasible) * len(left[place]))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_claims_are_those_of_all_assignments_written_out(seed):
    original = homes(30, seed=seed)
    steps = Pipeline(steps=[Generalise(levels={"age": 1}), SuppressCells(k=3), NewHouseholds(), Shuffle()])
    masked = original.protect(steps, seed=seed)
    before, after = original.to_native(), masked.to_native()

    def fits(person, record):
        age, sex = after["age"][record], after["sex"][record]
        low = 3 * (before["age"][person] // 3)
        return age in (None, f"[{low}, {low + 3})") and sex in (None, before["sex"][person])

    wanted = by_hand(before, after, fits)
    claims = Household().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    chances = claims.chances()
    for person in range(original.size):
        claim = claims.claim_of[person]
        groups = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
        share = dict(zip(groups.tolist(), chances[claims.start[claim] : claims.start[claim + 1]], strict=True))
        found = {r: share[g] for r, g in enumerate(claims.group_of.tolist()) if g in share}
        assert found == pytest.approx(wanted[person]), person
        alone = len(wanted[person]) == 1
        assert bool(claims.sure[claim]) == (alone and wanted[person][next(iter(found))] == 1.0)


def test_it_finds_people_whom_no_attack_on_records_finds():
    original = homes(400, seed=1)
    masked = original.protect(Pipeline(steps=[SuppressCells(k=5), NewHouseholds(), Shuffle()]), seed=1)
    household = reidentify(masked, original=original, attack="household", seed=2)
    others = reidentify(masked, original=original, attack=["distance", "one_to_one", "transparency"], seed=2)
    assert household.value > 2 * others.value
    assert household.facts["sure links"] > 0.2 and household.facts["sure links that are right"] == 1.0
    assert reidentify(masked, original=original, seed=2).value >= household.value


def test_without_the_number_it_is_not_run_and_without_households_it_is_not_listed():
    original = homes(40)
    masked = original.protect(DropHousehold()).then(Shuffle(), seed=1)
    assert "number is not in the release" in Household().applies(masked.release, Scenario.worst_case(original))
    nobody = original.with_metadata(roles={**original.roles, "home": "other"})
    result = reidentify(nobody.protect(Shuffle(), seed=1), original=nobody, seed=1)
    assert "household" not in str(result.facts)
    assert "does not know who lives with whom" in Household().applies(original, Scenario.worst_case(nobody))


def test_more_members_known_find_more():
    original = homes(300, seed=2)
    masked = original.protect(Pipeline(steps=[SuppressCells(k=4), NewHouseholds(), Shuffle()]), seed=2)
    values = [judged(masked, original, Household(members=m)).value for m in (1, 2, 3)]
    assert values[0] < values[1] < values[2] < judged(masked, original).value
    half = judged(masked, original, Household(members=0.5))
    assert values[0] < half.value < judged(masked, original).value and half.facts["sure links"] == 0


def test_a_column_in_the_place_of_the_number():
    original = homes(100, seed=3, columns=(("age", 12), ("sex", 2), ("rent", 40)))
    rent = original.to_native().group_by("home").agg(pl.col("rent").first())
    frame = original.to_native().drop("rent").join(rent, on="home", maintain_order="left")
    original = Release(frame, quasi=["age", "sex"], household="home", kinds=original.declared_kinds)
    masked = original.protect(DropHousehold()).then(Shuffle(), seed=3)
    through = judged(masked, original, Household(through="rent"))
    alone = reidentify(masked, original=original, attack=["distance", "one_to_one"], seed=1)
    assert through.value > alone.value + 0.2
    assert "no column 'fee'" in Household(through="fee").applies(masked.release, Scenario.worst_case(original))


def test_noise_is_matched_by_the_least_cost_of_an_assignment():
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(120), 3)
    frame = pl.DataFrame({"home": home, "pay": rng.normal(0, 100, 360), "age": rng.normal(40, 15, 360)})
    original = Release(frame, quasi=["pay", "age"], household="home")
    noisy = original.protect(AddNoise(columns=["pay", "age"], variance=0.2), seed=5).then(NewHouseholds(), seed=6)
    masked = noisy.then(Shuffle(), seed=7)
    household = judged(masked, original)
    others = reidentify(masked, original=original, attack=["distance", "one_to_one"], seed=1)
    assert household.value > others.value + 0.1
    assert household.facts["sure links"] == 0
    told_nothing = Scenario.worst_case(original)
    claims = Household().claims(masked.release, told_nothing)
    assert judge(claims, Truth.by_lineage(masked.rows(), original.size)).value > others.value + 0.1


@pytest.mark.parametrize(
    "step", [SplitHouseholds(size=2), SwapMembers(share=0.6, similar=["sex"]), SuppressHouseholds(k=3)]
)
def test_households_that_were_protected_are_found_less_and_nothing_is_certain(step):
    original = homes(300, seed=4)
    plain = original.protect(Pipeline(steps=[SuppressCells(k=4), NewHouseholds(), Shuffle()]), seed=4)
    masked = original.protect(Pipeline(steps=[SuppressCells(k=4), step, NewHouseholds(), Shuffle()]), seed=4)
    found = judged(masked, original)
    assert found.value < 0.75 * judged(plain, original).value
    assert found.facts["sure links"] == 0


def test_an_intruder_with_some_of_the_people_matches_parts_of_households():
    original = homes(200, seed=6)
    masked = original.protect(Pipeline(steps=[NewHouseholds(), Shuffle()]), seed=6)
    known = degrade_scenario(Scenario.worst_case(original, told=masked.trace), share=0.6, seed=1)
    truth = Truth.by_lineage(masked.rows(), original.size).of_rows(known.rows)
    result = judge(Household().claims(masked.release, known.scenario), truth)
    assert result.value > 0.3 and result.facts["without candidate"] == 0
    assert result.facts["sure links"] == 0


def test_large_households_are_not_matched_as_a_whole():
    frame = pl.DataFrame({"home": [1] * 70 + [2] * 2, "age": [i % 7 for i in range(70)] + [8, 9]})
    original = Release(frame, quasi="age", household="home", kinds={"age": "ordinal"})
    masked = original.protect(Shuffle(), seed=1)
    claims = Household().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    assert claims.set_sizes()[:70].tolist() == [10] * 70 and claims.set_sizes()[70:].tolist() == [1, 1]


def test_the_interval_counts_households_not_people():
    original = homes(80, seed=8)
    masked = original.protect(Pipeline(steps=[SuppressCells(k=6), NewHouseholds(), Shuffle()]), seed=8)
    result = judged(masked, original)
    homes_of = original.to_native()["home"].to_numpy()
    assert result.facts["households attacked"] == len(np.unique(homes_of))
    assert result.interval == clustered_interval(result.per_record.values(), homes_of)


def test_members_found_together_count_once():
    found = np.repeat(np.arange(40) % 4 == 0, 5).astype(float)
    homes_of = np.repeat(np.arange(40), 5)
    assert clustered_interval(found, homes_of) == pytest.approx(wilson(10, 40), abs=0.01)
    assert clustered_interval(found, np.arange(200)) == pytest.approx(wilson(50, 200), abs=0.001)
    assert clustered_interval(np.zeros(200), homes_of) == wilson(0, 40)


@pytest.mark.parametrize("wrong", [{"members": 0}, {"members": 1.5}, {"members": True}, {"members": "two"}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(TacitError, match="members="):
        Household(**wrong)
