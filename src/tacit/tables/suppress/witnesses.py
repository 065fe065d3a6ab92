"""Movements that were found once, kept to answer later questions without solving anything."""

from __future__ import annotations

import numpy as np

from .needs import Needs, slack

__all__ = ["Witnesses"]


class Witnesses:
    """Movements of the suppressed cells that an outsider cannot rule out: rows are movements, columns cells (G-04).

    A movement shows that each cell in it can go so far. It is lost as soon as one of its cells is published. For every
    demand the movements that show it are counted, so "what must be asked anew?" is answered at once.
    Memory O(movements × cells).
    """

    def __init__(self, needs: Needs, place: np.ndarray, width: int) -> None:
        self._columns, self._signs = place[needs.cells], needs.signs
        self._levels = needs.levels - slack(needs.levels)
        self._rows = np.zeros((64, width))
        self._shows = np.zeros((64, len(needs)), dtype=bool)
        self._alive = np.zeros(64, dtype=bool)
        self._size = 0
        self.counts = np.zeros(len(needs), dtype=np.int64)

    def add(self, movement: np.ndarray) -> None:
        """Keep one more movement."""
        if self._size == len(self._rows):
            self._grow()
        shows = self._signs * movement[self._columns] >= self._levels
        self._rows[self._size], self._shows[self._size], self._alive[self._size] = movement, shows, True
        self._size += 1
        self.counts += shows

    def take(self, other: Witnesses) -> None:
        """Keep all that another store of the same pattern knows."""
        for movement in other._rows[: other._size][other._alive[: other._size]]:
            self.add(movement)

    def lose(self, column: int) -> np.ndarray:
        """Forget the movements in which a cell moves; which they were, to be handed to ``regain``."""
        lost = np.flatnonzero(self._alive[: self._size] & (self._rows[: self._size, column] != 0))
        self._alive[lost] = False
        self.counts -= self._shows[lost].sum(axis=0)
        return lost

    def regain(self, lost: np.ndarray) -> None:
        """Take back what the last ``lose`` forgot."""
        self._alive[lost] = True
        self.counts += self._shows[lost].sum(axis=0)

    def movements(self, which: np.ndarray) -> np.ndarray:
        """Some movements, forgotten or not, as rows."""
        found: np.ndarray = self._rows[which]
        return found

    def useful(self, movements: np.ndarray) -> np.ndarray:
        """Which of some new movements show a demand that none shows so far."""
        open_ = np.flatnonzero(self.counts == 0)
        shows = self._signs[open_] * movements[:, self._columns[open_]] >= self._levels[open_]
        found: np.ndarray = np.flatnonzero(shows.any(axis=1))
        return found

    def tidy(self) -> None:
        """Give back the memory of what is forgotten, when that is most of it; no ``regain`` of older losses after this."""
        kept = np.flatnonzero(self._alive[: self._size])
        if len(kept) < 0.5 * self._size:
            self._rows[: len(kept)], self._shows[: len(kept)] = self._rows[kept], self._shows[kept]
            self._size = len(kept)
            self._alive[:] = False
            self._alive[: self._size] = True

    def _grow(self) -> None:
        self._rows = np.vstack([self._rows, np.zeros_like(self._rows)])
        self._shows = np.vstack([self._shows, np.zeros_like(self._shows)])
        self._alive = np.r_[self._alive, np.zeros_like(self._alive)]
