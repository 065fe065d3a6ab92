"""Who is in a released file: by distance and by density. catalogue: B-06."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Distance, Membership, membership_risk, reidentify
from tacit.attack.registry import resolve_attacks
from tacit.claims import Scenario
from tacit.protect import AddNoise
from tacit.release.masked import Masked

QUASI = ["age", "wage", "town"]


def file(n: int, seed: int, *, crowd: float = 0.0) -> Release:
    """People of two kinds: a part in a dense crowd, the others far apart."""
    rng = np.random.default_rng(seed)
    spread = np.where(rng.random(n) < crowd, 0.02, 1.0)
    frame = pl.DataFrame(
        {
            "age": rng.normal(size=n) * spread,
            "wage": rng.normal(size=n) * spread,
            "town": rng.choice(["a", "b", "c"], n),
        }
    )
    return Release(frame, quasi=QUASI, kinds={"age": "continuous", "wage": "continuous"})


BY = [Membership(), Membership(by="density"), Membership(by="density", nearest=3)]


@pytest.mark.parametrize("attack", BY[:2])
def test_a_release_of_the_members_themselves_discloses_all(attack):
    original, control, population = (file(300, seed) for seed in (1, 2, 3))
    result = membership_risk(original, original=original, control=control, population=population, attack=attack)
    # By distance members are at 0 and nobody else is. The ratio of densities can be as large where the population is far.
    least = 1.0 if attack.by == "distance" else 0.98
    assert result.value >= max(least, 0.999) and result.facts["found at 1 % false alarms"] >= least
    assert (result.facts["members"], result.facts["others"]) == (300, 300)


@pytest.mark.parametrize("attack", BY)
def test_a_release_that_knows_nobody_discloses_nothing(attack):
    original, control, population, fresh = (file(500, seed, crowd=0.5) for seed in (1, 2, 3, 4))
    result = membership_risk(fresh, original=original, control=control, population=population, attack=attack)
    assert abs(result.value - 0.5) <= 3 * np.sqrt(1001 / (12 * 500 * 500))


def test_density_sees_what_distance_takes_for_a_crowd():
    """Noise hides who is in the crowd; the lonely members are near to their record, but no nearer than a crowd is."""
    original, control, population = (file(500, seed, crowd=0.5) for seed in (5, 6, 7))
    masked = original.protect(AddNoise(columns=["age", "wage"], variance=0.001), seed=1)
    by_distance = membership_risk(masked, original=original, control=control)
    by_density = membership_risk(masked, original=original, control=control, population=population)
    assert by_density.facts["records of the population"] == 500
    assert by_density.value > by_distance.value + 0.02
    assert by_density.facts["found at 1 % false alarms"] > by_distance.facts["found at 1 % false alarms"]


@pytest.mark.parametrize("leak", [True, False])
def test_it_does_not_matter_whom_of_the_list_the_population_holds(leak):
    """A population often holds the very people that the records were drawn from; the release alone is to tell them apart."""
    original, control, population, fresh = (file(400, seed) for seed in (1, 2, 3, 4))
    masked = original.protect(AddNoise(columns=["age", "wage"], variance=0.001), seed=1) if leak else fresh
    asked = {"original": original, "control": control}
    alone = membership_risk(masked, **asked, population=population)
    for more in ((original,), (control,), (original, control)):
        wider = membership_risk(
            masked, **asked, population=population.append(pl.concat([one.to_native() for one in more]))
        )
        # A side that is in the population lies nearer to others of its own: a little is left of who is in it.
        assert wider.value == pytest.approx(alone.value, abs=0.06)
        assert wider.facts["people like one of them"] == sum(one.size for one in more)
    assert (alone.value > 0.8) == leak and alone.facts["people like one of them"] == 0


def test_only_those_who_are_in_the_release_are_members():
    original, control = file(200, 8), file(100, 9)
    rows = np.arange(0, 200, 4)
    result = membership_risk(Masked(original.take(rows), (), rows), original=original, control=control)
    assert (result.facts["members"], result.facts["others"], result.value) == (50, 250, 1.0)
    each = result.per_record.values()
    assert (each[rows] == 1.0).all() and each.sum() == 50
    invented = Masked(original, (), np.full(200, -1))  # a synthetic file was made from everybody
    assert membership_risk(invented, original=original, control=control).facts["members"] == 200


def test_the_distance_is_that_of_distance_linkage():
    original, control = file(60, 10), file(40, 11)
    released = file(80, 12)
    listed = original.append(pl.DataFrame([control.series(name) for name in QUASI]))
    scores = Membership().claims(released, Scenario(file=listed, knows=tuple(QUASI))).scores
    slow = []
    towns = released.series("town").to_numpy()
    differ = 1 - sum(np.mean(towns == town) ** 2 for town in "abc")
    for at in range(100):
        parts = [
            np.square(released.floats(name) - listed.floats(name)[at]) / (2 * released.floats(name).var())
            for name in ("age", "wage")
        ]
        slow.append(-(sum(parts) + (towns != listed.series("town")[at]) / differ).min())
    assert scores == pytest.approx(slow)


def test_the_nearest_th_is_counted_and_an_equal_record_of_the_population_is_not():
    released, listed, population = (
        Release(pl.DataFrame({"age": ages}), quasi="age", kinds={"age": "continuous"})
        for ages in ([0.0, 10.0, 30.0], [0.0, 5.0], [0.0, 1.0, 4.0, 20.0])
    )
    unit = 2 * np.var([0, 10, 30])
    scenario = Scenario(file=listed, knows=("age",), also=(population,))
    second = Membership(nearest=2).claims(released, scenario).scores
    assert second == pytest.approx([-100 / unit, -25 / unit])
    ratio = Membership(by="density", nearest=2).claims(released, scenario).scores
    # Of the person of 0 the record of 0 is left out: 1 and 4 are next. Of that of 5: 4 and 1.
    assert ratio == pytest.approx(np.log([16 / 100, 16 / 25]), abs=1e-3)


def test_the_order_of_the_release_is_not_seen():
    original, control, population = (file(80, seed) for seed in (13, 14, 15))
    turned = original.take(np.arange(80)[::-1])
    for attack in BY:
        asked = {"original": original, "control": control, "population": population, "attack": attack}
        assert membership_risk(turned, **asked).value == pytest.approx(membership_risk(original, **asked).value)


def test_mistakes_are_named():
    original, control = file(30, 16), file(30, 17)
    for change, match in (
        ({"attack": Membership(by="density")}, "table of the population"),
        ({"attack": Membership(by="density"), "population": file(9, 1).select("age")}, "lacks the column 'wage'"),
        ({"attack": Membership(nearest=40)}, "fewer than nearest=40"),
        ({"attack": Membership}, "no attack with its parameters"),
        ({"attack": Distance()}, "does not claim who is in the release"),
        ({"control": control.select("age")}, "is not in the control"),
        ({"knows": "wages"}, "did you mean 'wage'"),
    ):
        with pytest.raises(TacitError, match=match):
            membership_risk(original, **{"original": original, "control": control, **change})
    with pytest.raises(TacitError, match="by="):
        Membership(by="nearest")
    with pytest.raises(TacitError, match="nearest="):
        Membership(nearest=0)


def test_re_identification_does_not_run_it():
    assert ATTACKS["membership"].tags.about == "membership"
    assert "membership" not in resolve_attacks(None)
    original = file(30, 18)
    assert reidentify(original, original=original, lineage=np.arange(30)).value == 1.0
