"""The proven optimum of learned distances against brute force (M-01, M-02)."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacit.attack.learning.cover import Conflicts, Cover, Cut
from tacit.attack.learning.optimality import prove_optimum
from tacit.attack.learning.rows import Cone, Rows, found_by
from tacit.errors import Cancelled
from tacit.kernels.warm import CALLS


@pytest.fixture(scope="module", autouse=True)
def warmed():
    """Compiling is no part of the time that a proof is given."""
    for name in ("least_norm", "interval_stabbing"):
        CALLS[name]()


CONES = ["free", "nonnegative", "sides", "both"]


def cone_of(kind: str, size: int) -> Cone:
    sides = np.array([[1.0, -1.0] + [0.0] * (size - 2), [0.5, 2.0] + [-0.5] * (size - 2)])
    return Cone(size, nonnegative=kind in ("nonnegative", "both"), sides=sides if kind in ("sides", "both") else None)


def rows_from(values: np.ndarray, many: list[int], *, lost: list[int] | None = None, alike: tuple = ()) -> Rows:
    start = np.concatenate([[0], np.cumsum(many)])
    mask = np.zeros(len(many), dtype=bool)
    mask[lost or []] = True
    return Rows(values[: start[-1]], start, tuple(np.array(g) for g in alike), mask)


def margin(rows: Rows, cone: Cone, chosen: tuple[int, ...]) -> float:
    """The largest t with v·p ≥ t on all rows of the chosen, −1 ≤ p ≤ 1, p allowed: an independent linear program."""
    own = np.concatenate([np.arange(rows.start[i], rows.start[i + 1]) for i in chosen]).astype(int)
    values = rows.values[own]
    above = np.hstack([-values, np.ones((len(values), 1))])
    if cone.sides is not None:
        above = np.vstack([above, np.hstack([-cone.sides, np.zeros((len(cone.sides), 1))])])
    low = 0.0 if cone.nonnegative else -1.0
    limits = [(low, 1.0)] * rows.size + [(None, 1.0)]
    best = linprog(np.append(np.zeros(rows.size), -1.0), A_ub=above, b_ub=np.zeros(len(above)), bounds=limits)
    return float(-best.fun)


def optimum(rows: Rows, cone: Cone) -> int:
    """Every subset, the largest first."""
    free = [i for i in range(rows.seekers) if not rows.lost[i]]
    for size in range(len(free), 0, -1):
        for chosen in combinations(free, size):
            if all(len(set(chosen) & set(g.tolist())) <= 1 for g in rows.alike) and margin(rows, cone, chosen) > 1e-9:
                return size
    return 0


@st.composite
def instances(draw):
    """A few seekers with one to three small whole-number rows each, so that exact ties and conflicts are common."""
    size = draw(st.integers(2, 4))
    many = draw(st.lists(st.integers(1, 3), min_size=2, max_size=7))
    cells = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    values = np.array([draw(cells) for _ in range(sum(many))], dtype=float)
    start = np.concatenate([[0], np.cumsum(many)])
    zero = [i for i in range(len(many)) if not values[start[i] : start[i + 1]].any(axis=1).all()]
    return rows_from(values, many, lost=zero), draw(st.sampled_from(CONES))


@settings(deadline=None, max_examples=40)
@given(instances(), st.integers(0, 9))
def test_the_optimum_is_that_of_all_subsets(instance, seed):  # M-01
    rows, kind = instance
    cone = cone_of(kind, rows.size)
    start = np.full(rows.size, 1.0)
    start[0] = 2.0
    proof = prove_optimum(rows, cone, start, rng=np.random.default_rng(seed), seconds=5.0)
    assert proof.found == proof.bound == optimum(rows, cone)
    assert found_by(rows, proof.parameters).sum() == proof.found
    assert not cone.nonnegative or (proof.parameters >= 0).all()
    assert cone.sides is None or (cone.sides @ proof.parameters >= -1e-9).all()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_groups_and_the_lost_are_counted(seed):  # M-01
    """Seekers in one place with different targets: their rows exclude each other, with or without being told."""
    rng = np.random.default_rng(seed)
    values, many = [], []
    for _ in range(3):
        row = rng.normal(size=3)
        values += [row, rng.normal(size=3), -row, rng.normal(size=3)]
        many += [2, 2]
    rows = rows_from(np.array(values), many, lost=[4], alike=((0, 1), (2, 3), (4, 5)))
    untold = rows_from(np.array(values), many, lost=[4])
    best = optimum(rows, Cone(3))
    for one in (rows, untold):
        proof = prove_optimum(one, Cone(3), np.ones(3), rng=rng, seconds=5.0)
        assert (proof.found, proof.bound) == (best, best)


def sweep(rows: Rows, allowed=lambda p: True) -> int:
    """Two parameters: the count changes only where some row is nought, so look between all such angles."""
    edge = np.sort(
        np.concatenate([np.arctan2(-rows.values[:, 0], rows.values[:, 1]) + k * np.pi for k in (-1, 0, 1, 2)])
    )
    angles = (edge[1:] + edge[:-1])[np.diff(edge) > 1e-9] / 2
    points = [np.array([np.cos(a), np.sin(a)]) for a in angles]
    return max((int(found_by(rows, p).sum()) for p in points if allowed(p)), default=0)


@pytest.mark.parametrize("seed", range(6))
def test_two_parameters_are_swept(seed):  # M-01
    rng = np.random.default_rng(seed)
    rows = rows_from(rng.normal(size=(120, 2)) + np.array([0.4, 0.4]), [3] * 40)
    proof = prove_optimum(rows, Cone(2), np.ones(2), rng=rng, seconds=10.0)
    assert proof.found == proof.bound == sweep(rows)


def definite(p: np.ndarray) -> np.ndarray:
    """The eigenvectors on which the form (p₀, p₁; p₁, p₂) is negative, as rows."""
    values, vectors = np.linalg.eigh(np.array([[p[0], p[1] / 2], [p[1] / 2, p[2]]]))
    u = vectors[:, values < -1e-12 * np.abs(values).max()].T
    return np.column_stack([u[:, 0] ** 2, u[:, 0] * u[:, 1], u[:, 1] ** 2])


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_a_cone_without_a_list_of_sides(seed):  # M-02
    """Positive semidefinite 2 × 2 forms: against a dense grid of the cone and against a polyhedron that contains it."""
    rng = np.random.default_rng(seed)
    rows = rows_from(rng.normal(size=(16, 3)), [2] * 8)
    cone = Cone(3, beyond=definite)
    start = np.array([1.0, 0.0, 1.0])
    proof = prove_optimum(rows, cone, start, rng=rng, seconds=5.0)
    assert not len(definite(proof.parameters))
    angle, share = np.meshgrid(np.linspace(0, np.pi, 60), np.linspace(0, 1, 15))
    c, s, w = np.cos(angle).ravel(), np.sin(angle).ravel(), share.ravel()
    grid = np.column_stack([c * c + w * s * s, 2 * c * s * (1 - w), s * s + w * c * c])
    assert proof.bound >= max(found_by(rows, p).sum() for p in grid)
    turn = np.linspace(0, np.pi, 100)
    sides = np.column_stack([np.cos(turn) ** 2, np.cos(turn) * np.sin(turn), np.sin(turn) ** 2])
    wider = prove_optimum(rows, Cone(3, sides=sides), start, rng=rng, seconds=5.0)
    assert proof.found <= proof.bound <= wider.bound
    assert proof.gap == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.0, 0.05))
def test_no_parameters_find_more_than_the_bound(seed, seconds):  # M-01
    rng = np.random.default_rng(seed)
    rows = rows_from(rng.normal(size=(90, 4)) + 0.3, [3] * 30)
    cone = Cone(4, nonnegative=bool(seed % 2))
    proof = prove_optimum(rows, cone, np.ones(4), rng=rng, seconds=seconds)
    for _ in range(50):
        p = rng.normal(size=4)
        assert found_by(rows, np.abs(p) if cone.nonnegative else p).sum() <= proof.bound
    assert found_by(rows, np.ones(4)).sum() <= proof.found <= proof.bound <= rows.seekers


def test_no_time_gives_the_start_and_a_bound():
    rng = np.random.default_rng(3)
    rows = rows_from(rng.normal(size=(60, 3)), [2] * 30, lost=[7], alike=((0, 1, 2), (3, 4)))
    proof = prove_optimum(rows, Cone(3), np.ones(3), rng=rng, seconds=0.0)
    assert proof.found == found_by(rows, np.ones(3))[[i != 7 for i in range(30)]].sum()
    assert proof.bound == 30 - 1 - 2 - 1
    assert proof.cuts == 0
    assert (proof.parameters == 1).all()


def test_the_time_limit_holds_while_the_cover_is_solved():
    rng = np.random.default_rng(5)
    rows = rows_from(rng.normal(size=(600, 6)) + 0.1, [3] * 200)
    proof = prove_optimum(rows, Cone(6), np.ones(6), rng=rng, seconds=2.0)
    assert 2.0 <= proof.seconds < 4.0
    assert proof.found < proof.bound


def test_nothing_to_find():
    rng = np.random.default_rng(0)
    empty = Rows(np.empty((0, 2)), np.zeros(1, dtype=np.int64))
    assert prove_optimum(empty, Cone(2), np.ones(2), rng=rng, seconds=1.0).bound == 0
    # without rivals everybody is found
    alone = Rows(np.empty((0, 2)), np.zeros(4, dtype=np.int64))
    assert prove_optimum(alone, Cone(2), np.ones(2), rng=rng, seconds=1.0).found == 3


def test_a_listener_may_cancel():
    rng = np.random.default_rng(5)
    rows = rows_from(rng.normal(size=(90, 3)), [3] * 30)
    heard = []
    with pytest.raises(Cancelled):
        prove_optimum(
            rows, Cone(3), np.ones(3), rng=rng, seconds=5.0, progress=lambda step, share: heard.append(share) or False
        )
    assert heard


@settings(deadline=None, max_examples=40)
@given(instances())
def test_a_conflict_is_one_and_a_point_finds_all(instance):
    rows, kind = instance
    cone = cone_of(kind, rows.size)
    conflicts = Conflicts(rows, cone, np.ones(rows.size))
    verdict = conflicts.check_seekers(~conflicts.lost)
    asked = tuple(np.flatnonzero(~conflicts.lost).tolist())
    if verdict.point is not None:
        assert set(asked) <= set(np.flatnonzero(found_by(rows, conflicts.point_parameters(verdict.point))).tolist())
        return
    least = conflicts.minimise_conflict(verdict.subset, np.arange(rows.seekers))
    assert set(least) <= set(verdict.subset) <= set(asked)
    assert margin(rows, cone, least) <= 1e-7
    assert len(least) == 1 or all(margin(rows, cone, tuple(set(least) - {i})) > 1e-9 for i in least)


def test_a_solver_is_interrupted_and_its_listener_heard():
    rng = np.random.default_rng(0)
    cover = Cover(np.zeros(200, dtype=bool), ())
    for _ in range(600):
        cover.add(Cut(tuple(sorted(rng.choice(200, 12, replace=False).tolist()))))

    def cancel():
        raise Cancelled("was cancelled", fix="start it again")

    with pytest.raises(Cancelled):
        cover.solve_integer(np.ones(200), enough=0, stop=cancel)
    stopped = cover.solve_integer(np.ones(200), enough=0, stop=lambda: True)
    assert stopped.bound <= cover.round_solution(cover.solve_relaxation().failing, rng).sum()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_a_rounded_cover_meets_every_cut_and_none_fails_in_vain(seed):
    rng = np.random.default_rng(seed)
    lost = np.arange(20) == 19
    groups = (np.array([0, 1, 2]), np.array([3, 4]))
    cuts = [
        Cut(tuple(rng.choice(np.arange(5, 19), 3, replace=False).tolist()), ((), (0,), (0, 1))[k % 3])
        for k in range(20)
    ]
    cover = Cover(lost, groups)
    for cut in cuts:
        cover.add(cut)
    whole = cover.round_solution(cover.solve_relaxation().failing, rng)

    def meets(failing):
        told = all(failing[g].sum() >= len(g) - 1 for g in groups)
        return told and not any(cover.is_violated(cut, failing.astype(float)) for cut in cuts)

    assert whole[19]
    assert meets(whole)
    assert not any(meets(whole & (np.arange(20) != i)) for i in np.flatnonzero(whole & ~lost))
    assert (
        cover.solve_relaxation().lower_bound
        <= cover.solve_integer(whole, enough=0, stop=lambda: False).failing.sum()
        <= whole.sum()
    )


def test_a_cover_counts_groups_as_one():
    groups = (np.array([0, 1]), np.array([2, 3, 4]))
    cover = Cover(np.array([0, 0, 0, 0, 0, 0, 1], dtype=bool), groups)
    assert cover.solve_relaxation().lower_bound == 4
    assert cover.add(Cut((5,), (0, 1)))
    assert not cover.add(Cut((5,), (0, 1)))
    covered = cover.solve_relaxation()
    assert covered.lower_bound == 5
    assert cover.is_violated(Cut((), (0,)), covered.failing) == (covered.failing[:2].sum() < 2 - 1e-6)
    whole = cover.solve_integer(np.ones(7), enough=0, stop=lambda: False)
    assert whole.lower_bound == whole.failing.sum() == 5
