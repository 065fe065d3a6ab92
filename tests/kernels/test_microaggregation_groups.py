import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Cancelled
from tacit.kernels.microaggregation import mdav
from tacit.kernels.univariate_groups import univariate_groups
from tacit.kernels.v_mdav import v_mdav
from tacit.protect._microaggregation.partition import partition_points

PUBLISHED = {
    "census": (5.692186, 9.088435, 14.155930),
    "tarragona": (16.932588, 22.461860, 33.192885),
    "eia": (0.591934, 1.587710, 3.269892),
    "eia with UTILITYID": (0.482939, 1.666675, 3.839670),
}
"""MDAV by sdcMicro 5.8.1, k = 3, 5, 10."""


def loss(points: np.ndarray, group: np.ndarray) -> float:
    """The sum of squares within groups."""
    return sum(float(np.square(points[group == g] - points[group == g].mean(axis=0)).sum()) for g in np.unique(group))


def reference(folder: Path, name: str) -> np.ndarray:
    """The columns of a reference file, divided by their standard deviation."""
    frame = pl.read_csv(folder / f"{name.split()[0]}.csv")
    if name.startswith("eia"):
        frame = frame[:, [0, *range(5, 15)] if "UTILITYID" in name else list(range(5, 15))]
    values = frame.to_numpy().astype(float)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0))


def mixture(n: int, seed: int) -> np.ndarray:
    """Clumps of several shapes, two columns skewed."""
    rng = np.random.default_rng(seed)
    clump, centre, shape = rng.integers(0, 8, n), rng.normal(0, 2, (8, 5)), rng.normal(0, 0.6, (8, 5, 5))
    points = centre[clump] + np.einsum("nij,nj->ni", shape[clump], rng.normal(size=(n, 5)))
    points[:, :2] = np.exp(points[:, :2] / 2)
    return (points - points.mean(axis=0)) / points.std(axis=0)


@pytest.mark.parametrize("name", PUBLISHED)
def test_mdav_loses_what_is_published(reference_data, name):  # catalogue: E-02
    points = reference(reference_data, name)
    total = np.square(points).sum()
    for k, published in zip((3, 5, 10), PUBLISHED[name], strict=True):
        assert f"{100 * loss(points, mdav(points, k)) / total:.6f}" == f"{published:.6f}"


def partitions(items: list[int], k: int):
    """All partitions into parts of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for chosen in range(1 << len(rest)):
        part = [first, *(item for place, item in enumerate(rest) if chosen >> place & 1)]
        if len(part) >= k:
            left = [item for place, item in enumerate(rest) if not chosen >> place & 1]
            yield from ([part, *more] for more in partitions(left, k))


@given(st.lists(st.floats(-100, 100).map(lambda x: round(x, 2)), min_size=1, max_size=8), st.integers(1, 3))
def test_no_partition_of_one_column_loses_less(values, k):  # catalogue: E-02
    k = min(k, len(values))
    x = np.array(values)
    group = univariate_groups(x, k)
    assert np.bincount(group).min() >= k
    assert np.bincount(group).max() < 2 * k
    least = min(
        sum(np.square(x[part] - x[part].mean()).sum() for part in parts) for parts in partitions(list(range(len(x))), k)
    )
    assert loss(x[:, None], group) == pytest.approx(least, abs=1e-9)


@given(st.integers(10, 300), st.integers(1, 6), st.integers(0, 2**32))
def test_the_loss_of_one_column_does_not_follow_order_or_place(n, k, seed):  # catalogue: E-02
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 2)
    least = loss(x[:, None], univariate_groups(x, k))
    assert loss(x[:, None], univariate_groups(x + 2**20, k)) == pytest.approx(least, rel=1e-6, abs=1e-9)
    mixed = rng.permutation(x)
    assert loss(mixed[:, None], univariate_groups(mixed, k)) == pytest.approx(least, rel=1e-9, abs=1e-12)


def test_one_far_value_does_not_blur_the_others():
    x = np.append(np.repeat([0.0, 1e-3, 2e-3], 3), [1e9, 1e9, 1e9])
    assert univariate_groups(x, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


points_with_ties = st.tuples(
    st.integers(1, 70), st.integers(1, 4), st.sampled_from([1, 2, 5, 1000]), st.integers(0, 2**32)
).map(lambda a: np.random.default_rng(a[3]).integers(0, a[2], size=a[:2]).astype(float))


@given(points_with_ties, st.integers(1, 12), st.sampled_from([0.0, 0.2, 1.1, 5.0]))
def test_groups_of_variable_size(points, k, gamma):  # catalogue: E-02
    k = min(k, len(points))
    sizes = np.bincount(v_mdav(points, k, gamma))
    assert sizes.sum() == len(points)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


def test_groups_grow_where_the_data_are_in_clumps():
    line = np.array([[0.0, 0], [1, 0], [2, 0], [3, 0], [50, 0], [51, 0], [52, 0], [53, 0], [54, 0]])
    assert sorted(np.bincount(v_mdav(line, 3, 1.1)).tolist()) == [4, 5]
    assert np.bincount(v_mdav(line, 3, 0.0)).tolist() == [3, 3, 3]


@given(points_with_ties, st.integers(1, 12), st.sampled_from(["normal", "normal", "normal", "high"]))
def test_every_group_has_k_members(points, k, effort):  # catalogue: E-02
    points = points[:20] if effort == "high" else points
    k = min(k, len(points))
    group = partition_points(points, k, effort=effort, rng=np.random.default_rng(1))
    sizes = np.bincount(group)
    assert len(group) == len(points)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert (partition_points(points, k, effort=effort, rng=np.random.default_rng(1)) == group).all()


@pytest.mark.parametrize("k", [1, 3, 40, 300])
def test_every_group_has_k_members_among_many(k):
    points = np.round(mixture(5000, k), 1)
    sizes = np.bincount(partition_points(points, k, rng=np.random.default_rng(1)))
    assert sizes.sum() == len(points)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k


def test_kernels_do_not_leave_their_arrays():
    """Without compilation, NumPy refuses a place that does not exist."""
    work = """
import numpy as np
from tacit.kernels.group_search import DRAWS, search_groups
from tacit.kernels.group_state import groups_of
from tacit.protect._microaggregation.partition import partition_points
rng = np.random.default_rng(1)
for k, values, n in ((2, 2, 60), (3, 3, 90)):  # many equal points
    group = partition_points(rng.integers(0, values, size=(n, 2)) ** 3.0, k, rng=rng)
    assert k <= np.bincount(group).min() <= np.bincount(group).max() < 2 * k
place = np.array([0, 0, 0, 9, *[9] * 11, 0, *[5] * 4], dtype=float)  # a group of 3k, before it is split, exchanges
points, group = np.column_stack([place, place]), np.array([0] * 4 + [1] * 12 + [2] * 4)
near = np.array([[j for j in range(20) if j != i] for i in range(20)], dtype=np.int32)
groups = groups_of(points, group, 4)
search_groups(groups, near, 4, 1, np.empty((0, DRAWS)), 0.0)
assert groups.label[[3, 15]].tolist() == [1, 0]
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", range(5))
def test_less_is_lost_than_by_mdav(seed):  # catalogue: E-02
    points = mixture(2000, seed)
    found, usual = partition_points(points, 5, rng=np.random.default_rng(seed)), mdav(points, 5)
    assert loss(points, found) < 0.93 * loss(points, usual)


@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
def test_less_is_lost_on_reference_data(reference_data, name):  # catalogue: E-02
    points = reference(reference_data, name)
    for k, published, share in zip((3, 5, 10), PUBLISHED[name], (0.66, 0.52, 0.62), strict=True):
        found = 100 * loss(points, partition_points(points, k, rng=np.random.default_rng(1))) / np.square(points).sum()
        assert found <= published * (share if name == "eia" else 0.93)


def test_more_effort_loses_less():
    points = mixture(300, 9)
    usual, high = (partition_points(points, 3, effort=e, rng=np.random.default_rng(1)) for e in ("normal", "high"))
    assert loss(points, high) < loss(points, usual)


def test_one_column_gets_the_optimum():
    x = np.random.default_rng(3).normal(size=100)
    assert (partition_points(x[:, None], 4, rng=np.random.default_rng(1)) == univariate_groups(x, 4)).all()


def test_work_is_told_and_can_be_cancelled():
    points, told = mixture(3000, 1), []
    partition_points(points, 3, rng=np.random.default_rng(1), progress=lambda step, share: told.append((step, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert {step for step, _ in told} >= {"near points", "improve", "trials"}
    with pytest.raises(Cancelled):
        partition_points(points, 3, rng=np.random.default_rng(1), progress=lambda step, share: step != "trials")
