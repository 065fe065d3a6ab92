"""Quantiles of everybody's values by bisection: how many lie at or below the middle of what is left (I-06)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from ...errors import TacitError
from ..statistics.column import Agreed, agreed
from ..statistics.feasible import Beyond, check_count, check_rows
from ..statistics.number import number
from .learner import Add, Figures

__all__ = ["Quantiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    r"""The smallest value v, in units, with at least the share q of all values at or below it; exact.

    Bisection of the agreed range: each round is one secure sum of a count for each column and q. **All learn those counts**, about
    :math:`\log_2((high - low) 10^{decimals})` points of the distribution function, closer and closer to the quantile.
    """

    columns: tuple[Agreed, ...]
    rows: int
    at: tuple[float, ...]

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> Quantiles:  # noqa: ARG003 - all learners are made alike
        """From ``[task]``: columns, and ``at``, the shares."""
        at = task.get("at")
        if not isinstance(at, list) or not at or not all(_share(q) for q in at):
            raise TacitError("no shares are given", fix="e.g. at = [0.25, 0.5, 0.75]", where="task.at")
        return cls(columns=tuple(agreed(*one) for one in task["columns"].items()), rows=rows, at=tuple(at))

    @property
    def seen(self) -> str:
        """Counts."""
        return "a count at every point that the bisection tried"

    def largest(self, parties: int) -> int:
        """A count."""
        return parties * self.rows

    def own(self, frame: pl.DataFrame) -> list[list[int]]:
        """The values of each column, in units."""
        return [one.units(frame) for one in self.columns]

    async def learn(self, own: list[list[int]], add: Add) -> Figures:
        """One secure sum a round, for all quantiles at once."""
        (rows,) = await add([len(own[0])], lambda sums, parties: check_rows(sums[0], parties * self.rows))
        wanted = [(one, values, q) for one, values in zip(self.columns, own, strict=True) for q in self.at]
        ends = [list(one.ends) for one, _, _ in wanted]
        needed = [math.ceil(Fraction(str(q)) * rows) for _, _, q in wanted]
        rounds, feasible = 0, _Feasible(len(wanted), rows - len(own[0]))
        while rows and any(low < high for low, high in ends):
            middles = [(low + high) // 2 for low, high in ends]
            counts = [sum(v <= middle for v in values) for (_, values, _), middle in zip(wanted, middles, strict=True)]
            feasible.middles = middles
            for end, middle, count, need in zip(ends, middles, await add(counts, feasible), needed, strict=True):
                if end[0] < end[1]:
                    end[count >= need] = middle + (count < need)
            rounds += 1
        found: Figures = {
            "rows": rows,
            "quantile": {one.name: {} for one in self.columns},
            "counts seen a quantile": rounds,
        }
        for (one, _, q), (low, _) in zip(wanted, ends, strict=True):
            found["quantile"][one.name][str(q)] = number(Fraction(low, 10**one.decimals)) if rows else None
        return found


class _Feasible:
    """The others' distribution function: no count is below one at a smaller point, or above one at a larger point."""

    def __init__(self, quantiles: int, rows: int) -> None:
        self.middles: list[int] = []
        self._rows = rows
        self._known: list[dict[int, int]] = [{} for _ in range(quantiles)]

    def __call__(self, sums: list[int], _parties: int) -> None:
        for known, middle, count in zip(self._known, self.middles, sums, strict=True):
            least = max((n for point, n in known.items() if point <= middle), default=0)
            most = min((n for point, n in known.items() if point >= middle), default=self._rows)
            check_count(count, most, "a count is beyond what the earlier ones allow")
            if count < least:
                raise Beyond("a count is below what the earlier ones allow")
            known[middle] = count


def _share(given: object) -> bool:
    return isinstance(given, float | int) and not isinstance(given, bool) and 0 < given <= 1
