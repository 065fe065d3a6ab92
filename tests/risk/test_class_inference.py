"""Attacks on classes: homogeneity, background knowledge, similarity and skewness, against worked numbers and an oracle."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.examples import ALL, Example
from tacit.plan.measure import measure_risks
from tacit.risk import background, beta_likeness, inference, l_diversity, similarity, skewness, t_closeness


def release_of(example: Example) -> Release:
    return Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing=example.missing
    )


def deck() -> Release:
    """The nine voters as the deck prints them: three characters of the postcode and decades."""
    frame = ALL["postcodes"]().frame.with_columns(
        pl.col("zip").str.slice(0, 3), birth=(pl.col("birth").dt.year() // 10).cast(pl.String)
    )
    return Release(frame, quasi=["zip", "birth"], confidential="party")


def test_homogeneity_is_inference_by_an_outsider():  # catalogue: D-05, B-07
    alice = inference(deck(), coalition=0)["party"]
    assert alice.value == pytest.approx(3 / 9)
    assert set(deck().series("zip").filter(pl.Series(alice.per_record.values() == 0))) == {"N1C"}


@pytest.mark.parametrize("name", ["hospital_a", "hospital_b", "ovarian"])
def test_the_disclosed_tables_have_their_published_numbers(name):  # catalogue: D-05
    example = ALL[name]()
    release = release_of(example)
    classes = release.classes().sizes
    assert classes.min() == example.facts["k"]
    assert l_diversity(release)[0].value == example.facts["l"]
    assert (
        inference(release, coalition=0)[0].facts["records open to an outsider"] == example.facts["open to an outsider"]
    )


def test_dave_is_35_and_in_hospital_a():  # catalogue: D-05
    frame = ALL["hospital_a"]().frame
    assert set(frame.filter(pl.col("age") == "3*")["condition"]) == {ALL["hospital_a"]().facts["condition at 35"]}


def test_a_patient_of_28_in_both_hospitals():  # catalogue: D-05
    a, b = ALL["hospital_a"](), ALL["hospital_b"]()
    at_28 = [
        set(one.frame.filter(pl.col("age") == one.hierarchies["age"]["table"]["28"][0])["condition"]) for one in (a, b)
    ]
    assert [len(found) for found in at_28] == [a.facts["conditions at 28"], b.facts["conditions at 28"]]
    assert at_28[0] & at_28[1] == {b.facts["condition at 28 in A and B"]} == {"AIDS"}


def test_hospital_b_has_no_class_for_35():  # catalogue: D-05 (a slip of the source)
    example = ALL["hospital_b"]()
    assert example.hierarchies["age"]["table"]["35"][0] not in set(example.frame["age"])


def test_bob_does_not_like_the_liberal_party():  # catalogue: D-05
    found = background(deck(), ruled_out={"party": "Liberal"})["party"]
    assert found.facts["records open"] == 4  # Bob's class has one conservative left; the three greens were open before
    assert found.facts["records open without the knowledge"] == 3
    assert found.value == pytest.approx(4 / 9)
    bob = [
        zip_ == "G0A" and party == "Conservative"
        for zip_, party in deck().scan().collect().select("zip", "party").rows()
    ]
    assert found.per_record.values()[bob].tolist() == [1.0]


def test_naroto_has_no_heart_disease():  # catalogue: D-05
    example = ALL["ovarian"]()
    found = background(release_of(example), ruled_out={"disease": ["Heart disease"]})["disease"]
    assert found.facts["records open"] == example.facts["open without heart disease"] == 5
    assert found.per_record.values().tolist() == [1, 1, 1, pytest.approx(1 / 3), 1, 1]  # nobody rules out what is true


def test_the_worst_case_of_ruling_out_values():  # catalogue: D-05
    shares = [background(deck(), ruled_out=b)["party"].value for b in range(4)]
    assert shares == pytest.approx([3 / 9, 6 / 9, 1, 1])


STOMACH = {"stomach": ["gastric ulcer", "gastritis", "stomach cancer"]}


def test_charles_has_a_stomach_disease():  # catalogue: D-05
    release = release_of(ALL["salaries"]())
    found = similarity(release, groups={"disease": STOMACH})
    assert found["disease"].value == pytest.approx(3 / 9)
    assert found["disease"].per_record.values().tolist() == [1] * 3 + [0] * 6
    assert found["salary"].value == pytest.approx(3 / 9)  # 15 to 25 of a range of 105 thousand: all are low
    assert similarity(release, groups={"disease": STOMACH}, width=0.15)["salary"].value == pytest.approx(6 / 9)


def test_all_of_the_first_class_have_a_cancer():  # catalogue: D-05
    names = {"cancer": ["lung cancer", "prostate cancer", "bladder cancer"]}
    assert similarity(release_of(ALL["cancers"]()), groups={"disease": names})[0].value == pytest.approx(3 / 6)


def test_equal_distances_do_not_stop_a_similarity_attack():  # catalogue: D-05
    """The same diseases dealt out otherwise: t with equal distances is the same, that along the tree is not."""
    salaries = ALL["salaries"]()
    tree = {
        disease: ["stomach" if disease in STOMACH["stomach"] else disease, "*"] for disease in salaries.frame["disease"]
    }
    dealt = salaries.frame.with_columns(disease=salaries.frame["disease"].gather([0, 3, 6, 1, 4, 7, 2, 5, 8]))
    similar, mixed = (
        Release(frame, quasi=["zip", "decade"], confidential="disease", hierarchies={"disease": {"table": tree}})
        for frame in (salaries.frame, dealt)
    )
    assert [similarity(one)[0].value for one in (similar, mixed)] == [pytest.approx(3 / 9), 0]
    equal = [t_closeness(one, form="variational")[0].value for one in (similar, mixed)]
    assert equal[0] == pytest.approx(equal[1]) == pytest.approx(2 / 3)
    along = [t_closeness(one, form="hierarchical")[0].value for one in (similar, mixed)]
    assert along[0] > along[1] + 0.1


def test_david_probably_has_the_virus():  # catalogue: D-05
    found = skewness(release_of(ALL["skewness"]()))["virus"]
    assert found.facts["posterior"] == pytest.approx(48 / 49)
    assert found.facts["prior"] == pytest.approx(49 / 998)
    assert found.facts["ratio"] == pytest.approx(48 / 49 * 998 / 49)
    assert found.facts["records"] == 48
    assert found.value == pytest.approx(48 / 49 - 49 / 998)
    assert found.value == pytest.approx(0.9305, abs=5e-5)  # with two values it is the published t


tables = st.lists(
    st.tuples(st.sampled_from("ab?"), st.sampled_from("xy?"), st.sampled_from("pqrs?")), min_size=1, max_size=14
)


def drawn(rows: list[tuple[str, ...]], missing: Any) -> Release:
    named = [[None if cell == "?" else cell for cell in row] for row in rows]
    frame = pl.DataFrame(named, schema=dict.fromkeys(("u", "v", "s"), pl.String), orient="row")
    return Release(frame, quasi=["u", "v"], confidential="s", missing=missing)


def seen(rows: list[tuple[str, ...]], row: tuple[str, ...], missing: str) -> Counter[str]:
    """The values in the class of a record, or in its match set."""

    def same(one: str, other: str) -> bool:
        return one == other or (missing == "any" and "?" in (one, other))

    found = Counter(other[2] for other in rows if same(row[0], other[0]) and same(row[1], other[1]))
    if missing == "any":
        found.pop("?", None)
    return found


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(["own", "any"]), st.sets(st.sampled_from("pqrs"), min_size=1, max_size=3))
def test_background_knowledge_against_the_plain_way(rows, missing, typed):
    present = typed & {row[2] for row in rows}
    if not present or (missing == "any" and all(row[2] == "?" for row in rows)):
        return
    found = background(drawn(rows, missing), ruled_out={"s": sorted(present)})["s"]
    sure, posterior = [], []
    for row in rows:
        values = seen(rows, row, missing)
        left = values if row[2] in present else Counter({v: n for v, n in values.items() if v not in present})
        sure.append(len(left) == 1)
        posterior.append(Fraction(left[row[2]], max(1, left.total())))
    assert found.value == pytest.approx(np.mean(sure))
    assert found.per_record.values() == pytest.approx([float(share) for share in posterior])


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(["own", "any"]), st.integers(0, 3))
def test_the_worst_case_against_every_choice_of_values(rows, missing, b):
    if missing == "any" and all(row[2] == "?" for row in rows):
        return
    found = background(drawn(rows, missing), ruled_out=b)["s"]
    sure, posterior = [], []
    for row in rows:
        values = seen(rows, row, missing)
        others = [value for value in values if value != row[2]]
        best = Fraction(0)
        for gone in itertools.combinations(others, min(b, len(others))):
            left = values.total() - sum(values[value] for value in gone)
            best = max(best, Fraction(values[row[2]], max(1, left)))
        sure.append(1 <= len(values) <= b + 1)
        posterior.append(best)
    assert found.value == pytest.approx(np.mean(sure))
    assert found.per_record.values() == pytest.approx([float(share) for share in posterior])
    if b == 0:
        assert found.value == pytest.approx(inference(drawn(rows, missing), coalition=0)["s"].value)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(["own", "any"]))
def test_skewness_against_the_plain_way(rows, missing):
    if missing == "any" and all(row[2] == "?" for row in rows):
        return
    release = drawn(rows, missing)
    found = skewness(release)["s"]
    whole = Counter(row[2] for row in rows if missing == "own" or row[2] != "?")
    gains, ratios = [], []
    for row in rows:
        values = seen(rows, row, missing)
        counts = missing == "own" or row[2] != "?"
        posterior = Fraction(values[row[2]], values.total()) if counts else Fraction(0)
        prior = Fraction(whole[row[2]], whole.total()) if counts else Fraction(0)
        gains.append(float(posterior - prior))
        ratios.append(float(posterior / prior) if prior else 0.0)
    assert found.per_record.values() == pytest.approx(gains)
    assert found.value == pytest.approx(max(gains))
    assert found.facts["largest ratio"] == pytest.approx(max(ratios))
    if not any("?" in row[:2] for row in rows):
        assert found.facts["largest ratio"] == pytest.approx(beta_likeness(release)["s"].value + 1)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(["own", "any"]))
def test_similarity_against_the_plain_way(rows, missing):
    if {row[2] for row in rows} & set("pqr") != set("pqr"):
        return
    group = {"p": "one", "q": "one", "r": "two"}
    found = similarity(drawn(rows, missing), groups={"s": {"one": ["p", "q"], "two": "r"}})["s"]
    alike = [
        len(values) > 1 and len({group.get(value, value) for value in values}) == 1
        for values in (seen(rows, row, missing) for row in rows)
    ]
    assert found.value == pytest.approx(np.mean(alike))
    assert found.per_record.values().tolist() == alike


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), min_size=1, max_size=20), st.sampled_from([0.1, 0.3]))
def test_similar_numbers_against_the_plain_way(rows, width):
    frame = pl.DataFrame(rows, schema=["u", "s"], orient="row")
    found = similarity(Release(frame, quasi="u", confidential="s", kinds={"s": "continuous"}), width=width)["s"]
    numbers = [number for _, number in rows]
    alike = []
    for key, _ in rows:
        inside = [number for other, number in rows if other == key]
        reach = 10 * (max(inside) - min(inside)) <= round(10 * width) * (max(numbers) - min(numbers))
        alike.append(len(set(inside)) > 1 and reach)
    assert found.per_record.values().tolist() == alike


def test_a_category_that_is_not_there_is_named_with_its_column():
    with pytest.raises(TacitError, match="column 'party' has no value 'Librals'"):
        background(deck(), ruled_out={"party": "Librals"})
    with pytest.raises(TacitError, match="column 'zip' is named by ruled_out but is not confidential"):
        background(deck(), ruled_out={"zip": "N1C"})
    with pytest.raises(TacitError, match="column 'party' has no value 'Gren'"):
        similarity(deck(), groups={"party": {"left": ["Gren"]}})
    with pytest.raises(TacitError, match="column 'party' has a value of the group 'b' in another group too"):
        similarity(deck(), groups={"party": {"a": ["Green"], "b": ["Green"]}})
    with pytest.raises(TacitError, match="column 'party' has no groups of values"):
        similarity(deck())


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "Liberal", {}])
def test_what_cannot_be_ruled_out(wrong):
    with pytest.raises(TacitError, match="ruled_out"):
        background(deck(), ruled_out=wrong)


@pytest.mark.parametrize("wrong", [0, 3, True, "1"])
def test_the_levels_that_have_groups(wrong):
    tree = {party: [party[0], "*"] for party in ("Green", "Liberal", "Conservative", "New Democratic")}
    release = deck().with_metadata(hierarchies={}).scan().collect().to_native()
    grouped = Release(release, quasi="zip", confidential="party", hierarchies={"party": {"table": tree}})
    assert similarity(grouped)["party"].value == 0
    with pytest.raises(TacitError, match="column 'party' has no groups at level"):
        similarity(grouped, level=wrong)


def test_groups_of_a_hierarchy_equal_groups_that_are_named():
    salaries = ALL["salaries"]()
    tree = {
        disease: ["stomach" if disease in STOMACH["stomach"] else disease, "*"] for disease in salaries.frame["disease"]
    }
    by_tree = Release(
        salaries.frame, quasi=["zip", "decade"], confidential="disease", hierarchies={"disease": {"table": tree}}
    )
    assert similarity(by_tree, level=1)[0].value == similarity(by_tree, groups={"disease": STOMACH})[0].value


def test_lazy_engines_are_told_what_to_do():
    duckdb = pytest.importorskip("duckdb")
    frame = deck().scan().collect().to_native()  # noqa: F841 - DuckDB reads it by name
    lazy = Release(duckdb.sql("select * from frame"), quasi="zip", confidential="party")
    for measure in (background, skewness, lambda one: similarity(one, width=0.1)):
        with pytest.raises(TacitError, match="engine='polars'"):
            measure(lazy)


def test_numbers_are_ruled_out_as_numbers():
    frame = pl.DataFrame({"u": [1, 1, 1], "s": [3, 4, 4]})
    release = Release(frame, quasi="u", confidential="s", kinds={"s": "nominal"})
    assert background(release, ruled_out={"s": 3})["s"].facts["records open"] == 2


def test_an_audit_measures_similarity_only_where_values_can_be_near():
    def names(release: Release) -> set[tuple[str, str | None]]:
        results, notes = measure_risks(release)
        assert not any("similarity" in note for note in notes)
        return {(one.name, one.column) for one in results if one.name == "similarity"}

    assert names(release_of(ALL["salaries"]())) == {("similarity", "salary")}
    assert names(deck()) == set()


def test_numbers_whose_range_overflows_are_not_all_alike():
    frame = pl.DataFrame({"u": ["a", "a", "b", "b"], "s": [-1.7e308, 1.7e308, 0.0, 1.0]})
    r = Release(frame, quasi="u", confidential="s", kinds={"s": "continuous"})
    assert similarity(r, width=0.1)["s"].per_record.values().tolist() == [0.0, 0.0, 1.0, 1.0]


def test_values_that_are_as_far_apart_as_the_width_are_alike():
    """1.1 − 1.0 exceeds a tenth of the range by rounding only."""
    frame = pl.DataFrame({"u": ["a", "a", "b", "b"], "s": [1.0, 1.1, 1.0, 2.0]})
    r = Release(frame, quasi="u", confidential="s", kinds={"s": "continuous"})
    assert similarity(r, width=0.1)["s"].per_record.values().tolist() == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("missing", ["own", "any"])
def test_nobody_colluding_is_the_same_attack_as_nothing_ruled_out(missing):
    """With gaps: under "any" a class without a known value discloses none to either."""
    rng = np.random.default_rng(8)
    for case in range(30):
        size = int(rng.integers(2, 12))
        table = pl.DataFrame(
            {
                "zip": [str(code) for code in rng.integers(0, 4, size)],
                "ill": [None if rng.random() < 0.5 else str(code) for code in rng.integers(0, 2, size)],
            }
        ).with_columns(pl.when(pl.int_range(size) == 0).then(pl.lit("0")).otherwise("ill").alias("ill"))
        release = Release(table, quasi="zip", confidential="ill", missing=missing)
        found = inference(release, coalition=0)["ill"]
        assert found.value == pytest.approx(background(release, ruled_out=0)["ill"].value), case
        lazy = Release(duckdb.from_arrow(table.to_arrow()), quasi="zip", confidential="ill", missing=missing)
        assert inference(lazy, coalition=0)["ill"].facts == found.facts
    blank = pl.DataFrame({"zip": ["a", "b", "b", "c"], "ill": [None, "flu", "cold", "flu"]})
    release = Release(blank, quasi="zip", confidential="ill", missing="any")
    assert inference(release, coalition=0)["ill"].value == 0.25
    assert inference(release, coalition=0)["ill"].facts["records open to an outsider"] == 1
