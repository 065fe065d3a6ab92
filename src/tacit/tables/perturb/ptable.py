"""A perturbation table: for each count, by how much it changes, and with which chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PTable:
    """``changes[i]`` are the noises that a count of i may get and ``chances[i]`` how likely; the last row is for all larger counts.

    >>> table = PTable((np.array([0]), np.array([-1, 2])), (np.array([1.0]), np.array([2 / 3, 1 / 3])))
    >>> table.noise(np.array([0, 1, 1, 50]), np.array([0.5, 0.1, 0.9, 0.7])).tolist()
    [0.0, -1.0, 2.0, 2.0]
    """

    changes: tuple[np.ndarray, ...]
    chances: tuple[np.ndarray, ...]

    def __post_init__(self) -> None:
        if not self.changes or len(self.changes) != len(self.chances):
            raise TacitError("the p-table has no rows", code="too_few_records", fix="give one row per count, from 0 on")
        for count, (change, chance) in enumerate(zip(self.changes, self.chances, strict=True)):
            if len(change) != len(chance) or not len(chance):
                raise TacitError(
                    f"the row of count {count} has no chance for each change",
                    code="invalid_table",
                    fix="give one for each",
                )
            if (chance < 0).any() or abs(float(chance.sum()) - 1) > 1e-6:
                raise TacitError(
                    f"the chances of count {count} do not add up to 1",
                    code="invalid_table",
                    fix="mend that row of the p-table",
                )
            if (np.asarray(change) + count < 0).any():
                raise TacitError(
                    f"a count of {count} could fall below 0",
                    code="out_of_range",
                    fix=f"give no change below {-count} there",
                )
        if (self.changes[0] != 0).any():
            raise TacitError(
                "a count of 0 would change", code="invalid_table", fix="let the row of count 0 be the change 0 alone"
            )

    @property
    def largest(self) -> int:
        """The largest change of any count."""
        return int(max(np.abs(change).max() for change in self.changes))

    @property
    def forbidden(self) -> int:
        """Counts from 1 up to it never appear."""
        pairs = zip(self.changes, self.chances, strict=True)
        shown = [count + change[chance > 0] for count, (change, chance) in enumerate(pairs)]
        return int(min((int(new[new > 0].min()) for new in shown if (new > 0).any()), default=1)) - 1

    def noise(self, counts: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """The change of each count whose cell key is given: where the key falls among the summed chances. O(cells log D)."""
        found = np.zeros(len(counts))
        row = np.minimum(np.round(counts), len(self.changes) - 1).astype(np.int64)
        for count in np.unique(row):
            here = row == count
            upper = np.cumsum(self.chances[count])
            place = np.minimum(np.searchsorted(upper, keys[here], side="right"), len(upper) - 1)
            found[here] = self.changes[count][place]
        return found

    def variances(self) -> np.ndarray:
        """The variance of the noise of each row."""
        pairs = zip(self.changes, self.chances, strict=True)
        return np.array([float(chance @ np.square(change - chance @ change)) for change, chance in pairs])

    def means(self) -> np.ndarray:
        """The mean of the noise of each row: 0 where counts are right on average."""
        return np.array([float(chance @ change) for change, chance in zip(self.changes, self.chances, strict=True)])

    def __repr__(self) -> str:
        return f"<PTable: {len(self.changes)} rows, changes up to {self.largest}>"
