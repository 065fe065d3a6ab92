"""The fast search for the distance that finds most people (M-01), against brute force and its own promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.attack.learning.local_search import climb_parameters
from tacit.attack.learning.rows import Cone, Rows, found_by


def random_rows(rng: np.random.Generator, seekers: int, rivals: int, size: int, *, whole: bool = True) -> Rows:
    """Each seeker a few rivals, some none; whole numbers make ties and empty rows."""
    counts = rng.integers(0, rivals + 1, size=seekers)
    shape = int(counts.sum()), size
    values = rng.integers(-4, 5, size=shape).astype(np.float64) if whole else rng.normal(size=shape) + 0.3
    lost = np.zeros(seekers, dtype=bool)
    lost[np.repeat(np.arange(seekers), counts)[~values.any(axis=1)]] = True
    return Rows(values, np.append(0, np.cumsum(counts)), (), lost)


def best_of_the_circle(rows: Rows, *, nonnegative: bool) -> int:
    """Two parameters are an angle; who is found changes only where a row is zero."""
    turns = [np.arctan2(v[0], -v[1]) + half for v in rows.values for half in (0.0, np.pi)]
    turns = sorted({round(turn % (2 * np.pi), 12) for turn in [*turns, 0.0, np.pi / 2, np.pi, 3 * np.pi / 2]})
    middles = [(a + b) / 2 for a, b in pairwise([*turns, turns[0] + 2 * np.pi])]
    points = [np.array([np.cos(a), np.sin(a)]) for a in middles]
    points += [np.eye(2)[0], np.eye(2)[1]]  # on the edge of what is allowed as many may be found, not more
    return max(found_by(rows, p).sum() for p in points if not nonnegative or (p >= 0).all())


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_two_parameters_are_climbed_to_the_top_of_the_circle(seed: int, nonnegative: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, int(rng.integers(1, 12)), 3, 2)
    best = climb_parameters(rows, Cone(2, nonnegative=nonnegative), [np.ones(2)], rng=rng, seconds=5)
    assert best.found.sum() == best_of_the_circle(rows, nonnegative=nonnegative)
    assert (best.found == found_by(rows, best.parameters)).all()


def ring(size: int) -> np.ndarray:
    """Each parameter at least half of the next: a cone with sides that are not the axes."""
    return np.eye(size) - 0.5 * np.roll(np.eye(size), 1, axis=1)


def ball(p: np.ndarray, d: np.ndarray) -> tuple[float, float]:
    """Where p + t·d stays within 60° of the diagonal, by its roots."""
    axis = np.ones(len(p)) / np.sqrt(len(p))
    # (axis·x)² ≥ x·x/4 and axis·x ≥ 0
    a, b, c = (d @ axis) ** 2 - d @ d / 4, 2 * ((d @ axis) * (p @ axis) - d @ p / 4), (p @ axis) ** 2 - p @ p / 4
    ends = np.roots([a, b, c])
    ends = ends[np.isreal(ends)].real
    forward = [t for t in ends if (p + t * d) @ axis >= -1e-9]
    return max([t for t in forward if t <= 0], default=-np.inf), min([t for t in forward if t >= 0], default=np.inf)


@pytest.mark.parametrize("kind", ["free", "nonnegative", "sides", "span"])
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_cone_is_kept_and_no_start_is_better(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 6))
    rows = random_rows(rng, 15, 4, size, whole=False)
    cone = {
        "free": Cone(size),
        "nonnegative": Cone(size, nonnegative=True),
        "sides": Cone(size, sides=ring(size)),
        "span": Cone(size, span=ball),
    }[kind]
    starts = [np.ones(size), np.ones(size) + rng.uniform(-0.1, 0.1, size)]
    best = climb_parameters(rows, cone, starts, rng=rng, seconds=0.2 if kind == "span" else 5)
    p = best.parameters
    assert np.abs(p).max() == pytest.approx(1)
    assert best.found.sum() >= max(found_by(rows, start).sum() for start in starts)
    assert (best.found == found_by(rows, p)).all()
    if kind == "nonnegative":
        assert (p >= 0).all()
    elif kind == "sides":
        assert (ring(size) @ p >= -1e-12).all()
    elif kind == "span":
        assert p.sum() / np.sqrt(size) >= np.linalg.norm(p) / 2 - 1e-9


def test_a_start_on_the_edge_of_the_sides_gets_inside() -> None:
    """p₁ = p₂ is where it begins, p₁ > p₂ > p₁/2 is allowed, and only there somebody is found."""
    sides = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [1.0, 0.0, -1.0], [-1.0, 0.0, 2.0]])
    rows = Rows(np.array([[1.0, -1.2, 0.0], [1.0, 0.0, -1.3]]), np.array([0, 1, 2]))
    best = climb_parameters(rows, Cone(3, sides=sides), [np.ones(3)], rng=np.random.default_rng(0), seconds=5)
    assert best.found.all()


def test_the_same_generator_gives_the_same_distance() -> None:
    rows = random_rows(np.random.default_rng(3), 60, 10, 5, whole=False)
    one, other = (
        climb_parameters(rows, Cone(5), [np.ones(5)], rng=np.random.default_rng(8), seconds=60).parameters
        for _ in range(2)
    )
    assert (one == other).all()


def test_what_cannot_be_searched_is_handed_back() -> None:
    rng, cone = np.random.default_rng(0), Cone(2)
    nobody = Rows(np.empty((0, 2)), np.zeros(1, dtype=np.int64))
    assert climb_parameters(nobody, cone, [np.ones(2)], rng=rng, seconds=1).found.tolist() == []
    no_rivals = Rows(np.empty((0, 2)), np.zeros(4, dtype=np.int64))
    assert climb_parameters(no_rivals, cone, [np.ones(2)], rng=rng, seconds=1).found.tolist() == [True] * 3
    all_lost = Rows(np.zeros((2, 2)), np.array([0, 1, 2]), (), np.ones(2, dtype=bool))
    assert climb_parameters(all_lost, cone, [np.ones(2)], rng=rng, seconds=1).found.tolist() == [False, False]
    one = Rows(np.array([[-1.0, 0.5]]), np.array([0, 1]))
    assert climb_parameters(one, cone, [np.ones(2)], rng=rng, seconds=1).found.tolist() == [True]
    no_time = climb_parameters(one, cone, [np.ones(2)], rng=rng, seconds=0)
    assert no_time.found.tolist() == [False]


def test_the_start_comes_back_when_nobody_else_can_be_found() -> None:
    """Of two alike at most one is found; one is lost as well, which must not be subtracted twice."""
    values = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    lost = np.array([False, False, True, False])
    rows = Rows(values, np.arange(5), (np.array([0, 1, 2]),), lost)
    start = np.array([0.5, 0.25])
    best = climb_parameters(rows, Cone(2), [start], rng=np.random.default_rng(0), seconds=5)
    assert best.parameters.tolist() == [1.0, 0.5]
    assert best.found.tolist() == [True, False, False, True]


@pytest.mark.parametrize("nonnegative", [True, False])
def test_two_searches_end_within_one_seeker(nonnegative: bool) -> None:
    """The restart policy: no start is much better luck than another."""
    rows = random_rows(np.random.default_rng(11), 150, 12, 5, whole=False)
    counts = [
        climb_parameters(
            rows, Cone(5, nonnegative=nonnegative), [np.ones(5)], rng=np.random.default_rng(r), seconds=30
        ).found
        for r in range(5)
    ]
    reached = [int(found.sum()) for found in counts]
    assert max(reached) - min(reached) <= 1


def test_sides_that_show_only_when_crossed_are_kept():
    """Nobody lists the sides of this cone, and no span tells where they are: what comes out is allowed all the same."""
    sides = np.array([[1.0, -0.5], [0.2, 1.0]])

    def beyond(point):
        return sides[sides @ point < 0]

    rng = np.random.default_rng(4)
    rows = random_rows(rng, 40, 4, 2, whole=False)
    lazy, listed = (Cone(2, beyond=beyond), Cone(2, sides=sides))
    best = [
        climb_parameters(rows, cone, [np.array([1.0, 0.5])], rng=np.random.default_rng(1), seconds=5)
        for cone in (lazy, listed)
    ]
    assert (sides @ best[0].parameters >= 0).all()
    assert abs(int(best[0].found.sum()) - int(best[1].found.sum())) <= 1
    free = climb_parameters(rows, Cone(2), [np.array([1.0, 0.5])], rng=np.random.default_rng(1), seconds=5)
    assert free.found.sum() > best[0].found.sum() and (sides @ free.parameters < 0).any()
