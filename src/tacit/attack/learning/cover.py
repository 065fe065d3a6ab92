"""The fewest seekers whose failure resolves every known conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .rows import Cone, Rows

SLACK = 1e-6
"""A bound on a whole number is rounded up when it exceeds it by more than this."""

TASTE = 0.02
"""How readily somebody fails in a rounded cover whom the relaxation lets go."""


class Cut(NamedTuple):
    """One of the ``single`` seekers fails, or all of one of the ``groups`` (by number) do."""

    single: tuple[int, ...]
    groups: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CoverSolution:
    """How much each seeker fails (0 … 1), and a lower bound on the sum."""

    failing: np.ndarray
    bound: float

    @property
    def lower_bound(self) -> int:
        """A lower bound on how many fail."""
        return int(np.ceil(self.bound - SLACK)) if np.isfinite(self.bound) else 0


class Cover:
    r"""Minimise :math:`\sum_i K_i` over :math:`K \in \{0, 1\}`, K_i = 1 for the lost, under the cuts.

    Of a group at most one is found: :math:`\sum_g K \ge |g| - 1`. A cut on singles S and groups G is
    :math:`\sum_S K + \sum_{g \in G} (\sum_g K - |g| + 1) \ge 1`. Solved by HiGHS on one thread, as a linear relaxation or
    in whole numbers.

    References
    ----------
    Codato and Fischetti (2006), Combinatorial Benders' cuts for mixed-integer linear programming, Operations Research
    54(4), 756–766.
    """

    def __init__(self, lost: np.ndarray, groups: Sequence[np.ndarray]) -> None:
        self.size, self.groups = len(lost), [np.asarray(g) for g in groups]
        self.cuts: set[Cut] = set()
        self._lost, self._rows = lost, 0
        self._member, self._needed = np.zeros((64, self.size), dtype=np.float32), np.zeros(64, dtype=np.float32)
        self._model = _quiet_model()
        every = np.arange(self.size, dtype=np.int32)
        self._model.addVars(self.size, lost.astype(float), np.ones(self.size))
        self._model.changeColsCost(self.size, every, np.ones(self.size))
        for group in self.groups:
            self._add_row(len(group) - 1, group)

    def add(self, cut: Cut) -> bool:
        """Add a cut; False when it was there."""
        if cut in self.cuts:
            return False
        self.cuts.add(cut)
        groups = [self.groups[g] for g in cut.groups]
        self._add_row(
            1 + sum(len(g) - 1 for g in groups), np.concatenate([np.array(cut.single, dtype=np.int64), *groups])
        )
        return True

    def is_violated(self, cut: Cut, failing: np.ndarray) -> bool:
        """Whether a fractional solution violates a cut."""
        groups = sum(failing[self.groups[g]].sum() - len(self.groups[g]) + 1 for g in cut.groups)
        return bool(failing[list(cut.single)].sum() + groups < 1 - SLACK)

    def solve_relaxation(self) -> CoverSolution:
        """The linear relaxation."""
        import highspy

        self._model.run()
        if self._model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self._model.clearSolver()
            self._model.run()
        if self._model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return CoverSolution(np.zeros(self.size), 0.0)
        return CoverSolution(self._read_solution(self._model), self._model.getInfo().objective_function_value)

    def solve_integer(self, failing: np.ndarray, *, enough: int, stop: Callable[[], bool]) -> CoverSolution:
        """In whole numbers, beginning with a solution: until solved, until one of ``enough`` is found, or ``stop``."""
        import highspy

        model = _quiet_model()
        model.passModel(self._model.getModel())
        every = np.arange(self.size, dtype=np.int32)
        model.changeColsIntegrality(self.size, every, np.full(self.size, highspy.HighsVarType.kInteger))
        model.setOptionValue("mip_rel_gap", 0.0)
        model.setOptionValue("mip_abs_gap", 1 - 1e-3)
        model.setOptionValue("objective_target", enough + 0.5)
        first = highspy.HighsSolution()
        first.col_value = failing.astype(float).tolist()
        model.setSolution(first)
        stopped = _StopCallback(stop)
        for event in (model.cbMipInterrupt, model.cbSimplexInterrupt):
            event.subscribe(stopped.interrupt_if_due)
        model.run()
        stopped.raise_pending()
        bound = model.getInfo().mip_dual_bound
        found = self._read_solution(model)
        good = len(found) == self.size and model.getInfo().primal_solution_status == 2
        return CoverSolution(np.round(found) if good else failing.astype(float), bound)

    def round_solution(self, failing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A cover in whole numbers near a fractional one: whoever fails most and meets most cuts first, then none in vain."""
        member, least = self._member[: self._rows], self._needed[: self._rows]
        whole, taste = failing > 1 - SLACK, (failing + TASTE) * rng.uniform(0.5, 1.0, self.size)
        left = least - member[:, whole].sum(axis=1)
        unmet = left > 0
        count = member[unmet].sum(axis=0)
        while unmet.any():
            one = int(np.where(whole, 0.0, count * taste).argmax())
            whole[one] = True
            left -= member[:, one]
            met = unmet & (left <= 0)
            count -= member[met].sum(axis=0)
            unmet &= ~met
        for one in np.flatnonzero(whole & ~self._lost)[np.argsort(taste[whole & ~self._lost])]:
            if not (left + member[:, one] > 0).any():
                whole[one] = False
                left += member[:, one]
        return whole

    def _add_row(self, least: int, seekers: np.ndarray) -> None:
        import highspy

        if self._rows == len(self._needed):
            self._member = np.vstack([self._member, np.zeros_like(self._member)])
            self._needed = np.append(self._needed, np.zeros_like(self._needed))
        self._member[self._rows, seekers] = 1.0
        self._needed[self._rows] = least
        self._rows += 1

        index = seekers.astype(np.int32)
        self._model.addRow(float(least), highspy.kHighsInf, len(index), index, np.ones(len(index)))

    @staticmethod
    def _read_solution(model: Any) -> np.ndarray:
        return np.array(model.getSolution().col_value)


class _StopCallback:
    """Asked from inside HiGHS, whose own limit counts wall time; what ``stop`` raises waits until HiGHS has ended."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop, self._raised = stop, list[Exception]()

    def interrupt_if_due(self, event: Any) -> None:
        """Interrupt the solver when it is time to."""
        try:
            if self._raised or self._stop():
                event.interrupt()
        except Exception as error:
            self._raised.append(error)
            event.interrupt()

    def raise_pending(self) -> None:
        """Raise what was raised."""
        if self._raised:
            raise self._raised[0]


def _quiet_model() -> Any:
    import highspy

    model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    return model


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
