"""An edition beside those that were released before. catalogue: D-05, C-08."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import compose
from tacit.plan.earlier_releases import EarlierReleases, check_files, measure_composition
from tacit.plan.levels import with_levels


def table(zips, ill, **roles) -> Release:
    return Release(pl.DataFrame({"zip": zips, "ill": ill}), **roles)


def town(rows: int = 120) -> tuple[Release, Release, Release]:
    """People, and two editions that hold all of them: one by zip, one by zip and another grouping of ages."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "zip": rng.choice(["N1", "N2", "N3"], rows),
            "age": rng.integers(20, 60, rows),
            "ill": rng.choice(["flu", "gout", "acne", "hiv"], rows),
        }
    )
    people = Release(frame, quasi=["zip", "age"], confidential="ill", kinds={"age": "continuous"})

    def by(width: int, start: int) -> Release:
        low = (pl.col("age") - start) // width * width + start
        ends = frame.with_columns(low=low).with_columns(
            low=pl.col("age").min().over("low"), high=pl.col("age").max().over("low")
        )
        return Release(ends.select("zip", "ill", age=pl.format("[{}, {}]", "low", "high")))

    return people, by(4, 20), by(6, 17)


def test_the_numbers_are_those_of_the_attack_and_of_counting_by_hand():
    people, new, old = town()
    (found,), warnings = measure_composition(new, people, EarlierReleases(earlier={"old": old}))
    assert not warnings
    facts = found.facts
    assert facts["people"] == 120 and facts["editions"] == 2 and facts["contradicted"] == 0

    def values(edition: Release, row) -> set[str]:
        """What the records of an edition say that a person may be."""
        fits = edition.to_native().with_columns(
            low=pl.col("age").str.extract(r"\[(\d+)").cast(int), high=pl.col("age").str.extract(r"(\d+)\]").cast(int)
        )
        inside = fits.filter(
            (pl.col("zip") == row["zip"]) & (pl.col("low") <= row["age"]) & (pl.col("high") >= row["age"])
        )
        return set(inside["ill"])

    sets = [(values(new, row), values(old, row)) for row in people.to_native().iter_rows(named=True)]
    assert facts["determined by each alone"] == {
        "this edition": sum(len(a) == 1 for a, _ in sets),
        "old": sum(len(b) == 1 for _, b in sets),
    }
    both = [a & b for a, b in sets]
    assert facts["determined by all"] == sum(len(one) == 1 for one in both) == facts["determined by all and right"]
    assert facts["determined only together"] == sum(
        len(c) == 1 and len(a) > 1 and len(b) > 1 for (a, b), c in zip(sets, both, strict=True)
    )
    assert facts["determined only together"] > 0
    assert found.value == facts["determined by all"] / 120
    assert facts["values left by all"] == pytest.approx(np.mean([len(one) for one in both]))
    assert facts["values left by all"] < min(facts["values left by each alone"].values())
    assert facts["right by all"] > facts["right by each alone"]["this edition"] > 0


def test_a_third_edition_determines_no_fewer():
    people, new, old = town()
    third = Release(old.to_native().drop("age"))
    (two,), _ = measure_composition(new, people, EarlierReleases(earlier={"old": old}))
    (three,), _ = measure_composition(new, people, EarlierReleases(earlier={"old": old, "third": third}))
    assert three.facts["editions"] == 3
    assert three.value >= two.value


def test_an_edition_without_one_of_two_confidential_columns_is_used_for_the_other():
    people = Release(
        pl.DataFrame({"zip": ["N1", "N2"], "ill": ["flu", "gout"], "job": ["cook", "clerk"]}),
        quasi="zip",
        confidential=["ill", "job"],
    )
    new, old = Release(people.to_native()), table(["N1", "N2"], ["flu", "gout"])
    found, _ = measure_composition(new, people, EarlierReleases(earlier={"old": old}))
    assert [one.column for one in found] == ["ill"]


@pytest.mark.parametrize(
    ("earlier", "editions", "says"),
    [
        (pl.DataFrame({"zip": ["N1"], "pay": [1]}), {}, "'old' has no column 'ill'"),
        (pl.DataFrame({"place": ["N1"], "ill": ["flu"]}), {}, "none of the columns that the intruder knows"),
        (pl.DataFrame({"zip": ["N1"], "ill": ["flu"]}), {"learn": ["zip"]}, "which column is confidential"),
        (pl.DataFrame({"zip": ["N1"], "ill": ["flu"]}), {"knows": ["zap"]}, "not in the table"),
        (pl.DataFrame({"zip": ["N1"], "ill": ["A*"]}), {}, "'old' has no column 'ill'"),
    ],
)
def test_what_cannot_be_composed_is_refused(earlier, editions, says):
    people = table(["N1", "N1"], ["flu", "gout"], quasi="zip", confidential="ill")
    with pytest.raises(TacitError, match=says) as problem:
        measure_composition(
            Release(people.to_native()), people, EarlierReleases(earlier={"old": Release(earlier)}, **editions)
        )
    assert problem.value.fix


def test_without_roles_it_is_said_how_to_give_them():
    plain = table(["N1", "N1"], ["flu", "gout"])
    with pytest.raises(TacitError, match="what an intruder knows") as problem:
        measure_composition(plain, plain, EarlierReleases(earlier={"old": plain}))
    assert "--confidential" in problem.value.fix and "--plan" in problem.value.fix
    with pytest.raises(TacitError, match="which column is confidential"):
        measure_composition(plain, plain, EarlierReleases(earlier={"old": plain}, knows=["zip"]))
    (named,), _ = measure_composition(
        plain, plain, EarlierReleases(earlier={"old": plain}, knows=["zip"], learn=["ill"])
    )
    people = plain.with_metadata(roles={"zip": "quasi", "ill": "confidential"})
    assert named.facts["values left by all"] == compose([people, people], people=people).frame()["values left"][-1]


def test_the_same_file_twice_is_refused(tmp_path):
    original, masked, old = (tmp_path / f"{name}.csv" for name in ("original", "masked", "old"))
    for path, text in ((original, "a\n1\n"), (masked, "a\n2\n"), (old, "a\n3\n")):
        path.write_text(text)
    check_files([old], original=original, masked=masked)
    copy = tmp_path / "copy.csv"
    for same, says in ((masked, "masked file itself"), (original, "original itself"), (old, "given already")):
        copy.write_text(same.read_text())
        with pytest.raises(TacitError, match=says):
            check_files([old, copy], original=original, masked=masked)


def test_intervals_of_strangers_are_read():
    original = Release(pl.DataFrame({"age": [20, 40]}), kinds={"age": "continuous"})
    labels = Release(pl.DataFrame({"age": ["[18, 30]", "[31, 60]"]}))
    assert "age" in with_levels(labels, original, ["age"])[1]
    found, why_not = with_levels(labels, original, ["age"], strangers=True)
    assert found.mixed == ("age",) and not why_not
    garbage = Release(pl.DataFrame({"age": ["[18, 30]", "old"]}))
    assert "age" in with_levels(garbage, original, ["age"], strangers=True)[1]


def test_a_contradiction_takes_nothing_back():
    people = Release(pl.DataFrame({"zip": ["N1", "N2"], "pay": [10.5, 20.5]}), quasi="zip", confidential="pay")
    noisy = Release(pl.DataFrame({"zip": ["N1", "N2"], "pay": [11.25, 19.75]}))
    (found,), _ = measure_composition(Release(people.to_native()), people, EarlierReleases(earlier={"noisy": noisy}))
    assert found.value == 1.0
    assert (found.facts["determined by all"], found.facts["contradicted"]) == (0, 2)


def test_where_labels_cannot_be_compared_the_masked_file_is_named_and_the_hierarchies_asked_for():
    people = table(["4800", "4801"], ["flu", "gout"], quasi="zip", confidential="ill")
    new, old = table(["480*", "480*"], ["flu", "gout"]), table(["48**", "48**"], ["flu", "acne"])
    with pytest.raises(TacitError, match="^--earlier: the masked file has none of the columns") as problem:
        measure_composition(new, people, EarlierReleases(earlier={"old": old}))
    assert "give the hierarchies of zip (--plan or --hierarchy)" in problem.value.fix
    with pytest.raises(TacitError, match="^--earlier: 'old' has none of the columns"):
        measure_composition(Release(people.to_native()), people, EarlierReleases(earlier={"old": old}))


def test_numbers_with_noise_of_their_own_are_said_to_be_averaged():
    pay = np.arange(40.0)
    people = table(["N1", "N2"] * 20, pay, quasi="zip", confidential="ill")
    new, old = (table(["N1", "N2"] * 20, pay + shift) for shift in (0.25, 0.5))
    (found,), (warning,) = measure_composition(new, people, EarlierReleases(earlier={"old": old}))
    assert found.facts["contradicted"] == 40
    assert "'ill'" in warning and "about 40 people" in warning and "averaged away" in warning
    assert measure_composition(new, people, EarlierReleases(earlier={"old": new}))[1] == ()


def test_an_earlier_edition_with_intervals_that_end_at_values_of_others_is_used():
    people = Release(
        pl.DataFrame({"age": [28, 35], "ill": ["flu", "gout"]}),
        quasi="age",
        confidential="ill",
        kinds={"age": "continuous"},
    )
    old = Release(pl.DataFrame({"age": ["[1, 30]", "[31, 99]"], "ill": ["flu", "gout"]}))
    (found,), warnings = measure_composition(Release(people.to_native()), people, EarlierReleases(earlier={"old": old}))
    assert found.facts["determined by each alone"] == {"this edition": 2, "old": 2} and not warnings
