"""One-to-one linkage: the least total, ties shared, files of any size. catalogue: C-04."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tacit import Release, TacitError
from tacit.attack import Distance, OneToOne
from tacit.attack import one_to_one as assigning
from tacit.claims import Scenario, Truth, judge
from tacit.kernels.nearest import NUMBER, Costs
from tacit.protect import Mdav, RankSwap


def release(frame: dict, **described) -> Release:
    table = pl.DataFrame(frame)
    return Release(table, quasi=list(table.columns), **described)


def numbers(values: np.ndarray) -> Release:
    return release({f"x{j}": values[:, j] for j in range(values.shape[1])})


def distances(masked: np.ndarray, original: np.ndarray) -> np.ndarray:
    return (((original[:, None] - masked) ** 2) / (2 * masked.var(0))).sum(2)


def total(claims, apart: np.ndarray) -> float:
    """The expected sum of the distances of all links."""
    chance = claims.chances()
    sum_ = 0.0
    for person, claim in enumerate(claims.claim_of):
        for place in range(claims.start[claim], claims.start[claim + 1]):
            rows = claims.group_of == claims.candidates[place]
            sum_ += chance[place] * apart[person, rows].sum()
    return sum_


def linked(claims) -> float:
    """The expected number of people with a link."""
    sizes = claims.group_sizes()[claims.candidates] * claims.chances()
    by_claim = np.add.reduceat(np.append(sizes, 0.0), claims.start[:-1]) * (np.diff(claims.start) > 0)
    return float(by_claim[claims.claim_of].sum())


# The least total, against the dense solution of SciPy


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_the_total_is_the_least_whichever_file_is_larger(seed, people, records, coarse):
    rng = np.random.default_rng(seed)
    mine, theirs = rng.normal(size=(people, 2)), rng.normal(size=(records, 2))
    if coarse:  # many twins and ties on both sides
        mine, theirs = np.round(mine), np.round(theirs)
    theirs[0, 0] += 3.0  # no column is constant
    theirs[-1, 1] -= 3.0
    if (theirs.var(0) < 1e-9).any():
        return
    claims = OneToOne().claims(numbers(theirs), Scenario.worst_case(numbers(mine)), seed=seed)
    apart = distances(theirs, mine)
    rows, columns = linear_sum_assignment(apart)
    assert total(claims, apart) == pytest.approx(apart[rows, columns].sum(), abs=1e-9)
    assert linked(claims) == pytest.approx(min(people, records))
    assert not claims.notes
    used = np.zeros(records)
    for claim, many in enumerate(np.bincount(claims.claim_of)):
        for place in range(claims.start[claim], claims.start[claim + 1]):
            used[claims.group_of == claims.candidates[place]] += many * claims.weights[place]
    assert (used <= 1 + 1e-9).all()  # no record serves two


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_growing_lists_end_at_the_same_total(noise, monkeypatch):
    """Four candidates at first and no complete list: the lists grow where somebody is left out, until nobody is."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(150, 2))
    queries = points + noise * rng.normal(size=points.shape)
    ones = np.ones(2)
    costs = Costs(np.full(2, NUMBER), ones, ones, ones)
    apart = ((queries[:, None] - points) ** 2).sum(2)
    best = apart[linear_sum_assignment(apart)].sum()
    monkeypatch.setattr(assigning, "FIRST", 4)
    monkeypatch.setattr(assigning, "ROUNDS", 100)
    monkeypatch.setattr(assigning, "LONGEST", 150 * 150 - 1)
    each = np.ones(150, dtype=np.int64)
    found = assigning.assign_one_to_one(points, queries, costs, supply=each, capacity=each, told=lambda _: None)
    assert found.left == 0
    assert (found.many * found.distance).sum() == pytest.approx(best)
    assert np.array_equal(np.sort(found.source), np.arange(150))
    assert np.array_equal(np.sort(found.place), np.arange(150))
    monkeypatch.setattr(assigning, "LONGEST", 0)
    cut = assigning.assign_one_to_one(points, queries, costs, supply=each, capacity=each, told=lambda _: None)
    assert (cut.left > 0) == (noise > 0.1)
    assert cut.many.sum() + cut.left == 150
    assert len(np.unique(cut.place)) == len(cut.place)


def test_who_is_left_out_is_counted_in_a_note(monkeypatch):
    rng = np.random.default_rng(5)
    mine = rng.normal(size=(80, 2))
    monkeypatch.setattr(assigning, "LONGEST", 0)
    monkeypatch.setattr(assigning, "FIRST", 2)
    theirs = numbers(mine + 0.5 * rng.normal(size=mine.shape))
    claims = OneToOne().claims(theirs, Scenario.worst_case(numbers(mine)))
    without = int((claims.set_sizes() == 0).sum())
    assert without > 0
    assert claims.notes == (f"{without} people have no link: what is nearest to them is nearer to others",)


# Power, and what is not possible


def test_one_to_one_finds_more_than_everybody_alone():
    """Noise of a known size: knowing that two people are not one record helps, here by more than a tenth."""
    rng = np.random.default_rng(6)
    mine = rng.normal(size=(600, 3))
    theirs = mine + 0.25 * rng.normal(size=mine.shape)
    truth, scenario = Truth.by_lineage(None, 600), Scenario.worst_case(numbers(mine))
    alone = judge(Distance().claims(numbers(theirs), scenario), truth).value
    together = judge(OneToOne().claims(numbers(theirs), scenario), truth).value
    assert together > 1.1 * alone > 0.3


def census(reference_data) -> Release:
    frame = pl.read_csv(reference_data / "census.csv").select(pl.selectors.numeric().cast(pl.Float64))
    return Release(frame, quasi=frame.columns)


def test_census_under_mdav_stays_below_one_third_whatever_the_order(reference_data):
    """sdcMicro's recordLinkage claims 55.65 % here, because its ties follow the order of the file."""
    original = census(reference_data)
    assert original.size == 1080
    masked = Mdav(columns=original.quasi, k=3).apply(original).release
    scenario = Scenario.worst_case(original)
    order = np.random.default_rng(0).permutation(original.size)
    for attack in (Distance(), OneToOne()):
        plain = judge(attack.claims(masked, scenario, seed=1), Truth.by_lineage(None, original.size))
        moved = judge(attack.claims(masked.take(order), scenario, seed=1), Truth.by_lineage(order, original.size))
        assert 0.25 < plain.value <= 1 / 3 + 1e-12
        assert moved.per_record.values() == pytest.approx(plain.per_record.values(), abs=1e-12)


def test_census_under_rank_swapping_is_found_more_often(reference_data):
    original = census(reference_data)
    masked = RankSwap(columns=original.quasi, percent=10).apply(original, seed=1).release
    scenario, truth = Scenario.worst_case(original), Truth.by_lineage(None, original.size)
    alone = judge(Distance().claims(masked, scenario), truth)
    together = judge(OneToOne().claims(masked, scenario), truth)
    assert together.interval[0] > alone.interval[1]


# Ties, order, seed


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=2, max_size=25), st.randoms())
def test_the_order_of_neither_file_matters(rows, random):
    x, word = zip(*rows, strict=True)
    original = release({"x": np.array(x, dtype=float), "word": list(word)})
    masked = original.with_columns({"x": np.array(x) // 2 * 2.0})
    size = len(rows)
    orders = [list(range(size)) for _ in range(2)]
    for order in orders:
        random.shuffle(order)
    plain = judge(OneToOne().claims(masked, Scenario.worst_case(original), seed=3), Truth.by_lineage(None, size))
    turned = OneToOne().claims(masked.take(orders[0]), Scenario.worst_case(original.take(orders[1])), seed=3)
    truth = Truth(released=np.array(orders[0]), intruder=np.array(orders[1]))
    again = judge(turned, truth).per_record.values()
    assert again == pytest.approx(plain.per_record.values()[orders[1]], abs=1e-12)


def test_ties_between_different_records_are_drawn():
    """Two people and two records in a cross: both assignments cost the same, and both come up."""
    original, masked = release({"x": [0.0, 4.0], "y": [0.0, 4.0]}), release({"x": [0.0, 4.0], "y": [4.0, 0.0]})
    first = [
        judge(OneToOne().claims(masked, Scenario.worst_case(original), seed=seed), Truth.by_lineage(None, 2)).value
        for seed in range(40)
    ]
    assert {0.0, 1.0} == set(first)
    assert 0.2 < np.mean(first) < 0.8


def test_a_person_more_than_records_leaves_somebody_without():
    original, masked = release({"x": [1.0, 1.1, 5.0]}), release({"x": [1.0, 5.0]})
    claims = OneToOne().claims(masked, Scenario.worst_case(original))
    assert claims.set_sizes().tolist() == [1, 0, 1]
    assert claims.scores[claims.claim_of[1]] == 0
    twins = OneToOne().claims(masked, Scenario.worst_case(release({"x": [1.0, 1.0, 5.0]})))
    result = judge(twins, Truth(released=np.array([0, 2]), intruder=np.arange(3)))
    assert result.per_record.values().tolist() == [0.5, 0.0, 1.0]


def test_words_gaps_and_ranges_are_assigned_in_both_directions():
    ages = np.arange(20, 40)
    original = Release(pl.DataFrame({"age": ages}), quasi="age", kinds={"age": "continuous"})
    shown = pl.Series([f"[{a}, {a + 4}]" for a in (ages // 5) * 5])
    masked = original.with_columns({"age": shown}).with_metadata(mixed=("age",))
    for people in (np.arange(20), np.concatenate([np.arange(20), np.arange(20)])):
        claims = OneToOne().claims(masked, Scenario.worst_case(original.take(people)))
        found = judge(claims, Truth(released=np.arange(20), intruder=people))
        assert found.value == pytest.approx(0.2 * 20 / len(people))
    gapped = release({"zip": ["A", None, "C"], "x": [1.0, 2.0, 3.0]}, missing="any")
    assert judge(OneToOne().claims(gapped, Scenario.worst_case(gapped)), Truth.by_lineage(None, 3)).value == 1.0


def test_scores_put_right_links_first():
    rng = np.random.default_rng(8)
    mine = rng.normal(size=(500, 3))
    claims = OneToOne().claims(numbers(mine + 0.3 * rng.normal(size=mine.shape)), Scenario.worst_case(numbers(mine)))
    right = judge(claims, Truth.by_lineage(None, 500)).per_record.values() > 0.5
    scores = claims.scores[claims.claim_of]
    assert ((scores >= 0) & (scores <= 1)).all()
    order = np.argsort(-scores)
    assert right[order[:100]].mean() > right.mean() + 0.15


def test_mistakes_are_named():
    original = release({"zip": ["A", "B"]})
    with pytest.raises(TacitError, match="linking one to one is not possible: the release has none"):
        OneToOne().claims(release({"age": [1.0, 2.0]}), Scenario.worst_case(original))
    with pytest.raises(TacitError, match="metric='cosine' is unknown"):
        OneToOne(metric="cosine")
    many = release({"x": np.zeros(200_001)})
    assert "more than 200,000 records" in str(OneToOne().applies(many, Scenario.worst_case(many)))
    same = OneToOne().claims(release({"x": [1.0, 1.0]}), Scenario.worst_case(release({"x": [1.0, 2.0]})))
    assert same.set_sizes().tolist() == [2, 2]
    assert same.notes == ("no column tells anybody apart",)
