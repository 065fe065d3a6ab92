"""Rank swapping: values exchanged between records that are near in rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, names, typed
from ..progress import report
from ..release.households import household_level, one_per_household
from ..release.kinds import ORDERED
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from .parameters import column_names, number, random

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["RankSwap"]

ROUNDING = 1e-9
"""So that 0.29 % of 10 000, which comes out as 28.999…, is 29 ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSwap:
    r"""Exchange each value with one at most ``percent`` of the records away in rank (E-03).

    Each column on its own is sorted, ties in random order. For each rank i whose value is still in place, ℓ is drawn
    uniformly among the ranks with values still in place in :math:`[i + 1, \min(n, i + r)]`,
    :math:`r = \lfloor percent \cdot n / 100 \rfloor`; the two values change places, and BOTH are done. (The source's
    sketch never marks them; taken literally, values drift far beyond r.) One value at most stays where it is.

    The values of each column are kept exactly, and no rank moves by more than r; what suffers is the relation between
    columns. n counts the records that have a value; a percentage that reaches no rank is an error. A column that is
    equal within every household is swapped between households. When r is published, intersecting the ranges over
    many columns can re-identify records: judge it with an attack.

    Time O(n log n) and memory O(n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0]}), confidential="pay")
    >>> sorted(r.protect(RankSwap(columns="pay", percent=50), seed=7).native()["pay"])
    [1.0, 2.0, 3.0, 4.0]

    References
    ----------
    Moore (1996), Controlled data-swapping techniques for masking public use microdata sets, US Bureau of the Census.
    """

    columns: str | Sequence[str]
    percent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        if not number(self.percent) or not 0 < self.percent <= 100:
            raise TacitError(
                f"cannot be swapped over percent={typed(self.percent)}",
                column=self.columns[0],
                fix="give a percentage of the records in (0, 100], e.g. percent=5",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with swapped values; the outcome has the reach in ranks of each column."""
        rng = random(self, seed)
        columns = names(self.columns, release.columns)
        shared = household_level(release, columns)
        changes: dict[str, np.ndarray | pl.Series] = {}
        reach: dict[str, int] = {}
        for place, column in enumerate(columns):
            report(progress, "rank_swap", place / len(columns))
            household = one_per_household(release) if column in shared else None
            source, reach[column] = self._sources(release, column, household, rng)
            changes[column] = release.series(column).gather(source)
        report(progress, "rank_swap", 1.0)
        return Masked(release.replaced(changes), (Trace.of(self, reach=Finding(reach, publishable=True)),))

    def _sources(
        self,
        release: Release,
        column: str,
        household: tuple[np.ndarray, np.ndarray] | None,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, int]:
        """The row whose value each row gets, and the reach."""
        from ..kernels.ranks import neighbour_pairs

        if release.kind(column) not in ORDERED:
            raise TacitError(
                f"is {release.kind(column)} and has no ranks",
                column=column,
                fix=f"if its values have an order, say kinds={{{column!r}: 'ordinal'}}",
            )
        first, of_row = household or (np.arange(release.size), np.arange(release.size))
        known = first[release.valid(column)[first]]
        reach = self._reach(column, len(known))
        mixed = rng.permutation(known)
        ranked = mixed[np.argsort(release.codes(column).codes[mixed], kind="stable")]
        source = np.arange(release.size)
        source[ranked] = ranked[neighbour_pairs(len(ranked), reach, rng.random(len(ranked) // 2))]
        return source[first][of_row], reach

    def _reach(self, column: str, values: int) -> int:
        reach = min(floor(self.percent * values / 100 + ROUNDING), values - 1)
        if reach < 1:
            raise TacitError(
                f"has {max(values, 0)} values to rank, of which percent={self.percent:g} reaches no neighbour",
                column=column,
                fix=f"use percent={100 / values:.3g} or more"
                if values > 1
                else "rank swapping needs two values or more",
            )
        return reach
