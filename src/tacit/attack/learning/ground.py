"""The rows that a search for the best distance works on: the closest rivals of each seeker, more when they turn out to matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .cone import Cone
from .rows import Rows, found_by

if TYPE_CHECKING:
    from ...kernels.stabbing import State


CLOSE = 5
"""So many rows of each seeker at each starting point, those that are closest to being broken."""
HALVINGS = 8
MORE = 3
"""So many of each seeker join at a point where a row was missing."""


def scaled(parameters: np.ndarray) -> np.ndarray:
    """The same distance with its largest parameter 1 or −1.

    >>> scaled(np.array([1.0, -4.0])).tolist()
    [0.25, -1.0]
    """
    size = np.abs(parameters).max(initial=0.0)
    same: np.ndarray = parameters / size if size > 0 else parameters.copy()
    return same


class Ground:
    """A point among the allowed parameters, and the rows of the seekers who can be found as seen from there.

    Few rows of a seeker ever bind: a search on these alone is many times faster. What it finds counts only after
    :meth:`confirmed` has looked at all rows. Memory O(rows).
    """

    def __init__(self, rows: Rows, cone: Cone, points: list[np.ndarray]) -> None:
        self.rows, self.cone = rows, cone
        lost = np.zeros(rows.seekers, dtype=bool) if rows.lost is None else rows.lost
        self.live = np.flatnonzero(~lost)
        self.most = _most(rows, lost)
        norm = np.sqrt(np.einsum("rk,rk->r", rows.values, rows.values))
        self._norm = np.where(norm > 0, norm, 1.0)
        self._open = np.repeat(~lost, np.diff(rows.start))
        self._chosen = np.zeros(len(rows.values), dtype=bool)
        self.weight = np.ones(len(self.live))
        self._sides, self._safe = listed_sides(cone), scaled(points[0])
        for point in points:
            self._choose(point, CLOSE)
        self._built(points[0])

    def _choose(self, point: np.ndarray, count: int) -> None:
        from ...kernels.stabbing import mark_lowest

        mark_lowest(self.rows.values @ point / self._norm, self.rows.start, count, self._chosen)

    def _built(self, point: np.ndarray) -> None:
        from ...kernels.stabbing import State, settle

        chosen = self._chosen & self._open
        before = np.append(0, np.cumsum(chosen))
        counts = np.diff(before[self.rows.start])[self.live]
        self.values = np.ascontiguousarray(self.rows.values[chosen])
        self.norm = self._norm[chosen]
        size = len(self.values)
        self.state: State = State(
            columns=np.ascontiguousarray(self.values.T),
            start=np.append(0, np.cumsum(counts)),
            sides=self._sides,
            weight=self.weight,
            point=scaled(point),
            margin=np.empty(size),
            inverse=np.empty(size),
            height=np.empty(len(self._sides)),
            found=np.empty(len(self.live), dtype=bool),
        )
        settle(self.state)

    @property
    def point(self) -> np.ndarray:
        """Where the search stands."""
        return self.state.point

    @property
    def count(self) -> int:
        """How many are found there, as far as the chosen rows say."""
        return int(self.state.found.sum())

    def stand(self, point: np.ndarray) -> None:
        """Go there."""
        from ...kernels.stabbing import settle

        self.state.point[:] = scaled(point)
        settle(self.state)

    def tightest(self) -> np.ndarray:
        """The row (of ``values``) that is closest to being broken, or most broken, of each seeker; −1 without rows."""
        from ...kernels.stabbing import tightest

        where: np.ndarray = tightest(self.state.margin / self.norm, self.state.start)
        return where

    def tried(self, directions: np.ndarray, stops: np.ndarray) -> None:
        """Search along each direction in turn and go on from the best point of each."""
        from ...kernels.stabbing import Trials, climb

        span = self.cone.span
        if span is None:
            ends = np.full(len(directions), np.inf)
            climb(self.state, Trials(directions, -ends, ends, stops))
        else:
            for k in range(len(directions)):
                left, right = span(self.point, directions[k])
                climb(self.state, Trials(directions[k : k + 1], np.array([left]), np.array([right]), stops[k : k + 1]))
        self.stand(self.point)

    @property
    def lazy(self) -> bool:
        """Whether sides of the cone become known only where they are crossed."""
        return self.cone.beyond is not None and self.cone.span is None

    def confirmed(self) -> int:
        """How many are found here with all rows; if that is fewer than the chosen rows said, more join them.

        Where sides of the cone were not known and have been crossed, they are now, and the point goes back.
        """
        if self.lazy:
            self._go_back()
        count = int(found_by(self.rows, self.point).sum())
        if count < self.count:
            self._choose(self.point, MORE)
            self._built(self.point)
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
            self._built(point)
        self._safe = scaled(point)

    def towards(self, point: np.ndarray, target: np.ndarray) -> np.ndarray:
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


def _most(rows: Rows, lost: np.ndarray) -> int:
    """Nobody lost is found, and of those alike one at most."""
    return int((~lost).sum()) - sum(max(int((~lost[group]).sum()) - 1, 0) for group in rows.alike)
