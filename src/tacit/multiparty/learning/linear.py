"""Linear regression on everybody's rows, from one secure sum of X'X and X'y (I-06)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ..agreement.section import one_of
from ..statistics.column import Agreed, agreed
from ..statistics.feasible import check_moments, check_rows
from ..statistics.moments import Moments, pairs
from .learner import Add, Figures

__all__ = ["LinearRegression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearRegression:
    """Least squares of ``target`` on all other columns. **All learn** the sums: means, variances and covariances."""

    columns: tuple[Agreed, ...]
    rows: int
    target: str

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> LinearRegression:  # noqa: ARG003
        """From ``[task]``: columns, and which of them is the ``target``."""
        columns = tuple(agreed(*one) for one in task["columns"].items())
        return cls(columns=columns, rows=rows, target=one_of(task, "target", [one.name for one in columns]))

    @property
    def seen(self) -> str:
        """The moments, from which more follows than the fit."""
        return "means, variances and covariances of all columns"

    def largest(self, parties: int) -> int:
        """A sum of squares."""
        return parties * self.rows * int(max(1, *(one.most for one in self.columns)) ** 2)

    def own(self, frame: pl.DataFrame) -> dict[str, list[int]]:
        """The values in units."""
        return {one.name: one.units(frame) for one in self.columns}

    def _feasible(self, sums: list[int], parties: int) -> None:
        check_rows(sums[0], parties * self.rows)
        size = 1 + len(self.columns)
        check_moments(self.columns, sums[0], sums[1:size], sums[size:])

    async def learn(self, own: dict[str, list[int]], add: Add) -> Figures:
        """One secure sum."""
        both = pairs(list(own))
        products = [sum(x * y for x, y in zip(own[a], own[b], strict=True)) for a, b in both]
        rows, *sums = await add([len(own[self.target]), *map(sum, own.values()), *products], self._feasible)
        totals = dict(zip(own, sums, strict=False))
        found = dict(zip(both, sums[len(own) :], strict=True))
        return {"rows": rows} | Moments(columns=self.columns, rows=rows, totals=totals, products=found).regression(
            self.target
        )
