"""Unicity against brute force, its interval against repeated draws, and its bad inputs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.risk import unicity

rows = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=20)


@given(rows, st.integers(1, 5))
def test_columns_by_brute_force(table, known):
    # C-08: mean over all sets of r columns of the share of records alone on them.
    frame = pl.DataFrame(table, schema=["a", "b", "c", "d"], orient="row")
    result = unicity(Release(frame, quasi=frame.columns), known=known)
    for r in range(1, min(known, 4) + 1):
        shares = []
        for columns in combinations(range(4), r):
            cells = [tuple(row[j] for j in columns) for row in table]
            often = Counter(cells)
            shares.append(sum(often[cell] == 1 for cell in cells) / len(table))
        assert result.facts[f"share given {r} column{'s' if r > 1 else ''}"] == pytest.approx(np.mean(shares))
    assert result.value == pytest.approx(np.mean(shares))
    assert result.interval is None
    assert result.per_record.values().mean() == pytest.approx(result.value)
    assert result.facts["least and greatest share"] == (min(shares), max(shares))


def test_a_draw_of_column_sets_has_an_interval_that_holds_the_truth():
    # C(14, 5) = 2002 sets, 500 drawn: the 95 % interval misses the mean over all sets in about 5 % of draws.
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{j}": rng.integers(0, 2 + j % 3, 150) for j in range(14)})
    release = Release(frame, quasi=frame.columns)
    table = frame.to_numpy()
    truth = np.mean(
        [
            (np.unique(table[:, columns], axis=0, return_counts=True)[1] == 1).sum() / 150
            for columns in combinations(range(14), 5)
        ]
    )
    hits = 0
    for seed in range(12):
        result = unicity(release, known=5, seed=seed)
        low, high = result.interval
        hits += low <= truth <= high
        assert high - low < 0.05
    assert hits >= 9  # 12 draws at 95 %: fewer than 9 has probability 0.0003
    with pytest.raises(TacitError, match="seed"):
        unicity(release, known=5)


events = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=25)


@given(events)
def test_all_points_by_brute_force(table):
    """With as many points known as anybody has, the draw does not matter: unique iff no other trace includes mine."""
    frame = pl.DataFrame(table, schema=["card", "shop", "day"], orient="row")
    result = unicity(Release(frame), person="card", points=["shop", "day"], known=9, seed=3)
    traces: dict[int, set[tuple[int, int]]] = {}
    for card, shop, day in table:
        traces.setdefault(card, set()).add((shop, day))
    unique = {card: not any(mine <= other for c, other in traces.items() if c != card) for card, mine in traces.items()}
    assert result.value == pytest.approx(np.mean(list(unique.values())))
    assert result.per_record.values().tolist() == [float(unique[card]) for card, _, _ in table]


@given(events)
def test_one_point_by_its_expectation(table):
    """The share given one point is, on average over draws, the mean share of points that nobody else has."""
    frame = pl.DataFrame(table, schema=["card", "shop", "day"], orient="row").unique(maintain_order=True)
    visitors = Counter((shop, day) for _, shop, day in frame.iter_rows())
    chance: dict[int, list[bool]] = {}
    for card, shop, day in frame.iter_rows():
        chance.setdefault(card, []).append(visitors[shop, day] == 1)
    sure = np.mean([all(own) for own in chance.values()])
    possible = np.mean([any(own) for own in chance.values()])
    result = unicity(Release(frame), person="card", points=["shop", "day"], known=1, seed=5)
    assert sure - 1e-12 <= result.value <= possible + 1e-12


def test_the_share_given_one_point_comes_out_over_many_people():
    # 4000 people with two points each, one shared by all: the draw hits the own one in half of the cases.
    people = np.repeat(np.arange(4000), 2)
    points = np.where(np.arange(8000) % 2 == 0, -1, people)
    release = Release(pl.DataFrame({"person": people, "place": points}))
    result = unicity(release, person="person", points="place", known=2, seed=11)
    given_one = result.facts["share given 1 point"]
    assert abs(given_one - 0.5) < 4 * 0.5 / np.sqrt(4000)  # four standard errors
    assert not abs(given_one - 0.6) < 4 * 0.5 / np.sqrt(4000)
    assert result.value == 1
    assert result.interval[0] > 0.99


def test_events_are_blind_to_row_order_and_leave_out_what_is_missing():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"card": rng.integers(0, 30, 300), "shop": rng.integers(0, 12, 300)}).with_columns(
        shop=pl.when(pl.int_range(300) % 10 > 0).then("shop")
    )
    release = Release(frame)
    order = rng.permutation(300)
    one = unicity(release, person="card", points="shop", known=3, seed=7)
    other = unicity(release.take(order), person="card", points="shop", known=3, seed=7)
    assert one.value == other.value
    assert np.array_equal(one.per_record.values()[order], other.per_record.values())
    assert one.facts["events left out"] == 30
    curve = [one.facts[f"share given {r} point{'s' if r > 1 else ''}"] for r in (1, 2, 3)]
    assert curve == sorted(curve)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known": 0}, "known=0"),
        ({"person": "card"}, "point"),
        ({"person": "crd", "points": "shop", "seed": 1}, "card"),
        ({"person": "card", "points": ["card"], "seed": 1}, "is the person"),
        ({"person": "card", "points": "shop"}, "seed"),
    ],
)
def test_wrong_parameters(options, said):
    with pytest.raises(TacitError, match=said):
        unicity(Release(pl.DataFrame({"card": [1, 2], "shop": [1, 1]})), **options)


def test_events_without_a_point():
    frame = pl.DataFrame({"card": [1, 2], "shop": [None, None]}, schema={"card": pl.Int64, "shop": pl.Int64})
    with pytest.raises(TacitError, match="no event"):
        unicity(Release(frame), person="card", points="shop", seed=1)
