"""All that can be computed from answered sums: the row space of the questions, modulo a prime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Space"]

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """Rows in reduced row-echelon form: row k is 1 at ``pivots[k]``, where all other rows are 0.

    A unit vector is in the space exactly when it is one of the rows, because it is the combination of the rows whose
    pivots it meets.
    """

    prime: int
    rows: Whole
    pivots: Whole

    @classmethod
    def empty(cls, width: int, prime: int) -> Space:
        """Nothing is known yet about ``width`` unknowns."""
        return cls(prime=prime, rows=np.zeros((0, width), np.int64), pivots=np.zeros(0, np.int64))

    def split(self, parents: Whole) -> Space:
        """The same rows where some unknowns are the sums of two: a new column, equal to its parent, for each."""
        if not len(parents):
            return self
        return Space(prime=self.prime, rows=np.hstack([self.rows, self.rows[:, parents]]), pivots=self.pivots)

    def joined(self, vector: Whole) -> Space:
        """The space with one more vector; the same object when it was in it. O(rank · width) time."""
        from ...kernels.row_space import cleared, reduced

        free = np.delete(np.arange(self.rows.shape[1]), self.pivots)
        rest = reduced(self.rows, self.pivots, free, vector, self.prime)
        support = np.flatnonzero(rest)
        if not len(support):
            return self
        factor = pow(int(rest[support[0]]), -1, self.prime)
        rest[support] = [int(entry) * factor % self.prime for entry in rest[support]]
        rows = cleared(self.rows, support[0], rest, self.prime)
        return Space(prime=self.prime, rows=rows, pivots=np.append(self.pivots, support[0]))

    def determined(self) -> Whole:
        """The unknowns whose value follows from the answers. O(rank · width) at the worst, mostly O(rank)."""
        from ...kernels.row_space import lone

        found: Whole = self.pivots[lone(self.rows)]
        return found
