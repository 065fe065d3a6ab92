"""What a search for blanks works on: the different key combinations of the file, and what is demanded of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

LEAST = 1e-6
"""What a blank costs at least, so that none is there in vain even where it is called free."""


class Combination(NamedTuple):
    """Columns, as bits, on which every record must be matched by k records, itself included."""

    columns: int
    k: int


class SuppressionAssignment(NamedTuple):
    """Of the ``number[i]`` records of class ``row[i]``, the cells of the columns ``mask[i]`` (bits) become blank."""

    row: np.ndarray
    mask: np.ndarray
    number: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """The classes of equal keys: codes (classes × columns, missing has the last code), which cells are missing, records.

    ``spans`` is the number of codes of each column, ``cost`` the price of a blank in it.
    """

    codes: np.ndarray
    free: np.ndarray
    weight: np.ndarray
    spans: np.ndarray
    cost: np.ndarray
    wanted: tuple[Combination, ...]

    @property
    def required_columns(self) -> list[int]:
        """The columns that are demanded anything of, cheapest first."""
        union = 0
        for one in self.wanted:
            union |= one.columns
        places = np.flatnonzero(mask_bits(union, len(self.cost)))
        return [int(place) for place in places[np.argsort(self.cost[places], kind="stable")]]

    def mask_cost(self, mask: int) -> float:
        """What blanks in all columns of the mask cost."""
        return float(self.cost[mask_bits(mask, len(self.cost))].sum())


def mask_bits(mask: int, width: int) -> np.ndarray:
    """The bits of a mask, one truth value per column."""
    found: np.ndarray = (mask >> np.arange(width)) & 1 == 1
    return found


def sets_by_cost(columns: list[int], cost: np.ndarray) -> Iterator[int]:
    """All non-empty sets of the columns (cheapest first) as bits, by rising cost; a heap, O(log) for each."""
    if not columns:
        return
    heap = [(float(cost[columns[0]]), 1, 0, 1 << columns[0])]
    while heap:
        total, size, last, mask = heappop(heap)
        yield mask
        if last + 1 < len(columns):
            following = columns[last + 1]
            more = total + float(cost[following])
            heappush(heap, (more, size + 1, last + 1, mask | 1 << following))
            swapped = mask ^ 1 << columns[last] | 1 << following
            heappush(heap, (more - float(cost[columns[last]]), size, last + 1, swapped))
