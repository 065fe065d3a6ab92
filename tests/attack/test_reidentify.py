"""The common case in one call. catalogue: C-03, C-04."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.published import published_step

from tacit import Masked, Release, TacitError
from tacit.attack import ATTACKS, Distance, People, reidentify, run_attacks
from tacit.attack.runner import NO_TRUTH
from tacit.claims import LinkClaims, MemberClaims, Scenario, Truth, degrade_scenario
from tacit.models import Threshold

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {"age": RNG.integers(20, 90, 120), "zip": RNG.integers(0, 40, 120).astype(str), "income": RNG.normal(size=120)}
)
ORIGINAL = Release(FRAME, quasi=["age", "zip"], confidential="income", kinds={"age": "continuous"})


def class_sizes(*columns: str) -> np.ndarray:
    return FRAME.select(pl.len().over(columns)).to_series().to_numpy()


def test_an_unmasked_release_gives_one_over_the_class_sizes():
    masked = Masked(ORIGINAL, (published_step("nothing", {}),))
    result = reidentify(masked, original=ORIGINAL)
    assert result.value == pytest.approx((1 / class_sizes("age", "zip")).mean())
    assert result.facts["attack"] == "distance"
    assert reidentify(masked, original=ORIGINAL, knows="age").value == pytest.approx((1 / class_sizes("age")).mean())


def test_lineage_says_who_is_who():
    order = np.random.default_rng(1).permutation(120)[:60]
    part = ORIGINAL.take(order)
    by_masked = reidentify(Masked(part, (), lineage=order), original=ORIGINAL)
    assert by_masked.value == reidentify(part, original=ORIGINAL, lineage=order).value
    assert by_masked.facts["in the release"] == 0.5
    assert reidentify(part, original=ORIGINAL, lineage=np.roll(order, 1)).value < by_masked.value / 3


def test_columns_that_the_release_lacks_are_not_compared():
    masked = Masked(ORIGINAL.select(["age", "income"]), ())
    assert reidentify(masked, original=ORIGINAL).value == pytest.approx((1 / class_sizes("age")).mean())


def test_a_given_attack_is_the_one_made():
    given = reidentify(Masked(ORIGINAL, ()), original=ORIGINAL, attack=Distance(direction="release"))
    assert given.facts["attack"] == "distance"
    assert given.value == pytest.approx((1 / class_sizes("age", "zip")).mean())


def test_the_control_shows_links_to_people_who_are_not_there():
    inside, outside = np.arange(60), np.arange(60, 120)
    masked = Masked(ORIGINAL.take(inside), (), lineage=np.arange(60))
    result = reidentify(masked, original=ORIGINAL.take(inside), control=ORIGINAL.take(outside))
    assert result.value > 0.9
    assert 0.5 < result.facts["control"] <= 1  # the nearest record is nearly always a single one, for outsiders too


def test_mistakes_are_named():
    with pytest.raises(TacitError, match="lineage=numpy.arange"):
        reidentify(ORIGINAL, original=ORIGINAL)
    with pytest.raises(TacitError, match="the lineage does not lead from 120"):
        reidentify(ORIGINAL, original=ORIGINAL, lineage=np.arange(3))
    with pytest.raises(TacitError, match="the original 60"):
        reidentify(Masked(ORIGINAL, ()), original=ORIGINAL.take(np.arange(60)))
    with pytest.raises(TacitError, match="none of the columns"):
        reidentify(Masked(ORIGINAL.select("income"), ()), original=ORIGINAL)
    with pytest.raises(TacitError, match="did you mean 'zip'"):
        reidentify(Masked(ORIGINAL, ()), original=ORIGINAL, knows="zipp")


def test_every_attack_is_tagged():
    assert all(entry.tags.kind == "attack" and entry.tags.linkage for entry in ATTACKS.values())


def test_attacks_are_given_by_name_or_with_parameters():
    masked = Masked(ORIGINAL, ())
    by_name = reidentify(masked, original=ORIGINAL, attack="distance")
    assert by_name.value == reidentify(masked, original=ORIGINAL, attack=Distance()).value
    both = reidentify(masked, original=ORIGINAL, attack=["distance", Distance(direction="release")])
    assert both.facts["attack"] in ("distance", "distance 2")
    with pytest.raises(TacitError, match="did you mean 'distance'"):
        reidentify(masked, original=ORIGINAL, attack="distanze")
    with pytest.raises(TacitError, match="no attack was named"):
        reidentify(masked, original=ORIGINAL, attack=[])


def test_a_scenario_takes_the_place_of_the_original():
    some = degrade_scenario(Scenario.worst_case(ORIGINAL), share=0.5, seed=1)
    truth = Truth.by_lineage(None, 120).of_rows(some.rows)
    result = reidentify(ORIGINAL, original=some.scenario, truth=truth, attack="distance")
    expected = (1 / class_sizes("age", "zip"))[some.rows].mean()
    assert result.value == pytest.approx(expected)
    assert result.facts["records attacked"] == 60
    with pytest.raises(TacitError, match="leave knows="):
        reidentify(ORIGINAL, original=some.scenario, knows="age", truth=truth)


def test_what_is_told_of_a_bare_release_is_an_argument():
    class Listens:
        makes = LinkClaims

        def applies(self, release, scenario):
            return None

        def claims(self, release, scenario, *, seed=None, progress=None):
            heard.append((scenario.told, scenario.inside, scenario.covers))
            return Distance().claims(release, scenario)

    heard = []
    told = (published_step("mdav", {"k": 3}),)
    reidentify(ORIGINAL, original=ORIGINAL, lineage=np.arange(120), told=told, attack=Listens())
    reidentify(Masked(ORIGINAL, told), original=ORIGINAL, attack=Listens())
    reidentify(Masked(ORIGINAL, told), original=ORIGINAL, told=(), attack=Listens())
    reidentify(ORIGINAL, original=Scenario(file=ORIGINAL, knows="age"), lineage=np.arange(120), attack=Listens())
    assert [[step.method for step in steps] for steps, *_ in heard] == [["mdav"], ["mdav"], [], []]
    assert [flags for _, *flags in heard] == [[True, True]] * 3 + [[False, False]]


def test_without_the_truth_beliefs_are_told_as_such():
    result = reidentify(ORIGINAL, original=ORIGINAL, truth=None, attack="distance")
    assert result.name == "believed links"
    assert result.value == pytest.approx((1 / class_sizes("age", "zip")).mean())
    assert "nobody" in result.facts["judged by"]
    assert result.per_record.values().tolist() == class_sizes("age", "zip").tolist()
    people = People(truth=None, file=ORIGINAL)
    members = run_attacks(ORIGINAL, Scenario.worst_case(ORIGINAL), people, {"members": Members()})
    assert members[0].why_not == NO_TRUTH


class Members:
    makes = MemberClaims

    def applies(self, release, scenario):
        return None

    def claims(self, release, scenario, *, seed=None, progress=None):
        return MemberClaims(scores=np.zeros(scenario.file.size))


def test_what_does_not_fit_is_in_the_notes():
    released = ORIGINAL.take(np.arange(100))
    result = reidentify(Masked(released, (), lineage=np.arange(100)), original=ORIGINAL, attack="distance")
    assert any("not everybody can be in it" in note for note in result.facts["notes"])
    assert "notes" not in reidentify(Masked(ORIGINAL, ()), original=ORIGINAL, attack="distance").facts


def test_a_threshold_holds_re_identification_to_a_bound():
    """catalogue: D-06, re-identification privacy: the upper end of the interval counts."""
    result = reidentify(Masked(ORIGINAL.select("income"), ()), original=ORIGINAL, knows=["income"], attack="distance")
    assert not Threshold(at_most=0.5).holds(result)
    coarse = Masked(ORIGINAL.with_columns({"age": np.full(120, 50), "zip": np.full(120, "0")}), ())
    safe = reidentify(coarse, original=ORIGINAL, attack="distance")
    assert safe.value == pytest.approx(1 / 120)
    verdict = Threshold(at_most=0.05).holds(safe)
    assert verdict
    assert verdict.found == safe.interval[1]
    assert not Threshold(at_most=0.02).holds(safe)  # 0.8 % were found, but of 120 people that proves little
