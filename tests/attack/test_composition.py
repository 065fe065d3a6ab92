"""Composition of releases: the two hospitals, sets of Python as the oracle, a planted leak and none. catalogue: D-05, C-08."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Composition, compose
from tacit.attack._candidates import candidate_records
from tacit.claims import Scenario, Truth, judge
from tacit.examples.disclosive_tables import hospital_a, hospital_b
from tacit.protect import Generalise, Mondrian

ZIP = {"prefix": [3, 2, 1]}
KEYS = ("zip", "sex")


def hospital(example) -> Release:
    made = Release(example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies)
    return made.with_metadata(levels={"zip": 1, "age": 1})


def patients(*ages: int, **more) -> Release:
    columns = {"zip": ["13053"] * len(ages), "age": list(ages), **more}
    return Release(pl.DataFrame(columns), quasi=["zip", "age"], kinds={"age": "continuous"})


def left(claims, release, column) -> list[dict[object, float]]:
    """For each person the values claimed, with their shares."""
    values = release.codes(column).dictionary.to_list() if claims.codes is not None else None
    named = claims.numbers if values is None else [values[code] for code in claims.codes]
    every = [
        dict(zip(named[a:b], claims.shares[a:b].tolist(), strict=True))
        for a, b in zip(claims.start[:-1], claims.start[1:], strict=True)
    ]
    return [every[claim] for claim in claims.claim_numbers()]


def claimed(releases, people, knows, column) -> list[dict[object, float]]:
    scenario = Scenario(file=people, knows=knows, also=tuple(releases[1:]))
    return left(Composition(column=column).claims(releases[0], scenario), releases[0], column)


def test_the_two_hospitals():
    # catalogue: D-05, Hospitals A and B.
    a, b = hospital(hospital_a()), hospital(hospital_b())
    bob = patients(28, 35)
    scenario = Scenario(file=bob, knows=("zip", "age"), also=(b,))
    claims = Composition().claims(a, scenario)
    assert left(claims, a, "condition") == [{"AIDS": 1.0}, {"Cancer": 1.0}]
    assert claims.notes == ("release 2 says nothing about 1 of the people: it holds nobody like them",)
    assert claims.facts["one value left by this release"] == 1  # the 35-year-old, by homogeneity
    assert claims.facts["one value left by all"] == 2
    assert claims.facts["values left by number of releases"] == {"1": 2.0, "2": 1.0}
    assert claimed([b, a], bob, ("zip", "age"), "condition") == [{"AIDS": 1.0}, {"Cancer": 1.0}]


def test_nationality_is_starred_and_says_nothing():
    a, b = hospital(hospital_a()), hospital(hospital_b())
    bob = patients(28, nationality=["Finn"])
    assert claimed([a, b], bob, ("zip", "age", "nationality"), "condition") == [{"AIDS": 1.0}]


def test_the_hospitals_composed_step_by_step():
    a, b = hospital(hospital_a()), hospital(hospital_b())
    found = compose([a, b], people=patients(28, 35, 50, condition=["AIDS", "Cancer", "Cancer"]))
    assert found.left.tolist() == [[3, 1], [1, 1], [3, 2]]
    assert found.determined.tolist() == [[False, True], [True, True], [False, False]]
    frame = found.frame()
    assert frame["determined and right"].to_list() == [1, 2]
    assert frame["right"].to_list()[0] == pytest.approx((0.25 + 1 + 0.25) / 3)
    assert "2 of 3 people determined" in str(found)
    without = compose([a, b], people=patients(28), column="condition")
    assert without.right is None and without.frame().columns[-1] == "says nothing"


def tables(rows: int = 5):
    """Tables of two keys and a value, some cells missing."""
    row = st.tuples(
        st.sampled_from(["aab", "aba", "bab", None]), st.sampled_from(["f", "m", None]), st.sampled_from("xyz")
    )
    return st.lists(row, min_size=1, max_size=rows)


def made(rows, level: int) -> Release:
    frame = pl.DataFrame(rows, schema={"zip": pl.String, "sex": pl.String, "ill": pl.String}, orient="row")
    release = Release(frame, quasi=KEYS, confidential="ill", hierarchies={"zip": ZIP}, missing="any")
    return release.protect(Generalise(levels={"zip": level})).release if level else release


def fits(shown, known) -> bool:
    return all(
        here is None or there is None or there.startswith(here.rstrip("*"))
        for here, there in zip(shown, known, strict=True)
    )


def oracle(releases, person) -> dict[str, Fraction]:
    """Sets and counts of Python: the formula, with the geometric mean of the usual shares as a float at the end."""
    rows = [release.to_native().rows() for release in releases]
    classes = [[row[2] for row in table if fits(row[:2], person)] for table in rows]
    said = [(of, [row[2] for row in table]) for of, table in zip(classes, rows, strict=True) if of]
    if not said:
        return {}
    values = set.intersection(*(set(of) for of, _ in said))
    score = {}
    for value in values:
        share = [Fraction(of.count(value), len(of)) for of, _ in said]
        usual = [Fraction(every.count(value), len(every)) for _, every in said]
        score[value] = float(prod(s / u for s, u in zip(share, usual, strict=True))) * float(prod(usual)) ** (
            1 / len(said)
        )
    return {value: one / sum(score.values()) for value, one in score.items()}


people_strategy = st.lists(
    st.tuples(st.sampled_from(["aab", "aba", "bab", "bbb", None]), st.sampled_from(["f", "m", None])),
    min_size=1,
    max_size=4,
)


@given(st.lists(st.tuples(tables(), st.integers(0, 2)), min_size=2, max_size=4), people_strategy)
@settings(deadline=None, max_examples=40)
def test_against_sets_of_python(drawn, persons):
    releases = [made(rows, level) for rows, level in drawn]
    frame = pl.DataFrame(persons, schema={"zip": pl.String, "sex": pl.String}, orient="row")
    people = Release(frame, quasi=KEYS)
    found = claimed(releases, people, KEYS, "ill")
    shown = set(releases[0].to_native()["ill"])
    for person, claim in zip(persons, found, strict=True):
        expected = {value: share for value, share in oracle(releases, person).items() if value in shown}
        assert claim == pytest.approx(expected)


@given(st.lists(st.tuples(tables(), st.integers(0, 2)), min_size=3, max_size=4), people_strategy, st.randoms())
@settings(deadline=None, max_examples=40)
def test_more_releases_leave_no_more_values_and_no_order_matters(drawn, persons, random):
    releases = [made(rows, level) for rows, level in drawn]
    people = Release(pl.DataFrame(persons, schema={"zip": pl.String, "sex": pl.String}, orient="row"), quasi=KEYS)
    steps = compose(releases, people=people, column="ill")
    for before, after in zip(steps.left.T[:-1], steps.left.T[1:], strict=True):
        assert (after[before >= 0] <= before[before >= 0]).all()
    order = random.sample(range(len(releases)), len(releases))
    rows = [random.sample(range(release.size), release.size) for release in releases]
    turned = [releases[place].take(np.array(rows[place])) for place in order]
    again = compose(turned, people=people, column="ill")
    assert again.left[:, -1].tolist() == steps.left[:, -1].tolist()
    ours, theirs = (claimed(some, people, KEYS, "ill") for some in (releases, turned))
    shown = set(releases[0].to_native()["ill"]) & set(turned[0].to_native()["ill"])
    for one, other in zip(ours, theirs, strict=True):
        assert {value: share for value, share in one.items() if value in shown} == pytest.approx(
            {value: share for value, share in other.items() if value in shown}
        )


def test_local_recoding_and_suppression_are_read():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {"age": rng.integers(18, 90, 300), "sex": rng.choice(["f", "m"], 300), "ill": rng.choice(list("abcd"), 300)}
    )
    release = Release(frame, quasi=["age", "sex"], confidential="ill", kinds={"age": "continuous"}, missing="any")
    masked = release.protect(Mondrian(models={"k_anonymity": 5}))
    known = release.select(["age", "sex"])
    links = candidate_records(masked.release, known)
    chosen = [set(links.candidates[a:b]) for a, b in zip(links.start[:-1], links.start[1:], strict=True)]
    own = links.group_of[np.argsort(masked.rows())]
    assert all(own[person] in chosen[links.claim_of[person]] for person in range(300))
    assert links.set_sizes().min() >= 5
    shown = masked.to_native()
    for person in range(0, 300, 17):
        age, sex = frame["age"][person], frame["sex"][person]
        expected = sum(
            _covers(label, age) and other in ("*", sex) for label, other in zip(shown["age"], shown["sex"], strict=True)
        )
        assert links.set_sizes()[person] == expected
    hidden = release.suppress_cells({"age": np.ones(300, dtype=bool)})
    alike = frame["sex"].replace_strict(dict(frame["sex"].value_counts().iter_rows())).to_numpy()
    assert (candidate_records(hidden, known).set_sizes() == alike).all()


def _covers(label: str, age: int) -> bool:
    if label == "*":
        return True
    low, _, high = label.strip("[]").partition(", ")
    return int(low) <= age <= int(high or low)


def test_a_value_outside_the_hierarchy_fits_no_class():
    a, b = hospital(hospital_a()), hospital(hospital_b())
    found = compose([a, b], people=patients(28, 130), column="condition")
    assert found.left.tolist() == [[3, 1], [-1, -1]]


def planted(seed: int, *, same: bool, skewed: bool = False, size: int = 600) -> tuple[list[Release], Release]:
    """Two releases in which everybody is among about six by one key; the value is the same in both, or drawn anew."""
    rng = np.random.default_rng(seed)
    keys = {name: rng.integers(0, size // 6, size) for name in "pq"}
    chance = 1.0 / (1 + np.arange(12)) if skewed else np.ones(12)
    ill = rng.choice(12, size, p=chance / chance.sum())
    other = ill if same else rng.integers(0, 12, size)
    kinds = dict.fromkeys(("p", "q", "ill"), "nominal")

    def release(quasi: list[str], values: np.ndarray) -> Release:
        frame = pl.DataFrame({**{name: keys[name] for name in quasi}, "ill": values})
        return Release(frame, quasi=quasi, confidential="ill", kinds={name: kinds[name] for name in (*quasi, "ill")})

    return [release(["p"], ill), release(["q"], other)], release(["p", "q"], ill)


def test_a_planted_leak_is_found():
    releases, people = planted(1, same=True)
    found = compose(releases, people=people)
    alone, together = found.right
    assert together.value > 0.5 > 0.4 > alone.value
    assert together.value > together.facts["baseline"] + 0.3
    assert (found.left[:, 1] > 0).all()
    # A value left alone is right: the true one is never ruled out where it is the same in both.
    assert found.frame()["determined and right"][1] == found.determined[:, 1].sum() > 100


@pytest.mark.parametrize("skewed", [False, True])
def test_the_chances_are_calibrated(skewed):
    # catalogue: D-05. Bayes' rule: of the claims made with chance p, a share of p is right, also where values are uneven.
    scores, hits = [], []
    for seed in range(6):
        (first, second), people = planted(seed, same=True, skewed=skewed)
        claims = Composition().claims(first, Scenario(file=people, knows=("p", "q"), also=(second,)))
        for one, truth in zip(left(claims, first, "ill"), people.to_native()["ill"], strict=True):
            scores += one.values()
            hits += [value == truth for value in one]
    scores, hits = np.array(scores), np.array(hits)
    for low, high in ((0.05, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.9)):
        inside = (scores >= low) & (scores < high)
        assert hits[inside].mean() == pytest.approx(scores[inside].mean(), abs=0.05)


def test_without_a_common_value_nothing_is_learnt():
    releases, people = planted(3, same=False)
    values = np.random.default_rng(9).integers(0, 12, people.size)
    claims = Composition().claims(releases[0], Scenario(file=people, knows=("p", "q"), also=(releases[1],)))
    assert claims.facts["contradicted"] > 0
    found = judge(claims, Truth(released=np.arange(600), intruder=np.arange(600), values=values))
    assert found.interval[0] <= found.facts["baseline"] <= found.interval[1]


def test_numbers_are_intersected_exactly_and_noise_contradicts():
    frame = pl.DataFrame({"zip": ["N1"] * 3, "income": [1.5, 2.5, 3.5]})
    kinds = {"income": "continuous"}
    a = Release(frame, quasi="zip", confidential="income", kinds=kinds)
    b = Release(frame.with_columns(income=pl.Series([3.5, 9.0, 8.0])), quasi="zip", confidential="income", kinds=kinds)
    bob = Release(pl.DataFrame({"zip": ["N1"]}), quasi="zip")
    assert claimed([a, b], bob, ("zip",), "income") == [{3.5: 1.0}]
    noisy = a.with_columns({"income": frame["income"].to_numpy() + 0.01})
    claims = Composition().claims(a, Scenario(file=bob, knows=("zip",), also=(noisy,)))
    assert claims.facts["contradicted"] == 1 and not len(claims.shares)


def test_records_without_a_value_are_never_certain():
    a = Release(pl.DataFrame({"zip": ["N1"] * 2, "ill": ["hiv", None]}), quasi="zip", confidential="ill")
    b = Release(pl.DataFrame({"zip": ["N1"] * 2, "ill": ["hiv", "flu"]}), quasi="zip", confidential="ill")
    bob = Release(pl.DataFrame({"zip": ["N1"]}), quasi="zip")
    scenario = Scenario(file=bob, knows=("zip",), also=(b,))
    claims = Composition().claims(a, scenario)
    assert left(claims, a, "ill") == [{"hiv": 0.5}] and claims.facts["one value left by all"] == 0


def test_values_that_only_another_release_has_are_reckoned_with():
    a = Release(pl.DataFrame({"zip": ["N1"], "ill": ["hiv"]}), quasi="zip", confidential="ill")
    b = Release(pl.DataFrame({"zip": ["N2"] * 2, "ill": ["hiv", "flu"]}), quasi="zip", confidential="ill")
    bob = Release(pl.DataFrame({"zip": ["N2"]}), quasi="zip")
    assert claimed([a, b], bob, ("zip",), "ill") == [{"hiv": 0.5}]


@pytest.mark.parametrize(
    ("also", "reason"),
    [
        ((), "no other release"),
        ((Release(pl.DataFrame({"zip": ["N1"], "age": [3]})),), "has no column 'ill'"),
        ((Release(pl.DataFrame({"town": ["N1"], "ill": ["flu"]})),), "none of the columns"),
        (
            (Release(pl.DataFrame({"zip": ["N1"], "ill": [None]}, schema={"zip": pl.String, "ill": pl.String})),),
            "no value",
        ),
        ((Release(pl.DataFrame({"zip": [], "ill": []}, schema={"zip": pl.String, "ill": pl.String})),), "no rows"),
    ],
)
def test_why_not(also, reason):
    a = Release(pl.DataFrame({"zip": ["N1"], "ill": ["hiv"]}), quasi="zip", confidential="ill")
    scenario = Scenario(file=a, knows=("zip",), also=also)
    assert reason in Composition().applies(a, scenario)
    with pytest.raises(TacitError, match="cannot be composed"):
        Composition().claims(a, scenario)


def test_bad_input():
    a = Release(pl.DataFrame({"zip": ["N1"], "ill": ["hiv"]}), quasi="zip", confidential="ill")
    with pytest.raises(TacitError, match="names no column"):
        Composition(column="")
    with pytest.raises(TacitError, match="not two releases"):
        compose([a], people=a)
    with pytest.raises(TacitError, match="release 3 has no column 'ill'"):
        compose([a, a, a.select("zip")], people=a)
    assert "knows 'ill' already" in Composition().applies(a, Scenario(file=a, knows=("zip", "ill"), also=(a,)))


def test_a_release_that_cannot_be_used_is_noted():
    a = Release(pl.DataFrame({"zip": ["N1"], "ill": ["hiv"]}), quasi="zip", confidential="ill")
    claims = Composition().claims(a, Scenario(file=a, knows=("zip",), also=(a, a.select("zip"))))
    assert claims.notes == ("another release is not used: it has no column 'ill'",) and claims.facts["releases"] == 2


def test_a_value_published_at_a_level_is_brought_to_it():
    ladder = {"ill": {"table": {"flu": ["mild", "*"], "cold": ["mild", "*"], "hiv": ["grave", "*"]}}}
    rows = {"zip": ["N1"] * 3, "ill": ["flu", "cold", "hiv"]}
    fine = Release(pl.DataFrame(rows), quasi="zip", confidential="ill", hierarchies=ladder)
    coarse = fine.protect(Generalise(levels={"ill": 1})).release
    bob = Release(pl.DataFrame({"zip": ["N1"]}), quasi="zip")
    assert claimed([coarse, fine.take(np.array([0, 1]))], bob, ("zip",), "ill") == [{"mild": 1.0}]
    scenario = Scenario(file=bob, knows=("zip",), also=(coarse,))
    assert "shows labels" in Composition().applies(fine, scenario)


def test_the_entry_is_there():
    assert ATTACKS["composition"].tags.about == "attribute" and ATTACKS["composition"].call is Composition


def test_a_star_in_a_generalised_column_may_be_anybody():
    release = made([("aab", "f", "x"), ("aba", "f", "y")], 1).with_columns(
        {"zip": pl.Series(["aa*", "*"])}, levels={"zip": 1}
    )
    people = Release(pl.DataFrame({"zip": ["aab", "bab"]}), quasi="zip")
    assert candidate_records(release, people).set_sizes().tolist() == [2, 1]
