"""Publish again what need not be hidden."""

from __future__ import annotations

import numpy as np

from ...progress import Progress, report
from ..problem import Problem
from .alone import Alone
from .needs import Needs
from .rooms import Rooms
from .witnesses import Witnesses

__all__ = ["WORK", "cleaned"]

WORK = 2e9
"""Linear programs × the square of the cells in them: about a minute. Counted, so that the same table gives the same pattern."""

FEW, TRIED, MIXED = 6, 6, 300
"""Where so many demands are open, so many of the lost movements are mixed with so many others before a program is asked."""


def cleaned(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """The pattern without the secondary cells that no unsafe cell needs, dearest first; none that is left can go (G-04).

    A cell may go when every unsafe cell keeps its levels without it. One pass is enough: fewer suppressed cells never
    give more room, so a cell that had to stay has to stay. An unsafe cell that is short from the start gets no shorter.
    A few pivots for each secondary cell and each demand whose last known movement went through it. In very large patterns
    that adds up: when :data:`WORK` is spent, the cheaper cells that were not tried stay hidden.
    """
    hidden = hidden | problem.must
    if not (hidden & ~problem.must).any():
        return hidden
    rooms = Rooms(problem, hidden)
    needs, known = _known(problem, rooms)
    alone = Alone(problem, hidden, needs.at(np.flatnonzero(needs.levels > 0)))
    failed = np.zeros(len(needs), dtype=np.int64)
    before = rooms.asked
    spare = np.flatnonzero(hidden & ~problem.must)
    spare = spare[np.lexsort((spare, -problem.cost[spare]))]
    for done, cell in enumerate(spare.tolist()):
        if done % 64 == 0:
            report(progress, "cleaning up", done / len(spare))
        if (rooms.asked - before) * len(rooms.cells) ** 2 > WORK:
            break
        if not alone.gives_away(cell) and _goes(cell, rooms, needs, known, failed):
            alone.publish(cell)
            hidden[cell] = False
    return hidden


def _known(problem: Problem, rooms: Rooms) -> tuple[Needs, Witnesses]:
    """The demands, none beyond what the pattern gives, and a movement that shows each."""
    needs = Needs.of(problem)
    known = Witnesses(needs, rooms.place, len(rooms.cells))
    levels = needs.levels.copy()
    for at, (cell, sign, level) in enumerate(needs):
        if not known.counts[at]:
            room, movement = rooms.reach(cell, sign, level)
            levels[at] = min(level, room)
            known.add(movement)
    if (levels < needs.levels).any():
        needs = Needs(needs.cells, needs.signs, levels)
        again = Witnesses(needs, rooms.place, len(rooms.cells))
        again.take(known)
        return needs, again
    return needs, known


def _goes(cell: int, rooms: Rooms, needs: Needs, known: Witnesses, failed: np.ndarray) -> bool:
    """Close the cell if every demand is met without it; otherwise leave all as it was. What failed often is asked first."""
    column = int(rooms.place[cell])
    lost = known.lose(column)
    low, high = float(rooms.low[column]), float(rooms.high[column])
    _reroute(rooms, known, column, lost)
    rooms.close(cell)
    while len(open_ := np.flatnonzero(known.counts == 0)):
        at = int(open_[np.argmax(failed[open_])])
        _, movement = rooms.reach(int(needs.cells[at]), int(needs.signs[at]), float(needs.levels[at]))
        known.add(movement)
        if not known.counts[at]:
            failed[at] += 1
            rooms.open(cell, low, high)
            known.regain(lost)
            return False
    known.tidy()
    return True


def _reroute(rooms: Rooms, known: Witnesses, column: int, lost: np.ndarray) -> None:
    """Movements around a cell from pairs that go through it: one less a multiple of the other does not move it."""
    if len(lost) < 2 or int((known.counts == 0).sum()) < FEW:
        return
    rows = known.movements(lost[-MIXED:])
    amounts = rows[:, column]
    sparse = np.argsort(np.count_nonzero(rows, axis=1), kind="stable")[:TRIED]
    for base in sparse.tolist():
        if (known.counts > 0).all():
            return
        mixed = rows - np.outer(amounts / amounts[base], rows[base])
        mixed[:, column] = 0.0
        mixed = rooms.fitted(mixed)
        for at in known.useful(mixed).tolist():
            if len(known.useful(mixed[[at]])):
                known.add(mixed[at])
