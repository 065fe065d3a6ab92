"""Seekers who cannot all be found by the same distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cone import Cone
from .rows import Rows

POOL = 20_000
"""So many rows are priced before all of them."""
FLOOR = 1e-3
"""No parameter is scaled as if it mattered less than this share of the one that matters most."""
BEYOND = 100
"""So often a point may turn out to lie outside a cone without a list of its sides."""
SIDES = 1000
"""So many sides of such a cone are remembered."""
HALVINGS = 40
NONE = np.empty((0, 0))
PULL = 1e-10
"""So far a point is drawn into its cone."""
CLOSE, CLOSER = 9e-8, 1e-9
"""What counts as nought: a cone without a list of its sides is only approached, so that it needs the wider one."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Either a point that finds everybody asked for, or some of them who exclude one another; neither: left open."""

    point: np.ndarray | None = None
    subset: tuple[int, ...] = ()


class Conflicts:
    r"""Decides whether some allowed p finds all of a set of seekers, and names those who prevent it.

    By the theorem of Motzkin no such p exists iff rows v of the seekers and sides h of the cone have weights
    :math:`\lambda, \mu \ge 0`, not all λ zero, with :math:`\sum \lambda v + \sum \mu h = 0`. The seekers with λ > 0, at most
    one more than there are parameters, then exclude one another. The weights are found as the point of the rows' convex
    hull nearest to nought (:func:`~tacit.kernels.least_norm.least_norm`).

    Points live in units of ``start``, where rows have length 1; a set is said to exclude itself when no point x with
    |x| ≤ 1 lifts all its rows above 1e-7, which is summed anew from the rows, in floating point. One decision takes
    O(steps · (pool + parameters) · parameters) and one pass over the rows of the set; memory one copy of the rows.

    References
    ----------
    Lawson and Hanson (1974), Solving Least Squares Problems, Prentice-Hall (nonnegative least squares).
    Wolfe (1976), Finding the nearest point in a polytope, Mathematical Programming 11, 128–149.
    """

    def __init__(self, rows: Rows, cone: Cone, start: np.ndarray) -> None:
        from ...kernels.least_norm import RowPool

        self.rows, self.cone = rows, cone
        self.scale = _parameter_units(rows.values, start)
        self.values = np.ascontiguousarray(rows.values * self.scale)
        length = np.linalg.norm(self.values, axis=1)
        self.values /= np.where(length > 0, length, 1.0)[:, None]
        self.owner = np.repeat(np.arange(rows.seekers), np.diff(rows.start))
        self.lost = np.zeros(rows.seekers, dtype=bool)
        if rows.lost is not None:
            self.lost[rows.lost] = True
        self.lost[self.owner[length == 0]] = True
        self.home = start / self.scale / max(np.linalg.norm(start / self.scale), np.finfo(float).tiny)
        self.sides, self._listed = np.eye(rows.size)[: rows.size if cone.nonnegative else 0], rows.size
        if cone.sides is not None:
            self._add_sides(cone.sides)
        self._listed = len(self.sides)
        room = np.zeros(POOL, dtype=np.int64)
        inside = np.zeros(len(rows.values), dtype=bool)
        self._pool = RowPool(np.empty((POOL, rows.size)), room, room.copy(), inside, np.zeros(2, dtype=np.int64))
        self._even = np.ones(rows.seekers)

    def check_seekers(self, active: np.ndarray, bias: np.ndarray | None = None) -> Verdict:
        """Whether all active seekers can be found at once; ``bias`` > 0 says whom to name rather if not."""
        from ...kernels.least_norm import FEASIBLE, INFEASIBLE, least_norm

        bias = self._even if bias is None else bias
        close = CLOSER if self.cone.beyond is None else CLOSE
        for _ in range(BEYOND):
            if self._pool.held[0] > POOL // 2:
                self._pool.held[:] = 0
                self._pool.inside[:] = False
            answer, point, used = least_norm(self.values, self.rows.start, self._pool, active, bias, self.sides, close)
            if answer == INFEASIBLE:
                return Verdict(subset=tuple(np.unique(self.owner[used[used >= 0]]).tolist()))
            if answer != FEASIBLE:
                break
            outside = self._violated_sides(point)
            inner = self._pull_inside(self._last_allowed_point(point) if len(outside) else point)
            if not len(outside) or self.linked_seekers(inner)[active].all():
                return Verdict(point=inner)
            self._add_sides(outside)
        return Verdict()

    def find_conflict(self, seekers: tuple[int, ...]) -> tuple[int, ...]:
        """Some of these seekers who exclude one another, or nobody."""
        active = np.zeros(self.rows.seekers, dtype=bool)
        active[list(seekers)] = True
        return self.check_seekers(active).subset

    def minimise_conflict(self, subset: tuple[int, ...], first: np.ndarray) -> tuple[int, ...]:
        """Leave out whoever is not needed for the conflict, those high in ``first`` before others."""
        for one in sorted(subset, key=lambda i: -first[i]):
            if one in subset and len(subset) > 1:
                subset = self.find_conflict(tuple(i for i in subset if i != one)) or subset
        return subset

    def point_parameters(self, point: np.ndarray) -> np.ndarray:
        """The parameters of a point."""
        p: np.ndarray = self.scale * point
        p = np.maximum(p, 0.0) if self.cone.nonnegative else p
        scaled: np.ndarray = p / max(np.abs(p).max(), np.finfo(float).tiny)
        return scaled

    def linked_seekers(self, point: np.ndarray) -> np.ndarray:
        """Whom a point finds, but for ties."""
        from ...kernels.least_norm import mark_positive

        found = np.empty(self.rows.seekers, dtype=bool)
        mark_positive(self.values, self.rows.start, point, found)
        return found & ~self.lost

    def _last_allowed_point(self, point: np.ndarray) -> np.ndarray:
        """The last allowed point on the way from the start to this one."""
        assert self.cone.beyond is not None
        point, low, high = point / np.linalg.norm(point), 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            outside = len(self.cone.beyond(self.point_parameters(self.home + middle * (point - self.home))))
            low, high = (low, middle) if outside else (middle, high)
        inner: np.ndarray = self.home + low * (point - self.home)
        return inner

    def _violated_sides(self, point: np.ndarray) -> np.ndarray:
        """Sides of a cone without a list that a point is beyond."""
        return NONE if self.cone.beyond is None else self.cone.beyond(self.point_parameters(point))

    def _pull_inside(self, point: np.ndarray) -> np.ndarray:
        """A little towards the inside of the cone: what is found only outside, by a rounding, is then not found."""
        if self.cone.inside is None or not point.any():
            return point
        inside = self.cone.inside / self.scale
        pulled: np.ndarray = point / np.linalg.norm(point) + PULL * inside / np.linalg.norm(inside)
        return pulled

    def _add_sides(self, sides: np.ndarray) -> None:
        """Let sides of the cone, in the units of the parameters, join."""
        scaled = sides * self.scale
        length = np.linalg.norm(scaled, axis=1)
        listed, kept = self.sides[: self._listed], self.sides[self._listed :][-SIDES:]
        self.sides = np.vstack([listed, kept, scaled[length > 0] / length[length > 0, None]])


def _parameter_units(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """What one step in each parameter is: the start's, or where that hardly matters enough to matter a little."""
    usual = np.sqrt(np.mean(values**2, axis=0)) if len(values) else np.zeros(len(start))
    share = np.abs(start) * usual
    most = share.max(initial=0.0)
    if most <= 0:
        return np.ones(len(start))
    scale: np.ndarray = np.where(usual > 0, np.maximum(share, FLOOR * most) / np.where(usual > 0, usual, 1.0), 1.0)
    return scale
