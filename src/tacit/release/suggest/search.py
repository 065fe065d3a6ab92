"""Minimal column sets that single records out, found level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from .column_set import SeparationCounts, separation_counts

if TYPE_CHECKING:
    from ..codes import Codes


Places: TypeAlias = tuple[int, ...]
"""A set of columns, as their places in order."""


class SetSearch:
    """The minimal sets of columns on which enough records are alone, each set measured once.

    A record that is alone on some columns is alone on more, so a set is worth looking at only when all its subsets
    fall short (the a-priori rule; Agrawal and Srikant 1994, Fast algorithms for mining association rules). A set
    with fewer possible keys than records wanted alone is not counted at all: its keys are at most those of a subset
    times the values of the column added. At most C(m, 1) + … + C(m, largest) groupings of m columns, O(n) each.
    """

    def __init__(self, columns: Sequence[Codes], *, tell: Callable[[float], None] | None = None) -> None:
        self._columns, self._tell = columns, tell
        self._measured: dict[Places, SeparationCounts] = {}

    def spread_of(self, places: Places) -> SeparationCounts:
        """How far the columns at these places tell the records apart."""
        if places not in self._measured:
            self._measured[places] = separation_counts([self._columns[place] for place in places])
        return self._measured[places]

    def minimal_sets(self, *, alone: int, largest: int) -> list[Places]:
        """The sets of at most ``largest`` columns on which ``alone`` records or more are alone, no subset being one."""
        found: list[Places] = []
        level: list[Places] = [(place,) for place in range(len(self._columns))]
        keys: dict[Places, int] = {(): 1}
        for width in range(1, largest + 1):
            short: dict[Places, int] = {}
            for done, places in enumerate(level):
                if self._tell is not None:
                    self._tell((width - 1 + done / len(level)) / largest)
                most = min(keys[places[:j] + places[j + 1 :]] * self._columns[places[j]].count for j in range(width))
                if most < alone:
                    short[places] = most
                elif (exact := self.spread_of(places)).alone < alone:
                    short[places] = exact.distinct
                else:
                    found.append(places)
            level, keys = list(_join_sets(short)), short
        return found


def _join_sets(short: dict[Places, int]) -> Iterator[Places]:
    """Sets of one column more, all of whose subsets fall short."""
    tails: dict[Places, list[int]] = {}
    for places in short:
        tails.setdefault(places[:-1], []).append(places[-1])
    for head, ends in tails.items():
        for pair in combinations(sorted(ends), 2):
            wider = head + pair
            if all(wider[:j] + wider[j + 1 :] in short for j in range(len(wider) - 2)):
                yield wider
