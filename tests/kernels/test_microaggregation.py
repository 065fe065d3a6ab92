import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.microaggregation import mdav


def slow_mdav(points: np.ndarray, k: int) -> list[set[int]]:
    """MDAV as it is described, in NumPy."""
    left, groups = list(range(len(points))), []

    def nearest(target):
        order = sorted(left, key=lambda i: ((points[i] - points[target]) ** 2).sum())
        for i in order[:k]:
            left.remove(i)
        groups.append(set(order[:k]))

    def farthest(target):
        return max(left, key=lambda i: ((points[i] - target) ** 2).sum())

    while len(left) >= 3 * k:
        r = farthest(points[left].mean(axis=0))
        s = farthest(points[r])
        nearest(r)
        nearest(s)
    if len(left) >= 2 * k:
        nearest(farthest(points[left].mean(axis=0)))
    return [*groups, set(left)] if left else groups


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [20, 21, 22, 61, 100])
def test_groups_are_those_of_the_description(n, k):  # catalogue: E-02
    points = np.random.default_rng(n * k).normal(size=(n, 3))
    group = mdav(points, k)
    found = [set(np.flatnonzero(group == g).tolist()) for g in range(group.max() + 1)]
    assert found == slow_mdav(points, k)


@given(st.integers(1, 80), st.integers(1, 10), st.integers(0, 2**32))
def test_group_sizes(n, k, seed):
    k = min(n, k)
    points = np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float)  # many ties
    sizes = np.bincount(mdav(points, k))
    assert sizes.sum() == n
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k
