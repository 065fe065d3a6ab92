from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from tacit.kernels.ranks import aimed_pairs, bucket_pairs, mix_ties, neighbour_pairs


def law(count: int, chances) -> dict[tuple[int, ...], float]:
    """Every outcome of the drawing as the catalogue words it, with its probability.

    ``chances(i, free)`` gives the partners that place i may draw among the free places above it, with their weights.
    """

    def outcomes(i: int, partner: tuple[int, ...], free: frozenset[int], chance: float):
        if i == count:
            yield partner, chance
            return
        drawn = chances(i, [j for j in range(i + 1, count) if j in free]) if i in free else {}
        if not drawn:
            yield from outcomes(i + 1, partner, free, chance)
            return
        for j, weight in drawn.items():
            swapped = list(partner)
            swapped[i], swapped[j] = j, i
            yield from outcomes(i + 1, tuple(swapped), free - {i, j}, chance * weight / sum(drawn.values()))

    start = tuple(range(count))
    found: Counter[tuple[int, ...]] = Counter()
    for partner, chance in outcomes(0, start, frozenset(start), 1.0):
        found[partner] += chance
    return dict(found)


def within(reach: int):
    return lambda i, free: {j: 1.0 for j in free if j <= i + reach}


def in_buckets(size: int):
    """The bucket with chance 2^−(s−r+1)/K over those with a free place, then a place of it uniformly."""

    def chances(i, free):
        inside = Counter(j // size for j in free)
        return {j: 2.0 ** -(j // size - i // size + 1) / inside[j // size] for j in free}

    return chances


def aimed(shifts):
    """The free place nearest to i + r, the higher of two, for a given law of r (shift → chance) that fits the end."""

    def chances(i, free):
        found: Counter[int] = Counter()
        for shift, chance in shifts(i).items():
            if free:
                found[min(free, key=lambda j: (abs(j - i - shift), -j))] += chance
        return dict(found)

    return chances


def distance(drawn: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    total = drawn.total()
    assert set(drawn) <= set(expected)
    return sum((drawn[outcome] - total * p) ** 2 / (total * p) for outcome, p in expected.items())


def test_pairs_follow_the_law_of_rank_swapping():  # catalogue: E-03
    expected = law(6, within(3))
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


def rejected_and_accepted(draw, expected, wrong):
    """The stated law passes with error 1e-6, and a law that leans 30 % to one outcome of the first place fails."""
    drawn = Counter(draw() for _ in range(30_000))
    bound = chi2.isf(1e-6, len(expected) - 1)
    assert distance(drawn, expected) < bound
    tilted = {outcome: p * (1.3 if wrong(outcome) else 1.0) for outcome, p in expected.items()}
    assert distance(drawn, {outcome: p / sum(tilted.values()) for outcome, p in tilted.items()}) > bound


def test_pairs_follow_the_law_of_buckets():  # catalogue: E-04
    rng = np.random.default_rng(12)
    rejected_and_accepted(
        lambda: tuple(bucket_pairs(7, 2, rng.random(3), rng.random(3)).tolist()),
        law(7, in_buckets(2)),
        lambda outcome: outcome[0] == 1,
    )


def test_pairs_follow_the_law_of_aims():  # catalogue: E-04
    rng = np.random.default_rng(13)

    def shifts(i):
        return dict.fromkeys(range(1, 7 - i), 1 / (6 - i)) if i < 6 else {1: 1.0}

    def draw():
        drawn = [int(rng.integers(1, 7 - i)) if i < 6 else 1 for i in range(7)]
        return tuple(aimed_pairs(7, np.array(drawn)).tolist())

    rejected_and_accepted(draw, law(7, aimed(shifts)), lambda outcome: outcome[0] == 1)


@given(st.integers(1, 200), st.integers(1, 220), st.integers(0, 2**32))
def test_every_form_pairs_all_but_the_odd_one(count, size, seed):
    rng = np.random.default_rng(seed)
    half = count // 2
    places = np.arange(count)
    for partner in (
        bucket_pairs(count, min(size, count), rng.random(half), rng.random(half)),
        aimed_pairs(count, np.minimum(rng.integers(1, size + 1, count), np.maximum(count - 1 - places, 1))),
    ):
        assert (partner[partner] == places).all()
        assert (partner == places).sum() == count % 2


def test_buckets_of_one_and_very_many_buckets():
    rng = np.random.default_rng(3)
    partner = bucket_pairs(10_001, 1, rng.random(5000), rng.random(5000))
    assert (partner == np.arange(10_001)).sum() == 1
    assert np.abs(partner - np.arange(10_001)).max() < 64


def test_ties_come_in_every_order_equally_often():
    rng = np.random.default_rng(4)
    equal = np.array([False, True, True, False])
    drawn = Counter()
    for _ in range(12_000):
        order = np.arange(5)
        mix_ties(order, equal, rng.random(2))
        drawn[tuple(order.tolist())] += 1
    assert all(found[0] == 0 and found[4] == 4 for found in drawn)
    assert len(drawn) == 6
    assert max(abs(count - 2000) for count in drawn.values()) < 5 * np.sqrt(2000)
