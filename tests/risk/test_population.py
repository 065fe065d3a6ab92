"""Measures and models against a known population: the definitions, on small files."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Masked, Release, TacitError
from tacit.models.delta_presence import DeltaPresence
from tacit.models.demand import compile_demands
from tacit.models.k_map import KMap
from tacit.models.load import models_of
from tacit.protect import Generalise, RankSwap
from tacit.release.trace import to_plain_data
from tacit.risk import attackers, delta_presence, k_map, population_uniques

cell = st.sampled_from(["a", "b", "c", None])
people = st.lists(st.tuples(cell, cell), min_size=1, max_size=25)


def described(table, missing="own"):
    return Release(
        pl.DataFrame(table, schema={"p": pl.String, "q": pl.String}, orient="row"), quasi=["p", "q"], missing=missing
    )


def matching(row, table, missing):
    def agree(x, y):
        return x == y or (missing == "any" and None in (x, y))

    return sum(all(agree(x, y) for x, y in zip(row, other, strict=True)) for other in table)


@given(people, st.data(), st.sampled_from(["own", "any"]))
def test_counts_are_those_of_the_definition(table, data, missing):
    # catalogue: C-01 D-01
    chosen = data.draw(st.lists(st.sampled_from(range(len(table))), min_size=1, unique=True))
    sample = [table[i] for i in chosen]
    release, population = described(sample, missing), described(table, missing)
    f = [matching(row, sample, missing) for row in sample]
    big = [matching(row, table, missing) for row in sample]
    assert k_map(release, population=population).per_record.values().tolist() == big
    assert k_map(release, population=population).value == min(big)
    shares = [x / y for x, y in zip(f, big, strict=True)]
    present = delta_presence(release, population=population)
    assert present.per_record.values().tolist() == pytest.approx(shares)
    absent = sum(matching(row, sample, missing) == 0 for row in table)
    assert present.facts["people whose keys no record has"] == absent
    if missing == "own":
        assert present.facts["smallest presence"] == pytest.approx(0 if absent else min(shares))
    alone = [i for i in range(len(sample)) if f[i] == 1]
    result = population_uniques(release, population=population)
    assert result.value == pytest.approx(sum(big[i] == 1 for i in alone) / max(1, len(alone)))
    assert result.per_record.values().tolist() == big
    assert result.facts["records that this population cannot give"] == 0
    three = attackers(release, population=population)
    assert [part.value for part in three] == pytest.approx(
        [1 / min(f), 1 / min(big), sum(1 / x for x in big) / len(big)]
    )


@given(people, st.data(), st.integers(1, 4), st.floats(0, 1))
def test_models_hold_when_the_definition_does(table, data, k, high):
    chosen = data.draw(st.lists(st.sampled_from(range(len(table))), min_size=1, unique=True))
    low = data.draw(st.sampled_from([0.0, high / 2]))
    sample = [table[i] for i in chosen]
    release, population = described(sample), described(table)
    behind = [table.count(row) for row in sample]
    verdict = KMap(k=k).holds(release, population=population)
    assert bool(verdict) == (min(behind) >= k)
    assert verdict.failing_records == sum(size < k for size in behind)
    shares = [sample.count(row) / table.count(row) for row in table]
    verdict = DeltaPresence(high=high, low=low).holds(release, population=population)
    assert bool(verdict) == all(low - 1e-12 <= share <= high + 1e-12 for share in shares)
    assert bool(verdict) == (verdict.margin >= -1e-12)


def test_the_demands_of_the_models_reach_the_searches():
    town = described([("a", "a")] * 3 + [("b", "b")] * 2)
    laid = compile_demands(
        town.take(np.array([0, 3])).with_metadata(population=town), [KMap(k=2), DeltaPresence(high=0.5, low=0.1)]
    )
    assert (laid.rules.mapped, laid.rules.low, laid.rules.high, laid.is_monotone) == (2, 0.1, 0.5, False)
    assert sorted(laid.cells.population.tolist()) == [2, 3]
    assert compile_demands(town.with_metadata(population=town), [KMap(k=2)]).is_monotone


ZIPS = {"table": {"10001": ["100", "1"], "10002": ["100", "1"], "20001": ["200", "2"], "20002": ["200", "2"]}}


def test_the_population_is_brought_to_the_levels_of_the_release():
    frame = pl.DataFrame({"zip": ["10001", "10001", "10002", "20001", "20002"], "age": [1, 2, 2, 3, 3]})
    town = Release(frame, quasi=["zip", "age"], hierarchies={"zip": ZIPS}, kinds={"age": "continuous"})
    sample = town.take(np.array([0, 2, 3]))
    coarse = sample.protect(Generalise(levels={"zip": 1}))
    assert k_map(sample, population=town).per_record.values().tolist() == [1, 1, 1]
    # the second person of 10001 and the one of 10002 both are (100, 2); 20001 and 20002 both (200, 3)
    assert k_map(coarse, population=town).per_record.values().tolist() == [1, 2, 2]
    top = sample.protect(Generalise(levels={"zip": 3}))
    assert k_map(top, population=town).per_record.values().tolist() == [1, 2, 2]
    both = town.protect(Generalise(levels={"zip": 1}))
    assert k_map(coarse, population=both).per_record.values().tolist() == [1, 2, 2]
    with pytest.raises(TacitError, match="level 3"):
        k_map(top, population=both)


def test_numbers_and_texts_meet_as_they_are_written():
    sample = Release(pl.DataFrame({"age": ["1", "2"]}), quasi="age")
    town = Release(pl.DataFrame({"age": [1, 2, 2]}), quasi="age")
    assert k_map(sample, population=town).per_record.values().tolist() == [1, 2]
    floats = Release(pl.DataFrame({"age": [1.0, 2.0]}), quasi="age")
    assert k_map(floats, population=town).per_record.values().tolist() == [1, 2]


def test_what_no_sample_can_be_is_told():
    town = Release(pl.DataFrame({"k": ["a", "b", "b"]}), quasi="k")
    foreign = Release(pl.DataFrame({"k": ["a", "a", "c", "b"]}), quasi="k")
    result = population_uniques(foreign, population=town)
    assert result.facts["records that this population cannot give"] == 3
    assert k_map(foreign, population=town).facts["records with nobody behind them"] == 1
    assert delta_presence(foreign, population=town).value == 1.0
    swapped = Release(pl.DataFrame({"age": np.arange(40.0)}), quasi="age", kinds={"age": "continuous"})
    masked = swapped.protect(RankSwap(columns="age", percent=10), seed=1)
    with pytest.raises(TacitError, match="(?s)'age' was perturbed by rank_swap.*attack"):
        population_uniques(masked, population=swapped)
    invented = Masked(town.take(np.array([0, 1])), (), lineage=np.array([0, -1]))
    with pytest.raises(TacitError, match="1 records of the release were invented"):
        population_uniques(invented, population=town)


def test_attackers_on_the_reference_file(reference_data):
    # catalogue: C-01; ARX 3.9.2 on Adult: prosecutor average, share of records above 0.2
    frame = pl.read_csv(reference_data / "adult" / "adult.csv", separator=";")
    printed = {
        tuple(frame.columns): (0.6465751608, 0.7781314236),
        ("sex", "age", "race"): (0.01750547046, 0.01409057755),
        ("sex", "age", "race", "marital-status", "education"): (0.2013129103, 0.2495855712),
        ("sex", "age", "race", "marital-status", "education", "native-country"): (0.2534646244, 0.3009747364),
        tuple(name for name in frame.columns if name != "salary-class"): (0.6003912207, 0.7286320536),
    }
    for quasi, (average, above) in printed.items():
        prosecutor, journalist, marketer = attackers(Release(frame, quasi=quasi))
        assert float(f"{prosecutor.facts['average']:.10g}") == average
        assert float(f"{prosecutor.facts['share of records above 0.2']:.10g}") == above
        assert prosecutor.value == journalist.value == 1.0
        assert marketer.value == prosecutor.facts["average"]


def test_attackers_on_a_lazy_engine():
    duckdb = pytest.importorskip("duckdb")
    lazy = Release(duckdb.connect().sql("SELECT unnest([1, 1, 1, 2, 2, 3]) AS k"), quasi="k")
    assert [part.value for part in attackers(lazy)] == pytest.approx([1.0, 1.0, 0.5])
    with pytest.raises(TacitError, match="polars"):
        k_map(lazy, population=Release(pl.DataFrame({"k": [1]}), quasi="k"))


@pytest.mark.parametrize(
    ("make", "shows"),
    [
        (lambda: KMap(k=2).holds(described([("a", "a")])), "population=tacit.read"),
        (lambda: DeltaPresence(high=1).holds(described([("a", "a")])), "population=tacit.read"),
        (lambda: KMap(k=0), "k=0"),
        (lambda: DeltaPresence(high=1.2), "high=1.2"),
        (lambda: DeltaPresence(high=0.2, low=0.4), "low=0.4 is above"),
        (lambda: k_map(described([("a", "a")]), population=described([("a", "a")]).select("p")), "column 'q'"),
        (lambda: k_map(described([("a", "a")]), population=pl.DataFrame({"p": ["a"]})), "is no release"),
        (lambda: k_map(described([("a", "a")], None), population=described([("a", None)])), "missing='own'"),
        (
            lambda: k_map(described([("a", "a")]).with_metadata(mixed=("q",)), population=described([("a", "a")])),
            "column 'q' was recoded locally",
        ),
        (lambda: attackers(described([("a", "a")]), threshold=2), "threshold=2"),
        (lambda: k_map(described([("a", "a")]), population=described([])), "the population has no rows"),
    ],
)
def test_mistakes_are_named(make, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        make()
    assert shows in str(caught.value)


def test_values_that_the_hierarchy_lacks_are_pointed_at_not_shown():
    town = Release(pl.DataFrame({"zip": ["10001", "SECRET"]}), quasi="zip")
    sample = Release(pl.DataFrame({"zip": ["10001"]}), quasi="zip", hierarchies={"zip": ZIPS})
    with pytest.raises(TacitError, match="row 2 of the population") as caught:
        k_map(sample.protect(Generalise(levels={"zip": 1})), population=town)
    assert "SECRET" not in str(caught.value)


def test_k_above_the_population_is_told():
    town = described([("a", "a")])
    assert "above the 1 people" in KMap(k=5).holds(town, population=town).notes[0]
    absent = DeltaPresence(high=1, low=0.1).holds(town, population=described([("a", "a"), ("b", "b")]))
    assert not absent
    assert "1 people" in absent.notes[0]


@pytest.mark.parametrize("model", [KMap(k=3), DeltaPresence(high=0.5), DeltaPresence(high=0.5, low=0.25)])
def test_models_are_values_that_survive_json(model):
    again = models_of([json.loads(json.dumps(to_plain_data(model)))])
    assert again == (model,)
    assert hash(again[0]) == hash(model)
    assert models_of({"k_map": 3, "delta_presence": 0.5}) == (KMap(k=3), DeltaPresence(high=0.5))


def agree(record, person):
    return all(x == y or x is None or y is None for x, y in zip(record, person, strict=True))


def chances(sample, people):
    """By enumeration: the share of the assignments of records to different people in which each person has one."""
    homes = [[i for i, person in enumerate(people) if agree(record, person)] for record in sample]
    taken = [()]
    for home in homes:
        taken = [(*used, i) for used in taken for i in home if i not in used]
    return np.array([sum(i in used for used in taken) for i in range(len(people))]) / len(taken)


def with_gaps(rng, people, share):
    return [tuple(None if rng.random() < share else value for value in person) for person in people]


def test_presence_is_bounded_by_the_count_of_all_assignments():
    # catalogue: D-01
    rng = np.random.default_rng(6)
    slack = []
    for case in range(70):
        people = [tuple(str(value) for value in rng.integers(0, 3, 2)) for _ in range(rng.integers(2, 7))]
        people = with_gaps(rng, people, 0.2 * (case % 2))
        chosen = rng.permutation(len(people))[: rng.integers(1, len(people) + 1)]
        sample = with_gaps(rng, [people[i] for i in chosen], 0.3)
        true = chances(sample, people)
        found = delta_presence(described(sample, "any"), population=described(people, "any"))
        assert found.value >= true.max() - 1e-12
        assert found.facts["smallest presence"] <= true.min() + 1e-12
        slack.append((found.value - true.max(), true.min() - found.facts["smallest presence"]))
        high, low = float(min(1, true.max())), float(true.min())
        assert (
            not DeltaPresence(high=1, low=min(1, low + 0.01)).holds(
                described(sample, "any"), population=described(people, "any")
            )
            or low >= 1
        )
        if high > 0.02:
            assert not DeltaPresence(high=high - 0.01).holds(
                described(sample, "any"), population=described(people, "any")
            )
    assert np.mean(slack) < 0.1, "bounds that say nothing would pass, too"


def test_a_lower_bound_on_presence_is_not_met_by_records_that_could_be_others():
    sample = described([("1", "1"), ("0", None), ("2", "2"), (None, "1")], "any")
    town = described([("2", "1"), ("0", "0"), ("1", "1"), ("1", "1"), ("2", "2")], "any")
    assert delta_presence(sample, population=town).facts["smallest presence"] == pytest.approx(0.5)
    verdict = DeltaPresence(high=1, low=0.9).holds(sample, population=town)
    assert not verdict
    assert (verdict.found, verdict.failing_records) == (pytest.approx(0.5), 2)
    assert DeltaPresence(high=1, low=0.5).holds(sample, population=town)
