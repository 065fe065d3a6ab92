"""The program over patterns: least cost under the cuts found so far, relaxed to shares or in whole cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ....kernels.highs import INFINITE, pass_program, quiet_solver
from .block import Block
from .cuts import VIOLATED, Cut
from .effort import Effort

if TYPE_CHECKING:
    from highspy import Highs, HighsSolution


BRIEF = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_rel_gap": 5e-7,
}
"""Good patterns come from repair here, not from the solver's own heuristics, which take most of its time."""


class Master:
    """Minimise the cost of y in [0, 1] under a pool of cuts, of which only those that bind are handed to the solver."""

    def __init__(self, block: Block, effort: Effort) -> None:
        self._block, self._effort = block, effort
        self._known: set[bytes] = set()
        self._aside: list[Cut] = []
        self._held: list[Cut] = []
        self._lasting: set[bytes] = set()
        self._high = np.ones(block.size)
        self._scale = _cost_scale(block.cost)
        self._solver = quiet_solver()
        none = np.zeros(0)
        pass_program(
            self._solver,
            sp.csr_matrix((0, block.size)),
            columns=(block.fixed.astype(np.float64), self._high),
            rows=(none, none),
            costs=block.cost / self._scale,
        )
        self.bound, self.y, self._reduced = -INFINITE, block.fixed.astype(np.float64), np.zeros(block.size)

    def add(self, cuts: list[Cut], *, lasting: bool = False) -> int:
        """Take cuts into the program, ``lasting`` ones never to be set aside; how many of them are new."""
        if lasting:
            self._lasting.update(cut.key for cut in cuts)
        new = []
        for cut in cuts:
            if cut.key not in self._known:
                self._known.add(cut.key)
                new.append(cut)
        self._add_rows(new)
        self._effort.cuts += len(new)
        return len(new)

    def relax(self) -> None:
        """The cheapest shares: ``y``, and ``bound``, infinite when there are none. Cuts set aside come back when missed."""
        from highspy import HighsModelStatus

        while True:
            self._solver.run()
            info = self._solver.getInfo()
            self._effort.count_program(int(info.simplex_iteration_count))
            if self._solver.getModelStatus() == HighsModelStatus.kInfeasible:
                self.bound = INFINITE
                return
            solution = self._solver.getSolution()
            self.y = np.clip(np.asarray(solution.col_value), 0.0, 1.0)
            self._reduced = np.asarray(solution.col_dual) * self._scale
            self.bound = (float(info.objective_function_value) - self._tolerance_loss(solution)) * self._scale
            if not self.recall_cuts(self.y):
                return

    def _tolerance_loss(self, solution: HighsSolution) -> float:
        """What the solver's tolerances may have added to the optimum: its gap to the bound that the duals prove by themselves."""
        reduced, y = np.asarray(solution.col_dual), np.asarray(solution.col_value)
        free = ~self._block.fixed & (self._high > 0)
        beyond = np.asarray(solution.row_value) - np.array([cut.least for cut in self._held])
        return float((reduced * y - np.minimum(reduced, 0.0))[free].sum() + np.asarray(solution.row_dual) @ beyond)

    def recall_cuts(self, y: np.ndarray) -> int:
        """Take cuts that were set aside and that y misses back into the program; how many."""
        missed = [cut.is_violated(y) for cut in self._aside]
        back = [cut for cut, gone in zip(self._aside, missed, strict=True) if gone]
        self._aside = [cut for cut, gone in zip(self._aside, missed, strict=True) if not gone]
        self._add_rows(back)
        return len(back)

    def drop_slack_cuts(self) -> None:
        """Set aside the cuts that do not bind in the last relaxation."""
        loose = [cut.key not in self._lasting and cut.left_side(self.y) > cut.least + VIOLATED for cut in self._held]
        rows = np.flatnonzero(loose)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))
        self._aside += [cut for cut, free in zip(self._held, loose, strict=True) if free]
        self._held = [cut for cut, free in zip(self._held, loose, strict=True) if not free]

    def too_costly_cells(self, most: float) -> np.ndarray:
        """The cells whose hiding alone takes the relaxed cost beyond ``most``."""
        found: np.ndarray = ~self._block.fixed & (self.bound + self._reduced > most)
        return found

    def fix_published(self, gone: np.ndarray) -> None:
        """Hide these cells no more in all that follows."""
        cells = np.flatnonzero(gone)
        self._high[cells] = 0.0
        self._solver.changeColsBounds(len(cells), cells.astype(np.int32), np.zeros(len(cells)), np.zeros(len(cells)))

    def solve_integer(self, start: np.ndarray, among: np.ndarray) -> tuple[float, np.ndarray | None]:
        """A proven bound and the cheapest pattern of whole cells ``among`` some, under the cuts held; None when there is none."""
        high = np.where(among, self._high, 0.0)
        solver = quiet_solver(**BRIEF, mip_max_nodes=self._effort.nodes_of_a_round)
        if self._effort.limits.seconds is not None:
            solver.setOptionValue("time_limit", max(0.01, self._effort.seconds_left))
        least = np.array([cut.least for cut in self._held])
        pass_program(
            solver,
            _cut_matrix(self._held, self._block.size),
            columns=(self._block.fixed.astype(np.float64), high),
            rows=(least, np.full(len(least), INFINITE)),
            costs=self._block.cost / self._scale,
            whole=np.ones(self._block.size, dtype=bool),
        )
        if not (start & (high == 0)).any():
            _offer_start(solver, start)
        solver.run()
        return self._read_solution(solver)

    def _read_solution(self, solver: Highs) -> tuple[float, np.ndarray | None]:
        from highspy import HighsModelStatus

        info = solver.getInfo()
        self._effort.nodes += max(1, int(info.mip_node_count))
        self._effort.count_program(int(info.simplex_iteration_count))
        if solver.getModelStatus() == HighsModelStatus.kTimeLimit:
            self._effort.time_out()
        if solver.getModelStatus() == HighsModelStatus.kInfeasible:
            return INFINITE, None
        bound = float(info.mip_dual_bound) * self._scale
        solution = solver.getSolution()
        return bound, np.asarray(solution.col_value) > 0.5 if solution.value_valid else None

    def _add_rows(self, cuts: list[Cut]) -> None:
        if not cuts:
            return
        rows = _cut_matrix(cuts, self._block.size)
        least = np.array([cut.least for cut in cuts])
        self._solver.addRows(
            len(cuts), least, np.full(len(cuts), INFINITE), rows.nnz, rows.indptr[:-1], rows.indices, rows.data
        )
        self._held += cuts


def _cut_matrix(cuts: list[Cut], size: int) -> sp.csr_matrix:
    starts = np.cumsum([0, *(len(cut.cells) for cut in cuts)]).astype(np.int32)
    cells = np.concatenate([cut.cells for cut in cuts]).astype(np.int32) if cuts else np.zeros(0, dtype=np.int32)
    weights = np.concatenate([cut.weights for cut in cuts]) if cuts else np.zeros(0)
    return sp.csr_matrix((weights, cells, starts), shape=(len(cuts), size))


def _offer_start(solver: Highs, start: np.ndarray) -> None:
    from highspy import HighsSolution

    solution = HighsSolution()
    solution.col_value = start.astype(np.float64)
    solver.setSolution(solution)


def _cost_scale(cost: np.ndarray) -> float:
    """Whole numbers of ordinary size stay as they are, so that the solver can use that they are whole."""
    largest = float(cost.max(initial=0.0))
    if largest == 0 or (largest <= 1e7 and bool((cost == np.round(cost)).all())):
        return 1.0
    return float(cost[cost > 0].mean()) / 100.0
