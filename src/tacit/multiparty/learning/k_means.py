"""k-means on everybody's rows: each round's centres from one secure sum (I-06)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, whole
from ..statistics.column import WIDEST, Agreed, agreed
from ..statistics.feasible import Beyond, check_count, check_rows, check_total
from .learner import Add, Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class KMeans:
    """Lloyd's rounds from agreed ``centres``: rows go to the nearest, centres to the mean of their rows, until nothing moves.

    Distances count each column by its agreed range. A centre without rows stays. **All learn** sizes and centres of every round.
    """

    columns: tuple[Agreed, ...]
    rows: int
    centres: tuple[tuple[float, ...], ...]
    rounds: int

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> KMeans:  # noqa: ARG003
        """From ``[task]``: columns, ``centres`` to begin with, and at most so many ``rounds``."""
        columns = tuple(agreed(*one) for one in task["columns"].items())
        centres = task.get("centres")
        if not isinstance(centres, list) or not centres or not all(_point(one, len(columns)) for one in centres):
            raise TacitError(
                f"no centres of {len(columns)} numbers are given",
                fix="e.g. centres = [[20, 1.5], [60, 3.0]]",
                where="task.centres",
            )
        whole("rounds", task.get("rounds", 50), least=1)
        made = tuple(tuple(float(x) for x in one) for one in centres)
        return cls(columns=columns, rows=rows, centres=made, rounds=task.get("rounds", 50))

    @property
    def seen(self) -> str:
        """The way to the last round."""
        return "sizes and centres of every round, not of the last alone"

    def largest(self, parties: int) -> int:
        """A sum of values."""
        return parties * self.rows * int(max(1, *(one.most for one in self.columns)))

    def own(self, frame: pl.DataFrame) -> np.ndarray:
        """The values in units, a row a row."""
        return np.array([one.units(frame) for one in self.columns], dtype=object).reshape(len(self.columns), -1).T

    async def learn(self, own: np.ndarray, add: Add) -> Figures:
        """One secure sum a round; that nothing moved is seen in the sums, which all have."""
        units = np.array([10**one.decimals for one in self.columns])
        widths = np.array([one.high - one.low for one in self.columns], float)
        rows = own.astype(float) / units / widths
        centres, before, rounds, feasible = np.array(self.centres), None, 0, _Feasible(self)
        sizes: list[int] = []
        while rounds < self.rounds:
            gaps = ((rows[:, None, :] - centres[None] / widths) ** 2).sum(axis=2)
            nearest = gaps.argmin(axis=1)
            parts = [own[nearest == k] for k in range(len(centres))]
            sums = await add([n for part in parts for n in (len(part), *(int(x) for x in part.sum(axis=0)))], feasible)
            rounds += 1
            if sums == before:
                break
            table = np.array(sums, float).reshape(len(centres), -1)
            sizes, before = [int(size) for size in table[:, 0]], sums
            full = table[:, 0] > 0
            centres[full] = table[full, 1:] / table[full, :1] / units
        found = [dict(zip((one.name for one in self.columns), centre, strict=True)) for centre in centres.tolist()]
        return {"rows": sum(sizes), "centres": found, "sizes": sizes, "rounds seen by all": rounds}


class _Feasible:
    """What the others may bring in a round: rows within the bounds, and as many of them as in the round before."""

    def __init__(self, model: KMeans) -> None:
        self._model, self._before = model, -1

    def __call__(self, sums: list[int], parties: int) -> None:
        rows, rest = 0, iter(sums)
        for _ in self._model.centres:
            count = next(rest)
            rows += count
            check_count(count, parties * self._model.rows, "the size of a cluster is beyond the agreed rows")
            for column in self._model.columns:
                check_total(column, count, next(rest))
        check_rows(rows, parties * self._model.rows)
        if rows != self._before >= 0:
            raise Beyond("the number of rows differs from that of the round before")
        self._before = rows


def _point(given: object, size: int) -> bool:
    return isinstance(given, list) and len(given) == size and all(_coordinate(x) for x in given)


def _coordinate(given: object) -> bool:
    """A number, neither of yes and no nor infinite."""
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= WIDEST
