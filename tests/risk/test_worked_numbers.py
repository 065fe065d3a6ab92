"""The worked examples of the literature, to the printed digit."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.models import KAnonymity, LDiversity, TCloseness, Threshold
from tacit.risk import k_anonymity, l_diversity, sample_uniques, t_closeness


def counted(*classes: dict[str, int]) -> Release:
    """A release whose class i has the given counts of confidential values."""
    rows = [(f"class {i}", value) for i, values in enumerate(classes) for value, n in values.items() for _ in range(n)]
    return Release(pl.DataFrame(rows, schema=["q", "s"], orient="row"), quasi="q", confidential="s")


AGES = [("F", 23), ("F", 25), ("F", 33), ("F", 35), ("M", 27), ("M", 30), ("M", 32), ("NB", 21), ("NB", 25)]


@pytest.mark.parametrize(
    ("key", "k"),
    [
        (lambda g, a: g, 2),
        (lambda g, a: a, 1),
        (lambda g, a: (g, a // 10), 1),
        (lambda g, a: a // 10, 4),
    ],
)
def test_ages_and_genders(key, k):
    # catalogue: D-01
    keys = [str(key(gender, age)) for gender, age in AGES]
    assert k_anonymity(Release(pl.DataFrame({"key": keys}), quasi="key")).value == k


YEARS = "M1968 F1975 O1966 M1962 M1962 O1966 F1973 F1973 O1968 F1975".split()


@pytest.mark.parametrize(("cut", "k"), [(slice(0, 5), 1), (slice(0, 4), 3), (slice(1, 5), 2), (slice(1, 4), 4)])
def test_gender_and_birth_year(cut, k):
    # catalogue: D-01 (as is 1; hide last digit 3; hide gender 2; both 4)
    assert k_anonymity(Release(pl.DataFrame({"key": [year[cut] for year in YEARS]}), quasi="key")).value == k


def test_diversity_of_the_party_table():
    # catalogue: D-03: M196*: G,L,C; O196*: G,G,C; F197*: L,G,C,L → 3-anonymous, 2-diverse, t = 0.3
    release = counted({"G": 1, "L": 1, "C": 1}, {"G": 2, "C": 1}, {"L": 2, "G": 1, "C": 1})
    assert k_anonymity(release).value == 3
    assert l_diversity(release)["s"].value == 2
    assert t_closeness(release)["s"].value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("classes", "k", "l", "t"),
    [
        (({"pos": 15, "neg": 25}, {"pos": 15, "neg": 45}), 40, 2, 0.075),
        (({"a": 5, "b": 22, "c": 3}, {"a": 12, "b": 47, "c": 1}), 30, 3, 1 / 18),
        (({"pos": 48, "neg": 1}, {"pos": 1, "neg": 948}), 49, 2, 0.9305),
    ],
)
def test_closeness_tables(classes, k, l, t):  # noqa: E741
    # catalogue: D-04
    release = counted(*classes)
    assert k_anonymity(release).value == k
    assert l_diversity(release)["s"].value == l
    assert t_closeness(release)["s"].value == pytest.approx(t, abs=5e-5)


def test_p_sensitive_table():
    # catalogue: D-02: 3-sensitive, 6-anonymous, t = 0
    disease = {"Flu": 3, "Shingles": 1, "Acne": 2}
    release = counted(disease, disease)
    assert (k_anonymity(release).value, l_diversity(release)["s"].value) == (6, 3)
    assert t_closeness(release)["s"].value == pytest.approx(0, abs=1e-15)


def test_the_largest_difference_on_one_value_is_not_the_distance():
    # catalogue: D-04, slip: with four values ½Σ is twice the largest single difference
    release = counted({"a": 2, "b": 2}, {"c": 2, "d": 2})
    assert t_closeness(release)["s"].value == pytest.approx(0.5)


def test_ordered_distance_of_the_salary_example():
    """Li et al. 2007, example 3: salaries 3k…11k, class {3k, 4k, 5k} has D = 0.375, class {6k, 8k, 11k} 0.167."""
    salaries = pl.DataFrame({"q": list("aaabbbccc"), "s": [3.0, 4.0, 5.0, 6.0, 8.0, 11.0, 7.0, 9.0, 10.0]})
    values = t_closeness(Release(salaries, quasi="q", confidential="s"))["s"].per_record.values()
    assert values[0] == pytest.approx(0.375)
    assert values[3] == pytest.approx(0.167, abs=5e-4)


def test_uniques_and_models():
    # catalogue: C-02
    release = counted({"x": 1}, {"x": 1, "y": 1}, {"x": 3, "y": 2})
    uniques = sample_uniques(release)
    assert (uniques.value, uniques.facts["records in classes below 3"]) == (1, 3)
    verdict = KAnonymity(k=2).holds(release)
    assert not verdict
    assert (verdict.failing_classes, verdict.failing_records, verdict.margin) == (1, 1, -1)
    assert LDiversity(columns={"s": 1}).holds(release)
    assert not TCloseness(t=0.1).holds(release)
    assert Threshold(at_most=1).holds(uniques)
    assert not Threshold(at_least=2).holds(uniques)


def test_the_facts_of_uniques_count_classes_and_people():
    """Classes of 1, 1, 2, 4, 5 and 6 records; weights tell whom the two uniques stand for."""
    keys = [key for key, size in zip("abcdef", (1, 1, 2, 4, 5, 6), strict=True) for _ in range(size)]
    weights = [float(10 * (1 + "abcdef".index(key))) for key in keys]
    facts = sample_uniques(Release(pl.DataFrame({"q": keys, "w": weights}), quasi="q", weight="w")).facts
    assert facts["records in classes below 3"] == 4
    assert facts["records in classes below 5"] == 8
    assert facts["share of records"] == pytest.approx(2 / 19)
    assert facts["people behind them, by weight"] == 30.0


def test_k_above_n_does_not_hold_and_says_why():
    verdict = KAnonymity(k=9).holds(counted({"x": 3}))
    assert not verdict
    assert "above the 3 records" in verdict.notes[0]


@pytest.mark.parametrize(
    ("make", "shows"),
    [
        (lambda: KAnonymity(k=0), "k=0"),
        (lambda: KAnonymity(k=2.5), "k=2.5"),
        (lambda: LDiversity(), "no l is given"),
        (lambda: TCloseness(t=-0.1), "t=-0.1"),
        (lambda: Threshold(), "one bound"),
        (lambda: LDiversity(columns={"t": 2}).holds(counted({"x": 3})), "column 't'"),
        (lambda: l_diversity(Release(pl.DataFrame({"q": [1]}), quasi="q")), "confidential"),
        (lambda: t_closeness(counted({"x": 1}), form="round"), "round"),
    ],
)
def test_mistakes_are_named(make, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        make()
    assert shows in str(caught.value)
