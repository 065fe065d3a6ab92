"""The fewest seekers whose failure resolves every known conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

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
