"""What the rest of the people teach, and what an attack may see of them. catalogue: B-07, B-09, M-05."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from tacit import Masked, Release, TacitError
from tacit.attack import Lookup, Minimality, People, infer, run_attacks
from tacit.attack._target import true_values, with_values
from tacit.attack._value_scoring import ABOVE, STOOD_IN, without_own
from tacit.attack.runner import OTHER_RELEASES
from tacit.claims import Scenario, Truth, ValueClaims, judge
from tacit.protect import FullDomain


def following(size: int, seed: int) -> Release:
    """The diagnosis follows from the sex; every age is alone."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], size)
    frame = pl.DataFrame({"sex": sex, "age": rng.normal(50, 10, size), "ill": np.where(sex == "f", "flu", "gout")})
    return Release(frame, quasi=["sex", "age"], confidential="ill")


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderHalf:
    """Says what stands in the record with the very age, of people above 50 alone; notes how many people it was given."""

    makes: ClassVar = ValueClaims
    column: str | None = None

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        return None

    def claims(self, release: Release, scenario: Scenario, *, seed=None, progress=None) -> ValueClaims:
        codes, ages = release.codes("ill").codes, release.series("age").to_numpy()
        place = {age: row for row, age in enumerate(ages)}
        found = [[codes[place[age]]] if age > 50 and age in place else [] for age in scenario.file.series("age")]
        return ValueClaims(
            column="ill",
            start=np.append(0, np.cumsum([len(one) for one in found])),
            codes=np.array([code for one in found for code in one], dtype=np.int64),
            shares=np.ones(sum(map(len, found))),
            facts={"people given": scenario.file.size, "acquaintances": scenario.acquaintances is not None},
        )


@pytest.mark.parametrize("attack", ["lookup", "inference"])
@pytest.mark.parametrize("rare", ["flu", None])
def test_where_the_others_have_one_value_they_teach_it(rare, attack):
    """One person of 100 has a second value (or none): without the fold of that person one value is left, which is right."""
    frame = pl.DataFrame({"sex": ["f", "m"] * 50, "ill": ["flu"] * 98 + ["gout", rare]})
    r = Release(frame, quasi="sex", confidential="ill")
    found = infer(r, original=r, lineage=np.arange(100), attack=attack, seed=1)["ill"]
    assert found.facts["right by the rest of the people"] == found.facts["best single guess"] == found.value
    assert found.facts[ABOVE] == 0.0 and "notes" not in found.facts


def test_where_no_value_is_left_nothing_is_claimed():
    r = Release(pl.DataFrame({"zip": ["a", "b"], "ill": ["flu", "gout"]}), quasi="zip", confidential="ill")
    masked = r.with_columns({"ill": pl.Series(["flu", None])})
    truth = with_values(Truth(released=np.arange(2), intruder=np.arange(2)), r, r, "ill", percent=10)
    claims = without_own(Lookup(column="ill"), masked, Scenario.worst_case(r), truth, folds=2, seed=1)
    assert judge(claims, truth).per_record.values().tolist() == [0.0, 0.0]
    assert claims.claim_numbers().tolist().count(0) == 1


def test_an_attack_that_learns_from_acquaintances_learns_from_the_others_too():
    r = following(200, 1)
    found = infer(r, original=r, lineage=np.arange(200), attack=Lookup(by="learned"), control=following(100, 2), seed=1)
    facts = found["ill"].facts
    assert facts["right by the rest of the people"] > 0.95 and abs(facts[ABOVE]) < 0.05
    assert facts["control"] > 0.95 and abs(facts["above the control"]) < 0.1
    assert "notes" not in facts


def test_where_an_attack_needs_everybody_people_who_look_alike_stand_for_the_rest():
    frame = pl.DataFrame(
        {"zip": ["N1"] * 2 + ["N2"] * 5, "ill": ["hiv", "hiv", "flu", "cold", "acne", "gout", "mumps"]}
    )
    r = Release(frame, quasi="zip", confidential="ill", hierarchies={"zip": {"prefix": [2, 1]}})
    masked = r.protect(FullDomain(models={"l_diversity": 2}))
    facts = infer(masked, original=r, attack=Minimality(), seed=1)["ill"].facts
    truth = with_values(Truth.by_lineage(masked.rows(), 7), masked.release, r, "ill", percent=10)
    rest = []
    for folds in (2, 3, 7):
        both = [
            judge(without_own(attack, masked.release, scenario, truth, folds=folds, seed=1), truth).value
            for attack, scenario in (
                (Minimality(column="ill"), Scenario.worst_case(r, told=masked.trace)),
                (Lookup(column="ill", says="all"), Scenario.worst_case(r)),
            )
        ]
        assert both[0] == pytest.approx(both[1])
        rest.append(both[0])
    # each alone left out: of the other six one is hiv as well for the two, none for the five
    assert rest[-1] == pytest.approx(2 * (1 / 6) / 7)
    assert STOOD_IN in facts["notes"]


def test_the_attack_is_not_told_who_of_its_file_is_in_the_release():
    r = following(300, 1)
    rows = np.random.default_rng(3).permutation(300)[:100]
    found = infer(Masked(r.take(rows), (), lineage=rows), original=r, attack=OlderHalf(), seed=1)["ill"]
    assert found.facts["people given"] == 300 and found.facts["records attacked"] == 100
    older = r.series("age").to_numpy()[np.sort(rows)] > 50
    assert found.per_record.values().tolist() == older.astype(float).tolist()


def test_intervals_are_cut_to_the_people_who_are_in_the_release():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Around:
        makes: ClassVar = ValueClaims
        column: str | None = None

        def applies(self, release, scenario):
            return None

        def claims(self, release, scenario, *, seed=None, progress=None):
            ages = scenario.file.series("age").to_numpy()
            return ValueClaims(column="pay", low=10 * ages - 1, high=10 * ages + 1)

    age = np.arange(20.0, 40.0)
    r = Release(
        pl.DataFrame({"age": age, "pay": 10 * age}), quasi="age", confidential="pay", kinds={"pay": "continuous"}
    )
    rows = np.array([5, 2, 11, 7])
    found = infer(Masked(r.take(rows), (), lineage=rows), original=r, attack=Around(), percent=0.001)["pay"]
    assert found.value == 1.0 and found.facts[ABOVE] == 0.0


def test_the_attack_that_learns_most_is_named_when_another_is_right_more_often():
    r = following(200, 1)
    facts = infer(r, original=r, lineage=np.arange(200), attack=[Lookup(), OlderHalf()], seed=1)["ill"].facts
    older = float((r.series("age") > 50).mean())
    assert (facts["attack"], facts["most learnt by"]) == ("lookup", "older_half")
    assert facts[ABOVE] == 0.0 and facts["most learnt"] == pytest.approx(older)
    alone = infer(r, original=r, lineage=np.arange(200), attack=OlderHalf(), seed=1)["ill"].facts
    assert alone[ABOVE] == pytest.approx(older) and "most learnt by" not in alone


def test_other_releases_keep_the_persons_records_and_a_note_says_so():
    r = following(40, 1)
    alone, both = (
        infer(r, original=r, lineage=np.arange(40), attack="lookup", also=also)["ill"].facts for also in ((), (r,))
    )
    assert OTHER_RELEASES in both["notes"] and "notes" not in alone


def test_folds_and_percent_are_checked():
    r = following(10, 1)
    for wrong, said in (
        ({"folds": 1}, "folds=1"),
        ({"percent": 0.0}, "percent=0"),
        ({"percent": True}, "percent=True"),
    ):
        with pytest.raises(TacitError, match=said):
            People(truth=None, file=r, **wrong)
    people = People(truth=Truth.by_lineage(None, 10), file=r, columns=("ill",), folds=10)
    (made,) = run_attacks(r, Scenario.worst_case(r), people, {"lookup": Lookup()})
    assert made.gain is not None and made.gain.facts["beside"] == "the rest of the people"


def test_a_code_is_the_same_as_a_whole_number_and_with_a_point():
    """A column of codes with gaps is one of numbers with a point to some readers."""
    kinds = {"group": "nominal"}
    r = Release(
        pl.DataFrame({"zip": list("aabb"), "group": [1, 2, 1, 3]}), quasi="zip", confidential="group", kinds=kinds
    )
    gaps = pl.Series([1.0, None, 1.0, 3.0])
    masked = Release(pl.DataFrame({"zip": list("aabb"), "group": gaps}), quasi="zip", confidential="group", kinds=kinds)
    assert true_values(masked, r, "group").tolist() == [0, 3, 0, 1]


def test_the_gain_is_that_of_people_whose_value_is_known_at_their_own_rows():
    """Of 60 people 20 have no known value and 20 are not in the release; the last 20 are each alone with their value."""
    size = 60
    ill = [None] * 20 + [f"v{i}" for i in range(40)]
    r = Release(pl.DataFrame({"age": np.arange(60.0), "ill": ill}), quasi="age", confidential="ill")
    rows = np.r_[0:20, 40:60]
    people = People(truth=Truth.by_lineage(rows, size), file=r, columns=("ill",))
    (made,) = run_attacks(r.take(rows), Scenario.worst_case(r), people, {"lookup": Lookup()}, seed=1)
    assert made.result.facts["records attacked"] == 20 and made.result.value == made.gain.value == 1.0
    assert made.gain.per_record.values().tolist() == [0.0] * 40 + [1.0] * 20


def test_nobody_is_taken_to_be_in_the_release_who_is_not():
    """The intruder knows that its people are in the release; of outsiders, and of those left out, it cannot know so."""
    seen: list[tuple[int, bool, bool]] = []

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Seen(OlderHalf):
        def claims(self, release: Release, scenario: Scenario, *, seed=None, progress=None) -> ValueClaims:
            seen.append((scenario.file.size, scenario.inside, scenario.covers))
            return OlderHalf.claims(self, release, scenario)

    r = following(100, 1)
    infer(r, original=r, lineage=np.arange(100), attack=Seen(), control=following(30, 2), seed=1)
    assert seen == [(100, True, True), *[(20, False, False)] * 5, (30, False, False)]


def test_records_without_a_value_do_not_lower_the_mean_of_the_others():
    pay = [10.0, None, 20.0, 99.0]
    r = Release(pl.DataFrame({"zip": ["a", "a", "a", "b"], "pay": pay}), quasi="zip", confidential="pay")
    assert Lookup().claims(r, Scenario.worst_case(r)).numbers.tolist() == pytest.approx([15.0, 99.0])
