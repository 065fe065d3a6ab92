"""What is learnt about people, and how much of it because they are in the release. catalogue: B-04, B-07, B-09, D-05."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Masked, Release, TacitError
from tacit.attack import Lookup, People, infer, run_attacks
from tacit.attack._target import target_of, true_values, with_values
from tacit.attack._value_scoring import ABOVE, without_own
from tacit.attack.distance import Distance
from tacit.attack.lookup import likeliest_value, read_off
from tacit.attack.runner import NO_TRUTH
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Generalise, Mdav, Mondrian, RankSwap, Shuffle

EVERY = np.arange


def people(size: int, seed: int, *, rule: bool) -> Release:
    """Each alone with its age: the diagnosis follows from the sex, or from nothing at all."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], size)
    ill = np.where(sex == "f", "flu", "gout") if rule else rng.choice(["flu", "gout"], size)
    frame = pl.DataFrame({"sex": sex, "age": rng.normal(50, 10, size), "ill": ill})
    return Release(frame, quasi=["sex", "age"], confidential="ill")


def test_what_only_ones_own_record_tells_is_learnt_above_the_rest():
    r = people(400, 1, rule=False)
    found = infer(r, original=r, lineage=EVERY(400), attack="lookup", seed=1)["ill"]
    assert found.value == 1.0
    assert abs(found.facts["right by the rest of the people"] - 0.5) < 0.1
    low, high = found.facts[f"{ABOVE}, 95 % interval"]
    assert low < 0.5 < high and found.facts[ABOVE] > 0.4


def test_what_everybody_elses_records_tell_too_is_no_gain():
    r = people(400, 1, rule=True)
    found = infer(r, original=r, lineage=EVERY(400), knows="sex", attack="lookup", seed=1)["ill"]
    assert found.value == 1.0 and found.facts["right by the rest of the people"] == 1.0
    assert found.facts[ABOVE] == 0.0
    assert found.facts["best single guess"] < 0.6


def test_outsiders_are_guessed_as_well_when_a_rule_tells_and_worse_when_a_record_does():
    for rule, knows in ((True, "sex"), (False, None)):
        r, others = people(400, 1, rule=rule), people(400, 2, rule=rule)
        found = infer(r, original=r, lineage=EVERY(400), knows=knows, attack="lookup", control=others, seed=1)["ill"]
        low, high = found.facts["above the control, 95 % interval"]
        assert (low <= 0.0 <= high) == rule
        assert found.facts["control"] == pytest.approx(found.facts["right by the rest of the people"], abs=0.12)


def test_records_masked_together_tell_of_each_other_and_only_outsiders_show_it():
    """Pairs share a mean: the partner's masked record still tells half of the person, whose own one is not needed."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.normal(size=1200), "pay": rng.normal(size=1200)})
    whole = Release(frame, quasi="age", confidential="pay")
    r, control = whole.take(EVERY(800)), whole.take(np.arange(800, 1200))
    masked = r.protect(Mdav(columns=["age", "pay"], k=2), seed=1)
    found = infer(masked, original=r, knows="age", attack="lookup", control=control, percent=40, seed=1)["pay"]
    assert found.facts["above the control, 95 % interval"][0] > 0
    assert found.facts[ABOVE] < found.facts["above the control"] - 0.02


def test_a_class_that_shares_a_value_gives_it_away():  # catalogue: D-05
    frame = pl.DataFrame({"zip": ["N1"] * 3 + ["N2"] * 3, "ill": ["flu"] * 3 + ["gout", "acne", "cold"]})
    r = Release(frame, quasi="zip", confidential="ill")
    found = infer(r, original=r, lineage=EVERY(6), attack=Lookup(says="all"))["ill"]
    assert found.per_record.values() == pytest.approx([1, 1, 1, 1 / 3, 1 / 3, 1 / 3])


@given(st.data())
def test_reading_off_the_candidates_is_a_sum_over_them(data):
    size, seekers = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 6))
    zips = data.draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    ill = data.draw(st.lists(st.sampled_from(["flu", "gout", "acne", None]), min_size=size, max_size=size))
    if all(value is None for value in ill):
        ill[0] = "flu"
    asked = data.draw(st.lists(st.sampled_from("abc"), min_size=seekers, max_size=seekers))
    r = Release(
        pl.DataFrame({"zip": zips, "ill": ill}, schema={"zip": pl.String, "ill": pl.String}),
        quasi="zip",
        confidential="ill",
        missing="own",
    )
    scenario = Scenario(file=Release(pl.DataFrame({"zip": asked}), quasi="zip"), knows=("zip",))
    claims = read_off(Distance().claims(r, scenario), target_of(r, "ill"))
    dictionary = r.codes("ill").dictionary.to_list()
    for place, wanted in enumerate(asked):
        alike = [value for zip, value in zip(zips, ill, strict=True) if zip == wanted] or ill
        if len(set(zips)) == 1:
            alike = ill
        claim = claims.claim_numbers()[place]
        part = slice(claims.start[claim], claims.start[claim + 1])
        told = {dictionary[code]: share for code, share in zip(claims.codes[part], claims.shares[part], strict=True)}
        expected = {value: alike.count(value) / len(alike) for value in alike if value is not None}
        assert told == pytest.approx(expected)
        best = likeliest_value(claims)
        part = slice(best.start[claim], best.start[claim + 1])
        top = max(expected.values(), default=0)
        assert {dictionary[code] for code in best.codes[part]} == {v for v, share in expected.items() if share == top}
        assert best.shares[part].sum() == pytest.approx(1.0 if expected else 0.0)


def test_numbers_are_claimed_by_the_mean_of_the_candidates_or_one_by_one():
    frame = pl.DataFrame({"zip": ["a", "a", "b"], "pay": [10.0, 20.0, 99.0]})
    r = Release(frame, quasi="zip", confidential="pay")
    scenario = Scenario.worst_case(r)
    assert Lookup().claims(r, scenario).numbers.tolist() == [15.0, 99.0]
    every = Lookup(says="all").claims(r, scenario)
    assert (every.numbers.tolist(), every.shares.tolist()) == ([10.0, 20.0, 99.0], [0.5, 0.5, 1.0])


def test_a_number_counts_within_so_many_percent_of_the_deviation_of_the_true_values():
    frame = pl.DataFrame({"zip": list("abcd"), "pay": [0.0, 0.0, 10.0, 10.0]})  # standard deviation 5
    r = Release(frame, quasi="zip", confidential="pay", kinds={"pay": "continuous"})
    off = r.with_columns({"pay": np.array([0.5, 1.01, 9.0, 10.0])})
    found = infer(off, original=r, lineage=EVERY(4), attack="lookup", percent=10)["pay"]
    assert found.per_record.values().tolist() == [1.0, 0.0, 0.0, 1.0]
    assert infer(off, original=r, lineage=EVERY(4), attack="lookup", percent=20)["pay"].value == 0.75


def test_nobody_is_claimed_about_by_their_own_records():
    """Every value is a person's own: without the person's rows nobody can be right, however many rows it has."""
    ids = np.repeat(np.arange(30), 2)
    frame = pl.DataFrame({"zip": (ids % 5).astype(str), "age": ids.astype(float), "ill": [f"v{i:02d}" for i in ids]})
    r = Release(frame, quasi=["zip", "age"], confidential="ill")
    truth = with_values(Truth(released=ids, intruder=ids), r, r, "ill", percent=10)
    scenario = Scenario.worst_case(r)
    assert judge(Lookup().claims(r, scenario), truth).value == 1.0
    for folds in (2, 5, 30):
        claims = without_own(Lookup(column="ill"), r, scenario, truth, folds=folds, seed=folds)
        assert judge(claims, truth).value == 0.0


def test_codes_of_the_smaller_release_are_those_of_the_whole():
    """Two people are alike and alone have a value: what the other says of each is right, in every coding."""
    frame = pl.DataFrame({"zip": [f"z{i // 2:02d}" for i in range(40)], "ill": [f"v{i // 2:02d}" for i in range(40)]})
    r = Release(frame, quasi="zip", confidential="ill")
    truth = with_values(Truth(released=EVERY(40), intruder=EVERY(40)), r, r, "ill", percent=10)
    claims = without_own(Lookup(), r, Scenario.worst_case(r), truth, folds=40, seed=1)
    assert judge(claims, truth).value == 1.0


def test_people_whom_the_release_does_not_have_are_not_attacked():
    r = people(300, 1, rule=False)
    rows = np.random.default_rng(3).permutation(300)[:100]
    found = infer(Masked(r.take(rows), (), lineage=rows), original=r, attack="lookup", seed=1)["ill"]
    assert found.facts["records attacked"] == 100 and found.value == 1.0


def test_a_generalised_column_is_learnt_at_its_level():
    frame = people(300, 1, rule=False).to_native()
    ladder = {"groups": {"mild": ["flu"], "bad": ["gout"]}}
    r = Release(frame, quasi=["sex", "age"], confidential="ill", hierarchies={"ill": ladder})
    masked = r.protect(Generalise(levels={"ill": 1}))
    assert infer(masked, original=r, attack="lookup")["ill"].value == 1.0
    assert set(true_values(masked.release, r, "ill").tolist()) == {0, 1}


def test_masking_lowers_what_is_learnt_and_the_order_of_rows_tells_nothing():
    r = people(500, 1, rule=False)
    plain = infer(r, original=r, lineage=EVERY(500), attack="lookup", seed=1)["ill"]
    masked = r.protect(Mondrian(models={"k_anonymity": 10}), seed=1)
    found = infer(masked, original=r, attack="lookup", seed=1)["ill"]
    assert found.value < plain.value - 0.2
    again = infer(masked.then(Shuffle(), seed=5), original=r, attack="lookup", seed=1)["ill"]
    assert again.value == pytest.approx(found.value, abs=1e-9)


def test_a_value_that_was_swapped_is_judged_by_the_true_one():
    rng = np.random.default_rng(1)
    r = Release(pl.DataFrame({"id": rng.normal(size=400), "pay": rng.normal(size=400)}), quasi="id", confidential="pay")
    masked = r.protect(RankSwap(columns="pay", percent=50), seed=1)
    found = infer(masked, original=r, attack="lookup", percent=1)["pay"]
    assert found.value < 0.1


def test_the_same_guess_for_everybody_is_the_one_that_hits_most():
    """Between two heaps the mean is near to nobody: the guess is the larger heap, so that a model has to beat it."""
    pay = np.append(np.linspace(0, 1, 60), np.linspace(99, 100, 40))
    r = Release(pl.DataFrame({"age": np.arange(100.0), "pay": pay}), quasi="age", confidential="pay")
    found = infer(r, original=r, lineage=EVERY(100), attack="lookup", percent=10)["pay"]
    assert found.facts["best single guess"] == 0.6
    ill = ["flu"] * 3 + ["gout"] * 5 + ["acne"] * 4
    r = Release(pl.DataFrame({"age": np.arange(12.0), "ill": ill}), quasi="age", confidential="ill")
    assert infer(r, original=r, lineage=EVERY(12), attack="lookup")["ill"].facts["best single guess"] == 5 / 12


def test_the_same_seed_gives_the_same_figures():
    r = people(300, 1, rule=False)
    made = [infer(r, original=r, lineage=EVERY(300), attack="lookup", knows="sex", seed=seed)["ill"] for seed in (1, 1)]
    assert dict(made[0].facts) == dict(made[1].facts)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"column": "sex"}, "knows it already"),
        ({"column": "il"}, "did you mean 'ill'"),
        ({"percent": 0}, "percent=0"),
        ({"attack": "lokup"}, "did you mean 'lookup'"),
        ({"attack": Lookup(column="ill"), "knows": ["sex", "ill"]}, "knows it already"),
    ],
)
def test_mistakes_are_named(change, said):
    r = people(20, 1, rule=True)
    with pytest.raises(TacitError, match=said):
        infer(r, original=r, lineage=EVERY(20), **{"attack": "lookup", **change})


def test_files_that_do_not_fit_are_refused():
    r = people(20, 1, rule=True)
    with pytest.raises(TacitError, match="which released row is which"):
        infer(r.take(EVERY(10)), original=r, attack="lookup")
    with pytest.raises(TacitError, match="all cells of 'ill' are missing"):
        empty = r.with_columns({"ill": pl.Series([None] * 20, dtype=pl.String)})
        infer(empty, original=r, lineage=EVERY(20), attack="lookup")
    with pytest.raises(TacitError, match="no value in the release"):
        other = r.with_columns({"ill": np.array(["x", "y"] * 10)})
        infer(other, original=r, lineage=EVERY(20), attack="lookup")
    with pytest.raises(TacitError, match="people who are not in it"):
        infer(r, original=r, lineage=np.full(20, -1), attack="lookup")
    with pytest.raises(TacitError, match="which column is to be learnt"):
        bare = r.with_metadata(roles={**r.roles, "ill": "other"})
        infer(bare, original=bare, lineage=EVERY(20))
    unknown = People(truth=None, file=r, columns=("ill",))
    assert run_attacks(r, Scenario.worst_case(r), unknown, {"lookup": Lookup()})[0].why_not == NO_TRUTH
    with pytest.raises(TacitError, match="no attack that finds people"):
        Lookup(by="lookup")


def test_missing_values_are_neither_claimed_nor_judged():
    frame = pl.DataFrame({"zip": ["a", "a", "b", "b"], "ill": ["flu", None, "gout", None]})
    r = Release(frame, quasi="zip", confidential="ill")
    found = infer(r, original=r, lineage=EVERY(4), attack="lookup")["ill"]
    assert found.facts["records attacked"] == 2 and found.facts["value unknown"] == 2 and found.value == 1.0
