"""Estimates from a masked release beside what the naive analyst takes from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...errors import TacitError, suggest_alternative
from ...interval import Z
from ...result import DisplayMixin, format_fact


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Corrected(DisplayMixin):
    """Estimates by name: ``naive``, as if nothing had been masked, ``corrected``, and the standard error of the latter.

    A name has a part for each column or category that the estimate is of. ``records`` have all the columns; ``notes``
    say what the estimates rest on, and where they are only approximately right.

    >>> from tacit.loss.corrected import Corrected
    >>> one = Corrected(
    ...     names=(("pay",),), naive=np.ones(1), corrected=np.array([0.9]), standard_error=np.array([0.1]), records=99
    ... )
    >>> print(one)
    pay  0.9 (95 % interval 0.704 to 1.096), naive 1
    """

    names: tuple[tuple[str, ...], ...]
    naive: np.ndarray
    corrected: np.ndarray
    standard_error: np.ndarray
    records: int
    notes: tuple[str, ...] = ()

    def intervals(self) -> np.ndarray:
        """The ends of the 95 % intervals, one row for each estimate."""
        reach = Z * self.standard_error
        return np.column_stack([self.corrected - reach, self.corrected + reach])

    def of(self, *name: str) -> float:
        """One corrected estimate, by its name; the two columns of a covariance in any order."""
        for wanted in (name, name[::-1]):
            if wanted in self.names:
                return float(self.corrected[self.names.index(wanted)])
        known = [" × ".join(one) for one in self.names]
        raise TacitError(
            f"there is no estimate of {' × '.join(map(str, name))!r}",
            code="unknown_name",
            fix=suggest_alternative(" × ".join(map(str, name)), known),
        )

    def matrix(self, *, naive: bool = False) -> np.ndarray:
        """The estimates of two dimensions as a matrix: of pairs of columns, or the cells of a table."""
        if not self.names or any(len(name) != 2 for name in self.names):
            raise TacitError("these estimates are no matrix", code="wrong_type", fix="take .frame(), or .corrected")
        first, second = (tuple(dict.fromkeys(name[side] for name in self.names)) for side in (0, 1))
        found = np.zeros((len(first), len(second)))
        square = len(self.names) == len(first) * (len(first) + 1) // 2 and set(first) == set(second)
        second = first if square else second
        for name, value in zip(self.names, self.naive if naive else self.corrected, strict=True):
            row, column = first.index(name[0]), second.index(name[1])
            found[row, column] = value
            if square:
                found[column, row] = value
        return found

    def frame(self) -> pl.DataFrame:
        """One row for each estimate."""
        low, high = self.intervals().T
        return pl.DataFrame(
            {
                "of": [" × ".join(name) for name in self.names],
                "naive": self.naive,
                "corrected": self.corrected,
                "standard error": self.standard_error,
                "low": low,
                "high": high,
            }
        )

    def rows(self) -> Iterator[tuple[str, str]]:
        """Each estimate with its interval and the naive one; then the notes."""
        for name, value, ends, naive in zip(
            self.names, self.corrected, self.intervals().tolist(), self.naive, strict=True
        ):
            interval = format_fact((ends[0], ends[1]))
            yield (
                " × ".join(name),
                f"{format_fact(float(value))} (95 % interval {interval}), naive {format_fact(float(naive))}",
            )
        yield from (("note", note) for note in self.notes)

    def __repr__(self) -> str:
        return f"<Corrected: {len(self.names)} estimates over {self.records} records>"
