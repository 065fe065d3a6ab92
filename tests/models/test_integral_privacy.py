"""Integral privacy: what a verdict rests on, what an intruder learns without it, and mistakes. catalogue: D-09."""

from __future__ import annotations

import polars as pl
import pytest

import tacit
from tacit import Release, TacitError
from tacit.models.integral import (
    IntegralPrivacy,
    KMeans,
    Linear,
    Logistic,
    Moments,
    Tree,
    completions,
    enumerate_models,
    find_recurrent_models,
    read_model,
)

PAY = Release(pl.DataFrame({"pay": [10.0, 11.0, 12.0, 9.0, 10.0, 11.0, 12.0, 402.0]}))
LEARNER = Moments(on="pay", grid={"pay": 10})


def space(**options):
    return enumerate_models(PAY, LEARNER, sizes=2, **options)


def test_one_rich_person_is_in_every_generator_of_a_high_mean():
    usual, rich = space().candidates
    assert (usual.count, usual.common) == (21, 0) and (rich.count, rich.common) == (7, 1)
    asked = IntegralPrivacy(k=5)
    assert asked.holds(usual)
    assert IntegralPrivacy(k=21).holds(usual).margin == 0 and IntegralPrivacy(k=21).holds(usual)
    assert not IntegralPrivacy(k=22).holds(usual)
    verdict = asked.holds(rich)
    assert not verdict and verdict.found == 7 and verdict.failing_records == 1 and "sure of it" in verdict.notes[0]
    assert space().select_candidate(asked).key == usual.key
    assert space().select_candidate(IntegralPrivacy(k=22)) is None


def test_disjoint_generators_and_shares_are_asked_for_besides():
    usual = space().candidates[0]
    assert usual.family().size == 3 and usual.family().is_proven  # seven people make three pairs
    assert IntegralPrivacy(k=5, disjoint=3).holds(usual) and not IntegralPrivacy(k=5, disjoint=4).holds(usual)
    assert usual.share == pytest.approx(6 / 21)  # each of the seven is in six of the pairs
    assert IntegralPrivacy(k=5, share=0.29).holds(usual) and not IntegralPrivacy(k=5, share=0.28).holds(usual)


def test_whoever_knows_all_but_one_names_the_last_of_a_lonely_database():
    """A fine grid: every database has its own model, and the one unknown record is disclosed. catalogue: A-02."""
    pay = Release(pl.DataFrame({"pay": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]}))
    lonely = enumerate_models(pay, Moments(grid={"pay": 0.01}), sizes=3)
    assert all(one.count == 1 and one.common == 3 for one in lonely.candidates)
    rows = lonely.population.rows
    for one in lonely.candidates:
        members = rows[one.generators.matrix()[0]].tolist()
        found = completions(pay, one.model, known=members[:2])
        assert found.value == 1.0 and found.per_record.values().nonzero()[0].tolist() == members[2:]


def test_of_a_recurrent_model_the_last_record_is_one_of_many():
    usual = space().candidates[0]
    found = completions(PAY, usual.model, known=[0])
    assert found.value == pytest.approx(1 / 6) and found.facts["records that complete it"] == 6
    assert completions(PAY, usual.model, known=[7]).value == 0.0  # no database with the rich person gives it
    assert completions(PAY, space().candidates[1].model, known=[0]).value == 1.0
    tree = find_recurrent_models(
        RELEASE, Tree(target="ill", on="age", grid={"age": 20}), draws=8, sizes=4, held_out=0, seed=7
    )
    one = tree.candidates[0]
    known = tree.population.rows[one.generators.matrix()[0]].tolist()
    assert completions(RELEASE, one.model, known=known[:3]).per_record.values()[known[3]] == 1.0


def test_the_closer_databases_are_to_the_whole_the_more_they_share():
    """Seven of eight: no two can be disjoint, and most records are in all but one of them."""
    shares = [enumerate_models(PAY, LEARNER, sizes=size).candidates[0].overlap for size in (2, 4, 6)]
    assert shares == sorted(shares) and shares[0] < 0.3 and shares[-1] > 0.7
    assert enumerate_models(PAY, LEARNER, sizes=7).candidates[0].family().size == 1


PEOPLE = {
    "age": [20, 30, 40, 50, 60, 70, 80, 90, 25, 65],
    "ill": ["no", "no", "no", "yes", "yes", "yes", "yes", "no", "no", "yes"],
    "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
    "same": ["x"] * 10,
    "none": [None] * 10,
    "SECRETCELL": ["a"] * 9 + [None],
}
RELEASE = Release(pl.DataFrame(PEOPLE, schema_overrides={"none": pl.Float64}))


def drawn(learner, **options):
    return find_recurrent_models(RELEASE, learner, **({"draws": 3, "sizes": 4, "seed": 7} | options))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: drawn(Tree(target="same", on="age")), "'same' has one value only"),
        (lambda: drawn(Tree(target="none", on="age")), "'none'"),
        (lambda: drawn(Tree(target="ill", on="none")), "'none' has no value at all"),
        (lambda: drawn(Tree(target="pay", on="age")), "'pay' holds amounts"),
        (lambda: drawn(Tree(target="il")), "did you mean 'ill'"),
        (lambda: drawn(Tree(target="ill", on=["agee"])), "did you mean 'age'"),
        (lambda: drawn(Tree(target="ill", on=["ill"])), "is the target and a feature"),
        (lambda: drawn(Linear(target="ill", on="age")), "'ill' holds no amounts"),
        (lambda: drawn(Linear(target="none", on="age")), "'none' has no value at all"),
        (lambda: drawn(KMeans(clusters=2, on="ill")), "'ill' holds no amounts"),
        (lambda: drawn(Moments(on="ill")), "'ill' holds no amounts"),
        (lambda: drawn(KMeans(clusters=9, on="age"), held_out=0), "no database gave a model"),
        (lambda: drawn(Moments(on="age"), sizes=1), "no database gave a model"),
        (lambda: drawn(Moments(on="age"), sizes=11), "11 records cannot be drawn from 10"),
        (lambda: drawn(Moments(on="age"), sizes=0), "sizes=0"),
        (lambda: drawn(Moments(on="age"), sizes=[]), "no size"),
        (lambda: drawn(Moments(on="age"), sizes=2.5), "sizes=2.5"),
        (lambda: drawn(Moments(on="age"), draws=0), "draws=0"),
        (lambda: drawn(Moments(on="age"), held_out=1.0), "held_out=1.0"),
        (lambda: drawn(Moments(on="age"), held_out=0.95), "no two are left"),
        (lambda: drawn(Moments(on="age"), seed=-1), "seed"),
        (lambda: drawn("tree"), "'tree' is no learner"),
        (lambda: drawn(Tree), "Tree is no learner"),
        (lambda: drawn(Moments(on="age")).relax(-1), "delta=-1 is no distance"),
        (lambda: drawn(Moments(on="age")).relax(float("nan")), "is no distance"),
        (lambda: Tree(target="ill", depth=0), "depth=0"),
        (lambda: Tree(target="ill", leaf=0.5), "leaf=0.5"),
        (lambda: Tree(target="ill", grid={"age": 0}), "the step of 'age' is 0"),
        (lambda: Tree(target="ill", grid=5), "grid=5"),
        (lambda: Linear(target="pay", rounding=-1), "rounding is -1"),
        (lambda: Logistic(target="ill", ridge=0), "ridge is 0"),
        (lambda: KMeans(clusters=0), "clusters=0"),
        (lambda: IntegralPrivacy(k=1), "k=1"),
        (lambda: IntegralPrivacy(k=5, disjoint=0), "disjoint=0"),
        (lambda: IntegralPrivacy(k=5, share=0), "share=0"),
        (lambda: IntegralPrivacy(k=5).holds(RELEASE), "has no generators"),
        (lambda: find_recurrent_models(pl.DataFrame(PEOPLE), LEARNER, draws=1, seed=7), "is no release"),
        (lambda: enumerate_models(Release(pl.DataFrame({"x": range(60)})), Moments(), sizes=30), "too many to list"),
        (lambda: find_recurrent_models(RELEASE.take([0]), Moments(on="age"), draws=1, seed=7), "no two are left"),
        (lambda: completions(PAY, space().candidates[0].model, known=[99]), "row 99 is in no database"),
        (lambda: read_model({"format": "other"}), "no model"),
        (lambda: read_model("/no/such/file.json"), "cannot be read"),
    ],
)
def test_mistakes_are_answered_with_a_remedy_and_without_cells(call, said):
    with pytest.raises(TacitError, match="fix:") as caught:
        call()
    assert said in str(caught.value)


def test_logistic_tells_two_labels_apart():
    frame = pl.DataFrame({"age": [1, 2, 3], "town": ["Aa1", "Bb2", "Cc3"]})
    with pytest.raises(TacitError, match="has 3 labels") as caught:
        find_recurrent_models(Release(frame), Logistic(target="town"), draws=1, sizes=2, seed=7)
    assert "Aa1" not in str(caught.value)


def test_gaps_are_left_out_or_are_labels():
    frame = pl.DataFrame({"age": [1, None, 3, 4], "town": ["a", "b", None, "a"], "ill": ["y", "n", "y", None]})
    found = enumerate_models(Release(frame), Tree(target="ill", grid={"age": 1}), sizes=2).population
    assert found.left_out == 2 and sorted(found.rows.tolist()) == [0, 2]
    assert [feature.column for feature in found.design.features] == ["age", "town"]
    assert found.design.features[1].labels == ("a", "b", None)
    model = enumerate_models(Release(frame), Tree(target="ill", grid={"age": 1}), sizes=2).candidates[0].model
    assert model.predict(Release(frame)).tolist() == ["y"] * 4  # it asks nothing, so that no gap is in its way


def test_databases_of_one_label_give_no_odds():
    found = enumerate_models(RELEASE, Logistic(target="ill", on="age", grid={"age": 10}), sizes=2)
    assert found.without == 20 and found.looked == 45  # five and five: 10 pairs each of one label
    assert "without a model" in str(found)


def test_a_cancelled_search_says_so():
    from tacit.errors import Cancelled

    with pytest.raises(Cancelled):
        find_recurrent_models(PAY, LEARNER, draws=5, sizes=2, seed=7, progress=lambda *_: False)


def test_what_is_told_has_no_row_of_the_file():
    one = space().candidates[0]
    told = one.as_json()
    assert told["generators"] == 21 and told["records in all generators"] == 0
    assert told["disjoint generators"] == {"found": 3, "at most": 3}
    assert tacit.models.integral.IntegralPrivacy is IntegralPrivacy
    assert "21 of 28 databases" in str(one)
