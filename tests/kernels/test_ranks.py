from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from tacit.kernels.ranks import neighbour_pairs


def law(count: int, reach: int) -> dict[tuple[int, ...], float]:
    """Every outcome of the drawing as the catalogue words it, with its probability."""

    def outcomes(i: int, partner: tuple[int, ...], free: frozenset[int], chance: float):
        if i == count:
            yield partner, chance
            return
        window = [j for j in range(i + 1, min(count, i + reach + 1)) if j in free]
        if i not in free or not window:
            yield from outcomes(i + 1, partner, free, chance)
            return
        for j in window:
            swapped = list(partner)
            swapped[i], swapped[j] = j, i
            yield from outcomes(i + 1, tuple(swapped), free - {i, j}, chance / len(window))

    start = tuple(range(count))
    found: Counter[tuple[int, ...]] = Counter()
    for partner, chance in outcomes(0, start, frozenset(start), 1.0):
        found[partner] += chance
    return dict(found)


def distance(drawn: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    total = drawn.total()
    assert set(drawn) <= set(expected)
    return sum((drawn[outcome] - total * p) ** 2 / (total * p) for outcome, p in expected.items())


def test_pairs_follow_the_law_of_rank_swapping():  # catalogue: E-03
    expected = law(6, 3)
    rng = np.random.default_rng(11)
    drawn = Counter(tuple(neighbour_pairs(6, 3, rng.random(3)).tolist()) for _ in range(30_000))
    bound = chi2.isf(1e-6, len(expected) - 1)  # error probability of this test
    assert distance(drawn, expected) < bound
    # the same counts under a law that always takes the nearest more often must be rejected
    tilted = {outcome: p * (1.3 if outcome[0] == 1 else 1.0) for outcome, p in expected.items()}
    norm = sum(tilted.values())
    assert distance(drawn, {outcome: p / norm for outcome, p in tilted.items()}) > bound


@given(st.integers(1, 200), st.integers(1, 220), st.integers(0, 2**32))
def test_pairs_are_an_involution_within_reach(count, reach, seed):
    partner = neighbour_pairs(count, reach, np.random.default_rng(seed).random(count // 2))
    places = np.arange(count)
    assert (partner[partner] == places).all()
    assert np.abs(partner - places).max() <= reach
    assert (partner == places).sum() == count % 2  # nobody stays but the odd one


def test_shifts_are_spread_over_the_whole_reach():
    partner = neighbour_pairs(100_000, 50, np.random.default_rng(5).random(50_000))
    shift = partner - np.arange(100_000)
    counts = np.bincount(shift[shift > 0], minlength=51)[1:]
    assert counts.min() > 0.4 * counts.mean() and counts.max() < 2.5 * counts.mean()
