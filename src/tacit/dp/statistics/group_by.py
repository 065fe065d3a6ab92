"""One statistic for every group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ..cost import Cost, total
from ..event import Event
from ..keys import entries, listed, places
from ..neighbours import Neighbours, known, one_kind
from .count import Count
from .estimate import Estimate
from .histogram import Histogram
from .mean import Mean
from .quantile import Quantile
from .sum import Sum
from .variance import Variance

__all__ = ["GroupBy"]

Statistic = Count | Sum | Mean | Variance | Quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy:
    """A statistic of each group of records; groups are public keys, or a thresholded histogram finds them (H-03).

    A record is in one group, so one that is added or removed touches one answer: all groups together cost what one costs
    (parallel composition). One that is replaced may leave a group and enter another: that costs twice. The statistic itself
    is declared for ``add_remove``, because the size of a group is private in both. Time O(n) for each pass.

    >>> from tacit.dp import Count
    >>> counts = GroupBy(statistic=Count(epsilon=1, neighbours="add_remove"), keys=["a", "b"], neighbours="replace")
    >>> str(counts.cost)
    'ε = 2'
    """

    statistic: Statistic
    keys: tuple[Hashable, ...] | Histogram
    neighbours: Neighbours

    def __post_init__(self) -> None:
        known(self.neighbours)
        if not isinstance(self.statistic, Statistic):
            raise TacitError(
                "each group has one statistic", fix="e.g. statistic=Count(epsilon=1, neighbours='add_remove')"
            )
        if self.statistic.neighbours != "add_remove":
            raise TacitError(
                "the number of records of a group is private, so its statistic is of neighbours by 'add_remove'",
                fix="declare neighbours='add_remove' in the statistic",
            )
        if isinstance(self.keys, Histogram):
            one_kind((self.keys.neighbours, self.neighbours))
        else:
            object.__setattr__(self, "keys", listed(self.keys))

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told: of the search for keys, and of the one or two groups that a person touches."""
        touched = 2 if self.neighbours == "replace" else 1
        own = tuple(event.for_neighbours(self.neighbours) for event in self.statistic.events) * touched
        return (*self.keys.events, *own) if isinstance(self.keys, Histogram) else own

    @property
    def cost(self) -> Cost:
        """ε of the groups that a person touches, and of the search for keys."""
        return total(event.cost for event in self.events)

    def release(self, groups: Iterable[object], data: Iterable[object]) -> Estimate:
        """One estimate for each group; ``groups`` and ``data`` are two columns of the same records."""
        group, value = entries(groups), entries(data)
        if len(group) != len(value):
            raise TacitError("the two columns are not of the same length", fix="give two columns of one table")
        keys = tuple(self.keys.release(group).value) if isinstance(self.keys, Histogram) else self.keys
        return Estimate(
            name=f"by {len(keys)} groups",
            value=FrozenDict(self._by_group(group, value, keys)),
            accuracy=None,
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity="a record is in one group, so it touches one answer, or two when it is replaced",
            bounds=getattr(self.statistic, "bounds", None),
        )

    def _by_group(self, group: list[Any], value: list[Any], keys: tuple[Hashable, ...]) -> dict[Hashable, Estimate]:
        found = places(group, keys)
        order = np.argsort(found, kind="stable")
        edges = np.searchsorted(found[order], np.arange(len(keys) + 1))
        rows = [order[start:end].tolist() for start, end in zip(edges[:-1], edges[1:], strict=True)]
        return {key: self.statistic.release([value[row] for row in part]) for key, part in zip(keys, rows, strict=True)}
