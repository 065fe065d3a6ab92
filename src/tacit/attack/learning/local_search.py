"""A fast search for the distance of a family that finds most people."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .rows import Cone, Rows, found_by

if TYPE_CHECKING:
    from ...kernels.interval_stabbing import LineSearchState

PATIENCE = 3
"""Rounds without a gain before a climb ends."""

CHAINS = 6
"""So many times the search begins anew, from one start after another, before the best is continued."""

SHORT, LONG = 12, 2.5
"""Hops without a gain before a chain ends (fewer when there are few parameters); the last chain has so many times as many."""

BRIEF = 3
"""The same for a brief search, from the best start alone."""

MIDDLE = 0.3
"""How often a step ends in the middle of its segment; else anywhere in it, which crosses plateaus faster."""

FACTORS = (0.05, 0.2, 0.5)
"""Spreads of the logarithms of the factors that a hop multiplies the parameters by."""

LOSSES = (10, 30, 60)
"""So many of those found are lost by a hop into a random direction."""

FEW, MANY = 24, 60
"""Directions of a round, by the number of parameters."""

RIDGE = 1e-3
"""Added to the diagonal of a correlation matrix before it is inverted."""

WIDE = 2000
"""With more parameters a matrix takes seconds to invert, and only its diagonal is looked at."""

CLOSE = 5
"""So many rows of each seeker at each starting point, those that are closest to being broken."""

HALVINGS = 8

MORE = 3
"""So many of each seeker join at a point where a row was missing."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """Allowed parameters, the largest 1 or −1, and whether each seeker is found by them."""

    parameters: np.ndarray
    found: np.ndarray


def climb_parameters(
    rows: Rows,
    cone: Cone,
    starts: Sequence[np.ndarray],
    *,
    rng: np.random.Generator,
    seconds: float,
    brief: bool = False,
    told: Callable[[float], None] | None = None,
) -> SearchResult:
    r"""Climb the number of people found, by exact line searches, from several starts and then from around the best point.

    Along p + t·d a seeker with rows v is found for t in one open interval,

    .. math:: \max_{v \cdot d > 0} \frac{-v \cdot p}{v \cdot d} < t < \min_{v \cdot d < 0} \frac{v \cdot p}{-v \cdot d},

    so that the best step is the middle of the widest segment that most intervals cover: one sort of their ends, no
    step size and no smooth stand-in for the count. Steps that find as many are taken too, which crosses plateaus.
    From the best point so far the search hops nearby (a random step, random factors, or a round in which people count
    unequally) and climbs again; it ends when that was of no use so many times in a row, when no more can be found, or
    after ``seconds`` of CPU time; a ``brief`` search hops a few times from the best start alone. For one ``rng`` the
    result is the same on every machine that is fast enough.

    The result is allowed (``cone``) and never finds fewer than the best start, of which there is at least one, all
    allowed. It is not proven best. A direction costs O(rows looked at · its entries + seekers ·
    log seekers); memory O(rows · parameters).

    >>> rows = Rows(np.array([[1.0, -2.0], [-1.0, 4.0]]), np.array([0, 1, 2]))
    >>> best = climb_parameters(rows, Cone(2, nonnegative=True), [np.ones(2)], rng=np.random.default_rng(0), seconds=1)
    >>> best.found.tolist()
    [True, True]
    """
    points = [scale_parameters(start) for start in starts if np.any(start)] or [np.asarray(starts[0], dtype=np.float64)]
    counts = [int(found_by(rows, point).sum()) for point in points]
    points = [points[k] for k in np.argsort(counts, kind="stable")[::-1]]
    if not len(rows.values) or not points[0].any():
        return SearchResult(points[0], found_by(rows, points[0]))
    search = _Search(SearchState(rows, cone, points), points, max(counts), rng=rng, until=time.process_time() + seconds)
    if brief:
        search.run_chain(search.points[0], BRIEF)
    else:
        search.run(told)
    return SearchResult(search.best, found_by(rows, search.best))


class _Search:
    """Chains of climbs, each from a point near the best of its chain; the best of all that all rows confirm."""

    def __init__(
        self, ground: SearchState, points: list[np.ndarray], most: int, *, rng: np.random.Generator, until: float
    ) -> None:
        self.ground, self.points, self.rng, self.until = ground, points, rng, until
        # Where the way is not known beforehand, other allowed points show the way inside.
        self.compass = DirectionSampler(rng, points if ground.cone.span is not None else [])
        self.best, self.most = points[0], most

    @property
    def is_over(self) -> bool:
        return self.most >= self.ground.most or time.process_time() >= self.until

    def run(self, told: Callable[[float], None] | None) -> None:
        short = min(6 + self.ground.rows.size // 2, SHORT)
        chains = max(CHAINS, len(self.points))
        ends: list[tuple[int, np.ndarray]] = []
        while len(ends) < chains:
            if self.is_over:
                return
            ends.append(self.run_chain(self.points[len(ends) % len(self.points)], short))
            if told is not None:
                told(len(ends) / (chains + LONG))
        self.run_chain(max(ends, key=lambda end: end[0])[1], int(LONG * short))

    def run_chain(self, base: np.ndarray, patience: int) -> tuple[int, np.ndarray]:
        """Hop and climb until that was of no use so many times in a row; how many are found at its end, and where."""
        self.ground.move_to(base)
        level, idle = self.climb_point(), 0
        base = self.ground.point.copy()
        while idle < patience and not self.is_over:
            self.hop_from(base)
            count = self.climb_point()
            idle = 0 if count > level else idle + 1
            if count >= level:
                if self.ground.has_lazy_cone:
                    self.ground.confirm_count()
                level, base = self.ground.linked_count, self.ground.point.copy()
        return level, base

    def climb_point(self) -> int:
        """Rounds of directions until some bring nothing; how many are found then."""
        ground, idle = self.ground, 0
        high = ground.linked_count
        while idle < PATIENCE and not self.is_over:
            self.try_directions()
            idle = 0 if ground.linked_count > high else idle + 1
            high = max(high, ground.linked_count)
        if ground.linked_count > self.most:
            sure = ground.confirm_count()
            if sure > self.most:
                self.best, self.most = scale_parameters(ground.point), sure
        return ground.linked_count

    def try_directions(self) -> None:
        directions = self.compass.draw_directions(self.ground)
        stops = np.where(self.rng.random(len(directions)) < MIDDLE, 0.5, self.rng.random(len(directions)))
        self.ground.search_along(directions, stops)

    def hop_from(self, base: np.ndarray) -> None:
        """Away from a point, not far: one of three ways."""
        ground, rng = self.ground, self.rng
        ground.move_to(base)
        kind = rng.random()
        if kind < 0.4:
            ground.move_to(ground.step_towards(base, self.compass.draw_distant_point(ground, int(rng.choice(LOSSES)))))
        elif kind < 0.8:
            factors = np.exp(rng.normal(size=len(base)) * rng.choice(FACTORS))
            ground.move_to(ground.step_towards(base, base * factors))
        else:
            ground.weight[:] = rng.choice([0.5, 1.0, 2.0], size=len(ground.weight))
            self.try_directions()
            ground.weight[:] = 1.0


class DirectionSampler:
    """Draws directions, some of each kind, scaled by what stands around the point."""

    def __init__(self, rng: np.random.Generator, others: list[np.ndarray]) -> None:
        self.rng, self.others = rng, others

    def draw_directions(self, ground: SearchState) -> np.ndarray:
        """A round of them, in random order.

        Single parameters; a few parameters by about their own size; all of them, such that the closest margins of
        those who are found change alike; the same mixed with what somebody not found needs most; and towards other
        points.
        """
        size = ground.rows.size
        some = int(np.clip(size, FEW // 4, MANY // 4))
        shape = self._shape_matrix(ground)
        parts = [
            np.eye(size)[self.rng.permutation(size)[:some]],
            self._sparse_directions(ground.point, some),
            self.rng.normal(size=(some, size)) @ shape.T,
            self._directions_to_unlinked(ground, shape, some),
            *(other[None] - ground.point for other in self.others),
        ]
        drawn: np.ndarray = np.concatenate(parts)
        drawn = drawn[np.abs(drawn).max(axis=1) > 0]
        self.rng.shuffle(drawn)
        return drawn

    def draw_distant_point(self, ground: SearchState, loses: int) -> np.ndarray:
        """A point in a random direction, so far off that about so many of those who are found there no longer are."""
        where = ground.tightest_rows()
        where = where[ground.state.found & (where >= 0)]
        direction = self._shape_matrix(ground) @ self.rng.normal(size=ground.rows.size)
        rate = -(ground.values[where] @ direction) / ground.state.margin[where]
        steps = np.sort(1.0 / rate[rate > 0])
        step = steps[min(loses, len(steps)) - 1] if len(steps) else 0.0
        point: np.ndarray = ground.point + step * direction
        return point

    def _sparse_directions(self, point: np.ndarray, count: int) -> np.ndarray:
        size = len(point)
        few = self.rng.integers(2, min(size, 6) + 1, size=(count, 1)) if size > 1 else np.ones((count, 1))
        kept = self.rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1) < few
        floor = 1e-3 * (self.rng.random((count, 1)) < 0.3)
        drawn: np.ndarray = kept * self.rng.normal(size=(count, size)) * (np.abs(point) + floor)
        return drawn

    def _shape_matrix(self, ground: SearchState) -> np.ndarray:
        r"""A matrix L with :math:`L L^T = (\sum_i v_i v_i^T / (v_i p)^2)^{-1}` over the closest rows of those found."""
        where = ground.tightest_rows()
        where = where[ground.state.found & (where >= 0)]
        rate = ground.values[where] / np.maximum(ground.state.margin[where], 1e-100)[:, None]
        rate /= max(np.abs(rate).max(initial=0.0), 1e-300)
        wide = rate.shape[1] > WIDE
        spread = np.empty((0, 0)) if wide else rate.T @ rate
        scale = np.sqrt((rate**2).sum(axis=0) if wide else np.diag(spread))
        scale = np.where(scale > 0, scale, max(scale.max(initial=0.0), 1.0))
        if wide:
            return np.diag(1.0 / scale)
        alike = spread / scale[:, None] / scale + RIDGE * np.eye(len(scale))
        shape: np.ndarray = np.linalg.inv(np.linalg.cholesky(alike)).T / scale[:, None]
        return shape

    def _directions_to_unlinked(self, ground: SearchState, shape: np.ndarray, count: int) -> np.ndarray:
        where = ground.tightest_rows()
        where = where[~ground.state.found & (where >= 0)]
        if not where.size:
            return np.empty((0, ground.rows.size))
        turned = ground.values[self.rng.choice(where, count)] @ shape
        turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300)
        noise = self.rng.normal(size=turned.shape) / np.sqrt(turned.shape[1])
        drawn: np.ndarray = (turned + 2.0 * self.rng.random((count, 1)) * noise) @ shape.T
        return drawn


def scale_parameters(parameters: np.ndarray) -> np.ndarray:
    """The same distance with its largest parameter 1 or −1.

    >>> scale_parameters(np.array([1.0, -4.0])).tolist()
    [0.25, -1.0]
    """
    size = np.abs(parameters).max(initial=0.0)
    same: np.ndarray = parameters / size if size > 0 else parameters.copy()
    return same


class SearchState:
    """A point among the allowed parameters, and the rows of the seekers who can be found as seen from there.

    Few rows of a seeker ever bind: a search on these alone is many times faster. What it finds counts only after
    :meth:`confirm_count` has looked at all rows. Memory O(rows).
    """

    def __init__(self, rows: Rows, cone: Cone, points: list[np.ndarray]) -> None:
        self.rows, self.cone = rows, cone
        lost = np.zeros(rows.seekers, dtype=bool) if rows.lost is None else rows.lost
        self.live = np.flatnonzero(~lost)
        self.most = _max_linkable(rows, lost)
        norm = np.sqrt(np.einsum("rk,rk->r", rows.values, rows.values))
        self._norm = np.where(norm > 0, norm, 1.0)
        self._open = np.repeat(~lost, np.diff(rows.start))
        self._chosen = np.zeros(len(rows.values), dtype=bool)
        self.weight = np.ones(len(self.live))
        self._sides, self._safe = listed_sides(cone), scale_parameters(points[0])
        for point in points:
            self._choose_rows(point, CLOSE)
        self._build_state(points[0])

    def _choose_rows(self, point: np.ndarray, count: int) -> None:
        from ...kernels.interval_stabbing import mark_lowest

        mark_lowest(self.rows.values @ point / self._norm, self.rows.start, count, self._chosen)

    def _build_state(self, point: np.ndarray) -> None:
        from ...kernels.interval_stabbing import LineSearchState, settle_state

        chosen = self._chosen & self._open
        before = np.append(0, np.cumsum(chosen))
        counts = np.diff(before[self.rows.start])[self.live]
        self.values = np.ascontiguousarray(self.rows.values[chosen])
        self.norm = self._norm[chosen]
        size = len(self.values)
        self.state: LineSearchState = LineSearchState(
            columns=np.ascontiguousarray(self.values.T),
            start=np.append(0, np.cumsum(counts)),
            sides=self._sides,
            weight=self.weight,
            point=scale_parameters(point),
            margin=np.empty(size),
            inverse=np.empty(size),
            height=np.empty(len(self._sides)),
            found=np.empty(len(self.live), dtype=bool),
        )
        settle_state(self.state)

    @property
    def point(self) -> np.ndarray:
        """Where the search stands."""
        return self.state.point

    @property
    def linked_count(self) -> int:
        """How many are found there, as far as the chosen rows say."""
        return int(self.state.found.sum())

    def move_to(self, point: np.ndarray) -> None:
        """Go there."""
        from ...kernels.interval_stabbing import settle_state

        self.state.point[:] = scale_parameters(point)
        settle_state(self.state)

    def tightest_rows(self) -> np.ndarray:
        """The row (of ``values``) that is closest to being broken, or most broken, of each seeker; −1 without rows."""
        from ...kernels.interval_stabbing import tightest_rows

        where: np.ndarray = tightest_rows(self.state.margin / self.norm, self.state.start)
        return where

    def search_along(self, directions: np.ndarray, stops: np.ndarray) -> None:
        """Search along each direction in turn and go on from the best point of each."""
        from ...kernels.interval_stabbing import LineTrials, climb_directions

        span = self.cone.span
        if span is None:
            ends = np.full(len(directions), np.inf)
            climb_directions(self.state, LineTrials(directions, -ends, ends, stops))
        else:
            for k in range(len(directions)):
                left, right = span(self.point, directions[k])
                climb_directions(
                    self.state, LineTrials(directions[k : k + 1], np.array([left]), np.array([right]), stops[k : k + 1])
                )
        self.move_to(self.point)

    @property
    def has_lazy_cone(self) -> bool:
        """Whether sides of the cone become known only where they are crossed."""
        return self.cone.beyond is not None and self.cone.span is None

    def confirm_count(self) -> int:
        """How many are found here with all rows; if that is fewer than the chosen rows said, more join them.

        Where sides of the cone were not known and have been crossed, they are now, and the point goes back.
        """
        if self.has_lazy_cone:
            self._go_back()
        count = int(found_by(self.rows, self.point).sum())
        if count < self.linked_count:
            self._choose_rows(self.point, MORE)
            self._build_state(self.point)
        return count

    def _go_back(self) -> None:
        """To the last allowed point on the way from the one that was known to be so."""
        assert self.cone.beyond is not None
        outside, point = self.cone.beyond(self.point), self.point.copy()
        if len(outside):
            low, high = 0.0, 1.0
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                crossed = len(self.cone.beyond(self._safe + middle * (point - self._safe)))
                low, high = (low, middle) if crossed else (middle, high)
            point = self._safe + low * (point - self._safe)
            self._sides = np.vstack([self._sides, outside])
            self._build_state(point)
        self._safe = scale_parameters(point)

    def step_towards(self, point: np.ndarray, target: np.ndarray) -> np.ndarray:
        """The target, or the point nine tenths of the way to where the way to it leaves what is allowed."""
        direction, reach = target - point, np.inf
        if self.cone.span is not None:
            reach = self.cone.span(point, direction)[1]
        sides = self.state.sides
        height, slant = np.maximum(sides @ point, 0.0), sides @ direction
        down = slant < 0
        reach = min(reach, (-height[down] / slant[down]).min(initial=np.inf))
        moved: np.ndarray = point + direction * (1.0 if reach > 1.0 else 0.9 * max(reach, 0.0))
        return moved


def listed_sides(cone: Cone) -> np.ndarray:
    """Rows h with h·p ≥ 0 for all allowed p."""
    sides = np.empty((0, cone.size)) if cone.sides is None else cone.sides
    return np.vstack([np.eye(cone.size), sides]) if cone.nonnegative else np.ascontiguousarray(sides)


def _max_linkable(rows: Rows, lost: np.ndarray) -> int:
    """Nobody lost is found, and of those alike one at most."""
    return int((~lost).sum()) - sum(max(int((~lost[group]).sum()) - 1, 0) for group in rows.alike)
