"""From two files to inequalities: nothing that matters is left out, and who cannot be found is known (M-01)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.learning.all_pairs import nearest_outcome
from tacit.attack.learning.families import family_of
from tacit.attack.learning.learn import LearnedDistance, all_rivals, most_found, near_rivals, rows_of, with_rivals
from tacit.attack.learning.pairs import Pairs
from tacit.attack.learning.rows import found_by
from tacit.attack.learning.summary import distance_facts
from tacit.kernels.nearest import NUMBER, Costs
from tacit.kernels.undominated import undominated_rows


def numbers(seekers, places, own, many=None) -> Pairs:
    seekers, places = np.array(seekers, float), np.array(places, float)
    ones = np.ones(seekers.shape[1])
    return Pairs(seekers, places, np.array(own), Costs(np.full(len(ones), NUMBER), ones, ones, ones), many)


def grid(rng: np.random.Generator, *, seekers: int = 6, places: int = 8, columns: int = 3) -> Pairs:
    own = rng.integers(places, size=seekers)
    return numbers(rng.integers(4, size=(seekers, columns)), rng.integers(4, size=(places, columns)), own)


@given(st.integers(0, 10**6))
def test_only_rows_that_another_one_implies_are_dropped(seed):
    rng = np.random.default_rng(seed)
    values, start = rng.integers(-3, 4, size=(24, 3)).astype(float), np.array([0, 5, 5, 16, 24])
    kept = undominated_rows(values, start)
    for first, last in zip(start[:-1], start[1:], strict=True):
        mine, left = values[first:last], values[first:last][kept[first:last]]
        assert all((left <= row).all(axis=1).any() for row in mine), "a row that nothing implies was dropped"
        implied = [(left <= row).all(axis=1).sum() for row in left]
        assert implied == [1] * len(left), "a row was kept that another one implies"


@given(st.integers(0, 10**6))
def test_the_rows_that_are_left_find_whom_all_pairs_find(seed):
    rng = np.random.default_rng(seed)
    pairs = grid(rng)
    for name in ("weighted", "ordered"):
        family = family_of(name)
        rows = rows_of(pairs, family, all_rivals(pairs))
        for _ in range(5):
            p = rng.random(3) * (rng.random(3) < 0.8)
            if p.any():
                assert found_by(rows, p).tolist() == nearest_outcome(pairs, family, p).found.tolist()


@given(st.integers(0, 10**6))
def test_who_has_a_rival_like_its_own_is_lost(seed):
    pairs = grid(np.random.default_rng(seed), columns=2)
    rows = rows_of(pairs, family_of("bilinear"), all_rivals(pairs))
    alike = [(pairs.places == pairs.places[own]).all(axis=1).sum() > 1 for own in pairs.own]
    # A place on the other side, as far in every column, gives the same terms too.
    mirrored = [
        any(
            np.array_equal(np.outer(one - seeker, one - seeker), np.outer(own - seeker, own - seeker))
            for place, one in enumerate(pairs.places)
            if place != at
        )
        for seeker, own, at in zip(pairs.seekers, pairs.places[pairs.own], pairs.own, strict=True)
    ]
    assert rows.lost.tolist() == mirrored
    assert all(lost for lost, twin in zip(rows.lost, alike, strict=True) if twin)


def test_of_seekers_in_one_place_those_who_seek_the_same_are_found_together():
    places = [[0.0], [1.0], [2.0]]
    assert most_found(numbers([[5.0], [5.0], [5.0], [7.0]], places, [0, 0, 1, 2])) == 3
    assert most_found(numbers([[5.0], [6.0]], places, [0, 0])) == 2


def test_near_rivals_are_the_nearest_others_and_more_can_join():
    pairs = numbers([[0.0], [10.0]], [[0.0], [1.0], [2.0], [9.0], [11.5]], [0, 3])
    near = near_rivals(pairs, (np.ones(1),), 2)
    assert [near.places[a:b].tolist() for a, b in zip(near.start[:-1], near.start[1:], strict=True)] == [[1, 2], [2, 4]]
    more = with_rivals(pairs, near, np.array([0, 0]), np.array([4, 1]))
    assert more.places.tolist() == [1, 2, 4, 2, 4] and more.seekers.tolist() == [0, 0, 0, 1, 1]


def test_the_bound_takes_those_who_are_found_most_easily():
    """Two people alone at their places and two who share theirs with three others: at most three places are reached."""
    places = [[0.0], [1.0], [2.0], [3.0]]
    pairs = numbers(places, places, [0, 1, 2, 3], many=np.array([1, 1, 4, 4]))
    found = np.array([True, False, True, False])
    best = LearnedDistance(
        family=family_of("weighted"), parameters=np.ones(1), found=found, bound=3, cuts=0, seconds=0.0
    )
    said = distance_facts(best, pairs, ("x",), folds=5)
    assert said["resubstitution (upper bound)"] == pytest.approx((1 + 1 / 4) / 4)
    assert said["no such distance finds more than"] == pytest.approx((1 + 1 + 1 / 4) / 4)
