"""Round the inner cells, add them up, and mend the totals that fall too far from the truth: a search by single steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...progress import Progress, report
from .grid import Grid
from .sums import Sums

PRICE = 0.2
"""What one step of distance weighs against one step beyond the two multiples around a total, at the start."""
REST = (5, 10)
"""So many moves, plus a number below the second, a cell rests after it was changed."""
PATIENCE = 300
"""Once no total is beyond, so many moves without a shorter distance end the search."""


@dataclass(frozen=True, slots=True, eq=False)
class Mended:
    """Steps above the floor for every cell, additive by construction; ``beyond``: how far totals exceed the two multiples."""

    steps: np.ndarray
    beyond: np.ndarray
    distance: float


def mended(
    grid: Grid, sums: Sums, *, start: np.ndarray, weights: np.ndarray, moves: int, progress: Progress | None = None
) -> Mended:
    r"""The best additive table found: least steps of totals beyond the multiples around them, then least distance (G-05).

    Inner cells take one of their two multiples, so every sum is a multiple too, and additive. Each move changes the inner
    cell that lowers :math:`\sum_t w_t\,\text{beyond}_t + \lambda \sum |r - a|` most, among those not changed lately; where
    none does, the weights :math:`w_t` of the totals that are still out grow. ``moves`` bounds the search. Ties go to the
    first cell, so the same table gives the same answer. Time O(moves × entries of the sums).
    """
    state = _State.of(grid, sums, start, weights)
    best = state.answer()
    rest, last = np.zeros(len(state.cells), dtype=np.int64), 0
    for move in range(moves):
        if move % 256 == 0:
            report(progress, "mending totals", move / moves)
        gain = np.where(rest > move, np.inf, state.gains())
        done = not best.beyond.any() and move - last > PATIENCE
        if done or not len(gain) or np.isinf(gain[chosen := int(gain.argmin())]):
            break
        if gain[chosen] >= 0:
            state.urge()
        state.change(chosen)
        rest[chosen] = move + REST[0] + (7 * move + chosen) % REST[1]
        if state.better(best):
            best, last = state.answer(), move
    return best


@dataclass(slots=True, eq=False)
class _State:
    """The search: inner steps, the totals they give, and how much each total matters by now."""

    grid: Grid
    sums: Sums
    cells: np.ndarray
    totals: np.ndarray
    taken: np.ndarray
    reached: np.ndarray
    urgency: np.ndarray
    weights: np.ndarray
    over: Any
    under: Any

    @classmethod
    def of(cls, grid: Grid, sums: Sums, start: np.ndarray, weights: np.ndarray) -> _State:
        cells = np.flatnonzero(grid.between[sums.inner])
        totals = np.setdiff1d(np.arange(grid.table.size), sums.inner)
        over = sums.matrix[totals][:, cells].tocsc()
        taken = np.clip(np.round(start[sums.inner][cells]), 0, 1)
        base = sums.matrix[totals] @ grid.floor[sums.inner] - grid.floor[totals]
        urgency = np.ones(len(totals))
        reached = np.round(base + over @ taken)
        return cls(grid, sums, cells, totals, taken, reached, urgency, weights, over, over.T.tocsr())

    def outside(self, reached: np.ndarray) -> np.ndarray:
        top = self.grid.between[self.totals].astype(np.float64)
        return np.asarray(np.maximum(-reached, 0.0) + np.maximum(reached - top, 0.0))

    def worth(self, reached: np.ndarray) -> np.ndarray:
        far = np.abs(reached - self.grid.part[self.totals]) * self.weights[self.totals]
        return np.asarray(self.urgency * self.outside(reached) + PRICE * far)

    def gains(self) -> np.ndarray:
        now = self.worth(self.reached)
        up, down = self.worth(self.reached + 1) - now, self.worth(self.reached - 1) - now
        numbers = self.sums.inner[self.cells]
        own = PRICE * self.weights[numbers] * (1 - 2 * self.grid.part[numbers])
        return np.asarray(np.where(self.taken == 0, self.under @ up + own, self.under @ down - own))

    def urge(self) -> None:
        self.urgency += self.outside(self.reached) > 0

    def change(self, cell: int) -> None:
        way = 1 - 2 * self.taken[cell]
        self.taken[cell] += way
        start, end = self.over.indptr[cell : cell + 2]
        self.reached[self.over.indices[start:end]] += way * self.over.data[start:end]

    def distance(self) -> float:
        numbers = self.sums.inner[self.cells]
        own = np.abs(self.taken - self.grid.part[numbers]) @ self.weights[numbers]
        return float(own + np.abs(self.reached - self.grid.part[self.totals]) @ self.weights[self.totals])

    def better(self, best: Mended) -> bool:
        out = float(self.outside(self.reached).sum())
        least = float(best.beyond.sum())
        return out < least or (out == least and self.distance() < best.distance - 1e-9)

    def answer(self) -> Mended:
        steps, beyond = np.zeros(self.grid.table.size), np.zeros(self.grid.table.size)
        steps[self.sums.inner[self.cells]] = self.taken
        steps[self.totals] = self.reached
        beyond[self.totals] = self.outside(self.reached)
        return Mended(steps, beyond, self.distance())
