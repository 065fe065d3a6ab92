"""Declared sensitivities against the largest change over all small neighbouring data sets. Catalogue: H-01, H-02, H-03.

They must be reached: one that is too small would break the promise, one that is too large would waste it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tacit.dp import Bounds, Count, Histogram, Mean, Sum, Variance

SURE = 10**9
VALUES = (None, "x", -7.0, -2, 0.3, 3, float("inf"))
BOTH = ("add_remove", "replace")
NARROW, SHIFTED = Bounds(-2, 3), Bounds(2, 9)


def pairs(neighbours: str, values: tuple = VALUES) -> Iterator[tuple[list, list]]:
    """All neighbouring data sets of at most three records."""
    for size in (0, 1, 2):
        for data in product(values, repeat=size):
            for last in values:
                if neighbours == "add_remove":
                    yield list(data), [*data, last]
                else:
                    yield from (([*data, last], [*data, other]) for other in values)


@pytest.mark.parametrize("bounds", [NARROW, SHIFTED])
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_sum_moves_by_at_most_what_is_declared(neighbours, bounds):
    total = Sum(bounds=bounds, epsilon=SURE, neighbours=neighbours)
    known = {}

    def exact(data: list) -> int:
        key = tuple(map(str, data))
        if key not in known:
            known[key] = total.release(data).value
        return known[key]

    assert max(abs(exact(one) - exact(other)) for one, other in pairs(neighbours)) == total.noise.sensitivity


@pytest.mark.parametrize("bounds", [NARROW, SHIFTED])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("kind", [Mean, Variance])
def test_the_figures_of_a_mean_or_variance_move_by_at_most_what_is_declared(kind, neighbours, bounds):
    known = {}

    def exact(data: list) -> list[int]:
        key = tuple(map(str, data))
        if key not in known:
            size = {"size": len(data)} if neighbours == "replace" else {}
            moments = kind(bounds=bounds, epsilon=SURE, neighbours=neighbours, **size).moments
            number, total, squares = (int(one.value) for one in moments.release(data))
            known[key] = [total, *([squares] if kind is Variance else []), *([number] if not size else [])]
        return known[key]

    size = {"size": 1} if neighbours == "replace" else {}
    declared = [
        noise.steps for noise in kind(bounds=bounds, epsilon=1, neighbours=neighbours, **size).moments.mechanisms
    ]
    changes = [[abs(a - b) for a, b in zip(exact(one), exact(other), strict=True)] for one, other in pairs(neighbours)]
    assert [max(moved) for moved in zip(*changes, strict=True)] == declared


@pytest.mark.parametrize("neighbours", BOTH)
def test_counts_move_by_at_most_what_is_declared(neighbours):
    keys = ("a", "b")
    histogram = Histogram(keys=keys, epsilon=SURE, neighbours=neighbours)
    count = Count(epsilon=SURE, neighbours=neighbours)
    moved, counted = [], []
    for one, other in pairs(neighbours, ("a", "b", "z", None)):
        before, after = (histogram.release(data).value for data in (one, other))
        moved.append(sum(abs(before[key] - after[key]) for key in keys))
        counted.append(abs(count.release(one).value - count.release(other).value))
    assert max(moved) == histogram.noise.sensitivity
    assert max(counted) == count.noise.sensitivity == 1


@pytest.mark.parametrize("neighbours", BOTH)
def test_epsilon_is_shared_and_not_doubled(neighbours):
    size = {"size": 3} if neighbours == "replace" else {}
    for kind in (Mean, Variance):
        statistic = kind(bounds=NARROW, epsilon="0.7", neighbours=neighbours, **size)
        assert sum(event.cost.amount for event in statistic.events) == statistic.cost.amount
