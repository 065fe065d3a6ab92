"""Publish again what need not be hidden."""

from __future__ import annotations

import numpy as np

from ...progress import Progress, report_progress
from ..problem import Problem
from .cell_demands import CellDemands, level_slack
from .deviations import DeviationProgram

WORK = 2e9
"""Linear programs × the square of the cells in them: about a minute. Counted, so that the same table gives the same pattern."""

FEW, TRIED, MIXED = 6, 6, 300
"""Where so many demands are open, so many of the lost movements are mixed with so many others before a program is asked."""


def clean_pattern(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """The pattern without the secondary cells that no unsafe cell needs, dearest first; none that is left can go.

    A cell may go when every unsafe cell keeps its levels without it. One pass is enough: fewer suppressed cells never
    give more room, so a cell that had to stay has to stay. An unsafe cell that is short from the start gets no shorter.
    A few pivots for each secondary cell and each demand whose last known movement went through it. In very large patterns
    that adds up: when :data:`WORK` is spent, the cheaper cells that were not tried stay hidden.
    """
    hidden = hidden | problem.must_suppress
    if not (hidden & ~problem.must_suppress).any():
        return hidden
    rooms = DeviationProgram(problem, hidden)
    needs, known = _initial_witnesses(problem, rooms)
    alone = SingletonCounter(problem, hidden, needs.select_demands(np.flatnonzero(needs.levels > 0)))
    failed = np.zeros(len(needs), dtype=np.int64)
    before = rooms.asked
    spare = np.flatnonzero(hidden & ~problem.must_suppress)
    spare = spare[np.lexsort((spare, -problem.cost[spare]))]
    for done, cell in enumerate(spare.tolist()):
        if done % 64 == 0:
            report_progress(progress, "cleaning up", done / len(spare))
        if (rooms.asked - before) * len(rooms.cells) ** 2 > WORK:
            break
        if not alone.gives_away(cell) and _try_publish(cell, rooms, needs, known, failed):
            alone.publish(cell)
            hidden[cell] = False
    return hidden


def _initial_witnesses(problem: Problem, rooms: DeviationProgram) -> tuple[CellDemands, Witnesses]:
    """The demands, none beyond what the pattern gives, and a movement that shows each."""
    needs = CellDemands.of(problem)
    known = Witnesses(needs, rooms.place, len(rooms.cells))
    levels = needs.levels.copy()
    for at, (cell, sign, level) in enumerate(needs):
        if not known.counts[at]:
            room, movement = rooms.reach(cell, sign, level)
            levels[at] = min(level, room)
            known.add(movement)
    if (levels < needs.levels).any():
        needs = CellDemands(needs.cells, needs.signs, levels)
        again = Witnesses(needs, rooms.place, len(rooms.cells))
        again.add_all(known)
        return needs, again
    return needs, known


def _try_publish(cell: int, rooms: DeviationProgram, needs: CellDemands, known: Witnesses, failed: np.ndarray) -> bool:
    """Close the cell if every demand is met without it; otherwise leave all as it was. What failed often is asked first."""
    column = int(rooms.place[cell])
    lost = known.drop_moving(column)
    low, high = float(rooms.low[column]), float(rooms.high[column])
    _reroute_around(rooms, known, column, lost)
    rooms.close(cell)
    while len(open_ := np.flatnonzero(known.counts == 0)):
        at = int(open_[np.argmax(failed[open_])])
        _, movement = rooms.reach(int(needs.cells[at]), int(needs.signs[at]), float(needs.levels[at]))
        known.add(movement)
        if not known.counts[at]:
            failed[at] += 1
            rooms.open(cell, low, high)
            known.restore_dropped(lost)
            return False
    known.free_memory()
    return True


def _reroute_around(rooms: DeviationProgram, known: Witnesses, column: int, lost: np.ndarray) -> None:
    """Movements around a cell from pairs that go through it: one less a multiple of the other does not move it."""
    if len(lost) < 2 or int((known.counts == 0).sum()) < FEW:
        return
    rows = known.movement_rows(lost[-MIXED:])
    amounts = rows[:, column]
    sparse = np.argsort(np.count_nonzero(rows, axis=1), kind="stable")[:TRIED]
    for base in sparse.tolist():
        if (known.counts > 0).all():
            return
        mixed = rows - np.outer(amounts / amounts[base], rows[base])
        mixed[:, column] = 0.0
        mixed = rooms.scale_to_bounds(mixed)
        for at in known.is_useful(mixed).tolist():
            if len(known.is_useful(mixed[[at]])):
                known.add(mixed[at])


class SingletonCounter:
    """How many suppressed cells every equation has; a cell alone in one is known, and so are those it leaves alone.

    Answers "does an unsafe cell become known when this cell is published?" without a linear program; "no" is no promise.
    O(equations touched) per question.
    """

    def __init__(self, problem: Problem, hidden: np.ndarray, needs: CellDemands) -> None:
        matrix = problem.table.equations.matrix
        by_cell = matrix.tocsc()
        self._start, self._rows = by_cell.indptr, by_cell.indices
        ones = matrix.copy()
        ones.data = np.ones_like(ones.data)
        self._counts = np.asarray(ones @ hidden.astype(np.float64)).astype(np.int64)
        # The sum of the cell numbers in an equation: what is left of it when one cell is, is that cell.
        self._sums = np.asarray(ones @ np.where(hidden, np.arange(len(hidden)), 0).astype(np.float64)).astype(np.int64)
        self._needed = np.zeros(len(hidden), dtype=bool)
        self._needed[needs.cells] = True

    def gives_away(self, cell: int) -> bool:
        """Whether publishing the cell makes an unsafe one known; nothing is changed by asking."""
        taken, todo, gone = [], [cell], {cell}
        while todo:
            now = todo.pop()
            for row in self._rows[self._start[now] : self._start[now + 1]].tolist():
                self._counts[row] -= 1
                self._sums[row] -= now
                taken.append((row, now))
                if self._counts[row] == 1 and (left := int(self._sums[row])) not in gone:
                    if self._needed[left]:
                        self._undo_removals(taken)
                        return True
                    gone.add(left)
                    todo.append(left)
        self._undo_removals(taken)
        return False

    def publish(self, cell: int) -> None:
        """Take the cell out of the equations for good."""
        rows = self._rows[self._start[cell] : self._start[cell + 1]]
        self._counts[rows] -= 1
        self._sums[rows] -= cell

    def _undo_removals(self, taken: list[tuple[int, int]]) -> None:
        for row, cell in taken:
            self._counts[row] += 1
            self._sums[row] += cell


class Witnesses:
    """Movements of the suppressed cells that an outsider cannot rule out: rows are movements, columns cells.

    A movement shows that each cell in it can go so far. It is lost as soon as one of its cells is published. For every
    demand the movements that show it are counted, so "what must be asked anew?" is answered at once.
    Memory O(movements × cells).
    """

    def __init__(self, needs: CellDemands, place: np.ndarray, width: int) -> None:
        self._columns, self._signs = place[needs.cells], needs.signs
        self._levels = needs.levels - level_slack(needs.levels)
        self._rows = np.zeros((64, width))
        self._shows = np.zeros((64, len(needs)), dtype=bool)
        self._alive = np.zeros(64, dtype=bool)
        self._size = 0
        self.counts = np.zeros(len(needs), dtype=np.int64)

    def add(self, movement: np.ndarray) -> None:
        """Keep one more movement."""
        if self._size == len(self._rows):
            self._grow_store()
        shows = self._signs * movement[self._columns] >= self._levels
        self._rows[self._size], self._shows[self._size], self._alive[self._size] = movement, shows, True
        self._size += 1
        self.counts += shows

    def add_all(self, other: Witnesses) -> None:
        """Keep all that another store of the same pattern knows."""
        for movement in other._rows[: other._size][other._alive[: other._size]]:
            self.add(movement)

    def drop_moving(self, column: int) -> np.ndarray:
        """Forget the movements in which a cell moves; which they were, to be handed to ``regain``."""
        lost = np.flatnonzero(self._alive[: self._size] & (self._rows[: self._size, column] != 0))
        self._alive[lost] = False
        self.counts -= self._shows[lost].sum(axis=0)
        return lost

    def restore_dropped(self, lost: np.ndarray) -> None:
        """Take back what the last ``lose`` forgot."""
        self._alive[lost] = True
        self.counts += self._shows[lost].sum(axis=0)

    def movement_rows(self, which: np.ndarray) -> np.ndarray:
        """Some movements, forgotten or not, as rows."""
        found: np.ndarray = self._rows[which]
        return found

    def is_useful(self, movements: np.ndarray) -> np.ndarray:
        """Which of some new movements show a demand that none shows so far."""
        open_ = np.flatnonzero(self.counts == 0)
        shows = self._signs[open_] * movements[:, self._columns[open_]] >= self._levels[open_]
        found: np.ndarray = np.flatnonzero(shows.any(axis=1))
        return found

    def free_memory(self) -> None:
        """Give back the memory of what is forgotten, when that is most of it; no ``regain`` of older losses after this."""
        kept = np.flatnonzero(self._alive[: self._size])
        if len(kept) < 0.5 * self._size:
            self._rows[: len(kept)], self._shows[: len(kept)] = self._rows[kept], self._shows[kept]
            self._size = len(kept)
            self._alive[:] = False
            self._alive[: self._size] = True

    def _grow_store(self) -> None:
        self._rows = np.vstack([self._rows, np.zeros_like(self._rows)])
        self._shows = np.vstack([self._shows, np.zeros_like(self._shows)])
        self._alive = np.r_[self._alive, np.zeros_like(self._alive)]
