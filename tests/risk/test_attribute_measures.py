"""Attribute disclosure: worked numbers of the catalogue and the reference values of sdcMicro."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models import LDiversity
from tacit.risk import (
    alpha,
    beta_likeness,
    delta_disclosure,
    inference,
    k_anonymity,
    l_diversity,
    p_sensitivity,
    t_closeness,
)


def counted(*classes: dict[str, int], **options) -> Release:
    """A release whose class i has the given counts of confidential values."""
    rows = [(f"class {i}", value) for i, values in enumerate(classes) for value, n in values.items() for _ in range(n)]
    frame = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    return Release(frame, quasi="q", confidential="s", **options)


FLU = {"Flu": 3, "Shingles": 1, "Acne": 2}
PARTIES = ({"G": 1, "L": 1, "C": 1}, {"G": 2, "C": 1}, {"L": 2, "G": 1, "C": 1})
SKEW = ({"pos": 48, "neg": 1}, {"pos": 1, "neg": 948})


def test_p_sensitive_table():
    # catalogue: D-02: 3-sensitive, 6-anonymous, entropy-ℓ 2.75, t = 0
    release = counted(FLU, FLU)
    found = p_sensitivity(release)
    assert (found.value, found.facts["k"], found.facts["deciding column"]) == (3, 6, "s")
    assert round(l_diversity(release, form="entropy")["s"].value, 2) == 2.75
    assert t_closeness(release)["s"].value == pytest.approx(0, abs=1e-15)
    assert beta_likeness(release)["s"].value == pytest.approx(0, abs=1e-15)
    assert delta_disclosure(release)["s"].value == pytest.approx(0, abs=1e-15)


def test_the_worst_column_decides_p():
    frame = pl.DataFrame({"q": ["a", "a", "a"], "many": ["x", "y", "z"], "few": ["x", "y", "y"]})
    found = p_sensitivity(Release(frame, quasi="q", confidential=["many", "few"]))
    assert (found.value, found.facts["deciding column"]) == (2, "few")


def test_party_table():
    # catalogue: D-03: 3-anonymous, 2-diverse, entropy-ℓ 1.89, t = 0.3
    release = counted(*PARTIES)
    assert k_anonymity(release).value == 3
    assert l_diversity(release)["s"].value == 2
    assert round(l_diversity(release, form="entropy")["s"].value, 2) == 1.89
    assert t_closeness(release)["s"].value == pytest.approx(0.3)
    assert alpha(release)["s"].value == pytest.approx(2 / 3)


def test_alice_is_known_to_vote_green():
    # catalogue: D-03: party table Alice → Green, ℓ = 1; B-07: the external attack
    release = counted({"Green": 3}, {"Green": 1, "Liberal": 2})
    assert l_diversity(release)["s"].value == 1
    assert alpha(release)["s"].value == 1
    facts = inference(release, coalition=0)["s"].facts
    assert (facts["classes open to an outsider"], facts["records open to an outsider"]) == (1, 3)


def test_three_salaries_and_three_cancers_are_3_diverse():
    # catalogue: D-03 (salary table k = 3, ℓ = 3; three cancers 3-diverse), D-05: and still all are cancers
    salaries = counted({"3": 1, "4": 1, "5": 1}, {"6": 1, "8": 1, "11": 1}, {"7": 1, "9": 1, "10": 1})
    assert (k_anonymity(salaries).value, l_diversity(salaries)["s"].value) == (3, 3)
    ill = {"lung cancer": 1, "skin cancer": 1, "bone cancer": 1}
    groups = {"cancer": list(ill), "infection": ["flu", "measles", "mumps"]}
    release = counted(ill, {"flu": 1, "measles": 1, "mumps": 1}, hierarchies={"s": {"groups": groups}})
    assert l_diversity(release)["s"].value == 3
    assert round(l_diversity(release, form="entropy")["s"].value, 6) == 3
    # Equal distance sees ½ in any table of two such classes; along the tree the whole mass must leave its group.
    assert t_closeness(release, form="variational")["s"].value == pytest.approx(0.5)
    assert t_closeness(release, form="hierarchical")["s"].value == pytest.approx(0.5)
    mixed = counted(
        {"lung cancer": 1, "skin cancer": 1, "flu": 1},
        {"bone cancer": 1, "measles": 1, "mumps": 1},
        hierarchies={"s": {"groups": groups}},
    )
    assert t_closeness(mixed, form="variational")["s"].value == pytest.approx(0.5)
    assert t_closeness(mixed, form="hierarchical")["s"].value < 0.4


@pytest.mark.parametrize(
    ("classes", "t"),
    [
        (({"pos": 15, "neg": 25}, {"pos": 15, "neg": 45}), 0.075),
        (({"a": 5, "b": 22, "c": 3}, {"a": 12, "b": 47, "c": 1}), 1 / 18),
        (SKEW, 0.9305),
    ],
)
def test_closeness_tables_in_every_form(classes, t):
    # catalogue: D-04; a flat tree has equal distances
    names = {value: [value] for values in classes for value in values}
    flat = {"s": {"groups": names}}
    release = counted(*classes, hierarchies=flat)
    assert t_closeness(release)["s"].value == pytest.approx(t, abs=5e-5)
    assert t_closeness(release, form="hierarchical")["s"].value == pytest.approx(t, abs=5e-5)


def test_skewness():
    # catalogue: D-05: 48 of 49 in a class against 49 of 998 in the file: ℓ = 2 holds, the belief rises twentyfold
    release = counted(*SKEW)
    assert l_diversity(release)["s"].value == 2
    expected = (48 / 49) / (49 / 998)
    assert beta_likeness(release)["s"].value == pytest.approx(expected - 1)
    assert delta_disclosure(release)["s"].per_record.values()[0] == pytest.approx(
        max(np.log2(expected), np.log2((949 / 998) / (1 / 49)))
    )
    assert delta_disclosure(release)["s"].value > np.log2(expected)


def test_hierarchical_distance_of_the_disease_example():
    """The case that Li et al. (2007) argue with: a class of three stomach diseases is further away than one of mixed ones."""
    tree = {
        "respiratory": ["flu", "pneumonia", "bronchitis"],
        "digestive": ["gastric ulcer", "gastritis", "stomach cancer"],
    }
    stomach = {"gastric ulcer": 1, "gastritis": 1, "stomach cancer": 1}
    mixed = {"gastritis": 1, "flu": 1, "bronchitis": 1}
    rest = {"gastric ulcer": 1, "pneumonia": 1, "stomach cancer": 1}
    third = {"flu": 1, "pneumonia": 1, "bronchitis": 1}
    release = counted(stomach, mixed, rest, third, hierarchies={"s": {"groups": tree}})
    found = t_closeness(release, form="hierarchical")["s"].per_record.values()[::3]
    # Half of the mass crosses the root (1) from a class of one group; from 1:2 a sixth does, a third within (½).
    assert found == pytest.approx([1 / 2, 1 / 6 + 1 / 3 * 1 / 2, 1 / 6 + 1 / 3 * 1 / 2, 1 / 2])


def test_enhanced_likeness_and_absent_values_are_told_as_counts_not_as_infinity():
    release = counted({"x": 9, "y": 1}, {"x": 10})
    enhanced = beta_likeness(release, form="enhanced")["s"]
    assert enhanced.value == beta_likeness(release)["s"].value == pytest.approx(1)
    # x: q = 0.95, gain 0.0526 against −ln 0.95 = 0.0513
    assert (enhanced.facts["classes with a gain above -ln q"], enhanced.facts["records in them"]) == (1, 10)
    delta = delta_disclosure(release)["s"]
    assert delta.value == pytest.approx(1)
    assert (delta.facts["classes that lack a value"], delta.facts["records in them"]) == (1, 10)


def test_coalitions_subtract_what_they_know():
    # catalogue: B-07
    release = counted({"a": 3}, {"a": 3, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 2, "b": 1, "c": 1})
    found = {c: inference(release, coalition=c)["s"] for c in (0, 1, 2)}
    assert [found[c].value for c in found] == pytest.approx([3 / 17, 9 / 17, 1])
    facts = found[1].facts
    assert facts["classes open to an outsider"] == 1
    assert facts["classes open to a coalition of 1"] == 3
    assert facts["records open to a coalition of 1"] == 9
    assert facts["values that it learns"] == 3 + 3 + 1
    assert found[0].per_record.values().tolist() == [0] * 3 + [1] * 4 + [1] * 2 + [2] * 4 + [2] * 4


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(0, 3))
def test_a_coalition_learns_exactly_when_the_rest_share_a_value(classes, coalition):
    # catalogue: B-07, by trying every coalition
    from itertools import combinations

    def learnt(values):
        return any(
            len({values[i] for i in range(len(values)) if i not in members}) == 1
            for size in range(min(coalition, len(values) - 1) + 1)
            for members in combinations(range(len(values)), size)
        )

    frame = pl.DataFrame(
        [(str(i), v) for i, values in enumerate(classes) for v in values], schema=["q", "s"], orient="row"
    )
    facts = inference(Release(frame, quasi="q", confidential="s"), coalition=coalition)["s"].facts
    assert facts[f"classes open to a coalition of {coalition}"] == sum(map(learnt, classes))
    assert facts[f"records open to a coalition of {coalition}"] == sum(len(c) for c in classes if learnt(c))


def test_reference_numbers_of_sdcmicro(reference_data):
    """Its l-diversity of `hhcivil` and of the income decile on `testdata`, as sdcMicro 5.8.1 gives them."""
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    frame = pl.read_csv(reference_data / "testdata.csv")
    edges = np.quantile(frame["income"].to_numpy(), np.linspace(0, 1, 11))
    decile = np.clip(np.searchsorted(edges, frame["income"].to_numpy()), 1, 10)
    frame = frame.with_columns(incq=pl.Series(decile))
    release = Release(frame, quasi=keys, confidential=["hhcivil", "incq"], missing="own")

    def records(column, **form):
        return l_diversity(release, **form)[column].per_record.values()

    distinct, entropy = records("hhcivil"), records("hhcivil", form="entropy")
    assert (round(distinct.mean(), 6), (distinct < 2).sum(), (distinct < 3).sum()) == (1.694760, 2466, 3689)
    assert ((entropy < 2).sum(), round(entropy.mean(), 6)) == (4564, 1.106822)
    assert (records("hhcivil", form="recursive", c=2) < 2).sum() == 4564
    assert ((records("incq") < 2).sum(), (records("incq") < 3).sum()) == (171, 321)
    verdict = LDiversity(columns={"hhcivil": 2}, form="recursive", c=2).holds(release)
    assert (verdict.holds, verdict.failing_records) == (False, 4564)


def test_k_on_subsets_and_combinations():
    # catalogue: D-01 on chosen subsets of the keys
    frame = pl.DataFrame({"zip": list("aabb"), "sex": list("fmfm"), "age": list("xxxy")})
    release = Release(frame, quasi=["zip", "sex", "age"])
    assert k_anonymity(release).value == 1
    found = k_anonymity(release, subsets=[["zip"], ["sex"]])
    assert (found.value, found.facts["subsets"]) == (2, 2)
    assert k_anonymity(release, subsets=[["zip", "sex"], ["zip"]]).facts["worst subset"] == "zip, sex"
    single = k_anonymity(release, combinations=1)
    assert (single.value, single.facts["worst subset"], single.per_record.values().tolist()) == (1, "age", [2, 2, 2, 1])
    assert k_anonymity(release, combinations=3).value == k_anonymity(release).value


@pytest.mark.parametrize(
    ("make", "shows"),
    [
        (lambda: l_diversity(counted(FLU), form="round"), "form='round'"),
        (lambda: l_diversity(counted(FLU), form="recursive"), "needs c"),
        (lambda: l_diversity(counted(FLU), form="recursive", c=0), "c=0"),
        (lambda: l_diversity(counted(FLU), c=3), "c=3 belongs to recursive"),
        (lambda: t_closeness(counted(FLU), form="hierarchical"), "column 's' has no hierarchy"),
        (lambda: beta_likeness(counted(FLU), form="best"), "form='best'"),
        (lambda: inference(counted(FLU), coalition=-1), "coalition=-1"),
        (lambda: k_anonymity(counted(FLU), combinations=2), "combinations=2 is above the 1"),
        (lambda: k_anonymity(counted(FLU), subsets=[["s"]]), "column 's' is not a quasi-identifier"),
        (lambda: k_anonymity(counted(FLU), subsets=[["z"]]), "column 'z' is not in the table"),
        (lambda: k_anonymity(counted(FLU), subsets=[[]]), "is empty"),
    ],
)
def test_mistakes_are_named(make, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        make()
    assert shows in str(caught.value)


def test_too_many_subsets_are_told_before_the_work():
    frame = pl.DataFrame({f"c{i}": ["x"] for i in range(30)})
    with pytest.raises(TacitError, match="142,506 subsets"):
        k_anonymity(Release(frame, quasi=frame.columns), combinations=5)
