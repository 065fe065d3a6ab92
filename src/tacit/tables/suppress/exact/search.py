"""The search for the cheapest pattern of one block: relax and cut, repair, narrow, then whole cells in rounds."""

from __future__ import annotations

import numpy as np

from ..clean import cleaned
from ..flow import flow
from .block import Block, Goal, moving
from .cuts import Cut, Cutter, all_company, company
from .effort import Effort
from .master import Master

__all__ = ["Search"]

WINDOW = 8
"""So many rounds of cuts are waited for a gain …"""

GAIN = 1e-4
"""… of this share of the bound; then cutting has run its course."""

ROUNDING = 1e-7
"""This share of a bound may be arithmetic."""

POLISH = 15
"""So many programs near the best pattern are solved at most …"""

SHARE = 0.05
"""… over its cells and those that the relaxation hides by more than this share."""

AGAIN = 3
"""So many rounds of cuts follow each whole pattern."""

COMPANY = 100_000
"""So many coefficients of company cuts are handed over for whole patterns all at once."""

CLOSE = 1e-6
"""A gap below this share of the cost counts as none."""


class Search:
    """One block's best pattern so far and the proven bound; ``run`` improves both until they meet or a limit is reached."""

    def __init__(self, block: Block, effort: Effort) -> None:
        self.block, self._effort = block, effort
        self._cutter, self._master = Cutter(block, effort), Master(block, effort)
        self._step = _step(block.cost)
        self._gone = np.zeros(block.size, dtype=bool)
        self._polished, self._stuck = np.inf, False
        self._goals: tuple[Goal, ...] = ()
        self.best, self.cost, self.bound = block.fixed.copy(), np.inf, float(block.cost[block.fixed].sum())

    def missed(self) -> Goal | None:
        """A goal that no pattern reaches, if there is one."""
        every = np.ones(self.block.size, dtype=bool)
        return next((goal for goal in self.block.goals if self._cutter.short(goal, every)), None)

    def run(self, start: np.ndarray | None = None) -> None:
        """From the relaxation to the proof."""
        self._goals = tuple(goal for goal in self.block.goals if self._cutter.short(goal, self.block.fixed))
        if not self._goals:
            self.cost = self.bound
            return
        if start is not None:
            self._repair(start, None)
        for deep in (False, True):
            if self.open:
                self._cut(deep=deep)
                self._repair(None, self._master.y)
                self._narrow()
        if self.open:
            self._master.add(all_company(self.block, ~self._gone, most=COMPANY), lasting=True)
        while self.open and not self._stuck and self._effort.stopped is None:
            self._round()
        if not np.isfinite(self.cost):
            self.best, self.cost = np.ones(self.block.size, dtype=bool), float(self.block.cost.sum())
        if not self.open and self._step:
            self.bound = self.cost

    @property
    def open(self) -> bool:
        """Whether a cheaper pattern is still possible."""
        return self.bound < self._enough

    @property
    def _enough(self) -> float:
        """A bound above which no pattern is cheaper than the best one."""
        if not np.isfinite(self.cost):
            return np.inf
        return self.cost - max(CLOSE * abs(self.cost), self._step * (1 - CLOSE))

    def _cut(self, *, deep: bool, most: int = 1000) -> None:
        """Relax and add cuts until none is missed, or they no longer gain."""
        gained: list[float] = []
        while self._effort.stopped is None and len(gained) < most:
            self._master.relax()
            self._prove(self._master.bound)
            gained.append(self._master.bound)
            waited = len(gained) > WINDOW and gained[-1] - gained[-1 - WINDOW] < GAIN * abs(gained[-1])
            self._effort.tell("cutting")
            if not self.open or waited or not self._master.add(self._missing(self._master.y, deep=deep)):
                return
            if len(gained) % WINDOW == 0:
                self._master.tidy()

    def _missing(self, y: np.ndarray, *, deep: bool) -> list[Cut]:
        """Cuts that a relaxed pattern misses."""
        found = company(self.block, y)
        for goal in self._goals:
            cut = self._cutter.capacity(goal, y)
            if cut is None:
                continue
            if cut.misses(y):
                found.append(cut)
            if deep:
                start = np.ones(self.block.size, dtype=bool)
                start[cut.cells] = False
                cover = self._cutter.cover(goal, start, y)
                if cover.misses(y):
                    found.append(cover)
        return found

    def _round(self) -> None:
        """Solve for whole patterns, first near a new best one, then among all; repair what comes out, and cut it off."""
        self._master.tidy()
        if self.cost < self._polished:
            self._polish()
            self._polished = self.cost
        bound, found = self._master.whole(self.best, ~self._gone)
        self._effort.rounds += 1
        self._prove(bound)
        self._effort.tell("searching whole patterns")
        if not self.open:
            return
        if found is None or (found == self.best).all():
            self._effort.exhaust()
            self._stuck = True
            return
        self._learn(found)
        self._cut(deep=True, most=AGAIN)
        self._narrow()

    def _polish(self) -> None:
        """Solve among the cells of the best pattern and of the relaxed one; a small program, whose cuts hold for all."""
        for _ in range(POLISH):
            near = ~self._gone & (self.best | (self._master.y > SHARE))
            _, found = self._master.whole(self.best, near)
            if found is None or (found == self.best).all() or not self.open or self._effort.stopped is not None:
                return
            self._learn(found)

    def _learn(self, found: np.ndarray) -> None:
        """Cut off a pattern that does not protect, after repair; take one that does."""
        recalled = self._master.recall(found.astype(np.float64))
        cuts = self._broken(found, self._master.y)
        if cuts:
            self._master.add(cuts, lasting=True)
            self._repair(found, None)
        elif not recalled:
            self._take(found)

    def _narrow(self) -> None:
        """Leave out the cells that no pattern cheaper than the best one hides, and those that cannot move without them."""
        if not self.open:
            return
        gone = self._gone | self._master.dear(self._enough)
        if (gone != self._gone).any():
            self._gone = gone | ~moving(~gone, self.block.matrix)
            self._gone &= ~self.block.fixed
            self._master.publish(self._gone)
            self._cutter.publish(self._gone)

    def _broken(self, hidden: np.ndarray, y: np.ndarray) -> list[Cut]:
        """Cuts that a pattern of whole cells misses: for each goal that it does not reach."""
        whole = hidden.astype(np.float64)
        found = company(self.block, whole)
        for goal in self._goals:
            if not self._cutter.short(goal, hidden):
                continue
            for capped in (False, True):
                cut = self._cutter.capacity(goal, whole, capped=capped)
                start = hidden.copy()
                if cut is not None:
                    found.append(cut)
                    start |= ~np.isin(np.arange(self.block.size), cut.cells)
                found.append(self._cutter.cover(goal, start if self._cutter.short(goal, start) else hidden, y))
        return found

    def _prove(self, bound: float) -> None:
        """A bound on patterns that beat the best one bounds all, up to the cost of the best."""
        if np.isfinite(bound):
            # What the solver's own tolerances may have added is taken off; costs come in whole steps.
            bound -= ROUNDING * abs(bound)
            bound = self._step * np.ceil(bound / self._step - CLOSE) if self._step else bound
        self.bound = max(self.bound, min(bound, self.cost))

    def _repair(self, start: np.ndarray | None, guide: np.ndarray | None) -> None:
        block = self.block
        first = None if start is None else block.hidden(start)
        share = None
        if guide is not None:
            share = np.zeros(block.problem.size)
            share[block.cells] = guide
        self._take(cleaned(block.problem, flow(block.problem, start=first, guide=share))[block.cells])

    def _take(self, hidden: np.ndarray) -> None:
        cost = float(self.block.cost[hidden].sum())
        if cost < self.cost and not any(self._cutter.short(goal, hidden) for goal in self._goals):
            self.best, self.cost = hidden, cost


def _step(cost: np.ndarray) -> float:
    """The least difference between the costs of two patterns: a common divisor of whole costs, 0 when they are not whole."""
    if not len(cost) or float(cost.max()) > 1e9 or not bool((cost == np.round(cost)).all()):
        return 0.0
    return float(np.gcd.reduce(cost.astype(np.int64)))
