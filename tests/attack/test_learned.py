"""Linkage by a learned distance: power, honesty, and what it says of itself (catalogue C-07, M-01)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import Distance, Learned, at_risk, reidentify
from tacit.attack._scenarios import with_known_links
from tacit.attack.learning import learn
from tacit.attack.learning.families import FAMILIES, family_of
from tacit.attack.learning.pairs import Pairs
from tacit.claims import KnownLinks, Scenario, Truth, judge
from tacit.kernels.nearest import NUMBER, Costs
from tacit.protect import Shuffle

LEARNING = ("weighted", "signed", "bilinear", "nonnegative", "definite", "choquet", "monotone")


def planted(rows: int, *, seed: int, noisy: int = 3) -> tuple[Release, Release]:
    """One column is released almost as it is, the others are drawn anew: who weighs columns alike finds nearly nobody."""
    rng = np.random.default_rng(seed)
    names = ["kept", *(f"new{k}" for k in range(noisy))]
    original = rng.normal(size=(rows, 1 + noisy))
    masked = rng.normal(size=(rows, 1 + noisy))
    masked[:, 0] = original[:, 0] + 1e-4 * rng.normal(size=rows)
    files = (Release(pl.DataFrame(side, schema=names), quasi=names) for side in (masked, original))
    return next(files), next(files)


def found(masked: Release, original: Release, attack, **said):
    return reidentify(masked, original=original, lineage=np.arange(original.size), attack=attack, seed=1, **said)


@pytest.mark.parametrize("family", LEARNING)
def test_a_planted_column_is_found_out(family):  # catalogue: C-07
    masked, original = planted(120, seed=1)
    assert found(masked, original, "distance").value < 0.25
    result = found(masked, original, Learned(family=family, seconds=3.0))
    assert result.value > 0.8
    shares = result.facts["columns that identify people"]
    assert max(shares, key=shares.get) == "kept"


def test_an_ordered_mean_learns_that_one_agreement_is_enough():
    rng = np.random.default_rng(2)
    original = rng.normal(size=(150, 4))
    masked = rng.normal(size=(150, 4))
    kept = rng.integers(4, size=150)
    masked[np.arange(150), kept] = original[np.arange(150), kept]  # another column of each record is left as it is
    names = list("abcd")
    files = [Release(pl.DataFrame(side, schema=names), quasi=names) for side in (masked, original)]
    result = found(files[0], files[1], Learned(family="ordered"))
    assert result.value > 0.9 > found(files[0], files[1], Learned(family="weighted")).value
    assert result.facts["counts"] == "the smallest differences"


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_it_does_not_find_strangers_by_learning_them_by_heart(family):  # catalogue: C-03
    """Resubstitution is above guessing, the cross-validated figure is not: the truth about a person is not used on it."""
    names = list("abcd")
    hits, learned = 0.0, []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        files = [Release(pl.DataFrame(rng.normal(size=(50, 4)), schema=names), quasi=names) for _ in range(2)]
        result = found(files[0], files[1], Learned(family=family, seconds=0.2))
        hits += float(result.per_record.values().sum())
        learned.append(result.facts["resubstitution (upper bound)"])
    assert hits <= 12  # guessing has 4 of 200 right on average, and 12 or more once in a thousand times
    if family in ("bilinear", "choquet"):
        assert min(learned) > 0.05


def test_the_figures_are_named_and_bound_one_another():
    masked, original = planted(80, seed=3)
    facts = found(masked, original, Learned(effort="exact", seconds=5.0)).facts
    assert facts["estimate"] == "cross-validated, 5 folds"
    assert facts["resubstitution (upper bound)"] <= facts["no such distance finds more than"] <= 1.0
    assert facts["proven best"] == (facts["gap in people"] == 0)
    assert facts["learned from"] == 80


@pytest.mark.parametrize("family", ["bilinear", "choquet"])
def test_a_larger_family_finds_no_fewer_when_rivals_were_left_out(monkeypatch, family):
    for name in ("ALL", "NEAR", "ROUNDS"):
        monkeypatch.setattr(learn, name, int(name != "ALL"))
    rng = np.random.default_rng(0)
    places, ones = rng.normal(size=(80, 4)), np.ones(4)
    seekers = places + rng.normal(size=(80, 4)) * [0.1, 0.5, 1.0, 2.0]
    pairs = Pairs(seekers, places, np.arange(80), Costs(np.full(4, NUMBER), ones, ones, ones))
    small, large = (
        learn.learn_distance(pairs, family_of(name), rng=np.random.default_rng(1)) for name in ("weighted", family)
    )
    assert large.found.sum() >= small.found.sum()


def test_families_that_learn_nothing_have_no_bound():
    masked, original = planted(60, seed=3)
    alike = found(masked, original, Learned(family="arithmetic"))
    assert alike.value == found(masked, original, Distance()).value
    assert "gap in people" not in alike.facts


def test_people_who_share_a_record_are_counted_and_said():
    frame = pl.DataFrame({"x": [1.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    twins = Release(frame, quasi="x")
    result = found(twins, twins, Learned())
    assert result.value == pytest.approx(5 / 6)
    assert any(note.startswith("2 people share their released record") for note in result.facts["notes"])
    assert result.facts["resubstitution (upper bound)"] == pytest.approx(5 / 6)


def test_constant_columns_count_for_nothing():
    masked, original = planted(60, seed=4)
    with_constant = [one.with_columns(pl.lit(1.0).alias("same")) for one in (masked.to_native(), original.to_native())]
    files = [Release(one, quasi=one.columns) for one in with_constant]
    result = found(files[0], files[1], Learned())
    assert "same" not in result.facts["columns that identify people"]
    assert result.value == found(masked, original, Learned()).value


def test_acquaintances_alone_teach_how_to_find_the_others():
    masked, original = planted(200, seed=5)
    known, unknown = np.arange(0, 100), np.arange(100, 200)
    truth = Truth.by_lineage(None, 200)
    friends = KnownLinks(file=original.take(known), truth=truth.of_rows(known))
    scenario = Scenario(file=original.take(unknown), knows=original.quasi, acquaintances=friends)
    result = judge(Learned().claims(masked, scenario, seed=1), truth.of_rows(unknown))
    assert result.value > 0.9
    assert result.facts["learned from"] == 100


def test_outsiders_are_attacked_with_what_insiders_taught():
    masked, original = planted(150, seed=6)
    _, others = planted(150, seed=8)
    result = found(masked, original, Learned(), control=others)
    assert result.value > 0.9
    assert 0.0 < result.facts["control"] <= 1.0  # somebody is always nearest; none of these links is right


@pytest.mark.parametrize("direction", ["intruder", "release"])
@pytest.mark.parametrize("family", ["weighted", "bilinear"])
def test_either_side_may_seek(direction, family):
    masked, original = planted(100, seed=9)
    result = found(masked, original, Learned(direction=direction, family=family, seconds=3.0))
    assert result.value > 0.8


def test_each_file_on_its_own_scale_undoes_a_stretched_column():
    masked, original = planted(100, seed=10, noisy=0)
    stretched = Release(masked.to_native().with_columns(pl.col("kept") * 3 + 5), quasi="kept")
    assert found(stretched, original, Learned()).value < 0.2
    assert found(stretched, original, Learned(scale="each")).value > 0.8


def test_many_links_are_sampled_and_said():
    masked, original = planted(300, seed=11)
    result = found(masked, original, Learned(sample=50))
    assert result.facts["learned from"] == 50
    assert any("50 of 300 links" in note for note in result.facts["notes"])
    assert result.value > 0.9


def test_codes_gaps_and_ranges_are_compared_as_by_distance():
    masked, original = planted(120, seed=12)
    rng = np.random.default_rng(1)
    extra = pl.Series("town", rng.choice(["A", "B", "C"], 120))
    gaps = pl.Series("gap", np.where(rng.random(120) < 0.3, None, rng.integers(5, size=120)).tolist())
    files = [
        Release(one.to_native().with_columns(extra, gaps), quasi=[*one.quasi, "town", "gap"])
        for one in (masked, original)
    ]
    for family in ("weighted", "bilinear", "choquet"):
        assert found(files[0], files[1], Learned(family=family, seconds=3.0)).value > 0.8


def test_the_same_seed_gives_the_same_claims_and_progress_is_told():
    masked, original = planted(80, seed=13)
    truth = Truth.by_lineage(None, 80)
    scenario = with_known_links(Scenario.worst_case(original), truth)
    steps: list[float] = []
    first = Learned().claims(masked, scenario, seed=3, progress=lambda _, share: steps.append(share))
    again = Learned().claims(masked, scenario, seed=3)
    assert (first.candidates == again.candidates).all() and first.facts == again.facts
    assert steps == sorted(steps) and steps and steps[0] >= 0 and steps[-1] <= 1


def test_the_people_at_risk_are_listed_with_it():
    masked, original = planted(60, seed=14)
    listed = at_risk(masked, original=original, lineage=np.arange(60), attack="learned", seed=1)
    assert listed.chance[:40].min() == 1.0


class TestRefusals:
    def test_without_anybody_known_there_is_nothing_to_learn_from(self):
        masked, original = planted(30, seed=1)
        with pytest.raises(TacitError, match="which rows belong together"):
            reidentify(masked, original=original, truth=None, attack="learned")

    def test_one_known_person_is_too_few(self):
        masked, original = planted(30, seed=1)
        truth = Truth(released=np.append(0, np.full(29, -1)), intruder=np.arange(30))
        assert "fewer than two people" in str(
            Learned().applies(masked, with_known_links(Scenario.worst_case(original), truth))
        )

    def test_acquaintances_lack_a_column(self):
        masked, original = planted(30, seed=1)
        friends = KnownLinks(file=original.select(["kept"]), truth=Truth.by_lineage(None, 30))
        scenario = Scenario(file=original, knows=original.quasi, acquaintances=friends)
        with pytest.raises(TacitError, match="'new0'"):
            Learned().claims(masked, scenario)

    def test_thirteen_columns_are_too_many_for_a_full_measure(self):
        rng = np.random.default_rng(1)
        names = [f"c{k}" for k in range(13)]
        file = Release(pl.DataFrame(rng.normal(size=(20, 13)), schema=names), quasi=names)
        with pytest.raises(TacitError, match="additive=2"):
            found(file, file, Learned(family="choquet"))
        assert found(file, file, Learned(family="choquet", additive=2, seconds=2.0)).value == 1.0

    @pytest.mark.parametrize(
        ("said", "match"),
        [
            ({"family": "chocquet"}, "did you mean 'choquet'"),
            ({"family": ["weighted"]}, "family=a list is unknown"),
            ({"seconds": 0}, "leaves no time"),
            ({"seconds": "long"}, "leaves no time"),
            ({"folds": 1}, "folds"),
            ({"sample": 1}, "sample"),
            ({"effort": "slow"}, "effort"),
            ({"direction": "both"}, "direction"),
            ({"scale": "own"}, "scale"),
            ({"additive": 2}, "additive"),
        ],
    )
    def test_parameters_that_mean_nothing(self, said, match):
        with pytest.raises(TacitError, match=match):
            Learned(**said)

    def test_hardly_any_time_still_gives_an_answer_and_its_gap(self):
        masked, original = planted(60, seed=2)
        facts = found(masked, original, Learned(effort="exact", seconds=1e-6)).facts
        assert facts["gap in people"] >= 0 and 0 <= facts["resubstitution (upper bound)"] <= 1


def test_a_shuffled_release_is_found_all_the_same():
    _, original = planted(90, seed=15)
    assert reidentify(original.protect(Shuffle(), seed=2), original=original, attack="learned").value == 1.0
