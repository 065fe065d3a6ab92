from itertools import combinations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.loss import generalisation
from tacit.protect import KMember, from_json, to_json


def least(points: tuple[int, ...], k: int) -> float:
    """The least cost of groups of at least k of sorted numbers, by dynamic programming: groups are runs."""
    x = sorted(points)
    span = max(1, len(set(x)) - 1)
    rank = {value: place for place, value in enumerate(sorted(set(x)))}
    best = [0.0] + [np.inf] * len(x)
    for end in range(k, len(x) + 1):
        for start in range(end - k + 1):
            cost = (end - start) * (rank[x[end - 1]] - rank[x[start]]) / span
            best[end] = min(best[end], best[start] + cost)
    return best[-1] / len(x)


@given(points=st.lists(st.integers(0, 40), min_size=6, max_size=25, unique=True), k=st.integers(2, 4))
def test_in_one_column_it_is_close_to_the_best_there_is(points, k):  # catalogue: D-07
    release = Release(pl.DataFrame({"x": points}), quasi="x", kinds={"x": "continuous"})
    found = generalisation(release.protect(KMember(models={"k_anonymity": k})), original=release)["x"].value
    best = least(tuple(points), k)
    assert best - 1e-9 <= found <= 1.6 * best + 0.1


def exhaustive(rows: list[tuple[int, int]], k: int) -> float:
    """The least cost over all partitions of a few records of two columns with three values each."""

    def cost(group: tuple[int, ...]) -> float:
        values = [{rows[i][j] for i in group} for j in (0, 1)]
        return len(group) * sum((max(v) - min(v)) / 2 for v in values) / 2

    def best(left: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        if len(left) < k:
            return np.inf
        first, others = left[0], left[1:]
        found = np.inf
        for size in range(k - 1, len(others) + 1):
            for chosen in combinations(others, size):
                rest = tuple(i for i in others if i not in chosen)
                found = min(found, cost((first, *chosen)) + best(rest))
        return found

    return best(tuple(range(len(rows)))) / len(rows)


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=7), k=st.integers(2, 3))
def test_it_is_never_below_the_optimum_and_not_far_above(rows, k):
    full = [*rows, (0, 0), (1, 1), (2, 2)]
    frame = pl.DataFrame(full, schema=["x", "y"], orient="row")
    release = Release(frame, quasi=["x", "y"], kinds={"x": "continuous", "y": "continuous"})
    masked = release.protect(KMember(models={"k_anonymity": k}))
    found = np.mean([part.value for part in generalisation(masked, original=release)])
    if len(full) <= 8:
        best = exhaustive(full, k)
        assert best - 1e-9 <= found <= best + 0.25


def test_combinations_with_enough_records_stay_as_they_are():
    frame = pl.DataFrame({"x": [1] * 5 + [9, 10, 11], "y": ["a"] * 5 + ["b"] * 3})
    release = Release(frame, quasi=["x", "y"], kinds={"x": "continuous"})
    masked = release.protect(KMember(models={"k_anonymity": 3}))
    assert masked.to_native()["x"].to_list() == ["1"] * 5 + ["[9, 11]"] * 3
    assert masked.to_native()["y"].to_list() == frame["y"].to_list()


def test_it_is_a_value():
    method = KMember(models={"k_anonymity": 3, "l_diversity": {"columns": {"ill": 2}}}, labels="sets")
    assert from_json(to_json(method)) == method
    assert hash(from_json(to_json(method))) == hash(method)
